"""Call a language model over OpenAI's chat completions API."""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.llm.http import Answer, Declined, JsonEndpoint, NoAnswer
from vcontract.runtime.llm.model import Completion, FaultReason, LlmFault, Message
from vcontract.runtime.llm.settings import LlmSettings

if TYPE_CHECKING:
    import httpx2

_MAX_CONCURRENT_REQUESTS: Final = 2
_MAX_WAIT_SECONDS: Final = 5.0
_MIN_WAIT_SECONDS: Final = 0.5
_MAX_RESPONSE_BYTES: Final = 8_000_000
"""Maximum size of a response; typical ones have some thousand bytes."""
_DATA: Final = "data:"
_DONE: Final = "data: [DONE]"
"""Prefix of the lines of a stream, and its last line."""
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")
_BASE_URL: Final = "VCONTRACT_LLM_BASE_URL"
_MODEL: Final = "VCONTRACT_LLM_MODEL"
_API_KEY: Final = "VCONTRACT_LLM_API_KEY"


class Endpoint:
    """Implements `LanguageModel`. At most two calls run at once."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(_MAX_CONCURRENT_REQUESTS)
        self._completions = JsonEndpoint(
            (settings.base_url or "").rstrip("/") + "/chat/completions",
            settings.api_key.get_secret_value() if settings.api_key is not None else None,
            _MAX_RESPONSE_BYTES,
        )

    async def complete(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        """Return one completion. A transient fault is retried once, within five seconds.

        Raises: LlmFault.
        """
        async with self._turns:
            try:
                return await self._ask(messages, name, schema)
            except LlmFault as fault:
                wait = _wait_after(fault)
                if wait is None:
                    raise
                await asyncio.sleep(wait)
            return await self._ask(messages, name, schema)

    async def stream(self, messages: Sequence[Message], name: str, schema: JsonObject) -> AsyncGenerator[str]:
        """Yield the text of one completion in pieces as it is written, or in one piece if streaming is
        unsupported.

        Raises: LlmFault.
        """
        body, unstreamed, streams = self._body(messages, name, schema) | {"stream": True}, "", False
        ends = asyncio.get_running_loop().time() + self._settings.timeout_seconds
        client = await asyncio.to_thread(self._make_client)
        try:
            async with self._turns, client, aclosing(self._completions.lines(client, body)) as lines:
                while True:
                    async with asyncio.timeout_at(ends):
                        line = await anext(lines, None)
                    if line is None or line.strip() == _DONE:
                        break
                    if line.startswith(_DATA):
                        streams = True
                        yield _piece(parse_json(line.removeprefix(_DATA)))
                    else:
                        unstreamed += line
            if not streams:
                yield _completion(parse_json(unstreamed)).text
        except TimeoutError:
            raise LlmFault("timeout") from None
        except Declined as declined:
            raise _status_fault(declined.answer, self._settings) from None
        except NoAnswer as fault:
            raise _fault_of(fault) from None
        except ValueError:
            raise LlmFault("provider_error") from None

    def _body(self, messages: Sequence[Message], name: str, schema: JsonObject) -> JsonObject:
        return {
            "model": self._settings.model or "",
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "max_completion_tokens": self._settings.max_output_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            },
        }

    async def _ask(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        body = self._body(messages, name, schema)
        # loading certificates takes a moment; calls are minutes apart, so no connection is kept
        client = await asyncio.to_thread(self._make_client)
        try:
            # the client's timeout is for each step; a slow stream must end too
            async with client, asyncio.timeout(self._settings.timeout_seconds):
                answer = await self._completions.post_async(client, body)
            if not answer.is_success:
                raise _status_fault(answer, self._settings)
            return _completion(parse_json(answer.content))
        except TimeoutError:
            raise LlmFault("timeout") from None
        except NoAnswer as fault:
            raise _fault_of(fault) from None
        except ValueError:
            raise LlmFault("provider_error") from None

    def _make_client(self) -> "httpx2.AsyncClient":
        import httpx2

        return httpx2.AsyncClient(timeout=self._settings.timeout_seconds)


def _completion(answer: JsonValue) -> Completion:
    """Parse a response, which an endpoint may have shaped in any way.

    Raises: LlmFault.
    """
    choice = members(next(iter(array(members(answer).get("choices"))), None))
    message, reason = choice.get("message"), choice.get("finish_reason")
    if members(message).get("refusal") or reason == "content_filter":
        raise LlmFault("refused")
    text = members(message).get("content")
    if not is_object(message) or not isinstance(text, str | None):
        raise LlmFault("provider_error")
    return Completion(text or "", is_cut=reason == "length")


def _piece(event: JsonValue) -> str:
    """Return the text that an event of a stream adds. Raises: LlmFault."""
    choice = members(next(iter(array(members(event).get("choices"))), None))
    delta = members(choice.get("delta"))
    if delta.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise LlmFault("refused")
    text = delta.get("content")
    return text if isinstance(text, str) else ""


def _fault_of(fault: NoAnswer) -> LlmFault:
    match fault.reason:
        case "timeout":
            return LlmFault("timeout")
        case "unreachable":
            return LlmFault("unreachable", setting=_BASE_URL)
        case "too_long":
            return LlmFault("provider_error")


def _status_fault(answer: Answer, settings: LlmSettings) -> LlmFault:
    status = answer.status
    if status in (401, 403):
        return LlmFault("credentials_refused", status=status, setting=_API_KEY)
    if status == 404:
        return LlmFault("not_found", status=status, setting=f"{_BASE_URL} or {_MODEL}")
    reason: FaultReason = (
        "rate_limited" if status == 429 else "provider_error" if status >= 500 else "request_refused"
    )
    error = _error_of(answer.content)
    said = _said(error, settings) if reason == "request_refused" else None
    return LlmFault(
        reason, status=status, retry_after_ms=_retry_after(answer.headers), code=_code(error), said=said
    )


def _error_of(content: bytes) -> JsonObject:
    """Return an error in OpenAI's form; empty for any other."""
    try:
        return members(members(parse_json(content)).get("error"))
    except ValueError:
        return {}


def _code(error: JsonObject) -> str | None:
    """Return the code of an error, else its type."""
    codes = (error.get(name) for name in ("code", "type"))
    return next((code for code in codes if isinstance(code, str) and _CODE.fullmatch(code)), None)


def _said(error: JsonObject, settings: LlmSettings) -> str | None:
    """Return the endpoint's message about the request, with the key removed."""
    message = error.get("message")
    if not isinstance(message, str):
        return None
    key = "" if settings.api_key is None else settings.api_key.get_secret_value()
    return message.replace(key, "[REDACTED]") if key else message


def _retry_after(headers: Mapping[str, str]) -> int | None:
    """Milliseconds to wait, if the endpoint gave seconds or a date, at most a day."""
    given = headers.get("retry-after", "")
    try:
        seconds = float(given) if given[:1].isdigit() else _seconds_until(given)
    except ValueError:
        return None
    return round(seconds * 1000) if 0 <= seconds <= 86_400 else None


def _seconds_until(given: str) -> float:
    """Seconds until an HTTP date. Raises: ValueError if it is invalid."""
    moment = parsedate_to_datetime(given)
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _wait_after(fault: LlmFault) -> float | None:
    """Seconds until the retry; None if a retry would not help, or not soon."""
    if fault.reason not in ("rate_limited", "provider_error", "unreachable"):
        return None
    seconds = _MIN_WAIT_SECONDS if fault.retry_after_ms is None else fault.retry_after_ms / 1000
    return seconds if seconds <= _MAX_WAIT_SECONDS else None
