"""Layout of search results: blocks of text, JSON objects, and groups."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from vcontract.generated.results.bridge import BridgeSearchHit, BridgeSearchResultGroupsEntry
from vcontract.handlers.bridge.answers import quality_types, record_document
from vcontract.handlers.bridge.texts import snippet
from vcontract.runtime.store.bridge.records import Composed, Record, Source
from vcontract.runtime.store.search.ranking import Strength

_INDENT: Final = "   "
_LEVEL: Final = "  "
NOTHING: Final = "No matching records."


@dataclass(frozen=True, slots=True)
class Shown:
    """A record in the results; `level` is its depth in a hierarchy."""

    record: Record
    relevance: float | None = None
    strength: Strength | None = None
    level: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Results under one heading; `count` includes matches that are not shown."""

    key: str
    label: str
    count: int
    shown: list[Shown] = field(default_factory=list[Shown])

    def document(self) -> BridgeSearchResultGroupsEntry:
        return {
            "key": self.key,
            "label": self.label,
            "count": self.count,
            "returned": len(self.shown),
            "ids": [each.record.id for each in self.shown],
        }


def record_snippet(record: Record) -> str:
    """Beginning of a record on one line."""
    if isinstance(record, Composed):
        return snippet(f"{record.emoji} {record.summary}")
    return snippet(record.content if isinstance(record, Source) else "")


def search_hit(shown: Shown, *, whole: bool) -> BridgeSearchHit:
    """Convert a result to data: the facts of its block, or the whole record."""
    record = shown.record
    hit: BridgeSearchHit = {"type": record.type, "id": record.id, "snippet": record_snippet(record)}
    if shown.relevance is not None:
        hit["relevance"] = shown.relevance
    if whole:
        hit[record.type] = record_document(record)
    elif isinstance(record, Source):
        hit["perspective"] = record.perspective
        hit["processing"] = record.processing
    elif isinstance(record, Composed):
        hit["emoji"] = record.emoji
        hit["summary"] = record.summary
        if record.type == "moment":
            hit["qualities"] = quality_types(record)
        hit["shot"] = record.shot
        if moments := record.members_of("moment"):
            hit["moments"] = len(moments)
        if scenes := record.members_of("scene"):
            hit["scenes"] = len(scenes)
    if shown.strength is not None:
        hit["strength"] = shown.strength
    return hit


def base_text(results: Sequence[Shown], footer: Sequence[str], *, whole: bool) -> str:
    """Format numbered results; with `whole` as JSON objects."""
    return "\n\n".join([*_blocks(results, whole=whole), *_footer(footer)])


def grouped_text(groups: Iterable[Group], footer: Sequence[str], *, whole: bool) -> str:
    """Format results under group headings, numbered from 1 in each."""
    texts: list[str] = []
    for group in groups:
        header = f"{group.label} ({group.count})"
        blocks = _blocks(group.shown, whole=whole)
        texts.append("\n".join([header, "\n\n".join(blocks)]) if blocks else header)
    return "\n\n".join([*texts, *_footer(footer)])


def enhanced_footer(facts: Mapping[str, object]) -> list[str]:
    """Format the footer of JSON results: one more object."""
    return [_json(facts)]


def _blocks(results: Sequence[Shown], *, whole: bool) -> list[str]:
    if whole:
        return [_json(search_hit(shown, whole=True)) for shown in results]
    return [_block(number, shown) for number, shown in enumerate(results, start=1)]


def _block(number: int, shown: Shown) -> str:
    record = shown.record
    indent = _LEVEL * shown.level
    head = f"{indent}{number}. [{record.type.upper()}] (ID: {record.id}) {record_snippet(record)}"
    details = [*_details(record), *(["Match: weak"] if shown.strength == "weak" else [])]
    return "\n".join([head, *(f"{indent}{_INDENT}{line}" for line in details)])


def _details(record: Record) -> list[str]:
    if isinstance(record, Source):
        return [f"Perspective: {record.perspective}", f"Processing: {record.processing}"]
    if not isinstance(record, Composed):
        return []
    lines = [" ".join(f"{record.emoji} {record.summary}".split())]
    if record.type == "moment":
        return [*lines, f"Qualities: {', '.join(quality_types(record))}", f"Shot: {record.shot}"]
    counts: Mapping[str, int] = {
        "Moments": len(record.members_of("moment")),
        "Scenes": len(record.members_of("scene")),
    }
    return [*lines, f"Shot: {record.shot}", *(f"{name}: {count}" for name, count in counts.items() if count)]


def _footer(lines: Sequence[str]) -> list[str]:
    return ["\n".join(lines)] if lines else []


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)
