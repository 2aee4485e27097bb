"""Tables of a vCon, and how each column is computed from a prepared vCon."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import Final, Generic, NamedTuple, NotRequired, TypedDict, TypeVar

from asyncpg.pgproto.pgproto import UUID as DriverUuid  # noqa: N811

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json, parse_json
from vcontract.runtime.store.queries import Statement, load
from vcontract.runtime.store.queries.tables import Column, Table
from vcontract.runtime.store.vcons.indexed_texts import PassageRow, TurnRow
from vcontract.runtime.store.vcons.preparation import ARRAYS, PreparedVcon
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.dealers import Dealer
from vcontract.runtime.vcon.tags import TagValue, effective_purpose, tag_columns

Row = TypeVar("Row")

_FEATURES_REMEMBERED: Final = 1_024
"""Number of cached feature sets; many vCons have the same."""


class Element(NamedTuple):
    """An element of one of the four arrays."""

    place: int
    document: JsonObject


class TagRow(NamedTuple):
    """A tag with its value as text."""

    key: str
    value: str
    type: str


@dataclass(frozen=True, slots=True)
class _OfVcon(Generic[Row]):
    """A table and a vCon's rows in it."""

    table: Table[Row]
    rows: Callable[[PreparedVcon], Sequence[Row]]

    def parameters(self, vcons: Sequence[tuple[DriverUuid, PreparedVcon]]) -> dict[str, list[object]]:
        return self.table.parameters([(uuid, self.rows(vcon)) for uuid, vcon in vcons])


def _as_it_is(value: JsonValue) -> JsonValue:
    """Return a stored value as the driver returns it."""
    return value


def _member(name: str) -> Callable[[Element], str | None]:
    """Return a function for a text member of an element."""
    return lambda element: _text(element.document.get(name))


def _subject(vcon: PreparedVcon) -> str:
    return _folded(vcon.document.get("subject"))


class ViolationDocument(TypedDict):
    """A violation: its path and message."""

    path: str
    rule: str
    message: str


class ConformanceDocument(TypedDict):
    """Conformance of a vCon, as stored and as in the contract."""

    version: str
    valid: bool
    violations: list[ViolationDocument]
    violation_count: int
    unsupported_critical: NotRequired[list[str]]


def conformance_document(vcon: PreparedVcon) -> ConformanceDocument:
    """Return a vCon's conformance as in the contract."""
    found = vcon.conformance
    document: ConformanceDocument = {
        "version": found.version,
        "valid": found.valid,
        "violations": [{"path": v.path, "rule": v.rule, "message": v.message} for v in found.violations],
        "violation_count": found.violation_count,
    }
    if found.unsupported_critical:
        document["unsupported_critical"] = list(found.unsupported_critical)
    return document


def _features(vcon: PreparedVcon) -> str:
    """Print the features as a PostgreSQL array."""
    return "{" + ",".join(map(_quoted, sorted(vcon.features))) + "}"


@lru_cache(maxsize=_FEATURES_REMEMBERED)
def _quoted(feature: str) -> str:
    escaped = feature.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _length(array: str) -> Callable[[PreparedVcon], int]:
    return lambda vcon: len(vcon.elements(array))


def _elements(array: str) -> Callable[[PreparedVcon], list[Element]]:
    return lambda vcon: [
        Element(place, document)
        for place, document in enumerate(vcon.elements(array)[vcon.kept.of(array) :], vcon.kept.of(array))
    ]


def _passages(vcon: PreparedVcon) -> list[PassageRow]:
    turns = vcon.kept.turns
    return [row for row in vcon.passages if row.part != "dialog" or row.element >= turns]


def _document(element: Element) -> str:
    return as_json(element.document)


def _addresses(party: Element) -> str:
    addresses = [
        address[7:] if address.lower().startswith("mailto:") else address
        for address in (party.document.get("mailto"), party.document.get("email"))
        if isinstance(address, str)
    ]
    return fold("\n".join(addresses))


def _digits(party: Element) -> str:
    tel = party.document.get("tel")
    return "".join(c for c in tel if c.isdigit()) if isinstance(tel, str) else ""


def _purpose(attachment: Element) -> str | None:
    return _text(effective_purpose(attachment.document))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _folded(value: JsonValue) -> str:
    return fold(value) if isinstance(value, str) else ""


