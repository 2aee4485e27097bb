"""The model of the shared process, as an embedder of a server."""

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import Calibration, EmbeddingFailed, Kind, ModelUnavailable
from vcontract.runtime.embedding.shared.connection import Connection, Lost, SharedProcess
from vcontract.runtime.embedding.shared.place import OWN_MODEL

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

_ATTEMPTS: Final = 3
"""The process may be about to end when it is called, and be killed while it answers."""
_SECONDS_TO_LOAD: Final = 60.0
_SECONDS_TO_EMBED: Final[Mapping[Kind, float]] = {"query": 15.0, "document": 60.0}


class SharedModel:
    """An embedder whose weights are in another process; that is started anew when it has ended.

    Raises: ModelUnavailable, as the model itself would, or because the process cannot be started.
    """

    def __init__(self, process: SharedProcess) -> None:
        self._process = process
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        connection, described = self._opened()
        self._idle.append(connection)
        self.id: str = described["id"]
        self.dim: int = described["dim"]
        points = described["calibration"]
        self.calibration = None if points is None else Calibration(**points)

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        import numpy as np

        request: JsonObject = {"do": "embed", "kind": kind, "texts": list(texts)}
        header, vectors = self._ask(request, _SECONDS_TO_EMBED[kind])
        rows, dim = header["rows"], header["dim"]
        if (rows, dim) != (len(texts), self.dim):
            raise EmbeddingFailed(f"{len(texts)} texts gave {rows} vectors of dimension {dim}")
        return np.frombuffer(vectors, np.float32).reshape(rows, dim)

    def close(self) -> None:
        """Leave the process, which ends when everybody has."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _ask(self, request: JsonObject, seconds: float) -> tuple[JsonObject, bytes]:
        """The answer of the process that runs, or of one that is started because that has ended.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        lost: Lost | None = None
        for _ in range(_ATTEMPTS):
            connection = self._connection()
            try:
                return connection.ask(request, seconds)
            except Lost as error:
                lost = error
            finally:
                if not connection.is_closed:
                    with self._lock:
                        self._idle.append(connection)
        raise _ended(lost)

    def _connection(self) -> Connection:
        """One that is idle, or a new one: a query does not wait for texts that are being embedded."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        connection, described = self._opened()
        if described["id"] != self.id:
            connection.close()
            raise ModelUnavailable(
                "failed", f"the model is {described['id']} now, and was {self.id}", "start the server again"
            )
        return connection

    def _opened(self) -> tuple[Connection, JsonObject]:
        """A connection to the process, and what it says of its model, once that is loaded."""
        lost: Lost | None = None
        for _ in range(_ATTEMPTS):
            connection = self._process.connect()
            try:
                return connection, connection.ask({"do": "describe"}, _SECONDS_TO_LOAD)[0]
            except Lost as error:
                lost = error
            except BaseException:
                connection.close()
                raise
        raise _ended(lost)


def _ended(lost: Lost | None) -> ModelUnavailable:
    return ModelUnavailable("failed", f"the embedding process ends when it is asked: {lost}", OWN_MODEL)
