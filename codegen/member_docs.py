"""Describe the members of a schema for reference pages: path, type, presence, description."""

from collections.abc import Iterator
from dataclasses import dataclass

from vcontract.codegen.documents import JsonObject, JsonValue, is_object, print_json
from vcontract.codegen.schemas import DEFS


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object. Literal values are in backticks."""

    path: str
    """From the object that was asked about: `page.next_cursor`, `items[].id`."""
    depth: int
    """0 for the object's own."""
    type: str
    required: bool
    description: str
    """Its default included."""


def members_of(
    schema: JsonObject, definitions: JsonObject | None = None, levels: int = 3
) -> Iterator[Member]:
    """The members of `schema`, those of a member right below it, down to `levels` levels.

    `definitions` are what its references lead to, the schema's own if not given.
    """
    defs: JsonObject = schema.get("$defs", {}) if definitions is None else definitions
    yield from _members(schema, defs, "", 0, levels)


def _members(schema: JsonObject, defs: JsonObject, prefix: str, depth: int, levels: int) -> Iterator[Member]:
    required: list[str] = schema.get("required", [])
    for name, declared in schema.get("properties", {}).items():
        member = _resolved(declared, defs)
        yield Member(
            path=prefix + name,
            depth=depth,
            type=" ".join(_type_of(member, defs).split()),
            required=name in required,
            description=" ".join(f"{member.get('description', '')} {_default(member)}".split()),
        )
        inner, mark = _inner(member, defs)
        if depth + 1 < levels and inner is not None:
            yield from _members(inner, defs, f"{prefix}{name}{mark}.", depth + 1, levels)


def _inner(schema: JsonObject, defs: JsonObject) -> tuple[JsonObject | None, str]:
    if schema.get("type") == "array":
        return _resolved(schema.get("items", {}), defs), "[]"
    return (schema, "") if "properties" in schema else (None, "")


def _resolved(schema: JsonValue, defs: JsonObject) -> JsonObject:
    if not is_object(schema):
        return {}
    reference = schema.get("$ref")
    if reference is None:
        return schema
    return {**_resolved(defs[reference.removeprefix(DEFS)], defs), **schema}


def _type_of(schema: JsonObject, defs: JsonObject) -> str:
    if "const" in schema:
        return f"`{print_json(schema['const']).strip()}`"
    if "enum" in schema:
        return " | ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type_of(_resolved(branch, defs), defs) for branch in schema["anyOf"])
    stated = schema.get("type", "any")
    types: list[str] = [stated] if isinstance(stated, str) else stated
    named = [_array_type(schema, defs) if name == "array" else name for name in types]
    return " | ".join(named) + _bounds(schema)


def _array_type(schema: JsonObject, defs: JsonObject) -> str:
    items = _resolved(schema.get("items", {}), defs)
    return f"array of {_type_of(items, defs)}" if items else "array"


def _bounds(schema: JsonObject) -> str:
    for least, most, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " character"),
        ("minItems", "maxItems", " element"),
        ("minProperties", "maxProperties", " member"),
    ):
        low, high = schema.get(least), schema.get(most)
        last = low if high is None else high
        if last is None:
            continue
        words = (
            f"{low} to {high}"
            if None not in (low, high)
            else f"at {'least' if high is None else 'most'} {last}"
        )
        return f", {words}{unit}{'s' if unit and last != 1 else ''}"
    return ""


def _default(schema: JsonObject) -> str:
    return f"Default `{_compact(schema['default'])}`." if "default" in schema else ""


def _compact(value: JsonValue) -> str:
    return " ".join(print_json(value).split())