VCON: Final = Table[PreparedVcon](
    "vcon",
    owner="uuid",
    columns=(
        Column("created_at", "timestamptz", attrgetter("created_at"), read=_as_it_is),
        Column("began_at", "timestamptz", attrgetter("began_at"), read=_as_it_is),
        Column("stored_at", "timestamptz", attrgetter("stored_at"), read=_as_it_is, change="t.stored_at"),
        # a vCon prepared before the last change still counts as changed after it
        Column(
            "updated_at",
            "timestamptz",
            attrgetter("stored_at"),
            read=_as_it_is,
            change="greatest({}, t.updated_at + interval '1 microsecond')",
        ),
        Column("spec_version", "text", attrgetter("conformance.version")),
        Column("subject_folded", "text", _subject),
        Column("head", "json", lambda vcon: as_json(vcon.head), read=parse_json),
        Column("metadata", "json", lambda vcon: as_json(vcon.metadata), read=parse_json),
        Column("conformance", "json", lambda vcon: as_json(conformance_document(vcon)), read=parse_json),
        Column("signed_form", "text", attrgetter("signed_form")),
        Column("content_digest", "bytea", attrgetter("content_digest")),
        Column("parties", "integer", _length("parties")),
        Column("dialogs", "integer", _length("dialog")),
        Column("analyses", "integer", _length("analysis")),
        Column("attachments", "integer", _length("attachments")),
        Column("tag_carriers", "text", attrgetter("tag_carriers"), read=_as_it_is),
        Column("bytes", "bigint", attrgetter("size")),
        Column("features", "text[]", _features, sent_as="text"),
    ),
)
DOCUMENT: Final = Table[PreparedVcon](
    "search_document",
    owner="id",
    kind="vcon",
    columns=(
        Column("occurred_at", "timestamptz", attrgetter("began_at")),
        Column("first_at", "timestamptz", attrgetter("first_at")),
        Column("last_at", "timestamptz", attrgetter("last_at")),
        Column("is_numbered", "boolean", attrgetter("is_numbered")),
        Column("words", "tsvector", attrgetter("words")),
        Column("turns_known", "smallint", attrgetter("known_of_turns"), change="coalesce({}, t.turns_known)"),
        Column(
            "turns_end",
            "double precision",
            attrgetter("turns_end"),
            change="case when r.turns_known is null then greatest({0}, t.turns_end) else {0} end",
        ),
        Column("handle_seconds", "double precision", attrgetter("measures.handle_seconds")),
        Column("talk_seconds", "double precision", attrgetter("measures.talk_seconds")),
        Column("silence_seconds", "double precision", attrgetter("measures.silence_seconds")),
        Column("longest_turn_seconds", "double precision", attrgetter("measures.longest_turn_seconds")),
        Column("overlapping_turns", "integer", attrgetter("measures.overlapping_turns")),
        Column("hold_seconds", "double precision", attrgetter("measures.hold_seconds")),
        Column("transfers", "integer", attrgetter("measures.transfers")),
    ),
)
_OF_ELEMENT: Final = (
    Column[Element]("index", "integer", attrgetter("place")),
    Column[Element]("doc", "json", _document),
)
PARTY: Final = Table[Element](
    "party",
    owner="vcon",
    key=("index",),
    columns=(
        *_OF_ELEMENT,
        Column("name_folded", "text", lambda party: _folded(party.document.get("name"))),
        Column("email_folded", "text", _addresses),
        Column("tel_digits", "text", _digits),
    ),
)
DIALOG: Final = Table[Element](
    "dialog", owner="vcon", key=("index",), columns=(*_OF_ELEMENT, Column("type", "text", _member("type")))
)
ANALYSIS: Final = Table[Element](
    "analysis",
    owner="vcon",
    key=("index",),
    columns=(
        *_OF_ELEMENT,
        Column("type", "text", _member("type")),
        Column("vendor", "text", _member("vendor")),
    ),
)
ATTACHMENT: Final = Table[Element](
    "attachment", owner="vcon", key=("index",), columns=(*_OF_ELEMENT, Column("purpose", "text", _purpose))
)
TAG: Final = Table[TagRow](
    "tag",
    owner="vcon",
    key=("key",),
    columns=(
        Column("key", "text", attrgetter("key")),
        Column("value", "text", attrgetter("value")),
        Column("type", "text", attrgetter("type")),
    ),
)
DEALER: Final = Table[Dealer](
    "dealer",
    owner="vcon",
    columns=(
        Column("id", "text", attrgetter("id")),
        Column("name", "text", attrgetter("name")),
        Column("name_folded", "text", lambda dealer: _folded(dealer.name)),
        Column("team_id", "text", attrgetter("team_id")),
        Column("team_name", "text", attrgetter("team_name")),
        Column("doc", "json", lambda dealer: as_json(dealer.document)),
    ),
)
TURN: Final = Table[TurnRow](
    "turn",
    owner="vcon",
    key=("dialog", "number"),
    columns=(
        Column("dialog", "integer", attrgetter("dialog")),
        Column("number", "integer", attrgetter("number")),
        Column("speaker", "text", attrgetter("speaker")),
        Column("role", "text", attrgetter("role")),
        Column("starts", "double precision", attrgetter("starts")),
        Column("ends", "double precision", attrgetter("ends")),
        Column("words", "tsvector", attrgetter("words")),
        Column("is_missing", "boolean", attrgetter("is_missing")),
        Column("length", "double precision", attrgetter("length")),
    ),
)
PASSAGE: Final = Table[PassageRow](
    "passage",
    owner="id",
    kind="vcon",
    key=("part", "element", "chunk"),
    columns=(
        Column("part", "text", attrgetter("part")),
        Column("element", "integer", attrgetter("element")),
        Column("chunk", "integer", attrgetter("chunk")),
        Column("content", "text", attrgetter("content")),
        Column("words", "tsvector", attrgetter("words")),
        Column("occurred_at", "timestamptz", attrgetter("occurred_at")),
        Column("speaker", "integer", attrgetter("speaker")),
    ),
)

