"""A conversation as every format reads it, and the vCon that it becomes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Final, TypeAlias
from uuid import UUID, uuid5

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, members, objects
from vcontract.runtime.imports.programs.recordings import recorded_at
from vcontract.runtime.vcon.times import format_time, read_time

_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+/[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:[ \t]*;.*)?")
"""Source: RFC 9110, section 8.3.1."""
_OF_ANY_KIND: Final = "application/octet-stream"
_NAMESPACE: Final = UUID("0f6c2c0e-6a7b-5d0a-9c35-7be1f4f0a2d1")
EXTENSION: Final = "conversation_export"
"""Names, in a vCon, what an export says beyond the words: `meta` of a party or a turn, and an attachment."""
DATE_GUESSED: Final = "date_guessed"
"""In that attachment: the export has no date, so the times count from when its file was last written."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said or wrote at one time."""

    speaker: str
    """The key of a party."""
    text: str
    at: datetime | None = None
    """None when the export does not say; the turn before tells then."""
    seconds: float | None = None
    """How long it took to say."""
    message_id: str | None = None
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """What the export says of it beyond that."""
    to: tuple[str, ...] | None = None
    """Keys of those it is for; None for everybody else."""


@dataclass(frozen=True, slots=True)
class Paper:
    """Something that came with a turn: a file, a picture, a document."""

    turn: int
    name: str | None
    mediatype: str
    """As the export says it, be it one or not."""
    body: JsonValue
    encoding: str
    purpose: str | None = None


@dataclass(slots=True)
class Conversation:
    """What one export holds of one conversation."""

    id: str
    """Its name in its program, or what stands for it: the same export again is the same vCon."""
    subject: str | None = None
    parties: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Key to party, in the order of their first word."""
    turns: list[Turn] = field(default_factory=list[Turn])
    papers: list[Paper] = field(default_factory=list[Paper])
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """What the export says of it beyond that."""
    began: datetime | None = None
    """When it began, where no turn says it."""
    is_date_guessed: bool = False
    """Whether all its times count from when the file was last written; its id is made of its content then."""

    def speaker(self, key: str, name: str | None = None, kind: str = "person", **members: JsonValue) -> str:
        """The key, which belongs to a party from now on."""
        if key not in self.parties:
            told = {"name": name or key, "type": kind, **members}
            self.parties[key] = {member: value for member, value in told.items() if value}
        return key

    def enclose(self, told: JsonObject, name: JsonValue, mediatype: JsonValue = None) -> None:
        """Attach to the last turn a file of which the export has a description but no content."""
        turn = len(self.turns) - 1
        self.papers.append(Paper(turn, words(name) or None, words(mediatype), told, "json", "file"))


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a file beside its content."""

    name: str
    """Its path, as far as it was given."""
    modified: datetime
    """The date of what says none itself: that in the file's name, else when the file was last written."""
    beside: Callable[[str], bytes | None] = lambda _: None
    """The content of a file of the same export, by its path from this one's folder; None for none."""
    is_guess: bool = False
    """Whether `modified` is only when the file was last written."""

    @classmethod
    def of(
        cls, name: str, written: datetime, beside: Callable[[str], bytes | None] = lambda _: None
    ) -> "About":
        """What is known of a file with this path that was last written then."""
        recorded = recorded_at(name)
        return cls(name, recorded or written, beside, is_guess=recorded is None)

    @property
    def title(self) -> str | None:
        """The file's own name without its ending."""
        name = self.name.rpartition("/")[2]
        return (name.rpartition(".")[0] or name) or None


@dataclass(frozen=True, slots=True)
class ObjectFormat:
    """A format of which each JSON object is one conversation."""

    name: str
    title: str
    is_of: Callable[[JsonObject], bool]
    read: Callable[[JsonObject, About], Conversation]
    overlaps: bool = False
    """Whether another export may have turns of the same conversation from before or after."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of which a file is read as a whole."""

    name: str
    title: str
    is_of: Callable[[bytes], bool]
    """By the beginning of the file."""
    read: Callable[[bytes, About], Iterator[Conversation]]
    overlaps: bool = False
    """Whether another export may have turns of the same conversation from before or after."""
    read_large: Callable[[IO[bytes], About], Iterator[Conversation]] | None = None
    """Reads a file of any size, piece by piece, where it is too large to be read as a whole."""


Format: TypeAlias = ObjectFormat | FileFormat


class NotRead(ValueError):
    """An export is not as its format has it; the message says where and why."""


def vcon_of(conversation: Conversation, source: Format) -> JsonObject:
    """The vCon, the same for the same export.

    Raises: NotRead when nobody said anything.
    """
    if not conversation.turns:
        raise NotRead(f"is a {source.title} in which nobody says anything")
    index = {key: number for number, key in enumerate(conversation.parties)}
    began = next((turn.at for turn in conversation.turns if turn.at), conversation.began)
    if began is None:
        raise NotRead(f"is a {source.title} that says nowhere when it was")
    dialog: list[JsonObject] = []
    at = began
    for turn in conversation.turns:
        at = turn.at or at
        dialog.append(_dialog(turn, at, index, source))
    vcon: JsonObject = {
        "vcon": "0.4.0",
        "uuid": str(uuid5(_NAMESPACE, f"{source.name}:{conversation.id}")),
        "created_at": format_time(began),
        "updated_at": format_time(max(read_time(entry["start"]) or began for entry in dialog)),
        "subject": conversation.subject,
        "extensions": [EXTENSION],
        "parties": list(conversation.parties.values()),
        "dialog": dialog,
        "attachments": list(_attachments(conversation, dialog, index, source)),
    }
    return {name: value for name, value in vcon.items() if value}


def is_date_guessed(vcon: JsonObject) -> bool:
    """Whether the times of a vCon that `vcon_of` made count from when the file was last written."""
    return any(
        each.get("purpose") == EXTENSION and DATE_GUESSED in members(each.get("body"))
        for _, each in objects(vcon.get("attachments"))
    )


def source_of(vcon: JsonObject) -> str | None:
    """The name of the format of a vCon that `vcon_of` made."""
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
    told = {name: value for name, value in entry.items() if value is not None}
    return {**told, "meta": {EXTENSION: turn.left}} if turn.left else told


def _attachments(
    conversation: Conversation, dialog: Sequence[JsonObject], index: dict[str, int], source: Format
) -> Iterator[JsonObject]:
    first: JsonObject = {"start": dialog[0]["start"], "party": 0, "dialog": 0}
    yield {
        "purpose": "tags",
        **first,
        "mediatype": "application/json",
        "encoding": "json",
        "body": [f"source:{source.name}"],
    }
    for paper in conversation.papers:
        turn = conversation.turns[paper.turn]
        told: JsonObject = {
            "purpose": paper.purpose,
            "start": dialog[paper.turn]["start"],
            "party": index[turn.speaker],
            "dialog": paper.turn,
            "mediatype": paper.mediatype if _MEDIA_TYPE.fullmatch(paper.mediatype) else _OF_ANY_KIND,
            "filename": paper.name,
            "encoding": paper.encoding,
            "body": paper.body,
        }
        yield {name: value for name, value in told.items() if value is not None}
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
    """A time as exports write it: seconds since 1970 as number or text, or RFC 3339; None when it is none."""
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
    """The text, or nothing where there is none."""
    return value if isinstance(value, str) else ""


def without(document: JsonObject, *names: str) -> JsonObject:
    """The members that are left when these were read, and that say something."""
    return {
        name: value
        for name, value in document.items()
        if name not in names and value not in (None, [], {}, "")
    }
