"""Find all indexes in a vCon that refer to other elements."""

from collections.abc import Iterator
from dataclasses import dataclass

from vcontract.runtime.frame.documents.findings import Step
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import as_index, is_array, is_object, objects
from vcontract.runtime.vcon.bodies import json_of_body
from vcontract.runtime.vcon.references import (
    DIALOG_OF_DIALOG,
    PARTIES_OF_DIALOG,
    PARTIES_OF_EVENT,
    SESSIONS_OF_EVENT,
)

_PARTIES_IN_BODIES = ("party", "parties", "to")
"""Members of turns and messages in a body that refer to parties."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A reference: path of the index, target array, and index."""

    steps: tuple[Step, ...]
    array: str
    index: int


def pointers(vcon: JsonObject) -> Iterator[Pointer]:
    """Yield every reference to an element, including those out of range."""
    for index, element in objects(vcon.get("dialog")):
        at: tuple[Step, ...] = ("dialog", index)
        yield from _of_members(element, PARTIES_OF_DIALOG, at, "parties")
        yield from _of_members(element, DIALOG_OF_DIALOG, at, "dialog")
        for number, event in objects(element.get("party_history")):
            yield from _of_members(event, ("party",), (*at, "party_history", number), "parties")
    for index, element in objects(vcon.get("analysis")):
        yield from _of_members(element, ("dialog",), ("analysis", index), "dialog")
        yield from _of_members(element, ("attachment",), ("analysis", index), "attachments")
    for index, element in objects(vcon.get("attachments")):
        yield from _of_members(element, ("party",), ("attachments", index), "parties")
        yield from _of_members(element, ("dialog",), ("attachments", index), "dialog")
    for index, element in objects(vcon.get("sessions")):
        yield from _of_members(element, ("parties",), ("sessions", index), "parties")
        yield from _of_members(element, ("dialog",), ("sessions", index), "dialog")
        for number, related in objects(element.get("sessions")):
            yield from _of_members(related, ("session",), ("sessions", index, "sessions", number), "sessions")
    for index, element in objects(vcon.get("events")):
        yield from _of_members(element, PARTIES_OF_EVENT, ("events", index), "parties")
        yield from _of_members(element, SESSIONS_OF_EVENT, ("events", index), "sessions")
        yield from _of_members(element, ("dialog",), ("events", index), "dialog")


def pointers_in_bodies(vcon: JsonObject) -> Iterator[Pointer]:
    """Yield party indexes in JSON bodies, such as turns of a transcript, which no schema covers."""
    for name in ("dialog", "analysis", "attachments"):
        for index, element in objects(vcon.get(name)):
            yield from _in_body(json_of_body(element), (name, index, "body"))


def _of_members(
    element: JsonObject, names: tuple[str, ...], at: tuple[Step, ...], target: str
) -> Iterator[Pointer]:
    for name in names:
        if name in element:
            yield from _of_value(element[name], (*at, name), target)


def _of_value(value: JsonValue, at: tuple[Step, ...], target: str) -> Iterator[Pointer]:
    if is_array(value):
        for position, entry in enumerate(value):
            yield from _of_value(entry, (*at, position), target)
        return
    index = as_index(value)
    if index is not None:
        yield Pointer(at, target, index)


def _in_body(value: JsonValue, at: tuple[Step, ...]) -> Iterator[Pointer]:
    if is_object(value):
        yield from _of_members(value, _PARTIES_IN_BODIES, at, "parties")
        for name, inner in value.items():
            yield from _in_body(inner, (*at, name))
    elif is_array(value):
        for position, inner in enumerate(value):
            yield from _in_body(inner, (*at, position))