_MANY_ROWS: Final = 5_000
_ROWS: Final = (
    _OfVcon(VCON, lambda vcon: [vcon]),
    _OfVcon(DOCUMENT, lambda vcon: [vcon]),
    _OfVcon(PARTY, _elements("parties")),
    _OfVcon(DIALOG, _elements("dialog")),
    _OfVcon(ANALYSIS, _elements("analysis")),
    _OfVcon(ATTACHMENT, _elements("attachments")),
    _OfVcon(TAG, lambda vcon: tag_rows(vcon.tags)),
    _OfVcon(DEALER, lambda vcon: [] if vcon.dealer is None else [vcon.dealer]),
    _OfVcon(TURN, lambda vcon: vcon.turns),
)
_PASSAGES: Final = _OfVcon(PASSAGE, _passages)


async def row_and_passage_parameters(
    prepared: Sequence[PreparedVcon],
) -> tuple[dict[str, list[object]], dict[str, list[object]]]:
    """Return the rows of vCons and passages as query parameters, in a thread if there are many."""
    rows = sum(len(vcon.passages) + sum(len(vcon.elements(name)) for name in ARRAYS) for vcon in prepared)
    return _both(prepared) if rows <= _MANY_ROWS else await asyncio.to_thread(_both, prepared)


def _both(prepared: Sequence[PreparedVcon]) -> tuple[dict[str, list[object]], dict[str, list[object]]]:
    return row_parameters(prepared), passage_parameters(prepared)


def row_parameters(prepared: Sequence[PreparedVcon]) -> dict[str, list[object]]:
    """Return the rows of vCons in all tables except passages, as query parameters. Kept rows are left out."""
    vcons = _with_uuids(prepared)
    return {name: values for rows in _ROWS for name, values in rows.parameters(vcons).items()}


def passage_parameters(prepared: Sequence[PreparedVcon]) -> dict[str, list[object]]:
    """Return the passages of vCons as query parameters."""
    return _PASSAGES.parameters(_with_uuids(prepared))


def may_be_of_consent(purpose: object) -> bool:
    """Whether attachments with this purpose may be consent; the database decides which count."""
    return any(part in str(purpose).lower() for part in ("consent", "lawful"))


def as_json(value: JsonValue) -> str:
    """Print JSON for a json column."""
    return dump_json(value).decode()


def tag_rows(tags: Mapping[str, TagValue]) -> list[TagRow]:
    return [TagRow(key, *tag_columns(value)) for key, value in tags.items()]


def vcon_query(name: str, /, **values: object) -> tuple[str, *tuple[object, ...]]:
    """Like `query`, with pieces of these tables in braces: `{party.insert}`."""
    return _statement(name).given(values)


@cache
def _statement(name: str) -> Statement:
    return load(name, {rows.table.name: rows.table for rows in (*_ROWS, _PASSAGES)})


def _with_uuids(prepared: Sequence[PreparedVcon]) -> list[tuple[DriverUuid, PreparedVcon]]:
    # the driver's own uuid class avoids a conversion; one is made for all rows of a vCon
    return [(DriverUuid(vcon.uuid.bytes), vcon) for vcon in prepared]
