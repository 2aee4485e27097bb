"""Search filters: what a client wrote, as what the store compares, or why it cannot be."""

import difflib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import AmbiguousQuery, InvalidArgument
from vcontract.generated.models.contract import SearchFilters
from vcontract.generated.results.contract import VconSearchResultMetaHintsEntry, VconSearchResultMetaWindow
from vcontract.runtime.documents.findings import counted
from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.vcons.preparation import tag_columns
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.store.vocabulary.declared import DeclaredVocabulary
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.tags import tag_key_problem
from vcontract.runtime.vcon.times import BadDate, format_time, read_time, window_edge

FEWEST_DIGITS: Final = 3
MOST_CHARACTERS: Final = 1_000
"""Of the text of one filter."""
LEAST_LIKENESS: Final = 0.5
"""Of two spellings one of which may be meant by the other, as difflib measures it."""
_DATES: Final = ("start_date", "end_date")


def read_filters(given: SearchFilters) -> Filters:
    """The filters as the store compares them.

    Raises: InvalidArgument for a date that is none, a text that is empty, too long or nothing but a scheme or
    accents, a key that no tag can have, and for U+0000;
    AmbiguousQuery for an empty window or too few digits.
    """
    for name, value in given.model_dump(exclude={"tags"}).items():
        refuse_nul(f"filters.{name}", value)
        _check_length(f"filters.{name}", value, fewest=0 if name in _DATES else 1)
    if given.tags is not MISSING:
        for part in (*given.tags, *given.tags.values()):
            refuse_nul("filters.tags", part)
        for key in given.tags:
            _check_tag_key(key)
    window = _window(given)
    return Filters(
        created_from=window[0],
        created_to=window[1],
        subject=_folded("subject", given.subject),
        party_name=_folded("party_name", given.party_name),
        party_email=_folded("party_email", given.party_email, scheme="mailto:"),
        party_tel=None if given.party_tel is MISSING else _digits(given.party_tel),
        dealer_id=None if given.dealer_id is MISSING else given.dealer_id,
        dealer_name=_folded("dealer_name", given.dealer_name),
        tags=()
        if given.tags is MISSING
        else tuple((key, tag_columns(value)[0]) for key, value in given.tags.items()),
    )


def refuse_nul(parameter: str, value: JsonValue) -> None:
    """Raise InvalidArgument for a text with U+0000, which no stored text can have."""
    if isinstance(value, str) and "\0" in value:
        raise InvalidArgument(
            f"{parameter} holds U+0000, which no vCon has; remove it.",
            details={"parameter": parameter, "reason": "nul_character"},
        )


def _check_tag_key(key: str) -> None:
    problem = tag_key_problem(key)
    if problem is not None:
        raise InvalidArgument(
            problem, details={"parameter": "filters.tags", "reason": "bad_tag_key", "value": key[:60]}
        )


