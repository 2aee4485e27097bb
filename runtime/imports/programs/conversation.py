"""Common model of imported conversations, and its conversion to vCons."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO, Final, TypeAlias
from uuid import UUID, uuid5

from vcontract.runtime.frame.documents.json import (
    JsonObject,
    JsonValue,
)
from vcontract.runtime.frame.documents.json_values import array, is_array, members, objects
from vcontract.runtime.imports.programs.odd_values import REPLACED, REPLACED_MESSAGE, storable
from vcontract.runtime.imports.programs.recordings import recorded_at
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.times import format_time, read_time

_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+/[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:[ \t]*;.*)?")
"""Source: RFC 9110, section 8.3.1."""
_OF_ANY_KIND: Final = "application/octet-stream"
_NAMESPACE: Final = UUID("0f6c2c0e-6a7b-5d0a-9c35-7be1f4f0a2d1")
EXTENSION: Final = "conversation_export"
"""Name in a vCon for data of an export other than words: `meta` of a party or turn, and an attachment."""
MAX_ATTACHMENT_LENGTH: Final = 11 * 1024 * 1024
"""Maximum characters of an attachment: 8 MiB in base64url."""
_MAX_ATTACHMENTS_LENGTH: Final = 24 * 1024 * 1024
"""Maximum characters of a conversation's attachments. A vCon may have 32 MiB."""
DATE_GUESSED: Final = "date_guessed"
"""Flag in that attachment: the export has no date, so times count from the file's modification time."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said or wrote at one time."""

    speaker: str
    """Key of a party."""
    text: str
    at: datetime | None = None
    """None if the export has none; then the previous turn's time is used."""
    seconds: float | None = None
    """Duration in seconds."""
    message_id: str | None = None
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """Further data of the export."""
    to: tuple[str, ...] | None = None
    """Keys of recipients; None for everybody else."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment of a turn: a file, picture or document."""

    turn: int
    name: str | None
    mediatype: str
    """As in the export, even if invalid."""
    body: JsonValue
    encoding: str
    purpose: str | None = None


@dataclass(slots=True)
class Account:
    """What became of a source's messages: each is a turn, joined to one, kept elsewhere or left out."""

    turns: int = 0
    joined: int = 0
    """Messages whose words became part of another message's turn."""
    kept: Counter[str] = field(default_factory=Counter[str])
    """Messages that are stored elsewhere in the vCon, by where."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Messages that are not stored, by the reason."""
    notices: dict[str, str] = field(default_factory=dict[str, str])
    """Code to sentence, about what a person should know, such as a value that was mended."""

    @property
    def messages(self) -> int:
        """Number of messages in the source."""
        return self.turns + self.joined + self.kept.total() + self.left_out.total()


@dataclass(slots=True)
class Conversation:
    """One exported conversation."""

    id: str
    """ID in the program, or a substitute. The same export always gives the same vCon."""
    subject: str | None = None
    parties: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Key to party, in the order of their first turn."""
    turns: list[Turn] = field(default_factory=list[Turn])
    papers: list[Attachment] = field(default_factory=list[Attachment])
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """Further data of the export."""
    began: datetime | None = None
    """Start, if no turn has a time."""
    is_date_guessed: bool = False
    """Whether all times count from the file's modification time. The ID then derives from the content."""
    keys: list[str] = field(default_factory=list[str])
    """What other exports of this conversation share with it, such as message IDs: kind and ID. The import
    joins conversations of one format that share a key."""
    number: str | None = None
    """The conversation's number within its file, if its ID is not one of the program; empty without one.
    Other versions of it are then found by number, opening and file."""
    file: str = ""
    """The file's folder and name, set by the pipeline."""
    account: Account = field(default_factory=Account)

    def joined(self, messages: int = 1) -> None:
        """Count messages whose words became part of another message's turn."""
        self.account.joined += messages

    def kept(self, where: str, messages: int = 1) -> None:
        """Count messages that are stored elsewhere: `where` is a member of `left`, `meta` or attachments."""
        self.account.kept[where] += messages

    def leave_out(self, why: str, messages: int = 1) -> None:
        """Count messages that are not stored. `why` completes "2 messages left out: "."""
        self.account.left_out[why] += messages

    def notice(self, code: str, message: str) -> None:
        """Report something that a person should know about this conversation, such as a mended value."""
        self.account.notices.setdefault(code, message)

    def event(self, text: str, at: datetime | None = None) -> None:
        """Keep a notice of the program, such as a missed call, beside the turns."""
        events: list[JsonValue] = self.left.setdefault("events", [])
        events.append(f"{at.isoformat() if at else ''} {text}".strip())
        self.kept("events")

    def speaker(self, key: str, name: str | None = None, kind: str = "person", **members: JsonValue) -> str:
        """Add a party unless it exists, and return its key."""
        if key not in self.parties:
            party = {"name": name or key, "type": kind, **members}
            self.parties[key] = {member: value for member, value in party.items() if value}
        return key

    def has_room(self, length: int) -> bool:
        """Whether an attachment with this number of characters fits into the vCon."""
        bodies = (len(paper.body) for paper in self.papers if isinstance(paper.body, str))
        return sum(bodies) + length <= _MAX_ATTACHMENTS_LENGTH

    def enclose(self, details: JsonObject, name: JsonValue, mediatype: JsonValue = None) -> None:
        """Attach a file, described in the export without content, to the last turn."""
        turn = len(self.turns) - 1
        self.papers.append(Attachment(turn, words(name) or None, words(mediatype), details, "json", "file"))


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a file other than its content."""

    name: str
    """Path as given."""
    modified: datetime
    """Default date: the one in the file's name, else its modification time."""
    beside: Callable[[str], bytes | None] = lambda _: None
    """Returns the content of another file of the export, by relative path, or None."""
    is_guess: bool = False
    """Whether `modified` is only the modification time."""

    @classmethod
    def of(
        cls, name: str, written: datetime, beside: Callable[[str], bytes | None] = lambda _: None
    ) -> "About":
        """Return the facts about a file with this path and modification time."""
        recorded = recorded_at(name)
        return cls(name, recorded or written, beside, is_guess=recorded is None)

    @property
    def title(self) -> str | None:
        """File name without its extension."""
        name = self.name.rpartition("/")[2]
        return (name.rpartition(".")[0] or name) or None


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """A format in which each JSON object is one conversation."""

    name: str
    title: str
    is_of: Callable[[JsonObject], bool]
    read: Callable[[JsonObject, About], Conversation]
    overlaps: bool = False
    """Whether another export may have earlier or later turns of the same conversation."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format that is read as a whole file."""

    name: str
    title: str
    is_of: Callable[[bytes], bool]
    """Detects the format by the beginning of a file."""
    read: Callable[[bytes, About], Iterator[Conversation]]
    overlaps: bool = False
    """Whether another export may have earlier or later turns of the same conversation."""
    read_large: Callable[[IO[bytes], About], Iterator[Conversation]] | None = None
    """Reads a file in pieces if it is too large to be read whole."""


