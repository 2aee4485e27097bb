"""Search words: the query a client wrote, or why it cannot be; and what became of its words."""

from collections.abc import Mapping, Sequence
from typing import Final

from vcontract.generated.errors import AmbiguousQuery, InvalidArgument
from vcontract.generated.results.contract import CorrectionsEntry, WordCountsEntry
from vcontract.handlers.contract.search_filters import refuse_nul
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.search.matching import COUNTED_TO
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import (
    MOST_WORDS,
    IdentifierKind,
    Query,
    QueryRefused,
    identifier_kind,
    parse_query,
    without_punctuation,
)
from vcontract.runtime.text.query_language import Misread, MisreadReason
from vcontract.runtime.text.words import LONGEST_WORD

_IDENTIFIERS: Final[Mapping[IdentifierKind, str]] = {
    "uuid": "a uuid",
    "email": "an e-mail address",
    "phone": "a phone number",
    "code": "a code",
}
_MISREAD: Final[Mapping[MisreadReason, str]] = {
    "dangling_operator": "{operator} has nothing to join or exclude; leave it out, or quote it as a word",
    "mixed_operators": "AND and OR stand side by side; say with parentheses which comes first",
    "excluded_choice": "an exclusion cannot be one side of OR, and excludes words one by one",
    "unknown_operator": "{operator} means nothing; a word is found in all its forms, and NOT excludes it",
    "nested_too_deeply": "its parentheses are nested too deeply; ask in several searches",
}
_TOO_MANY: Final = {
    "too_many_words": f"The query has more than {MOST_WORDS} different words; keep the ones that matter.",
    "too_many_choices": f"The query's choices make more than {MOST_WORDS} demands; ask in several searches.",
}
_LONGEST_QUERY: Final = 2_000
"""Characters."""
_OF_QUERIES: Final = ["query", "embedding", "threshold", "semantic_weight"]
"""Parameters that a listing without words does not take."""


def read_query(text: str, *, any_word: bool = False) -> Query:
    """The parsed query; with `any_word` no single word must occur.

    Raises: InvalidArgument for too many words and for U+0000; AmbiguousQuery when nothing is looked for, and
    for an operator that cannot be followed.
    """
    refuse_nul("query", text)
    try:
        return parse_query(text, any_word=any_word)
    except Misread as misread:
        raise _misread(misread) from None
    except QueryRefused as refused:
        if refused.reason in _TOO_MANY:
            raise InvalidArgument(
                _TOO_MANY[refused.reason],
                details={"parameter": "query", "reason": refused.reason, "accepted": [f"{MOST_WORDS} words"]},
            ) from None
        raise _ambiguous_query(refused.reason, text, refused.words) from None


def check_meaning(text: str) -> None:
    """Refuse what has no letter and no digit, and so no meaning that could be found.

    Raises: InvalidArgument for U+0000; AmbiguousQuery.
    """
    refuse_nul("query", text)
    if not any(character.isalnum() for character in text):
        raise _ambiguous_query("no_searchable_words", text, text.split())


def check_sentence(text: str, by_words: JsonObject) -> None:
    """Refuse what is no sentence whose meaning could be found; `by_words` asks for its words instead.

    Raises: InvalidArgument for U+0000; AmbiguousQuery for an identifier, and when nothing is looked for.
    """
    refuse_nul("query", text)
    kind = identifier_kind(text)
    if kind is not None:
        suggestion = by_words
        if kind == "uuid":
            suggestion = {"tool": "vcon_fetch", "arguments": {"id": without_punctuation(text)}}
        raise AmbiguousQuery(
            f"The query is nothing but {_IDENTIFIERS[kind]}, which has no meaning to compare; "
            + ("fetch that vCon with vcon_fetch." if kind == "uuid" else "mode keyword finds it exactly."),
            details={"reason": "identifier_query", "kind": kind, "suggestion": suggestion},
        )
    try:
        parse_query(text, any_word=True)
    except Misread:
        pass  # a sentence means what it says, operators and all
    except QueryRefused as refused:
        # a sentence may have many words
        if refused.reason not in _TOO_MANY:
            raise _ambiguous_query(refused.reason, text, refused.words) from None


def matching(weighed: WeighedQuery) -> str:
    """How the words were matched."""
    return "fuzzy" if weighed.corrections else "exact"


def corrections(weighed: WeighedQuery) -> list[CorrectionsEntry]:
    """The words that were replaced because no vCon has them."""
    return [{"word": c.word, "used": c.used, "similarity": c.similarity} for c in weighed.corrections]


def word_counts(weighed: WeighedQuery) -> list[WordCountsEntry]:
    """How many vCons have each word of the query, counted to 10,000."""
    return [
        {"word": term.text, "vcons": min(count, COUNTED_TO)}
        for term, count in zip(weighed.query.terms, weighed.counts, strict=True)
    ]


def _ambiguous_query(reason: str, query: str, words: Sequence[str]) -> AmbiguousQuery:
    """The error for a query in which there is nothing to look for."""
    if reason == "only_exclusions":
        return AmbiguousQuery(
            "The query only says what must not occur; add a word that must.",
            details={"reason": reason, "excluded": list(words)[:20]},
        )
    quoted = query.replace('"', "").strip()
    details: JsonObject = {"reason": reason, "words": list(words)[:20]}
    if _can_be_sent(f'"{quoted}"'):
        details["suggestion"] = {"query": f'"{quoted}"'}
        advice = "put it in quotes to search it as a phrase"
    else:
        details["suggestion"] = {"mode": "metadata", "leave_out": _OF_QUERIES}
        advice = f"give one of letters or digits, {LONGEST_WORD} at most, or list conversations without words"
    return AmbiguousQuery(f"The query has no word that tells vCons apart; {advice}.", details=details)


def _misread(misread: Misread) -> AmbiguousQuery:
    """The error for an operator that cannot be followed, with the query that could be sent."""
    details: JsonObject = {"reason": misread.reason, "words": [misread.operator]}
    what = _MISREAD[misread.reason].format(operator=f"«{misread.operator}»")
    if _can_be_sent(misread.suggestion):
        details["suggestion"] = {"query": misread.suggestion}
    return AmbiguousQuery(f"The query has an operator that cannot be followed: {what}.", details=details)


def _can_be_sent(query: str) -> bool:
    """Whether a query looks for something."""
    try:
        parse_query(query)
    except (QueryRefused, Misread):
        return False
    return len(query) <= _LONGEST_QUERY
