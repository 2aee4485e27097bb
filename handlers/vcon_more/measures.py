"""Measures of groups of conversations: which there are, and their entries in results."""

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import Final
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.generated.results.vcon_more import MeasuresEntry
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.search.aggregates import Measured
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.vcon.tags import tag_key_problem

TAG: Final = "tag:"
TALK_SHARE: Final = "talk_share"
SHARE: Final = "share"
TIMES_SAID: Final = "times_said"
OF_TURNS: Final = ("talk_seconds", TALK_SHARE, "longest_turn_seconds", TIMES_SAID)
"""Measures that are of the turns of a speaker, party or role, if the groups are these."""
_NAMES: Final = (
    *("handle_seconds", "talk_seconds", TALK_SHARE, "longest_turn_seconds", "silence_seconds", "overlaps"),
    *("hold_seconds", "transfers", "repeats", TIMES_SAID, SHARE),
)
_ACCEPTED: Final = (*_NAMES, "repeats:DAYS", "tag:KEY", "analysis:TYPE.path")
_REPEATS: Final = re.compile(r"repeats:([1-9][0-9]{0,2})")
_ANALYSIS: Final = re.compile(r"analysis:[^.\0]+(\.[^.\0]+)*")
_DAYS: Final = 7
_BY_WHOM: Final = ("speaker", "party", "role")
_DECIMALS: Final = 3
_SHARE_DECIMALS: Final = 4


def check_measures(measures: Sequence[str], groupings: Collection[str], filters: Filters) -> None:
    """Check measures. Raises: ValidationError for unknown, repeated and incompatible ones."""
    for number, each in enumerate(measures):
        if each in measures[:number]:
            raise _refused("repeated_value", each, f"measures has {quoted(each, 80)} twice; name it once.")
        if each.startswith(TAG):
            if problem := tag_key_problem(each.removeprefix(TAG)):
                raise _refused("bad_tag_key", each, problem)
        elif each not in _NAMES and not _REPEATS.fullmatch(each) and not _ANALYSIS.fullmatch(each):
            near = nearest_name(each, _NAMES)
            meant = f' Did you mean "{near}"?' if near else ""
            raise _refused(
                "unknown_value",
                each,
                f"{quoted(each, 80)} is not a measure.{meant} Measures: {', '.join(_ACCEPTED)}.",
                accepted=[*_ACCEPTED],
            )
        elif problem := _misfit(each, groupings, filters):
            raise _refused("not_together", each, problem)


def _misfit(measure: str, groupings: Collection[str], filters: Filters) -> str | None:
    """The problem of a measure that lacks a filter or does not fit the groups."""
    if measure == TALK_SHARE and not {*_BY_WHOM} & {*groupings}:
        return "talk_share is of somebody: add role, party or speaker to group_by."
    if measure == TIMES_SAID and filters.said is None:
        return "times_said counts turns that say filters.said: add that filter."
    if measure == SHARE and filters.said is None and filters.not_said is None:
        return "share is of vCons that meet filters.said or filters.not_said: add one of them."
    if measure == SHARE and "speaker" in groupings:
        return "share is of vCons: group by party or role instead of speaker."
    return None


def stored_measures(measures: Sequence[str]) -> list[str]:
    """Measures as the store names them."""
    return [f"repeats:{_DAYS}" if each == "repeats" else each for each in measures]


def _refused(reason: str, value: str, text: str, **facts: list[str]) -> ValidationError:
    return ValidationError(
        text, details={"parameter": "measures", "reason": reason, "value": value[:60], **facts}
    )


def measures_document(names: Sequence[str], measured: Sequence[Measured], vcons: int) -> list[MeasuresEntry]:
    """Entries of the measures of a number of vCons."""
    return [_entry(name, one, vcons) for name, one in zip(names, measured, strict=True)]


def _entry(name: str, measured: Measured, vcons: int) -> MeasuresEntry:
    unknown = measured.unknown if name == SHARE else vcons - measured.known
    entry: MeasuresEntry = {"name": name, "known": measured.known, "unknown": unknown}
    if measured.known:
        is_part = name in (SHARE, TALK_SHARE) or name.startswith("repeats")
        decimals = _SHARE_DECIMALS if is_part else _DECIMALS
        if name != TALK_SHARE:
            entry["total"] = round(measured.total, decimals)
        elif measured.share is not None:
            entry["share"] = round(measured.share, decimals)
        entry["mean"] = round(measured.total / measured.known, decimals)
        if measured.median is not None and (name == TALK_SHARE or not is_part):
            entry["median"] = round(measured.median, decimals)
    return in_order(MeasuresEntry, entry)


def measured_of(values: Mapping[UUID, float], wholes: Mapping[UUID, float] | None = None) -> Measured:
    """Sum up values by vCon. `wholes` has the whole of each value."""
    if not values:
        return Measured()
    share = None
    if wholes is not None:
        share = sum(value * wholes[uuid] for uuid, value in values.items()) / sum(
            wholes[uuid] for uuid in values
        )
    return Measured(len(values), sum(values.values()), median(values.values()), share)
