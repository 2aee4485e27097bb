"""What a change of a vCon keeps: the first elements of its arrays, whose rows stay as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array


@dataclass(frozen=True, slots=True)
class Kept:
    """How many first elements of each array are stored already, and how many first dialogs' passages."""

    elements: Mapping[str, int]
    turns: int = 0

    def of(self, name: str) -> int:
        return self.elements.get(name, 0)


NOTHING_KEPT: Final = Kept({})


def kept_of(before: Mapping[str, Sequence[JsonObject]], document: JsonObject, *, is_read_alike: bool) -> Kept:
    """The elements of `document` that are unchanged from the stored arrays that it was made from.

    Elements are compared by identity. The passages of a turn also depend on the names of the parties, and
    on `is_read_alike`: Whether both are read at all, and in one language.
    """
    elements = {name: _leading(stored, array(document.get(name))) for name, stored in before.items()}
    parties = array(document.get("parties"))
    names_stay = elements.get("parties", 0) == len(parties) == len(before.get("parties", ()))
    return Kept(elements, elements.get("dialog", 0) if names_stay and is_read_alike else 0)


@dataclass(frozen=True, slots=True)
class Added:
    """What a change adds to a vCon that has no violations, when it does nothing else to its arrays."""

    first: Mapping[str, int]
    """How many elements each array had."""
    document: JsonObject
    """The vCon with the added elements alone."""


@dataclass(frozen=True, slots=True)
class ReadBefore:
    """What is stored of the text of a vCon that only gets turns: those that it has are not read again."""

    turns: int
    words: bytes
    """Of all its text, as `encode_strengths` gives them; all of it counts as English."""
    times: tuple[datetime, ...]
    """When the first and the last turn were said, where that is known."""
    is_numbered: bool
    """Whether each dialog is a turn with its own number."""


class ReadAgain(Exception):
    """The stored text does not determine how the new one is indexed: all of it must be read."""


def added_to(before: Mapping[str, Sequence[JsonObject]], document: JsonObject) -> Added | None:
    """What `document` adds to the stored arrays that it was made from; None when it has not all of these."""
    first = {name: len(stored) for name, stored in before.items()}
    given = {name: array(document.get(name)) for name in before}
    if any(_leading(before[name], given[name]) < first[name] for name in before):
        return None
    return Added(first, document | {name: each[first[name] :] for name, each in given.items() if each})


def _leading(stored: Sequence[JsonValue], given: Sequence[JsonValue]) -> int:
    """How many of the first elements are the same objects."""
    for place, (one, other) in enumerate(zip(stored, given, strict=False)):
        if one is not other:
            return place
    return min(len(stored), len(given))
