"""Options that narrow down conversations, as every command that takes them does."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from vcontract.runtime.cli.completing import tags_in_use
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.transcripts import moment_of

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject


class EventKind(StrEnum):
    """Kinds of the filter `events`; a transfer is a blind or a consultative one."""

    JOIN = "join"
    DROP = "drop"
    HOLD = "hold"
    UNHOLD = "unhold"
    MUTE = "mute"
    UNMUTE = "unmute"
    KEYDOWN = "keydown"
    KEYUP = "keyup"
    CONSULTATION_START = "consultation-start"
    BLIND_TRANSFER = "blind-transfer"
    CONSULTATIVE_TRANSFER = "consultative-transfer"
    TRANSFER_ABANDONED = "transfer-abandoned"
    TRANSFER = "transfer"


Tags: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--tag",
        metavar="KEY=VALUE",
        help="Only conversations with this tag. Repeatable; all must match.",
        autocompletion=tags_in_use,
        show_default=False,
    ),
]
Party: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        help="Only conversations with this party: part of a name, address or number.",
        show_default=False,
    ),
]
Since: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="Only conversations on or after this date.", show_default=False),
]
Until: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="Only conversations on or before this date.", show_default=False),
]
Events: TypeAlias = Annotated[
    list[EventKind],
    typer.Option(
        "--event",
        metavar="KIND",
        help="Only conversations in which this happened. Repeatable; one must match.",
        show_default=False,
    ),
]
RepeatWithin: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="DAYS",
        min=1,
        max=366,
        help="Only conversations whose party, not an agent, had another one in the DAYS before.",
        show_default=False,
    ),
]
Said: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--said",
        metavar="PHRASE",
        help='Only conversations in which this was said; in "quotes", exactly. Repeatable; one must match.',
        show_default=False,
    ),
]
NotSaid: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--not-said",
        metavar="PHRASE",
        help="Only conversations in which this is known not to have been said. Repeatable; all must match.",
        show_default=False,
    ),
]
SaidBy: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE",
        help="Who said it or did not: a role such as agent, or name=Ann.",
        show_default=False,
    ),
]
SaidWithin: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS",
        help="When: first=60 or last=60.",
        show_default=False,
    ),
]
_NAME = "name="
TAG_CURE = "write KEY=VALUE, as in department=sales"


def filters_of(
    tags: Sequence[str],
    party: str | None,
    since: str | None,
    until: str | None,
    events: Sequence[str] = (),
    repeat_within: int | None = None,
) -> "JsonObject":
    """The filters of vcon_search that options ask for. Raises: CommandFailed."""
    from vcontract.runtime.vcon.filters import BadTag, search_filters

    check_dates(since, until)
    try:
        filters = search_filters(tags, party, since, until)
    except BadTag as error:
        raise CommandFailed(str(error), cure=TAG_CURE, code=ExitCode.USAGE) from None
    if events:
        filters["events"] = {"any": [str(kind) for kind in events]}
    return filters if repeat_within is None else {**filters, "repeat_within_days": repeat_within}


def said_filters(
    said: Sequence[str], not_said: Sequence[str], by: str | None, within: str | None
) -> "JsonObject":
    """The filters `said` and `not_said` that options ask for. Raises: CommandFailed."""
    from vcontract.runtime.vcon import filters

    who: dict[str, str] = {}
    when: dict[str, float] = {}
    if by is not None:
        who = {"name": by[len(_NAME) :]} if by.startswith(_NAME) else {"role": by}
    if within is not None:
        end, _, seconds = within.partition("=")
        if end not in ("first", "last") or not seconds.isdecimal():
            raise CommandFailed(
                f"--said-within {within} is not a time", cure="write first=60 or last=60", code=ExitCode.USAGE
            )
        when = {f"{end}_seconds": int(seconds)}
    try:
        return filters.said_filters(said, not_said, who, when)
    except filters.BadFilter:
        raise CommandFailed(
            "--said-by and --said-within need a phrase", cure="add --said or --not-said", code=ExitCode.USAGE
        ) from None


def check_dates(since: str | None, until: str | None) -> None:
    """Raises: CommandFailed for a value that is not a date, or an end before its start."""
    start, end = moment_of(since), moment_of(until, "until")
    if start is not None and end is not None and end <= start:
        raise CommandFailed(
            f"--until {until} is before --since {since}", cure="swap the two dates", code=ExitCode.USAGE
        )
