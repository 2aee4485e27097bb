"""Parse JSON-RPC messages from a line or a request body, and build errors for invalid ones."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final, Literal, TypeAlias

import pydantic_core
from mcp import types
from pydantic import ValidationError

from vcontract.runtime.frame.documents.json import JsonValue, MalformedJson, is_as_printed, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object

Whole: TypeAlias = Literal["line", "body"]
"""Container of one message."""

MAX_LINE_BYTES: Final = 1 << 26
"""Maximum length of a line: twice the largest vCon, because characters may be escaped."""

_BEGINNING_BYTES: Final = 1_000
_ONE_OBJECT: Final[Mapping[Whole, str]] = {
    "line": "send one JSON object a line",
    "body": "send one JSON object in it",
}
_MAX_ID_DIGITS: Final = 20
"""Maximum digits of a numeric request ID in an unreadable line."""

_UNSENDABLE: Final = re.compile("[\ud800-\udfff\ufffd]")
"""Unpaired surrogates, and the replacement character for invalid UTF-8."""
_NOTHING: Final = object()


class RejectedMessage(Exception):
    """A line or body that is not a message. `answer` is the response to send."""

    def __init__(
        self, request: types.RequestId | None, code: int, reason: str, whole: Whole = "line"
    ) -> None:
        super().__init__(reason)
        message = f"This {whole} is not a JSON-RPC message: {reason}."
        error = types.ErrorData(code=code, message=message)
        self.answer = types.JSONRPCError(jsonrpc="2.0", id=request, error=error)


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream. A line that is too long becomes an error."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE_BYTES + 1)


def request_of(line: bytes) -> types.RequestId | None:
    """Find the ID of a request or response without parsing the whole line."""
    try:
        document: JsonValue = pydantic_core.from_json(line[:_BEGINNING_BYTES], allow_partial=True)
    except ValueError:
        return None
    return _sendable_id(document["id"]) if is_object(document) and "id" in document else None


def unread(line: bytes) -> types.JSONRPCError:
    """Build the response to a line that failed because of an internal error."""
    message = "This line could not be read for a fault of the server, which its log names; nothing was done."
    return types.JSONRPCError(
        jsonrpc="2.0", id=request_of(line), error=types.ErrorData(code=types.INTERNAL_ERROR, message=message)
    )


def read_message(line: bytes) -> types.JSONRPCMessage:
    """Parse a line.

    Raises: RejectedMessage.
    """
    if len(line) > MAX_LINE_BYTES:
        reason = f"it is longer than {MAX_LINE_BYTES} bytes; send less at once"
        raise RejectedMessage(request_of(line), types.INVALID_REQUEST, reason)
    message, text = _validated(line, "line")
    if (
        isinstance(message, types.JSONRPCRequest)
        and message.params
        and not is_as_printed(message.params, line)
    ):
        try:
            message.params = parse_json(text)["params"]  # with numbers as they were written
        except MalformedJson as fault:
            raise RejectedMessage(
                message.id, types.PARSE_ERROR, f"{fault}; write numbers as JSON has them"
            ) from None
    return message


def refusal_of(body: bytes) -> types.JSONRPCError | None:
    """Return the error for an invalid request body, or None if it is a message."""
    try:
        _validated(body, "body")
    except RejectedMessage as refused:
        return refused.answer
    return None


def _validated(line: bytes, whole: Whole) -> tuple[types.JSONRPCMessage, str]:
    """Validate a message. Returns it and its text.

    Raises: RejectedMessage.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as fault:
        reason = f"byte {fault.start} of it is not UTF-8; write text as UTF-8"
        raise RejectedMessage(_id_of(line), types.PARSE_ERROR, reason, whole) from None
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as fault:
        raise _refusal(line, fault, whole) from None
    if isinstance(message, types.JSONRPCNotification) and "id" in pydantic_core.from_json(text):
        # the model of a notification ignores unknown members
        reason = 'its member "id" is neither a text nor an integer'
        raise RejectedMessage(None, types.INVALID_REQUEST, reason, whole)
    return message, text


def _refusal(line: bytes, fault: ValidationError, whole: Whole) -> RejectedMessage:
    first = fault.errors(include_url=False)[0]
    document = _lenient(line)
    if first["type"] == "json_invalid":
        return RejectedMessage(_id_of(line), types.PARSE_ERROR, _reason(document, first["msg"], whole), whole)
    if is_array(document) and any(map(is_object, document)):
        reason = f"it is a batch of {len(document)}; batches are not supported, so send each message alone"
        return RejectedMessage(None, types.INVALID_REQUEST, reason, whole)
    if not is_object(document) or len(first["loc"]) < 2:
        return RejectedMessage(None, types.INVALID_REQUEST, _ONE_OBJECT[whole], whole)
    reason = f'its member "{first["loc"][1]}" is missing or of a wrong kind'
    return RejectedMessage(_id_of(line), types.INVALID_REQUEST, reason, whole)


def _reason(document: JsonValue, message: str, whole: Whole) -> str:
    """Explain why a line is not JSON. `document` is the result of the lenient parser."""
    if document is _NOTHING:
        return _ONE_OBJECT[whole]
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair, which is no Unicode; write the whole character"
    return message.removeprefix("Invalid JSON: ")


def _id_of(line: bytes) -> types.RequestId | None:
    """Find the request ID, even if the line as a whole is unreadable."""
    document = _lenient(line)
    if document is _NOTHING:
        return request_of(line)
    return _sendable_id(document["id"]) if is_object(document) and "id" in document else None


def _sendable_id(value: JsonValue) -> types.RequestId | None:
    if isinstance(value, str):
        return None if _UNSENDABLE.search(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _lenient(line: bytes) -> JsonValue:
    """Parse a line leniently: unpaired surrogates are accepted, and long numbers need not be read."""
    try:
        document: JsonValue = json.loads(line.decode(errors="replace"), parse_int=_short_integer)
    except (ValueError, RecursionError):
        return _NOTHING
    return document


def _short_integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_ID_DIGITS else None
