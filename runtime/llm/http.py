"""POST JSON to external endpoints, and read responses within limits."""

import contextlib
import re
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, dump_json

if TYPE_CHECKING:
    import httpx2

NoAnswerReason: TypeAlias = Literal["timeout", "unreachable", "too_long"]

_LAST_PORT = 65_535
_MAX_ERROR_BODY_BYTES = 8_192
"""Maximum bytes to read of an error response."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of an endpoint. For an error, only the beginning of `content` is read."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class NoAnswer(Exception):
    """An endpoint was unreachable or did not finish. The message quotes nothing from it."""

    def __init__(self, reason: NoAnswerReason, message: str) -> None:
        super().__init__(message)
        self.reason: NoAnswerReason = reason


class Declined(Exception):
    """An endpoint returned an error status."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(str(answer.status))
        self.answer = answer


@dataclass(frozen=True, slots=True)
class JsonEndpoint:
    """An endpoint that accepts JSON. Redirects are not followed, and compressed data is not unpacked."""

    url: str
    api_key: str | None = field(repr=False)
    most_bytes: int
    """Maximum size of a response."""

    @property
    def place(self) -> str:
        """The URL without any password in it."""
        return re.sub("//.*@", "//", self.url)

    def post(self, client: "httpx2.Client", body: JsonObject) -> Answer:
        """Raises: NoAnswer; ValueError for a body that is not JSON."""
        with _in_our_words():
            response = client.send(self._request(client, body), stream=True, follow_redirects=False)
            with contextlib.closing(response):
                content = bytearray()
                if response.is_success:
                    for part in response.iter_raw():
                        self._add(content, part)
        return Answer(response.status_code, response.headers, bytes(content))

    async def post_async(self, client: "httpx2.AsyncClient", body: JsonObject) -> Answer:
        """Raises: NoAnswer; ValueError for a body that is not JSON."""
        with _in_our_words():
            response = await client.send(self._request(client, body), stream=True, follow_redirects=False)
            async with contextlib.aclosing(response):
                content = bytearray()
                async for part in response.aiter_raw():
                    if response.is_success:
                        self._add(content, part)
                    elif len(content) < _MAX_ERROR_BODY_BYTES:
                        content += part[:_MAX_ERROR_BODY_BYTES]
                    else:
                        break
        return Answer(response.status_code, response.headers, bytes(content))

    async def lines(self, client: "httpx2.AsyncClient", body: JsonObject) -> AsyncGenerator[str]:
        """Yield the lines of a response as they arrive.

        Raises: NoAnswer; Declined; ValueError for a body that is not JSON.
        """
        with _in_our_words():
            response = await client.send(self._request(client, body), stream=True, follow_redirects=False)
            async with contextlib.aclosing(response):
                whole, begun = bytearray(), 0
                async for part in response.aiter_raw():
                    if not response.is_success:
                        failure = Answer(response.status_code, response.headers, part[:_MAX_ERROR_BODY_BYTES])
                        raise Declined(failure)
                    self._add(whole, part)
                    while (end := whole.find(b"\n", begun)) >= 0:
                        yield whole[begun:end].decode(errors="replace")
                        begun = end + 1
                if not response.is_success:
                    raise Declined(Answer(response.status_code, response.headers, b""))
                yield whole[begun:].decode(errors="replace")

    def _request(self, client: "httpx2.Client | httpx2.AsyncClient", body: JsonObject) -> "httpx2.Request":
        headers = {
            b"accept": b"application/json",
            b"accept-encoding": b"identity",
            b"content-type": b"application/json",
        }
        if self.api_key:
            headers[b"authorization"] = b"Bearer " + self.api_key.encode()
        url = self.place if self.api_key else self.url
        request = client.build_request("POST", url, content=dump_json(body), headers=headers)
        if (request.url.port or 0) > _LAST_PORT:
            raise NoAnswer("unreachable", "no such port")
        return request

    def _add(self, content: bytearray, part: bytes) -> None:
        content += part
        if len(content) > self.most_bytes:
            raise NoAnswer("too_long", f"an answer of more than {self.most_bytes} bytes")


@contextlib.contextmanager
def _in_our_words() -> Generator[None]:
    import httpx2

    try:
        yield
    except httpx2.TimeoutException as error:
        raise NoAnswer("timeout", type(error).__name__) from None
    except (httpx2.TransportError, httpx2.InvalidURL) as error:
        raise NoAnswer("unreachable", type(error).__name__) from None
