"""Embeddings as the program uses them: queries as vectors of the searched space, and how all stands."""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pgvector import HalfVector

from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable, UnavailableReason
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
"""Those that embed stored text; a query has its own."""


@dataclass(frozen=True, slots=True)
class EmbeddingStatus:
    """How a tenant can be searched by meaning."""

    model: ModelState
    """Of the model that the settings name."""
    coverage: Coverage
    """In the space that is searched."""
    building: str | None
    """The model whose space will be searched once it is complete, when there is one."""
    stale: int
    """Passages that wait for that model, while vectors of the one before are searched."""

    @property
    def is_available(self) -> bool:
        """Whether a query can be turned into a vector, as far as is known without loading the model."""
        return self.model.status not in ("not_configured", "failed")


class Embeddings:
    """The models in use: that of the settings, and that of the searched space while it is another."""

    def __init__(
        self, settings: "Settings", database: "Database", model: EmbeddingModel | None = None
    ) -> None:
        """`model` is the one of the settings where others use it too; its maker closes it."""
        self._settings = settings
        self._database = database
        self._others: dict[str, EmbeddingModel] = {}
        self.store = EmbeddingStore()
        self.recipe = Recipe.of_settings(settings)
        self.model = model or self._model(self.recipe)
        """The model of the settings, which stored text is embedded by."""
        self._is_model_ours = model is None
        self._reason: UnavailableReason | None = None
        """Why the last query was not embedded."""

    async def query(self, tenant: str, text: str) -> QueryVector:
        """The vector of a query, in the space that is searched.

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
                async with self._database.reading(tenant, by_key=True) as connection:
                    return await self._calibrated(connection, vector)
            except EmbeddingFailed as error:
                raise ModelUnavailable("failed", str(error), "try again in a while") from error
            except ModelUnavailable:
                # the model of the old vectors may be gone; the new ones are searched before they are complete
                if space is spaces[-1]:
                    raise
        raise ModelUnavailable("not_configured", "nothing has been embedded yet", "run: vcontract embed")

    async def documents(self, tenant: str, texts: Sequence[str]) -> tuple[int, list[HalfVector]] | None:
        """The searched space and the vectors of texts in it; None when it is of another model, or missing.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        own = await self.model.ready()
        spaces = await self._spaces(tenant)
        if not spaces or spaces[0].model != own.id:
            return None
        return spaces[0].id, half_vectors(await self.model.embed_documents(texts))

    async def given(self, tenant: str, numbers: Sequence[float]) -> QueryVector:
        """A caller's own vector, taken as one of the space that is searched; needs no model.

        Raises: QuestionRefused; ModelUnavailable when there is no space.
        """
        import numpy as np

        from vcontract.runtime.store.search.search_params import (
            QuestionRefused,  # it brings all that reads vCons
        )

        async with self._database.reading(tenant, by_key=True) as connection:
            spaces = await self.store.spaces(connection)
            if not spaces:
                raise ModelUnavailable(
                    "not_configured", "nothing has been embedded yet", "run: vcontract embed"
                )
            space = spaces[0]
            try:
                row = unit_rows(np.array([numbers], np.float64), 1, space.dimension)
            except EmbeddingFailed:
                raise QuestionRefused(
                    "unusable_vector",
                    "embedding",
                    f"embedding: {len(numbers)} numbers; expected {space.dimension}, "
                    "all finite and not all zero.",
                    expected=space.dimension,
                    got=len(numbers),
                ) from None
            return await self._calibrated(connection, QueryVector(space, _one(row)))

    async def status(self, connection: "Connection", tenant: str) -> EmbeddingStatus:
        """How the tenant can be searched by meaning as of now; a large coverage is up to 10 s old."""
        if self.recipe.provider == "none":
            with contextlib.suppress(ModelUnavailable):
                await self.model.ready()  # there is nothing to load, and its state tells so
        spaces = await self.store.spaces(connection)
        building = next((space for space in spaces if space.state == "building"), None)
        stale = 0
        if building is not None:
            stale = (await self.store.waiting(connection, tenant, building.id)).passages
        coverage = await self.store.coverage(connection, tenant)
        model = None if building is None else building.model
        return EmbeddingStatus(self.model.state, coverage, model, stale)

    async def rest(self, unused: float) -> None:
        """Let go of the models that have not been used for a number of seconds."""
        for model in (self.model, *self._others.values()):
            await model.rest(unused)

    async def close(self) -> None:
        """Wait for the texts that are being embedded right now, and let go of the models."""
        for model in (*([self.model] if self._is_model_ours else []), *self._others.values()):
            await model.close()

    def _log_state(self, failure: ModelUnavailable | None) -> None:
        """Log why queries are not embedded, when that begins or its reason changes; and when it ends."""
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
        async with self._database.reading(tenant, by_key=True) as connection:
            return await self.store.spaces(connection)

    async def _calibrated(self, connection: "Connection", vector: QueryVector) -> QueryVector:
        """The vector with what chance brings among the texts of the connection's tenant."""
        return vector.against(await self.store.spread(connection, vector.space.id, vector.vector))

    async def _embed(self, space: Space, text: str) -> "Matrix":
        """The query's vector by the model of a space.

        Raises: ModelUnavailable, EmbeddingFailed.
        """
        model = self.model
        own = self.recipe.identity or await model.ready()
        if own.id != space.model:
            model = self._others.setdefault(space.model, self._model(Recipe.read(space.recipe)))
            embedder = await model.ready()
            if embedder.id != space.model:
                raise ModelUnavailable(
                    "failed",
                    f"the searched vectors are of {space.model}, and in its place is {embedder.id}",
                    "wait until the new model has embedded all text: vcontract embed",
                )
        return await model.embed_query(text)

    def _model(self, recipe: Recipe) -> EmbeddingModel:
        key = self._settings.embedding_api_key
        # the key is for the service of the settings and for no other
        api_key = (
            key.get_secret_value() if key is not None and recipe.url == self._settings.embedding_url else None
        )
        return EmbeddingModel(partial(make_embedder, recipe, api_key), _THREADS)


def _one(row: "Matrix") -> HalfVector:
    (vector,) = half_vectors(row)
    return vector
