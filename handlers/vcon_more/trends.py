"""Result of `vcon_trends`: counts in one span of time and in the span before it."""

from collections.abc import Sequence
from typing import Final, Literal

from vcontract.generated.results import vcon_more as results
from vcontract.runtime.store.search.aggregates import Span

_Measure = Literal["vcons", "dialogs", "analyses", "attachments", "parties"]
_MEASURES: Final[tuple[_Measure, ...]] = ("vcons", "dialogs", "analyses", "attachments", "parties")
_MAX_TAGS: Final = 10
_DECIMALS: Final = 4


def trends_document(spans: Sequence[Span]) -> results.VconTrendsResult:
    """Totals of both spans and their change, the ten most changed tag keys, and counts of each period."""
    periods = [span for span in spans if span.begins is not None]
    before, now = (
        next(
            span for span in spans if span.key is None and span.begins is None and span.is_before is is_before
        )
        for is_before in (True, False)
    )
    tags = sorted(_tags(spans), key=lambda tag: (-abs(tag["change"]), tag["key"]))
    return {
        "success": True,
        "from": _day(next(span for span in periods if not span.is_before)),
        "measures": [_measure(name, getattr(before, name), getattr(now, name)) for name in _MEASURES],
        "tags": tags[:_MAX_TAGS],
        "more_tags": len(tags[_MAX_TAGS:]),
        "periods": [
            {
                "begins": _day(span),
                "vcons": span.vcons,
                "dialogs": span.dialogs,
                "analyses": span.analyses,
                "attachments": span.attachments,
                "parties": span.parties,
            }
            for span in periods
        ],
    }


def _day(span: Span) -> str:
    assert span.begins is not None
    return span.begins.date().isoformat()


def _measure(name: str, before: int, now: int) -> results.VconTrendsResultMeasuresEntry:
    entry: results.VconTrendsResultMeasuresEntry = {
        "name": name,
        "now": now,
        "before": before,
        "change": now - before,
    }
    if before:
        entry["growth"] = round((now - before) / before, _DECIMALS)
    return entry


def _tags(spans: Sequence[Span]) -> list[results.VconTrendsResultTagsEntry]:
    """Counts and change of each tag key in either span."""
    having = {(span.key, span.is_before): span.vcons for span in spans}
    entries: list[results.VconTrendsResultTagsEntry] = []
    for key in dict.fromkeys(span.key for span in spans if span.key is not None):
        before, now = having.get((key, True), 0), having.get((key, False), 0)
        entry: results.VconTrendsResultTagsEntry = {
            "key": key,
            "now": now,
            "before": before,
            "change": now - before,
        }
        if before:
            entry["growth"] = round((now - before) / before, _DECIMALS)
        entries.append(entry)
    return entries
