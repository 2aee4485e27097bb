"""Remove an element, or leave a placeholder if indexes refer to it or to later ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from vcontract.generated.errors import Referenced
from vcontract.handlers.vcon_more.element import Edit, ElementPosition
from vcontract.runtime.frame.documents.findings import path_of
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.placeholders import placeholder
from vcontract.runtime.vcon.pointers import Pointer, pointers, pointers_in_bodies

WhenReferenced = Literal["refuse", "placeholder"]

_MAX_LISTED_PATHS: Final = 100


@dataclass(frozen=True, slots=True)
class Removal:
    """Result of a removal."""

    edit: Edit
    leaves_placeholder: bool
    moved: int
    """Number of later elements that moved up by one."""


def removal(place: ElementPosition, vcon: JsonObject, when_referenced: WhenReferenced) -> Removal:
    """Remove the element; other indexes stay valid.

    Raises: Referenced.
    """
    elements = place.elements(vcon)
    found = _pointers_from_here_on(place, vcon)
    if not found:
        rest = [*elements[: place.index], *elements[place.index + 1 :]]
        edit = Edit(place, vcon, {**vcon, place.array: rest})
        return Removal(edit, leaves_placeholder=False, moved=len(rest) - place.index)
    if when_referenced == "refuse":
        raise _referenced(place, found)
    left = placeholder(place.array, elements[place.index])
    return Removal(Edit(place, vcon, place.replaced(vcon, left)), leaves_placeholder=True, moved=0)


def _pointers_from_here_on(place: ElementPosition, vcon: JsonObject) -> list[Pointer]:
    """References to the element or to later ones, except from within itself."""
    everywhere: Iterable[Pointer] = pointers(vcon)
    if place.array == "parties":
        everywhere = chain(everywhere, pointers_in_bodies(vcon))
    return [
        pointer
        for pointer in everywhere
        if pointer.array == place.array
        and place.index <= pointer.index < len(place.elements(vcon))
        and pointer.steps[:2] != (place.array, place.index)
    ]


def _referenced(place: ElementPosition, found: list[Pointer]) -> Referenced:
    here = [pointer for pointer in found if pointer.index == place.index]
    behind = [pointer for pointer in found if pointer.index > place.index]
    first = path_of((here or behind)[0].steps)
    message = (
        f"{_references(here)} {place}, the first at {first}; nothing was removed."
        if here
        else f"{_references(behind)} behind {place}, the first at {first}, and would move up with it; "
        "nothing was removed."
    )
    return Referenced(
        message,
        details={
            "reason": "referenced",
            "references": _listed(here),
            "references_behind": _listed(behind),
            "reference_count": len(found),
        },
        suggestions=[
            "Send when_referenced: placeholder, which keeps every index.",
            "Or change the references first.",
        ],
    )


def _references(found: list[Pointer]) -> str:
    return f"{len(found)} references point to" if len(found) > 1 else "A reference points to"


def _listed(found: list[Pointer]) -> list[str]:
    return [path_of(pointer.steps) for pointer in found[:_MAX_LISTED_PATHS]]
