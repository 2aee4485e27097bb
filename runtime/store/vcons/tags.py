"""Tags in the database: read and change a vCon's tags, and list those in use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vcons.tables import TAG, ConformanceDocument, as_json, tag_rows, vcon_query
from vcontract.runtime.store.vcons.webhooks import announce
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.tags import TAGS_PURPOSE, TagValue, carriers_of, tag_value
from vcontract.runtime.vcon.times import format_time

MAX_LISTED_VALUES: Final = 1_000
"""Maximum listed values of one key."""


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A tag key and its values as text, most used first, with the number of vCons for each."""

    key: str
    values: dict[str, int]
    distinct: int
    """Number of distinct values, including unlisted ones."""


class TagStore:
    """The tags of every tenant; each method works in the transaction of its connection."""

    def __init__(self, vcons: VconStore) -> None:
        self._vcons = vcons

    async def get(self, connection: Connection, tenant: str, uuid: UUID) -> dict[str, TagValue] | None:
        """Return the tags of a vCon, sorted by key; None if the vCon does not exist."""
        row = await connection.fetchrow(
            *named_query(
                """
                select (
                    select json_agg(json_build_array(key, value, type) order by key collate "C")
                    from vcontract.tag t where t.tenant = :tenant and t.vcon = v.uuid
                ) as tags
                from vcontract.vcon v where v.tenant = :tenant and v.uuid = :uuid
                """,
                tenant=tenant,
                uuid=uuid,
            ),
        )
        if row is None:
            return None
        tags: list[list[str]] = parse_json(row["tags"]) if row["tags"] is not None else []
        return {key: tag_value(value, type_) for key, value, type_ in tags}

    async def lock(self, connection: Connection, tenant: str, uuid: UUID) -> StoredVcon | None:
        """Return the vCon without its component arrays, locked until the transaction ends."""
        return await self._vcons.lock(connection, tenant, uuid, ())

    async def put(
        self,
        connection: Connection,
        tenant: str,
        before: StoredVcon,
        tags: Mapping[str, TagValue],
        now: datetime,
    ) -> None:
        """Replace the tags of a locked vCon. A signed vCon's own members do not change."""
        head = before.head if before.signed else {**before.head, "updated_at": format_time(now)}
        await connection.execute(
            *vcon_query(
                "put_tags",
                tenant=tenant,
                uuid=before.uuid,
                removed=list(before.tags.keys() - tags.keys()),
                now=now,
                head=as_json(head),
                conformance=as_json(
                    before.conformance if before.signed else _with_updated_at_set(before.conformance)
                ),
                carriers=carriers_of(await self._with_carriers(connection, tenant, before), tags),
                **TAG.parameters([(before.uuid, tag_rows(tags))]),
            )
        )
        await announce(connection, tenant, "vcon.changed", [before.uuid])

    async def in_use(
        self, connection: Connection, tenant: str, key_filter: str | None, min_count: int
    ) -> list[KeyInUse]:
        """Return each key that contains `key_filter`, ignoring case, with values in at least `min_count`
        vCons.
        """
        keys: Sequence[str] | None = None
        if key_filter is not None:
            wanted = fold(key_filter)
            keys = [key for key in await self.keys_in_use(connection, tenant) if wanted in fold(key)]
        rows = await connection.fetch(
            *query("unique_tags", keys=keys, min_count=min_count, most=MAX_LISTED_VALUES)
        )
        found: dict[str, KeyInUse] = {}
        for row in rows:
            there = found.setdefault(row["key"], KeyInUse(row["key"], {}, row["distinct_values"]))
            there.values[row["value"]] = row["vcons"]
        return list(found.values())

    async def keys_in_use(self, connection: Connection, tenant: str) -> list[str]:
        """Return every tag key, sorted."""
        return sorted(row["key"] for row in await connection.fetch(*query("tag_keys", tenant=tenant)))

    async def count_tagged(self, connection: Connection, tenant: str) -> int:
        """Count the vCons with any tag."""
        return int(
            await connection.fetchval(
                *named_query(
                    "select count(*) from (select distinct vcon from vcontract.tag"
                    " where tenant = :tenant) tagged",
                    tenant=tenant,
                ),
            )
        )

    async def _with_carriers(self, connection: Connection, tenant: str, vcon: StoredVcon) -> JsonObject:
        """Return the vCon with only the attachments that hold tags."""
        rows = await connection.fetch(
            *named_query(
                "select doc from vcontract.attachment where tenant = :tenant and vcon = :uuid"
                " and purpose = :purpose"
                " order by index",
                tenant=tenant,
                uuid=vcon.uuid,
                purpose=TAGS_PURPOSE,
            ),
        )
        return {**vcon.head, "attachments": [parse_json(row["doc"]) for row in rows]}


def _with_updated_at_set(conformance: ConformanceDocument) -> ConformanceDocument:
    """Remove findings about `updated_at`, which the server has now set."""
    kept = [found for found in conformance["violations"] if found["path"] != "$.updated_at"]
    count = conformance["violation_count"] - len(conformance["violations"]) + len(kept)
    return {**conformance, "valid": count == 0, "violations": kept, "violation_count": count}
