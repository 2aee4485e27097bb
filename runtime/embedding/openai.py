"""An embedding model behind an HTTP endpoint compatible with OpenAI's `/embeddings`."""

import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vcontract.runtime.embedding.embedder import Calibration, EmbeddingFailed, Kind, ModelUnavailable
from vcontract.runtime.embedding.vectors import unit_rows
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array, members
from vcontract.runtime.llm.http import JsonEndpoint, NoAnswer

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

_TEXTS_PER_REQUEST = 64
_ATTEMPTS = 4
_FIRST_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 8.0
_TIMEOUT_SECONDS = 30.0
_MAX_RESPONSE_BYTES = 16_000_000
"""Maximum size of a response; 64 vectors of 4,000 numbers take about six million bytes."""
_WORTH_ANOTHER_TRY = frozenset({408, 409, 429, 500, 502, 503, 504})
_REFUSED_ALTOGETHER = frozenset({401, 403, 404})
_CURE = (
    "check VCONTRACT_EMBEDDING_URL, VCONTRACT_EMBEDDING_MODEL, VCONTRACT_EMBEDDING_API_KEY "
    "and that the service runs"
)


class OpenAiCompatible:
    """A model of a service. Its dimension is requested once unless it is given.

    `first_pause` is the wait in seconds before the second attempt; each further one is twice as long.

    Raises: ModelUnavailable.
    """

    calibration: Calibration | None = None
    windows: None = None

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimension: int | None = None,
        query_prompt: str = "",
        document_prompt: str = "",
        first_pause: float = _FIRST_PAUSE_SECONDS,
    ) -> None:
        import httpx2

        self._endpoint = JsonEndpoint(url.rstrip("/") + "/embeddings", api_key, _MAX_RESPONSE_BYTES)
        self._model = model
        self._prompts: dict[Kind, str] = {"query": query_prompt, "document": document_prompt}
        self._asked_dimension = dimension
        self._first_pause = first_pause
        self._client = httpx2.Client(timeout=_TIMEOUT_SECONDS)
        try:
            self.dim = dimension or len(self._request(["dimension"])[0])
        except EmbeddingFailed as error:
            self.close()
            raise ModelUnavailable("failed", str(error), _CURE) from error
        except BaseException:
            self.close()
            raise
        prompts = f"q={query_prompt!r}/d={document_prompt!r}"
        self.id = f"openai:{model}/{self.dim}/{prompts}"

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        import numpy as np

        rows: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_PER_REQUEST):
            part = texts[start : start + _TEXTS_PER_REQUEST]
            rows += self._request([self._prompts[kind] + text for text in part])
        if not rows:
            return np.empty((0, self.dim), np.float32)
        if any(len(row) != self.dim for row in rows):
            lengths = sorted({len(row) for row in rows})
            raise EmbeddingFailed(f"{self._model} gave vectors of dimension {lengths}; expected {self.dim}")
        # values that are too large become infinite, and are rejected for that
        with np.errstate(over="ignore"):
            matrix = np.array(rows, np.float32)
        return unit_rows(matrix, len(texts), self.dim)

    def close(self) -> None:
        """Close the connections to the service."""
        self._client.close()

    def _request(self, texts: list[str]) -> list[list[float]]:
        """Return the service's vectors in the order of `texts`, whatever order it sent."""
        body: JsonObject = {
            "model": self._model,
            # many services reject empty texts
            "input": [text.encode("utf-8", "replace").decode() or " " for text in texts],
            "encoding_format": "float",
        }
        if self._asked_dimension is not None:
            body["dimensions"] = self._asked_dimension
        given = array(members(self._post(body)).get("data"))
        by_place = {as_index(members(item).get("index")): members(item).get("embedding") for item in given}
        if len(given) != len(texts) or set(by_place) != set(range(len(texts))):
            raise EmbeddingFailed(
                f"{self._model} answered {len(texts)} texts with {len(given)} vectors, or with wrong indices"
            )
        return [_numbers(by_place[place]) for place in range(len(texts))]

    def _post(self, body: JsonObject) -> JsonValue:
        url = self._endpoint.place
        failure, pause = "", self._first_pause
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = self._endpoint.post(self._client, body)
            except NoAnswer as error:
                failure = f"{error} at {url}"
                if error.reason == "too_long":
                    raise EmbeddingFailed(failure) from None
            else:
                if answer.is_success:
                    return _parsed(answer.content)
                failure = f"{url} answered HTTP {answer.status}"
                if answer.status in _REFUSED_ALTOGETHER:
                    raise ModelUnavailable("failed", failure, _CURE)
                if answer.status not in _WORTH_ANOTHER_TRY:
                    raise EmbeddingFailed(failure)
            if attempt < _ATTEMPTS:
                # so that clients of a recovering service do not all retry at the same moment
                time.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311
                pause = min(2 * pause, _MAX_PAUSE_SECONDS)
        raise ModelUnavailable("failed", f"{failure}, {_ATTEMPTS} times", _CURE)


def _parsed(content: bytes) -> JsonValue:
    try:
        return parse_json(content)
    except MalformedJson as error:
        raise EmbeddingFailed(f"the service's answer is not JSON: {error}") from error


def _numbers(value: JsonValue) -> list[float]:
    if not is_array(value) or not all(type(number) in (int, float) for number in value):
        raise EmbeddingFailed("the service gave something that is not a list of numbers for a vector")
    return value