Format: TypeAlias = ObjectFormat | FileFormat


class NotRead(ValueError):
    """An export differs from its format; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted conversation, and what became of its messages."""

    vcon: JsonObject | None
    """None if it has no turns."""
    account: Account


def converted(conversation: Conversation, source: Format, about: About) -> Converted:
    """Convert a conversation of a file. Raises: NotRead."""
    conversation.file = "/".join(about.name.split("/")[-2:])
    conversation.account.turns = len(conversation.turns)
    vcon = vcon_of(conversation, source) if conversation.turns else None
    if vcon is not None:
        vcon, has_replaced = storable(vcon)
        if has_replaced:
            conversation.notice(REPLACED, REPLACED_MESSAGE)
    return Converted(vcon, conversation.account)


def vcon_of(conversation: Conversation, source: Format) -> JsonObject:
    """Convert to a vCon, always the same for the same export.

    Raises: NotRead if there are no turns.
    """
    if not conversation.turns:
        raise NotRead(f"is a {source.title} in which nobody says anything")
    index = {key: number for number, key in enumerate(conversation.parties)}
    began = next((turn.at for turn in conversation.turns if turn.at), conversation.began)
    keys = [_hashed(key) for key in conversation.keys] + _keys_of_version(conversation, began)
    if began is None:
        raise NotRead(f"is a {source.title} that says nowhere when it was")
    dialog: list[JsonObject] = []
    at = began
    for turn in conversation.turns:
        at = turn.at or at
        dialog.append(_dialog(turn, at, index, source))
    vcon: JsonObject = {
        "vcon": WRITTEN_VERSION,
        "uuid": str(uuid5(_NAMESPACE, f"{source.name}:{conversation.id}")),
        "created_at": format_time(began),
        "updated_at": format_time(max(read_time(entry["start"]) or began for entry in dialog)),
        "subject": conversation.subject,
        "extensions": [EXTENSION],
        "parties": list(conversation.parties.values()),
        "dialog": dialog,
        "attachments": list(_attachments(conversation, dialog, index, source, keys)),
    }
    return {name: value for name, value in vcon.items() if value}


FILE_KEY: Final = "file:"
"""Begins the key that versions of a conversation in one file share."""
_KEY_LENGTH: Final = 16


def _hashed(key: str) -> str:
    """Shorten a key to its kind and a digest of its ID."""
    kind, _, name = key.partition(":")
    return f"{kind}:{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:_KEY_LENGTH]}"


def _keys_of_version(conversation: Conversation, began: datetime | None) -> list[str]:
    """Keys of a conversation without an ID of its program: those that a corrected or longer version has."""
    if conversation.number is None:
        return []
    day = "" if conversation.is_date_guessed or began is None else f"{began:%Y-%m-%d}"
    number = f"{day}\n{conversation.number}"
    turns = conversation.turns[:1] if conversation.number else conversation.turns[:2]
    openings = [f"opening:{number}\n{turn.speaker}\n{turn.text}" for turn in turns]
    numbers = [f"number:{number}"] if conversation.number else []
    files = [f"{FILE_KEY}{number}\n{conversation.file}"] if conversation.file else []
    return [_hashed(key) for key in (*numbers, *openings, *files)]


