"""vcon_topics: what conversations are about, by groups of their vectors, and what has changed."""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.contract.hints import hints
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.searching import map_query_errors
from vcontract.runtime.embedding.clusters import Clusters, clusters
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.inspect.topics import Located, Vectors, mean_vectors, words_of
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.aggregates import superseded_count
from vcontract.runtime.store.search.filter_conditions import ALL, Filters, count_matching, count_unknown
from vcontract.runtime.store.search.search import newest_ids
from vcontract.runtime.store.search.search_params import read_filters
from vcontract.runtime.text.iso_dates import WIDTHS, NotIso, Span, UnreadableTime, read_iso
from vcontract.runtime.vcon.times import format_time

MAX_GROUPED: Final = 20_000
"""Conversations of both periods that are grouped, newest first; the others are counted apart."""
_MIN_SIZE: Final = 3
_READ_OF_EACH: Final = 60
"""Conversations of a topic, nearest its centre, whose words name it."""
_WORDS: Final = 5
_EXAMPLES: Final = 3
_DECIMALS: Final = 4
_FILTERS: Final = "filters."
_UNITS: Final = ("day", "week", "month")
_STEP: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class _Days:
    """From `start` until before `end`; all of time if both are None."""

    start: datetime | None = None
    end: datetime | None = None

    def has(self, at: datetime) -> bool:
        return (self.start is None or at >= self.start) and (self.end is None or at < self.end)

    def document(self) -> results.VconTopicsResultPeriod:
        shown: results.VconTopicsResultPeriod = {}
        if self.start is not None:
            shown["from"] = format_time(self.start)
        if self.end is not None:
            shown["to"] = format_time(self.end)
        return shown


class TopicsTools(Tools):
    """vcon_topics."""

    async def vcon_topics(
        self, params: models.VconTopicsParams, ctx: ToolContext, /
    ) -> results.VconTopicsResult:
        given: JsonObject = {} if params.filters is MISSING else params.filters.model_dump()
        with map_query_errors():
            filters = read_filters(given, _FILTERS, counts_latest=True)
        now, before = _periods(params, filters)
        async with self._database.reading(ctx.tenant) as connection:
            spans = [_within(filters, days) for days in (now, before) if days is not None]
            ids, total = await _matching(connection, spans)
            found = await mean_vectors(connection, ctx.tenant, ids)
            grouped = await asyncio.to_thread(_grouped, found)
            members = _members(grouped, found)
            nearest = {group: ids[:_READ_OF_EACH] for group, ids in members.items()}
            read = [one.id for each in nearest.values() for one in each]
            words = await words_of(connection, ctx.tenant, read)
            left_out = await superseded_count(connection, filters.conditions())
            unknown = sum([await count_unknown(connection, span) for span in spans])
            why = [] if ids else await hints(connection, ctx.tenant, filters, self._vocabulary)
        names = _names({group: [one.id for one in each] for group, each in nearest.items()}, words)
        topics = [_topic(names[group], each, now, before) for group, each in members.items()]
        topics.sort(key=lambda topic: (-topic["now"], -topic.get("before", 0), topic["words"]))
        result: results.VconTopicsResult = {
            "success": True,
            "period": now.document(),
            "vcons": sum(topic["now"] for topic in topics),
            "topics": topics,
            "without_vector": sum(map(now.has, found.without)),
        }
        if before is not None:
            result["compared_with"] = before.document()
            result["vcons_before"] = sum(topic.get("before", 0) for topic in topics)
            result["without_vector_before"] = sum(map(before.has, found.without))
        if total > len(ids):
            result["not_grouped"] = total - len(ids)
        if left_out:
            result["versions_left_out"] = left_out
        if unknown:
            result["said_unknown"] = unknown
        if why:
            result["hints"] = why
        return in_order(results.VconTopicsResult, result)


def _periods(params: models.VconTopicsParams, filters: Filters) -> tuple[_Days, _Days | None]:
    """The period, and the one to compare with. Raises: ValidationError."""
    if params.period is MISSING:
        if params.compare_to is not MISSING:
            raise ValidationError(
                "compare_to needs a period to compare; send period, such as week or 2025-10.",
                details={"parameter": "compare_to", "reason": "missing", "value": "period"},
            )
        return _Days(filters.created_from, filters.created_to), None
    until = filters.created_to or datetime.now(UTC)
    span = _span("period", params.period, until)
    if params.compare_to is MISSING:
        if span.precision in WIDTHS:
            previous = WIDTHS[span.precision](span.start - _STEP)
            return _days(span), _days(previous)
        length = span.end - span.start
        return _days(span), _Days(_utc(span.start - length), _utc(span.start))
    return _days(span), _days(_span("compare_to", params.compare_to, until))


