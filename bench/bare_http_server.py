"""The floor of a server over HTTP: the same SDK, served the same way, with one tool that does nothing."""

import contextlib
import sys
from collections.abc import AsyncGenerator

import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount

from bench.bare_server import call_tool, list_tools
from vcontract.runtime.frame.documents.json import JsonObject


def main() -> None:
    server: Server[JsonObject] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    app = Starlette(routes=[Mount("/", manager.handle_request)], lifespan=lifespan)
    uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_config=None, ws="none")


if __name__ == "__main__":
    main()
