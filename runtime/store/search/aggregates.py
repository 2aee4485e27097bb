"""Aggregates: count the vCons that match filters, in groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.search.filter_conditions import Filters


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of some vCons: of how many it is known, and the sum and median of these."""

    known: int = 0
    total: float = 0
    median: float | None = None
    share: float | None = None
    """Part of all talk of these vCons."""
    unknown: int = 0
    """For `share`, the number of vCons of which the answer is unknown."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of vCons. `keys` has one value per grouping, `labels` how each is written, if known."""

    keys: tuple[str, ...]
    labels: tuple[str | None, ...]
    vcons: int
    parties: int
    """Distinct parties, by name, else address, else number."""
    timed: int
    """vCons with a dialog of known duration."""
    seconds: float | None
    """Total duration of these dialogs; None if there are none."""
    first: datetime | None
    last: datetime | None
    turns: int | None = None
    """For a speaker: number of turns and words."""
    words: int | None = None
    measured: tuple["Measured", ...] = ()
    """The requested measures, in their order."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All vCons that match filters, and their first groups."""

    whole: Group
    listed: list[Group]
    groups: int
    """Total number of groups, including unlisted ones."""
    added: int
    """Sum over all groups; a vCon in two groups counts twice."""
    grouped: int
    """vCons in at least one group."""


async def aggregate(
    connection: Connection,
    filters: Filters,
    groupings: Sequence[str],
    most: int,
    order: str,
    measures: Sequence[str] = (),
) -> Aggregate:
    """Return the first `most` groups, ordered by count, duration (both largest first) or key."""
    *rows, whole = await connection.fetch(
        *named_query(
            "select * from vcontract.aggregate_vcons("
            ":spec::jsonb, :groupings::text[], :order::text, :most, :measures::text[])",
            spec=dump_json(filters.conditions()).decode(),
            groupings=list(groupings),
            order=order,
            most=most,
            measures=list(measures),
        )
    )
    groups = [
        Group(
            tuple(row["keys"] or ()),
            tuple(row["labels"] or ()),
            vcons=row["vcons"],
            parties=row["parties"],
            timed=row["timed"],
            seconds=row["seconds"],
            first=row["first"],
            last=row["last"],
            measured=_measured(row["measured"], len(measures)),
        )
        for row in (*rows, whole)
    ]
    return Aggregate(groups[-1], groups[:-1], whole["groups"], whole["added"], whole["grouped"])


def _measured(found: str | None, measures: int) -> tuple[Measured, ...]:
    """Read measures that are numbered from 1; one that is known of no vCon has no entry."""
    entries = {entry.pop("number"): Measured(**entry) for entry in parse_json(found or "[]")}
    return tuple(entries.get(number, Measured()) for number in range(1, measures + 1))


async def measure_values(
    connection: Connection, filters: Filters, measures: Sequence[str]
) -> list[dict[UUID, float]]:
    """Return the known values of each measure by vCon."""
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.measure_values(:spec::jsonb, :measures::text[])",
            spec=dump_json(filters.conditions()).decode(),
            measures=list(measures),
        )
    )
    values: list[dict[UUID, float]] = [{} for _ in measures]
    for row in rows:
        values[row["number"] - 1][row["id"]] = row["value"]
    return values


async def times_said_by(connection: Connection, filters: Filters) -> list[tuple[UUID, str | None, int]]:
    """Return vCons and speakers, in lower case, who say what `filters.said` asks, and how often."""
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.times_said_by(:spec::jsonb)",
            spec=dump_json(filters.conditions()).decode(),
        )
    )
    return [(row["id"], row["speaker"], row["times"]) for row in rows]


async def superseded_count(connection: Connection, conditions: JsonObject) -> int:
    """Number of earlier and redacted versions that conditions exclude."""
    if conditions.get("versions") != "latest":
        return 0
    count = await connection.fetchval(
        *named_query("select vcontract.superseded_count(:spec::jsonb)", spec=dump_json(conditions).decode())
    )
    return int(count)


@dataclass(frozen=True, slots=True)
class Span:
    """Counts of one or several periods. For a tag `key`, only the number of vCons with it."""

    key: str | None
    is_before: bool
    begins: datetime | None
    """None for several periods together."""
    vcons: int
    dialogs: int
    analyses: int
    attachments: int
    parties: int


async def trends(
    connection: Connection, filters: Filters, unit: str, periods: int, until: datetime
) -> tuple[list[Span], int]:
    """Return the last whole periods before `until`, as many before those, both totals, and their tag keys.

    Also returns how many versions in these periods are excluded.
    """
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.trend_vcons(:spec::jsonb, :unit, :periods, :until)",
            spec=dump_json(filters.conditions()).decode(),
            unit=unit,
            periods=periods,
            until=until,
        )
    )
    spans = [Span(**dict(row)) for row in rows]
    if not filters.latest_versions:
        return spans, 0
    left_out = await connection.fetchval(
        *named_query(
            "select vcontract.superseded_count(:spec::jsonb || jsonb_build_object("
            "'from', greatest((:spec::jsonb ->> 'from')::timestamptz, :since::timestamptz),"
            " 'to', date_trunc(:unit, :until::timestamptz at time zone 'UTC') at time zone 'UTC'))",
            spec=dump_json(filters.conditions()).decode(),
            since=min(span.begins for span in spans if span.begins is not None),
            unit=unit,
            until=until,
        )
    )
    return spans, int(left_out)
