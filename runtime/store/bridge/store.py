"""Store, supersede and release bridge records with their links and tombstones."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from vcontract.runtime.store.bridge import index as bridge_index
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.ids import RecordType, type_of
from vcontract.runtime.store.bridge.records import Composed, Record
from vcontract.runtime.store.bridge.tables import load_records, put_record
from vcontract.runtime.store.embeddings import Vectors
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.idempotency import forget_answers
from vcontract.runtime.store.queries import named_query, query

Kind = TypeVar("Kind", bound=Record)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Marker of a released record. `cause_id` is the record whose release included it."""

    id: str
    type: RecordType
    released_at: datetime
    cause_id: str


@dataclass(frozen=True, slots=True)
class Released:
    """Result of a release: deleted IDs (the requested one first), unlinked ones, and reactivated ones."""

    gone: tuple[str, ...]
    unlinked: tuple[str, ...]
    restored: tuple[str, ...]


class BridgeStore:
    """Bridge records; each method works in the transaction of its connection, for the given tenant."""

    async def queue_up(self, connection: Connection, tenant: str) -> None:
        """Wait for other changes of the tenant's records, so that containing records are read and changed
        together.
        """
        await connection.execute(
            *named_query("select pg_advisory_xact_lock(hashtextextended(:lock, 0))", lock=f"bridge:{tenant}")
        )

    async def load(self, connection: Connection, tenant: str, ids: Collection[str]) -> dict[str, Record]:
        """Load the existing records with these IDs, in the order of the IDs."""
        return await load_records(connection, tenant, ids)

    async def lock(self, connection: Connection, tenant: str, id_: str) -> Record | None:
        """Lock a record until the transaction ends, and return it."""
        await connection.execute(
            *named_query(
                "select from vcontract.bridge_record where tenant = :tenant and id = :id for update",
                tenant=tenant,
                id=id_,
            )
        )
        return (await self.load(connection, tenant, [id_])).get(id_)

    async def put(
        self, connection: Connection, tenant: str, record: Kind, vectors: Vectors | None = None
    ) -> Kind:
        """Store a new or changed record with its derived facts and passages. Returns the stored record."""
        await put_record(connection, tenant, record)
        await self.refresh(connection, tenant, [record.id])
        stored = (await self.load(connection, tenant, [record.id]))[record.id]
        if not isinstance(stored, Composed) or stored.reframed_by is None:
            await bridge_index.put(connection, tenant, stored, vectors)
        return cast("Kind", stored)

    async def replace_excerpts(
        self, connection: Connection, tenant: str, source_id: str, before: str, after: str
    ) -> list[str]:
        """Find the excerpts of a changed source in its new content. Returns the moments that lost one."""
        rows = await connection.fetch(
            *named_query(
                "select holder, position, start_char, end_char from vcontract.bridge_link"
                " where tenant = :tenant and member = :source and start_char is not null"
                " order by holder, position",
                tenant=tenant,
                source=source_id,
            )
        )
        lengths = [row["end_char"] - row["start_char"] for row in rows]
        starts = [after.find(before[row["start_char"] : row["end_char"]]) for row in rows]
        await connection.execute(
            *query(
                "place_bridge_excerpts",
                tenant=tenant,
                holders=[row["holder"] for row in rows],
                positions=[row["position"] for row in rows],
                starts=[None if start < 0 else start for start in starts],
                ends=[
                    None if start < 0 else start + length
                    for start, length in zip(starts, lengths, strict=True)
                ],
            )
        )
        lost = (row["holder"] for row, start in zip(rows, starts, strict=True) if start < 0)
        return list(dict.fromkeys(lost))

    async def refresh(self, connection: Connection, tenant: str, ids: Sequence[str]) -> None:
        """Recompute what these moments and scenes, and all that contain them, derive from sources."""
        await connection.execute(*query("refresh_bridge", tenant=tenant, ids=ids))

    async def supersedable(
        self, connection: Connection, tenant: str, type_: RecordType, members: Collection[str]
    ) -> list[Composed]:
        """Return moments or scenes that may be superseded and contain some of `members`, oldest first.

        These are active, made by a model and not reviewed, and no active reviewed scene contains them.
        """
        rows = await connection.fetch(
            *query("supersedable_bridge_records", tenant=tenant, type=type_, held=list(members))
        )
        found = await self.load(connection, tenant, [row["id"] for row in rows])
        return [record for record in found.values() if isinstance(record, Composed)]

    async def supersede(self, connection: Connection, tenant: str, id_: str, successor: str) -> None:
        """Mark a record as superseded by another. It is no longer found."""
        await connection.execute(
            *named_query(
                "update vcontract.bridge_record set reframed_by = :successor"
                " where tenant = :tenant and id = :id",
                tenant=tenant,
                id=id_,
                successor=successor,
            )
        )
        await bridge_index.remove(connection, tenant, [id_])

    async def tombstones(
        self, connection: Connection, tenant: str, ids: Collection[str]
    ) -> dict[str, Tombstone]:
        """Return the tombstones of those IDs that were released."""
        rows = await connection.fetch(
            *named_query(
                "select id, type, released_at, cause_id from vcontract.bridge_tombstone"
                " where tenant = :tenant and id = any(:ids)",
                tenant=tenant,
                ids=list(ids),
            )
        )
        return {row["id"]: Tombstone(*row) for row in rows}

    async def release(self, connection: Connection, tenant: str, id_: str, now: datetime) -> Released:
        """Delete a locked record and all records that would be left without members, and write tombstones."""
        gone = [id_, *await links.orphaned_records(connection, tenant, [id_])]
        unlinked = await links.records_losing_links(connection, tenant, gone)
        restored = await self._restore(connection, tenant, gone)
        await bridge_index.remove(connection, tenant, gone)
        await connection.execute(*query("release_bridge_parts", tenant=tenant, gone=gone))
        await connection.execute(
            *query(
                "release_bridge_records",
                tenant=tenant,
                gone=gone,
                types=[type_of(other) for other in gone],
                now=now,
                cause=id_,
            )
        )
        await self.refresh(connection, tenant, unlinked)
        await forget_answers(connection, tenant, gone)
        return Released(tuple(gone), tuple(unlinked), restored)

    async def _restore(self, connection: Connection, tenant: str, gone: Sequence[str]) -> tuple[str, ...]:
        """Reactivate what these records had superseded, except records deleted too. Returns the IDs."""
        rows = await connection.fetch(
            *named_query(
                "update vcontract.bridge_record set reframed_by = null"
                " where tenant = :tenant and reframed_by = any(:gone) returning id",
                tenant=tenant,
                gone=gone,
            )
        )
        restored = sorted(row["id"] for row in rows if row["id"] not in gone)
        for record in (await self.load(connection, tenant, restored)).values():
            await bridge_index.put(connection, tenant, record)
        return tuple(restored)
