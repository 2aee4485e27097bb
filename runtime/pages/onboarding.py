"""First steps: import conversations, show progress, and connect a client."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.tool_client import ToolFailed

if TYPE_CHECKING:
    from vcontract.runtime.pages.local_machine import LocalMachine


class UploadRejected(Exception):
    """A request cannot be fulfilled on this machine; the message is for the visitor."""


@dataclass(slots=True)
class Run:
    """An import, its progress and its result."""

    what: str
    lines: list[str] = field(default_factory=list[str])
    """Last lines of its output."""
    files: list[JsonObject] = field(default_factory=list["JsonObject"])
    """Results for the first files, once it has finished."""
    code: int | None = None
    """Exit code; None while it runs."""
    is_cancelled: bool = False

    @property
    def caption(self) -> str:
        """Progress in words."""
        if self.code is None:
            return f"Importing {self.what} …"
        if self.is_cancelled:
            return "Cancelled. What came in until then is stored; start again to continue."
        return "Imported." if self.code == 0 else "Not everything came in."


@dataclass(frozen=True, slots=True)
class Offered:
    """An MCP client on this machine that can start the server."""

    name: str
    title: str
    file: str
    entry: str
    """Its configuration entry."""


class Importing:
    """Views of the first steps, if there is a machine."""

    def __init__(self, pages: Pages, machine: "LocalMachine | None") -> None:
        self._pages = pages
        self._machine = machine

    async def show(self, request: Request) -> Response:
        """Show the page."""
        return self._shown(request, self._found())

    async def put(self, request: Request) -> Response:
        """Receive a dropped file."""
        try:
            await self._found().put(request.query_params.get("name", ""), request.stream())
        except UploadRejected as error:
            raise ToolFailed(str(error)) from error
        return Response(status_code=204)

    async def begin(self, request: Request) -> Response:
        """Start an import."""
        return await self._done(request, lambda machine, form: machine.begin(form.get("what", "")))

    async def cancel(self, request: Request) -> Response:
        """Cancel the import."""
        return await self._done(request, lambda machine, form: machine.cancel())

    async def connect(self, request: Request) -> Response:
        """Configure the selected client."""
        machine, form = self._found(), request.scope[FORM]
        try:
            if "sure" not in form:
                raise UploadRejected("Nothing was written. Tick the box to confirm.")
            caption = machine.connect(form.get("client", ""))
        except UploadRejected as error:
            return self._shown(request, machine, problem=str(error), status=400)
        return self._shown(request, machine, caption=caption)

    async def _done(
        self, request: Request, act: Callable[["LocalMachine", dict[str, str]], Awaitable[None]]
    ) -> Response:
        machine = self._found()
        try:
            await act(machine, request.scope[FORM])
        except UploadRejected as error:
            return self._shown(request, machine, problem=str(error), status=400)
        return RedirectResponse(f"{request.scope.get('root_path', '')}/import", 303)

    def _found(self) -> "LocalMachine":
        if self._machine is None:
            raise ToolFailed("This page imports nothing. Run `vcontract import` where the store is.", 404)
        return self._machine

    def _shown(
        self,
        request: Request,
        machine: "LocalMachine",
        caption: str = "",
        problem: str = "",
        status: int = 200,
    ) -> Response:
        return self._pages.answer(
            request,
            "import.html.jinja",
            status,
            run=machine.run,
            programs=machine.programs,
            clients=machine.clients(),
            change=request.scope[CHANGE],
            caption=caption,
            problem=problem,
        )
