"""Search vectors: what a client looks for by meaning, or why it cannot be looked for."""

from collections.abc import Sequence

from pydantic import MISSING

from vcontract.generated.errors import AmbiguousQuery, InvalidArgument, SemanticUnavailable
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings, UnusableVector
from vcontract.runtime.store.search.semantic import QueryVector


def check_one_meaning(query: str | MISSING, embedding: Sequence[float] | MISSING) -> None:
    """Refuse two meanings at once, and none.

    Raises: AmbiguousQuery, InvalidArgument.
    """
    if query is not MISSING and embedding is not MISSING:
        raise AmbiguousQuery(
            "query and embedding are both given; one of them says what to find. Leave out embedding.",
            details={"reason": "query_and_embedding", "suggestion": {"leave_out": ["embedding"]}},
        )
    if query is MISSING and embedding is MISSING:
        raise InvalidArgument(
            "Give query, a sentence whose meaning to find, or embedding, a vector to compare with.",
            details={"parameter": "query", "reason": "missing"},
        )


async def read_vector(
    embeddings: Embeddings,
    tenant: str,
    query: str | MISSING,
    embedding: Sequence[float] | MISSING = MISSING,
    *,
    by_words: JsonObject,
) -> QueryVector:
    """The vector of `embedding`, else of `query`; not to be called within a transaction.

    What `by_words` says is suggested when there is no meaning to be had.

    Raises: InvalidArgument for numbers that are no direction; SemanticUnavailable.
    """
    try:
        if embedding is not MISSING:
            return await embeddings.given(tenant, embedding)
        return await embeddings.query(tenant, "" if query is MISSING else query)
    except UnusableVector as error:
        raise InvalidArgument(
            f"embedding: {error}.",
            details={
                "parameter": "embedding",
                "reason": "unusable_vector",
                "expected": error.expected,
                "got": 0 if embedding is MISSING else len(embedding),
            },
        ) from None
    except ModelUnavailable as error:
        # its message stays with the operator, who may see paths; the client is told what works instead
        raise SemanticUnavailable(
            "Search by meaning is not available now; mode keyword finds words.",
            details={
                "reason": error.reason,
                "retryable": error.reason == "loading",
                "suggestion": by_words,
            },
        ) from error
