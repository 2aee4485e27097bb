"""Filters beside what each admits, for an oracle: one alone, and all that a kind knows at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_object

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Filter(Generic[Thing]):
    """What is given to a search, and what it keeps."""

    given: JsonObject
    admits: Callable[[Thing], bool]

    def __and__(self, other: "Filter[Thing]") -> "Filter[Thing]":
        return Filter(_merged(self.given, other.given), lambda one: self.admits(one) and other.admits(one))


def share(of: Filter[Thing], things: Iterable[Thing]) -> Literal["none", "some", "all"]:
    """How many of the things a filter keeps."""
    kept = {of.admits(thing) for thing in things}
    return "some" if len(kept) == 2 else "all" if True in kept else "none"


@st.composite
def any_of(
    draw: st.DrawFn, known: Mapping[str, Sequence[Filter[Thing]]], things: Sequence[Thing]
) -> Filter[Thing]:
    """Some filters at once, at most one of a name: those that keep one thing, and now and then another."""
    wanted = things[draw(st.integers(0, len(things) - 1))]
    result: Filter[Thing] = Filter({}, lambda _: True)
    for values in known.values():
        keeping = [value for value in values if value.admits(wanted)]
        drawn_from = values if draw(st.sampled_from([False] * 19 + [True])) else keeping
        chosen = draw(st.sampled_from([None, *drawn_from]))
        if chosen is not None:
            result &= chosen
    return result


def _merged(one: JsonObject, other: JsonObject) -> JsonObject:
    """Both at once, what lies within an object of both as well."""
    result = dict(one)
    for name, value in other.items():
        there = result.get(name)
        result[name] = _merged(there, value) if is_object(there) and is_object(value) else value
    return result
