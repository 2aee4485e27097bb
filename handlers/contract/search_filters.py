"""Search filters: tags that are likely misspelled, and why filters may have left nothing."""

import difflib
from collections.abc import Sequence
from typing import Final

from vcontract.generated.errors import AmbiguousQuery
from vcontract.generated.models.contract import SearchFilters
from vcontract.generated.results.contract import VconSearchResultMetaHintsEntry, VconSearchResultMetaWindow
from vcontract.runtime.documents.findings import quoted
from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.browsing import ends
from vcontract.runtime.store.search.matching import Filters, count_matching
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.store.vocabulary.declared import DeclaredVocabulary
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.times import format_time

_MOST_NEAR: Final = 5
_SEEN_OR_NOT: Final = (
    *("subject", "party_name", "party_email", "party_tel", "party_role"),
    *("analysis_type", "attachment_type"),
)
"""Filters of which no vCon may meet one, whatever the others are."""
LEAST_LIKENESS: Final = 0.5
"""Of two spellings one of which may be meant by the other, as difflib measures it."""


def window_document(filters: Filters) -> VconSearchResultMetaWindow | None:
    """The instants of the date filters, as the answer shows them."""
    window: VconSearchResultMetaWindow = {}
    if filters.created_from is not None:
        window["from"] = format_time(filters.created_from)
    if filters.created_to is not None:
        window["to"] = format_time(filters.created_to)
    return window or None


async def refuse_unknown_tags(
    connection: Connection, tenant: str, given: SearchFilters, filters: Filters, declared: DeclaredVocabulary
) -> None:
    """Refuse tags that are likely misspelled; `filters` are those that were `given`.

    Raises: AmbiguousQuery for a value that a declared key does not have, and for a key that no vCon has.
    """
    for key, value in filters.tags:
        accepted = declared.accepted(key)
        if accepted is not None:
            _check_declared(given, key, value, accepted)
        elif not await vocabulary.has_tag_key(connection, tenant, key):
            near = await vocabulary.near_tag_keys(connection, tenant, key)
            used = {each["key"] for each in near}
            near += [{"key": name, "count": 0} for name in declared.values if name not in used]
            near.sort(key=lambda each: _likeness(key, each["key"]), reverse=True)
            raise _unknown_tag_key(given, key, near[:_MOST_NEAR])


def _check_declared(given: SearchFilters, key: str, value: str, accepted: Sequence[str]) -> None:
    if value in accepted:
        return
    near = difflib.get_close_matches(value, accepted, n=1, cutoff=0.4)
    suggestion = {"suggestion": _with_tag(given, key, key, near[0])} if near else {}
    raise AmbiguousQuery(
        f'The tag key "{key}" has no value {quoted(value, 80)}; its values are declared.',
        details={
            "reason": "unknown_tag_value",
            "key": key,
            "value": value[:256],
            "accepted": list(accepted),
            **suggestion,
        },
    )


def _unknown_tag_key(given: SearchFilters, key: str, near: Sequence[JsonObject]) -> AmbiguousQuery:
    first: str = near[0]["key"] if near else ""
    if _likeness(key, first) >= LEAST_LIKENESS:
        suggestion = _with_tag(given, key, first, given.model_dump()["tags"][key])
        known = f'The nearest known key is "{first}".'
    else:
        arguments: JsonObject = {}
        suggestion = {"tool": "vcon_taxonomy", "arguments": arguments}
        known = "No known key looks like it; vcon_taxonomy lists those that are in use."
        known = known if near else "No vCon has any tags."
    return AmbiguousQuery(
        f"No vCon has the tag key {quoted(key, 80)}. {known}",
        details={
            "reason": "unknown_tag_key",
            "key": key[:128],
            "nearest": list(near),
            "suggestion": suggestion,
        },
    )


def _likeness(key: str, known: str) -> float:
    return difflib.SequenceMatcher(None, fold(key), fold(known)).ratio()


def _with_tag(given: SearchFilters, key: str, new_key: str, value: JsonValue) -> JsonObject:
    """All filters as they were given, but for one tag."""
    filters = given.model_dump()
    tags = {new_key if name == key else name: old for name, old in filters["tags"].items()}
    return {"filters": {**filters, "tags": {**tags, new_key: value}}}


async def hints(
    connection: Connection, tenant: str, filters: Filters
) -> list[VconSearchResultMetaHintsEntry]:
    """Why filters may have left nothing: no vCons, none of that time, or a value that none has."""
    corpus = await ends(connection, tenant)
    if corpus is None:
        return [{"reason": "nothing_stored"}]
    found: list[VconSearchResultMetaHintsEntry] = []
    first, last = (place.at for place in corpus)
    is_before = filters.created_to is not None and filters.created_to <= first
    if is_before or (filters.created_from is not None and filters.created_from > last):
        stored: JsonObject = {"first": format_time(first), "last": format_time(last)}
        filter_ = "end_date" if is_before else "start_date"
        found.append({"reason": "no_vcons_of_that_time", "filter": filter_, "nearest": [stored]})
    for name in _SEEN_OR_NOT:
        alone = Filters(**{name: getattr(filters, name)})
        if alone != Filters() and not await count_matching(connection, alone.conditions(), at_most=1):
            found.append({"reason": "value_not_seen", "filter": name})
    for key, value in filters.tags:
        if not await vocabulary.has_tag(connection, tenant, key, value):
            near = await vocabulary.near_tag_values(connection, tenant, key, value)
            found.append({"reason": "value_not_seen", "filter": f"tags.{key}", "nearest": near})
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
