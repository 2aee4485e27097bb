"""generated/openapi.json: tools and resources as OpenAPI 3.1, and how schemas become components."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, is_object, print_entries
from vcontract.codegen.envelopes import STYLE_OF, error_answer
from vcontract.codegen.model import (
    Contract,
    Example,
    Resource,
    ResourceParameter,
    Tool,
    Toolset,
)
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import contract_schemas, renamed
from vcontract.codegen.schemas import DEFS, map_subschemas, shape_name

_VERSION: Final = "3.1.0"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_COMPONENTS: Final = "#/components/schemas/"
_RESPONSES: Final = "#/components/responses/"

_SERVER: Final[JsonObject] = {
    "url": "{server}/v1",
    "description": "A server that `vcontract serve --http` runs.",
    "variables": {"server": {"default": "https://server.invalid", "description": "Where the server is."}},
}

_ABOUT: Final = (
    "Every tool of the contract as one operation: the request body holds the tool's arguments, the answer "
    "its result or its error, which differ in ok or success. Every resource as one more: the parameters are "
    "the variables of its URIs, which x-uris lists. `vcontract serve --http` serves these paths beside the "
    "Model Context Protocol; over stdio they are not served. A running server returns this document, with "
    "only what the caller may use, at `/v1/openapi.json`."
)

_BEARER: Final = "bearer"
_SECURITY: Final[list[JsonObject]] = [{_BEARER: []}, {}]
"""A server without tokens serves its own machine, so a call may come without one."""

_SECURITY_SCHEMES: Final[JsonObject] = {
    _BEARER: {
        "type": "http",
        "scheme": "bearer",
        "description": (
            "A token made with `vcontract token create`, or an access token (OAuth 2.1) of the issuer that "
            "the server names at `/.well-known/oauth-protected-resource` (RFC 9728). Optional while the "
            "server has neither tokens nor an issuer. Each operation needs the scope in its x-scope."
        ),
    }
}

_PROBLEM: Final = "Problem"
_PROBLEM_SCHEMA: Final[JsonObject] = {
    "description": "Why a request was rejected.",
    "type": "object",
    "required": ["error", "error_description"],
    "properties": {
        "error": {"type": "string", "description": "The reason as a code, such as no_token. May grow."},
        "error_description": {"type": "string", "description": "What was wrong, and what to do."},
        "details": {"type": "object", "description": "The same as data, for resources."},
    },
}
_CHALLENGE: Final[JsonObject] = {
    "WWW-Authenticate": {
        "description": "How to authenticate (RFC 6750).",
        "schema": {"type": "string"},
    }
}
_PROBLEMS: Final[Mapping[str, str]] = {
    "400": "The body is not a JSON object, a header names unknown tools, or there are two tokens.",
    "401": "The token is missing or invalid.",
    "403": "The page that calls is of an origin that the server does not admit.",
    "404": "The server does not serve this to the caller.",
    "408": "The body stopped coming for 30 seconds.",
    "413": "The body is larger than 16 MiB.",
    "421": "The Host header names another server.",
    "429": "The rate limit is exceeded; details.retry_after_ms says how long to wait.",
    "500": "The server failed; its log says why.",
    "503": "The server is busy, or cannot reach its store to look up the token. Send the call again.",
}
_OF_TOOLS: Final = ("400", "401", "403", "404", "408", "413", "421", "503")
_OF_RESOURCES: Final = ("400", "401", "403", "404", "421", "429", "500", "503")


def emit(contract: Contract) -> Iterator[OutputFile]:
    apart = [
        name for key in contract.toolset_headings for name in (f"/tools/{key}", naming.params_class(key))
    ]
    yield OutputFile("openapi.json", _print(_contract_document(contract), apart))


def _print(document: JsonObject, apart: Collection[str] = ()) -> str:
    """One line an operation and a component: programs read this file, and people the spec."""
    return print_entries(document, 3, apart=apart) + "\n"


def _contract_document(contract: Contract) -> JsonObject:
    server = contract.server
    return {
        **_head(
            {
                "title": f"Tools and resources of {server.title}",
                "version": server.version,
                "description": _ABOUT,
            },
            _SECURITY,
        ),
        "externalDocs": {"url": server.website},
        "tags": [_tag(toolset) for toolset in contract.toolsets if toolset.tools],
        "paths": {
            **{f"/tools/{tool.key}": {"post": _operation(contract, tool)} for tool in contract.tools},
            **{f"/resources/{each.name}": {"get": _reading(contract, each)} for each in contract.resources},
        },
        "components": {
            "securitySchemes": _SECURITY_SCHEMES,
            "responses": {_PROBLEM + status: _problem(status) for status in _PROBLEMS},
            **_components({**contract_schemas(contract, has_rules=False), _PROBLEM: _PROBLEM_SCHEMA}),
        },
    }


def schemas_alone(info: JsonObject, schemas: Mapping[str, JsonObject]) -> str:
    """A document with no operation, for readers of its components."""
    return _print({**_head(info, []), "paths": {}, "components": _components(schemas)})


def _head(info: JsonObject, security: list[JsonObject]) -> JsonObject:
    licence: JsonObject = {"name": "MIT", "identifier": "MIT"}
    return {
        "openapi": _VERSION,
        "info": {**info, "license": licence},
        "jsonSchemaDialect": _DIALECT,
        "servers": [_SERVER],
        "security": security,
    }


def _components(schemas: Mapping[str, JsonObject]) -> JsonObject:
    alone = {name: each for key, schema in schemas.items() for name, each in _with_forms(key, schema)}
    return {
        "schemas": {name: _with_items(renamed(schema, str, _COMPONENTS)) for name, schema in alone.items()}
    }


def _with_forms(name: str, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """`schema`, and by themselves its forms: generators name what is in a component by where it stands."""
    forms: list[JsonObject] = schema.get("oneOf", [])
    references: list[JsonObject] = []
    for number, form in enumerate(forms, 1):
        if shape_name(form) is None:
            yield f"{name}{number}", form
        references.append(form if shape_name(form) else {"$ref": f"{DEFS}{name}{number}"})
    yield name, {**schema, "oneOf": references} if forms else schema


def _with_items(schema: JsonValue) -> JsonValue:
    """`schema` with entries of any kind where it lists any, which readers of OpenAPI want said."""
    if not is_object(schema):
        return schema
    any_entries: JsonObject = {"items": {}} if schema.get("type") == "array" and "items" not in schema else {}
    return {**map_subschemas(schema, _with_items), **any_entries}


def _tag(toolset: Toolset) -> JsonObject:
    return {"name": toolset.id, "description": f"{toolset.title}. {toolset.description}"}


def _operation(contract: Contract, tool: Tool) -> JsonObject:
    examples = _first_of_each(tool)
    calls = {example.name: {"value": example.params} for example in examples if example.response}
    answers = {example.name: {"value": _answer(contract, tool, example)} for example in examples}
    return {
        "operationId": tool.key,
        "summary": tool.title,
        "description": tool.description,
        "tags": [tool.toolset],
        **({"deprecated": True} if tool.deprecated else {}),
        "requestBody": {
            "required": bool(tool.params_model.get("required")),
            "content": _json(naming.params_class(tool.key), calls),
        },
        "responses": {
            "200": {
                "description": "The result, or the error.",
                "content": _json(naming.response_class(tool.key), answers),
            },
            **_problems(_OF_TOOLS),
            "403": _beyond_scope(naming.error_form_class(tool.key)),
        },
        "x-scope": tool.scope,
        "x-rate-class": tool.rate_class,
        "x-read-only": tool.annotations.read_only,
        "x-stability": tool.stability,
    }


def _first_of_each(tool: Tool) -> list[Example]:
    """The first example that succeeds and the first that fails; the reference has them all."""
    found = {example.error is None: example for example in reversed(tool.examples)}
    return list(found.values())[::-1]


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
            },
            **_problems(_OF_RESOURCES),
        },
        "x-uris": list(resource.uris),
        "x-scope": tool.scope,
        "x-rate-class": tool.rate_class,
        "x-read-only": True,
    }


def _problems(statuses: Iterable[str]) -> JsonObject:
    return {status: {"$ref": f"{_RESPONSES}{_PROBLEM}{status}"} for status in statuses}


def _problem(status: str) -> JsonObject:
    return {
        "description": _PROBLEMS[status],
        **({"headers": _CHALLENGE} if status == "401" else {}),
        "content": {"application/json": {"schema": {"$ref": _COMPONENTS + _PROBLEM}}},
    }


def _beyond_scope(error: str) -> JsonObject:
    """The answer to a foreign page, and where there is an issuer to a call beyond the scopes of its token."""
    forms = [{"$ref": _COMPONENTS + _PROBLEM}, {"$ref": _COMPONENTS + error}]
    return {
        "description": (
            f"{_PROBLEMS['403']} Where the server has an OAuth issuer, also the error PERMISSION_DENIED of a "
            "call beyond the scopes of its token."
        ),
        "headers": _CHALLENGE,
        "content": {"application/json": {"schema": {"anyOf": forms}}},
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
