"""Call tools for a visitor, and convert their errors."""

from typing import Final

from starlette.requests import Request

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import error_of, members
from vcontract.runtime.pages.auth import VISITOR, ReadFailed, Visitor
from vcontract.runtime.vcon.identity import parse_uuid

_STATUS: Final = {
    "NOT_FOUND": 404,
    "PERMISSION_DENIED": 403,
    "RATE_LIMIT_EXCEEDED": 429,
    "RESPONSE_TOO_LARGE": 413,
}
"""HTTP status by error code."""


class ToolFailed(Exception):
    """A tool rejected a request; the message is for the visitor."""

    def __init__(self, message: str, status: int = 400, suggestion: JsonObject | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.suggestion = suggestion or {}

    @classmethod
    def by(cls, answer: JsonObject) -> "ToolFailed":
        """Create from a tool's error."""
        error = error_of(answer)
        status = _STATUS.get(error["code"], 400)
        return cls(error["message"], status, members(error["details"].get("suggestion")))


def visitor_of(request: Request) -> Visitor:
    """Return the visitor of a request."""
    visitor: Visitor = request.scope[VISITOR]
    return visitor


async def call_tool(request: Request, tool: str, /, **arguments: object) -> JsonObject:
    """Call a tool, without arguments that are None. Raises: ToolFailed."""
    if not visitor_of(request).may(tool):
        raise ToolFailed(f"Your token does not permit {tool}, which this view requires.", 403)
    given = {name: value for name, value in arguments.items() if value is not None}
    answer, is_error = await visitor_of(request).ask(tool, given)
    if is_error:
        raise ToolFailed.by(answer)
    return answer


async def full_id(request: Request, text: str) -> str:
    """Return the ID of the conversation that this names, whole or by its first digits. Raises: ToolFailed."""
    if (uuid := parse_uuid(text)) is not None:
        return str(uuid)
    try:
        item = (await call_tool(request, "vcon_fetch", id=text, include=["core"]))["item"]
    except ToolFailed as refused:
        raise ToolFailed(str(refused), 404 if refused.status == 400 else refused.status) from None
    return str(item["id"])


async def read_resource(request: Request, resource: str, **parameters: str) -> JsonObject:
    """Read a resource, without empty parameters. Raises: ToolFailed."""
    given = {name: value for name, value in parameters.items() if value}
    try:
        return await visitor_of(request).read(resource, given)
    except ReadFailed as error:
        raise ToolFailed(str(error)) from error