def _check_length(parameter: str, text: str, fewest: int) -> None:
    if not fewest <= len(text) <= MOST_CHARACTERS:
        raise InvalidArgument(
            f"{parameter} has {len(text)} characters; {fewest or 1} to {MOST_CHARACTERS} are allowed.",
            details={
                "parameter": parameter,
                "reason": "length",
                "accepted": [f"{fewest or 1} to {MOST_CHARACTERS} characters"],
            },
        )


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

    Raises: AmbiguousQuery for a value that a declared key does not have, and for a key that no vCon has
    while some have tags.
    """
    for key, value in filters.tags:
        accepted = declared.accepted(key)
        if accepted is not None:
            _check_declared(given, key, value, accepted)
        elif not await vocabulary.has_tag_key(connection, tenant, key):
            near = await vocabulary.near_tag_keys(connection, tenant, key)
            if near:
                raise _unknown_tag_key(given, key, near)


def _check_declared(given: SearchFilters, key: str, value: str, accepted: Sequence[str]) -> None:
    if value in accepted:
        return
    near = difflib.get_close_matches(value, accepted, n=1, cutoff=0.4)
    suggestion = {"suggestion": _with_tag(given, key, key, near[0])} if near else {}
    raise AmbiguousQuery(
        f'The tag key "{key}" has no value "{_shown(value)}"; its values are declared.',
        details={
            "reason": "unknown_tag_value",
            "key": key,
            "value": value[:256],
            "accepted": list(accepted),
            **suggestion,
        },
    )


def _unknown_tag_key(given: SearchFilters, key: str, near: Sequence[JsonObject]) -> AmbiguousQuery:
    first: str = near[0]["key"]
    if difflib.SequenceMatcher(None, fold(key), fold(first)).ratio() >= LEAST_LIKENESS:
        suggestion = _with_tag(given, key, first, given.model_dump()["tags"][key])
        known = f'The nearest known key is "{first}".'
    else:
        arguments: JsonObject = {}
        suggestion = {"tool": "vcon_taxonomy", "arguments": arguments}
        known = "No known key looks like it; vcon_taxonomy lists those that are in use."
    return AmbiguousQuery(
        f'No vCon has the tag key "{_shown(key)}". {known}',
        details={
            "reason": "unknown_tag_key",
            "key": key[:128],
            "nearest": list(near),
            "suggestion": suggestion,
        },
    )


def _with_tag(given: SearchFilters, key: str, new_key: str, value: JsonValue) -> JsonObject:
    """All filters as they were given, but for one tag."""
    filters = given.model_dump()
    tags = {new_key if name == key else name: old for name, old in filters["tags"].items()}
    return {"filters": {**filters, "tags": {**tags, new_key: value}}}


async def hints(
    connection: Connection, tenant: str, filters: Filters
) -> list[VconSearchResultMetaHintsEntry]:
    """Why filters may have left nothing: a tag value or a dealer that was never seen, and what is near it."""
    found: list[VconSearchResultMetaHintsEntry] = []
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


def _window(given: SearchFilters) -> tuple[datetime | None, datetime | None]:
    start = None if given.start_date is MISSING else _edge(given.start_date, "start")
    end = None if given.end_date is MISSING else _edge(given.end_date, "end")
    if start is not None and end is not None and end <= start:
        edges: Sequence[JsonValue] = (given.end_date, given.start_date)
        if start == end == read_time(str(given.end_date)):
            # one instant, in either order; its day is a window
            edges = (str(start.date()),) * 2
        raise AmbiguousQuery(
            f"The window ends at {format_time(end)}, not after its start {format_time(start)}.",
            details={
                "reason": "empty_window",
                "from": format_time(start),
                "to": format_time(end),
                "suggestion": {"filters": given.model_dump() | dict(zip(_DATES, edges, strict=True))},
            },
        )
    return start, end


def _edge(text: str, edge: str) -> datetime:
    try:
        return window_edge(text, "start" if edge == "start" else "end")
    except BadDate as bad:
        raise InvalidArgument(
            str(bad),
            details={
                "parameter": f"filters.{edge}_date",
                "reason": "bad_date",
                "value": text,
                "accepted": list(bad.accepted),
            },
        ) from None


def _digits(tel: str) -> str:
    digits = "".join(character for character in tel if character in "0123456789")
    if len(digits) < FEWEST_DIGITS:
        found = counted(len(digits), "digit")
        raise AmbiguousQuery(
            f'party_tel "{_shown(tel)}" has {found}; at least {FEWEST_DIGITS} are needed.',
            details={"reason": "too_few_digits", "digits": digits},
        )
    return digits


def _folded(name: str, text: str | MISSING, scheme: str = "") -> str | None:
    """What a text filter compares, without the scheme before an address.

    Raises: InvalidArgument when nothing is left, which every text would contain.
    """
    if text is MISSING:
        return None
    folded = fold(text).removeprefix(scheme)
    if not folded:
        raise InvalidArgument(
            f'filters.{name} "{_shown(text)}" holds nothing to look for; give a part of what is looked for.',
            details={"parameter": f"filters.{name}", "reason": "nothing_to_match", "value": text},
        )
    return folded


def _shown(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
