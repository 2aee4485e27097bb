"""Aggregates: the vCons that meet filters, counted in groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named
from vcontract.runtime.store.search.filter_conditions import Filters


@dataclass(frozen=True, slots=True)
class Group:
    """Some vCons; `keys` has what each grouping says of them, `labels` how that is written, if known."""

    keys: tuple[str, ...]
    labels: tuple[str | None, ...]
    vcons: int
    parties: int
    """Different ones, by name, else address, else number."""
    timed: int
    """vCons of which a dialog says how long it was."""
    seconds: float | None
    """How long these dialogs were; None when there are none."""
    first: datetime | None
    last: datetime | None
    turns: int | None = None
    """Of a speaker: how often they speak, and how many words they say."""
    words: int | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All vCons that meet filters, and the first of their groups."""

    whole: Group
    listed: list[Group]
    groups: int
    """How many there are, also of those that are not listed."""
    added: int
    """The vCons of all groups added up; one in two groups counts twice."""
    grouped: int
    """The vCons that are in any group."""


async def aggregate(
    connection: Connection, filters: Filters, groupings: Sequence[str], most: int, order: str
) -> Aggregate:
    """The first `most` groups in the order count, duration (both largest first) or key."""
    *rows, whole = await connection.fetch(
        *named(
            "select * from vcontract.aggregate_vcons(:spec::jsonb, :groupings::text[], :order::text, :most)",
            spec=dump_json(filters.conditions()).decode(),
            groupings=list(groupings),
            order=order,
            most=most,
        )
    )
    groups = [
        Group(
            tuple(row["keys"] or ()),
            tuple(row["labels"] or ()),
            *(row[name] for name in ("vcons", "parties", "timed", "seconds", "first", "last")),
        )
        for row in (*rows, whole)
    ]
    return Aggregate(groups[-1], groups[:-1], whole["groups"], whole["added"], whole["grouped"])


async def superseded_count(connection: Connection, conditions: JsonObject) -> int:
    """How many earlier and redacted versions meet conditions that leave them out."""
    if conditions.get("versions") != "latest":
        return 0
    count = await connection.fetchval(
        *named("select vcontract.superseded_count(:spec::jsonb)", spec=dump_json(conditions).decode())
    )
    return int(count)


@dataclass(frozen=True, slots=True)
class Span:
    """What the vCons of a period, or of several, have; of a tag `key` only how many have it."""

    key: str | None
    is_before: bool
    begins: datetime | None
    """None of several periods together."""
    vcons: int
    dialogs: int
    analyses: int
    attachments: int
    parties: int


async def trends(
    connection: Connection, filters: Filters, unit: str, periods: int, until: datetime
) -> tuple[list[Span], int]:
    """The last whole periods before `until`, as many before those, both as wholes, and their tag keys.

    Also how many versions in these periods are left out.
    """
    rows = await connection.fetch(
        *named(
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
        *named(
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
