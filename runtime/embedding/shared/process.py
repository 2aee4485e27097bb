"""The process that holds a model for the servers of a store, run by the first as `python -m …shared.process`.

It answers on its socket, one request after another on each connection, and ends when nobody has been
connected for a while. Its standard input gives its order as a line of JSON.
"""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime import logs
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.documents.values import is_array, members
from vcontract.runtime.embedding.embedder import EmbeddingFailed, Kind, ModelUnavailable
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.embedding.recipe import Recipe, make_embedder
from vcontract.runtime.embedding.shared.background import Background
from vcontract.runtime.embedding.shared.frames import LENGTHS, BadFrame, lengths_of, pack, read_header
from vcontract.runtime.logs import Log

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

_LOG = Log("embedding")

_MOST_TEXTS: Final = 256
_THREADS: Final = 1
"""For documents that a caller waits for: few and short. Stored text is embedded by a process of its own."""
_SECONDS_TO_FIRST_CALL: Final = 30.0
_SECONDS_BETWEEN_LOOKS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Order:
    """What the process is to do."""

    socket: str
    recipe: JsonObject
    linger: float
    """Seconds without a caller after which it ends."""


class Process:
    """The socket, the model behind it, and who is connected."""

    def __init__(self, order: Order) -> None:
        self._socket = Path(order.socket)
        self._linger = order.linger
        self._model = EmbeddingModel(partial(make_embedder, Recipe.read(order.recipe)), _THREADS)
        self._background = Background()
        self._callers: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()
        self._ending: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Serve until nobody has been connected for a while, or the socket is no longer ours."""
        self._socket.unlink(missing_ok=True)  # of one that was killed: whoever holds the lock is alone
        os.umask(0o077)
        server = await asyncio.start_unix_server(self._called, self._socket)
        own = self._socket.stat().st_ino
        # whoever started it is on its way, and may be slow
        self._begin_ending(self._linger + _SECONDS_TO_FIRST_CALL)
        looking = asyncio.create_task(self._look(own))
        await self._over.wait()
        looking.cancel()
        server.close()
        for caller in self._callers:
            caller.cancel()
        if self._is_at(own):
            self._socket.unlink(missing_ok=True)
        await self._background.stop()
        await self._model.close()

    async def _look(self, own: int) -> None:
        """End when nobody can find the socket any more: its folder was removed, or tidied up."""
        while self._is_at(own):  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        self._over.set()

    def _is_at(self, own: int) -> bool:
        with contextlib.suppress(OSError):
            return self._socket.stat().st_ino == own
        return False

    def _begin_ending(self, seconds: float) -> None:
        self._ending = asyncio.get_running_loop().call_later(seconds, self._over.set)

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._callers.add(task)
        if self._ending is not None:
            self._ending.cancel()
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the caller has left, or everything ends
        finally:
            self._background.leave(writer)
            writer.close()
            self._callers.discard(task)
            if not self._callers:
                self._begin_ending(self._linger)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                header, vectors = lengths_of(await reader.readexactly(LENGTHS.size))
                if vectors:
                    raise BadFrame("vectors are given here, not taken")
                request = read_header(await reader.readexactly(header))
                answer = await self._answer(request, writer)
            except BadFrame as error:
                # what follows may be anything: there is no telling where the next frame begins
                writer.write(pack({"refused": str(error)}))
                await writer.drain()
                return
            writer.write(answer)
            await writer.drain()

    async def _answer(self, request: JsonObject, writer: asyncio.StreamWriter) -> bytes:
        try:
            match request.get("do"):
                case "describe":
                    return await self._describe()
                case "embed":
                    return await self._embed(_kind(request), _texts(request))
                case "work":
                    self._background.want(writer, members(request.get("order")))
                    return b""  # it tells how its model stands, now and whenever that changes
                case "wake":
                    self._background.wake()
                    return b""
                case _:
                    raise BadFrame("the request is none of describe, embed, work and wake")
        except ModelUnavailable as error:
            return pack({"unavailable": {"reason": error.reason, "message": str(error), "cure": error.cure}})
        except EmbeddingFailed as error:
            return pack({"failed": str(error)})
        except BadFrame:
            raise
        except Exception as error:  # the libraries raise errors of no common class
            return pack({"failed": f"{type(error).__name__}: {error}"})

    async def _describe(self) -> bytes:
        model = await self._model.ready(wait=None)
        points = None if model.calibration is None else asdict(model.calibration)
        return pack({"id": model.id, "dim": model.dim, "calibration": points, "pid": os.getpid()})

    async def _embed(self, kind: Kind, texts: list[str]) -> bytes:
        model = await self._model.ready(wait=None)
        if kind == "document":
            return _rows(await self._model.embed_documents(texts), model.dim)
        rows = [await self._model.embed_query(text) for text in texts]
        import numpy as np

        return _rows(np.concatenate(rows) if rows else np.empty((0, model.dim), np.float32), model.dim)


def _kind(request: JsonObject) -> Kind:
    kinds: tuple[Kind, ...] = ("query", "document")
    for kind in kinds:
        if request.get("kind") == kind:
            return kind
    raise BadFrame("kind is neither query nor document")


def _texts(request: JsonObject) -> list[str]:
    texts = request.get("texts")
    if is_array(texts) and len(texts) <= _MOST_TEXTS and all(isinstance(text, str) for text in texts):
        return texts
    raise BadFrame(f"texts is not a list of at most {_MOST_TEXTS} texts")


def _rows(matrix: "Matrix", dim: int) -> bytes:
    return pack({"rows": len(matrix), "dim": dim}, matrix.tobytes())


def main() -> None:
    """Work as the order says."""
    order = Order(**json.loads(sys.stdin.buffer.readline()))
    logs.configure("info")
    _LOG.info("the embedding process begins", pid=os.getpid())
    asyncio.run(Process(order).run())
    _LOG.info("the embedding process ends, for nobody needs it", pid=os.getpid())


if __name__ == "__main__":
    main()
