"""Validate and normalize a client's search query and filters."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.findings import counted, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, members
from vcontract.runtime.store.search.filter_conditions import Filters, Said
from vcontract.runtime.text.identifiers import identifier_kind
from vcontract.runtime.text.phrases import phrase_query
from vcontract.runtime.text.query import MAX_QUERY_WORDS, Query, UnsearchableQuery, parse_query
from vcontract.runtime.text.query_language import Narrowing, QuerySyntaxError, filters_of_field
from vcontract.runtime.text.query_tokens import MIN_PREFIX_LENGTH, QuerySyntaxReason
from vcontract.runtime.text.words import MAX_WORD_LENGTH, fold
from vcontract.runtime.vcon.call_events import TRANSFERS
from vcontract.runtime.vcon.identity import not_an_id, parse_uuid
from vcontract.runtime.vcon.tags import tag_columns, tag_key_problem
from vcontract.runtime.vcon.times import BadDate, format_time, read_time, window_edge

MIN_NUMBER_DIGITS: Final = 3
MAX_FILTER_LENGTH: Final = 1_000
"""Maximum characters of one filter value."""
_MAX_QUERY_LENGTH: Final = 2_000
"""Maximum length of a query in characters."""
_DATES: Final = ("start_date", "end_date")
_OBJECTS: Final = ("tags", "events", "said", "not_said", "repeat_within_days")
"""Filters that are no texts."""
_SYNTAX_ERRORS: Final[Mapping[QuerySyntaxReason, str]] = {
    "dangling_operator": "{operator} has nothing to join or exclude; leave it out, or quote it as a word",
    "mixed_operators": "AND and OR stand side by side; say with parentheses which comes first",
    "excluded_choice": "an exclusion cannot be one side of OR, and excludes words one by one;"
    " NOT (a OR b) excludes both",
    "unknown_operator": "{operator} is not an operator. Words match all their forms, NOT excludes a word,"
    " and a final asterisk matches prefixes",
    "field_operator": "a query has no fields like {operator}; use filters.{filter},"
    " or put the words in quotes",
    "short_prefix": "the prefix {operator} is too short;"
    f" write {MIN_PREFIX_LENGTH} letters or digits before the asterisk",
    "nested_too_deeply": "its parentheses are nested too deeply; ask in several searches",
}
_TOO_MANY: Final = {
    "too_many_words": f"The query has more than {MAX_QUERY_WORDS} different words; keep those that matter.",
    "too_many_choices": f"The query's alternatives need more than {MAX_QUERY_WORDS} words; split the query.",
}


class InvalidQuery(ValueError):
    """A search parameter is invalid. The message gives the reason, and `facts` the details.

    `instead` suggests parameters to send. `narrowing` suggests filters for fields in the query.
    """

    narrowing: Narrowing | None = None

    def __init__(
        self, reason: str, parameter: str, text: str, instead: JsonObject | None = None, **facts: JsonValue
    ) -> None:
        super().__init__(text)
        self.reason = reason
        self.parameter = parameter
        self.instead = instead
        self.facts = facts


def read_filters(given: JsonObject, within: str = "", *, counts_latest: bool = False) -> Filters:
    """Normalize filters. Errors name a parameter by `within` and its name.

    With `counts_latest` only the latest versions match, unless the filters ask for others.

    Raises: InvalidQuery for an invalid date, UUID or tag key, or an empty window. Also raised for too few
    digits, U+0000, or a filter text that is empty, too long, or empty after normalization.
    """
    texts: dict[str, str] = {name: value for name, value in given.items() if name not in _OBJECTS}
    for name, text in texts.items():
        _refuse_nul(within + name, text)
        _check_length(within + name, text, fewest=0 if name in _DATES else 1)
    tags = members(given.get("tags"))
    for part in (*tags, *tags.values()):
        _refuse_nul(f"{within}tags", part)
    for key in tags:
        if problem := tag_key_problem(key):
            raise InvalidQuery("bad_tag_key", f"{within}tags", problem, value=key[:60])
    created_from, created_to = _window(given, texts, within)
    events, events_from, events_to = _events(given, f"{within}events.")
    default = "latest" if counts_latest and "version_of" not in texts else "all"
    tel = texts.get("party_tel")
    return Filters(
        created_from=created_from,
        created_to=created_to,
        subject=_folded("subject", texts, within),
        party_name=_folded("party_name", texts, within),
        party_email=_folded("party_email", texts, within, scheme="mailto:"),
        party_tel=None if tel is None else _digits(tel, within),
        party_role=_folded("party_role", texts, within),
        analysis_type=texts.get("analysis_type"),
        analysis_vendor=texts.get("analysis_vendor"),
        attachment_type=texts.get("attachment_type"),
        events=events,
        events_from=events_from,
        events_to=events_to,
        said=_said(given, "said", within),
        not_said=_said(given, "not_said", within),
        repeat_within_days=given.get("repeat_within_days"),
        version_of=_uuid("version_of", texts, within),
        latest_versions=texts.get("versions", default) == "latest",
        dealer_id=texts.get("dealer_id"),
        dealer_name=_folded("dealer_name", texts, within),
        tags=tuple((key, tag_columns(value)[0]) for key, value in tags.items()),
    )


def read_query(text: str, *, any_word: bool = False, literal: bool = False) -> Query:
    """Parse a query. With `any_word` every word is optional, unless the query is an identifier.

    With `literal`, symbols are not operators.

    Raises: InvalidQuery for too many words, U+0000, a query without a searchable word, or an unsupported
    operator.
    """
    _refuse_nul("query", text)
    try:
        return parse_query(text, any_word=any_word and identifier_kind(text) is None, literal=literal)
    except QuerySyntaxError as misread:
        what = _SYNTAX_ERRORS[misread.reason].format(
            operator=f"«{misread.operator}»",
            filter=" and ".join(filters_of_field(misread.operator)),
        )
        separately, facts = "", {}
        if misread.queries and all(is_searchable(query, literal=literal) for query in misread.queries):
            listed = " and ".join(f"«{query}»" for query in misread.queries)
            separately = f" OR binds closer than AND. Search {listed} separately and combine the results."
            facts = {"queries": [*misread.queries]}
        refused = InvalidQuery(
            misread.reason,
            "query",
            f"The query has an operator that cannot be followed: {what}.{separately}",
            {"query": misread.suggestion} if is_searchable(misread.suggestion, literal=literal) else None,
            words=[misread.operator],
            **facts,
        )
        refused.narrowing = misread.narrowing
        raise refused from None
    except UnsearchableQuery as without:
        if without.reason in _TOO_MANY:
            raise InvalidQuery(
                without.reason, "query", _TOO_MANY[without.reason], accepted=[f"{MAX_QUERY_WORDS} words"]
            ) from None
        raise _nothing_looked_for(without.reason, text, without.words) from None


def read_question(text: str, *, by_meaning: bool = True, literal: bool = False) -> Query:
    """Parse a question of which every word is optional.

    One of stop words only has no terms if it is searched `by_meaning`, too.

    Raises: InvalidQuery, as read_query.
    """
    if literal and by_meaning:
        # taken literally, stop words are searched for
        _refuse_nul("query", text)
        if _has_stop_words_only(text):
            return Query((), ())
    try:
        return read_query(text, any_word=True, literal=literal)
    except InvalidQuery as refused:
        if by_meaning and refused.reason == "no_searchable_words" and _has_stop_words_only(text):
            return Query((), ())
        raise


def _has_stop_words_only(text: str) -> bool:
    """Whether words have nothing to search for, although they still have a meaning."""
    try:
        parse_query(text)
    except QuerySyntaxError:
        return False
    except UnsearchableQuery as without:
        return without.reason == "no_searchable_words" and any(
            is_searchable(f'"{word}"') for word in without.words
        )
    return False


def check_meaning(text: str) -> None:
    """Reject a query without letters and digits, because it has no meaning to search by.

    Raises: InvalidQuery, also for U+0000.
    """
    _refuse_nul("query", text)
    if not any(character.isalnum() for character in text):
        raise _nothing_looked_for("no_searchable_words", text, text.split())


def check_sentence(text: str) -> None:
    """Reject a sentence without a word. Ignore its operators and length.

    Raises: InvalidQuery, also for U+0000.
    """
    _refuse_nul("query", text)
    try:
        parse_query(text, any_word=True)
    except QuerySyntaxError:
        pass  # in a sentence, operators are ordinary words
    except UnsearchableQuery as without:
        # a sentence may have many words
        if without.reason not in _TOO_MANY and not _has_stop_words_only(text):
            raise _nothing_looked_for(without.reason, text, without.words) from None


def check_query_xor_embedding(*, query: bool, embedding: bool) -> None:
    """Require exactly one of query and embedding.

    Raises: InvalidQuery.
    """
    if query and embedding:
        raise InvalidQuery(
            "query_and_embedding",
            "embedding",
            "query and embedding are both given; one of them says what to find. Leave out embedding.",
            {"leave_out": ["embedding"]},
        )
    if not query and not embedding:
        raise InvalidQuery(
            "missing",
            "query",
            "Give query, a sentence whose meaning to find, or embedding, a vector to compare with.",
        )


def _refuse_nul(parameter: str, value: JsonValue) -> None:
    """Reject U+0000, which no stored text contains."""
    if isinstance(value, str) and "\0" in value:
        raise InvalidQuery(
            "nul_character", parameter, f"{parameter} holds U+0000, which no vCon has; remove it."
        )


def _check_length(parameter: str, text: str, fewest: int) -> None:
    if not fewest <= len(text) <= MAX_FILTER_LENGTH:
        allowed = f"{fewest or 1} to {MAX_FILTER_LENGTH}"
        raise InvalidQuery(
            "length",
            parameter,
            f"{parameter} has {len(text)} characters; {allowed} are allowed.",
            accepted=[f"{allowed} characters"],
        )


def _events(filters: JsonObject, within: str) -> tuple[tuple[str, ...], datetime | None, datetime | None]:
    """Kinds of events, with both kinds of `transfer`, and when they happened."""
    given = members(filters.get("events"))
    dates: dict[str, str] = {name: given[name] for name in _DATES if name in given}
    for name, text in dates.items():
        _refuse_nul(within + name, text)
        _check_length(within + name, text, fewest=0)
    try:
        window = _window(dates, dates, within)
    except InvalidQuery as refused:
        if refused.instead is not None:
            refused.instead = {**filters, "events": {**given, **refused.instead}}
        raise
    kinds = (
        kind
        for name in array(given.get("any"))
        for kind in (TRANSFERS if name == "transfer" else (str(name),))
    )
    return tuple(dict.fromkeys(kinds)), *window


def _said(filters: JsonObject, name: str, within: str) -> Said | None:
    """Phrases that were said or not, from the filter of this name."""
    if name not in filters:
        return None
    given, path = members(filters[name]), f"{within}{name}."
    by, when = members(given.get("by")), members(given.get("within"))
    phrases = {
        which: tuple(_phrase(f"{path}{which}", str(one)) for one in array(given.get(which)))
        for which in ("any", "all")
    }
    if not any(phrases.values()):
        raise InvalidQuery("missing", f"{path}any", f"{within}{name} needs phrases in any, all or both.")
    for one, choices in ((by, ("role", "name")), (when, ("first_seconds", "last_seconds"))):
        if len(one) > 1:
            raise InvalidQuery(
                "not_together",
                f"{path}{'by' if one is by else 'within'}",
                f"{path}{'by' if one is by else 'within'} has {' and '.join(choices)}; give one of them.",
                accepted=list(choices),
            )
    texts: dict[str, str] = {which: text for which, text in by.items() if isinstance(text, str)}
    for which, text in texts.items():
        _refuse_nul(f"{path}by.{which}", text)
        _check_length(f"{path}by.{which}", text, fewest=1)
    return Said(
        **phrases,
        role=_folded("role", texts, f"{path}by."),
        speaker=_folded("name", texts, f"{path}by."),
        first_seconds=when.get("first_seconds"),
        last_seconds=when.get("last_seconds"),
    )


def _phrase(parameter: str, text: str) -> str:
    _refuse_nul(parameter, text)
    _check_length(parameter, text, fewest=1)
    query = phrase_query(text)
    if query is None:
        raise InvalidQuery(
            "nothing_to_match",
            parameter,
            f"{parameter} {quoted(text, 80)} has no word; give words that were said.",
            value=text[:60],
        )
    return query


def _window(
    given: JsonObject, texts: Mapping[str, str], within: str
) -> tuple[datetime | None, datetime | None]:
    start, end = (_window_bound(name, texts.get(name), within) for name in _DATES)
    if start is not None and end is not None and end <= start:
        edges: Sequence[JsonValue] = (texts["end_date"], texts["start_date"])
        if start == end == read_time(texts["end_date"]):
            # both ends are the same instant, so suggest the whole day
            edges = (str(start.date()),) * 2
        raise InvalidQuery(
            "empty_window",
            f"{within}end_date",
            f"The window is empty: its end {format_time(end)} is not after its start {format_time(start)}.",
            {**given, **dict(zip(_DATES, edges, strict=True))},
            **{"from": format_time(start), "to": format_time(end)},
        )
    return start, end


def _window_bound(name: str, text: str | None, within: str) -> datetime | None:
    if text is None:
        return None
    try:
        return window_edge(text, "start" if name == "start_date" else "end")
    except BadDate as bad:
        raise InvalidQuery(
            "bad_date", within + name, str(bad), value=text, accepted=list(bad.accepted)
        ) from None


def _uuid(name: str, texts: Mapping[str, str], within: str) -> UUID | None:
    if (text := texts.get(name)) is None:
        return None
    if (uuid := parse_uuid(text)) is None:
        raise InvalidQuery(
            "malformed_uuid",
            within + name,
            not_an_id(within + name, text),
            value=text[:60],
        )
    return uuid


def _digits(tel: str, within: str) -> str:
    digits = "".join(character for character in tel if character in "0123456789")
    if len(digits) < MIN_NUMBER_DIGITS:
        raise InvalidQuery(
            "too_few_digits",
            f"{within}party_tel",
            f"party_tel {quoted(tel, 80)} has {counted(len(digits), 'digit')}; "
            f"at least {MIN_NUMBER_DIGITS} are needed.",
            digits=digits,
        )
    return digits


def _folded(name: str, texts: Mapping[str, str], within: str, scheme: str = "") -> str | None:
    """Case-folded filter text without an address scheme.

    Reject an empty result, which would match everything.
    """
    text = texts.get(name)
    if text is None:
        return None
    folded = fold(text).removeprefix(scheme)
    if not folded:
        raise InvalidQuery(
            "nothing_to_match",
            within + name,
            f"{within}{name} {quoted(text, 80)} holds nothing to look for; "
            "give a part of what is looked for.",
            value=text,
        )
    return folded


def _nothing_looked_for(reason: str, query: str, words: Sequence[str]) -> InvalidQuery:
    if reason == "only_exclusions":
        return InvalidQuery(
            reason,
            "query",
            "The query only says what must not occur; add a word that must.",
            excluded=list(words)[:20],
        )
    quoted = '"' + query.replace('"', "").strip() + '"'
    instead: JsonObject | None = {"query": quoted} if is_searchable(quoted) else None
    message = (
        f"The query has no word: a word has letters or digits, {MAX_WORD_LENGTH} at most. "
        "Give one, or list conversations without words."
        if instead is None
        else "The query has only words that nearly every conversation contains; "
        "put it in quotes to search it as a phrase."
    )
    return InvalidQuery(
        reason,
        "query",
        message,
        instead,
        words=list(words)[:20],
    )


def is_searchable(query: str, *, literal: bool = False) -> bool:
    """Whether a query parses, has something to search for, and is not too long."""
    try:
        parse_query(query, literal=literal)
    except (UnsearchableQuery, QuerySyntaxError):
        return False
    return len(query) <= _MAX_QUERY_LENGTH
