"""Tools that describe the server: its capabilities, and the shapes of its responses."""

from collections.abc import Sequence
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import UnknownTool
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.capabilities import capabilities
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.context import ServedContract, ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.frame.envelope import in_order

_WORDS: Final = ("title", "description")
_BOUNDS: Final = ("minimum", "maximum")
"""Bounds of numbers, which readers of a response do not need."""


class DescribingTools(Tools):
    """Implements `generated.protocols.ContractCapabilitiesTools`."""

    async def vcon_capabilities(
        self, params: models.VconCapabilitiesParams, ctx: ToolContext, /
    ) -> results.VconCapabilitiesResult:
        async with self._database.reading(ctx.tenant) as connection:
            status = await self._embeddings.status(connection, ctx.tenant)
        item = capabilities(
            ctx,
            status,
            self._context.legacy_names,
            self._database.consent,
            with_hints=params.migration_hints is True,
        )
        return {"ok": True, "item": item}

    async def describe_response_shape(
        self, params: models.DescribeResponseShapeParams, ctx: ToolContext, /
    ) -> results.DescribeResponseShapeResult:
        if params.tool_name is MISSING:
            entries = [_listed(shape) for shape in ctx.contract.shapes.values()]
            return {
                "ok": True,
                "items": entries,
                "page": {"next_cursor": None, "count": len(entries)},
            }
        name = ctx.contract.canonical_name(params.tool_name)
        if name is None:
            raise UnknownTool(
                f'There is no tool "{params.tool_name}" here.',
                details={
                    "tool_name": params.tool_name,
                    "nearest": ctx.contract.nearest_names(params.tool_name),
                },
            )
        item = _described(ctx.contract, name, whole=params.whole is True)
        if not params.include_example:
            item.pop("example", None)
        return {"ok": True, "item": in_order(results.DescribeResponseShapeResultItem, item)}


def _listed(shape: JsonObject) -> results.DescribeResponseShapeResultEntry:
    return {
        "tool_name": shape["tool_name"],
        "toolset": shape["toolset"],
        "title": shape["title"],
        "envelope": shape["envelope"],
        "stability": shape["stability"],
        "typical_bytes": shape["typical_bytes"],
    }


def _described(
    contract: ServedContract, name: str, *, whole: bool
) -> results.DescribeResponseShapeResultItem:
    """Return a tool's published contract. Unless `whole`, only the success schema, without descriptions."""
    shape, arguments = contract.shapes[name], contract.tools[name]["inputSchema"]
    schema: JsonObject = shape["schema"]
    item: results.DescribeResponseShapeResultItem = {
        "tool_name": shape["tool_name"],
        "toolset": shape["toolset"],
        "title": shape["title"],
        "envelope": shape["envelope"],
        "stability": shape["stability"],
        "typical_bytes": shape["typical_bytes"],
        "schema": schema if whole else _brief_schema(_of_success(schema), (*_WORDS, *_BOUNDS)),
        "arguments_schema": arguments if whole else _shared(_brief_schema(arguments, _WORDS)),
        "errors": shape["errors"] if whole else [_brief(error) for error in shape["errors"]],
    }
    if "text" in shape:
        item["text"] = True
    if "example" in shape:
        item["example"] = shape["example"]
    return item


def _of_success(schema: JsonObject) -> JsonObject:
    """Drop the last alternative of an output schema, the error, which is the same for all tools."""
    return {**schema, "oneOf": schema["oneOf"][:-1]}


def _brief(error: JsonObject) -> results.DescribeResponseShapeResultItemErrorsEntry:
    return {
        "code": error["code"],
        "retryable": error["retryable"],
        "message": error["message"],
        "details_schema": {},
    }


def _shared(schema: JsonValue, at: str = "#") -> JsonValue:
    """Replace a property that is an object by a reference if an earlier one beside it is the same."""
    if is_array(schema):
        return [_shared(element, f"{at}/{index}") for index, element in enumerate(schema)]
    if not is_object(schema):
        return schema
    brief: JsonObject = {}
    for name, member in schema.items():
        is_shape = at.endswith("/properties") and is_object(member) and "properties" in member
        first = next((each for each in brief if schema[each] == member), None) if is_shape else None
        brief[name] = _shared(member, f"{at}/{name}") if first is None else {"$ref": f"{at}/{first}"}
    return brief


_IMPLIED: Final = {"properties": "object", "oneOf": "object", "items": "array", "enum": "string"}
"""Types that a keyword implies."""
_EVIDENT: Final = ("additionalProperties", "minimum", "minItems", "minLength", "minProperties")
"""Keywords that say nothing new where they are false, or at most one: no other members, not negative, and
not empty."""


def _brief_schema(schema: JsonValue, without: Sequence[str]) -> JsonValue:
    """Drop keywords from a schema, and what is evident: `type` where other keywords imply it, and `_EVIDENT`.

    Properties with these names stay.
    """
    if is_array(schema):
        return [_brief_schema(element, without) for element in schema]
    if not is_object(schema):
        return schema
    brief: JsonObject = {
        name: _brief_schema(member, without)
        for name, member in schema.items()
        if not _is_left_out(name, member, schema, without)
    }
    choice = _types_of_choice(brief)
    return brief if choice is None else {**{n: m for n, m in brief.items() if n != "anyOf"}, "type": choice}


def _is_left_out(name: str, member: JsonValue, schema: JsonObject, without: Sequence[str]) -> bool:
    """Whether a keyword of a schema is not shown."""
    if name == "type":
        return member in [kind for keyword, kind in _IMPLIED.items() if keyword in schema]
    if name in _EVIDENT:
        return member is not True and member in (False, 0, 1)
    return name in without and isinstance(member, str | int | float)


def _types_of_choice(schema: JsonObject) -> list[JsonValue] | None:
    """The types that `anyOf` chooses from, if it does nothing else."""
    choice = [members(each) for each in array(schema.get("anyOf"))]
    if not choice or any(each.keys() != {"type"} for each in choice):
        return None
    return [each["type"] for each in choice]
