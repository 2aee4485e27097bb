"""What a state of the contract promises, as JSON Schemas that a witness fits or does not."""

from collections.abc import Sequence
from typing import Final

from vcontract.codegen.compat.findings import Witness
from vcontract.codegen.compat.state import State
from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.schemas import map_subschemas

STABILITIES: Final[Sequence[str]] = ("experimental", "beta", "stable")

PROMISED_HINTS: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
"""The value of each annotation that a client relies on; the other one promises nothing."""


def tool_named(state: State, name: str) -> JsonObject | None:
    """The tool that answers to `name`, as its name or as an alias."""
    aliased = (tool for tool in state.tools.values() if name in tool["aliases"])
    return state.tools.get(name) or next(aliased, None)


def promised(state: State, witness: Witness) -> JsonValue:
    """The schema that a document of the witness' kind fits in `state`; False when there is no such tool."""
    tool = tool_named(state, witness.document["name"])
    if tool is None:
        return False
    match witness.kind:
        case "call":
            return _holding("arguments", tool["inputSchema"])
        case "response":
            return _holding("response", as_read(tool["outputSchema"]))
        case "listing":
            return listing_promise(tool)


def as_read(schema: JsonValue) -> JsonValue:
    """`schema` for a reader that ignores properties it does not know."""
    if not is_object(schema):
        return schema
    opened = map_subschemas(schema, as_read)
    if opened.get("additionalProperties") is False:
        del opened["additionalProperties"]
    return opened


def listing_promise(tool: JsonObject) -> JsonObject:
    """What tools/list may say of a tool without breaking what it said before."""
    hints = tool["annotations"]
    kept = {name: {"const": value} for name, value in PROMISED_HINTS.items() if hints[name] is value}
    return {
        "properties": {
            "stability": {"enum": list(STABILITIES[STABILITIES.index(tool["stability"]) :])},
            "annotations": {"properties": kept},
        }
    }


def _holding(member: str, schema: JsonObject) -> JsonObject:
    """The schema of an object whose `member` fits `schema`; its `$defs` stay where references find them."""
    inner = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    return {"type": "object", "properties": {member: inner}, "$defs": schema.get("$defs", {})}
