"""A tool's input and output schema, compiled: validate arguments and responses, and drop placeholders."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError as ModelMismatch

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, as_doubles, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.frame.documents.violation_messages import violations
from vcontract.runtime.frame.documents.violations import VIOLATIONS_LISTED, ArgumentViolation, named, shown

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as Validator

_MAX_LOGGED_ERRORS = 5
_EMPTY: Final[JsonObject] = {"string": "", "array": [], "object": {}}
_MINIMUM_KEYWORDS: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
"""Type to the keyword for its minimum length."""


class ToolSchemas:
    """Validates arguments and responses against the published schemas, each compiled once."""

    def __init__(self, contract: JsonObject) -> None:
        import jsonschema_rs  # loaded with the first call, not with the server

        self.input_schema: JsonObject = contract["inputSchema"]
        self.idempotent: bool = contract.get("annotations", {}).get("idempotentHint", False)
        self._input = jsonschema_rs.Draft202012Validator(self.input_schema)
        self._output = jsonschema_rs.Draft202012Validator(contract["outputSchema"])

    def given(self, arguments: JsonObject) -> JsonObject:
        """Return the arguments with JSON sent as text parsed, and without placeholders such as null."""
        return without_placeholders(parsed_texts(arguments, self.input_schema), self.input_schema)

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
        """Up to five places in the output schema that the response violates; [] if it is valid.

        These are places in the schema, not in the response, because a response's member names can be a
        caller's words.
        """
        if _fits(self._output, document):
            return []
        errors = islice(self._output.iter_errors(as_doubles(document)), _MAX_LOGGED_ERRORS)
        return ["/".join(map(str, error.schema_path)) for error in errors]


def _fits(schema: "Validator", document: JsonValue) -> bool:
    """Whether the document is valid. Written numbers become doubles if the library does not accept them."""
    with suppress(ValueError):
        if schema.is_valid(document):
            return True
    return schema.is_valid(as_doubles(document))


def compiled(read: Callable[[str], JsonObject]) -> Callable[[str], ToolSchemas]:
    """Return a function from a tool's name to its schemas, which it compiles on first use.

    `read` returns the contract of a tool by name. A start compiles nothing.
    """

    @cache
    def schemas_of(name: str) -> ToolSchemas:
        return ToolSchemas(read(name))

    return schemas_of


def model_violations(mismatch: ModelMismatch) -> tuple[list[ArgumentViolation], bool]:
    """List violations of arguments that fit the schema but not the model generated from it."""
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
    """Drop optional arguments that are only placeholders, according to an input schema.

    Placeholders are the published default, and a null that the schema does not accept. An empty text, list or
    object is one too, unless the schema states a minimum length of 0. Within an open object, which is a
    caller's document, only such a null is dropped.
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


def parsed_texts(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """Parse values that a client sent as JSON text, where an input schema accepts no text.

    A bare text becomes a list where a list of texts is wanted. If text is accepted too, only a JSON list
    of texts is parsed. An open object, which is a caller's document, stays as it is.
    """
    properties = members(schema.get("properties"))
    if schema.get("additionalProperties") is not False:
        return arguments
    return {name: _parsed(value, members(properties.get(name))) for name, value in arguments.items()}


def _parsed(value: JsonValue, schema: JsonObject) -> JsonValue:
    branches = _branches(schema)
    if isinstance(value, str):
        value = _from_text(value, branches)
    if is_object(value):
        return parsed_texts(value, _branch_of("object", branches))
    if is_array(value):
        items = members(_branch_of("array", branches).get("items"))
        return [_parsed(each, items) for each in value]
    return value


def _branch_of(type_: str, branches: Sequence[JsonObject]) -> JsonObject:
    return next((one for one in branches if one.get("type") == type_), JsonObject())


def _from_text(text: str, branches: Sequence[JsonObject]) -> JsonValue:
    """Return the value in the text if one of these types is wanted, or the text."""
    types = {name for branch in branches for name in _types_of(branch)}
    if not types or not text.strip():
        return text
    value: JsonValue = text
    with suppress(ValueError):
        value = parse_json(text)
    if "string" in types:
        is_list = "array" in types and is_array(value) and bool(value)
        return value if is_list and all(isinstance(each, str) for each in value) else text
    if types & _types_that_take(value):
        return value
    texts = any(_types_of(members(branch.get("items"))) & {"string"} for branch in branches)
    return [text] if "array" in types and texts and not text.lstrip().startswith(("[", "{")) else text


def _types_of(branch: JsonObject) -> set[str]:
    """Return the types that a schema names, or those of its allowed values."""
    declared = branch.get("type")
    if declared is None:
        return {"string"} if any(isinstance(each, str) for each in array(branch.get("enum"))) else set()
    return {declared} if isinstance(declared, str) else set(array(declared))


def _types_that_take(value: JsonValue) -> set[str]:
    match value:
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", "integer"} if value.is_integer() else {"number"}
        case dict():
            return {"object"}
        case list():
            return {"array"}
        case _:
            return set()


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
    """Whether the value is empty where the schema gives emptiness no meaning of its own."""
    type_ = next((name for name, empty in _EMPTY.items() if value == empty), None)
    branch = next((branch for branch in _branches(schema) if branch.get("type") == type_), None)
    if type_ is None or branch is None:
        return False
    least = branch.get(_MINIMUM_KEYWORDS[type_])
    return bool(least) or (least is None and not _takes_null(schema))


def _takes_null(schema: JsonObject) -> bool:
    return any(branch.get("type", "null") == "null" for branch in _branches(schema))


def _branches(schema: JsonObject) -> list[JsonObject]:
    """List the schemas of one type each, any of which a value may match."""
    return [members(branch) for branch in array(schema.get("anyOf"))] or [schema]
