"""Preparation: a vCon turned into the rows that store it, without a database."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, groupby, pairwise
from typing import Final, NamedTuple, Self
from uuid import UUID

from vcontract.runtime.frame.documents.findings import Conformance, Notice, Violation, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json, dump_json
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.store.vcons.indexed_texts import Indexed, KnownTexts
from vcontract.runtime.store.vcons.row_reuse import NOTHING_KEPT, Added, Kept, ReadAgain, ReadBefore
from vcontract.runtime.text.languages import ENGLISH, languages_of
from vcontract.runtime.text.words import (
    MAX_POSITIONS,
    MAX_WORD_LENGTH,
    decode_strengths,
    encode_strengths,
    is_clearly_english,
    spellings,
)
from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations
from vcontract.runtime.vcon.dealers import Dealer, Dealers
from vcontract.runtime.vcon.features import features_of
from vcontract.runtime.vcon.identity import new_uuid, parse_uuid
from vcontract.runtime.vcon.legacy import LegacyNames, Rename
from vcontract.runtime.vcon.tags import (
    MAX_TAGS,
    Carriers,
    TagValue,
    carriers_of,
    read_tags,
    tag_key_problem,
    tag_value_problem,
)
from vcontract.runtime.vcon.text import Passage, read_passages
from vcontract.runtime.vcon.times import conversation_time, format_time
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES

ARRAYS: Final = ("parties", "dialog", "analysis", "attachments")
MAX_DEALER_ID_LENGTH: Final = 255
_MAX_INDEXED_BYTES: Final = 1_000_000
"""PostgreSQL holds a tsvector of at most 1 MiB; the distinct words of one vCon are cut here."""

_METADATA_OF_THE_STORE: Final = ("counts", "conformance", "stored_at", "updated_at", "signed")
"""What the store itself says beside a vCon: nobody else may."""
_EXACT_INTEGERS: Final = 1 << 53
_MAX_WORD_BYTES: Final = 4 * MAX_WORD_LENGTH + 4 + 2 * MAX_POSITIONS

_LABEL_OF_PART: Final = {
    "subject": "A",
    "party": "A",
    "dialog": "B",
    "analysis": "B",
    "trace": "B",
    "attachment": "C",
    "trace_body": "C",
}
_NO_SOURCE_OF_SPELLINGS: Final = "trace_body"
"""What tools print is full of words that nobody means."""


class VconRefused(ValueError):
    """A document that cannot be stored as a vCon, with everything that stands against it."""

    def __init__(self, violations: Sequence[Violation], conformance: Conformance | None = None) -> None:
        super().__init__("; ".join(f"{v.path}: {v.message}" for v in violations))
        self.violations = tuple(violations)
        self.conformance = conformance

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Violation, ...], Conformance | None]]:
        """How it is sent from one process to another: by what it was made of."""
        return type(self), (self.violations, self.conformance)


class MetadataRefused(VconRefused):
    """What is given beside the vCon cannot be stored; the paths begin with `$.metadata`."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What preparing needs to know, loaded once."""

    legacy_names: LegacyNames
    schemas: VconSchemas
    dealers: Dealers

    @classmethod
    def load(cls) -> "Knowledge":
        return cls(LegacyNames.load(), VconSchemas.load(), Dealers.load())


class PassageRow(NamedTuple):
    """A passage as it is stored: a tuple, because many go from one process to another."""

    part: str
    element: int
    chunk: int
    content: str
    words: bytes
    occurred_at: datetime | None
    speaker: int | None = None


@dataclass(frozen=True, slots=True)
class PreparedVcon:
    """One vCon as the store keeps it. `document` is the whole vCon, legacy names translated."""

    uuid: UUID
    document: JsonObject
    created_at: datetime
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
    """In bytes, as compact JSON, with its signed form and metadata."""
    words: bytes
    passages: tuple[PassageRow, ...]
    spellings: frozenset[str]
    languages: frozenset[str]
    """Those that its passages are written in."""
    passage_words: tuple[tuple[str, ...], ...] = ()
    """The lexemes of each passage, where they were asked for."""
    kept: Kept = NOTHING_KEPT
    """What of it is stored already."""
    read_before: ReadBefore | None = None
    """The turns whose passages are stored already, and not given."""

    @property
    def head(self) -> JsonObject:
        """The top-level members; a component array stands as [] there and has its elements in rows."""
        return {
            name: [] if name in ARRAYS and isinstance(value, list) else value
            for name, value in self.document.items()
        }

    def elements(self, array: str) -> list[JsonObject]:
        return self.document.get(array) or []

    @property
    def first_at(self) -> datetime | None:
        """When its first turn was said; None without turns whose time is known."""
        return min(self._times(), default=None)

    @property
    def last_at(self) -> datetime | None:
        """When its last turn was said; None without turns whose time is known."""
        return max(self._times(), default=None)

    def _times(self) -> list[datetime]:
        before = self.read_before.times if self.read_before else ()
        return [*before, *(row.occurred_at for row in self.passages if row.occurred_at is not None)]

    @property
    def is_numbered(self) -> bool:
        """Whether each dialog is a turn with its own number: all have text, and are in order of time."""
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
    def features(self) -> frozenset[str]:
        return features_of(self.document, self.tags, has_dealer=self.dealer is not None)


