"""What a state of the contract promises, as JSON Schemas that a witness fits or does not."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.compat.findings import Witness
from vcontract.codegen.compat.state import State
from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.schemas import map_subschemas

RESOURCE: Final = "resource "
PROMPT: Final = "prompt "
"""What stands before the name of a resource or prompt, so that a tool of the same name is another."""

SCOPES: Final[Sequence[str]] = ("read", "write", "admin")
"""What a caller may do; who may do one of them may do those before it."""

STABILITIES: Final[Sequence[str]] = ("experimental", "beta", "stable")

PROMISED_HINTS: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
"""The value of each annotation that a client relies on; the other one promises nothing."""


def tool_named(state: State, name: str) -> JsonObject | None:
    """The tool that answers to `name`, as its name or as an alias."""
    aliased = (tool for tool in state.tools.values() if name in tool["aliases"])
    return state.tools.get(name) or next(aliased, None)


def arguments_schema(prompt: JsonObject) -> JsonObject:
    """What a prompt takes, as the schema of one object."""
    return {
        "type": "object",
        "properties": {
            argument["name"]: {
                "type": "string",
                "description": argument["description"],
                **({"enum": argument["values"]} if "values" in argument else {}),
            }
            for argument in prompt["arguments"]
        },
        "required": [argument["name"] for argument in prompt["arguments"] if argument["required"]],
        "additionalProperties": False,
    }


def entry_named(state: State, name: str) -> JsonObject | None:
    """The tool, resource or prompt of this name, with what it takes and answers where a tool has it."""
    if name.startswith(RESOURCE):
        resource = state.resources.get(name.removeprefix(RESOURCE))
        return resource and {
            "inputSchema": resource["paramsSchema"],
            "outputSchema": resource["contentSchema"],
            "uris": [entry["uri"] for entry in resource["uris"]],
        }
    if name.startswith(PROMPT):
        asked = name.removeprefix(PROMPT)
        aliased = (prompt for prompt in state.prompts.values() if asked in prompt["aliases"])
        prompt = state.prompts.get(asked) or next(aliased, None)
        return prompt and {"inputSchema": arguments_schema(prompt)}
    return tool_named(state, name)


def promised(state: State, witness: Witness) -> JsonValue:
    """The schema that a document of the witness' kind fits in `state`; False when there is no such tool."""
    if witness.kind == "fact":
        of_modes: JsonObject = {"required": ["mode"], "not": {"enum": _refusals(state)}}
        return {"anyOf": [{"enum": list(_facts(state))}, of_modes]}
    tool = entry_named(state, witness.document["name"])
    if tool is None:
        return False
    match witness.kind:
        case "call":
            return _holding("arguments", tool["inputSchema"])
        case "response":
            return _holding("response", as_read(tool["outputSchema"]))
        case "listing":
            return listing_promise(tool)
        case "read":
            return {"properties": {"uri": {"anyOf": [{"pattern": _pattern(uri)} for uri in tool["uris"]]}}}


def refusals(modes: JsonObject) -> list[JsonObject]:
    """What the modes of a search refuse: `{mode, with}` a parameter, or `{mode, without}` one."""
    return [
        {"mode": name, word: parameter}
        for name, mode in modes.items()
        for word, list_ in (("with", "rejects"), ("without", "requires"))
        for parameter in mode.get(list_, ())
    ]


def _refusals(state: State) -> list[JsonObject]:
    return refusals(state.shared["policy"].get("search_modes", {}))


def _facts(state: State) -> Iterator[JsonObject]:
    """What holds for everybody, each as a document."""
    shared = state.shared
    yield from ({"error": code} for code in shared["errors"])
    yield from ({"reason": reason} for reason in shared.get("reasons", ()))
    yield from ({"served": name} for name, toolset in shared["toolsets"].items() if toolset["default"])
    for name, tool in state.tools.items():
        yield from ({"name": name, "scope": scope} for scope in SCOPES[SCOPES.index(tool["scope"]) :])
        for example in shared["examples"].get(name, ()):
            if "error" in example:
                yield {"name": name, "arguments": example["params"], "error": example["error"]["code"]}


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


def _pattern(uri: str) -> str:
    """The regular expression of the URIs that a template stands for."""
    fixed = re.split(r"\{\w+\}", uri)
    return "^" + "[^/]+".join(re.escape(part) for part in fixed) + "$"


def _holding(member: str, schema: JsonObject) -> JsonObject:
    """The schema of an object whose `member` fits `schema`; its `$defs` stay where references find them."""
    inner = {keyword: value for keyword, value in schema.items() if keyword != "$defs"}
    return {"type": "object", "properties": {member: inner}, "$defs": schema.get("$defs", {})}
