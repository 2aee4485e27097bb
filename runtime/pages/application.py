"""ASGI application of the web page: routes, assets and authentication."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from vcontract.runtime.frame.mcp.bodies import BufferedBodies
from vcontract.runtime.pages.administering import Administering
from vcontract.runtime.pages.auth import Authenticator, AuthMiddleware
from vcontract.runtime.pages.bulk_changes import change, export, manage
from vcontract.runtime.pages.calls import calls
from vcontract.runtime.pages.contract import contract, tool
from vcontract.runtime.pages.conversation import change_tags, conversation, copy, like, raw, whole_address
from vcontract.runtime.pages.evidence import evidence
from vcontract.runtime.pages.graph import graph
from vcontract.runtime.pages.journal import journal, record
from vcontract.runtime.pages.local_machine import LocalMachine
from vcontract.runtime.pages.meaning_map import meaning
from vcontract.runtime.pages.navigation import Present
from vcontract.runtime.pages.onboarding import Importing
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.saved_searches import changing
from vcontract.runtime.pages.searching import search
from vcontract.runtime.pages.storage_usage import storage_page
from vcontract.runtime.pages.store import store
from vcontract.runtime.pages.tool_client import ToolFailed

View = Callable[[Request, Pages], Awaitable[Response]]


def application(
    keeper: Authenticator,
    admits_host: Callable[[str | None], bool],
    held: BufferedBodies | None = None,
    machine: LocalMachine | None = None,
) -> ASGIApp:
    """Build the page for visitors that `keeper` admits, under the allowed hosts.

    `held` are the request bodies that the process has in memory, if it serves more than the page. Importing
    files and connecting clients requires a `machine`.
    """
    pages = Pages(imports=machine is not None)
    importing = Importing(pages, machine)
    administration = None if machine is None else machine.administration
    searches = None if machine is None else machine.searches
    administering = Administering(pages, administration)

    def shown(view: View) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await view(request, pages)

        return answer

    async def searched(request: Request) -> Response:
        return await search(request, pages, None if searches is None else searches.all())

    async def stored(request: Request) -> Response:
        return await store(request, pages, administration)

    async def liked(request: Request) -> Response:
        return await like(request)

    async def copied(request: Request) -> Response:
        return await copy(request)

    async def exported(request: Request) -> Response:
        return await export(request)

    async def file(request: Request) -> Response:
        return pages.file(request.path_params["name"]) or pages.notice(request, 404, "There is no such file.")

    async def named(request: Request) -> Response:
        return RedirectResponse(await whole_address(request), 307)

    async def refused(request: Request, error: Exception) -> Response:
        return pages.notice(request, error.status if isinstance(error, ToolFailed) else 400, str(error))

    async def lost(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return pages.notice(
            request, status, "There is nothing here." if status == 404 else "That cannot be done here."
        )

    async def failed(request: Request, error: Exception) -> Response:
        return pages.notice(request, 500, "The page failed; the log of the server says why.")

    routes = [
        Route("/", searched),
        Route("/searches", changing(searches), methods=["POST"]),
        Route("/vcon/{uuid:uuid}", shown(conversation)),
        Route("/vcon/{uuid:uuid}/tags", shown(change_tags), methods=["POST"]),
        Route("/vcon/{uuid:uuid}/similar", liked),
        Route("/vcon/{uuid:uuid}/as/{form}", copied),
        Route("/vcon/{uuid:uuid}/raw", shown(raw)),
        Route("/vcon/{beginning}", named, methods=["GET", "POST"]),
        Route("/vcon/{beginning}/{rest:path}", named, methods=["GET", "POST"]),
        Route("/evidence", shown(evidence)),
        Route("/journal", shown(journal)),
        Route("/journal/{id}", shown(record)),
        Route("/import", importing.show),
        Route("/import/files", importing.put, methods=["POST"]),
        Route("/import/begin", importing.begin, methods=["POST"]),
        Route("/import/cancel", importing.cancel, methods=["POST"]),
        Route("/import/connect", importing.connect, methods=["POST"]),
        Route("/admin", administering.show),
        Route("/admin", administering.change, methods=["POST"]),
        Route("/manage", shown(manage)),
        Route("/manage", shown(change), methods=["POST"]),
        Route("/manage/export", exported),
        Route("/store", stored),
        Route("/store/calls", shown(calls)),
        Route("/store/graph", shown(graph)),
        Route("/store/map", shown(meaning)),
        Route("/store/size", shown(storage_page)),
        Route("/contract", shown(contract)),
        Route("/contract/{name}", shown(tool), methods=["GET", "POST"]),
        Route("/static/{name}", file),
    ]
    handlers = {ToolFailed: refused, HTTPException: lost, Exception: failed}
    views = Starlette(routes=routes, exception_handlers=handlers)
    return AuthMiddleware(views, pages, keeper, admits_host, Present().of, held or BufferedBodies())