def prepare(
    document: JsonValue,
    knowledge: Knowledge,
    *,
    now: datetime,
    metadata: JsonObject | None = None,
    signed_form: str | None = None,
    fill_created_at: bool = False,
    tags: Mapping[str, TagValue] | None = None,
    keep_words: bool = False,
    texts: KnownTexts | None = None,
    added: Added | None = None,
    read_before: ReadBefore | None = None,
) -> PreparedVcon:
    """The rows of one vCon, with what there is to report about it.

    Legacy names are translated, a missing uuid is made; `fill_created_at` also makes a missing
    `created_at`. Conformance is a report and refuses nothing. `tags` replaces the tags that the vCon and
    `metadata` carry. `keep_words` also gives the words of each passage.
    `texts` are those that were prepared before, and get those of this vCon. Of a vCon that grew, only what
    was `added` is checked. Of one that gained only turns, only those that were not `read_before` are read.

    Raises: VconRefused when a member has a type or value that cannot be stored; MetadataRefused; ReadAgain.
    """
    conformance, vcon, renames = _checked(document, knowledge, added)
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
    conformance = conformance or knowledge.schemas.check(vcon)
    dealer, dealer_notices = _dealer_of(vcon, knowledge)
    notices += [*dealer_notices, *_unsearched(conformance)]
    turns = read_before.turns if read_before else 0
    found, unread = read_passages(vcon, first_turn=turns)
    kept: list[tuple[str, ...]] | None = [] if keep_words else None
    rows, words, known, languages, complete = _index(found, kept, texts or KnownTexts(), read_before)
    notices += unread
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
        passage_words=tuple(kept or ()),
        kept=Kept({}, turns),
        read_before=read_before,
    )


def _checked(
    document: JsonValue, knowledge: Knowledge, added: Added | None
) -> "tuple[Conformance | None, JsonObject, Sequence[Rename]]":
    """The vCon under today's names, and what was renamed; with the report where only `added` was checked.

    Raises: VconRefused.
    """
    if not is_object(document):
        raise VconRefused(blocking_violations(document))
    conformance = None if added is None else _sound(document, added, knowledge)
    if conformance:
        return conformance, document, []
    vcon, renames = knowledge.legacy_names.translate(document)
    if violations := blocking_violations(vcon):
        raise VconRefused(violations)
    return None, vcon, renames


def _canonical(vcon: JsonObject) -> bytes:
    """Its canonical form. Raises: VconRefused when it is too long to be stored."""
    canonical = canonical_json(vcon)
    if len(canonical) > MAX_VCON_BYTES:
        message = (
            f"The vCon has {len(canonical)} bytes as compact JSON; at most {MAX_VCON_BYTES} can be stored."
        )
        raise VconRefused([Violation("$", "too_large", message)])
    return canonical


def _with_created_at(vcon: JsonObject, now: datetime) -> JsonObject:
    """The vCon, with the time of now where it does not say when it was created."""
    if vcon.get("created_at") is not None:
        return vcon
    milliseconds = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return {**vcon, "created_at": format_time(milliseconds)}


def _taken_apart(metadata: JsonObject | None) -> tuple[JsonObject, JsonValue, list[Notice]]:
    """Of metadata: what is kept, the tags, and what there is to report.

    Raises: MetadataRefused.
    """
    if violations := blocking_violations({"metadata": metadata}):
        raise MetadataRefused(violations)
    given = metadata or {}
    kept = {name: value for name, value in given.items() if name not in {"tags", *_METADATA_OF_THE_STORE}}
    notices = [_not_to_be_given(name) for name in _METADATA_OF_THE_STORE if name in given]
    return kept, given.get("tags") or {}, notices


def _check_number(tags: Mapping[str, TagValue]) -> None:
    """Raises: MetadataRefused when there are too many."""
    if len(tags) > MAX_TAGS:
        message = f"{len(tags)} tags with those of the vCon; at most {MAX_TAGS} fit."
        raise MetadataRefused([Violation("$.metadata.tags", "maxProperties", message)])


def _identified(vcon: JsonObject, now: datetime) -> tuple[UUID, JsonObject]:
    """The uuid, created if it is missing, and the vCon with it."""
    given = vcon.get("uuid")
    uuid = (parse_uuid(given) if isinstance(given, str) else None) or new_uuid(now)
    return uuid, vcon if given else {**vcon, "uuid": str(uuid)}


def _dealer_of(vcon: JsonObject, knowledge: Knowledge) -> "tuple[Dealer | None, list[Notice]]":
    """The dealer whose id can be stored, and what there is to report about it."""
    dealer, notices = knowledge.dealers.find(vcon)
    if dealer is None or len(dealer.id) <= MAX_DEALER_ID_LENGTH:
        return dealer, list(notices)
    message = f"The dealer's id has {len(dealer.id)} characters; at most {MAX_DEALER_ID_LENGTH} fit."
    return None, [*notices, Notice("dealer_ignored", message, None)]


