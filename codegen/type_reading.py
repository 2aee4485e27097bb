"""From JSON Schemas to the structural types that admit what they admit."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Final

from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.schemas import shape_name
from vcontract.codegen.types import (
    ANYTHING,
    KINDS,
    NEVER,
    Alternative,
    ArrayOf,
    Kind,
    Member,
    Notes,
    ObjectOf,
    Scalar,
    Structure,
    Type,
    both,
    either,
)

_OF_ARRAYS: Final = frozenset({"items", "prefixItems"})
_OF_OBJECTS: Final = frozenset({"properties", "required", "additionalProperties", "patternProperties"})
_NOTED: Final = (
    *("default", "format", "pattern", "minLength", "maxLength", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)


class TypeReader:
    """Reads types from schemas that refer to each other as `#/$defs/<name>`.

    A type admits every value that its schema admits. It may admit more: bounds, patterns and formats
    are not in it, nor a rule that depends on another value, unless both of its outcomes forbid something.
    """

    def __init__(self, schemas: Mapping[str, JsonObject]) -> None:
        self._schemas = schemas
        self._named: dict[str, Type | None] = {}
        """What was read, by name; None while it is being read."""

    def named(self, name: str) -> Type:
        """The type of the schema `name`."""
        found = self._named.get(name)
        if found is None:
            self._named[name] = None
            found = self._named[name] = self.read(self._schemas[name])
        return found

    def read(self, schema: JsonValue) -> Type:
        if not is_object(schema):
            return NEVER if schema is False else ANYTHING
        return reduce(both, self._constraints(schema), ANYTHING)

    def _constraints(self, schema: JsonObject) -> Iterator[Type]:
        """Types that hold for `schema`, all at once."""
        name = shape_name(schema)
        if name is not None:
            yield self._reference(name)
        if "const" in schema:
            yield _literal(schema["const"])
        if "enum" in schema:
            yield either(alternative for value in schema["enum"] for alternative in _literal(value))
        yield self._structures(schema)
        for part in schema.get("allOf", ()):
            yield self.read(part)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield self._one_of(schema[keyword])
        if {"if", "then", "else"} <= schema.keys():
            yield self._one_of([schema["then"], schema["else"]])

    def _reference(self, name: str) -> Type:
        being_read = name in self._named and self._named[name] is None
        if not being_read and self.named(name) == ANYTHING:
            return ANYTHING
        return (Alternative((name,), kinds=frozenset(self._kinds(self._schemas[name]))),)

    def _one_of(self, branches: Sequence[JsonValue]) -> Type:
        return either(alternative for branch in branches for alternative in self.read(branch))

    def _kinds(self, schema: JsonObject) -> Sequence[Kind]:
        """The kinds of value that `schema` states, also through references; every kind if it states none."""
        stated = schema.get("type")
        if stated is not None:
            return [_kind(name) for name in (stated if is_array(stated) else [stated])]
        name = shape_name(schema)
        return KINDS if name is None else self._kinds(self._schemas[name])

    def _structures(self, schema: JsonObject) -> Type:
        stated = "type" in schema
        if not stated and not (_OF_ARRAYS | _OF_OBJECTS) & schema.keys():
            return ANYTHING
        kinds = self._kinds(schema) if stated else KINDS
        return either(Alternative(structure=self._structure(kind, schema)) for kind in kinds)

    def _structure(self, kind: Kind, schema: JsonObject) -> Structure:
        if kind == "array":
            return self._array(schema)
        return self._object(schema) if kind == "object" else Scalar(kind)

    def _array(self, schema: JsonObject) -> ArrayOf:
        first = tuple(self.read(element) for element in schema.get("prefixItems", ()))
        least: int = schema.get("minItems", 0)
        return ArrayOf(first, min(least, len(first)), self.read(schema.get("items", True)))

    def _object(self, schema: JsonObject) -> ObjectOf:
        required: list[str] = schema.get("required", [])
        properties: JsonObject = schema.get("properties", {})
        patterns: JsonObject = schema.get("patternProperties", {})
        others = self._one_of([*patterns.values(), schema.get("additionalProperties", True)])
        declared = [
            Member(name, self.read(member), name in required, notes_on(member))
            for name, member in properties.items()
        ]
        undeclared = [Member(name, others, required=True) for name in required if name not in properties]
        return ObjectOf((*declared, *undeclared), others)


def notes_on(schema: JsonValue) -> Notes:
    """What `schema` tells a reader beside its type."""
    if not is_object(schema):
        return Notes()
    deprecated = [("deprecated", "")] if schema.get("deprecated") else []
    rules = [(keyword, _plain(schema[keyword], keyword)) for keyword in _NOTED if keyword in schema]
    return Notes(schema.get("description") or schema.get("title", ""), (*deprecated, *rules))


def _literal(value: JsonValue) -> Type:
    """The type of `value` alone."""
    structure: Structure
    if is_array(value):
        elements = tuple(_literal(element) for element in value)
        structure = ArrayOf(elements, len(elements), NEVER)
    elif is_object(value):
        members = (Member(name, _literal(member), required=True) for name, member in value.items())
        structure = ObjectOf(tuple(members), NEVER)
    else:
        structure = _scalar(value)
    return (Alternative(structure=structure),)


def _scalar(value: JsonValue) -> Scalar:
    if value is None:
        return Scalar("null")
    if isinstance(value, str):
        return Scalar("string", _text(value))
    return Scalar("boolean" if isinstance(value, bool) else "number", _text(value))


def _kind(name: str) -> Kind:
    return "number" if name == "integer" else next(kind for kind in KINDS if kind == name)


def _plain(value: JsonValue, keyword: str) -> str:
    return _text(value) if keyword == "default" or not isinstance(value, str) else value


def _text(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
