"""A tool's two schemas, compiled: what arguments and answers must be like, and what counts as given."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError as ModelMismatch

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, as_doubles
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.frame.documents.violation_messages import violations
from vcontract.runtime.frame.documents.violations import VIOLATIONS_LISTED, ArgumentViolation, named, shown

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as Validator

_MAX_LOGGED_ERRORS = 5
_EMPTY: Final[JsonObject] = {"string": "", "array": [], "object": {}}
_MINIMUM_KEYWORDS: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
"""By type the keyword for the least length of a value."""


class ToolSchemas:
    """Checks arguments and answers against the published schemas, each compiled once."""

    def __init__(self, contract: JsonObject) -> None:
        import jsonschema_rs  # loaded with the first call, not with the server

        self.input_schema: JsonObject = contract["inputSchema"]
        self.idempotent: bool = contract.get("annotations", {}).get("idempotentHint", False)
        self._input = jsonschema_rs.Draft202012Validator(self.input_schema)
        self._output = jsonschema_rs.Draft202012Validator(contract["outputSchema"])

    def given(self, arguments: JsonObject) -> JsonObject:
        """The arguments without those that only fill a place."""
        return without_placeholders(arguments, self.input_schema)

    def take(self, arguments: JsonObject) -> bool:
        """Whether the arguments fit the input schema."""
        return _fits(self._input, arguments)

    def argument_violations(self, arguments: JsonObject) -> tuple[list[ArgumentViolation], bool]:
        """The first 100 violations of the input schema, and whether there are more; none for what fits."""
        if self.take(arguments):
            return [], False
        found = list(islice(violations((), as_doubles(arguments), self.input_schema), VIOLATIONS_LISTED + 1))
        return found[:VIOLATIONS_LISTED], len(found) > VIOLATIONS_LISTED

    def output_violations(self, document: JsonValue) -> list[str]:
        """The places in the output schema that the answer breaks, at most five; [] when it fits.

        Places in the schema and not in the answer: an answer's member names can be a caller's words.
        """
        if _fits(self._output, document):
            return []
        errors = islice(self._output.iter_errors(as_doubles(document)), _MAX_LOGGED_ERRORS)
        return ["/".join(map(str, error.schema_path)) for error in errors]


def _fits(schema: "Validator", document: JsonValue) -> bool:
    """Whether the document fits; the library takes a written number for no number, or fails at one."""
    with suppress(ValueError):
        if schema.is_valid(document):
            return True
    return schema.is_valid(as_doubles(document))


def compiled(read: Callable[[str], JsonObject]) -> Callable[[str], ToolSchemas]:
    """Answers the schemas of the contract that `read` has by a name.

    They are compiled when they are first asked for, so that a start compiles nothing.
    """

    @cache
    def schemas_of(name: str) -> ToolSchemas:
        return ToolSchemas(read(name))

    return schemas_of


def model_violations(mismatch: ModelMismatch) -> tuple[list[ArgumentViolation], bool]:
    """The same of arguments that fit the schema but not the model made from it."""
    errors = mismatch.errors(include_url=False, include_context=False)
    listed = [
        ArgumentViolation(
            place=error["loc"],
            rule=error["type"],
            message=f"{named(error['loc'])} is {shown(error['input'])}: {error['msg']}",
        )
        for error in errors[:VIOLATIONS_LISTED]
    ]
    return listed, len(errors) > VIOLATIONS_LISTED


def without_placeholders(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """The arguments that are given, by an input schema: optional ones that only fill a place are left out.

    Those are the published default, and a null that the schema does not take. An empty text, list or object
    is absent unless the schema states a minimum length of 0. Within an open object, which is a caller's
    document, only such a null is left out.
    """
    required = array(schema.get("required"))
    is_document = schema.get("additionalProperties") is not False
    given: JsonObject = {}
    for name, sent in arguments.items():
        property_ = members(members(schema.get("properties")).get(name))
        value: JsonValue = sent
        if is_object(sent) and "properties" in property_:
            value = without_placeholders(sent, property_)
        is_optional = bool(property_) and name not in required
        if not is_optional or not _fills_a_place(value, property_, is_document=is_document):
            given[name] = value
    return given


def _fills_a_place(value: JsonValue, schema: JsonObject, *, is_document: bool) -> bool:
    if value is None:
        return not _takes_null(schema)
    if is_document:
        return False
    default = schema.get("default")
    return (value == default and isinstance(value, bool) == isinstance(default, bool)) or _is_empty(
        value, schema
    )


def _is_empty(value: JsonValue, schema: JsonObject) -> bool:
    """Whether the value is an empty one of its type, where that is none or says no more than null."""
    type_ = next((name for name, empty in _EMPTY.items() if value == empty), None)
    branch = next((branch for branch in _branches(schema) if branch.get("type") == type_), None)
    if type_ is None or branch is None:
        return False
    least = branch.get(_MINIMUM_KEYWORDS[type_])
    return bool(least) or (least is None and not _takes_null(schema))


def _takes_null(schema: JsonObject) -> bool:
    return any(branch.get("type", "null") == "null" for branch in _branches(schema))


def _branches(schema: JsonObject) -> list[JsonObject]:
    """The schemas of one type each, any of which a value may fit."""
    return [members(branch) for branch in array(schema.get("anyOf"))] or [schema]