def _unsearched(conformance: Conformance) -> list[Notice]:
    """The report on a vCon whose text is not searched, for it needs what is not known here."""
    if not conformance.unsupported_critical:
        return []
    names = ", ".join(conformance.unsupported_critical)
    return [Notice("unsupported_critical", f"Stored, but its text is not searched: {names}.", "$.critical")]


def _sound(document: JsonObject, added: Added, knowledge: Knowledge) -> Conformance | None:
    """The report on a vCon to which nothing wrong was added; None when all of it is to be checked."""
    translated, renames = knowledge.legacy_names.translate(added.document)
    if renames or blocking_violations(translated):
        return None
    return knowledge.schemas.check_added(document, added.document, added.first)


def content_digest(vcon: JsonObject) -> bytes:
    """Equal for vCons that are equal as JSON."""
    return hashlib.sha256(canonical_json(vcon)).digest()


def as_json(value: JsonValue) -> str:
    """JSON text for a json column."""
    return dump_json(value).decode()


def tag_columns(value: TagValue) -> tuple[str, str]:
    """A tag value as text, and its type: `true` and `1` as JSON spells them, `1.0` as the 1 that it is."""
    if isinstance(value, str):
        return value, "string"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_INTEGERS:
        value = int(value)
    return json.dumps(value), "boolean" if isinstance(value, bool) else "number"


def tag_value(text: str, type_: str) -> TagValue:
    """The typed value of a stored tag."""
    return text if type_ == "string" else json.loads(text)


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


def _index(
    passages: list[Passage],
    kept: list[tuple[str, ...]] | None,
    known: KnownTexts,
    read_before: ReadBefore | None,
) -> tuple[tuple[PassageRow, ...], bytes, frozenset[str], frozenset[str], bool]:
    """The rows of the passages, all words as one tsvector, spellings, languages, and whether all fitted.

    `kept`, if there is one, gets the lexemes of each row.
    """
    # labels order themselves, A the strongest first
    ordered = sorted(passages, key=lambda passage: _LABEL_OF_PART[passage.part])
    texts = [known.written(passage.content, passage.language) for passage in ordered]
    languages = languages_of(texts, whole=ENGLISH if read_before else None)
    found = [
        known.indexed(passage.content, language) for passage, language in zip(ordered, languages, strict=True)
    ]
    rows = tuple(
        PassageRow(one.part, one.element or 0, one.chunk, one.content, words, one.occurred_at, one.speaker)
        for one, (_, words) in zip(ordered, found, strict=True)
    )
    if kept is not None:
        kept += (lexemes for lexemes, _ in found)
    written = chain.from_iterable(
        text.words for one, text in zip(ordered, texts, strict=True) if one.part != _NO_SOURCE_OF_SPELLINGS
    )
    spelled, spoken = spellings({*written}), frozenset(languages)
    if read_before:
        turns = [at for at, one in enumerate(ordered) if one.part == "dialog"]
        new = Counter(chain.from_iterable(found[at].lexemes for at in turns))
        return rows, _with_turns(read_before.words, new, spoken), spelled, spoken, True
    counts = Counter(chain.from_iterable(lexemes for lexemes, _ in found))
    fitting = _fitting(counts)
    labels: dict[str, str] = {}
    # the strongest last, so that it is the one that stays
    for label, group in groupby(zip(reversed(ordered), reversed(found), strict=True), key=_label):
        labels |= dict.fromkeys(chain.from_iterable(lexemes for _, (lexemes, _) in group), label)
    strengths = encode_strengths({word: (labels[word], counts[word]) for word in fitting})
    return rows, strengths, spelled, spoken, len(fitting) == len(counts)


def _with_turns(words: bytes, added: Mapping[str, int], languages: frozenset[str]) -> bytes:
    """The words of a vCon with those of more turns.

    Raises: ReadAgain, also when it might become one in another language than English.
    """
    held = decode_strengths(words)
    if languages - {ENGLISH} or not is_clearly_english(held):
        raise ReadAgain
    for word, count in added.items():
        label, before = held.get(word, (_LABEL_OF_PART["dialog"], 0))
        held[word] = min(label, _LABEL_OF_PART["dialog"]), before + count
    together = encode_strengths(held)
    if len(together) + len(held) + _MAX_WORD_BYTES > _MAX_INDEXED_BYTES:
        raise ReadAgain
    return together


def _label(found: tuple[Passage, Indexed]) -> str:
    return _LABEL_OF_PART[found[0].part]


def _fitting(counts: Mapping[str, int]) -> list[str]:
    """The first words of a vCon that one tsvector has room for; all of them but in the largest vCons."""
    room = _MAX_INDEXED_BYTES
    if len(counts) * _MAX_WORD_BYTES < room:
        return list(counts)
    fitting: list[str] = []
    for word, count in counts.items():
        room -= len(word.encode()) + 4 + 2 * min(count, MAX_POSITIONS)
        if room < 0:
            break
        fitting.append(word)
    return fitting
