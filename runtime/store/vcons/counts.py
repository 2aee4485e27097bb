"""Counts: in how many vCons of a tenant something is, exact at any moment.

Every write notes the differences that it makes, in its own transaction. They are folded into the counts now
and then; a reader adds what is not folded yet.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias
from uuid import UUID

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Connection, Database
from vcontract.runtime.store.queries import named, query

About: TypeAlias = Literal[
    "vcon",
    "analysis",
    "attachment",
    "dialog",
    "role",
    "extension",
    "tag",
    "field",
    "vendor",
    "value_type",
    "distinct_values",
]

MAX_LISTED_VALUE_LENGTH: Final = 255
"""Characters of a tag value that is counted by itself; longer ones are counted by their digest."""

_FOLDED_AT_ONCE: Final = 20_000
_MANY: Final = 100
"""New vCons of one import from which on settling them is worth its time."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many vCons have something. `detail` is the vendor of an analysis type, the type of a tag value."""

    name: str
    detail: str
    vcons: int


async def count(
    connection: Connection, tenant: str, *abouts: About, without: Sequence[UUID] = ()
) -> dict[About, list[Count]]:
    """The counts of each kind, the greatest first. `distinct_values` counts the values of a tag key.

    `without` are vCons that do not count, but for `distinct_values`.
    """
    counts: dict[About, list[Count]] = {about: [] for about in abouts}
    less: Counter[tuple[str, str, str]] = Counter()
    if without:
        rows = await connection.fetch("select * from vcontract.vocabulary_of($1, $2)", tenant, without)
        less.update({(about, name, detail): vcons for about, name, detail, vcons in rows})
    for about, name, detail, vcons in await connection.fetch(
        *query("vocabulary", tenant=tenant, abouts=abouts)
    ):
        left = vcons - less[about, name, detail]
        if left > 0:
            counts[about].append(Count(name, detail, left))
    return counts


async def most_used_values(
    connection: Connection, tenant: str, most: Mapping[str, int]
) -> dict[str, list[Count]]:
    """Of each tag key in `most`, at most this many values, the most used first; a value is a count's name."""
    rows = await connection.fetch(
        *query("most_used_values", tenant=tenant, keys=list(most), most=list(most.values()))
    )
    values: dict[str, list[Count]] = {key: [] for key in most}
    for row in rows:
        values[row["name"]].append(Count(row["value"], "", row["vcons"]))
    return values


async def counts_of_values(
    connection: Connection, tenant: str, key: str, values: Sequence[str]
) -> list[Count]:
    """In how many vCons the tag key has each of these values, in their order."""
    rows = await connection.fetch(*query("counts_of_values", tenant=tenant, key=key, values=list(values)))
    found = {row["value"]: row["vcons"] for row in rows}
    return [Count(value, "", found[value]) for value in values]


async def feature_sets(
    connection: Connection, tenant: str, most: int, without: Sequence[UUID] = ()
) -> list[tuple[list[str], int]]:
    """What vCons have together and how many have it, of at most `most` vCons, the same ones each time."""
    rows = await connection.fetch(*query("feature_sets", tenant=tenant, most=most, without=without))
    return [(row["features"], row["vcons"]) for row in rows]


async def stored_by(connection: Connection) -> tuple[int, int]:
    """How many vCons and bytes the tenant has, as for its quota, without what consent withholds."""
    rows = await connection.fetch("select about, vcons from vcontract.counted('{vcon,bytes}', null)")
    counts = {row["about"]: row["vcons"] for row in rows}
    return counts.get("vcon", 0), counts.get("bytes", 0)


async def fold(database: Database) -> bool:
    """Bring noted differences of all tenants, many at once, into the counts; whether there may be more."""
    async with database.writing(DEPLOYMENT) as connection:
        folded = await connection.fetchval(
            *named("select vcontract.fold_vocabulary(:folded_at_once)", folded_at_once=_FOLDED_AT_ONCE)
        )
    return int(folded) == _FOLDED_AT_ONCE


async def fold_all(database: Database) -> None:
    """Fold until little is left."""
    while await fold(database):
        pass


class Settled(Protocol):
    """A store whose planner can be informed of what came in."""

    async def settle_early(self, tenant: str, /) -> None: ...

    async def settle(self, tenant: str, /) -> None: ...


class Settling:
    """Has the planner know of what an import brings in, once that is worth its time."""

    def __init__(self, store: Settled | None, tenant: str) -> None:
        self._store = store
        self._tenant = tenant
        self._is_due = False

    async def note(self, stored: int) -> None:
        """This many were stored so far."""
        if self._store is not None and not self._is_due and stored >= _MANY:
            self._is_due = True
            await self._store.settle_early(self._tenant)

    async def end(self) -> None:
        """All are stored."""
        if self._store is not None and self._is_due:
            await self._store.settle(self._tenant)
