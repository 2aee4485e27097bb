"""Embed small texts while they are stored, so that search by meaning finds them at once."""

import asyncio
import contextlib
import uuid
from collections.abc import Iterable, Sequence
from typing import Final

from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.logs import Log, describe
from vcontract.runtime.store.embeddings import Task, Vectors
from vcontract.runtime.store.postgres.database import Connection

_LOG = Log("embedding")

_SECONDS: Final = 1.5
_MAX_PASSAGES: Final = 12
"""Maximum passages of one vCon. Larger ones are left to the worker."""
_CLAIM_SECONDS: Final = 30.0
"""After this, a worker takes over from a process that ended after writing the text."""


async def vectors_of(embeddings: Embeddings, tenant: str, passages: Iterable[str]) -> Vectors | None:
    """Return the vectors of passages if they are ready within 1.5 s. Otherwise None, and the worker makes
    them.
    """
    texts = list(dict.fromkeys(passages))
    if embeddings.recipe.provider == "none" or not texts:
        return None
    try:
        async with asyncio.timeout(_SECONDS):
            found = await embeddings.documents(tenant, texts)
    except (TimeoutError, ModelUnavailable, EmbeddingFailed):
        return None
    if found is None:
        return None
    space, vectors = found
    return Vectors(space, dict(zip(texts, vectors, strict=True)))


class ImmediateEmbedding:
    """Embeds what calls write before they end, and continues in the background what takes too long."""

    def __init__(self, embeddings: Embeddings, worker: EmbeddingWorker) -> None:
        self._embeddings = embeddings
        self._worker = worker
        self._late: set[asyncio.Task[None]] = set()

    def of(self, tenant: str) -> "ChangedVcons":
        """Return the embedding of what one call of a tenant changes."""
        return ChangedVcons(self, tenant)

    async def claim(
        self, connection: Connection, tenant: str, claim: uuid.UUID, vcon: uuid.UUID
    ) -> int | None:
        """Claim the passages of a vCon that need vectors if they are few. Returns their space.

        None while an earlier call's passages are still being embedded: this process is behind, so a worker
        does it.
        """
        if self._late:
            return None
        try:
            model = self._embeddings.recipe.identity or await self._embeddings.model.ready(wait=0)
        except ModelUnavailable:
            return None
        return await self._embeddings.store.claim_vcon(
            connection, tenant, claim, model.id, vcon, max_passages=_MAX_PASSAGES, seconds=_CLAIM_SECONDS
        )

    async def embed(self, space: int, claim: uuid.UUID, tasks: Sequence[Task]) -> None:
        """Embed claimed passages and return after 1.5 s at the latest; the rest is done in the background.

        Raises: what the database raises.
        """
        embedding = asyncio.create_task(self._worker.embed_claimed(space, claim, tasks))
        try:
            await asyncio.wait({embedding}, timeout=_SECONDS)
        finally:
            if not embedding.done():
                self._late.add(embedding)
                embedding.add_done_callback(self._end)
        if embedding.done():
            with contextlib.suppress(ModelUnavailable, EmbeddingFailed):
                embedding.result()

    async def close(self) -> None:
        """Return unfinished passages to the workers."""
        late = set(self._late)
        for embedding in late:
            embedding.cancel()
        if late:
            await asyncio.wait(late)

    def _end(self, embedding: asyncio.Task[None]) -> None:
        self._late.discard(embedding)
        if not embedding.cancelled() and (error := embedding.exception()) is not None:
            _LOG.warning("changes are embedded later", cause=describe(error))


class ChangedVcons:
    """The vCons that one call changes, claimed before the commit so that no worker embeds them as well."""

    def __init__(self, immediate: ImmediateEmbedding, tenant: str) -> None:
        self._immediate = immediate
        self._tenant = tenant
        self._claim = uuid.uuid4()
        self._space: int | None = None
        self._tasks: list[Task] = []

    async def claim(self, connection: Connection, vcon: uuid.UUID) -> None:
        """Claim a vCon's passages that need vectors, in the transaction that changes it."""
        space = await self._immediate.claim(connection, self._tenant, self._claim, vcon)
        if space is not None:
            self._space = space
            self._tasks.append(Task(self._tenant, "vcon", vcon))

    async def embed(self) -> None:
        """Embed what was claimed, after the transaction has committed.

        Raises: what the database raises.
        """
        if self._space is not None:
            await self._immediate.embed(self._space, self._claim, self._tasks)
