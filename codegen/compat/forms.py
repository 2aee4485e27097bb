"""Split a schema into alternatives of one type each, with references resolved."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import jsonschema_rs

from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_array, is_object
from vcontract.codegen.published import references
from vcontract.codegen.schemas import ANNOTATIONS, GROWS_MARKER, extend, map_subschemas, shape_name

JsonType: TypeAlias = str
"""null, boolean, string, array, object, integer, or fraction (a number that is not an integer)."""

_NAMES: Final[Mapping[type[object], JsonType]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "fraction",
    dict: "object",
    list: "array",
    type(None): "null",
}

NOT_COMPARED: Final = frozenset({*ANNOTATIONS, "$defs", "$schema", "$id", "$comment"})
"""Keywords that do not affect validity."""

_OF_THE_WHOLE: Final = NOT_COMPARED - {GROWS_MARKER}
_UNIONS: Final = ("anyOf", "oneOf")

ABSENT = ""
"""Text for absent values."""


class Form(NamedTuple):
    """One alternative of a schema, with a single type, without references and unions."""

    schema: JsonObject
    type: JsonType


@dataclass(frozen=True, slots=True)
class Shapes:
    """Resolves references of one document."""

    defs: Mapping[str, JsonValue]

    @classmethod
    def of(cls, document: JsonObject) -> "Shapes":
        return cls(document.get("$defs", {}))

    def resolved(self, schema: JsonValue) -> JsonValue:
        """Resolve a reference, keeping annotations beside it."""
        name = shape_name(schema)
        if name is None:
            return schema
        beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        target = self.resolved(self.defs[name])
        return {**target, **beside} if is_object(target) else target

    def forms(self, schema: JsonValue) -> list[Form]:
        """Alternatives of `schema`; empty if nothing is valid.

        `oneOf` is treated as `anyOf`; `overlaps` reports where that is wrong. Annotations of the whole are
        not copied, except about growing lists.
        """
        schema = self.resolved(schema)
        if is_object(schema):
            schema = {name: value for name, value in schema.items() if name not in _OF_THE_WHOLE}
        return [Form(plain, kind) for plain in self._branches(schema) for kind in types_of(plain)]

    def overlaps(self, schema: JsonValue) -> bool:
        """Whether a value may match two branches of a `oneOf`, which makes it invalid."""
        schema = self.resolved(schema)
        branches = schema.get("oneOf", ()) if is_object(schema) else ()
        choices = [self.forms(branch) for branch in branches]
        return any(
            not _distinguishable(first.schema, second.schema)
            for one, other in combinations(choices, 2)
            for first in one
            for second in other
            if first.type == second.type
        )

    def _branches(self, schema: JsonValue) -> Iterator[JsonObject]:
        schema = self.resolved(schema)
        if schema is False:
            return
        if not is_object(schema):
            yield {}
            return
        union = next((keyword for keyword in _UNIONS if is_array(schema.get(keyword))), None)
        if union is None:
            yield schema
            return
        around = {name: value for name, value in schema.items() if name not in (union, *_OF_THE_WHOLE)}
        for branch in schema[union]:
            yield from (_joined(around, plain) for plain in self._branches(branch))

    def reached(self, schema: JsonValue) -> JsonObject:
        """Shapes that `schema` references, directly or indirectly, by name."""
        found: JsonObject = {}
        waiting = [*references(schema)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self.defs[name]
                waiting.extend(references(found[name]))
        return found

    def allows(self, schema: JsonValue, value: JsonValue) -> bool:
        """Whether `value` is valid, formats included."""
        whole = {**schema, "$defs": dict(self.defs)} if is_object(schema) and self.defs else schema
        return _validator(compact_json(whole)).is_valid(value)


@cache
def _validator(schema: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def _distinguishable(one: JsonObject, other: JsonObject) -> bool:
    """Whether two alternatives of one type are disjoint, by listed values or required members."""
    first, second = listed_values(one), listed_values(other)
    if first is not None and second is not None:
        return not any(value in second for value in first)
    ours, theirs = constants_of(one), constants_of(other)
    if any(ours[name] != theirs[name] for name in ours.keys() & theirs.keys()):
        return True
    return all(
        any(name not in right.get("properties", {}) for name in left.get("required", ()))
        for left, right in ((one, other), (other, one))
    )


def types_of(schema: JsonObject) -> Sequence[JsonType]:
    """Types that a schema without references and unions allows, in fixed order."""
    stated = schema.get("type")
    names: list[str] = (
        [stated] if isinstance(stated, str) else [*_NAMES.values()] if stated is None else stated
    )
    allowed = {*names, *(("integer", "fraction") if "number" in names else ())}
    values = listed_values(schema)
    if values is not None:
        allowed &= {type_of(value) for value in values}
    return [name for name in _NAMES.values() if name in allowed]


def type_of(value: JsonValue) -> JsonType:
    is_whole = isinstance(value, float) and value.is_integer()
    return "integer" if is_whole else next(name for kind, name in _NAMES.items() if isinstance(value, kind))


def listed_values(schema: JsonObject) -> list[JsonValue] | None:
    """The values of `enum` or `const`; None when the schema lists none."""
    if "const" in schema:
        return [schema["const"]]
    values: list[JsonValue] | None = schema.get("enum")
    return values


def constants_of(schema: JsonObject) -> Mapping[str, JsonValue]:
    """Members with a single allowed value, which distinguish this object from others."""
    members: JsonObject = schema.get("properties", {})
    return {name: one["const"] for name, one in members.items() if is_object(one) and "const" in one}


def _joined(around: JsonObject, branch: JsonObject) -> JsonObject:
    """Combine a branch with the keywords around the union; conflicting ones become `allOf`."""
    if not around:
        return branch
    joined = extend(around, branch)
    types = [name for name in types_of(around) if name in types_of(branch)]
    joined["type"] = ["number" if name == "fraction" else name for name in types]
    shared = around.keys() & branch.keys() - {"required", "properties", "type"}
    disputed = any(around[keyword] != branch[keyword] for keyword in shared)
    overlapping = around.get("properties", {}).keys() & branch.get("properties", {}).keys()
    return {**joined, "allOf": [around]} if disputed or overlapping else joined


def canonical(value: JsonValue) -> str:
    """Print JSON so that equal values are equal; distinguishes 1 and true, unlike Python."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def schema_text(schema: JsonValue) -> str:
    """Print a schema without descriptions; "any" if everything is valid."""
    bare = without_words(schema)
    return "any" if bare is True or bare == {} else "nothing" if bare is False else compact_json(bare)


def without_words(schema: JsonValue) -> JsonValue:
    """Reduce `schema` to keywords that affect validity, at every depth."""
    if not is_object(schema):
        return schema
    kept = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in NOT_COMPARED or keyword == "$defs"
    }
    return map_subschemas(kept, without_words)


def types_text(types: Iterable[JsonType]) -> str:
    """The names of types as a schema writes them."""
    given = set(types)
    if {"integer", "fraction"} <= given:
        given = given - {"integer", "fraction"} | {"number"}
    return ", ".join(sorted(given)) or "nothing"


def keyword_text(schema: JsonValue, keyword: str) -> str:
    """Print `maxLength 128`; empty if the keyword is absent."""
    if not is_object(schema) or keyword not in schema:
        return ABSENT
    value = schema[keyword]
    return f"{keyword} {value if isinstance(value, str) else compact_json(value)}"
