"""`vcontract count`: count conversations in groups."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.console import Column, counted, is_read_by_a_person, note, print_json, print_rows
from vcontract.runtime.cli.filter_options import (
    Events,
    NotSaid,
    Party,
    RepeatWithin,
    Said,
    SaidBy,
    SaidWithin,
    Since,
    Tags,
    Until,
    filters_of,
    said_filters,
)
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.tool_client import call_tools
from vcontract.runtime.vcon.search_explanations import hints_of

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject

_TOOLSETS: Final = ("contract", "vcon", "vcon_more")
_MAX_GROUPS: Final = 500
_LISTED: Final = 20
_OF_GROUPS: Final = {"CONVERSATIONS": "vcons", "PARTIES": "parties"}
_OF_SPEAKERS: Final = {"TURNS": "turns", "WORDS": "words", "CONVERSATIONS": "vcons"}
_DAY: Final = 10
"""Length of a date."""


def count(
    context: typer.Context,
    groups: Annotated[
        list[str],
        typer.Argument(
            metavar="BY",
            help="One to three: tag:KEY, dealer, party, role, type, vendor, purpose, vcon, day, week, month, "
            "hour; or speaker.",
            show_default=False,
        ),
    ],
    tag: Tags = [],  # noqa: B006  (typer wants a list)
    party: Party = None,
    since: Since = None,
    until: Until = None,
    event: Events = [],  # noqa: B006  (typer wants a list)
    said: Said = [],  # noqa: B006  (typer wants a list)
    not_said: NotSaid = [],  # noqa: B006  (typer wants a list)
    said_by: SaidBy = None,
    said_within: SaidWithin = None,
    repeat_within: RepeatWithin = None,
    measure: Annotated[
        list[str],
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Also print means of this measure, such as talk_seconds or tag:csat. Repeatable.",
            show_default=False,
        ),
    ] = [],  # noqa: B006  (typer wants a list)
    limit: Annotated[
        int,
        typer.Option("--limit", "-n", metavar="N", min=1, max=_MAX_GROUPS, help="Maximum number of groups."),
    ] = _LISTED,
    by_key: Annotated[bool, typer.Option("--by-key", help="Sort by group instead of by count.")] = False,
    all_versions: Annotated[
        bool,
        typer.Option("--all-versions", help="Also count amended and redacted versions."),
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Count conversations in groups, such as by month or tag."""
    arguments: JsonObject = {
        "group_by": groups,
        "filters": filters_of(tag, party, since, until, event, repeat_within)
        | said_filters(said, not_said, said_by, said_within)
        | {"versions": "all" if all_versions else "latest"},
        "top": limit,
        "order": "key" if by_key else "words" if groups == ["speaker"] else "count",
    }
    if measure:
        arguments["measures"] = measure
    answer = call_tools(context, tenant, lambda tools: tools.ask("vcon_aggregate", **arguments), *_TOOLSETS)
    if as_json:
        print_json(answer)
        return
    counts = _OF_SPEAKERS if groups == ["speaker"] else _OF_GROUPS
    means = (title for each in measure for title in (each.upper(), "KNOWN"))
    titles = (*(each.upper() for each in groups), *counts, *means, "HOURS", "FIRST", "LAST")
    print_rows([Column(title, whole=title != "SPEAKER") for title in titles], [*_rows(answer, counts)])
    if is_read_by_a_person():
        _print_remainder(answer)
    for hint in hints_of(answer):
        note(hint)


def _rows(answer: "JsonObject", counts: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for group in answer["groups"]:
        seconds = group.get("duration_seconds")
        yield (
            *group.get("label", group["key"]),
            *(str(group[name]) for name in counts.values()),
            *(cell for each in group.get("measures", ()) for cell in _mean(each)),
            "" if seconds is None else f"{seconds / 3600:.2f}",
            group["first"][:_DAY],
            group["last"][:_DAY],
        )


def _mean(measure: "JsonObject") -> tuple[str, str]:
    """Mean of a measure (for talk_share, of all talk), and of how many vCons it is known."""
    mean = measure.get("share", measure.get("mean"))
    return "" if mean is None else f"{mean:.10g}", str(measure["known"])


def _print_remainder(answer: "JsonObject") -> None:
    rest, ungrouped = answer["rest"], answer["ungrouped"]
    more = f"; {counted(rest['groups'], 'more group')} (--limit N shows more)" if rest["groups"] else ""
    apart = f"; {ungrouped:,} in no group" if ungrouped else ""
    left_out = answer.get("versions_left_out", 0)
    versions = (
        f"; {counted(left_out, 'other version')} not counted (--all-versions counts them)" if left_out else ""
    )
    note(f"{counted(answer['vcons'], 'conversation')} in total{apart}{versions}{more}")
