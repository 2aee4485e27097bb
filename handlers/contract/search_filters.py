"""Search filters in results: date windows; and errors for misspelled tags."""

from collections.abc import Sequence

from vcontract.generated.errors import AmbiguousQuery
from vcontract.generated.models.contract import SearchFilters
from vcontract.generated.results.contract import VconSearchResultMetaWindow
from vcontract.handlers.contract.hints import likely_key, near_keys, unknown_key_message
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.nearest_names import nearest_names
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary
from vcontract.runtime.vcon.times import format_time


def window_document(filters: Filters) -> VconSearchResultMetaWindow | None:
    """Instants of the date filters for the response."""
    window: VconSearchResultMetaWindow = {}
    if filters.created_from is not None:
        window["from"] = format_time(filters.created_from)
    if filters.created_to is not None:
        window["to"] = format_time(filters.created_to)
    return window or None


async def refuse_unknown_tags(
    connection: Connection, tenant: str, given: SearchFilters, filters: Filters, declared: DeclaredVocabulary
) -> None:
    """Reject tags that are probably misspelled. `filters` are the parsed ones of `given`.

    Raises: AmbiguousQuery for an undeclared value of a declared key, and for a key in no vCon.
    """
    for key, value in filters.tags:
        accepted = declared.accepted(key)
        if accepted is not None:
            _check_declared(given, key, value, accepted)
        elif not await vocabulary.has_tag_key(connection, tenant, key):
            raise _unknown_tag_key(given, key, await near_keys(connection, tenant, key, declared))


def _check_declared(given: SearchFilters, key: str, value: str, accepted: Sequence[str]) -> None:
    if value in accepted:
        return
    near = nearest_names(value, accepted, most=1)
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
    likely = likely_key(key, near)
    suggestion: JsonObject = {"tool": "vcon_taxonomy", "arguments": dict[str, JsonValue]()}
    if likely is not None:
        suggestion = _with_tag(given, key, likely, given.model_dump()["tags"][key])
    return AmbiguousQuery(
        unknown_key_message(key, near),
        details={
            "reason": "unknown_tag_key",
            "key": key[:128],
            "nearest": list(near),
            "suggestion": suggestion,
        },
    )


def _with_tag(given: SearchFilters, key: str, new_key: str, value: JsonValue) -> JsonObject:
    """All filters as given, with one tag replaced."""
    filters = given.model_dump()
    tags = {new_key if name == key else name: old for name, old in filters["tags"].items()}
    return {"filters": {**filters, "tags": {**tags, new_key: value}}}
