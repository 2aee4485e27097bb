"""Background worker that embeds stored text. Only one process of a store runs it at a time."""

import asyncio
import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import EmbeddingFailed, WindowEmbedder
from vcontract.runtime.embedding.probes import measured
from vcontract.runtime.embedding.sources import Source, sources_of, vectors_of
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.embedding.windows import TurnInWindow
from vcontract.runtime.frame.logs import Log, describe
from vcontract.runtime.store.embeddings import PassageToEmbed, Task, Waiting
from vcontract.runtime.store.postgres.consent import without_consent_filter
from vcontract.runtime.store.postgres.database import DEPLOYMENT

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix
    from vcontract.runtime.embedding.service import Embeddings
    from vcontract.runtime.store.postgres.database import Database, OwnConnection

_LOG = Log("embedding")

LOOKS_EVERY: Final = 1.0
"""Seconds until an idle worker looks for text stored by processes that cannot wake it."""
_MIN_PAUSE_SECONDS: Final = 0.1
"""Minimum pause between two polls that find nothing, however often it is woken."""
_MAX_BACKOFF_SECONDS: Final = 60.0
ASKS_EVERY: Final = 5.0
"""Seconds until a process checks again whether the active worker has ended."""
LOCK: Final = "vcontract.embedding_worker"
"""Advisory lock of the process that embeds in the background."""
_LOCK_SECONDS: Final = 10.0
_RESTING_SECONDS: Final = 300.0
"""How long an unused model stays loaded."""
_RETIRED_SECONDS: Final = 60.0
"""By then, searches begun before a space was replaced have ended."""
_RELEASE_SECONDS: Final = 2.0
_AT_ONCE: Final = 256
"""Passages of one conversation to embed before they are stored and other tasks may continue."""


