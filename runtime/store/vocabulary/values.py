"""Vocabulary: which tag keys, tag values and dealers a tenant has, and which are near a given one."""

from typing import Final, NotRequired, TypedDict

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.text.words import fold

MOST_NEAR: Final = 5
MOST_DEALERS: Final = 20
_COUNTED_TO: Final = 10_000


class KnownDealer(TypedDict):
    """A dealer, and how many vCons are of it."""

    id: str
    name: NotRequired[str]
    count: int


async def has_tag_key(connection: Connection, tenant: str, key: str) -> bool:
    return bool(
        await connection.fetchval(
            "select exists (select from vcontract.tag where tenant = $1 and key = $2)", tenant, key
        )
    )


async def has_tag(connection: Connection, tenant: str, key: str, value: str) -> bool:
    return bool(
        await connection.fetchval(
            "select exists (select from vcontract.tag where tenant = $1 and key = $2"
            " and left(value, 256) = left($3, 256) and value = $3)",
            tenant,
            key,
            value,
        )
    )


async def near_tag_keys(connection: Connection, tenant: str, key: str) -> list[JsonObject]:
    """Up to five keys that look like `key`, nearest first: `[{key, count}]`, counted in vCons to 10,000."""
    rows = await connection.fetch(
        # each step finds the next key by the index, so the cost is the number of keys, not of tags
        """
        with recursive keys (key) as (
            (select key from vcontract.tag where tenant = $1 order by key limit 1)
            union all
            select (
                select t.key from vcontract.tag t where t.tenant = $1 and t.key > k.key order by t.key limit 1
            )
            from keys k where k.key is not null
        ), near as (
            select key from keys where key is not null order by similarity(key, $2) desc, key limit $3
        )
        select key, (
            select count(*) from (
                select from vcontract.tag t where t.tenant = $1 and t.key = n.key limit $4
            ) counted
        ) as count
        from near n order by similarity(key, $2) desc, key
        """,
        tenant,
        key,
        MOST_NEAR,
        _COUNTED_TO,
    )
    return [dict(row) for row in rows]


async def near_tag_values(connection: Connection, tenant: str, key: str, value: str) -> list[JsonObject]:
    """Up to five values of `key` that look like `value`, nearest first: `[{value, count}]`."""
    rows = await connection.fetch(
        """
        select value, count(*) as count from (
            select value from vcontract.tag where tenant = $1 and key = $2 limit $5
        ) seen
        group by value order by similarity(value, $3) desc, count desc, value limit $4
        """,
        tenant,
        key,
        value,
        MOST_NEAR,
        _COUNTED_TO,
    )
    return [dict(row) for row in rows]


async def dealers_named(connection: Connection, tenant: str, name: str) -> list[KnownDealer]:
    """The dealers whose folded name contains `name`, most vCons first, at most 20."""
    rows = await connection.fetch(
        """
        select id, min(name) as name, count(*) as count from vcontract.dealer
        where tenant = $1 and name_folded like vcontract.containing($2)
        group by id order by count desc, id limit $3
        """,
        tenant,
        fold(name),
        MOST_DEALERS,
    )
    return [_dealer(row["id"], row["name"], row["count"]) for row in rows]


async def near_dealers(connection: Connection, tenant: str, text: str) -> list[JsonObject]:
    """Up to five dealers whose id or name looks like `text`, nearest first: `[{id, name?, count}]`."""
    rows = await connection.fetch(
        """
        select id, min(name) as name, count(*) as count from (
            select id, name, name_folded from vcontract.dealer where tenant = $1 limit $4
        ) seen
        group by id
        order by greatest(similarity(id, $2), similarity(max(name_folded), $2)) desc, count desc, id limit $3
        """,
        tenant,
        fold(text),
        MOST_NEAR,
        _COUNTED_TO,
    )
    return [{**_dealer(row["id"], row["name"], row["count"])} for row in rows]


async def has_dealer(connection: Connection, tenant: str, dealer_id: str) -> bool:
    return bool(
        await connection.fetchval(
            "select exists (select from vcontract.dealer where tenant = $1 and id = $2)", tenant, dealer_id
        )
    )


def _dealer(id_: str, name: str | None, count: int) -> KnownDealer:
    return {"id": id_, "count": count} if name is None else {"id": id_, "name": name, "count": count}
