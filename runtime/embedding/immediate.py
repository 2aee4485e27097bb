"""Vectors of a text that is being stored, so that a search finds it by meaning at once."""

import asyncio
from collections.abc import Iterable
from typing import Final

from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.embeddings import Vectors

_SECONDS: Final = 1.5


async def vectors_of(embeddings: Embeddings, tenant: str, passages: Iterable[str]) -> Vectors | None:
    """The vectors of passages if they are made within 1.5 s; otherwise None, and the worker makes them."""
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