def _span(name: str, text: str, until: datetime) -> Span:
    """The last full day, week or month before `until`, or the one named. Raises: ValidationError."""
    try:
        if text in _UNITS:
            current = WIDTHS[text](until.astimezone(UTC).replace(tzinfo=None))
            return WIDTHS[text](current.start - _STEP)
        first, is_interval, last = text.partition("/")
        if not is_interval:
            return read_iso(text)
        span = Span(read_iso(first).start, read_iso(last).end, "second")
        if span.start >= span.end:
            raise UnreadableTime(text)
        return span
    except (NotIso, UnreadableTime, OverflowError):
        raise ValidationError(
            f"{quoted(text, 80)} is not a period. Send day, week or month for the last full one, "
            "or one such as 2025-W42, 2025-10, 2025-10-14 or 2025-10-01/2025-10-14.",
            details={"parameter": name, "reason": "bad_date", "value": text[:80]},
        ) from None


def _days(span: Span) -> _Days:
    return _Days(_utc(span.start), _utc(span.end))


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC)


def _within(filters: Filters, days: _Days) -> Filters:
    """The filters, of these days only."""
    starts = [at for at in (filters.created_from, days.start) if at is not None]
    ends = [at for at in (filters.created_to, days.end) if at is not None]
    return replace(filters, created_from=max(starts, default=None), created_to=min(ends, default=None))


async def _matching(connection: Connection, spans: Sequence[Filters]) -> tuple[list[UUID], int]:
    """The vCons that match in any of the spans, newest first, and how many there are."""
    ids: dict[UUID, None] = {}
    total = 0
    for span in spans:
        ids |= dict.fromkeys(await newest_ids(connection, span, MAX_GROUPED // len(spans)))
        total += await count_matching(connection, span.conditions(), ALL)
    return list(ids), max(total, len(ids))


def _grouped(found: Vectors) -> Clusters:
    """Group the vectors, in the order of their IDs, so that the order of reading does not matter."""
    import numpy as np

    if not found.rows:
        return Clusters([], [], 0)
    order = sorted(range(len(found.rows)), key=lambda place: found.located[place].id.bytes[::-1])
    found.located[:] = [found.located[place] for place in order]
    return clusters(np.stack([found.rows[place] for place in order]))


def _members(grouped: Clusters, found: Vectors) -> dict[int, list[Located]]:
    """Members of each group, nearest its centre first."""
    order = sorted(range(len(found.located)), key=lambda place: (-grouped.nearness[place], place))
    members: dict[int, list[Located]] = {}
    for place in order:
        members.setdefault(grouped.of[place], []).append(found.located[place])
    return dict(sorted(members.items()))


def _names(
    groups: Mapping[int, Sequence[UUID]], words: Mapping[UUID, frozenset[str]]
) -> dict[int, list[str]]:
    """Name each group by words that are frequent in it and rare in the others, else by its middle."""
    counts = {group: Counter(word for id_ in ids for word in words[id_]) for group, ids in groups.items()}
    sizes = {group: len(ids) for group, ids in groups.items()}
    named: dict[int, list[str]] = {}
    for group, count in counts.items():
        outside = max(1, sum(size for other, size in sizes.items() if other != group))
        scores: dict[str, float] = {}
        for word, number in count.items():
            if number < min(2, sizes[group]):
                continue
            share = number / sizes[group]
            others = sum(each[word] for other, each in counts.items() if other != group) / outside
            scores[word] = share * math.log((share + 0.02) / (others + 0.02)) if len(groups) > 1 else share
        chosen: list[str] = []
        for word in sorted(scores, key=lambda word: (-scores[word], word)):
            if scores[word] > 0 and not any(_is_form(word, other) for other in chosen):
                chosen.append(word)
            if len(chosen) == _WORDS:
                break
        named[group] = chosen or sorted(words[groups[group][0]])[:_WORDS]
    return named


def _is_form(one: str, other: str) -> bool:
    """Whether one word begins with the other, or both differ in their ending only."""
    short, long = sorted((one, other), key=len)
    stem = short[:-1] if len(short) > 4 else short
    return long.startswith(stem) and len(long) - len(short) <= 3


def _topic(
    words: list[str], members: Sequence[Located], now: _Days, before: _Days | None
) -> results.VconTopicsResultTopicsEntry:
    inside = [one for one in members if now.has(one.began_at)]
    topic: results.VconTopicsResultTopicsEntry = {
        "words": words,
        "now": len(inside),
        "examples": [_example(one) for one in (inside or members)[:_EXAMPLES]],
    }
    if before is not None:
        count = sum(before.has(one.began_at) for one in members)
        topic["before"] = count
        topic["change"] = len(inside) - count
        if count:
            topic["growth"] = round((len(inside) - count) / count, _DECIMALS)
    return in_order(results.VconTopicsResultTopicsEntry, topic)


def _example(one: Located) -> results.VconTopicsResultTopicsEntryExamplesEntry:
    shown: results.VconTopicsResultTopicsEntryExamplesEntry = {
        "id": str(one.id),
        "began_at": format_time(one.began_at),
    }
    if one.subject:
        shown["subject"] = one.subject[:200]
    return shown
