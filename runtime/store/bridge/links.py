"""Follow the links between bridge records."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query

MAX_RELATED: Final = 10_000


async def moments_of(connection: Connection, tenant: str, source_ids: Collection[str]) -> list[str]:
    """Return the moments that frame any of these sources, oldest first."""
    return await _ids(
        connection,
        named_query(
            "select distinct holder as id from vcontract.bridge_link"
            " where tenant = :tenant and member = any(:sources) and kind = 'frames' order by id",
            tenant=tenant,
            sources=list(source_ids),
        ),
    )


async def reflections_of(connection: Connection, tenant: str, source_id: str) -> list[str]:
    """Return the source and every source that reflects on it, directly or indirectly, nearest first."""
    found = [source_id]
    frontier = [source_id]
    while frontier:
        frontier = await _ids(
            connection,
            named_query(
                "select distinct holder as id from vcontract.bridge_link"
                " where tenant = :tenant and member = any(:frontier) and kind = 'reflects on'"
                " and holder <> all(:found) order by id",
                tenant=tenant,
                frontier=frontier,
                found=found,
            ),
        )
        found += frontier
    return found


async def below(connection: Connection, tenant: str, ids: Collection[str]) -> set[str]:
    """Return these records and everything they contain or reflect on, directly or indirectly."""
    statement = named_query(
        "with recursive reached as ("
        ' select unnest(:ids::text[]) collate "C" as id'
        " union select l.member from reached r"
        " join vcontract.bridge_link l on l.tenant = :tenant and l.holder = r.id"
        ") select id from reached",
        tenant=tenant,
        ids=list(ids),
    )
    return set(await _ids(connection, statement))


async def above(connection: Connection, tenant: str, id_: str) -> list[str]:
    """Return a record and all moments and scenes that contain it, directly or indirectly."""
    statement = named_query(
        "with recursive reached as ("
        ' select :id::text collate "C" as id'
        " union select l.holder from reached r join vcontract.bridge_link l"
        " on l.tenant = :tenant and l.member = r.id and l.kind <> 'reflects on'"
        ") select id from reached",
        tenant=tenant,
        id=id_,
    )
    return await _ids(connection, statement)


async def unwoven_moments(connection: Connection, tenant: str) -> list[str]:
    """Return the active moments in no active scene, by event time, oldest first."""
    return await _ids(
        connection,
        named_query(
            "select m.id from vcontract.bridge_record m"
            " where m.tenant = :tenant and m.type = 'moment' and m.reframed_by is null and (m.id in ("
            "  select l.member from vcontract.bridge_link l join vcontract.bridge_record s"
            "  on s.tenant = :tenant and s.id = l.holder and s.reframed_by is null"
            "  where l.tenant = :tenant and l.kind = 'weaves'"
            # collect woven moments once, like framed records in functions/bridge.sql
            " )) is not true order by coalesce(m.when_start, m.created), m.id",
            tenant=tenant,
        ),
    )


async def height_of(connection: Connection, tenant: str, scene_ids: Sequence[str]) -> int:
    """Maximum number of scene levels of these scenes, including the scene itself; 0 for none."""
    height = await connection.fetchval(
        *named_query(
            "with recursive below as ("
            ' select unnest(:scenes::text[]) collate "C" as id, 1 as level'
            " union select l.member, b.level + 1 from below b"
            " join vcontract.bridge_link l on l.tenant = :tenant and l.holder = b.id"
            " where starts_with(l.member, 'sce_') and b.level < 100"
            ") select coalesce(max(level), 0) from below",
            tenant=tenant,
            scenes=list(scene_ids),
        )
    )
    return int(height)


async def related(connection: Connection, tenant: str, start: str) -> tuple[dict[str, int], bool]:
    """Return every linked record with its distance, the nearest 10,000, and whether there are more.

    Links are followed in both directions. Superseded records are not crossed, except at the start.
    """
    distances = {start: 0}
    frontier: Collection[str] = [start]
    while frontier:
        near = await _ids(connection, query("bridge_neighbours", tenant=tenant, ids=list(frontier)))
        distance = distances[next(iter(frontier))] + 1
        new = [id_ for id_ in near if id_ not in distances]
        for id_ in new:
            if len(distances) >= MAX_RELATED:
                return distances, True
            distances[id_] = distance
        frontier = new
    return distances, False


async def containers(connection: Connection, tenant: str, ids: Iterable[str]) -> dict[str, str]:
    """Return for each record, including those above them, the active record created first that contains
    it.
    """
    parents: dict[str, str] = {}
    frontier: Sequence[str] = list(ids)
    while frontier:
        rows = await connection.fetch(*query("bridge_containers", tenant=tenant, ids=frontier))
        new = {row["id"]: row["container"] for row in rows if row["id"] not in parents}
        parents |= new
        frontier = sorted(set(new.values()))
    return parents


async def orphaned_records(connection: Connection, tenant: str, gone: Sequence[str]) -> list[str]:
    """Return records that lose all their members with these, and so on upward."""
    left: list[str] = []
    while more := await _ids(
        connection, query("bridge_orphaned_records", tenant=tenant, gone=[*gone, *left])
    ):
        left += more
    return left


async def records_losing_links(connection: Connection, tenant: str, gone: Sequence[str]) -> list[str]:
    """Return the remaining records with a link to or from these."""
    return await _ids(connection, query("bridge_unlinked", tenant=tenant, gone=gone))


async def _ids(connection: Connection, statement: tuple[str, *tuple[object, ...]]) -> list[str]:
    return [row["id"] for row in await connection.fetch(*statement)]
