"""generated/openapi.json and vcon/<version>/vcon.openapi.json: the same schemas as OpenAPI 3.1."""

from collections.abc import Iterator, Mapping
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, is_object, print_json
from vcontract.codegen.envelopes import STYLE_OF, error_answer
from vcontract.codegen.model import (
    Contract,
    Example,
    Resource,
    ResourceParameter,
    Tool,
    Toolset,
    VconSchema,
)
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import contract_schemas, renamed, vcon_schemas
from vcontract.codegen.schemas import map_subschemas

_VERSION: Final = "3.1.0"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_COMPONENTS: Final = "#/components/schemas/"

_SERVER: Final[JsonObject] = {
    "url": "{server}/v1",
    "description": "What `vcontract serve --http` serves, to bearers of its tokens once some were made.",
    "variables": {"server": {"default": "https://server.invalid", "description": "Where the server is."}},
}

_ABOUT: Final = (
    "Every tool of the contract as one operation: the request body holds the tool's arguments, the answer "
    "its result or its error, told apart by ok or success. Every resource as one more: the parameters are "
    "the variables of its URIs, which x-uris lists. `vcontract serve --http` serves these paths beside the "
    "Model Context Protocol; over stdio they are not served."
)


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("openapi.json", print_json(_contract_document(contract)))
    for schema in contract.vcon_schemas:
        yield OutputFile(f"vcon/{schema.version}/vcon.openapi.json", print_json(_vcon_document(schema)))


def _contract_document(contract: Contract) -> JsonObject:
    server = contract.server
    return {
        **_head(
            {
                "title": f"Tools and resources of {server.title}",
                "version": server.version,
                "description": _ABOUT,
            }
        ),
        "externalDocs": {"url": server.website},
        "tags": [_tag(toolset) for toolset in contract.toolsets if toolset.tools],
        "paths": {
            **{f"/tools/{tool.key}": {"post": _operation(contract, tool)} for tool in contract.tools},
            **{f"/resources/{each.name}": {"get": _reading(contract, each)} for each in contract.resources},
        },
        "components": _components(contract_schemas(contract)),
    }


def _vcon_document(schema: VconSchema) -> JsonObject:
    about: str = schema.schema.get("description", "")
    info = {"title": "vCon", "version": schema.version, "description": about}
    return {**_head(info), "paths": {}, "components": _components(vcon_schemas(schema.schema))}


def _head(info: JsonObject) -> JsonObject:
    licence: JsonObject = {"name": "MIT", "identifier": "MIT"}
    return {
        "openapi": _VERSION,
        "info": {**info, "license": licence},
        "jsonSchemaDialect": _DIALECT,
        "servers": [_SERVER],
        "security": [],
    }


def _components(schemas: Mapping[str, JsonObject]) -> JsonObject:
    return {
        "schemas": {name: _with_items(renamed(schema, str, _COMPONENTS)) for name, schema in schemas.items()}
    }


def _with_items(schema: JsonValue) -> JsonValue:
    """`schema` with entries of any kind where it lists any, which readers of OpenAPI want said."""
    if not is_object(schema):
        return schema
    any_entries: JsonObject = {"items": {}} if schema.get("type") == "array" and "items" not in schema else {}
    return {**map_subschemas(schema, _with_items), **any_entries}


def _tag(toolset: Toolset) -> JsonObject:
    return {"name": toolset.id, "description": f"{toolset.title}. {toolset.description}"}


def _operation(contract: Contract, tool: Tool) -> JsonObject:
    calls = {example.name: {"value": example.params} for example in tool.examples if example.response}
    answers = {example.name: {"value": _answer(contract, tool, example)} for example in tool.examples}
    return {
        "operationId": tool.key,
        "summary": tool.title,
        "description": tool.description,
        "tags": [tool.toolset],
        **({"deprecated": True} if tool.deprecated else {}),
        "requestBody": {
            "required": True,
            "content": _json(naming.params_class(tool.key), calls),
        },
        "responses": {
            "200": {
                "description": "The result, or the error.",
                "content": _json(naming.response_class(tool.key), answers),
            }
        },
        "x-scope": tool.scope,
        "x-rate-class": tool.rate_class,
        "x-read-only": tool.annotations.read_only,
        "x-stability": tool.stability,
    }


def _reading(contract: Contract, resource: Resource) -> JsonObject:
    tool = contract.tool(resource.tool)
    example = resource.example
    contents = {"example": {"value": example.content}} if example else {}
    return {
        "operationId": f"{resource.name}_resource",
        "summary": resource.title,
        "description": resource.description,
        "tags": [resource.toolset],
        "parameters": [_parameter(parameter) for parameter in resource.parameters],
        "responses": {
            "200": {
                "description": "The content.",
                "content": _json(naming.content_class(resource.name), contents),
            }
        },
        "x-uris": list(resource.uris),
        "x-scope": tool.scope,
        "x-rate-class": tool.rate_class,
        "x-read-only": True,
    }


def _parameter(parameter: ResourceParameter) -> JsonObject:
    schema = {keyword: value for keyword, value in parameter.schema.items() if keyword != "description"}
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.required,
        "description": parameter.schema["description"],
        "schema": schema,
    }


def _json(schema: str, examples: JsonObject) -> JsonObject:
    return {"application/json": {"schema": {"$ref": _COMPONENTS + schema}, "examples": examples}}


def _answer(contract: Contract, tool: Tool, example: Example) -> JsonObject:
    if example.response is not None:
        return example.response
    if example.error is None:
        raise ValueError(f"the example {example.name} of {tool.key} has neither response nor error")
    message = contract.error(example.error.code).message
    return error_answer(STYLE_OF[tool.envelope], example.error.code, message, example.error.details)
