"""Hints: why a search found nothing, or nothing well, and what is near."""

from collections.abc import Mapping, Sequence
from typing import Final

from vcontract.generated.results.contract import HintsEntry, WordCountsEntry
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.documents.nearest import likeness
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.browsing import ends
from vcontract.runtime.store.search.matching import Filters, count_matching
from vcontract.runtime.store.search.ranked import VconSearch
from vcontract.runtime.store.search.things import rounded_down
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.store.vcons.counts import About, count
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.store.vocabulary.declared import DeclaredVocabulary
from vcontract.runtime.text.query import Query, Term
from vcontract.runtime.text.query_language import All, Not, Some, Text, written
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.times import format_time

_SEEN_OR_NOT: Final = ("subject", "party_name", "party_email", "party_tel")
"""Filters of which no vCon may meet one, whatever the others are."""
_COUNTED: Final[Mapping[str, About]] = {
    "party_role": "role",
    "analysis_type": "analysis",
    "analysis_vendor": "vendor",
    "attachment_type": "attachment",
}
"""Filters that name what is counted, so that those of its names that are in use can be told."""
ONLY_WEAK: Final[HintsEntry] = {"reason": "only_weak_matches"}


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
    """Why a page is empty; never none. `found` are hints that the search itself came upon.

    `is_further` tells a page behind others, `words` are those of the query, `best_below` is the best
    similarity below the threshold.
    """
    if is_further:
        return [{"reason": "past_the_end"}]
    near = [*found, *await _of_filters(connection, tenant, filters, declared)]
    return near or [_of_demands(words, best_below)]


def below_threshold(best: float) -> HintsEntry:
    """That something is similar, and the threshold that lets it pass."""
    return {"reason": "below_threshold", "suggestion": {"threshold": rounded_down(best, 2)}}


async def never_together(
    search: VconSearch, connection: Connection, weighed: WeighedQuery
) -> list[HintsEntry]:
    """One hint when each word of a query is somewhere, and nowhere what it demands of them; else none."""
    if not await search.never_together(connection, weighed):
        return []
    return [{"reason": "words_never_together", "suggestion": {"query": _any_word_of(weighed.query)}}]


def _any_word_of(query: Query) -> str:
    """A query for any of the words of `query`, with its exclusions."""

    def as_written(term: Term) -> Text:
        is_word = bool(term.beginnings) or term.text.isalnum()
        return Text(term.text, quoted=not is_word)

    words, unwanted = (tuple(map(as_written, terms)) for terms in (query.terms, query.excluded))
    return written(All((Some(words), *map(Not, unwanted)))) if unwanted else written(Some(words))


async def near_keys(
    connection: Connection, tenant: str, key: str, declared: DeclaredVocabulary
) -> list[JsonObject]:
    """Up to five tag keys, in use or declared, that look like one which no vCon has: `[{key, count}]`."""
    near = await vocabulary.near_tag_keys(connection, tenant, key)
    used = {each["key"] for each in near}
    near += [{"key": name, "count": 0} for name in declared.values if name not in used]
    near.sort(key=lambda each: likeness(fold(key), fold(each["key"])), reverse=True)
    return near[: vocabulary.MOST_NEAR]


async def _of_filters(
    connection: Connection, tenant: str, filters: Filters, declared: DeclaredVocabulary
) -> list[HintsEntry]:
    """Why filters may have left nothing: no vCons, none of that time, or a value that none has."""
    corpus = await ends(connection, tenant)
    if corpus is None:
        return [{"reason": "nothing_stored"}]
    found: list[HintsEntry] = []
    first, last = (place.at for place in corpus)
    is_before = filters.created_to is not None and filters.created_to <= first
    if is_before or (filters.created_from is not None and filters.created_from > last):
        stored: JsonObject = {"first": format_time(first), "last": format_time(last)}
        filter_ = "end_date" if is_before else "start_date"
        found.append({"reason": "no_vcons_of_that_time", "filter": filter_, "nearest": [stored]})
    for name in (*_SEEN_OR_NOT, *_COUNTED):
        alone = Filters(**{name: getattr(filters, name)})
        if alone == Filters() or await count_matching(connection, alone.conditions(), at_most=1):
            continue
        hint: HintsEntry = {"reason": "value_not_seen", "filter": name}
        if name in _COUNTED:
            hint["nearest"] = await _in_use(connection, tenant, _COUNTED[name], getattr(filters, name))
        found.append(hint)
    for key, value in filters.tags:
        found += await _of_tag(connection, tenant, key, value, declared)
    if filters.dealer_id is not None and not await vocabulary.has_dealer(
        connection, tenant, filters.dealer_id
    ):
        near = await vocabulary.near_dealers(connection, tenant, filters.dealer_id)
        found.append({"reason": "dealer_not_seen", "filter": "dealer_id", "nearest": near})
    if filters.dealer_name is not None and not await vocabulary.dealers_named(
        connection, tenant, filters.dealer_name
    ):
        near = await vocabulary.near_dealers(connection, tenant, filters.dealer_name)
        found.append({"reason": "dealer_not_seen", "filter": "dealer_name", "nearest": near})
    return found


async def _in_use(connection: Connection, tenant: str, about: About, value: str) -> list[JsonObject]:
    """Up to five names in use as `[{value}]`, those that look like `value` first, then the most frequent."""
    counted = (await count(connection, tenant, about))[about]
    names = dict.fromkeys(one.detail if about == "vendor" else one.name for one in counted)
    ordered = sorted(names, key=lambda name: likeness(fold(value), fold(name)), reverse=True)
    return [{"value": name} for name in ordered[: vocabulary.MOST_NEAR]]


async def _of_tag(
    connection: Connection, tenant: str, key: str, value: str, declared: DeclaredVocabulary
) -> list[HintsEntry]:
    if await vocabulary.has_tag(connection, tenant, key, value):
        return []
    filter_ = f"tags.{key}"
    if declared.accepted(key) is None and not await vocabulary.has_tag_key(connection, tenant, key):
        near = await near_keys(connection, tenant, key, declared)
        return [{"reason": "unknown_tag_key", "filter": filter_, "nearest": near}]
    near = await vocabulary.near_tag_values(connection, tenant, key, value)
    return [{"reason": "value_not_seen", "filter": filter_, "nearest": near}]


def _of_demands(words: Sequence[WordCountsEntry], best_below: float | None) -> HintsEntry:
    """Why nothing matched, when some vCon meets each filter."""
    if best_below:
        return below_threshold(best_below)
    if unseen := [counted["word"] for counted in words if not counted["vcons"]]:
        return {"reason": "words_not_seen", "nearest": [{"word": word} for word in unseen]}
    return {"reason": "demands_never_together"}