def is_key_of_version(key: str) -> bool:
    """Whether a key says only that two conversations may be versions of one."""
    return key.startswith(("number:", "opening:", FILE_KEY))


def keys_of(vcon: JsonObject) -> list[str]:
    """Return the keys of a vCon by `vcon_of`: what other exports of its conversation share."""
    for _, each in objects(vcon.get("attachments")):
        if each.get("purpose") == "tags":
            return array(members(members(each.get("meta")).get(EXTENSION)).get("keys"))
    return []


def is_date_guessed(vcon: JsonObject) -> bool:
    """Whether times of a vCon by `vcon_of` count from the file's modification time."""
    return any(
        each.get("purpose") == EXTENSION and DATE_GUESSED in members(each.get("body"))
        for _, each in objects(vcon.get("attachments"))
    )


def source_of(vcon: JsonObject) -> str | None:
    """Return the format name of a vCon by `vcon_of`, or None."""
    for _, each in objects(vcon.get("attachments")):
        if each.get("purpose") == "tags" and is_array(each.get("body")):
            for tag in each["body"]:
                if isinstance(tag, str) and tag.startswith("source:"):
                    return tag.removeprefix("source:")
    return None


def _dialog(turn: Turn, at: datetime, index: dict[str, int], source: Format) -> JsonObject:
    others = (
        [number for key, number in index.items() if key != turn.speaker]
        if turn.to is None
        else [index[key] for key in turn.to if key in index]
    )
    entry: JsonObject = {
        "type": "text",
        "start": format_time(at),
        "duration": turn.seconds,
        "parties": [index[turn.speaker], *others],
        "originator": index[turn.speaker],
        "mediatype": "text/plain",
        "body": turn.text,
        "encoding": "none",
        "application": source.title,
        "message_id": turn.message_id,
    }
    given = {name: value for name, value in entry.items() if value is not None}
    return {**given, "meta": {EXTENSION: turn.left}} if turn.left else given


def _attachments(
    conversation: Conversation,
    dialog: Sequence[JsonObject],
    index: dict[str, int],
    source: Format,
    keys: Sequence[str],
) -> Iterator[JsonObject]:
    first: JsonObject = {"start": dialog[0]["start"], "party": 0, "dialog": 0}
    yield {
        "purpose": "tags",
        **first,
        "mediatype": "application/json",
        "encoding": "json",
        "body": [f"source:{source.name}"],
        **({"meta": {EXTENSION: {"keys": list(dict.fromkeys(keys))}}} if keys else {}),
    }
    for paper in conversation.papers:
        turn = conversation.turns[paper.turn]
        attachment: JsonObject = {
            "purpose": paper.purpose,
            "start": dialog[paper.turn]["start"],
            "party": index[turn.speaker],
            "dialog": paper.turn,
            "mediatype": paper.mediatype if _MEDIA_TYPE.fullmatch(paper.mediatype) else _OF_ANY_KIND,
            "filename": paper.name,
            "encoding": paper.encoding,
            "body": paper.body,
        }
        yield {name: value for name, value in attachment.items() if value is not None}
    left = {**conversation.left, DATE_GUESSED: True} if conversation.is_date_guessed else conversation.left
    if left:
        yield {
            "purpose": EXTENSION,
            **first,
            "mediatype": "application/json",
            "encoding": "json",
            "body": left,
        }


def moment(value: JsonValue) -> datetime | None:
    """Parse a time: seconds since 1970 as number or text, or RFC 3339; None if it is neither."""
    if isinstance(value, str):
        found = read_time(value)
        if found is not None:
            return found
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def words(value: JsonValue) -> str:
    """Return the text, or an empty one."""
    return value if isinstance(value, str) else ""


def without(document: JsonObject, *names: str) -> JsonObject:
    """Return the remaining non-empty members after these were read."""
    return {
        name: value
        for name, value in document.items()
        if name not in names and value not in (None, [], {}, "")
    }


_PAUSE: Final = 2.0
"""Seconds of silence after which joined words begin a new turn."""
_MAX_JOINED_LENGTH: Final = 600


def joined_turn(turns: Sequence[Turn], turn: Turn, variant: JsonObject) -> Turn | None:
    """Join a turn to the previous one; None if the speaker differs or after a pause."""
    last = turns[-1] if turns else None
    if last is None or last.speaker != turn.speaker or len(last.text) >= _MAX_JOINED_LENGTH:
        return None
    text = f"{last.text}{variant.get('between', ' ')}{turn.text}"
    if last.at is None or turn.at is None:
        return replace(last, text=text)
    begins = (turn.at - last.at).total_seconds()
    if begins - (last.seconds or 0.0) >= _PAUSE:
        return None
    return replace(
        last, text=text, seconds=round(max(last.seconds or 0.0, begins + (turn.seconds or 0.0)), 3)
    )
