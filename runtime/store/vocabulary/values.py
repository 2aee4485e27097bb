"""Tag keys, tag values and dealers of a tenant, and suggestions for unknown ones."""

from typing import Final, Literal, NotRequired, TypedDict
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.text.words import fold

MAX_SUGGESTIONS: Final = 5
MAX_DEALERS: Final = 20
_COUNTED_TO: Final = 10_000
_MIN_SIMILARITY: Final = 0.3
"""Minimum trigram similarity of a suggestion."""


class KnownDealer(TypedDict):
    """A dealer and its number of vCons."""

    id: str
    name: NotRequired[str]
    count: int


async def has_vcon(connection: Connection, tenant: str, uuid: UUID) -> bool:
    return bool(
        await connection.fetchval(
            *named_query(
                "select exists (select from vcontract.vcon where tenant = :tenant and uuid = :uuid)",
                tenant=tenant,
                uuid=uuid,
            )
        )
    )


async def has_tag_key(connection: Connection, tenant: str, key: str) -> bool:
    return bool(
        await connection.fetchval(
            *named_query(
                "select exists (select from vcontract.tag where tenant = :tenant and key = :key)",
                tenant=tenant,
                key=key,
            )
        )
    )


async def has_tag(connection: Connection, tenant: str, key: str, value: str) -> bool:
    return bool(
        await connection.fetchval(
            *named_query(
                "select exists (select from vcontract.tag where tenant = :tenant and key = :key"
                " and left(value, 256) = left(:value, 256) and value = :value)",
                tenant=tenant,
                key=key,
                value=value,
            ),
        )
    )


async def near_tag_keys(connection: Connection, tenant: str, key: str) -> list[JsonObject]:
    """Return up to five keys similar to `key`, most similar first: `[{key, count}]`, counted to 10,000."""
    rows = await connection.fetch(
        # each step finds the next key in the index, so the cost depends on keys, not tags
        *named_query(
            """
            with recursive keys (key) as (
                (select key from vcontract.tag where tenant = :tenant order by key limit 1)
                union all
                select (
                    select t.key from vcontract.tag t where t.tenant = :tenant and t.key > k.key
                    order by t.key limit 1
                )
                from keys k where k.key is not null
            ), near as (
                select key from keys where key is not null order by similarity(key, :key) desc, key
                limit :most
            )
            select key, (
                select count(*) from (
                    select from vcontract.tag t where t.tenant = :tenant and t.key = n.key limit :limit
                ) counted
            ) as count
            from near n order by similarity(key, :key) desc, key
            """,
            tenant=tenant,
            key=key,
            most=MAX_SUGGESTIONS,
            limit=_COUNTED_TO,
        ),
    )
    return [dict(row) for row in rows]


async def near_tag_values(connection: Connection, tenant: str, key: str, value: str) -> list[JsonObject]:
    """Return up to five values of `key` similar to `value`, most similar first: `[{value, count}]`."""
    rows = await connection.fetch(
        *named_query(
            """
            select value, count(*) as count from (
                select value from vcontract.tag where tenant = :tenant and key = :key limit :limit
            ) seen
            group by value order by similarity(value, :value) desc, count desc, value limit :most
            """,
            tenant=tenant,
            key=key,
            value=value,
            most=MAX_SUGGESTIONS,
            limit=_COUNTED_TO,
        ),
    )
    return [dict(row) for row in rows]


async def near_values(connection: Connection, tenant: str, filter_: str, text: str) -> list[JsonObject]:
    """Return up to five subjects, names, addresses or numbers similar to `text`: `[{value, count}]`.

    Most similar first, from 10,000 rows. `text` is folded, or digits.
    """
    rows = await connection.fetch(
        *named_query(
            """
            select min(left(written, 200)) as value, count(*) as count from (
                (
                    select subject_folded as compared, head ->> 'subject' as written
                    from vcontract.vcon where :filter = 'subject' and tenant = :tenant limit :limit
                )
                union all
                (
                    select
                        case :filter
                            when 'party_name' then name_folded
                            when 'party_email' then email_folded
                            else tel_digits
                        end,
                        doc ->> case :filter
                            when 'party_name' then 'name'
                            when 'party_email' then 'mailto'
                            else 'tel'
                        end
                    from vcontract.party where :filter <> 'subject' and tenant = :tenant limit :limit
                )
            ) seen
            where greatest(similarity(compared, :text), word_similarity(:text, compared)) >= :least
            group by compared
            order by similarity(compared, :text) + word_similarity(:text, compared) desc, count desc, compared
            limit :most
            """,
            filter=filter_,
            tenant=tenant,
            text=text,
            least=_MIN_SIMILARITY,
            most=MAX_SUGGESTIONS,
            limit=_COUNTED_TO,
        ),
    )
    return [dict(row) for row in rows]


async def dealers_named(connection: Connection, tenant: str, name: str) -> list[KnownDealer]:
    """Return up to 20 dealers whose folded name contains `name`, most vCons first.

    A dealer with several such names occurs once for each, with the vCons under that name.
    """
    rows = await connection.fetch(
        *named_query(
            """
            select id, name, count(*) as count from vcontract.dealer
            where tenant = :tenant and name_folded like vcontract.containing(:name)
            group by id, name order by count desc, id, name limit :most
            """,
            tenant=tenant,
            name=fold(name),
            most=MAX_DEALERS,
        ),
    )
    return [_dealer(row["id"], row["name"], row["count"]) for row in rows]


async def near_dealers(
    connection: Connection, tenant: str, text: str, *, by: Literal["id", "name"]
) -> list[JsonObject]:
    """Return up to five dealers with a similar ID or name, most similar first: `[{id, name?, count}]`.

    By name, a dealer occurs once for each of its names; by ID, with all its names.
    """
    rows = await connection.fetch(
        *named_query(
            """
            select id, vcontract.names_and_counts(array_agg(name), array_agg(n)) as name,
                sum(n)::bigint as count
            from (
                select id, name, case when :by = 'id' then id else name_folded end as compared, count(*) as n
                from (
                    select id, name, name_folded from vcontract.dealer
                    where tenant = :tenant and (:by = 'id' or name <> '') limit :limit
                ) seen
                group by 1, 2, 3
            ) named
            group by id, compared
            order by similarity(compared, :text) + word_similarity(:text, compared) desc, count desc, id
            limit :most
            """,
            by=by,
            tenant=tenant,
            text=fold(text),
            most=MAX_SUGGESTIONS,
            limit=_COUNTED_TO,
        ),
    )
    return [{**_dealer(row["id"], row["name"], row["count"])} for row in rows]


async def has_dealer(connection: Connection, tenant: str, dealer_id: str) -> bool:
    return bool(
        await connection.fetchval(
            *named_query(
                "select exists (select from vcontract.dealer where tenant = :tenant and id = :dealer_id)",
                tenant=tenant,
                dealer_id=dealer_id,
            )
        )
    )


def _dealer(id_: str, name: str | None, count: int) -> KnownDealer:
    return {"id": id_, "count": count} if name is None else {"id": id_, "name": name, "count": count}
