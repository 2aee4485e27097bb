"""Filters of the bridge search: validate them and convert them for the store."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final

from pydantic import MISSING

from vcontract.generated.models import bridge as models
from vcontract.handlers.bridge.texts import invalid
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.text.dates import FORMS, Interval, TimeReader, Window
from vcontract.runtime.text.iso_dates import UnreadableTime
from vcontract.runtime.vcon.times import format_time

_EVERY: Final = frozenset({"source", "moment", "scene"})
_TYPES_OF: Final[Mapping[str, frozenset[str]]] = {
    "qualities": frozenset({"moment"}),
    "shot": frozenset({"moment", "scene"}),
    "reviewed": frozenset({"moment", "scene"}),
    "framed": frozenset({"source"}),
}
"""Record types a filter can match. Filters not listed match every type."""
_PLAIN: Final = ("perspective", "processing", "shot", "framed", "reviewed")


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a search: for the store and for the answer."""

    stored: Mapping[str, JsonObject]
    """Members of the store's filter object, by filter name."""
    applied: JsonObject

    def conditions(self, *, without: str | None = None) -> JsonObject:
        """Filters for the store, without the filter `without`."""
        return {
            name: value
            for filter_, members in self.stored.items()
            if filter_ != without
            for name, value in members.items()
        }

    def with_members(self, filter_: str, members: JsonObject) -> "Filters":
        return Filters({**self.stored, filter_: members}, self.applied)


def read_filters(params: models.BridgeSearchParams, times: TimeReader, now: datetime) -> Filters:
    """Read a call's filters. `reflectedOn` is resolved later.

    Raises: ValidationError for filters that no record can meet together, and times that are not understood.
    """
    given: dict[str, object] = {
        name: value
        for name in ("type", "experiencer", "qualities", *_PLAIN)
        if (value := getattr(params, name)) is not MISSING
    }
    _check_together(given)
    stored: dict[str, JsonObject] = {}
    applied: JsonObject = {}
    for name, value in given.items():
        applied[name] = value
        if name == "type":
            stored[name] = {"types": value}
        elif name == "experiencer":
            stored[name] = {name: fold_name(str(value).strip())}
        else:
            stored[name] = {name: value}
    windows: tuple[tuple[str, object], ...] = (("created", params.created), ("when", params.when))
    for name, window in windows:
        if window is not MISSING:
            interval = _interval(name, _window(window), times, now)
            stored[name] = {name: _bounds(interval, "from", "to")}
            applied[name] = {**_bounds(interval, "start", "end"), "zone": interval.zone}
    if params.reflectedOn is not MISSING:
        applied["reflectedOn"] = params.reflectedOn
    return Filters(stored, applied)


def _check_together(given: Mapping[str, object]) -> None:
    """Check that the filters can match a common record type.

    Raises: ValidationError naming two that exclude each other.
    """
    types: dict[str, frozenset[str]] = {
        name: frozenset(array(value)) if name == "type" else _TYPES_OF[name]
        for name, value in given.items()
        if name == "type" or name in _TYPES_OF
    }
    for (one, of_one), (other, of_other) in combinations(types.items(), 2):
        if not of_one & of_other & _EVERY:
            raise invalid(
                f"$.{other}",
                "contradiction",
                f"{one} ({_said(of_one)}) and {other} ({_said(of_other)}) exclude each other.",
                f"Leave out {one} or {other}.",
            )


def _said(types: frozenset[str]) -> str:
    return "no type" if not types else " and ".join(f"{type_}s" for type_ in sorted(types)) + " only"


def _window(given: object) -> Window:
    if isinstance(given, str):
        return given
    return (str(getattr(given, "start", "")), str(getattr(given, "end", "")))


def _interval(name: str, window: Window, times: TimeReader, now: datetime) -> Interval:
    try:
        return times.read_window(window, now)
    except UnreadableTime as unreadable:
        shown = window if isinstance(window, str) else " to ".join(window)
        raise invalid(
            f"$.{name}",
            "bad_time",
            f'{name} "{shown[:80]}" is not a recognized time: {unreadable.reason}'
            f" ({str(unreadable)[:60]}). Forms: {', '.join(FORMS)}; or {{start, end}} of these.",
        ) from None


def _bounds(interval: Interval, first: str, last: str) -> JsonObject:
    ends = ((first, interval.start), (last, interval.end))
    return {name: format_time(end) for name, end in ends if end is not None}
