"""MCP methods other than tools: resources, prompts and completion."""

from collections.abc import Mapping, Sequence
from typing import Final

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from vcontract.runtime.frame.calls.resources import Completion, Kind, ResourceReader, ResourceRefused
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import CallerContract, Catalogue
from vcontract.runtime.frame.contract.prompts import PromptRefused, render_prompt
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.mcp import apps
from vcontract.runtime.frame.mcp.requests import CallerOf, cancellable, refuse_cursor

_Context = ServerRequestContext[JsonObject]

RATE_LIMITED: Final = -32000
"""JSON-RPC leaves this code to the server. The data say how long to wait."""

_CODES: Final[Mapping[Kind, int]] = {
    "invalid": types.INVALID_PARAMS,
    "limited": RATE_LIMITED,
    "failed": types.INTERNAL_ERROR,
}


class SurfaceEndpoints:
    """Handlers of resources, prompts and completion, for the caller that `caller_of` returns."""

    def __init__(self, catalogue: Catalogue, resources: ResourceReader, caller_of: CallerOf) -> None:
        self._catalogue = catalogue
        self._resources = resources
        self._caller_of = caller_of

    async def list_resources(
        self, context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        refuse_cursor("resources/list", params)
        contract = self._contract(context)
        views = apps.listed_views(contract) if apps.knows_apps(context) else []
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    name=form["name"],
                    title=document["title"],
                    description=document["description"],
                    uri=form["uri"],
                    mime_type=document["mimeType"],
                )
                for document, form in _forms(contract, with_parameters=False)
            ]
            + views
        )

    async def list_resource_templates(
        self, context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        refuse_cursor("resources/templates/list", params)
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name=form["name"],
                    title=document["title"],
                    description=document["description"],
                    uri_template=form["uri"],
                    mime_type=document["mimeType"],
                )
                for document, form in _forms(self._contract(context), with_parameters=True)
            ]
        )

    async def read_resource(
        self, context: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        caller = self._caller_of(context)
        app = self._catalogue.seen_by(caller).apps.get(params.uri) if apps.knows_apps(context) else None
        try:
            if app is not None:
                html = await cancellable(self._resources.view(app, caller), context)
                return types.ReadResourceResult(contents=[apps.content(app, html)])
            text = await cancellable(self._resources.read(params.uri, caller), context)
        except ResourceRefused as refused:
            raise _protocol_error(refused) from None
        content = types.TextResourceContents(uri=params.uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(
        self, context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        refuse_cursor("prompts/list", params)
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt["name"],
                    title=prompt["title"],
                    description=prompt["description"],
                    arguments=[
                        types.PromptArgument(
                            name=argument["name"],
                            description=argument["description"],
                            required=argument["required"],
                        )
                        for argument in prompt["arguments"]
                    ],
                )
                for prompt in self._contract(context).prompts.values()
            ]
        )

    async def get_prompt(
        self, context: _Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        contract = self._contract(context)
        prompt = _prompt(contract, params.name)
        try:
            text = render_prompt(prompt, params.arguments or {}, contract.names)
        except PromptRefused as refused:
            raise MCPError(types.INVALID_PARAMS, str(refused), refused.details) from None
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt["description"], messages=[message])

    async def complete(self, context: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        beginning = params.argument.value
        given = (params.context.arguments if params.context else None) or {}
        caller = self._caller_of(context)
        source, values = self._offer(caller, params.ref, params.argument.name)
        if source is None:
            found = _beginning_with(beginning, values)
        else:
            try:
                found = await cancellable(self._resources.complete(source, beginning, given, caller), context)
            except ResourceRefused as refused:
                raise _protocol_error(refused) from None
        return types.CompleteResult(
            completion=types.Completion(values=list(found.values), has_more=found.has_more)
        )

    def _contract(self, context: _Context) -> CallerContract:
        return self._catalogue.seen_by(self._caller_of(context))

    def _offer(
        self,
        caller: Caller,
        reference: types.ResourceTemplateReference | types.PromptReference,
        argument: str,
    ) -> tuple[str | None, Sequence[str]]:
        """Return the source of an argument's values, or the values themselves."""
        if isinstance(reference, types.PromptReference):
            prompt = _prompt(self._catalogue.seen_by(caller), reference.name)
            arguments = {each["name"]: each for each in prompt["arguments"]}
        else:
            try:
                document = self._resources.template(reference.uri, caller)
            except ResourceRefused as refused:
                raise _protocol_error(refused) from None
            completions: JsonObject = document["completions"]
            arguments = {
                name: {"complete": completions.get(name)} for name in document["paramsSchema"]["properties"]
            }
        if argument not in arguments:
            raise MCPError(
                types.INVALID_PARAMS,
                f'There is no argument "{argument[:60]}" here; there is {", ".join(arguments) or "none"}.',
                {"argument": argument[:60], "reason": "unknown_argument", "accepted": list(arguments)},
            )
        return arguments[argument].get("complete"), arguments[argument].get("values", ())


def _forms(contract: CallerContract, *, with_parameters: bool) -> list[tuple[JsonObject, JsonObject]]:
    """List every URI that the caller may read, with the document of its resource."""
    return [
        (document, form)
        for document in contract.resources.values()
        for form in document["uris"]
        if ("{" in form["uri"]) is with_parameters
    ]


def _prompt(contract: CallerContract, name: str) -> JsonObject:
    prompts = contract.prompts
    for document in prompts.values():
        if name == document["name"] or name in document["aliases"]:
            return document
    nearest = nearest_name(name, list(prompts))
    hint = f"; did you mean {nearest}?" if nearest else f"; there is {', '.join(prompts) or 'none'}."
    raise MCPError(
        types.INVALID_PARAMS,
        f'There is no prompt "{name[:60]}" here{hint}',
        {"prompt": name[:60], "reason": "unknown_prompt", "accepted": list(prompts)},
    )


def _beginning_with(beginning: str, values: Sequence[str]) -> Completion:
    return Completion([value for value in values if value.casefold().startswith(beginning.casefold())], False)


def _protocol_error(refused: ResourceRefused) -> MCPError:
    return MCPError(_CODES[refused.kind], refused.message, refused.data)
