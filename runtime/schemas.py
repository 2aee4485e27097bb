"""A tool's two schemas, compiled: what its arguments and its answers must be like."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError as ModelMismatch

from vcontract.runtime.documents import JsonObject, JsonValue
from vcontract.runtime.vcon.findings import counted
from vcontract.runtime.violations import (
    VIOLATIONS_LISTED,
    ArgumentViolation,
    Place,
    named,
    nearest_name,
    shown,
)

if TYPE_CHECKING:
    import jsonschema_rs

_MOST_RULES_LOGGED = 5


_BOUNDS: Mapping[str, Callable[[JsonValue], str]] = {
    "minimum": lambda limit: f"at least {limit}",
    "maximum": lambda limit: f"at most {limit}",
    "minLength": lambda limit: f"at least {counted(limit, 'character')} long",
    "maxLength": lambda limit: f"at most {counted(limit, 'character')} long",
    "minItems": lambda limit: f"a list of at least {limit}",
    "maxItems": lambda limit: f"a list of at most {limit}",
    "minProperties": lambda limit: f"an object of at least {counted(limit, 'member')}",
    "maxProperties": lambda limit: f"an object of at most {counted(limit, 'member')}",
    "pattern": lambda limit: f"of the form {limit}",
    "multipleOf": lambda limit: f"a multiple of {limit}",
}


class ToolSchemas:
    """Checks arguments and answers against the published schemas, each compiled once."""

    def __init__(self, contract: JsonObject) -> None:
        import jsonschema_rs  # loaded with the first call, not with the server

        self.input_schema: JsonObject = contract["inputSchema"]
        self._input = jsonschema_rs.Draft202012Validator(self.input_schema)
        self._output = jsonschema_rs.Draft202012Validator(contract["outputSchema"])

    def take(self, arguments: JsonObject) -> bool:
        """Whether the arguments fit the input schema."""
        return self._input.is_valid(arguments)

    def argument_violations(self, arguments: JsonObject) -> tuple[list[ArgumentViolation], int]:
        """The first 100 violations of the input schema and their number; ([], 0) for arguments that fit."""
        if self._input.is_valid(arguments):
            return [], 0
        listed: list[ArgumentViolation] = []
        count = 0
        for violation in _explain_all(self._input.iter_errors(arguments), self.input_schema):
            count += 1
            if count <= VIOLATIONS_LISTED:
                listed.append(violation)
        return listed, count

    def output_violations(self, document: JsonValue) -> list[str]:
        """The places in the output schema that the answer breaks, at most five; [] when it fits.

        Places in the schema and not in the answer: an answer's member names can be a caller's words.
        """
        if self._output.is_valid(document):
            return []
        errors = islice(self._output.iter_errors(document), _MOST_RULES_LOGGED)
        return ["/".join(map(str, error.schema_path)) for error in errors]


def model_violations(mismatch: ModelMismatch) -> tuple[list[ArgumentViolation], int]:
    """Violations of arguments that fit the schema but not the model made from it, and their number."""
    errors = mismatch.errors(include_url=False, include_context=False)
    listed = [
        ArgumentViolation(
            place=error["loc"],
            rule=error["type"],
            message=f"{named(error['loc'])} is {shown(error['input'])}: {error['msg']}",
        )
        for error in errors[:VIOLATIONS_LISTED]
    ]
    return listed, len(errors)


def _explain_all(
    errors: Iterable["jsonschema_rs.ValidationError"], schema: JsonObject
) -> Iterable[ArgumentViolation]:
    for error in errors:
        yield from _explain(error, schema)


def _explain(error: "jsonschema_rs.ValidationError", schema: JsonObject) -> Iterable[ArgumentViolation]:
    """The violations in one error of the validator, each with its own place."""
    place: Place = tuple(error.instance_path)
    rule = error.kind.name
    limit: JsonValue = error.kind.value
    instance: JsonValue = error.instance
    parent = _schema_at(schema, error.schema_path[:-1])
    if rule == "additionalProperties":
        return [
            _unknown_member((*place, name), parent.get("properties", {}), instance.get(name))
            for name in limit
        ]
    if rule == "required":
        missing = (*place, limit)
        return [ArgumentViolation(missing, rule, f"{named(missing)} is missing")]
    if rule == "anyOf":
        branch = _branch_of_its_type(error)
        if branch:
            return _explain_all(branch, schema)
    accepted, wanted = _wanted(rule, limit, parent)
    nearest = nearest_name(instance, accepted) if rule == "enum" else None
    if instance is None and _may_be_left_out(error, schema):
        wanted += ", or left out"
    elif (
        isinstance(instance, str) and instance.startswith(("{", "[")) and {"object", "array"} & set(accepted)
    ):
        wanted += ", not JSON in a string"
    message = f"{named(place)} is {shown(instance)}; it must be {wanted}"
    return [ArgumentViolation(place, rule, message, accepted, nearest, instance, has_value=True)]


def _unknown_member(place: Place, known: Mapping[str, JsonObject], value: JsonValue) -> ArgumentViolation:
    name = str(place[-1])
    inside = next((each for each, schema in known.items() if name in schema.get("properties", {})), None)
    nearest = nearest_name(name, tuple(known)) if inside is None else None
    meant = f"{inside}.{name}" if inside else nearest
    hint = f" (did you mean {meant}?)" if meant else ""
    choice = f"the known ones are {', '.join(known)}" if known else "there are none here"
    message = f"{named(place)} is not known{hint}; {choice}"
    return ArgumentViolation(
        place, "additionalProperties", message, tuple(known), nearest, value, has_value=True
    )


def _may_be_left_out(error: "jsonschema_rs.ValidationError", schema: JsonObject) -> bool:
    """Whether an error is of a member that its object need not have."""
    path = error.schema_path
    if len(path) < 3 or path[-3] != "properties":
        return False
    return path[-2] not in _schema_at(schema, path[:-3]).get("required", ())


def _branch_of_its_type(error: "jsonschema_rs.ValidationError") -> Sequence["jsonschema_rs.ValidationError"]:
    """The errors of the one alternative that is of the value's own type; () when there is no such one."""
    branches = cast("list[list[jsonschema_rs.ValidationError]]", getattr(error.kind, "context", []))
    of_its_type = [
        branch
        for branch in branches
        if not any(each.kind.name == "type" and each.instance_path == error.instance_path for each in branch)
    ]
    return of_its_type[0] if len(of_its_type) == 1 else ()


def _wanted(rule: str, limit: JsonValue, parent: JsonObject) -> tuple[tuple[str, ...], str]:
    """What a rule accepts, as a list and in words."""
    if rule == "enum":
        values = tuple(map(str, limit))
        return values, f"one of {', '.join(values)}"
    if rule in ("type", "anyOf"):
        alternatives: list[JsonObject] = parent.get("anyOf", []) if rule == "anyOf" else [parent]
        types = tuple(dict.fromkeys(str(each["type"]) for each in alternatives if "type" in each))
        return types, f"of type {' or '.join(types)}"
    describe = _BOUNDS.get(rule)
    return (), describe(limit) if describe else f"right by the rule {rule}"


def _schema_at(schema: JsonObject, path: Sequence[str | int]) -> JsonObject:
    """The sub-schema at a path of keywords, names and positions that the validator gave for `schema`."""
    found: JsonValue = schema
    for step in path:
        found = found[step]
    return cast("JsonObject", found)
