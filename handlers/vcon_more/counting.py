"""The tools vcon_aggregate and vcon_trends."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.contract.hints import hints, near_keys, unknown_key_message
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.searching import map_query_errors
from vcontract.handlers.vcon_more.measures import (
    TAG,
    TALK_SHARE,
    check_measures,
    measures_document,
    stored_measures,
)
from vcontract.handlers.vcon_more.talk_time import SPEAKER, speaking, values_of_measures
from vcontract.handlers.vcon_more.trends import trends_document
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.aggregates import (
    Aggregate,
    Group,
    Span,
    aggregate,
    superseded_count,
    trends,
)
from vcontract.runtime.store.search.filter_conditions import Filters, count_unknown
from vcontract.runtime.store.search.search_params import read_filters
from vcontract.runtime.store.vocabulary.values import has_tag_key
from vcontract.runtime.vcon.tags import tag_key_problem
from vcontract.runtime.vcon.times import format_time

_GROUPINGS: Final = (
    *("dealer", "party", SPEAKER, "role", "type", "vendor", "purpose", "vcon"),
    *("day", "week", "month", "hour"),
)
_FILTERS: Final = "filters."
_FIRST_YEAR: Final = 10
"""First year that leaves room for the maximum number of periods."""
_LISTED: Final = 10
_ROOM: Final = 4_800
"""Default byte limit of the groups, so that a result has at most 2,000 tokens."""
_DECIMALS: Final = 3


class CountingTools(Tools):
    """vcon_aggregate and vcon_trends."""

    async def vcon_aggregate(
        self, params: models.VconAggregateParams, ctx: ToolContext, /
    ) -> results.VconAggregateResult:
        _check_groupings(params.group_by, params.order)
        measures = [] if params.measures is MISSING else params.measures
        given: JsonObject = {} if params.filters is MISSING else params.filters.model_dump()
        with map_query_errors():
            filters = read_filters(given, _FILTERS, counts_latest=True)
        check_measures(measures, params.group_by, filters)
        most = _LISTED if params.top is MISSING else params.top
        async with self._database.reading(ctx.tenant) as connection:
            await self._check_tag_keys(connection, ctx.tenant, "group_by", params.group_by)
            await self._check_tag_keys(connection, ctx.tenant, "measures", measures)
            found = await self._found(connection, ctx.tenant, params, filters, measures, most)
            left_out = await superseded_count(connection, filters.conditions())
            unknown = await count_unknown(connection, filters)
            why = [] if found.whole.vcons else await hints(connection, ctx.tenant, filters, self._vocabulary)
        listed = [_group(group, measures) for group in found.listed]
        if params.top is MISSING:
            listed = _that_fit(listed)
        result = _result(found, listed)
        of_all = [number for number, name in enumerate(measures) if name != TALK_SHARE]
        if of_all:
            names, measured = zip(*((measures[at], found.whole.measured[at]) for at in of_all), strict=True)
            result["measures"] = measures_document(names, measured, found.whole.vcons)
        if left_out:
            result["versions_left_out"] = left_out
        if unknown:
            result["said_unknown"] = unknown
        if why:
            result["hints"] = why
        return in_order(results.VconAggregateResult, result)

    async def _found(
        self,
        connection: Connection,
        tenant: str,
        params: models.VconAggregateParams,
        filters: Filters,
        measures: Sequence[str],
        most: int,
    ) -> Aggregate:
        measures = stored_measures(measures)
        if params.group_by != [SPEAKER]:
            return await aggregate(connection, filters, params.group_by, most, params.order, measures)
        spoken = await speaking(connection, tenant, self._vcons, filters)
        whole = (await aggregate(connection, filters, ["vcon"], 0, "count", measures)).whole
        values = await values_of_measures(connection, filters, measures, spoken)
        groups = spoken.groups(params.order, values)
        added = sum(group.vcons for group in groups)
        return Aggregate(whole, groups[:most], len(groups), added, spoken.vcons)

    async def vcon_trends(
        self, params: models.VconTrendsParams, ctx: ToolContext, /
    ) -> results.VconTrendsResult:
        given: JsonObject = {} if params.filters is MISSING else params.filters.model_dump()
        with map_query_errors():
            filters = read_filters(given, _FILTERS, counts_latest=True)
        until = filters.created_to or datetime.now(UTC)
        if until.year < _FIRST_YEAR:
            raise ValidationError(
                f"Before {format_time(until)} are not so many periods; end_date is {_FIRST_YEAR} or later.",
                details={"parameter": "filters.end_date", "reason": "bad_date"},
            )
        async with self._database.reading(ctx.tenant) as connection:
            spans, left_out = await trends(connection, filters, params.period, params.periods, until)
            unknown = await count_unknown(connection, _within(filters, spans, until))
            has_any = any(span.vcons for span in spans)
            why = [] if has_any else await hints(connection, ctx.tenant, filters, self._vocabulary)
        result = trends_document(spans)
        if left_out:
            result["versions_left_out"] = left_out
        if unknown:
            result["said_unknown"] = unknown
        if why:
            result["hints"] = why
        return in_order(results.VconTrendsResult, result)

    async def _check_tag_keys(
        self, connection: Connection, tenant: str, parameter: str, given: Sequence[str]
    ) -> None:
        """Check tag keys. Raises: ValidationError for one that is neither used nor declared."""
        for key in (each.removeprefix(TAG) for each in given if each.startswith(TAG)):
            if self._vocabulary.accepted(key) is None and not await has_tag_key(connection, tenant, key):
                near = await near_keys(connection, tenant, key, self._vocabulary)
                raise ValidationError(
                    unknown_key_message(key, near),
                    details={
                        "parameter": parameter,
                        "reason": "unknown_tag_key",
                        "key": key,
                        "nearest": near,
                    },
                )


def _within(filters: Filters, spans: Sequence[Span], until: datetime) -> Filters:
    """The filters, for the periods that are counted."""
    begins = min(span.begins for span in spans if span.begins is not None)
    return replace(filters, created_from=max(begins, filters.created_from or begins), created_to=until)


def _check_groupings(groupings: Sequence[str], order: str) -> None:
    """Check groupings. Raises: ValidationError for unknown, repeated and incompatible ones."""
    if SPEAKER in groupings and len(groupings) > 1:
        raise _refused(
            "not_together",
            SPEAKER,
            "speaker is a group of its own: give group_by: [speaker], and filters for the rest.",
        )
    if order == "words" and SPEAKER not in groupings:
        raise ValidationError(
            "Only group_by: [speaker] counts words; order the others by count, key or duration.",
            details={
                "parameter": "order",
                "reason": "not_together",
                "accepted": ["count", "key", "duration"],
            },
        )
    for number, each in enumerate(groupings):
        if each in groupings[:number]:
            raise _refused("repeated_value", each, f"group_by has {quoted(each, 80)} twice; name it once.")
        if each.startswith(TAG):
            if problem := tag_key_problem(each.removeprefix(TAG)):
                raise _refused("bad_tag_key", each, problem)
        elif each not in _GROUPINGS:
            near = nearest_name(each, _GROUPINGS)
            meant = f' Did you mean "{near}"?' if near else ""
            raise _refused(
                "unknown_value",
                each,
                f"{quoted(each, 80)} is nothing to group by.{meant} "
                f"There is: tag:KEY (as tag:department), {', '.join(_GROUPINGS)}.",
                accepted=["tag:KEY", *_GROUPINGS],
            )


def _refused(reason: str, value: str, text: str, **facts: list[str]) -> ValidationError:
    return ValidationError(
        text, details={"parameter": "group_by", "reason": reason, "value": value[:60], **facts}
    )


def _result(
    found: Aggregate, listed: list[results.VconAggregateResultGroupsEntry]
) -> results.VconAggregateResult:
    whole = found.whole
    result: results.VconAggregateResult = {
        "success": True,
        "vcons": whole.vcons,
        "parties": whole.parties,
        "ungrouped": whole.vcons - found.grouped,
        "groups": listed,
        "rest": {
            "groups": found.groups - len(listed),
            "vcons": found.added - sum(group["vcons"] for group in listed),
        },
    }
    if whole.seconds is not None:
        result["timed"] = whole.timed
        result["duration_seconds"] = round(whole.seconds, _DECIMALS)
    if whole.first is not None and whole.last is not None:
        result["first"] = format_time(whole.first)
        result["last"] = format_time(whole.last)
    return result


def _group(group: Group, measures: Sequence[str]) -> results.VconAggregateResultGroupsEntry:
    assert group.first is not None
    assert group.last is not None
    entry: results.VconAggregateResultGroupsEntry = {
        "key": list(group.keys),
        "vcons": group.vcons,
        "parties": group.parties,
        "first": format_time(group.first),
        "last": format_time(group.last),
    }
    label = [label or key for label, key in zip(group.labels, group.keys, strict=False)]
    if label != entry["key"]:
        entry["label"] = label
    if group.seconds is not None:
        entry["timed"] = group.timed
        entry["duration_seconds"] = round(group.seconds, _DECIMALS)
    if group.turns is not None and group.words is not None:
        entry["turns"] = group.turns
        entry["words"] = group.words
    if measures:
        entry["measures"] = measures_document(measures, group.measured, group.vcons)
    return in_order(results.VconAggregateResultGroupsEntry, entry)


def _that_fit(
    listed: list[results.VconAggregateResultGroupsEntry],
) -> list[results.VconAggregateResultGroupsEntry]:
    """The first groups that fit, at least one."""
    room = _ROOM
    for number, entry in enumerate(listed):
        room -= len(dump_json({**entry}))
        if room < 0:
            return listed[: max(1, number)]
    return listed
