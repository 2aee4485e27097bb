"""Exact counts of vCons by feature, tag and value, maintained on every write.

Each write records its differences in its own transaction. They are folded into the counts periodically;
readers add what is not folded yet.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Connection, Database
from vcontract.runtime.store.queries import named_query, query

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
"""Maximum length of a tag value with its own count; longer ones are counted by digest."""

_FOLDED_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Count:
    """Number of vCons with a feature. `detail` is the vendor of an analysis type, or the type of a tag
    value.
    """

    name: str
    detail: str
    vcons: int


async def count(
    connection: Connection, tenant: str, *abouts: About, without: Sequence[UUID] = ()
) -> dict[About, list[Count]]:
    """Return the counts of each kind, largest first. `distinct_values` counts the values of a tag key.

    vCons in `without` are not counted, except for `distinct_values`.
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
    """Return the most used values of each tag key, up to the number in `most`. A count's name is the
    value.
    """
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
    """Return the number of vCons with each of these values of a tag key, in order."""
    rows = await connection.fetch(*query("counts_of_values", tenant=tenant, key=key, values=list(values)))
    found = {row["value"]: row["vcons"] for row in rows}
    return [Count(value, "", found[value]) for value in values]


async def feature_sets(
    connection: Connection, tenant: str, most: int, without: Sequence[UUID] = ()
) -> list[tuple[list[str], int]]:
    """Return combinations of features and the number of vCons with each, from a stable sample of `most`
    vCons.
    """
    rows = await connection.fetch(*query("feature_sets", tenant=tenant, most=most, without=without))
    return [(row["features"], row["vcons"]) for row in rows]


async def stored_by(connection: Connection) -> tuple[int, int]:
    """Number of vCons and bytes of the tenant, as for its quota, without what consent hides."""
    rows = await connection.fetch("select about, vcons from vcontract.counted('{vcon,bytes}', null)")
    counts = {row["about"]: row["vcons"] for row in rows}
    return counts.get("vcon", 0), counts.get("bytes", 0)


async def fold(database: Database) -> bool:
    """Fold recorded differences of all tenants in one batch. Returns whether there may be more."""
    async with database.writing(DEPLOYMENT) as connection:
        folded = await connection.fetchval(
            *named_query("select vcontract.fold_vocabulary(:folded_at_once)", folded_at_once=_FOLDED_AT_ONCE)
        )
    return int(folded) == _FOLDED_AT_ONCE


async def fold_all(database: Database) -> None:
    """Fold until little is left."""
    while await fold(database):
        pass
