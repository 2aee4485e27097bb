"""Named searches of the user who started the page."""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.frame.documents.json import MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.pages.auth import FORM
from vcontract.runtime.pages.searching import SearchForm
from vcontract.runtime.pages.tool_client import ToolFailed

MAX_NAME: Final = 60
_MAX_SEARCHES: Final = 50
_MAX_FILE_BYTES: Final = 1_000_000


class SavedSearches:
    """Saved searches of one tenant, in a file that only its owner can read."""

    def __init__(self, folder: Path, tenant: str) -> None:
        self._file = folder / f"searches-{tenant}.json"

    def all(self) -> Mapping[str, str]:
        """Return all, sorted by name; none if the file cannot be read."""
        try:
            return self._read()
        except ValueError:
            return {}

    def save(self, name: str, address: str) -> None:
        """Add or replace a search. Raises: ValueError."""
        kept = {**self._read(), name: address}
        if len(kept) > _MAX_SEARCHES:
            raise ValueError(f"{_MAX_SEARCHES} searches are saved, and no more are kept. Remove one first.")
        self._write(kept)

    def remove(self, name: str) -> None:
        """Delete a search if it exists. Raises: ValueError."""
        self._write({each: address for each, address in self._read().items() if each != name})

    def _read(self) -> Mapping[str, str]:
        """Read the file; empty if it does not exist. Raises: ValueError."""
        try:
            found = parse_json(self._file.read_bytes()[:_MAX_FILE_BYTES])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise ValueError(f"{self._file} cannot be read: {error.strerror or error}.") from error
        except MalformedJson as error:
            raise ValueError(f"{self._file} is not JSON: {error}. Repair or delete it.") from error
        if not is_object(found):
            raise ValueError(f"{self._file} is not a JSON object. Repair or delete it.")
        return {name: value for name, value in sorted(found.items()) if isinstance(value, str)}

    def _write(self, kept: Mapping[str, str]) -> None:
        fresh = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(
                os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
            ) as file:
                json.dump(kept, file, ensure_ascii=False)
            fresh.replace(self._file)
        except OSError as error:
            raise ValueError(f"{self._file} cannot be written: {error.strerror or error}.") from error


def changing(searches: SavedSearches | None) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that saves and deletes searches; without a place for them, it rejects requests."""

    async def change(request: Request) -> Response:
        form: Mapping[str, str] = request.scope[FORM]
        if searches is None:
            raise ToolFailed("Searches are not saved here. Bookmark the address of the search instead.", 404)
        asked = SearchForm.of(QueryParams(form.get("search", "").partition("?")[2]))
        name, address = form.get("name", "").strip(), asked.narrowed("cursor", "").address("")
        try:
            if "remove" in form:
                searches.remove(form["remove"])
            elif not 0 < len(name) <= MAX_NAME or not name.isprintable():
                raise ValueError(f"A name has 1 to {MAX_NAME} printable characters.")
            else:
                searches.save(name, address)
        except ValueError as error:
            raise ToolFailed(str(error)) from error
        return RedirectResponse(f"{request.scope.get('root_path', '')}{address}", 303)

    return change