class EmbeddingWorker:
    """Claims tasks, embeds their passages and stores the vectors. Activates a new model's space."""

    def __init__(
        self,
        embeddings: "Embeddings",
        database: "Database",
        looks_every: float = LOOKS_EVERY,
        asks_every: float = ASKS_EVERY,
    ) -> None:
        self._embeddings = embeddings
        self._store = embeddings.store
        self._database = database
        self._looks_every = looks_every
        self._asks_every = asks_every
        self._woken = asyncio.Event()
        self._space: int | None = None
        self._running: asyncio.Task[None] | None = None
        self._turn: OwnConnection | None = None
        """The connection that holds the advisory lock."""

    def start(self) -> None:
        """Run in the background until `stop`."""
        if self._running is None:
            self._running = asyncio.create_task(self._work(), name="embedding worker")

    def wake(self) -> None:
        """Look for stored text now. Cheap."""
        self._woken.set()

    async def stop(self) -> None:
        """Stop, and release unfinished tasks."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])
        if self._turn is not None:
            self._turn.terminate()
            self._turn = None

    async def drain(self, tenant: str, watch: Callable[[Waiting], None] | None = None) -> Waiting:
        """Work until nothing of the tenant is pending except failures. Returns what remains.

        Tasks that other workers have claimed are waited for. `watch` receives what is pending after each
        batch.

        Raises: ModelUnavailable, EmbeddingFailed, and what the database raises.
        """
        while True:
            space = await self._opened_space()
            with without_consent_filter():
                async with self._database.reading(tenant) as connection:
                    waiting = await self._store.waiting(connection, tenant, space)
            if watch is not None:
                watch(waiting)
            if waiting.is_over:
                await self._tidy(space)
                return waiting
            if not await self.work_once(tenant):
                await asyncio.sleep(_MIN_PAUSE_SECONDS)

    async def work_once(self, tenant: str | None = None) -> int:
        """Embed one batch of tasks, of `tenant` or of the tenant that has waited longest. Returns the number
        of tasks.

        Raises: ModelUnavailable, EmbeddingFailed, and what the database raises.
        """
        space = await self._opened_space()
        claim = uuid.uuid4()
        async with self._database.writing(tenant or DEPLOYMENT) as connection:
            tasks = await self._store.claim(connection, space, claim, tenant)
        await self.embed_claimed(space, claim, tasks)
        return len(tasks)

    async def embed_claimed(self, space: int, claim: uuid.UUID, tasks: Sequence[Task]) -> None:
        """Embed the tasks of a claim and store their vectors. Unfinished tasks are released at once.

        Raises: ModelUnavailable, EmbeddingFailed, and what the database raises.
        """
        unfinished = set(tasks)
        try:
            with without_consent_filter():
                await self._embed(space, claim, tasks, unfinished)
        finally:
            if unfinished:
                await asyncio.shield(self._give_back(claim, unfinished))

    async def _work(self) -> None:
        failures = 0
        while True:
            self._woken.clear()
            await self._embeddings.rest(_RESTING_SECONDS)
            try:
                if not await self._has_turn():
                    await asyncio.sleep(self._asks_every)
                    continue
                tasks = await self._round()
            except Exception as error:  # only `stop` ends the worker
                failures += 1
                pause = min(2.0 ** min(failures, 10) / 2, _MAX_BACKOFF_SECONDS)
                if failures == 1:
                    _LOG.error("stored text is not embedded for now", error)
                await asyncio.sleep(pause)
            else:
                failures = 0
                await (asyncio.sleep(0) if tasks else self._idle())

    async def _has_turn(self) -> bool:
        """Whether this process is the active worker of the store.

        It stays active until it ends. If its connection breaks, it may work beside the next one for a while,
        because no task is claimed twice.
        """
        if self._database.is_pooled:  # with a pooler, a session's lock may pass to another client
            return True
        if self._turn is not None and not self._turn.is_closed():
            return True
        self._turn = None
        connection = await self._database.connect(_LOCK_SECONDS)
        if not await connection.fetchval("select pg_try_advisory_lock(hashtext($1))", LOCK):
            await connection.close()
            return False
        self._turn = connection
        return True

    async def _idle(self) -> None:
        """Wait until woken, or until the next poll."""
        await asyncio.sleep(_MIN_PAUSE_SECONDS)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), self._looks_every)

    async def _round(self) -> int:
        tasks = await self.work_once()
        if not tasks:
            await self._tidy(await self._opened_space())
        return tasks

    async def _opened_space(self) -> int:
        """Return the space of the settings' model. If it is new, create it with tasks for everything
        stored.
        """
        if self._space is None:
            recipe = self._embeddings.recipe
            model = recipe.identity or await self._embeddings.model.ready(wait=None)
            points = await self._points()
            async with self._database.writing(DEPLOYMENT) as connection:
                space = await self._store.open_space(
                    connection, model.id, model.dim, recipe.document(), points
                )
            await self._fill(space)
            self._space = space
        return self._space

    async def _points(self) -> list[float] | None:
        """Return the calibration of the settings' model, measured on first use.

        Raises: ModelUnavailable.
        """
        known = self._embeddings.recipe.identity or await self._embeddings.model.ready(wait=None)
        if known.calibration is not None:
            return known.calibration.points()
        async with self._database.reading(DEPLOYMENT) as connection:
            for space in await self._store.spaces(connection):
                if space.model == known.id and space.calibration:
                    return list(space.calibration)
        embedder = await self._embeddings.model.ready(wait=None)
        try:
            return (await asyncio.to_thread(measured, embedder)).points()
        except EmbeddingFailed as error:
            _LOG.warning("what similarities mean could not be measured", cause=describe(error))
            return None

    async def _fill(self, space: int) -> None:
        async with self._database.reading(DEPLOYMENT) as connection:
            spaces = await self._store.spaces(connection)
        if any(known.id == space and known.is_filled for known in spaces):
            return
        async with self._database.writing(DEPLOYMENT) as connection:
            await self._store.await_writers(connection)
        async with self._database.writing(DEPLOYMENT) as connection:
            await self._store.fill_space(connection, space)

    async def _tidy(self, space: int) -> None:
        """Activate the space once it is complete, and drop the one that it replaces."""
        async with self._database.reading(DEPLOYMENT) as connection:
            spaces = await self._store.spaces(connection)
            retired = await self._store.has_retired_space(connection)
        if any(known.id == space and known.state == "building" for known in spaces):
            async with self._database.writing(DEPLOYMENT) as connection:
                if await self._store.activate_space(connection, space):
                    _LOG.info("a new model is searched from now on", space=space)
        if retired:
            async with self._database.writing(DEPLOYMENT) as connection:
                await self._store.drop_retired_spaces(connection, _RETIRED_SECONDS)

    async def _embed(
        self, space: int, claim: uuid.UUID, tasks: Sequence[Task], unfinished: set[Task]
    ) -> None:
        """Embed the tasks' passages and store their vectors. Stored tasks are removed from `unfinished`."""
        if not tasks:
            return
        windows = (await self._embeddings.model.ready(wait=None)).windows
        found = await self._passages(space, tasks)
        due = {task: await asyncio.to_thread(_due, found[task], windows) for task in tasks}
        now = {task: _first(due[task]) for task in tasks}
        vectors, failed = await self._vectors({task: list(now[task].values()) for task in tasks})
        for task in tasks:
            if task not in failed:
                sources = now[task].values()
                rows = half_vectors([vectors[source] for source in sources])
                made_of = [source.digest for source in sources]
                is_last = len(sources) == len(due[task])
                async with self._database.writing(task.tenant) as connection:
                    await self._store.lock(connection, task)
                    await self._store.store(
                        connection, task, space, claim, list(now[task]), rows, made_of, is_last=is_last
                    )
                unfinished.discard(task)
        if failed:
            tenant, ids = tasks[0].tenant, [task.id for task in failed]
            async with self._database.writing(tenant) as connection:
                await self._store.release(connection, tenant, claim, ids, failed=True)
            unfinished -= failed
            _LOG.warning("texts could not be embedded; they are tried again later", things=len(failed))

    async def _passages(self, space: int, tasks: Sequence[Task]) -> dict[Task, list[PassageToEmbed]]:
        passages: dict[Task, list[PassageToEmbed]] = {}
        for kind in sorted({task.kind for task in tasks}):
            of_kind = [task for task in tasks if task.kind == kind]
            tenant = of_kind[0].tenant
            async with self._database.reading(tenant) as connection:
                ids = [task.id for task in of_kind]
                found = await self._store.passages(connection, tenant, kind, ids, space)
            passages |= {task: found[task.id] for task in of_kind}
        return passages

    async def _vectors(
        self, sources: Mapping[Task, Sequence[Source]]
    ) -> "tuple[dict[Source, Matrix], set[Task]]":
        """Return the vectors of all sources, and the tasks with a source that cannot be embedded.

        Raises: EmbeddingFailed if none of several can be: then the texts are not the cause.
        """
        model = self._embeddings.model
        try:
            return await vectors_of([one for each in sources.values() for one in each], model), set()
        except EmbeddingFailed:
            if len(sources) == 1:
                return {}, set(sources)
        vectors: dict[Source, Matrix] = {}
        failed: dict[Task, EmbeddingFailed] = {}
        for task, each in sources.items():
            try:
                vectors |= await vectors_of(each, model)
            except EmbeddingFailed as error:
                failed[task] = error
                if len(failed) == len(sources):
                    raise
        return vectors, set(failed)

    async def _give_back(self, claim: uuid.UUID, tasks: set[Task]) -> None:
        """Release the tasks at once. Without a database, they are released when the claim expires."""
        tenant = next(iter(tasks)).tenant
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_RELEASE_SECONDS), self._database.writing(tenant) as connection:
                await self._store.release(
                    connection, tenant, claim, [task.id for task in tasks], failed=False
                )


def _due(passages: Sequence[PassageToEmbed], windows: WindowEmbedder | None) -> dict[PassageToEmbed, Source]:
    """Select the passages of one record without a vector, or whose source has changed."""
    return {
        passage: source
        for passage, source in zip(passages, sources_of(passages, windows), strict=True)
        if not passage.has_vector or passage.made_of not in (None, source.digest)
    }


def _first(due: Mapping[PassageToEmbed, Source]) -> dict[PassageToEmbed, Source]:
    """Select what is embedded before it is stored: about `_AT_ONCE` passages, and whole windows."""
    now: dict[PassageToEmbed, Source] = {}
    window = None
    for passage, source in due.items():
        of_source = source.window if isinstance(source, TurnInWindow) else None
        if len(now) >= _AT_ONCE and (of_source is None or of_source is not window):
            break
        now[passage], window = source, of_source
    return now
