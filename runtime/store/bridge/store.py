"""The store of lived experience: records with their memberships, superseding, release, tombstones."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from vcontract.runtime.store.bridge import index as bridge_index
from vcontract.runtime.store.bridge import records as bridge_records
from vcontract.runtime.store.bridge.records import TABLES, Composed, Excerpt, Moment, Record, Scene, by_type
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.ids import RecordType, type_of
from vcontract.runtime.store.postgres.requests import forget_answers
from vcontract.runtime.store.queries import query


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That a record was released; `cause_id` is the one whose release took it along."""

    id: str
    type: RecordType
    released_at: datetime
    cause_id: str


@dataclass(frozen=True, slots=True)
class Released:
    """What a release has done: ids gone (the one asked for first), without a link now, and active again."""

    gone: tuple[str, ...]
    unlinked: tuple[str, ...]
    restored: tuple[str, ...]


class BridgeStore:
    """Each method works within the transaction of its connection, on the tenant that it is given."""

    async def queue_up(self, connection: Connection, tenant: str) -> None:
        """Wait for other changes of the tenant's records: what holds what is looked at and changed as one."""
        await connection.execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", f"bridge:{tenant}")

    async def load(self, connection: Connection, tenant: str, ids: Collection[str]) -> dict[str, Record]:
        """The records of these ids that are there, by id, in the order of the ids."""
        return await bridge_records.load(connection, tenant, ids)

    async def lock(self, connection: Connection, tenant: str, id_: str) -> Record | None:
        """The record, its row locked until the transaction ends."""
        type_ = type_of(id_)
        if type_ is None:
            return None
        await connection.execute(
            f"select from vcontract.{TABLES[type_]} where tenant = $1 and id = $2 for update",
            tenant,
            id_,
        )
        return (await self.load(connection, tenant, [id_])).get(id_)

    async def add(self, connection: Connection, tenant: str, record: Record) -> Record:
        """Store a new record, inherited facts and passages with it; the record as it then is."""
        await bridge_records.insert(connection, tenant, record)
        if isinstance(record, Composed):
            await self.refresh(connection, tenant, [record.id])
            record = (await self.load(connection, tenant, [record.id]))[record.id]
        await bridge_index.put(connection, tenant, record)
        return record

    async def change(self, connection: Connection, tenant: str, record: Record) -> Record:
        """Give a locked record the members of `record`; the record as it then is."""
        await bridge_records.update(connection, tenant, record)
        if isinstance(record, Composed):
            await self.refresh(connection, tenant, [record.id])
        else:
            await self.refresh(connection, tenant, await self.moments_of(connection, tenant, record.id))
        record = (await self.load(connection, tenant, [record.id]))[record.id]
        if not isinstance(record, Composed) or record.reframed_by is None:
            await bridge_index.put(connection, tenant, record)
        return record

    async def replace_excerpts(
        self, connection: Connection, tenant: str, source_id: str, before: str, after: str
    ) -> list[str]:
        """Look for the excerpts of a changed source in its new content; the moments that lost one."""
        moved: list[Excerpt] = []
        for excerpt in await bridge_records.excerpts(connection, tenant, source_id):
            text = before[excerpt.start : excerpt.end]
            start = after.find(text)
            moved.append(
                replace(excerpt, start=None, end=None)
                if start < 0
                else replace(excerpt, start=start, end=start + len(text))
            )
        await bridge_records.place_excerpts(connection, tenant, moved)
        return list(dict.fromkeys(each.moment_id for each in moved if each.start is None))

    async def refresh(self, connection: Connection, tenant: str, ids: Iterable[str]) -> None:
        """Recompute what these moments and scenes, and all scenes above them, inherit from sources."""
        grouped = by_type(ids)
        await connection.execute(
            *query("refresh_bridge", tenant=tenant, moments=grouped["moment"], scenes=grouped["scene"])
        )

    async def moments_of(self, connection: Connection, tenant: str, source_id: str) -> list[str]:
        """The moments that frame a source, oldest first."""
        rows = await connection.fetch(
            "select distinct moment_id from vcontract.bridge_moment_source"
            " where tenant = $1 and source_id = $2 order by moment_id",
            tenant,
            source_id,
        )
        return [row["moment_id"] for row in rows]

    async def reflects_through(self, connection: Connection, tenant: str, ids: Collection[str]) -> set[str]:
        """All sources that these reflect on, directly or through others, and these themselves."""
        rows = await connection.fetch(
            "with recursive reached as ("
            ' select unnest($2::text[]) collate "C" as id'
            " union select r.reflects_on from reached f"
            " join vcontract.bridge_reflection r on r.tenant = $1 and r.source_id = f.id"
            ") select id from reached",
            tenant,
            list(ids),
        )
        return {row["id"] for row in rows}

    async def supersedable(
        self, connection: Connection, tenant: str, type_: RecordType, members: Collection[str]
    ) -> list[Moment | Scene]:
        """Moments or scenes that may be superseded and hold some of `members`, oldest first.

        Those are active, made by a model and not reviewed, and no active reviewed scene holds them.
        """
        rows = await connection.fetch(
            *query(f"supersedable_{TABLES[type_]}", tenant=tenant, held=list(members))
        )
        found = await self.load(connection, tenant, [row["id"] for row in rows])
        return [record for record in found.values() if isinstance(record, Moment | Scene)]

    async def supersede(self, connection: Connection, tenant: str, id_: str, successor: str) -> None:
        """Put a record behind the one that stands in its place: it is not found any more."""
        await connection.execute(
            f"update vcontract.{_table(id_)} set reframed_by = $3 where tenant = $1 and id = $2",  # noqa: S608
            tenant,
            id_,
            successor,
        )
        await bridge_index.remove(connection, tenant, [id_])

    async def tombstones(
        self, connection: Connection, tenant: str, ids: Collection[str]
    ) -> dict[str, Tombstone]:
        """Those of these ids whose records were released."""
        rows = await connection.fetch(
            "select id, type, released_at, cause_id from vcontract.bridge_tombstone"
            " where tenant = $1 and id = any($2)",
            tenant,
            list(ids),
        )
        return {row["id"]: Tombstone(*row) for row in rows}

    async def release(self, connection: Connection, tenant: str, id_: str, now: datetime) -> Released:
        """Delete a locked record with what cannot stand without it, and leave tombstones."""
        gone = [id_]
        while bereft := [
            row["id"] for row in await connection.fetch(*query("bridge_bereft", tenant=tenant, gone=gone))
        ]:
            gone += bereft
        rows = await connection.fetch(*query("bridge_unlinked", tenant=tenant, gone=gone))
        unlinked = tuple(row["id"] for row in rows)
        restored = await self._restore(connection, tenant, gone)
        await bridge_index.remove(connection, tenant, gone)
        for statement in _DELETIONS:
            await connection.execute(statement, tenant, gone)
        await connection.executemany(
            "insert into vcontract.bridge_tombstone (tenant, id, type, released_at, cause_id)"
            " values ($1, $2, $3, $4, $5)",
            [(tenant, other, type_of(other), now, id_) for other in gone],
        )
        await self.refresh(connection, tenant, unlinked)
        await forget_answers(connection, tenant, gone)
        return Released(tuple(gone), unlinked, restored)

    async def _restore(self, connection: Connection, tenant: str, gone: Sequence[str]) -> tuple[str, ...]:
        """Let what these had superseded be active and found again; the ids, but for those that go too."""
        restored: list[str] = []
        for type_ in ("moment", "scene"):
            rows = await connection.fetch(
                f"update vcontract.{TABLES[type_]} set reframed_by = null"  # noqa: S608
                " where tenant = $1 and reframed_by = any($2) returning id",
                tenant,
                gone,
            )
            restored += sorted(row["id"] for row in rows if row["id"] not in gone)
        for record in (await self.load(connection, tenant, restored)).values():
            await bridge_index.put(connection, tenant, record)
        return tuple(restored)


def _table(id_: str) -> str:
    type_ = type_of(id_)
    if type_ is None:
        raise ValueError(f"{id_!r} is no id of a record")
    return TABLES[type_]


_DELETIONS: Final = (
    "delete from vcontract.bridge_scene_member"
    " where tenant = $1 and (scene_id = any($2) or moment_id = any($2) or child_scene_id = any($2))",
    "delete from vcontract.bridge_moment_source"
    " where tenant = $1 and (moment_id = any($2) or source_id = any($2))",
    "delete from vcontract.bridge_quality where tenant = $1 and moment_id = any($2)",
    "delete from vcontract.bridge_reflection"
    " where tenant = $1 and (source_id = any($2) or reflects_on = any($2))",
    "delete from vcontract.bridge_scene where tenant = $1 and id = any($2)",
    "delete from vcontract.bridge_moment where tenant = $1 and id = any($2)",
    "delete from vcontract.bridge_source where tenant = $1 and id = any($2)",
)
