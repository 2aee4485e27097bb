"""Channels of teams: the exports of Slack, and of Discord by DiscordChatExporter."""

import re
from collections.abc import Iterator
from typing import Final

from vcontract.runtime.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.documents.values import array, is_object, members, objects
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    FileFormat,
    NotRead,
    ObjectFormat,
    Turn,
    moment,
    without,
    words,
)

_SLACK: Final = re.compile(rb'\s*+\[\s*+\{(?:(?!"ts")[\s\S]){0,20000}?"ts"\s*:\s*"\d{10}\.\d{6}"')
_MENTION: Final = re.compile(r"<@([A-Z0-9]+)(?:\|[^>]*)?>")


def _read_slack(data: bytes, about: About) -> Iterator[Conversation]:
    """The messages of a channel on one day."""
    try:
        messages = [message for _, message in objects(parse_json(data))]
    except MalformedJson as error:
        raise NotRead(f"is a Slack export that is not JSON: {error}") from None
    people = _people(about)
    channel, _, day = about.name.rpartition("/")
    channel = channel.rpartition("/")[2]
    conversation = Conversation(
        f"{channel}/{day}" if channel else f"{messages[0].get('ts')}/{messages[0].get('user')}",
        " ".join(filter(None, (f"#{channel}" if channel else "Slack", day.removesuffix(".json")))),
    )
    for message in messages:
        profile = members(message.get("user_profile"))
        key = (
            words(message.get("user"))
            or words(message.get("bot_id"))
            or words(message.get("username"))
            or "Slack"
        )
        name = people.get(key) or words(profile.get("real_name")) or words(message.get("username"))
        text = _MENTION.sub(lambda found: f"@{people.get(found[1], found[1])}", words(message.get("text")))
        files = objects(message.get("files"))
        if not text and not files:
            continue
        conversation.turns.append(
            Turn(
                conversation.speaker(key, name, "bot" if "bot_id" in message else "person"),
                text,
                moment(message.get("ts")),
                message_id=words(message.get("client_msg_id")) or words(message.get("ts")),
                left=without(
                    message,
                    "text",
                    "type",
                    "user",
                    "client_msg_id",
                    "user_profile",
                    "blocks",
                    "files",
                    "team",
                ),
            )
        )
        for _, file in files:
            conversation.enclose(file, file.get("name"), file.get("mimetype"))
    if conversation.turns:
        yield conversation


def _people(about: About) -> dict[str, str]:
    """Name by id, out of users.json where that is there."""
    data = about.beside("../users.json")
    try:
        users = parse_json(data or b"[]")
    except MalformedJson:
        return {}
    return {
        words(user.get("id")): words(members(user.get("profile")).get("real_name")) or words(user.get("name"))
        for _, user in objects(users)
    }


def _read_discord(document: JsonObject, _about: About) -> Conversation:
    channel = members(document.get("channel"))
    messages = objects(document["messages"])
    first = words(messages[0][1].get("id")) if messages else ""
    place = [words(members(document.get("guild")).get("name")), words(channel.get("name"))]
    conversation = Conversation(
        f"{words(channel.get('id'))}/{first}",
        " #".join(filter(None, place)) or None,
        left=without(document, "messages", "messageCount", "exportedAt"),
    )
    for _, message in messages:
        author = members(message.get("author"))
        text, files = words(message.get("content")), objects(message.get("attachments"))
        if not text and not files:
            continue
        key = words(author.get("id")) or words(author.get("name")) or "Discord"
        name = words(author.get("nickname")) or words(author.get("name"))
        answers: JsonValue = members(message.get("reference")).get("messageId")
        left = without(message, "id", "timestamp", "content", "author", "attachments", "reference")
        conversation.turns.append(
            Turn(
                conversation.speaker(key, name, "bot" if author.get("isBot") is True else "person"),
                text,
                moment(message.get("timestamp")),
                message_id=words(message.get("id")) or None,
                left={**left, **({"answers": answers} if answers else {})},
            )
        )
        for _, file in files:
            conversation.enclose(file, file.get("fileName"))
    return conversation


def _is_discord(document: JsonObject) -> bool:
    first = next(iter(array(document.get("messages"))), None)
    return (
        "channel" in document and is_object(first) and is_object(first.get("author")) and "timestamp" in first
    )


SLACK = FileFormat(
    "slack",
    "Slack export",
    "Settings and administration, Workspace settings, Import/export data, Export",
    lambda head: _SLACK.match(head) is not None,
    _read_slack,
    overlaps=True,
)
DISCORD = ObjectFormat(
    "discord",
    "Discord export",
    "DiscordChatExporter, format JSON",
    _is_discord,
    _read_discord,
)
