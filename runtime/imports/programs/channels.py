"""Import team channels: exports of Slack, and of Discord by DiscordChatExporter."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members, objects
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
from vcontract.runtime.imports.programs.declarations import name_and_title

_SLACK: Final = re.compile(rb'\s*+\[\s*+\{(?:(?!"ts")[\s\S]){0,20000}?"ts"\s*:\s*"\d{10}\.\d{6}"')
_REFERENCE: Final = re.compile(r"<(?P<sign>[@#!]?)(?P<what>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
"""Reference to a person, channel, everybody or address, with its display text."""


def _read_slack(data: bytes, about: About) -> Iterator[Conversation]:
    """Read one day of a channel."""
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
    places: dict[str, int] = {}
    deleted = {ts for message in messages if (ts := _deleted(message))}
    for message in messages:
        if message.get("subtype") == "message_deleted" or words(message.get("ts")) in deleted:
            conversation.leave_out("deleted in Slack")
            continue
        if message.get("subtype") == "message_changed":
            _change(conversation, members(message.get("message")), places, people)
            conversation.joined()
            continue
        _add(conversation, message, places, people)
    yield conversation


def _add(
    conversation: Conversation, message: JsonObject, places: dict[str, int], people: Mapping[str, str]
) -> None:
    """Add a message with its files as a turn, unless it is empty."""
    profile = members(message.get("user_profile"))
    key = (
        words(message.get("user"))
        or words(message.get("bot_id"))
        or words(message.get("username"))
        or "Slack"
    )
    name = people.get(key) or words(profile.get("real_name")) or words(message.get("username"))
    text = _text_of_slack(message, people)
    files = objects(message.get("files"))
    if not text and not files:
        conversation.left.setdefault("other_messages", []).append(message)
        conversation.kept("other_messages")
        return
    places[words(message.get("ts"))] = len(conversation.turns)
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


def _deleted(message: JsonObject) -> str:
    """Return the `ts` of the message that this one deletes (for a thread's first message its own), or an
    empty text.
    """
    subtype, changed = message.get("subtype"), members(message.get("message"))
    if subtype == "message_deleted":
        return words(message.get("deleted_ts"))
    if subtype == "tombstone":
        return words(message.get("ts"))
    return words(changed.get("ts")) if changed.get("subtype") == "tombstone" else ""


def _text_of_slack(message: JsonObject, people: Mapping[str, str]) -> str:
    """Text of a message; for bots and forwarded messages, of their attachments."""

    def shown(found: re.Match[str]) -> str:
        sign, what, label = found["sign"], found["what"], found["label"] or ""
        if not sign:
            return f"{label} ({what})" if label and label not in what else what.removeprefix("mailto:")
        name = people.get(what) or label or what
        return f"{'#' if sign == '#' else '@'}{name.removeprefix('@')}"

    texts = [words(message.get("text"))]
    if not texts[0]:
        texts = [
            "\n".join(filter(None, (words(each.get(name)) for name in ("pretext", "title", "text"))))
            or words(each.get("fallback"))
            for _, each in objects(message.get("attachments"))
        ]
    return unescape("\n\n".join(_REFERENCE.sub(shown, text) for text in texts if text))


def _change(
    conversation: Conversation, message: JsonObject, places: Mapping[str, int], people: Mapping[str, str]
) -> None:
    """Update an edited turn, and keep its previous text beside it."""
    place = places.get(words(message.get("ts")))
    text = _text_of_slack(message, people)
    if place is None or not text:
        return
    turn = conversation.turns[place]
    if text != turn.text:
        earlier = [*array(turn.left.get("earlier")), turn.text]
        left = {**turn.left, "earlier": earlier, "edited": message.get("edited", True)}
        conversation.turns[place] = replace(turn, text=text, left=left)


def _people(about: About) -> dict[str, str]:
    """Names by ID, from users.json if it exists."""
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
        keys=[f"channel:{words(channel.get('id'))}"] if channel.get("id") else [],
        left=without(document, "messages", "messageCount", "exportedAt"),
    )
    for _, message in messages:
        author = members(message.get("author"))
        text, files = _text_of_discord(message), objects(message.get("attachments"))
        if not text and not files:
            conversation.left.setdefault("other_messages", []).append(message)
            conversation.kept("other_messages")
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


def _text_of_discord(message: JsonObject) -> str:
    """Text of a message; for forwarded messages the original, without text the embeds."""
    text = words(message.get("content")) or words(members(message.get("forwardedMessage")).get("content"))
    if text:
        return text
    embedded = (
        "\n".join(filter(None, (words(each.get(name)) for name in ("title", "description"))))
        for _, each in objects(message.get("embeds"))
    )
    return "\n\n".join(filter(None, embedded))


def _is_discord(document: JsonObject) -> bool:
    first = next(iter(array(document.get("messages"))), None)
    return (
        "channel" in document and is_object(first) and is_object(first.get("author")) and "timestamp" in first
    )


SLACK = FileFormat(
    *name_and_title("slack"),
    lambda head: _SLACK.match(head) is not None,
    _read_slack,
    overlaps=True,
)
DISCORD = ObjectFormat(
    *name_and_title("discord"),
    _is_discord,
    _read_discord,
)
