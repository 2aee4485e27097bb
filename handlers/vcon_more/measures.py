"""Measures of groups of conversations: which there are, and their entries in results."""

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
from vcontract.runtime.vcon.tags import tag_key_problem

TAG: Final = "tag:"
TALK_SHARE: Final = "talk_share"
OF_TURNS: Final = ("talk_seconds", TALK_SHARE, "longest_turn_seconds")
"""Measures that are of the turns of a speaker, party or role, if the groups are these."""
MEASURES: Final = (
    *("handle_seconds", *OF_TURNS, "silence_seconds", "overlaps", "hold_seconds", "transfers"),
)
_BY_WHOM: Final = ("speaker", "party", "role")
_DECIMALS: Final = 3
_SHARE_DECIMALS: Final = 4


def check_measures(measures: Sequence[str], groupings: Collection[str]) -> None:
    """Check measures. Raises: ValidationError for unknown, repeated and incompatible ones."""
    for number, each in enumerate(measures):
        if each in measures[:number]:
            raise _refused("repeated_value", each, f"measures has {quoted(each, 80)} twice; name it once.")
        if each.startswith(TAG):
            if problem := tag_key_problem(each.removeprefix(TAG)):
                raise _refused("bad_tag_key", each, problem)
        elif each not in MEASURES:
            near = nearest_name(each, MEASURES)
            meant = f' Did you mean "{near}"?' if near else ""
            raise _refused(
                "unknown_value",
                each,
                f"{quoted(each, 80)} is not a measure.{meant} "
                f"Measures: {', '.join(MEASURES)}, tag:KEY (as tag:csat).",
                accepted=[*MEASURES, "tag:KEY"],
            )
        elif each == TALK_SHARE and not {*_BY_WHOM} & {*groupings}:
            raise _refused(
                "not_together", each, "talk_share is of somebody: add role, party or speaker to group_by."
            )


def _refused(reason: str, value: str, text: str, **facts: list[str]) -> ValidationError:
    return ValidationError(
        text, details={"parameter": "measures", "reason": reason, "value": value[:60], **facts}
    )


def measures_document(names: Sequence[str], measured: Sequence[Measured], vcons: int) -> list[MeasuresEntry]:
    """Entries of the measures of a number of vCons."""
    return [_entry(name, one, vcons) for name, one in zip(names, measured, strict=True)]


def _entry(name: str, measured: Measured, vcons: int) -> MeasuresEntry:
    entry: MeasuresEntry = {"name": name, "known": measured.known, "unknown": vcons - measured.known}
    if measured.known:
        decimals = _SHARE_DECIMALS if name == TALK_SHARE else _DECIMALS
        if name != TALK_SHARE:
            entry["total"] = round(measured.total, decimals)
        elif measured.share is not None:
            entry["share"] = round(measured.share, decimals)
        entry["mean"] = round(measured.total / measured.known, decimals)
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
