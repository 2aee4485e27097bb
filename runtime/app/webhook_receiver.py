"""Receive vCons by webhook and store each one once, even if it is sent repeatedly."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from vcontract.handlers.vcon.senders import (
    IsSender,
    UnreadableVcon,
    claims_sender,
    message_id,
    plain_form,
)
from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher, UnknownTool
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.mcp.access_policy import (
    CALLER,
    AccessPolicy,
    CallerSource,
    Gate,
    problem,
    unserved,
)
from vcontract.runtime.frame.mcp.bodies import Bodies, Refusal, parsed
from vcontract.runtime.frame.mcp.http import Served
from vcontract.runtime.frame.mcp.requests import MISSING_SCOPE

_TOOL: Final = "create_vcon"
_KEY: Final = "webhook {}"
_MAX_ID_LENGTH: Final = 128
_STATUS: Final[Mapping[str, int]] = {
    "VALIDATION_ERROR": 400,
    "PERMISSION_DENIED": 403,
    "CONFLICT": 409,
    "RATE_LIMIT_EXCEEDED": 429,
    "DATABASE_ERROR": 503,
}
_FAULT: Final = 500


def receiving(
    served: Served, access_policy: AccessPolicy, is_sender: IsSender | None, sender: Caller
) -> ASGIApp:
    """Build the application at `/vcon` for signed requests by `sender`, and for callers with a token."""
    held, refused = served.bodies, served.metrics.count_refused

    def gated(who: CallerSource, refusal: Refusal | None = None) -> ASGIApp:
        storing = Bodies(_storing(served.dispatcher), held, refusal)
        return Gate(storing, served.catalogue, access_policy, who, refused)

    with_token = gated(served.who)
    if is_sender is None:
        return with_token

    async def unasked() -> bool:
        return False

    def refusal(connection: Connection, body: bytes) -> Response | None:
        """Return the same refusal whatever is wrong."""
        if is_sender(Headers(scope=connection), body):
            return None
        refused("invalid_signature")
        return problem(401, "invalid_signature", "Invalid signature.")

    # signed requests need no token; the signature is checked once the body has arrived
    signed = gated(replace(served.who, guest=sender, asks=unasked), refusal)

    async def receive_vcon(connection: Connection, receive: Receive, send: Send) -> None:
        is_signed = connection["type"] == "http" and claims_sender(Headers(scope=connection))
        await (signed if is_signed else with_token)(connection, receive, send)

    return receive_vcon


def _storing(dispatcher: Dispatcher) -> Starlette:
    """Store a vCon posted to `/vcon` for the caller in the ASGI scope."""

    async def store(request: Request) -> Response:
        body = await request.body()
        document = await parsed(_document, body)
        if isinstance(document, Response):
            return document
        sent_as = message_id(request.headers)
        if sent_as is not None and not 0 < len(sent_as) <= _MAX_ID_LENGTH:
            return problem(400, "bad_webhook_id", f"webhook-id has 1 to {_MAX_ID_LENGTH} characters.")
        key: JsonObject = {} if sent_as is None else {"request_key": _KEY.format(sent_as)}
        try:
            with plain_form(document, body.decode()) as vcon:
                arguments = {"vcon_data": vcon, **key}
                outcome = await dispatcher.call(_TOOL, arguments, request.scope[CALLER])
        except UnreadableVcon as error:
            return problem(400, "unreadable_form", str(error))
        except UnknownTool:
            return problem(404, "unknown_tool", f"This server does not serve {_TOOL}, which stores vCons.")
        request.scope[MISSING_SCOPE] = outcome.missing_scope
        return _answer(outcome)

    routes = [Route("/vcon", store, methods=["POST"])]
    return Starlette(routes=routes, exception_handlers={HTTPException: unserved})


def _document(body: bytes) -> JsonObject | Response:
    try:
        document: JsonValue = parse_json(body)
    except MalformedJson as error:
        return problem(400, "malformed_json", f"The body is not JSON: {error}")
    if not isinstance(document, dict):
        return problem(400, "malformed_json", "The body is JSON, but no vCon: it is no object.")
    return cast("JsonObject", document)


def _answer(outcome: CallOutcome) -> Response:
    """Build the response, the same for a new vCon and for one already stored."""
    document = outcome.structured
    if not outcome.is_error:
        return JSONResponse({"success": True, "uuid": document["uuid"]})
    details: JsonObject = document.get("details") or {}
    if details.get("identical"):
        return JSONResponse({"success": True, "uuid": details["uuid"]})
    return JSONResponse(document, _STATUS.get(outcome.outcome, _FAULT))
