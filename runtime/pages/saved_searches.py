"""Searches that are kept by a name, for the one who started the page."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.pages.auth import FORM
from vcontract.runtime.pages.searching import Asked
from vcontract.runtime.pages.tool_client import Refused

MAX_NAME: Final = 60


class Searches(Protocol):
    """Names and the addresses of their searches."""

    def all(self) -> Mapping[str, str]:
        """In the order of their names."""
        ...

    def save(self, name: str, address: str) -> None:
        """Add a search, or replace the one of this name. Raises: ValueError."""
        ...

    def remove(self, name: str) -> None:
        """Forget a search, if there is one of this name. Raises: ValueError."""
        ...


def changing(searches: Searches | None) -> Callable[[Request], Awaitable[Response]]:
    """What saves and removes searches; without any place for them it refuses."""

    async def change(request: Request) -> Response:
        form: Mapping[str, str] = request.scope[FORM]
        if searches is None:
            raise Refused("Searches are not saved here. Bookmark the address of the search instead.", 404)
        asked = Asked.of(QueryParams(form.get("search", "").partition("?")[2]))
        name, address = form.get("name", "").strip(), asked.narrowed("cursor", "").address("")
        try:
            if "remove" in form:
                searches.remove(form["remove"])
            elif not 0 < len(name) <= MAX_NAME or not name.isprintable():
                raise ValueError(f"A name has 1 to {MAX_NAME} printable characters.")
            else:
                searches.save(name, address)
        except ValueError as error:
            raise Refused(str(error)) from error
        return RedirectResponse(f"{request.scope.get('root_path', '')}{address}", 303)

    return change
