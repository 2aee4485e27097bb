"""Hints for poor results: why a search found nothing or little, and similar values."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.generated.results.contract import HintsEntry, WordCountsEntry
from vcontract.handlers.contract.word_hints import FOREIGN_OPERATOR
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.nearest_names import MIN_SIMILARITY, likeness
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO, Filters, count_matching
from vcontract.runtime.store.search.hits import rounded_down
from vcontract.runtime.store.search.newest import ends
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.store.vcons.counts import About, count
from vcontract.runtime.store.vcons.id_prefixes import ids_beginning_with
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary
from vcontract.runtime.text.identifiers import uuid_of, without_id_label
from vcontract.runtime.text.query import Query, Term
from vcontract.runtime.text.query_language import AllOf, AnyOf, Not, Text, format_query
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.identity import MIN_SHORT_DIGITS, digits_of
from vcontract.runtime.vcon.times import format_time

_COMPARED: Final = ("subject", "party_name", "party_email", "party_tel")
"""Filters that match a part of a text."""
_COUNTED: Final[Mapping[str, About]] = {
    "party_role": "role",
    "analysis_type": "analysis",
    "analysis_vendor": "vendor",
    "attachment_type": "attachment",
}
"""Filters whose values are counted, so that values in use can be suggested."""
_SHOWN: Final = 80
"""Maximum characters of a value in a message."""
ONLY_WEAK: Final[HintsEntry] = {
    "reason": "only_weak_matches",
    "message": "Nothing matches better than chance; these are the closest.",
}


async def hints(
    connection: Connection,
    tenant: str,
    filters: Filters,
    declared: DeclaredVocabulary,
    *,
    is_further: bool = False,
    found: Sequence[HintsEntry] = (),
    words: Sequence[WordCountsEntry] = (),
    best_below: float | None = None,
) -> list[HintsEntry]:
    """Explain why a page is empty, with at least one hint. `found` are hints from the search itself.

    `is_further` says that this is not the first page. `words` has the counts of the query's words, and
    `best_below` is the best similarity below the threshold.
    """
    if is_further:
        return [{"reason": "past_the_end", "message": "No more results: this page is past the last one."}]
    near = [*found, *await _of_filters(connection, tenant, filters, declared)]
    return near or [_of_demands(words, best_below)]


def below_threshold(best: float) -> HintsEntry:
    """Hint at the best similarity and a threshold that accepts it."""
    threshold = rounded_down(best, 2)
    return {
        "reason": "below_threshold",
        "message": f"Nothing reaches the threshold; {threshold} returns something.",
        "suggestion": {"threshold": threshold},
    }


async def pending_embedding_hints(
    connection: Connection, space: int, filters: Filters, by_words: JsonObject
) -> list[HintsEntry]:
    """Hint at vCons that meaning cannot find yet, if any.

    `by_words` is the call that finds them by words.
    """
    waiting = await count_matching(connection, {**filters.conditions(), "waiting": space})
    if not waiting:
        return []
    number = f"more than {COUNTED_TO:,}" if waiting > COUNTED_TO else f"{waiting:,}"
    return [
        {
            "reason": "vectors_pending",
            "message": f"Conversations that cannot all be found by meaning yet: {number}. Words find them.",
            "suggestion": by_words,
        }
    ]


async def uuid_hints(
    connection: Connection, tenant: str, query: str, fetch: str, parameter: str
) -> list[HintsEntry]:
    """Hint if the query is the uuid of a stored vCon, or begins that of one; `fetch` takes it."""
    whole = uuid_of(query)
    if whole is not None:
        found = [whole] if await vocabulary.has_vcon(connection, tenant, UUID(whole)) else []
    else:
        digits = digits_of(without_id_label(query))
        enough = digits is not None and len(digits) >= MIN_SHORT_DIGITS
        found = (
            [each.id for each in await ids_beginning_with(connection, tenant, digits, 2)]
            if digits and enough
            else []
        )
    if len(found) != 1:
        return []
    (uuid,) = found
    what = "uuid" if whole else "beginning of the uuid"
    return [
        {
            "reason": "query_is_a_vcon",
            "message": f"The query is the {what} of a conversation; {fetch} returns it.",
            "suggestion": {"tool": fetch, "arguments": {parameter: uuid}},
        }
    ]


async def word_hints(
    search: Search, connection: Connection, weighed: WeightedQuery, total: int
) -> list[HintsEntry]:
    """One hint if every word of the query occurs but no conversation has them all, otherwise none."""
    if total and not weighed.is_relaxed:
        return []
    if not await search.never_together(connection, weighed):
        return []
    return [
        {
            "reason": "words_never_together",
            "message": "Each word occurs somewhere, but no conversation has them all.",
            "suggestion": {"query": _any_word_of(weighed.query)},
        }
    ]


async def unknown_people_hints(
    connection: Connection, tenant: str, parameter: str, names: Iterable[str]
) -> list[HintsEntry]:
    """One hint for each case-folded name that no participant has, with similar names."""
    found: list[HintsEntry] = []
    for name in names:
        if not await count_matching(connection, Filters(people=(name,)).conditions(), at_most=1):
            near = await vocabulary.near_values(connection, tenant, "party_name", name)
            found.append(_not_seen("value_not_seen", parameter, name, near))
    return found


async def empty_time_hint(
    connection: Connection, tenant: str, named: str, begin: datetime, end: datetime
) -> HintsEntry | None:
    """Hint that nothing was said from `begin` to `end`; None if something was."""
    said = Filters(said_from=begin, said_to=end)
    if await count_matching(connection, said.conditions(), at_most=1):
        return None
    corpus = await ends(connection, tenant)
    if corpus is None:
        return None
    first, last = (format_time(end.began_at) for end in corpus)
    return {
        "reason": "no_vcons_of_that_time",
        "message": f"Nothing is stored of {named}: conversations range from {first[:10]} to {last[:10]}.",
        "nearest": [{"first": first, "last": last}],
    }


async def people_apart_hints(connection: Connection, tenant: str, names: Sequence[str]) -> list[HintsEntry]:
    """One hint if each of several names is that of a participant, but no conversation has them all."""
    people = tuple(dict.fromkeys(map(fold, names)))
    if len(people) == 1 or not people:
        return []
    if await count_matching(connection, Filters(people=people).conditions(), at_most=1):
        return []
    if await unknown_people_hints(connection, tenant, "people", people):
        return []
    who = " and ".join(quoted(name, _SHOWN) for name in names)
    return [{"reason": "people_never_together", "message": f"{who} share no conversation."}]


def not_by_speaker_hint(name: str) -> HintsEntry:
    """Hint that matching turns are said by others."""
    return {
        "reason": "not_by_speaker",
        "message": f"No turn that matches is by {quoted(name, _SHOWN)}; use people for turns of others, too.",
        "suggestion": {"people": [name]},
    }


def _any_word_of(query: Query) -> str:
    """Return a query for any word of `query`, with its exclusions."""

    def as_written(term: Term) -> Text:
        is_word = bool(term.beginnings) or term.text.isalnum()
        return Text(term.text, quoted=not is_word)

    sought = [term for term in query.terms if not FOREIGN_OPERATOR.fullmatch(term.text)] or query.terms
    words, unwanted = (tuple(map(as_written, terms)) for terms in (sought, query.excluded))
    return (
        format_query(AllOf((AnyOf(words), *map(Not, unwanted)))) if unwanted else format_query(AnyOf(words))
    )


async def near_keys(
    connection: Connection, tenant: str, key: str, declared: DeclaredVocabulary
) -> list[JsonObject]:
    """Return up to five tag keys, in use or declared, similar to an unused one: `[{key, count}]`."""
    near = await vocabulary.near_tag_keys(connection, tenant, key)
    used = {each["key"] for each in near}
    near += [{"key": name, "count": 0} for name in declared.values if name not in used]
    near.sort(key=lambda each: likeness(fold(key), fold(each["key"])), reverse=True)
    return near[: vocabulary.MAX_SUGGESTIONS]


def _is_before(filters: Filters, first: datetime) -> bool:
    is_open = filters.created_from is None
    return filters.created_to is not None and (is_open or filters.created_to <= first)


async def _of_filters(
    connection: Connection, tenant: str, filters: Filters, declared: DeclaredVocabulary
) -> list[HintsEntry]:
    """Explain why filters match nothing: no vCons, none in the period, or an unused value."""
    corpus = await ends(connection, tenant)
    if corpus is None:
        return [{"reason": "nothing_stored", "message": "Nothing is stored yet."}]
    found: list[HintsEntry] = []
    first, last = (format_time(end.began_at) for end in corpus)
    window = Filters(created_from=filters.created_from, created_to=filters.created_to)
    if window != Filters() and not await count_matching(connection, window.conditions(), at_most=1):
        found.append(
            {
                "reason": "no_vcons_of_that_time",
                "message": f"Nothing is stored of that time: conversations range from {first} to {last}.",
                "filter": "end_date" if _is_before(filters, corpus[0].began_at) else "start_date",
                "nearest": [{"first": first, "last": last}],
            }
        )
    said = Filters(said_from=filters.said_from, said_to=filters.said_to)
    if said != Filters() and not await count_matching(connection, said.conditions(), at_most=1):
        found.append(
            {
                "reason": "no_vcons_of_that_time",
                "message": f"Nothing was said in that time: conversations range from {first} to {last}.",
                "filter": "until" if said.said_from is None else "since",
                "nearest": [{"first": first, "last": last}],
            }
        )
    found += await unknown_people_hints(connection, tenant, "people", filters.people)
    for name in (*_COMPARED, *_COUNTED):
        alone = Filters(**{name: getattr(filters, name)})
        if alone == Filters() or await count_matching(connection, alone.conditions(), at_most=1):
            continue
        value: str = getattr(filters, name)
        if name in _COUNTED:
            near = await _in_use(connection, tenant, _COUNTED[name], value)
        else:
            near = await vocabulary.near_values(connection, tenant, name, value)
        found.append(_not_seen("value_not_seen", name, value, near))
    for key, value in filters.tags:
        found += await _of_tag(connection, tenant, key, value, declared)
    if (id_ := filters.dealer_id) is not None and not await vocabulary.has_dealer(connection, tenant, id_):
        near = await vocabulary.near_dealers(connection, tenant, id_, by="id")
        found.append(_not_seen("dealer_not_seen", "dealer_id", id_, near))
    dealer = filters.dealer_name
    if dealer is not None and not await vocabulary.dealers_named(connection, tenant, dealer):
        near = await vocabulary.near_dealers(connection, tenant, dealer, by="name")
        found.append(_not_seen("dealer_not_seen", "dealer_name", dealer, near))
    return found


def _not_seen(reason: str, filter_: str, value: str, near: Sequence[JsonObject]) -> HintsEntry:
    """Hint that no conversation matches one filter on its own, with similar values."""
    member = {"dealer_id": "id", "dealer_name": "name"}.get(filter_, "value")
    names = [str(each[member]) for each in near]
    known = f" Near it: {', '.join(quoted(name, _SHOWN) for name in names)}." if names else ""
    return {
        "reason": reason,
        "message": f"No conversation matches {filter_} {quoted(value, _SHOWN)}.{known}",
        "filter": filter_,
        "nearest": [*near],
    }


async def _in_use(connection: Connection, tenant: str, about: About, value: str) -> list[JsonObject]:
    """Return up to five names in use as `[{value}]`: similar ones first, then the most frequent."""
    used = (await count(connection, tenant, about))[about]
    names = dict.fromkeys(one.detail if about == "vendor" else one.name for one in used)
    ordered = sorted(names, key=lambda name: likeness(fold(value), fold(name)), reverse=True)
    return [{"value": name} for name in ordered[: vocabulary.MAX_SUGGESTIONS]]


async def _of_tag(
    connection: Connection, tenant: str, key: str, value: str, declared: DeclaredVocabulary
) -> list[HintsEntry]:
    if await vocabulary.has_tag(connection, tenant, key, value):
        return []
    filter_ = f"tags.{key}"
    if declared.accepted(key) is None and not await vocabulary.has_tag_key(connection, tenant, key):
        return [unknown_tag_key(filter_, key, await near_keys(connection, tenant, key, declared))]
    near = await vocabulary.near_tag_values(connection, tenant, key, value)
    return [_not_seen("value_not_seen", filter_, value, near)]


def likely_key(key: str, near: Sequence[JsonObject]) -> str | None:
    """The nearest known key, if `key` is likely a misspelling of it."""
    first: str = near[0]["key"] if near else ""
    return first if likeness(fold(key), fold(first)) >= MIN_SIMILARITY else None


def unknown_key_message(key: str, near: Sequence[JsonObject]) -> str:
    """The message of an error about a tag key that no vCon has."""
    if (likely := likely_key(key, near)) is not None:
        known = f'The nearest known key is "{likely}".'
    elif near:
        known = "No known key looks like it; vcon_taxonomy lists those that are in use."
    else:
        known = "No vCon has any tags."
    return f"No vCon has the tag key {quoted(key, _SHOWN)}. {known}"


def unknown_tag_key(filter_: str, key: str, near: Sequence[JsonObject]) -> HintsEntry:
    """Hint at an unused tag key, with similar keys."""
    known = f" Near it: {', '.join(each['key'] for each in near)}." if near else ""
    return {
        "reason": "unknown_tag_key",
        "message": f"No conversation has the tag key {quoted(key, _SHOWN)}.{known}",
        "filter": filter_,
        "nearest": [*near],
    }


def _of_demands(words: Sequence[WordCountsEntry], best_below: float | None) -> HintsEntry:
    """Explain why nothing matched, although each filter matches some vCon."""
    if best_below:
        return below_threshold(best_below)
    if unseen := [word["word"] for word in words if not word["vcons"]]:
        listed = ", ".join(quoted(word, _SHOWN) for word in unseen)
        return {
            "reason": "words_not_seen",
            "message": f"No conversation contains {listed}, or a word spelled like it.",
        }
    return {
        "reason": "demands_never_together",
        "message": "Each word and filter matches some conversations, but none matches all of them.",
    }
