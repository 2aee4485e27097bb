"""A tool's two schemas, compiled: what its arguments and its answers must be like."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pydantic import ValidationError as ModelMismatch

from vcontract.runtime.calls.placeholders import without_placeholders
from vcontract.runtime.documents.explanations import violations
from vcontract.runtime.documents.json import JsonObject, JsonValue, as_doubles
from vcontract.runtime.documents.violations import VIOLATIONS_LISTED, ArgumentViolation, named, shown

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as Validator

_MOST_RULES_LOGGED = 5


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
        errors = islice(self._output.iter_errors(as_doubles(document)), _MOST_RULES_LOGGED)
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
