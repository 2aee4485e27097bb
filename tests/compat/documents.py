"""Documents drawn from a schema, and schemas drawn at random: what the checker is tried with."""

import copy
import re
from collections.abc import Iterator
from typing import TypeAlias

import jsonschema
from hypothesis import strategies as st

from vcontract.codegen.documents import JsonObject, JsonValue, is_object

FORMATS = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "email": st.sampled_from(["ada@example.com", "b@c.example"]),
}

anything: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.floats(-5, 50) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


def fits(schema: JsonValue, document: JsonValue) -> bool:
    """Whether a document fits, formats included: by another library than the checker's."""
    return _validator(schema).is_valid(document)  # pyright: ignore[reportUnknownMemberType]


def _validator(schema: JsonValue) -> jsonschema.Draft202012Validator:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return jsonschema.Draft202012Validator(schema, format_checker=checker)


def documents(schema: JsonValue) -> st.SearchStrategy[JsonValue]:
    """Documents that fit, drawn from all over what the schema allows."""
    validator = _validator(schema)
    return _drawn(schema).filter(
        lambda document: validator.is_valid(document)  # pyright: ignore[reportUnknownMemberType]
    )


def _drawn(schema: JsonValue) -> st.SearchStrategy[JsonValue]:
    if schema is False:
        return st.nothing()
    if not is_object(schema):
        return anything
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return st.one_of(*map(_drawn, schema[union]))
    stated = schema.get("type")
    if stated is None:
        return anything
    names: list[str] = [stated] if isinstance(stated, str) else stated
    return st.one_of(*(_of_type(name, schema) for name in names))


def _of_type(name: str, schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    match name:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "string":
            return _texts(schema)
        case "integer" | "number":
            return _numbers(schema, whole=name == "integer")
        case "array":
            most = schema.get("maxItems", schema.get("minItems", 0) + 2)
            return st.lists(
                _drawn(schema.get("items", True)), min_size=schema.get("minItems", 0), max_size=most
            )
        case _:
            return _objects(schema)


def _texts(schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    if "format" in schema:
        return FORMATS[schema["format"]]
    if "pattern" in schema:
        return st.from_regex(re.compile(schema["pattern"]), fullmatch=False)
    least = schema.get("minLength", 0)
    return st.text(min_size=least, max_size=schema.get("maxLength", least + 5))


def _numbers(schema: JsonObject, *, whole: bool) -> st.SearchStrategy[JsonValue]:
    step = schema.get("multipleOf")
    if step:
        return st.integers(-20, 40).map(lambda count: count * step)
    low = _first(schema, ("minimum", "exclusiveMinimum"), -5)
    high = _first(schema, ("maximum", "exclusiveMaximum"), 50)
    return st.integers(round(low), round(high)) if whole else st.floats(low, high) | st.integers(-5, 50)


def _first(schema: JsonObject, keywords: tuple[str, ...], otherwise: float) -> float:
    return next((schema[keyword] for keyword in keywords if keyword in schema), otherwise)


def _objects(schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    members: JsonObject = schema.get("properties", {})
    further = schema.get("additionalProperties", True)
    required = set(schema.get("required", ()))
    declared = st.fixed_dictionaries(
        {name: _drawn(members.get(name, further)) for name in sorted(required)},
        optional={name: _drawn(member) for name, member in members.items() if name not in required},
    )
    if further is False:
        return declared
    names = st.sampled_from(["kind", "a", "b", "other"])
    others = st.dictionaries(names, _drawn(further), max_size=2)
    return st.builds(_joined, others, declared)


def _joined(others: JsonObject, declared: JsonObject) -> JsonObject:
    return {**others, **declared}


_bound = st.integers(0, 4)


def _some(**optional: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonObject]:
    return st.fixed_dictionaries({}, optional=optional)


def _typed(name: str, **optional: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonObject]:
    return _some(**optional).map(lambda keywords: {"type": name, **keywords})


def _object_schemas(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonObject]:
    names = ("a", "b", "kind")
    return st.builds(
        _object_schema,
        st.fixed_dictionaries({}, optional=dict.fromkeys(names, inner)),
        st.lists(st.sampled_from(names), unique=True),
        _some(additionalProperties=st.booleans() | inner, minProperties=st.integers(0, 2)),
    )


def _object_schema(members: JsonObject, required: list[str], further: JsonObject) -> JsonObject:
    needed = [name for name in required if name in members]
    return {"type": "object", "properties": members, "required": needed, **further}


_leaves: st.SearchStrategy[JsonValue] = st.one_of(
    _typed("string", minLength=_bound, maxLength=st.integers(4, 8)),
    _typed("string", enum=st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, unique=True)),
    _typed("integer", minimum=_bound, maximum=st.integers(4, 9)),
    _typed("integer", exclusiveMinimum=_bound, multipleOf=st.integers(1, 3)),
    _typed("number", minimum=_bound, exclusiveMaximum=st.integers(5, 9)),
    st.just({"type": "boolean"}),
    st.just({"type": ["string", "null"]}),
    st.just({}),
)

schemas: st.SearchStrategy[JsonObject] = _object_schemas(
    st.recursive(
        _leaves,
        lambda inner: st.one_of(
            _object_schemas(inner),
            _typed("array", items=inner, minItems=_bound, maxItems=st.integers(4, 6)),
            st.lists(inner, min_size=2, max_size=3).map(lambda branches: {"anyOf": branches}),
        ),
        max_leaves=4,
    )
)
"""Object schemas of the kinds that contracts have."""


Place: TypeAlias = tuple[JsonValue, str | int]
"""A container and the key of a schema in it."""


@st.composite
def edited(draw: st.DrawFn, schema: JsonObject) -> JsonObject:
    """`schema` with one schema in it exchanged for another, or with one keyword left out or set."""
    root: JsonObject = {"root": copy.deepcopy(schema)}
    places: list[Place] = [(root, "root"), *_inside(root["root"])]
    place: Place = draw(st.sampled_from(places))
    holder, key = place
    inner = holder[key]
    match draw(st.sampled_from(["exchange", "leave out", "set"])):
        case "leave out" if is_object(inner) and inner.keys() - {"type"}:
            del inner[draw(st.sampled_from(sorted(inner.keys() - {"type"})))]
        case "set" if is_object(inner) and inner.get("type") == "object":
            inner["additionalProperties"] = draw(st.booleans() | _leaves)
        case _ if holder is root:
            inner["properties"] = {**inner.get("properties", {}), "other": draw(_leaves)}
        case _:
            holder[key] = draw(_leaves)
    changed: JsonObject = root["root"]
    return changed


def _inside(schema: JsonValue) -> Iterator[Place]:
    """The place of each schema below `schema`."""
    if not is_object(schema):
        return
    places: list[Place] = [(schema.get("properties"), name) for name in schema.get("properties", {})]
    places += [(schema, name) for name in ("items", "additionalProperties") if is_object(schema.get(name))]
    places += [(schema["anyOf"], index) for index in range(len(schema.get("anyOf", ())))]
    for holder, key in places:
        yield holder, key
        yield from _inside(holder[key])
