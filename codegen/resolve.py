"""Resolve references, mixins and envelopes of checked documents to the final contract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final

from vcontract.codegen.compact_schema import listed
from vcontract.codegen.documents import JsonObject, byte_length
from vcontract.codegen.envelopes import STYLE_OF, error_form, merged_meta, one_object, success_forms
from vcontract.codegen.load import CORE_KINDS, Document, Spec
from vcontract.codegen.model import (
    Annotations,
    Contract,
    Deprecation,
    DocumentSchema,
    ErrorCode,
    Example,
    ExampleError,
    InputMessage,
    Refusal,
    Server,
    Shape,
    Tool,
    Toolset,
)
from vcontract.codegen.references import BrokenReferenceError, linked
from vcontract.codegen.resolve_surface import resolve_apps, resolve_prompts, resolve_resources
from vcontract.codegen.schemas import inlined, packed, without_markers

BUDGET: Final = "max_response_bytes"
"""The parameter that makes a tool budgeted."""

_DOCUMENT_SCHEMA = re.compile(r"spec/(\w+)/(\d+(?:\.\d+)*)/\1\.schema\.json")


@lru_cache(maxsize=1)
def resolve(spec: Spec) -> Contract:
    """The contract that a spec without problems declares.

    Raises: BrokenReferenceError, KeyError, when the spec was not validated before.
    """
    shapes = resolve_shapes(spec)
    toolsets = tuple(_toolset(spec, entry) for entry in spec.the("toolsets").data["toolsets"])
    tools = {tool.key: tool for toolset in toolsets for tool in toolset.tools}
    return Contract(
        server=_server(spec.the("server").data),
        toolsets=toolsets,
        resources=tuple(resolve_resources(spec, tools, shapes)),
        prompts=tuple(resolve_prompts(spec)),
        apps=tuple(resolve_apps(spec)),
        errors=tuple(_error(spec, code, shapes) for code in spec.the("errors").data["errors"]),
        reasons=spec.the("errors").data.get("reasons", {}),
        shapes={name: Shape(name, schema) for name, schema in shapes.items()},
        policy=spec.the("policy").data,
        sizes={
            tool: size for document in spec.of_kind("sizes") for tool, size in document.data["sizes"].items()
        },
        document_schemas=tuple(sorted(_document_schemas(spec), key=_name_and_version)),
        documents={
            kind: tuple(document.data for document in spec.of_kind(kind))
            for kind in sorted({document.kind for document in spec.documents.values()} - CORE_KINDS)
        },
        emitters=tuple(spec.emitters),
    )


@lru_cache(maxsize=1)
def resolve_shapes(spec: Spec) -> dict[str, JsonObject]:
    """Every shape of the spec by name, linked. Raises: BrokenReferenceError."""
    shapes: dict[str, JsonObject] = {}
    for document in spec.of_kind("shapes"):
        for name, schema in document.data["$defs"].items():
            shapes[name] = linked(spec, document, schema)
    return dict(sorted(shapes.items()))


@lru_cache(maxsize=1)
def resolve_tools(spec: Spec) -> Mapping[str, Tool]:
    """Each tool that can be resolved, by the path of its document; lints report why another cannot."""
    tools: dict[str, Tool] = {}
    for document in spec.of_kind("tool"):
        with suppress(BrokenReferenceError, RecursionError, KeyError):
            tools[document.path] = _tool(spec, document, resolve_shapes(spec))
    return tools


def _tool(spec: Spec, document: Document, shapes: dict[str, JsonObject]) -> Tool:
    data: JsonObject = document.data
    mixins = spec.the("mixins")
    mixed_in: list[JsonObject] = [mixins.data["mixins"][name] for name in data.get("mixins", [])]
    params = _params(
        linked(spec, document, data["params"]), [linked(spec, mixins, mixin["params"]) for mixin in mixed_in]
    )
    response = _linked_response(spec, document, data["response"])
    filled_in = [linked(spec, mixins, mixin["meta"]) for mixin in mixed_in if "meta" in mixin]
    meta = merged_meta([response.get("meta"), *filled_in])
    errors = error_codes(spec, data)
    arguments = inlined(params, shapes)
    words: list[JsonObject] = data.get("messages", [])
    forms, error = success_forms(response, meta), error_form(STYLE_OF[response["envelope"]], errors)
    return Tool(
        name=data["name"],
        key=tool_key(spec, data),
        toolset=data["toolset"],
        group=data["group"],
        title=data["title"],
        description=data["description"],
        stability=data["stability"],
        since=data["since"],
        aliases=tuple(data.get("aliases", [])),
        deprecated=Deprecation(**data["deprecated"]) if "deprecated" in data else None,
        annotations=Annotations(**data["annotations"]),
        scope=data["scope"],
        rate_class=data["rate_class"],
        promises=tuple(data.get("promises", [])),
        envelope=response["envelope"],
        has_text=response["envelope"] == "document" or response.get("text", False),
        budgeted=BUDGET in params["properties"],
        ui=next((app.uri for app in resolve_apps(spec) if app.name == data.get("ui")), None),
        errors=errors,
        input_schema=without_markers(arguments),
        listed_schema=listed(arguments),
        output_schema=packed({"type": "object", "oneOf": [*forms, error]}, shapes),
        params_model=params,
        result_model=one_object(success_forms(response, _as_filled_in_by_handler(meta, filled_in))),
        success_forms=tuple(forms),
        error_form=error,
        examples=tuple(_example(entry) for entry in data["examples"]),
        messages=tuple(InputMessage(**entry) for entry in words if "keyword" in entry),
        refuses=tuple(
            Refusal(
                entry["at"],
                tuple(entry["having"]),
                entry["message"],
                entry["details"],
                entry["suggestion"],
            )
            for entry in words
            if "having" in entry
        ),
    )


def tool_key(spec: Spec, tool: JsonObject) -> str:
    """The name of `tool` among the tools of all toolsets."""
    toolsets: list[JsonObject] = spec.the("toolsets").data["toolsets"]
    prefixed = any(toolset["id"] == tool["toolset"] and toolset["prefix"] for toolset in toolsets)
    return f"{tool['toolset']}_{tool['name']}" if prefixed else str(tool["name"])


def error_codes(spec: Spec, tool: JsonObject) -> tuple[str, ...]:
    """Every code that `tool` may answer with: its toolset's, its mixins' and its own."""
    mixins: JsonObject = spec.the("mixins").data["mixins"]
    toolsets: list[JsonObject] = spec.the("toolsets").data["toolsets"]
    codes: set[str] = set(tool.get("errors", []))
    for name in tool.get("mixins", []):
        codes.update(mixins.get(name, {}).get("errors", []))
    for toolset in toolsets:
        if toolset["id"] == tool["toolset"]:
            codes.update(toolset["base_errors"])
    return tuple(code for code in spec.the("errors").data["errors"] if code in codes)


def _server(data: JsonObject) -> Server:
    members = ("name", "title", "version", "website", "icon", "instructions")
    return Server(*(data[member] for member in members))


def _document_schemas(spec: Spec) -> Iterator[DocumentSchema]:
    for path, schema in spec.schemas.items():
        if found := _DOCUMENT_SCHEMA.fullmatch(path):
            yield DocumentSchema(found[1], found[2], schema)


def _name_and_version(schema: DocumentSchema) -> tuple[str, tuple[int, ...]]:
    return schema.name, tuple(map(int, schema.version.split(".")))


def _toolset(spec: Spec, entry: JsonObject) -> Toolset:
    documents = [document for document in spec.of_kind("tool") if document.data["toolset"] == entry["id"]]
    tools = (resolve_tools(spec)[document.path] for document in documents)
    return Toolset(
        id=entry["id"],
        title=entry["title"],
        description=entry["description"],
        prefix=entry["prefix"],
        default_on=entry["default"],
        style=entry["style"],
        codes=entry["codes"],
        instructions=entry.get("instructions", ""),
        tools=tuple(sorted(tools, key=lambda tool: tool.name)),
    )


def _error(spec: Spec, code: str, shapes: dict[str, JsonObject]) -> ErrorCode:
    document = spec.the("errors")
    entry: JsonObject = document.data["errors"][code]
    details = packed(linked(spec, document, entry.get("details", {"type": "object"})), shapes)
    return ErrorCode(code, entry["fault"], entry["retryable"], entry["message"], details)


def _params(own: JsonObject, mixed_in: Sequence[JsonObject]) -> JsonObject:
    properties: JsonObject = dict(own.get("properties", {}))
    required: list[str] = list(own.get("required", []))
    for mixin in mixed_in:
        properties.update(mixin.get("properties", {}))
        required.extend(mixin.get("required", []))
    others = {keyword: value for keyword, value in own.items() if keyword not in ("properties", "required")}
    whole: JsonObject = {**others, "type": "object", "properties": properties}
    if required:
        whole["required"] = required
    return {**whole, "additionalProperties": False}


def _linked_response(spec: Spec, document: Document, response: JsonObject) -> JsonObject:
    result: JsonObject = linked(spec, document, response)
    for keyword in ("item", "page", "meta"):
        if keyword in response:
            result[keyword] = linked(spec, document, response[keyword])
    if "list" in response:
        result["list"] = {key: linked(spec, document, value) for key, value in response["list"].items()}
    return result


def _as_filled_in_by_handler(meta: JsonObject | None, filled_in: Sequence[JsonObject]) -> JsonObject | None:
    """`meta` for the handler's model, where the members of mixins are optional: the server fills them in."""
    if meta is None:
        return None
    servers = {name for part in filled_in for name in part.get("properties", {})}
    required = [name for name in meta.get("required", []) if name not in servers]
    others = {keyword: value for keyword, value in meta.items() if keyword != "required"}
    return {**others, "required": required} if required else others


def _example(entry: JsonObject) -> Example:
    error = entry.get("error")
    return Example(
        name=entry["name"],
        params=entry["params"],
        response=entry.get("response"),
        error=ExampleError(error["code"], error.get("details")) if error else None,
    )


def typical_bytes(contract: Contract, tool: Tool) -> JsonObject:
    """The size of the tool's example, and those measured of its default answer and of one item of a page."""
    example = tool.success_example
    sizes: JsonObject = {"example": byte_length(example), **contract.sizes.get(tool.key, {})}
    if "typical" in sizes:
        return sizes
    items = example.get("items")
    if tool.envelope == "page" and items:
        sizes["per_item"] = round(sum(byte_length(item) for item in items) / len(items))
    return sizes
