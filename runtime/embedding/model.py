"""Load an embedding model on first use, and run it in its own threads, off the event loop."""

import asyncio
import contextlib
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeVar

from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.windows import Window

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Embedder, Matrix

_LOADING_SECONDS = 10.0
"""How long a caller waits for a model to load."""
_FAILED_SECONDS = 30.0
"""How long to wait before loading a model again that failed to load."""
_TEXTS_PER_JOB = 32
_WINDOWS_PER_JOB = 4
_NICENESS = 10
"""About a tenth of the CPU share of a normal thread.

At 19 a busy machine would starve it, even while it holds a lock that a call waits for.
"""


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ModelState:
    """State of a model. `idle`: not needed yet. `message` and `cure` are for the operator."""

    status: Literal["idle", "loading", "ready", "not_configured", "failed"]
    message: str = ""
    cure: str = ""


class EmbeddingModel:
    """One embedder, shared by queries and documents. Queries have a thread of their own, so that they never
    wait.
    """

    def __init__(self, make: "Callable[[], Embedder]", threads: int) -> None:
        self._make = make
        self._threads = threads
        self._queries: Executor | None = None
        self._documents: Executor | None = None
        self._embedder: Embedder | None = None
        self._loading: asyncio.Task[Embedder] | None = None
        self._failure: tuple[float, ModelUnavailable] | None = None
        self._jobs = 0
        self._used = 0.0

    @property
    def state(self) -> ModelState:
        if self._embedder is not None:
            return ModelState("ready")
        if self._loading is not None:
            return ModelState("loading", "the model is being loaded", "try again in some seconds")
        if self._failure is not None:
            error = self._failure[1]
            status: Literal["not_configured", "failed"] = (
                "not_configured" if error.reason == "not_configured" else "failed"
            )
            return ModelState(status, str(error), error.cure)
        return ModelState("idle")

    async def ready(self, wait: float | None = _LOADING_SECONDS) -> "Embedder":
        """Return the embedder, after loading it if needed. Waits up to `wait` seconds, or without limit.

        Raises: ModelUnavailable.
        """
        if self._embedder is not None:
            return self._embedder
        if self._failure is not None and time.monotonic() < self._failure[0] + _FAILED_SECONDS:
            raise self._failure[1]
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(_observe)
        try:
            # shielded, because others wait for the same model
            return await asyncio.wait_for(asyncio.shield(self._loading), wait)
        except TimeoutError:
            raise ModelUnavailable(
                "loading", "the model is still being loaded", "try again in some seconds"
            ) from None

    async def embed_query(self, text: str) -> "Matrix":
        """Embed a query. Returns a matrix of one row, of unit length.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        embedder = await self.ready()
        return await self._in(self._query_thread(), partial(embedder.embed, [text], "query"))

    async def embed_documents(self, texts: Sequence[str]) -> "Matrix":
        """Embed texts. Returns unit vectors in order.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        import numpy as np

        embedder = await self.ready(wait=None)
        if not texts:
            return np.empty((0, embedder.dim), np.float32)
        return np.stack(await self._in_jobs(embedder.embed, texts, len, _TEXTS_PER_JOB))

    async def embed_windows(self, windows: Sequence[Window]) -> "list[Matrix]":
        """Embed windows of conversations. Returns the unit vectors of the turns of each, in order.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        reader = (await self.ready(wait=None)).windows
        assert reader is not None, "asked for by `windows` of the same embedder"

        def embed(windows: Sequence[Window]) -> "list[Matrix]":
            return reader.embed_windows([window.turns for window in windows])

        def size(window: Window) -> int:
            return len(window.content)

        return await self._in_jobs(embed, windows, size, _WINDOWS_PER_JOB)

    async def rest(self, unused: float) -> None:
        """Unload a model unused for a number of seconds. It is loaded again when needed."""
        if self._embedder is not None and not self._jobs and time.monotonic() > self._used + unused:
            await self.close()

    async def close(self) -> None:
        """Wait for texts that are being embedded, and unload the model."""
        if self._loading is not None:
            with contextlib.suppress(ModelUnavailable):
                await self._loading
        for threads in (self._queries, self._documents):
            if threads is not None:
                await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)
        if self._embedder is not None:
            self._embedder.close()
        self._embedder = self._queries = self._documents = None

    async def _load(self) -> "Embedder":
        # two threads that import numpy for the first time at once may see it incomplete
        importlib.import_module("numpy")
        try:
            embedder = await asyncio.get_running_loop().run_in_executor(self._query_thread(), self._make)
        except ModelUnavailable as error:
            self._failure = (time.monotonic(), error)
            raise
        except Exception as error:  # the libraries raise unrelated errors; a bad model is a state
            failure = ModelUnavailable(
                "failed",
                f"the model cannot be loaded: {type(error).__name__}: {error}",
                "check the settings VCONTRACT_EMBEDDING_…, or set VCONTRACT_EMBEDDING_PROVIDER=none",
            )
            self._failure = (time.monotonic(), failure)
            raise failure from error
        else:
            self._failure = None
            self._embedder = embedder
            self._used = time.monotonic()
            return embedder
        finally:
            self._loading = None

    async def _in_jobs(
        self,
        embed: "Callable[[Sequence[_Item]], Iterable[Matrix]]",
        items: Sequence[_Item],
        size: Callable[[_Item], int],
        at_once: int,
    ) -> "list[Matrix]":
        """Return what `embed` returns for each item, in order; the threads for documents share the work."""
        # items of similar length together, to avoid padding
        order = sorted(range(len(items)), key=lambda place: size(items[place]))
        jobs = [order[start : start + at_once] for start in range(0, len(order), at_once)]
        threads = self._document_threads()
        parts = await asyncio.gather(
            *(self._in(threads, partial(embed, [items[place] for place in job])) for job in jobs)
        )
        found: dict[int, Matrix] = {}
        for job, part in zip(jobs, parts, strict=True):
            found |= zip(job, part, strict=True)
        return [found[place] for place in range(len(items))]

    async def _in(self, threads: Executor, work: Callable[[], _Result]) -> _Result:
        self._jobs += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, work)
        finally:
            self._jobs -= 1
            self._used = time.monotonic()

    def _query_thread(self) -> Executor:
        if self._queries is None:
            self._queries = ThreadPoolExecutor(1, "vcontract-query")
        return self._queries

    def _document_threads(self) -> Executor:
        if self._documents is None:
            self._documents = ThreadPoolExecutor(self._threads, "vcontract-embed", initializer=_give_way)
        return self._documents


def _give_way() -> None:
    """Lower this thread's priority, where the system supports it."""
    if sys.platform == "linux":
        os.nice(_NICENESS)


def _observe(task: "asyncio.Task[Embedder]") -> None:
    """Retrieve a failure that nobody waits for; the state reports it."""
    if not task.cancelled():
        task.exception()
