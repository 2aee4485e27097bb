"""Hints for query words in no conversation that look like a filter, wildcard, or several words."""

import calendar
import re
from collections.abc import Sequence
from typing import Final

from vcontract.generated.results.contract import HintsEntry, WordCountsEntry
from vcontract.handlers.contract.search_words import narrowed
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import Filters, count_matching
from vcontract.runtime.store.search.search_params import is_searchable
from vcontract.runtime.text.query_dates import days_of
from vcontract.runtime.text.query_language import filters_of_field
from vcontract.runtime.text.query_tokens import FILTER_OF, MIN_PREFIX_LENGTH
from vcontract.runtime.vcon.times import read_time

_BEFORE_A_DATE: Final = r"(?:(?P<since>since|after|from)\s+|(?P<until>until|before|till|to)\s+|(?:on|in)\s+)?"
_MONTH: Final = re.compile(r"(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])")
_DATE: Final = re.compile(rf"{_MONTH.pattern}|\d{{1,4}}[/.]\d{{1,2}}[/.]\d{{1,4}}")
"""Dates in forms that no filter accepts."""
_NUMBER: Final = re.compile(r"\d{3,}")
_PERCENT: Final = re.compile(r"%*(?P<word>[^\W\d_]+)(?P<end>%?)[^\s]*")
_NEARNESS: Final = re.compile(r"[~^]\d*")
FOREIGN_OPERATOR: Final = re.compile(r"(?:NEAR|ADJ|XOR|WITHIN|SAME)(?:[/~]?\d+)?")
"""Operators of other search languages."""
_JOINED: Final = re.compile(r"[^\W_]+(?:[/\\_=<>+&#;][^\W_]+)+")
_OPERATORS: Final = {"AND", "OR", "or", "NOT", "|", "&", "&&"}
_WORDS: Final = re.compile(r"(?!.*\b(?:AND|OR|NOT)\b)[\w ]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SHOWN: Final = 80
"""Maximum characters of a word in a message."""


async def unread_word_hints(
    connection: Connection,
    query: str,
    words: Sequence[WordCountsEntry],
    given: JsonObject,
    without_words: JsonObject,
) -> list[HintsEntry]:
    """Explain how such words of `query` were read, and suggest another call.

    `given` are the call's filters; `without_words` is a call without a query.
    """
    # a quoted word is meant literally
    unread = [entry["word"] for entry in words if not entry["vcons"] and f'"{entry["word"]}"' not in query]
    found = [_of_operator(query, word) for word in _foreign_operators(query)]
    is_dated = False
    for word, day in zip(unread, days_of(unread), strict=True):
        if day is not None or read_time(word) is not None or _DATE.fullmatch(word):
            hint = None if is_dated else _of_date(query, word, given, without_words)
            is_dated = True
        elif word.lower() in FILTER_OF and (field := re.search(rf"(?<!\S){word}\s*:\s", query)):
            hint = _of_field(query, word, field, given, without_words)
        elif _NUMBER.fullmatch(word):
            hint = await _of_number(connection, query, word, given, without_words)
        else:
            hint = _of_symbols(query, word)
        found += [] if hint is None else [hint]
    return found


def _of_date(query: str, word: str, given: JsonObject, without_words: JsonObject) -> HintsEntry:
    """Hint that a date was searched as a word, with date filters if it can be parsed."""
    hint: HintsEntry = {
        "reason": "date_in_query",
        "message": f"{quoted(word, _SHOWN)} was searched as a word. To find conversations by date, use the "
        "filters start_date and end_date (YYYY-MM-DD).",
    }
    first = last = word
    if month := _MONTH.fullmatch(word):
        days = calendar.monthrange(int(month["year"]), int(month["month"]))[1]
        first, last = f"{word}-01", f"{word}-{days}"
    if place := re.search(rf"(?<!\S){_BEFORE_A_DATE}{re.escape(word)}(?!\S)", query, re.IGNORECASE):
        start = {} if place["until"] else {"start_date": first}
        end = {} if place["since"] else {"end_date": last}
        rest = _rest(query, place)
        suggestion = None if rest is None else narrowed(rest, start | end, given, without_words)
        if suggestion is not None:
            hint["suggestion"] = suggestion
    return hint


def _of_field(
    query: str, word: str, place: re.Match[str], given: JsonObject, without_words: JsonObject
) -> HintsEntry:
    """Hint that a field name before a colon was searched as a word."""
    value = query[place.end() :].strip()
    filters = filters_of_field(f"{word}:{value}")
    hint: HintsEntry = {
        "reason": "field_in_query",
        "message": f"{quoted(word, _SHOWN)} was searched as a word. To search a field, use filters: "
        f"{' and '.join(filters)}.",
    }
    is_whole = not query[: place.start()].strip() and _WORDS.fullmatch(value)
    suggestion = narrowed("", filters, given, without_words) if is_whole else None
    if suggestion is not None:
        hint["suggestion"] = suggestion
    return hint


async def _of_number(
    connection: Connection, query: str, word: str, given: JsonObject, without_words: JsonObject
) -> HintsEntry | None:
    """Hint if a phone number contains the word."""
    if not await count_matching(connection, Filters(party_tel=word).conditions(), at_most=1):
        return None
    hint: HintsEntry = {
        "reason": "part_of_a_number",
        "message": f"{quoted(word, _SHOWN)} was searched as a whole word. "
        "The filter party_tel finds it within a telephone number.",
        "filter": "party_tel",
    }
    place = re.search(rf"(?<!\S){re.escape(word)}(?!\S)", query)
    rest = None if place is None else _rest(query, place)
    suggestion = None if rest is None else narrowed(rest, {"party_tel": word}, given, without_words)
    if suggestion is not None:
        hint["suggestion"] = suggestion
    return hint


def _rest(query: str, place: re.Match[str]) -> str | None:
    """The query without one word; None if an operator joins it to the rest."""
    before, after = query[: place.start()].split(), query[place.end() :].split()
    return None if _OPERATORS.intersection((*before[-1:], *after[:1])) else " ".join((*before, *after))


def _of_symbols(query: str, word: str) -> HintsEntry | None:
    """Hint that a symbol was read literally, if it is often an operator."""
    if "%" in word and (percent := _PERCENT.fullmatch(word)):
        begun = percent["word"] if percent["end"] and len(percent["word"]) >= MIN_PREFIX_LENGTH else ""
        plain = word.strip("%")
        instead = f"{begun}*" if begun else plain if plain.isalnum() else ""
        return _instead(
            query,
            word,
            instead,
            "no_wildcard",
            f"{quoted(word, _SHOWN)} was searched as written: % is not a wildcard. "
            f"An asterisk after at least {MIN_PREFIX_LENGTH} letters finds words by their beginning.",
        )
    if _NEARNESS.fullmatch(word):
        return _instead(
            query,
            word,
            "",
            "no_operator",
            f"{quoted(word, _SHOWN)} was searched as a word: it is not an operator. "
            "Misspelled words are corrected when nothing else matches.",
        )
    if _JOINED.fullmatch(word) and _LETTER.search(word):
        parts = " ".join(re.findall(r"[^\W_]+", word))
        return _instead(
            query,
            word,
            parts if query == word else f"({parts})",
            "words_joined",
            f"{quoted(word, _SHOWN)} was searched as one word. Put spaces between words that are separate.",
        )
    return None


def _foreign_operators(query: str) -> list[str]:
    """Return operators of other search languages that stand between words, outside quotes."""
    if query.isupper() or '"' in query:
        return []
    return [word for word in query.split()[1:-1] if FOREIGN_OPERATOR.fullmatch(word)]


def _of_operator(query: str, word: str) -> HintsEntry:
    return _instead(
        query,
        word,
        "",
        "no_operator",
        f"{quoted(word, _SHOWN)} was searched as a word: it is not an operator. "
        "Words near one another rank first.",
    )


def _instead(query: str, word: str, instead: str, reason: str, message: str) -> HintsEntry:
    """Build a hint with `word` replaced in the query, if that is a valid query."""
    hint: HintsEntry = {"reason": reason, "message": message}
    changed = re.sub(rf"(?<!\S){re.escape(word)}(?!\S)", lambda _: instead, query).strip()
    if changed != query and is_searchable(changed):
        hint["suggestion"] = {"query": " ".join(changed.split())}
    return hint
