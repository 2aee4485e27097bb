"""The model of the shared process, as an embedder of a server."""

import contextlib
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import Calibration, EmbeddingFailed, Kind, ModelUnavailable
from vcontract.runtime.embedding.shared.connection import Connection, Lost, SharedProcess, Silent
from vcontract.runtime.embedding.shared.place import OWN_MODEL

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

_ATTEMPTS: Final = 3
"""The process may be about to end when it is called, and be killed while it answers."""
_SILENCES: Final = 2
"""A process that has not answered so often in a row hangs, and another is started in its place."""
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
        header, vectors = self._ask(request, kind)
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

    def _ask(self, request: JsonObject, kind: Kind) -> tuple[JsonObject, bytes]:
        """The answer of the process that runs, or of one that is started because that has ended.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        lost: Lost | None = None
        for _ in range(_ATTEMPTS):
            connection = self._connection()
            try:
                return self._heard(connection, request, _SECONDS_TO_EMBED[kind])
            except Lost as error:
                lost = error
            finally:
                if not connection.is_closed:
                    with self._lock:
                        self._idle.append(connection)
        raise _ended(lost)

    def _heard(self, connection: Connection, request: JsonObject, seconds: float) -> tuple[JsonObject, bytes]:
        """The answer on a connection.

        Raises: Lost, also when the process hangs and was therefore ended; ModelUnavailable, EmbeddingFailed.
        """
        silences, self._process.silences = self._process.silences, 0
        try:
            return connection.ask(request, seconds)
        except Silent:
            self._process.silences = silences + 1
            if self._process.silences < _SILENCES or not self._has_ended(connection.pid):
                raise
            self._process.silences = 0
            raise Lost(f"process {connection.pid} did not answer {_SILENCES} times, and was ended") from None

    def _has_ended(self, pid: int) -> bool:
        with contextlib.suppress(OSError):
            return self._process.end(pid)
        return False

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
            # one that has already not answered is hardly loading
            seconds = _SECONDS_TO_EMBED["query"] if self._process.silences else _SECONDS_TO_LOAD
            try:
                return connection, self._heard(connection, {"do": "describe"}, seconds)[0]
            except Lost as error:
                lost = error
            except BaseException:
                connection.close()
                raise
        raise _ended(lost)


def _ended(lost: Lost | None) -> ModelUnavailable:
    return ModelUnavailable("failed", f"the embedding process ends when it is asked: {lost}", OWN_MODEL)
