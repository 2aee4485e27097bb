"""The floor of a server: the same SDK over stdio with one tool that does nothing."""

import anyio
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from vcontract.runtime.frame.documents.json import JsonObject

ANSWER: JsonObject = {"ok": True}


async def list_tools(
    _: ServerRequestContext[JsonObject], params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[types.Tool(name="empty", input_schema={"type": "object", "properties": {}})]
    )


async def call_tool(
    _: ServerRequestContext[JsonObject], params: types.CallToolRequestParams
) -> types.CallToolResult:
    """Answers with a text as long as the caller asks for, so that only the work is missing."""
    size = int((params.arguments or {}).get("size", 0))
    text = "x" * size
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content={**ANSWER, "text": text}
    )


async def main() -> None:
    server: Server[JsonObject] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
