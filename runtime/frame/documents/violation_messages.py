"""Explain each schema violation in a call's arguments in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.documents.violations import ArgumentViolation, Place, named, shown

if TYPE_CHECKING:
    import jsonschema_rs

_FORMS: Final = {r"^\d{4}-\d{2}-\d{2}$": "YYYY-MM-DD"}
"""Patterns that have a readable name."""
_INSIDE: Final = frozenset({"properties", "additionalProperties", "items", "anyOf"})
"""Keywords about the inside of a value, or about alternatives."""
_UPPER_BOUNDS: Final = frozenset({"maxItems", "maxLength", "maxProperties"})

_PAIRS: Final = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)

_BOUNDS: Mapping[str, Callable[[JsonValue], str]] = {
    "minimum": lambda limit: f"at least {limit}",
    "maximum": lambda limit: f"at most {limit}",
    "minLength": lambda limit: f"at least {counted(limit, 'character')} long",
    "maxLength": lambda limit: f"at most {counted(limit, 'character')} long",
    "minItems": lambda limit: f"a list of at least {limit}",
    "maxItems": lambda limit: f"a list of at most {limit}",
    "minProperties": lambda limit: f"an object of at least {counted(limit, 'member')}",
    "maxProperties": lambda limit: f"an object of at most {counted(limit, 'member')}",
    "pattern": lambda limit: f"of the form {_FORMS.get(str(limit), limit)}",
    "multipleOf": lambda limit: f"a multiple of {limit}",
}


def violations(
    place: Place, value: JsonValue, schema: JsonObject, *, may_be_left_out: bool = False
) -> Iterator[ArgumentViolation]:
    """Yield violations at and below a place one at a time, so that a reader can stop early.

    The validator lists all errors before it returns the first, which is slow for a long list. A list or text
    that is too long is therefore reported as such, without its contents.
    """
    too_long = False
    for error in _compiled(_without_inside(schema)).iter_errors(value):
        too_long = too_long or error.kind.name in _UPPER_BOUNDS
        yield from _explain(place, value, error, schema, may_be_left_out=may_be_left_out)
    if too_long:
        return
    if "anyOf" in schema:
        yield from _of_alternatives(place, value, schema, may_be_left_out=may_be_left_out)
    if is_object(value):
        yield from _of_members(place, value, schema)
    elif "items" in schema:
        compiled = _compiled(schema["items"])
        for index, element in enumerate(array(value)):
            if not compiled.is_valid(element):
                yield from violations((*place, index), element, schema["items"])


def _of_members(place: Place, value: JsonObject, schema: JsonObject) -> Iterator[ArgumentViolation]:
    known: Mapping[str, JsonObject] = schema.get("properties", {})
    further: JsonValue = schema.get("additionalProperties", True)
    optional = known.keys() - set(schema.get("required", ()))
    compiled = {name: _compiled(inner) for name, inner in known.items() if name in value}
    others = _compiled(further)
    for name, member in value.items():
        if compiled.get(name, others).is_valid(member):
            continue
        inside = (*place, name)
        if name in known:
            yield from violations(inside, member, known[name], may_be_left_out=name in optional)
        elif is_object(further):
            yield from violations(inside, member, further)
        else:
            yield _unknown_member(inside, known, member)


def _of_alternatives(
    place: Place, value: JsonValue, schema: JsonObject, *, may_be_left_out: bool
) -> Iterator[ArgumentViolation]:
    """Yield violations of the alternative for the value's own type. If none fits the type, report that."""
    forms: list[JsonObject] = schema["anyOf"]
    if any(_compiled(form).is_valid(value) for form in forms):
        return
    own = [form for form in forms if "type" not in form or _compiled({"type": form["type"]}).is_valid(value)]
    if len(own) == 1:
        yield from violations(place, value, own[0])
    else:
        yield _misfit(place, value, "anyOf", None, schema, may_be_left_out=may_be_left_out)


def _explain(
    place: Place,
    value: JsonValue,
    error: "jsonschema_rs.ValidationError",
    schema: JsonObject,
    *,
    may_be_left_out: bool,
) -> Iterator[ArgumentViolation]:
    rule = error.kind.name
    if rule == "required":
        yield _missing((*place, error.kind.value), schema)
    else:
        yield _misfit(place, value, rule, error.kind.value, schema, may_be_left_out=may_be_left_out)


def _missing(place: Place, schema: JsonObject) -> ArgumentViolation:
    wanted: JsonObject = schema.get("properties", {}).get(place[-1], {})
    message = f"{named(place)} is missing"
    if "enum" not in wanted:
        return ArgumentViolation(place, "required", message)
    accepted, choice = _wanted("enum", wanted["enum"], wanted)
    return ArgumentViolation(place, "required", f"{message}; it must be {choice}", accepted)


def _misfit(
    place: Place, value: JsonValue, rule: str, limit: JsonValue, schema: JsonObject, *, may_be_left_out: bool
) -> ArgumentViolation:
    accepted, wanted = _wanted(rule, limit, schema)
    nearest = nearest_name(value, accepted) if rule == "enum" else None
    if value is None and may_be_left_out:
        wanted += ", or left out"
    elif isinstance(value, str) and value.startswith(("{", "[")) and {"object", "array"} & set(accepted):
        wanted += ", not JSON in a string"
    message = f"{named(place)} is {shown(value)}; it must be {wanted}"
    bounds = _bounds(rule, schema)
    return ArgumentViolation(
        place, rule, message, accepted, nearest, (), value, has_value=True, bounds=bounds
    )


def _bounds(rule: str, schema: JsonObject) -> tuple[tuple[str, JsonValue], ...]:
    """Bounds of a value or its length that belong to a violated bound, lowest first."""
    pair = next((pair for pair in _PAIRS if rule in pair), ("", ""))
    named_bounds = zip(("minimum", "maximum"), pair, strict=True)
    return tuple((name, schema[keyword]) for name, keyword in named_bounds if keyword in schema)


def _unknown_member(place: Place, known: Mapping[str, JsonObject], value: JsonValue) -> ArgumentViolation:
    name = str(place[-1])
    inside = next((each for each, schema in known.items() if name in schema.get("properties", {})), None)
    nearest = nearest_name(name, tuple(known)) if inside is None else None
    meant = f"{inside}.{name}" if inside else nearest
    hint = f" (did you mean {meant}?)" if meant else ""
    path = (inside, name) if inside else (nearest,) if nearest else ()
    choice = f"the known ones are {', '.join(known)}" if known else "there are none here"
    message = f"{named(place)} is not known{hint}; {choice}"
    return ArgumentViolation(
        place, "additionalProperties", message, tuple(known), nearest, path, value, has_value=True
    )


def _wanted(rule: str, limit: JsonValue, parent: JsonObject) -> tuple[tuple[str, ...], str]:
    """Describe what a rule accepts, as a list and in words."""
    if rule == "enum":
        values = tuple(map(str, limit))
        return values, f"one of {', '.join(values)}"
    if rule in ("type", "anyOf"):
        alternatives: list[JsonObject] = parent.get("anyOf", []) if rule == "anyOf" else [parent]
        types = tuple(dict.fromkeys(str(each["type"]) for each in alternatives if "type" in each))
        return types, f"of type {' or '.join(types)}"
    describe = _BOUNDS.get(rule)
    return (), describe(limit) if describe else f"right by the rule {rule}"


def _without_inside(schema: JsonObject) -> JsonObject:
    return {keyword: limit for keyword, limit in schema.items() if keyword not in _INSIDE}


def _compiled(schema: JsonValue) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema)
