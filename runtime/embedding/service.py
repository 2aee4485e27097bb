"""Embeddings service: embed queries in the searched space, and report the state of models and coverage."""

import asyncio
import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pgvector import HalfVector

from vcontract.runtime.embedding.embedder import (
    EmbeddingFailed,
    ModelUnavailable,
    UnavailableReason,
    queries_of,
)
from vcontract.runtime.embedding.model import EmbeddingModel, ModelState
from vcontract.runtime.embedding.recipe import Recipe, make_embedder
from vcontract.runtime.embedding.vectors import half_vectors, unit_rows
from vcontract.runtime.frame.logs import Log, describe
from vcontract.runtime.store.embeddings import Coverage, EmbeddingStore, Space
from vcontract.runtime.store.search.hits import QueryVector

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Connection, Database

_LOG = Log("embedding")
_THREADS: Final = max(2, (os.cpu_count() or 2) // 2)
"""Threads for stored text; queries have one of their own."""
_SPACES_SECONDS: Final = 2.0
_FIRST_TRIES: Final = 12
_FIRST_WAIT: Final = 0.25
_SAMPLE_SECONDS: Final = 10.0
_MAX_SAMPLES: Final = 100
"""Maximum tenants with a cached sample, 300 kB each."""


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """State of a tenant's search by meaning."""

    model: ModelState
    """State of the model in the settings."""
    coverage: Coverage
    """Coverage of the searched space."""
    building: str | None
    """The model whose space will replace the searched one once it is complete, if any."""
    stale: int
    """Passages without vectors of that model, while older vectors are searched."""

    @property
    def is_available(self) -> bool:
        """Whether a query can be embedded, as far as known without loading the model."""
        return self.model.status not in ("not_configured", "failed")


class NothingEmbedded(Exception):
    """Everything that a search by meaning could find still waits for its vector."""


class Embeddings:
    """The models in use: the one in the settings, and that of the searched space if it differs."""

    def __init__(
        self, settings: "Settings", database: "Database", model: EmbeddingModel | None = None
    ) -> None:
        """Create the service. `model` is the settings' model if it is shared; its creator closes it."""
        self._settings = settings
        self._database = database
        self._others: dict[str, EmbeddingModel] = {}
        self.store = EmbeddingStore()
        self.recipe = Recipe.of_settings(settings)
        self.model = model or self._model(self.recipe)
        """The model in the settings, which embeds stored text."""
        self._is_model_ours = model is None
        self._known_spaces: tuple[float, int, list[Space]] = (0.0, 0, [])
        self._samples: dict[tuple[object, ...], tuple[float, Matrix]] = {}
        self._reason: UnavailableReason | None = None
        """Why the last query was not embedded."""

    async def query(self, tenant: str, text: str) -> QueryVector:
        """Embed a query in the searched space.

        Raises: ModelUnavailable.
        """
        try:
            vector = await self._query(tenant, text)
        except ModelUnavailable as error:
            self._log_state(error)
            raise
        self._log_state(None)
        return vector

    async def _query(self, tenant: str, text: str) -> QueryVector:
        if self.recipe.provider == "none":
            await self.model.ready()
        spaces = await self._spaces(tenant)
        for space in spaces:
            try:
                vector = QueryVector(space, _one(await self._embed(space, text)))
                return await self._calibrated(tenant, vector)
            except EmbeddingFailed as error:
                raise ModelUnavailable("failed", str(error), "try again in a while") from error
            except ModelUnavailable:
                # the model of the old vectors may be missing, so search new ones before they are complete
                if space is spaces[-1]:
                    raise
        raise ModelUnavailable("not_configured", "nothing has been embedded yet", "run: vcontract embed")

    async def first_vectors(self, tenant: str) -> bool:
        """Wait a moment for the first vectors of a tenant. Return whether there are any."""
        for _ in range(_FIRST_TRIES):
            await asyncio.sleep(_FIRST_WAIT)
            async with self._database.reading(tenant) as connection:
                if (await self.store.coverage(connection, tenant)).embedded:
                    return True
        return False

    async def documents(self, tenant: str, texts: Sequence[str]) -> tuple[int, list[HalfVector]] | None:
        """Embed texts in the searched space. None if it belongs to another model, or is missing.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        own = await self.model.ready()
        spaces = await self._spaces(tenant)
        if not spaces or spaces[0].model != own.id:
            return None
        return spaces[0].id, half_vectors(await self.model.embed_documents(texts))

    async def given(self, tenant: str, numbers: Sequence[float]) -> QueryVector:
        """Accept a caller's own vector for the searched space; needs no model.

        Raises: InvalidQuery; ModelUnavailable if there is no space.
        """
        import numpy as np

        from vcontract.runtime.store.search.search_params import (
            InvalidQuery,  # imported here, because it loads everything that reads vCons
        )

        spaces = await self._spaces(tenant)
        if not spaces:
            raise ModelUnavailable("not_configured", "nothing has been embedded yet", "run: vcontract embed")
        space = spaces[0]
        try:
            row = unit_rows(np.array([numbers], np.float64), 1, space.dimension)
        except EmbeddingFailed:
            raise InvalidQuery(
                "unusable_vector",
                "embedding",
                f"embedding: {len(numbers)} numbers; expected {space.dimension}, "
                "all finite and not all zero.",
                expected=space.dimension,
                got=len(numbers),
            ) from None
        return await self._calibrated(tenant, QueryVector(space, _one(row)))

    async def status(self, connection: "Connection", tenant: str) -> EmbeddingStatus:
        """State of the tenant's search by meaning now. A large coverage is up to 10 s old."""
        if self.recipe.provider == "none":
            with contextlib.suppress(ModelUnavailable):
                await self.model.ready()  # nothing is downloaded, and the state reports a failure
        spaces = await self.store.spaces(connection)
        building = next((space for space in spaces if space.state == "building"), None)
        stale = 0
        if building is not None:
            stale = (await self.store.waiting(connection, tenant, building.id)).passages
        coverage = await self.store.coverage(connection, tenant)
        model = None if building is None else building.model
        return EmbeddingStatus(self.model.state, coverage, model, stale)

    async def rest(self, unused: float) -> None:
        """Unload models that have not been used for a number of seconds."""
        for model in (self.model, *self._others.values()):
            await model.rest(unused)

    async def close(self) -> None:
        """Wait for texts that are being embedded, and unload the models."""
        for model in (*([self.model] if self._is_model_ours else []), *self._others.values()):
            await model.close()

    def _log_state(self, failure: ModelUnavailable | None) -> None:
        """Log when queries can no longer be embedded, when the reason changes, and when it ends."""
        reason = None if failure is None else failure.reason
        if reason in ("loading", self._reason):
            return
        self._reason = reason
        if failure is None:
            _LOG.info("queries are embedded again")
        else:
            cause = describe(failure)
            _LOG.warning("queries are not embedded for now", reason=reason, cure=failure.cure, cause=cause)

    async def _spaces(self, tenant: str) -> list[Space]:
        """Return the active space, then the one being built; changes by other processes show after 2 s."""
        until, changes, spaces = self._known_spaces
        if until < time.monotonic() or changes != self.store.changes:
            changes = self.store.changes
            async with self._database.reading(tenant, by_key=True) as connection:
                spaces = await self.store.spaces(connection)
            if spaces and len(spaces) == 1 and spaces[0].state == "active":
                self._known_spaces = (time.monotonic() + _SPACES_SECONDS, changes, spaces)
        return spaces

    async def _calibrated(self, tenant: str, vector: QueryVector) -> QueryVector:
        """Add the noise level among the tenant's texts to the vector, from a sample at most 10 s old."""
        if vector.space.calibration is None:
            return vector
        key = (tenant, vector.space.id, self._database.consent)
        until, sample = self._samples.get(key, (0.0, None))
        if until < time.monotonic():
            async with self._database.reading(tenant, by_key=True) as connection:
                sample = await self.store.sample(connection, vector.space.id)
            if sample is not None:
                if len(self._samples) >= _MAX_SAMPLES:
                    self._samples.clear()
                self._samples[key] = (time.monotonic() + _SAMPLE_SECONDS, sample)
        return vector.adjusted_for(sample)

    async def _embed(self, space: Space, text: str) -> "Matrix":
        """Embed a query with the model of a space.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        model = self.model
        own = self.recipe.identity or await model.ready()
        if queries_of(own.id) != queries_of(space.model):
            model = self._others.setdefault(space.model, self._model(Recipe.read(space.recipe)))
            embedder = await model.ready()
            if queries_of(embedder.id) != queries_of(space.model):
                raise ModelUnavailable(
                    "failed",
                    f"the searched vectors are of {space.model}, and in its place is {embedder.id}",
                    "wait until the new model has embedded all text: vcontract embed",
                )
        return await model.embed_query(text)

    def _model(self, recipe: Recipe) -> EmbeddingModel:
        key = self._settings.embedding_api_key
        # the key is for the service in the settings and for no other
        api_key = (
            key.get_secret_value() if key is not None and recipe.url == self._settings.embedding_url else None
        )
        return EmbeddingModel(partial(make_embedder, recipe, api_key), _THREADS)


def _one(row: "Matrix") -> HalfVector:
    (vector,) = half_vectors(row)
    return vector
