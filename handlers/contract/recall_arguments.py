"""The arguments of vcon_recall as a search takes them."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument
from vcontract.generated.models import contract as models
from vcontract.handlers.contract.recall_evidence import KINDS, Kind
from vcontract.handlers.contract.search_words import FILTERS, map_query_errors
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.search_params import InvalidQuery, read_filters
from vcontract.runtime.text.words import fold

_WINDOW: Final = ("since", "until")
TOOLSETS: Final[Mapping[Kind, str]] = {"reflection": "session", "journal": "bridge"}
"""Toolset that must be served for a kind; other kinds are always available."""


def read_recall_filters(params: models.VconRecallParams) -> Filters:
    given: JsonObject = {} if params.filters is MISSING else params.filters.model_dump()
    with map_query_errors(given):
        filters = read_filters(given, FILTERS)
        window = _window(params)
    people = [] if params.people is MISSING else list(params.people)
    if params.speaker is not MISSING:
        people.append(params.speaker)
    for name in people:
        if not any(character.isalnum() for character in name):
            raise InvalidArgument(
                f'"{name[:60]}" holds nothing to look for; give words of a name.',
                details={
                    "parameter": "speaker" if name == params.speaker else "people",
                    "reason": "nothing_to_match",
                    "value": name[:60],
                },
            )
    return replace(
        filters,
        said_from=window.created_from,
        said_to=window.created_to,
        people=tuple(dict.fromkeys(fold(name) for name in people)),
    )


def _window(params: models.VconRecallParams) -> Filters:
    """Read since and until like date filters, with errors under their own names."""
    given = {"start_date": params.since, "end_date": params.until}
    names = dict(zip(given, _WINDOW, strict=True))
    try:
        return read_filters({name: value for name, value in given.items() if value is not MISSING})
    except InvalidQuery as refused:
        refused.parameter = names[refused.parameter]
        if refused.instead is not None:
            refused.instead = {names[name]: value for name, value in refused.instead.items()}
        raise


@contextmanager
def without_suggestion() -> Generator[None]:
    """Remove operator suggestions from errors, because questions have no operators."""
    try:
        yield
    except InvalidQuery as refused:
        refused.instead = None
        raise


def kinds_of(params: models.VconRecallParams, ctx: ToolContext, filters: Filters) -> list[Kind]:
    """Kinds to search: the requested ones, else all that the caller and the filters allow."""
    served = {toolset["id"] for toolset in ctx.contract.toolsets if toolset["enabled"]}
    visible: list[Kind] = [kind for kind in KINDS if TOOLSETS.get(kind, "contract") in served]
    if params.kinds is not MISSING:
        wanted: frozenset[str] = frozenset(params.kinds)
        for kind, toolset in TOOLSETS.items():
            if kind in wanted and kind not in visible:
                raise InvalidArgument(
                    f"kind {kind} belongs to the toolset {toolset}, which is not served here.",
                    details={"parameter": "kinds", "reason": "not_served", "accepted": [*visible]},
                )
        return [kind for kind in KINDS if kind in wanted]
    dates_only = Filters(
        created_from=filters.created_from,
        created_to=filters.created_to,
        said_from=filters.said_from,
        said_to=filters.said_to,
    )
    return visible if filters == dates_only else [kind for kind in visible if kind not in TOOLSETS]
