"""Prepare a vCon for storage: validate, translate, extract passages and tags. Needs no database."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, Self
from uuid import UUID

from vcontract.runtime.frame.documents.findings import Conformance, Notice, Violation, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json, dump_json
from vcontract.runtime.frame.documents.json_values import is_object, objects
from vcontract.runtime.store.vcons.indexed_texts import (
    KnownTexts,
    PassageRow,
    TurnRow,
    end_of_turns,
    index_passages,
    index_turns,
    known_of_turns,
)
from vcontract.runtime.store.vcons.row_reuse import (
    NO_REUSED_ROWS,
    AddedElements,
    ReadAgain,
    ReadBefore,
    ReusedRows,
)
from vcontract.runtime.vcon.call_measures import UNMEASURED, CallMeasures, call_measures
from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations
from vcontract.runtime.vcon.dealers import Dealer, Dealers
from vcontract.runtime.vcon.features import features_of
from vcontract.runtime.vcon.identity import new_uuid, parse_uuid
from vcontract.runtime.vcon.legacy import LegacyNames, Rename
from vcontract.runtime.vcon.spoken_turns import SpokenTurn, has_transcripts, spoken_turns
from vcontract.runtime.vcon.tags import (
    MAX_TAGS,
    Carriers,
    TagValue,
    carriers_of,
    read_tags,
    tag_key_problem,
    tag_value_problem,
)
from vcontract.runtime.vcon.text import Bodies, read_passages
from vcontract.runtime.vcon.times import conversation_time, earliest_start, format_time
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES

ARRAYS: Final = ("parties", "dialog", "analysis", "attachments")
MAX_DEALER_ID_LENGTH: Final = 255

_METADATA_OF_THE_STORE: Final = ("counts", "conformance", "stored_at", "updated_at", "signed")
"""Metadata members that only the store itself may set."""


class VconRefused(ValueError):
    """A document that cannot be stored as a vCon, with all its violations."""

    def __init__(self, violations: Sequence[Violation], conformance: Conformance | None = None) -> None:
        super().__init__("; ".join(f"{v.path}: {v.message}" for v in violations))
        self.violations = tuple(violations)
        self.conformance = conformance

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Violation, ...], Conformance | None]]:
        """Pickle for sending to another process."""
        return type(self), (self.violations, self.conformance)


class MetadataRefused(VconRefused):
    """Metadata beside the vCon cannot be stored. Paths begin with `$.metadata`."""


@dataclass(frozen=True, slots=True)
class PrepareContext:
    """Data needed for preparation, loaded once."""

    legacy_names: LegacyNames
    schemas: VconSchemas
    dealers: Dealers

    @classmethod
    def load(cls) -> "PrepareContext":
        return cls(LegacyNames.load(), VconSchemas.load(), Dealers.load())


@dataclass(frozen=True, slots=True)
class PreparedVcon:
    """One vCon ready to store. `document` is the whole vCon with legacy names translated."""

    uuid: UUID
    document: JsonObject
    created_at: datetime
    started_at: datetime | None
    """Start of its earliest dialog; None if unknown."""
    stored_at: datetime
    conformance: Conformance
    renames: tuple[Rename, ...]
    notices: tuple[Notice, ...]
    tags: dict[str, TagValue]
    tag_carriers: Carriers
    dealer: Dealer | None
    metadata: JsonObject
    signed_form: str | None
    content_digest: bytes
    size: int
    """Size in bytes as compact JSON, with signed form and metadata."""
    words: bytes
    passages: tuple[PassageRow, ...]
    spellings: frozenset[str]
    languages: frozenset[str]
    """Languages of its passages."""
    turns: tuple[TurnRow, ...] = ()
    """Its turns from the dialog `first_turn` on."""
    first_turn: int = 0
    """Number of first dialogs whose turns are stored and not repeated here."""
    measures: CallMeasures = UNMEASURED
    passage_words: tuple[tuple[str, ...], ...] = ()
    """Lexemes of each passage, if requested."""
    kept: ReusedRows = NO_REUSED_ROWS
    """Its rows that are already stored."""
    read_before: ReadBefore | None = None
    """Turns whose passages are already stored and not repeated here."""

    @property
    def head(self) -> JsonObject:
        """Top-level members, with [] for each component array, whose elements are stored in rows."""
        return {
            name: [] if name in ARRAYS and isinstance(value, list) else value
            for name, value in self.document.items()
        }

    def elements(self, array: str) -> list[JsonObject]:
        return self.document.get(array) or []

    @property
    def began_at(self) -> datetime:
        """When the conversation began: its earliest dialog, else `created_at`."""
        return self.started_at or self.created_at

    @property
    def first_at(self) -> datetime | None:
        """Time of its first turn; None if unknown."""
        return min(self._times(), default=None)

    @property
    def last_at(self) -> datetime | None:
        """Time of its last turn; None if unknown."""
        return max(self._times(), default=None)

    def _times(self) -> list[datetime]:
        before = self.read_before.times if self.read_before else ()
        return [*before, *(row.occurred_at for row in self.passages if row.occurred_at is not None)]

    @property
    def is_numbered(self) -> bool:
        """Whether each dialog is exactly one turn: all have text, in order of time."""
        before = self.read_before
        said = [row for row in self.passages if row.part == "dialog"]
        times = [
            *(before.times[-1:] if before else ()),
            *(row.occurred_at for row in said if row.occurred_at),
        ]
        return (
            (before is None or before.is_numbered)
            and (before.turns if before else 0) + len({row.element for row in said})
            == len(self.elements("dialog"))
            and all(one <= other for one, other in pairwise(times))
        )

    @property
    def known_of_turns(self) -> int | None:
        """Bits of known_of_turns; None if they stay, because turns were added."""
        return None if self.first_turn else known_of_turns(self.turns)

    @property
    def turns_end(self) -> float | None:
        """Seconds from its start to the end of the last of `turns`; None if unknown."""
        return end_of_turns(self.turns)

    @property
    def features(self) -> frozenset[str]:
        return features_of(self.document, self.tags, has_dealer=self.dealer is not None)


def prepare(
    document: JsonValue,
    prepare_context: PrepareContext,
    *,
    now: datetime,
    metadata: JsonObject | None = None,
    signed_form: str | None = None,
    fill_created_at: bool = False,
    tags: Mapping[str, TagValue] | None = None,
    keep_words: bool = False,
    texts: KnownTexts | None = None,
    added: AddedElements | None = None,
    read_before: ReadBefore | None = None,
) -> PreparedVcon:
    """Prepare one vCon. Returns its rows, with violations and notices.

    Legacy names are translated, and a missing uuid is created; `fill_created_at` also adds a missing
    `created_at`. Violations of the schema are only reported. `tags` replaces the tags in the vCon and in
    `metadata`. `keep_words` also returns the words of each passage. `texts` is a cache of indexed texts. If
    only `added` elements are new, only they are validated. If only turns were added, those in `read_before`
    are not read.

    Raises: VconRefused if a member has a type or value that cannot be stored; MetadataRefused; ReadAgain.
    """
    conformance, vcon, renames = _checked(document, prepare_context, added)
    if read_before and not conformance:
        raise ReadAgain
    kept_metadata, given_tags, metadata_notices = _taken_apart(metadata)
    canonical = _canonical(vcon)
    notices = [Notice("legacy_name", f"{r.old} is stored as {r.new}.", r.path) for r in renames]
    uuid, vcon = _identified(vcon, now)
    if fill_created_at:
        vcon = _with_created_at(vcon, now)
    created_at, notice = conversation_time(vcon, now)
    notices += [notice] if notice else []
    notices += metadata_notices
    carried, tag_notices = read_tags(vcon)
    if tags is None:
        notices += tag_notices
        tags = {**carried, **_checked_tags(given_tags)}
    _check_number(tags)
    conformance = conformance or prepare_context.schemas.check(vcon)
    dealer, dealer_notices = _dealer_of(vcon, prepare_context)
    notices += [*dealer_notices, *_unsearched(conformance)]
    turns = read_before.turns if read_before else 0
    bodies = Bodies()
    found, unread = read_passages(vcon, first_turn=turns, bodies=bodies)
    kept: list[tuple[str, ...]] | None = [] if keep_words else None
    known_texts = texts or KnownTexts()
    rows, words, known, languages, complete = index_passages(found, kept, known_texts, read_before)
    notices += unread
    said, first_turn = _turns_of(vcon, read_before, bodies)
    measures = call_measures(vcon, said)
    if not complete:
        notices.append(
            Notice(
                "text_not_indexed",
                "More distinct words than an index entry holds; the last are left out.",
                None,
            )
        )
    return PreparedVcon(
        uuid=uuid,
        document=vcon,
        created_at=created_at,
        started_at=earliest_start(vcon),
        stored_at=now,
        conformance=conformance,
        renames=tuple(renames),
        notices=tuple(notices),
        tags=dict(tags),
        tag_carriers=carriers_of(vcon, tags, carried),
        dealer=dealer,
        metadata=kept_metadata,
        signed_form=signed_form,
        content_digest=hashlib.sha256(canonical).digest(),
        size=len(canonical) + len((signed_form or "").encode()) + len(dump_json(kept_metadata)),
        words=words,
        passages=rows,
        spellings=known,
        languages=languages,
        turns=index_turns(said, known_texts),
        first_turn=first_turn,
        measures=measures,
        passage_words=tuple(kept or ()),
        kept=ReusedRows({}, turns),
        read_before=read_before,
    )


def _turns_of(
    vcon: JsonObject, read_before: ReadBefore | None, bodies: Bodies
) -> tuple[list[SpokenTurn], int]:
    """Turns to store, and the number of first dialogs whose turns are stored already."""
    is_measured = any("duration" in dialog for _, dialog in objects(vcon.get("dialog")))
    is_read = read_before is not None and not is_measured and not has_transcripts(vcon)
    first = read_before.turns if read_before is not None and is_read else 0
    turns = spoken_turns(vcon, first=first, bodies=bodies)
    is_added = all(turn.words is not None and (turn.starts is None or turn.starts > 0) for turn in turns)
    return (turns, first) if not first or is_added else (spoken_turns(vcon, bodies=bodies), 0)


def _checked(
    document: JsonValue, prepare_context: PrepareContext, added: AddedElements | None
) -> "tuple[Conformance | None, JsonObject, Sequence[Rename]]":
    """Return the vCon with current names, the renames, and the report if only `added` was checked.

    Raises: VconRefused.
    """
    if not is_object(document):
        raise VconRefused(blocking_violations(document))
    conformance = None if added is None else _sound(document, added, prepare_context)
    if conformance:
        return conformance, document, []
    vcon, renames = prepare_context.legacy_names.translate(document)
    if violations := blocking_violations(vcon):
        raise VconRefused(violations)
    return None, vcon, renames


def _canonical(vcon: JsonObject) -> bytes:
    """Return the canonical form. Raises: VconRefused if it is too large to store."""
    canonical = canonical_json(vcon)
    if len(canonical) > MAX_VCON_BYTES:
        message = (
            f"The vCon has {len(canonical)} bytes as compact JSON; at most {MAX_VCON_BYTES} can be stored."
        )
        raise VconRefused([Violation("$", "too_large", message)])
    return canonical


def _with_created_at(vcon: JsonObject, now: datetime) -> JsonObject:
    """Return the vCon with `created_at`, by default the present time."""
    if vcon.get("created_at") is not None:
        return vcon
    milliseconds = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return {**vcon, "created_at": format_time(milliseconds)}


def _taken_apart(metadata: JsonObject | None) -> tuple[JsonObject, JsonValue, list[Notice]]:
    """Split metadata into stored members, tags and notices.

    Raises: MetadataRefused.
    """
    if violations := blocking_violations({"metadata": metadata}):
        raise MetadataRefused(violations)
    given = metadata or {}
    kept = {name: value for name, value in given.items() if name not in {"tags", *_METADATA_OF_THE_STORE}}
    notices = [_not_to_be_given(name) for name in _METADATA_OF_THE_STORE if name in given]
    return kept, given.get("tags") or {}, notices


def _check_number(tags: Mapping[str, TagValue]) -> None:
    """Limit the number of tags. Raises: MetadataRefused."""
    if len(tags) > MAX_TAGS:
        message = f"{len(tags)} tags with those of the vCon; at most {MAX_TAGS} fit."
        raise MetadataRefused([Violation("$.metadata.tags", "maxProperties", message)])


def _identified(vcon: JsonObject, now: datetime) -> tuple[UUID, JsonObject]:
    """Return the uuid, created if it is missing, and the vCon with it."""
    given = vcon.get("uuid")
    uuid = (parse_uuid(given) if isinstance(given, str) else None) or new_uuid(now)
    return uuid, vcon if given else {**vcon, "uuid": str(uuid)}


def _dealer_of(vcon: JsonObject, prepare_context: PrepareContext) -> "tuple[Dealer | None, list[Notice]]":
    """Return the dealer if its ID can be stored, and notices."""
    dealer, notices = prepare_context.dealers.find(vcon)
    if dealer is None or len(dealer.id) <= MAX_DEALER_ID_LENGTH:
        return dealer, list(notices)
    message = f"The dealer's id has {len(dealer.id)} characters; at most {MAX_DEALER_ID_LENGTH} fit."
    return None, [*notices, Notice("dealer_ignored", message, None)]


def _unsearched(conformance: Conformance) -> list[Notice]:
    """Notices about a vCon whose text is not searched, because of an unsupported critical extension."""
    if not conformance.unsupported_critical:
        return []
    names = ", ".join(conformance.unsupported_critical)
    return [Notice("unsupported_critical", f"Stored, but its text is not searched: {names}.", "$.critical")]


def _sound(document: JsonObject, added: AddedElements, prepare_context: PrepareContext) -> Conformance | None:
    """Return the report if the added elements are valid; None if the whole vCon must be checked."""
    translated, renames = prepare_context.legacy_names.translate(added.document)
    if renames or blocking_violations(translated):
        return None
    return prepare_context.schemas.check_added(document, added.document, added.first)


def content_digest(vcon: JsonObject) -> bytes:
    """Digest that is equal for vCons that are equal as JSON."""
    return hashlib.sha256(canonical_json(vcon)).digest()


def _not_to_be_given(name: str) -> Notice:
    message = f"{name} is what the store says of a vCon, so it was not kept; name it otherwise."
    return Notice("metadata_ignored", message, path_of(("metadata", name)))


def _checked_tags(tags: JsonValue) -> dict[str, TagValue]:
    if not is_object(tags):
        raise MetadataRefused([Violation("$.metadata.tags", "type", "Tags are an object of key and value.")])
    problems = [
        Violation(path_of(("metadata", "tags", key)), "tag", problem)
        for key, value in tags.items()
        if (problem := tag_key_problem(key) or tag_value_problem(value))
    ]
    if problems:
        raise MetadataRefused(problems)
    return tags
