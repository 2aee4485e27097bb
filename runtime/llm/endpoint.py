"""Language models behind an endpoint that speaks OpenAI's chat completions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from vcontract.runtime.documents import JsonObject
from vcontract.runtime.llm.model import Completion, FaultReason, LlmFault, Message
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.vcon.values import array

if TYPE_CHECKING:
    import httpx2
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

_MOST_AT_ONCE: Final = 2
_LONGEST_WAIT_SECONDS: Final = 5.0
_SHORTEST_WAIT_SECONDS: Final = 0.5
_MOST_BYTES: Final = 8_000_000
"""Of an answer; those that are asked for have some thousands."""
_NO_KEY: Final = "none"
_OUR_HEADERS: Final = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
)
"""What goes out beside the key. The library would add more, some of it from its own environment variables."""
_BASE_URL: Final = "VCONTRACT_LLM_BASE_URL"
_MODEL: Final = "VCONTRACT_LLM_MODEL"
_API_KEY: Final = "VCONTRACT_LLM_API_KEY"


class Endpoint:
    """Implements `LanguageModel`; its library is loaded with the first call, and at most two run at once."""

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(_MOST_AT_ONCE)

    async def complete(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        """One answer; a fault on the way is repeated once, within five seconds.

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

    async def _ask(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        # the library takes seconds to load; calls are minutes apart, so none keeps a connection for the next
        client = await asyncio.to_thread(self._make_client)
        import openai

        try:
            # the library's timeout is one of each step; an answer that trickles in must end too
            async with client, asyncio.timeout(self._settings.timeout_seconds):
                answer = await client.chat.completions.create(
                    model=self._settings.model or "",
                    messages=[_message(message) for message in messages],
                    max_completion_tokens=self._settings.max_output_tokens,
                    response_format={
                        "type": "json_schema",
                        "json_schema": {"name": name, "strict": True, "schema": schema},
                    },
                )
        except (TimeoutError, openai.APITimeoutError):
            raise LlmFault("timeout") from None
        except openai.APIStatusError as error:
            raise _status_fault(error) from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, _TooLong):
                raise LlmFault("provider_error") from None
            raise LlmFault("unreachable", setting=_BASE_URL) from None
        except (openai.OpenAIError, _TooLong, ValueError, TypeError, RecursionError):
            raise LlmFault("provider_error") from None
        return _completion(answer)

    def _make_client(self) -> "AsyncOpenAI":
        import httpx2
        from openai import AsyncOpenAI

        key = self._settings.api_key.get_secret_value() if self._settings.api_key is not None else None

        async def send_only_ours(request: "httpx2.Request") -> None:
            for header in set(request.headers) - _OUR_HEADERS:
                del request.headers[header]
            request.headers["accept-encoding"] = "identity"
            if key is not None:
                request.headers["authorization"] = f"Bearer {key}"

        async def refuse_too_much(response: "httpx2.Response") -> None:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = Bounded(response.stream)

        class Bounded(httpx2.AsyncByteStream):
            """The bytes of an answer, which may not go on for ever."""

            def __init__(self, stream: httpx2.AsyncByteStream) -> None:
                self._stream = stream

            async def __aiter__(self) -> AsyncIterator[bytes]:
                size = 0
                async for part in self._stream:
                    size += len(part)
                    if size > _MOST_BYTES:
                        raise _TooLong
                    yield part

            async def aclose(self) -> None:
                await self._stream.aclose()

        return AsyncOpenAI(
            base_url=self._settings.base_url,
            api_key=key or _NO_KEY,
            max_retries=0,
            timeout=self._settings.timeout_seconds,
            http_client=httpx2.AsyncClient(
                timeout=self._settings.timeout_seconds,
                follow_redirects=False,
                event_hooks={"request": [send_only_ours], "response": [refuse_too_much]},
            ),
        )


class _TooLong(Exception):
    """An answer is longer than any that could be used."""


def _message(message: Message) -> "ChatCompletionMessageParam":
    if message.role == "system":
        return {"role": "system", "content": message.content}
    if message.role == "assistant":
        return {"role": "assistant", "content": message.content}
    return {"role": "user", "content": message.content}


def _completion(answer: "ChatCompletion") -> Completion:
    """The text of an answer, which an endpoint may have shaped in any way.

    Raises: LlmFault.
    """
    choices: object = getattr(answer, "choices", None)
    choice: object = next(iter(array(choices)), None)
    message: object = getattr(choice, "message", None)
    reason: object = getattr(choice, "finish_reason", None)
    if getattr(message, "refusal", None) or reason == "content_filter":
        raise LlmFault("refused")
    text: object = getattr(message, "content", None)
    if message is None or not isinstance(text, str | None):
        raise LlmFault("provider_error")
    return Completion(text or "", is_cut=reason == "length")


def _status_fault(error: "APIStatusError") -> LlmFault:
    status = error.status_code
    if status in (401, 403):
        return LlmFault("credentials_refused", status=status, setting=_API_KEY)
    if status == 404:
        return LlmFault("not_found", status=status, setting=f"{_BASE_URL} or {_MODEL}")
    reason: FaultReason = (
        "rate_limited" if status == 429 else "provider_error" if status >= 500 else "request_refused"
    )
    return LlmFault(reason, status=status, retry_after_ms=_retry_after(error.response.headers))


def _retry_after(headers: "httpx2.Headers") -> int | None:
    """Milliseconds, when the endpoint gave seconds or a moment, of at most a day."""
    given = headers.get("retry-after", "")
    try:
        seconds = float(given) if given[:1].isdigit() else _seconds_until(given)
    except ValueError:
        return None
    return round(seconds * 1000) if 0 <= seconds <= 86_400 else None


def _seconds_until(given: str) -> float:
    """Raises: ValueError for what is no date of HTTP."""
    moment = parsedate_to_datetime(given)
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _wait_after(fault: LlmFault) -> float | None:
    """Seconds until the request is repeated; None when that would not help, or not soon."""
    if fault.reason not in ("rate_limited", "provider_error", "unreachable"):
        return None
    seconds = _SHORTEST_WAIT_SECONDS if fault.retry_after_ms is None else fault.retry_after_ms / 1000
    return seconds if seconds <= _LONGEST_WAIT_SECONDS else None
