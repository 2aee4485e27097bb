"""Report how query words were used, and convert query errors to those of vcon_search."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import AmbiguousQuery, InvalidArgument, SemanticUnavailable
from vcontract.generated.results.contract import CorrectionsEntry, WordCountsEntry
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.search_params import (
    InvalidQuery,
    check_sentence,
    is_searchable,
    read_filters,
)
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.text.identifiers import IdentifierKind, identifier_kind, uuid_of
from vcontract.runtime.text.query import Term

FILTERS: Final = "filters."
"""Prefix of filter parameters."""
_MALFORMED: Final = {
    *("missing", "nul_character", "length", "bad_date", "malformed_uuid", "bad_tag_key", "nothing_to_match"),
    *("too_many_words", "too_many_choices", "unusable_vector", "not_together"),
}
"""Reasons reported as INVALID_ARGUMENT; all others are AMBIGUOUS_QUERY."""
_IDENTIFIERS: Final[Mapping[IdentifierKind, str]] = {
    "uuid": "a uuid",
    "email": "an e-mail address",
    "phone": "a phone number",
    "code": "a code",
}
LISTED_INSTEAD: Final[JsonObject] = {
    "mode": "metadata",
    "leave_out": ["query", "embedding", "threshold", "semantic_weight"],
}
"""A listing without a query, and the parameters to drop."""


@contextmanager
def map_query_errors(given: JsonObject, without_words: JsonObject = LISTED_INSTEAD) -> Generator[None]:
    """Convert invalid queries inside to AmbiguousQuery or InvalidArgument.

    `given` are the call's filters; `without_words` is suggested for a query without words.
    """
    try:
        yield
    except InvalidQuery as refused:
        if refused.reason in _MALFORMED:
            raise InvalidArgument(
                str(refused),
                details={"parameter": refused.parameter, "reason": refused.reason, **refused.facts},
            ) from None
        instead = refused.instead
        if instead is not None and refused.parameter.startswith(FILTERS):
            instead = {"filters": instead}
        elif instead is None and refused.reason == "no_searchable_words":
            instead = {**without_words}
        elif (narrowing := refused.narrowing) is not None:
            instead = narrowed(narrowing.query, narrowing.filters, given, without_words)
        suggestion = {"suggestion": instead} if instead else {}
        raise AmbiguousQuery(
            str(refused), details={"reason": refused.reason, **refused.facts, **suggestion}
        ) from None


def narrowed(
    query: str, filters: Mapping[str, str], given: JsonObject, without_words: JsonObject
) -> JsonObject | None:
    """Suggest searching `query` with these filters added to the `given` ones.

    None if one of them is already given or has an invalid value. For tags without a key, suggests
    vcon_taxonomy.
    """
    if "tags" in filters:
        arguments: JsonObject = {}
        return {"tool": "vcon_taxonomy", "arguments": arguments}
    together = {**given, **filters}
    try:
        read_filters(together)
    except InvalidQuery:
        return None
    if not given.keys().isdisjoint(filters):
        return None
    return {**({"query": query} if is_searchable(query) else without_words), "filters": together}


def check_no_identifier(text: str, by_words: JsonObject) -> None:
    """Refuse what is no sentence whose meaning could be found; `by_words` asks for its words instead.

    Raises: AmbiguousQuery; InvalidQuery when nothing is looked for.
    """
    kind = identifier_kind(text)
    if kind is None:
        return check_sentence(text)
    suggestion = by_words
    if kind == "uuid":
        suggestion = {"tool": "vcon_fetch", "arguments": {"id": uuid_of(text)}}
    raise AmbiguousQuery(
        f"The query is nothing but {_IDENTIFIERS[kind]}, which has no meaning to compare; "
        + ("fetch that vCon with vcon_fetch." if kind == "uuid" else "mode keyword finds it exactly."),
        details={"reason": "identifier_query", "kind": kind, "suggestion": suggestion},
    )


async def read_vector(
    embeddings: Embeddings,
    tenant: str,
    query: str | MISSING,
    embedding: Sequence[float] | MISSING,
    by_words: JsonObject,
) -> QueryVector:
    """The vector of `embedding`, else of `query`; not to be called within a transaction.

    What `by_words` says is suggested when there is no meaning to be had.

    Raises: InvalidQuery for numbers that are no direction; SemanticUnavailable.
    """
    try:
        if embedding is not MISSING:
            return await embeddings.given(tenant, embedding)
        return await embeddings.query(tenant, "" if query is MISSING else query)
    except ModelUnavailable as error:
        # the message may contain paths, so it is only logged; the client gets a suggestion
        raise SemanticUnavailable(
            "Search by meaning is not available now; use mode keyword to search by words.",
            details={
                "reason": error.reason,
                "retryable": error.reason == "loading",
                "suggestion": by_words,
            },
        ) from error


def matching(weighed: WeightedQuery) -> str:
    """How the words were matched."""
    if weighed.is_relaxed:
        return "relaxed"
    return "fuzzy" if weighed.corrections else "exact"


def corrections(weighed: WeightedQuery) -> list[CorrectionsEntry]:
    """Words that were corrected because no vCon has them."""
    return [{"word": c.word, "used": c.used, "similarity": c.similarity} for c in weighed.corrections]


def word_counts(weighed: WeightedQuery) -> list[WordCountsEntry]:
    """Number of vCons with each query word, counted to 10,000."""
    return [
        _word_count(term, count, weighed.known.get(term.prefix, ()))
        for term, count in zip(weighed.query.terms, weighed.counts, strict=True)
    ]


def _word_count(term: Term, count: int, known: Sequence[str]) -> WordCountsEntry:
    entry: WordCountsEntry = {"word": term.text, "vcons": min(count, COUNTED_TO)}
    if known:
        entry["begun"] = [*known]
    if languages := term.languages_of_other_stems:
        entry["languages"] = languages
    return entry
