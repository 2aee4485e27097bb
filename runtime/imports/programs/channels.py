"""Import team channels: exports of Slack, and of Discord by DiscordChatExporter."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members, objects
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
from vcontract.runtime.imports.programs.odd_values import parse_export

_SLACK: Final = re.compile(rb'\s*+\[\s*+\{(?:(?!"ts")[\s\S])*+"ts"\s*:\s*"\d{10}\.\d{6}"')
_LONG_SLACK: Final = re.compile(
    rb"\s*+\[\s*+\{(?:[^{}\[\]]|\{[^{}]*\}){0,2000}?"
    rb'(?:"client_msg_id"|"type"\s*:\s*"message"|"subtype"\s*:\s*"(?:bot_message|file_share)")'
)
"""The beginning of a day whose first message is longer than what is looked at."""
_TS: Final = re.compile(r"\d{10}\.\d{6}")
_LONG: Final = 60_000
_SAYS_SLACK: Final = re.compile(
    r"(?:channel|group)_(?:join|leave|topic|purpose|name|archive|unarchive|convert_to_private|posting_permissions)"
    r"|(?:un)?pinned_item|bot_(?:add|remove|enable|disable)|reminder_add|sh_room_\w+|huddle_thread|assistant_app_thread"
)
"""Subtypes of messages that Slack writes under a person's name."""
_SAYS_DISCORD: Final = re.compile(
    r"GuildMemberJoin|Recipient(?:Add|Remove)|Call|Channel(?:NameChange|IconChange|PinnedMessage|FollowAdd)"
    r"|ThreadCreated|\w*Boost\w*|UserPremium\w*|GuildDiscovery\w*|Stage\w+|AutoModeration\w*|Guild\w+Report\w*"
    r"|[1-9]|1[0-8]|2[2-9]|3\d|4\d"
)
"""Types of messages that Discord writes under a person's name, and their numbers."""
_TEXTS_OF_BLOCKS: Final = (
    *(
        "pretext",
        "author_name",
        "title",
        "text",
        "fields",
        "value",
        "elements",
        "label",
        "description",
        "hint",
    ),
    *(
        "rows",
        "columns",
        "alt_text",
        "caption",
        "message_blocks",
        "message",
        "blocks",
        "option",
        "options",
        "footer",
    ),
)
"""Members of Slack's blocks and attachments that hold words, in order."""
_REFERENCE: Final = re.compile(r"<(?P<sign>[@#!]?)(?P<what>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")
"""Reference to a person, channel, everybody or address, with its display text."""


def _read_slack(data: bytes, about: About) -> Iterator[Conversation]:
    """Read one day of a channel."""
    try:
        messages = [message for _, message in objects(parse_export(data))]
    except MalformedJson as error:
        raise NotRead(f"is a Slack export that is not JSON: {error}") from None
    if not any(_TS.fullmatch(words(message.get("ts"))) for message in messages):
        raise NotRead('seems to be a Slack export, but no message has a "ts" such as "1709632800.000100"')
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
            if _change(conversation, members(message.get("message")), places, people):
                conversation.joined()
            else:
                conversation.left.setdefault("other_messages", []).append(message)
                conversation.kept("other_messages")
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
    if text and not files and _SAYS_SLACK.fullmatch(words(message.get("subtype"))):
        conversation.event(
            text if name and name in text else f"{name or key}: {text}", moment(message.get("ts"))
        )
        return
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
                "files",
                "team",
                *(["blocks"] if _is_plain(message) else []),
            ),
        )
    )
    for _, file in files:
        conversation.enclose(file, file.get("name"), file.get("mimetype"))


def _is_plain(message: JsonObject) -> bool:
    """Whether the blocks of a message only repeat its text."""
    return all(block.get("type") == "rich_text" for _, block in objects(message.get("blocks")))


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

    texts = [unescape(_REFERENCE.sub(shown, words(message.get("text"))))]
    known = _letters(texts[0])
    for name in ("blocks", "attachments"):
        for _, each in objects(message.get(name)):
            lines = [unescape(_REFERENCE.sub(shown, line)) for line in _lines_of_block(each, people)]
            if new := [line for line in lines if _letters(line) not in known]:
                texts.append("\n".join(new))
                known += "".join(map(_letters, new))
            elif name == "attachments" and not lines and words(each.get("fallback")):
                texts.append(unescape(_REFERENCE.sub(shown, words(each.get("fallback")))))
    return "\n\n".join(filter(None, texts))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)) or text.strip()


