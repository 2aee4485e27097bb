"""Resolve `$ref` in the spec."""

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vcontract.codegen.documents import (
    JsonObject,
    JsonValue,
    Pointer,
    has_pointer,
    is_object,
    value_at,
)
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.schemas import DEFS, map_subschemas, subschemas, with_growth_declared


class BrokenReferenceError(Exception):
    """A `$ref` that leads to no shape; the message says why."""


@dataclass(frozen=True, slots=True)
class DocumentValue:
    """A value of a document: where it stands, and what it is."""

    document: Document
    pointer: Pointer
    value: JsonValue

    @property
    def name(self) -> str:
        return str(self.pointer[-1])

    @property
    def key(self) -> tuple[str, Pointer]:
        """Identifies this value in the spec."""
        return self.document.path, self.pointer

    def at(self, pointer: Pointer) -> "DocumentValue":
        return DocumentValue(self.document, (*self.pointer, *pointer), value_at(self.value, pointer))

    def problem(self, problem_id: str, message: str, pointer: Pointer = ()) -> Problem:
        return self.document.problem((*self.pointer, *pointer), problem_id, message)


def follow(spec: Spec, document: Document, reference: JsonValue) -> DocumentValue:
    """The shape that `reference`, found in `document`, names. Raises: BrokenReferenceError."""
    if not isinstance(reference, str):
        raise BrokenReferenceError(f"{reference!r} is not a string")
    path, hash_sign, fragment = reference.partition("#")
    target_path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), path))
    target = spec.documents.get(target_path) if path else document
    if target is None:
        raise BrokenReferenceError(f"{reference!r}: there is no file {target_path}")
    pointer = tuple(fragment.split("/")[1:])
    if not hash_sign or len(pointer) != 2 or pointer[0] != "$defs":
        raise BrokenReferenceError(f"{reference!r}: write <file>#/$defs/<Shape>")
    if not has_pointer(target.data, pointer):
        known = ", ".join(sorted(target.data.get("$defs", {}))) if is_object(target.data) else ""
        raise BrokenReferenceError(
            f"{reference!r}: {target.path} has no shape {pointer[1]}; it has: {known or 'none'}"
        )
    return DocumentValue(target, pointer, value_at(target.data, pointer))


def linked(spec: Spec, document: Document, schema: JsonValue) -> JsonValue:
    """`schema` of `document` with each reference as `#/$defs/<Shape>`, and `x-grows` put into descriptions.

    Raises: BrokenReferenceError.
    """
    if not is_object(schema):
        return schema
    result: JsonObject = map_subschemas(schema, lambda member: linked(spec, document, member))
    if "$ref" in schema:
        result["$ref"] = DEFS + follow(spec, document, schema["$ref"]).name
    return with_growth_declared(result)


def _always(_: DocumentValue) -> bool:
    return True


def walk(
    spec: Spec, start: DocumentValue, *, enter: Callable[[DocumentValue], bool] = _always
) -> Iterator[DocumentValue]:
    """`start` and every sub-schema of it, through references, each place once, in the order of the text.

    What lies below a place for which `enter` is false is left out. References that lead nowhere are
    passed over; the lint `reference-resolves` reports them.
    """
    seen: set[tuple[str, Pointer]] = set()
    waiting = [start]
    while waiting:
        place = waiting.pop()
        if place.key in seen:
            continue
        seen.add(place.key)
        yield place
        if enter(place):
            waiting.extend(reversed(list(_next(spec, place))))


def _next(spec: Spec, place: DocumentValue) -> Iterator[DocumentValue]:
    for pointer, _ in subschemas(place.value):
        yield place.at(pointer)
    target = target_of(spec, place)
    if target is not None:
        yield target


def target_of(spec: Spec, place: DocumentValue) -> DocumentValue | None:
    """The shape that the schema at `place` refers to; None without a reference that can be followed."""
    if not is_object(place.value) or "$ref" not in place.value:
        return None
    try:
        return follow(spec, place.document, place.value["$ref"])
    except BrokenReferenceError:
        return None
