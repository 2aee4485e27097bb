"""Transform JSON Schemas between the spec and the published form."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from vcontract.codegen.documents import (
    JsonObject,
    JsonValue,
    Pointer,
    byte_length,
    is_array,
    is_object,
)

DEFS: Final = "#/$defs/"

UNLISTED_MARKER: Final = "x-unlisted"
"""On a member inside a parameter that few calls need: accepted and documented, but not in tools/list."""

GROWS_MARKER: Final = "x-grows"
"""On a list of values in an answer: true if values may be added at any time, false if it is final."""

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", UNLISTED_MARKER, GROWS_MARKER}
)
"""Keywords allowed beside a `$ref`: they take the place of the shape's own."""

EXTENSIONS: Final = frozenset({"properties", "required"})
"""Keywords allowed beside a `$ref` to an object: they add members to the shape's own."""

_OF_MAPS: Final = ("properties", "patternProperties", "$defs")
_OF_LISTS: Final = ("oneOf", "anyOf", "allOf", "prefixItems")
_OF_ONE: Final = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")


def subschemas(schema: JsonValue) -> Iterator[tuple[Pointer, JsonValue]]:
    """The direct sub-schemas of `schema`, each with the pointer that leads to it."""
    if not is_object(schema):
        return
    for keyword, value in schema.items():
        if keyword in _OF_MAPS and is_object(value):
            for name, member in value.items():
                yield (keyword, name), member
        elif keyword in _OF_LISTS and is_array(value):
            for index, member in enumerate(value):
                yield (keyword, index), member
        elif keyword in _OF_ONE:
            yield (keyword,), value


def map_subschemas(schema: JsonObject, change: Callable[[JsonValue], JsonValue]) -> JsonObject:
    """A copy of `schema` with `change` applied to each direct sub-schema; keywords keep their order."""
    result: JsonObject = {}
    for keyword, value in schema.items():
        if keyword in _OF_MAPS and is_object(value):
            result[keyword] = {name: change(member) for name, member in value.items()}
        elif keyword in _OF_LISTS and is_array(value):
            result[keyword] = [change(member) for member in value]
        elif keyword in _OF_ONE:
            result[keyword] = change(value)
        else:
            result[keyword] = value
    return result


def shape_name(schema: JsonValue) -> str | None:
    """The name of the shape that a schema refers to with `$ref`, or None if it has no `$ref`."""
    reference = schema.get("$ref") if is_object(schema) else None
    return reference.removeprefix(DEFS) if isinstance(reference, str) else None


def extend(target: JsonObject, siblings: Mapping[str, JsonValue]) -> JsonObject:
    """The shape `target` with the keywords beside a reference to it.

    `properties` and `required` are added; other keywords replace those of the shape.
    """
    merged: JsonObject = dict(target)
    for keyword, value in siblings.items():
        if keyword == "properties":
            merged["properties"] = {**target.get("properties", {}), **value}
        elif keyword == "required":
            before: list[str] = target.get("required", [])
            merged["required"] = [*before, *(name for name in value if name not in before)]
        else:
            merged[keyword] = value
    return merged


def inlined(schema: JsonValue, shapes: Mapping[str, JsonObject]) -> JsonValue:
    """`schema` without references: each is replaced by a copy of its shape.

    The shapes must not be recursive; the lint `input-no-recursion` sees to that.
    """
    if not is_object(schema):
        return schema
    name = shape_name(schema)
    if name is None:
        return map_subschemas(schema, lambda member: inlined(member, shapes))
    siblings = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
    return extend(inlined(shapes[name], shapes), inlined(siblings, shapes))


def extensions_inlined(schema: JsonValue, shapes: Mapping[str, JsonObject]) -> JsonValue:
    """`schema` with only those references replaced that have `properties` or `required` beside them."""
    if not is_object(schema):
        return schema
    name = shape_name(schema)
    if name is not None and EXTENSIONS & schema.keys():
        siblings = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        schema = extend(shapes[name], siblings)
    return map_subschemas(schema, lambda member: extensions_inlined(member, shapes))


def without_markers(schema: JsonValue) -> JsonValue:
    """`schema` without the `x-…` keywords, which are for the generator and are not published."""
    return _with_markers(schema, frozenset())


def _with_promises(schema: JsonValue) -> JsonValue:
    return _with_markers(schema, frozenset({GROWS_MARKER}))


def _with_markers(schema: JsonValue, kept: Collection[str]) -> JsonValue:
    if not is_object(schema):
        return schema
    left = {name: value for name, value in schema.items() if not name.startswith("x-") or name in kept}
    return map_subschemas(left, lambda member: _with_markers(member, kept))


def with_growth_declared(schema: JsonObject) -> JsonObject:
    """`schema` with `may grow` or `will not grow` added to its description if it has `x-grows`."""
    if GROWS_MARKER not in schema:
        return schema
    first, *others = str(schema.get("description", "")).split("\n")
    promise = "may grow" if schema[GROWS_MARKER] else "will not grow"
    return {**schema, "description": "\n".join([f"{first.removesuffix('.')}; {promise}.", *others])}


def packed(schema: JsonObject, shapes: Mapping[str, JsonObject]) -> JsonObject:
    """`schema` as one self-contained document.

    A shape is a `$defs` entry if it is recursive or if that makes the document smaller; others are inlined.
    `x-grows` stays for the compatibility check, and must be removed before the schema is published.
    """
    shapes = {name: extensions_inlined(shape, shapes) for name, shape in shapes.items()}
    whole = extensions_inlined(schema, shapes)
    kept = _worth_keeping(whole, shapes)
    bodies = {name: _with_promises(_inlined_but(shapes[name], shapes, kept)) for name in kept}
    result: JsonObject = _with_promises(_inlined_but(whole, shapes, kept))
    return {**result, "$defs": bodies} if bodies else result


def _worth_keeping(schema: JsonValue, shapes: Mapping[str, JsonObject]) -> list[str]:
    counts: dict[str, int] = {}
    recursive: set[str] = set()
    _count(schema, shapes, (), counts, recursive)
    kept: list[str] = []
    for name, uses in counts.items():
        size = byte_length(without_markers(_inlined_but(shapes[name], shapes, recursive)))
        as_reference = uses * len('{"$ref":"#/$defs/"}' + name) + size + len('"":,' + name)
        if name in recursive or uses * size > as_reference:
            kept.append(name)
    return kept


def _count(
    schema: JsonValue,
    shapes: Mapping[str, JsonObject],
    within: tuple[str, ...],
    counts: dict[str, int],
    recursive: set[str],
) -> None:
    name = shape_name(schema)
    if name in within:
        recursive.add(name)
        return
    if name is not None:
        counts[name] = counts.get(name, 0) + 1
        if counts[name] == 1:
            _count(shapes[name], shapes, (*within, name), counts, recursive)
    for _, member in subschemas(schema):
        _count(member, shapes, within, counts, recursive)


def _inlined_but(schema: JsonValue, shapes: Mapping[str, JsonObject], kept: Collection[str]) -> JsonValue:
    if not is_object(schema):
        return schema
    name = shape_name(schema)
    if name is None or name in kept:
        return map_subschemas(schema, lambda member: _inlined_but(member, shapes, kept))
    siblings = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
    return extend(_inlined_but(shapes[name], shapes, kept), siblings)
