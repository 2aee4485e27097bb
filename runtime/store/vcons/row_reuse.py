"""Reuse stored rows when a vCon changes: unchanged first elements of its arrays keep their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array


@dataclass(frozen=True, slots=True)
class ReusedRows:
    """Number of unchanged first elements of each array, and of first dialogs with unchanged passages."""

    elements: Mapping[str, int]
    turns: int = 0

    def of(self, name: str) -> int:
        return self.elements.get(name, 0)


NO_REUSED_ROWS: Final = ReusedRows({})


def reused_rows(
    before: Mapping[str, Sequence[JsonObject]], document: JsonObject, *, is_read_alike: bool
) -> ReusedRows:
    """Compare `document` with the stored arrays it was made from.

    Elements are compared by identity. A turn's passages also depend on the names of the parties, and on
    `is_read_alike`: Whether both versions are read at all, and in the same language.
    """
    elements = {name: _leading(stored, array(document.get(name))) for name, stored in before.items()}
    parties = array(document.get("parties"))
    names_stay = elements.get("parties", 0) == len(parties) == len(before.get("parties", ()))
    return ReusedRows(elements, elements.get("dialog", 0) if names_stay and is_read_alike else 0)


@dataclass(frozen=True, slots=True)
class AddedElements:
    """Elements that a change adds to a vCon without violations, if it changes nothing else in its arrays."""

    first: Mapping[str, int]
    """Previous length of each array."""
    document: JsonObject
    """The vCon with only the added elements."""


@dataclass(frozen=True, slots=True)
class ReadBefore:
    """Stored text of a vCon to which only turns are added, so that old turns are not read again."""

    turns: int
    words: bytes
    """Words of all its text, from `encode_strengths`; all text counts as English."""
    times: tuple[datetime, ...]
    """Times of the first and last turn, if known."""
    is_numbered: bool
    """Whether each dialog is exactly one turn."""


class ReadAgain(Exception):
    """The whole vCon must be read, because the stored text does not determine the new index."""


def added_elements(before: Mapping[str, Sequence[JsonObject]], document: JsonObject) -> AddedElements | None:
    """Return what `document` adds to the stored arrays it was made from; None if it changes any of them."""
    first = {name: len(stored) for name, stored in before.items()}
    given = {name: array(document.get(name)) for name in before}
    if any(_leading(before[name], given[name]) < first[name] for name in before):
        return None
    return AddedElements(
        first, document | {name: each[first[name] :] for name, each in given.items() if each}
    )


def _leading(stored: Sequence[JsonValue], given: Sequence[JsonValue]) -> int:
    """Number of first elements that are the same objects."""
    for place, (one, other) in enumerate(zip(stored, given, strict=False)):
        if one is not other:
            return place
    return min(len(stored), len(given))
