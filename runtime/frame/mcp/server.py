"""MCP server: lists and calls tools, in both eras of the protocol."""

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from vcontract.runtime.frame.calls.dispatch import Dispatcher, UnknownTool
from vcontract.runtime.frame.calls.resources import ResourceReader
from vcontract.runtime.frame.context import Caller, Progress
from vcontract.runtime.frame.contract.catalogue import CallerContract, Catalogue
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.apps import knows_apps, tool_meta
from vcontract.runtime.frame.mcp.requests import (
    MISSING_SCOPE,
    CallerOf,
    cancellable,
    refuse_cursor,
    unknown_tool,
)
from vcontract.runtime.frame.mcp.surface import SurfaceEndpoints

_LIST_FRESH_MS = 300_000
"""How long a client may cache tools/list. The contract changes only at a restart."""


def build_server(
    catalogue: Catalogue,
    dispatcher: Dispatcher,
    caller: Caller,
    *,
    caller_of: CallerOf | None = None,
    resources: ResourceReader | None = None,
) -> Server[JsonObject]:
    """Build the MCP server of `catalogue` for one trusted `caller`.

    With `caller_of`, each request has its own caller, and `caller` has the union of their rights. Without
    `resources`, only tools are served.
    """
    caller_of = caller_of or (lambda _: caller)
    endpoints = _Endpoints(catalogue, dispatcher, caller, caller_of)
    surface = SurfaceEndpoints(catalogue, resources, caller_of) if resources else None
    identity = catalogue.package.identity
    hint = CacheHint(ttl_ms=_LIST_FRESH_MS, scope="private")
    server: Server[JsonObject] = Server(
        identity.name,
        version=identity.version,
        title=identity.title,
        instructions=catalogue.seen_by(caller).instructions,
        website_url=identity.website,
        icons=[types.Icon(src=identity.icon, mime_type="image/svg+xml", sizes=["any"])],
        cache_hints={
            "tools/list": hint,
            "resources/list": hint,
            "resources/templates/list": hint,
            "prompts/list": hint,
            "server/discover": hint,
        },
        get_tool_input_schema=endpoints.input_schema,
        on_list_tools=endpoints.list_tools,
        on_call_tool=endpoints.call_tool,
        on_list_resources=surface.list_resources if surface else None,
        on_list_resource_templates=surface.list_resource_templates if surface else None,
        on_read_resource=surface.read_resource if surface else None,
        on_list_prompts=surface.list_prompts if surface else None,
        on_get_prompt=surface.get_prompt if surface else None,
        on_completion=surface.complete if surface else None,
    )
    # The SDK starts a telemetry span for each message, even without an exporter.
    server.middleware.clear()
    return server


class _Endpoints:
    """Handlers of the protocol's methods."""

    def __init__(
        self,
        catalogue: Catalogue,
        dispatcher: Dispatcher,
        caller: Caller,
        caller_of: CallerOf,
    ) -> None:
        self._catalogue = catalogue
        self._widest = catalogue.seen_by(caller)
        self._dispatcher = dispatcher
        self._caller_of = caller_of
        self._listed: dict[bool, tuple[CallerContract, types.ListToolsResult]] = {}
        """The latest list, for clients that support views and for others."""

    def input_schema(self, name: str) -> JsonObject | None:
        """Return the input schema of the tool with this `name` or alias; None if it is unknown."""
        canonical = self._widest.canonical_name(name)
        schema: JsonObject | None = self._widest.tools[canonical]["inputSchema"] if canonical else None
        return schema

    async def list_tools(
        self, context: ServerRequestContext[JsonObject], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        refuse_cursor("tools/list", params)
        contract = self._catalogue.seen_by(self._caller_of(context))
        with_views = knows_apps(context)
        listed = self._listed.get(with_views)
        if listed is None or listed[0] is not contract:
            tools = [
                listed_tool(document, with_view=with_views)
                for document in self._dispatcher.listed(contract.tools)
            ]
            listed = self._listed[with_views] = contract, types.ListToolsResult(tools=tools)
        return listed[1]

    async def call_tool(
        self, context: ServerRequestContext[JsonObject], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            outcome = await cancellable(
                self._dispatcher.call(
                    params.name, params.arguments, self._caller_of(context), _progress_of(context)
                ),
                context,
            )
        except UnknownTool as unknown:
            raise unknown_tool(unknown) from None
        if context.request is not None:
            context.request.scope[MISSING_SCOPE] = outcome.missing_scope
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=outcome.text)],
            structured_content=outcome.structured,
            is_error=outcome.is_error,
        )


def listed_tool(contract: JsonObject, *, with_view: bool = False) -> types.Tool:
    """Return a tool as tools/list shows it, with the short form of its input schema."""
    return types.Tool(
        name=contract["name"],
        title=contract["title"],
        description=contract["description"],
        input_schema=contract["listedSchema"],
        output_schema=contract.get("outputSchema"),
        annotations=types.ToolAnnotations.model_validate(contract["annotations"]),
        _meta=tool_meta(contract, with_view=with_view),
    )


def _progress_of(context: ServerRequestContext[JsonObject]) -> Progress:
    """Return a progress callback. The SDK drops reports if the request did not ask for them."""

    async def report(done: float, total: float | None, message: str) -> None:
        await context.session.report_progress(done, total, message)

    return report
