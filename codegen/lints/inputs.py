"""Lints of input schemas: what one model's API or another refuses, or reads wrongly."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import jsonschema_rs

from vcontract.codegen.documents import JsonObject, compact_json, is_array, is_object
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Spec
from vcontract.codegen.model_objects import DOCUMENT_MARKER
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import BrokenReferenceError, DocumentValue, linked, target_of, walk
from vcontract.codegen.resolve import resolve_shapes
from vcontract.codegen.schema_places import input_roots
from vcontract.codegen.schemas import GROWS_MARKER, UNLISTED_MARKER, inlined, subschemas, without_markers

_COMPOSITION: Final = ("oneOf", "anyOf", "allOf")

_FORBIDDEN: Final = (
    "oneOf",
    "allOf",
    "const",
    "prefixItems",
    "patternProperties",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "uniqueItems",
    "if",
    "then",
    "else",
    "not",
    "examples",
)

_MARKERS: Final = frozenset({DOCUMENT_MARKER, UNLISTED_MARKER, GROWS_MARKER})
"""Keywords for the generator that resolving takes out again."""

_PROPERTY_NAME: Final = re.compile(r"[a-z][A-Za-z0-9_]{0,63}")


def _places(spec: Spec) -> Iterator[DocumentValue]:
    """Every schema and sub-schema of every input, through references.

    The branches of a composition at the root are left out: they must go, whatever they say.
    """
    for root in input_roots(spec):
        to_go = {(*root.pointer, keyword) for keyword in _COMPOSITION}
        for place in walk(spec, root):
            if place.document is not root.document or place.pointer[: len(root.pointer) + 1] not in to_go:
                yield place


def _schemas(spec: Spec) -> Iterator[tuple[DocumentValue, JsonObject]]:
    for place in _places(spec):
        if is_object(place.value):
            yield place, place.value


def _no_root_composition(spec: Spec) -> Iterator[Problem]:
    for root in input_roots(spec):
        for keyword in _COMPOSITION:
            if keyword in root.value:
                message = f"{keyword} at the root: say it in the description and let the handler check it"
                yield root.problem("input-no-root-composition", message, (keyword,))


def _root_has_properties(spec: Spec) -> Iterator[Problem]:
    for root in input_roots(spec):
        if "properties" not in root.value:
            message = "the root has no properties; write properties: {} for a tool without parameters"
            yield root.problem("input-root-has-properties", message)


def _array_has_items(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        types = schema.get("type")
        if (types == "array" or (is_array(types) and "array" in types)) and "items" not in schema:
            yield place.problem("input-array-has-items", "an array needs items")


def _no_definitions(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        if "$defs" in schema:
            message = "$defs would stay in the wire schema; put the shape into spec/shapes and refer to it"
            yield place.problem("input-no-definitions", message, ("$defs",))


def _no_recursion(spec: Spec) -> Iterator[Problem]:
    for root in input_roots(spec):
        yield from _recursions(spec, root, ())


def _recursions(spec: Spec, place: DocumentValue, within: tuple[DocumentValue, ...]) -> Iterator[Problem]:
    target = target_of(spec, place)
    if target is not None:
        names = [shape.name for shape in within]
        if any(shape.key == target.key for shape in within):
            message = f"{' -> '.join([*names, target.name])}: an input cannot contain itself"
            yield place.problem("input-no-recursion", message)
        else:
            yield from _recursions(spec, target, (*within, target))
    for pointer, _ in subschemas(place.value):
        yield from _recursions(spec, place.at(pointer), within)


def _no_forbidden_keyword(spec: Spec) -> Iterator[Problem]:
    roots = {root.key for root in input_roots(spec)}
    for place, schema in _schemas(spec):
        for keyword in schema:
            if keyword in _COMPOSITION and place.key in roots:
                continue  # that is input-no-root-composition
            if keyword in _FORBIDDEN or (keyword.startswith("x-") and keyword not in _MARKERS):
                message = f"{keyword} is not understood by every model API; say it in the description"
                yield place.problem("input-no-forbidden-keyword", message, (keyword,))


def _no_type_list(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        if is_array(schema.get("type")):
            shown = compact_json(schema["type"])
            message = f"the type is a list, {shown}: give one type, and make the parameter optional for null"
            yield place.problem("input-no-type-list", message, ("type",))


def _no_empty_schema(spec: Spec) -> Iterator[Problem]:
    for place in _places(spec):
        if place.value is False and place.pointer[-1] == "additionalProperties":
            continue  # closes the object
        if not is_object(place.value):
            message = f"{compact_json(place.value)} as a schema: describe the value, or leave the keyword out"
            yield place.problem("input-no-empty-schema", message)
        elif not {"type", "enum", "const", "$ref", *_COMPOSITION} & place.value.keys() and not _is_root(
            spec, place
        ):
            yield place.problem("input-no-empty-schema", "any value would fit: give it a type")


def _is_root(spec: Spec, place: DocumentValue) -> bool:
    """Whether `type: object` is implied at `place`."""
    return any(place.key == root.key for root in input_roots(spec))


def _enum_is_typed(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        if "enum" not in schema:
            continue
        others = [value for value in schema["enum"] if not isinstance(value, str)]
        if schema.get("type") != "string" or others:
            detail = f"; {compact_json(others)} are none" if others else ""
            message = f"an enum has type: string, and strings as its values{detail}"
            yield place.problem("input-enum-is-typed", message, ("enum",))


def _property_name(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        for name in schema.get("properties", {}):
            if not _PROPERTY_NAME.fullmatch(name):
                message = f"the name {name!r} does not match ^[a-z][A-Za-z0-9_]{{0,63}}$"
                yield place.problem("input-property-name", message, ("properties", name))


def _property_description(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        for name in schema.get("properties", {}):
            if not is_described(spec, place.at(("properties", name))):
                message = f"{name} has no description, and refers to no shape that has one"
                yield place.problem("input-property-description", message, ("properties", name))


def is_described(spec: Spec, place: DocumentValue) -> bool:
    """Whether a member or its shape says what it is; one whose shape is not there has that problem alone."""
    seen: set[object] = set()
    current: DocumentValue | None = place
    while current is not None and current.key not in seen:
        if not is_object(current.value) or current.value.get("description") or "const" in current.value:
            return is_object(current.value)
        seen.add(current.key)
        target = target_of(spec, current)
        if target is None and "$ref" in current.value:
            return True
        current = target
    return False


def _default_validates(spec: Spec) -> Iterator[Problem]:
    for place, schema in _schemas(spec):
        if "default" not in schema:
            continue
        try:
            whole = without_markers(inlined(linked(spec, place.document, schema), resolve_shapes(spec)))
        except (BrokenReferenceError, RecursionError):
            continue  # reference-resolves and input-no-recursion report the cause
        for error in jsonschema_rs.Draft202012Validator(whole).iter_errors(schema["default"]):
            message = f"the default does not fit: {' '.join(error.message.split())}"
            yield place.problem("input-default-validates", message, ("default",))


def _unlisted_can_be_missed(spec: Spec) -> Iterator[Problem]:
    roots = {root.key for root in input_roots(spec)}
    for place, schema in _schemas(spec):
        for name, member in schema.get("properties", {}).items():
            if not is_object(member) or UNLISTED_MARKER not in member:
                continue
            at = ("properties", name, UNLISTED_MARKER)
            if place.key in roots and place.document.kind != "mixins":
                message = f"{name} is a tool's own parameter, and tools/list shows all of these"
                yield place.problem("input-unlisted-can-be-missed", message, at)
            elif name in schema.get("required", []):
                message = f"{name} is required: a call cannot be written without knowing it"
                yield place.problem("input-unlisted-can-be-missed", message, at)


def _object_is_closed(spec: Spec) -> Iterator[Problem]:
    roots = {root.key for root in input_roots(spec)}
    for root in input_roots(spec):
        for place in walk(spec, root, enter=_is_no_document):
            schema = place.value
            if place.key in roots or not is_object(schema) or schema.get(DOCUMENT_MARKER):
                continue
            if schema.get("type") == "object" and "additionalProperties" not in schema:
                message = (
                    "say what other members may be: additionalProperties: false or a schema, "
                    "or x-document: true for an open document"
                )
                yield place.problem("input-object-is-closed", message)


def _is_no_document(place: DocumentValue) -> bool:
    return not (is_object(place.value) and place.value.get(DOCUMENT_MARKER))


def _lint(lint_id: str, purpose: str, check: Callable[[Spec], Iterator[Problem]]) -> Lint:
    return Lint(f"input-{lint_id}", purpose, check)


LINTS: Final[Sequence[Lint]] = (
    _lint("no-root-composition", "no oneOf, anyOf or allOf at the root", _no_root_composition),
    _lint("root-has-properties", "the root has properties, if none: {}", _root_has_properties),
    _lint("array-has-items", "every array says what it holds", _array_has_items),
    _lint("no-definitions", "no $defs is left in the wire schema", _no_definitions),
    _lint("no-recursion", "every reference can be replaced by its shape", _no_recursion),
    _lint("no-forbidden-keyword", f"none of {', '.join(_FORBIDDEN)}, x-…", _no_forbidden_keyword),
    _lint("no-type-list", "a type is one type", _no_type_list),
    _lint("no-empty-schema", "no schema is a boolean or takes any value", _no_empty_schema),
    _lint("enum-is-typed", "an enum is of type string and holds strings", _enum_is_typed),
    _lint("property-name", "names fit ^[a-z][A-Za-z0-9_]{0,63}$", _property_name),
    _lint("property-description", "every property has a description", _property_description),
    _lint("default-validates", "every default fits its own schema", _default_validates),
    _lint(
        "unlisted-can-be-missed",
        "what tools/list leaves out is optional, and no tool's own parameter",
        _unlisted_can_be_missed,
    ),
    _lint("object-is-closed", "objects are closed, maps, or documents, and say which", _object_is_closed),
)