def _lines_of_block(block: JsonValue, people: Mapping[str, str]) -> list[str]:
    """Return the words of a block or attachment, in lines, as a person reads them."""
    if isinstance(block, str):
        return [line for line in block.split("\n") if line.strip()]
    if is_array(block):
        return [line for each in block for line in _lines_of_block(each, people)]
    if not is_object(block):
        return []
    if block.get("type") in ("rich_text_section", "rich_text_quote", "rich_text_preformatted"):
        parts = [_inline(each, people) for _, each in objects(block.get("elements"))]
        return _lines_of_block("".join(parts), people)
    places = [block[name] for name in _TEXTS_OF_BLOCKS if name in block]
    return [line for place in places for line in _lines_of_block(place, people)]


def _inline(element: JsonObject, people: Mapping[str, str]) -> str:
    """Return an element of rich text as Slack writes it in a message's text."""
    text, url = words(element.get("text")), words(element.get("url"))
    user = words(element.get("user_id"))
    match element.get("type"):
        case "link":
            return f"{text} ({url})" if text and text not in url else url
        case "user":
            return f"@{people.get(user, user)}"
        case "emoji":
            return f":{words(element.get('name'))}:"
        case "broadcast":
            return f"@{words(element.get('range'))}"
        case "channel" | "usergroup":
            return f"#{words(element.get('channel_id')) or words(element.get('usergroup_id'))}"
        case _:
            return text or words(element.get("fallback")) or words(element.get("value"))


def _change(
    conversation: Conversation, message: JsonObject, places: Mapping[str, int], people: Mapping[str, str]
) -> bool:
    """Update an edited turn, and keep its previous text beside it. Returns False without such a turn."""
    place = places.get(words(message.get("ts")))
    text = _text_of_slack(message, people)
    if place is None or not text:
        return False
    turn = conversation.turns[place]
    if text != turn.text:
        earlier = [*array(turn.left.get("earlier")), turn.text]
        left = {**turn.left, "earlier": earlier, "edited": message.get("edited", True)}
        conversation.turns[place] = replace(turn, text=text, left=left)
    return True


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
        text, files = _text_of_discord(message), _files_of_discord(message)
        if text and not files and _SAYS_DISCORD.fullmatch(str(message.get("type"))):
            who = words(author.get("nickname")) or words(author.get("name"))
            conversation.event(f"{who}: {text}", moment(message.get("timestamp")))
            continue
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


def _files_of_discord(message: JsonObject) -> list[tuple[int, JsonObject]]:
    """Return the files of a message and of the one that it forwards."""
    forwarded = members(message.get("forwardedMessage"))
    return [*objects(message.get("attachments")), *objects(forwarded.get("attachments"))]


def _text_of_discord(message: JsonObject) -> str:
    """Text of a message and of the one that it forwards, with embeds, stickers and a poll, each once."""
    texts: list[str] = []
    for each in (message, members(message.get("forwardedMessage"))):
        texts.append(words(each.get("content")))
        texts += (_text_of_embed(embed) for _, embed in objects(each.get("embeds")))
        texts += (words(sticker.get("name")) for _, sticker in objects(each.get("stickers")))
        poll = members(each.get("poll"))
        answers = (
            words(members(answer.get("media", answer)).get("text"))
            for _, answer in objects(poll.get("answers"))
        )
        texts += [words(members(poll.get("question")).get("text")), "\n".join(filter(None, answers))]
    said = ""
    for text in filter(None, texts):
        new = [line for line in text.split("\n") if not line.strip() or _letters(line) not in _letters(said)]
        if any(map(str.strip, new)):
            said = "\n\n".join(filter(None, (said, "\n".join(new).strip())))
    return said


def _text_of_embed(embed: JsonObject) -> str:
    texts = [
        words(members(embed.get("author")).get("name")),
        words(embed.get("title")),
        words(embed.get("description")),
    ]
    for _, field in objects(embed.get("fields")):
        texts.append(": ".join(filter(None, (words(field.get("name")), words(field.get("value"))))))
    texts.append(words(members(embed.get("footer")).get("text")))
    return "\n".join(filter(None, texts))


def _is_discord(document: JsonObject) -> bool:
    first = next(iter(array(document.get("messages"))), None)
    return (
        "channel" in document and is_object(first) and is_object(first.get("author")) and "timestamp" in first
    )


def _is_slack(head: bytes) -> bool:
    return _SLACK.match(head) is not None or (len(head) >= _LONG and _LONG_SLACK.match(head) is not None)


SLACK = FileFormat(
    *name_and_title("slack"),
    _is_slack,
    _read_slack,
    overlaps=True,
)
DISCORD = ObjectFormat(
    *name_and_title("discord"),
    _is_discord,
    _read_discord,
)
