"""Load a conversation for its view: whole, or in pieces if it is too large."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.pages.rendering import address
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool, read_resource

_MAX_RESPONSE_BYTES: Final = 10_000_000
_NOT_FOUND: Final = 404
_TOO_LARGE: Final = 413
_ARRAYS: Final = ("dialog", "analysis", "attachments")
_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """Some elements of an array."""

    part: str
    first: int
    count: int
    total: int

    def caption(self, here: str) -> JsonObject:
        """Range of the piece, with links to the previous and next ones."""
        end = self.first + self.count
        return {
            "caption": f"{self.part} {self.first:,} to {end - 1:,} of {self.total:,}"
            if self.count
            else self.part,
            "earlier": self._at(here, max(0, self.first - _AT_ONCE)) if self.first else "",
            "later": self._at(here, end) if self.count and end < self.total else "",
        }

    def _at(self, here: str, first: int) -> str:
        return address(here, {"piece": self.part, "element": str(first)})


async def fetched(request: Request, uuid: str) -> tuple[JsonObject, list[Piece]]:
    """Fetch the vCon; a large one in pieces. Raises: ToolFailed."""
    groups = ["core", "parties", "summary", "tags", "events"]
    limits = {"id": uuid, "max_response_bytes": _MAX_RESPONSE_BYTES}
    try:
        whole = await call_tool(request, "vcon_fetch", include=[*groups, *_ARRAYS], **limits)
    except ToolFailed as refused:
        if refused.status == _NOT_FOUND:
            raise ToolFailed("This conversation is not here.", _NOT_FOUND) from refused
        if refused.status != _TOO_LARGE:
            raise
    else:
        item: JsonObject = whole["item"]
        return item, []
    item = (await call_tool(request, "vcon_fetch", include=groups, **limits))["item"]
    pieces: list[Piece] = []
    for part in _ARRAYS:
        first = _first(request, part)
        found = await read_resource(request, "vcon_elements", uuid=uuid, part=part, first=str(first))
        elements: list[JsonValue] = found["elements"]
        # kept at their indexes, to which analyses and links refer
        item[part] = [*([None] * first), *elements] if elements else []
        pieces.append(Piece(part, first, len(elements), found["total"]))
    return item, pieces


def _first(request: Request, part: str) -> int:
    """First requested element, given directly or around a turn."""
    given = request.query_params
    if given.get("piece") == part:
        return _number(given.get("element", ""))
    at = _number(given.get("at", "")) if part == "dialog" else 0
    return max(0, at - _AT_ONCE // 2) if at >= _AT_ONCE else 0


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else 0
