"""The view of first steps: bring conversations in, see how far that is, and connect a client."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.administering import Administration
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.saved_searches import SavedSearches
from vcontract.runtime.pages.tool_client import Refused


class Unfit(Exception):
    """What a visitor wants cannot be done on this machine; the message is for them."""


@dataclass(slots=True)
class Run:
    """An import, how far it is, and what came of it."""

    what: str
    lines: list[str] = field(default_factory=list[str])
    """What it says, the last lines."""
    files: list[JsonObject] = field(default_factory=list["JsonObject"])
    """What became of the first files, once it has ended."""
    code: int | None = None
    """Its exit code; None while it runs."""
    is_cancelled: bool = False

    @property
    def told(self) -> str:
        """How it stands, in words."""
        if self.code is None:
            return f"Importing {self.what} …"
        if self.is_cancelled:
            return "Cancelled. What came in until then is stored; start again to continue."
        return "Imported." if self.code == 0 else "Not everything came in."


@dataclass(frozen=True, slots=True)
class Offered:
    """A client on this machine that can start the server."""

    name: str
    title: str
    file: str
    entry: str
    """What its configuration would contain."""


class Machine(Protocol):
    """What the page does on the machine that it runs on, for the one who started it."""

    administration: Administration
    searches: SavedSearches
    programs: Sequence[str]
    """The coding agents whose sessions are here."""
    run: Run | None

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Keep a file for the next import. Raises: Unfit."""
        ...

    async def begin(self, what: str) -> None:
        """Import `files`, `sessions` or `examples`. Raises: Unfit."""
        ...

    async def cancel(self) -> None:
        """End the import and forget files that were not imported."""
        ...

    def clients(self) -> Sequence[Offered]:
        """The clients that can be connected."""
        ...

    def connect(self, client: str) -> str:
        """Write the entry of a client; what was done. Raises: Unfit."""
        ...


class Importing:
    """The views of first steps; without a machine to do them on there are none."""

    def __init__(self, pages: Pages, machine: Machine | None) -> None:
        self._pages = pages
        self._machine = machine

    async def show(self, request: Request) -> Response:
        """The page."""
        return self._shown(request, self._found())

    async def put(self, request: Request) -> Response:
        """Takes a file that was dropped onto the page."""
        try:
            await self._found().put(request.query_params.get("name", ""), request.stream())
        except Unfit as error:
            raise Refused(str(error)) from error
        return Response(status_code=204)

    async def begin(self, request: Request) -> Response:
        """Starts an import."""
        return await self._done(request, lambda machine, form: machine.begin(form.get("what", "")))

    async def cancel(self, request: Request) -> Response:
        """Ends it."""
        return await self._done(request, lambda machine, form: machine.cancel())

    async def connect(self, request: Request) -> Response:
        """Writes the entry of a client whose box was ticked."""
        machine, form = self._found(), request.scope[FORM]
        try:
            if "sure" not in form:
                raise Unfit("Nothing was written. Tick the box to confirm.")
            told = machine.connect(form.get("client", ""))
        except Unfit as error:
            return self._shown(request, machine, problem=str(error), status=400)
        return self._shown(request, machine, told=told)

    async def _done(
        self, request: Request, act: Callable[[Machine, dict[str, str]], Awaitable[None]]
    ) -> Response:
        machine = self._found()
        try:
            await act(machine, request.scope[FORM])
        except Unfit as error:
            return self._shown(request, machine, problem=str(error), status=400)
        return RedirectResponse(f"{request.scope.get('root_path', '')}/import", 303)

    def _found(self) -> Machine:
        if self._machine is None:
            raise Refused("This page imports nothing. Run `vcontract import` where the store is.", 404)
        return self._machine

    def _shown(
        self, request: Request, machine: Machine, told: str = "", problem: str = "", status: int = 200
    ) -> Response:
        return self._pages.answer(
            request,
            "import.html.jinja",
            status,
            run=machine.run,
            programs=machine.programs,
            clients=machine.clients(),
            change=request.scope[CHANGE],
            told=told,
            problem=problem,
        )
