"""Find damaged pages of the embedded cluster by their checksums."""

import asyncio
import contextlib
import re

import asyncpg

from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.installation import environment, find_installation
from vcontract.runtime.store.queries import named_query

# A base backup reads every file from disk, bypassing caches, and checks each page. Its output is discarded.
# amcheck would skip the GIN and vector indexes.
_READ_ALL = ("-D", "-", "-Ft", "-X", "none", "--no-manifest", "--no-sync", "--checkpoint=fast")
_DAMAGED = re.compile(
    r'checksum verification failed in file "\./(?P<file>(?P<folder>[^"]+)/(?P<node>\d+)[^"/]*)"'
)
_NAMES = """
select node, case
    when keeper.oid is not null then format('table %s', keeper.oid::regclass)
    when index.indrelid is not null
        then format('index %s of table %s', file.oid::regclass, index.indrelid::regclass)
    else format('table %s', file.oid::regclass)
end as name
from unnest(:nodes::oid[]) as node
join pg_class file on file.oid = pg_filenode_relation(0, node)
left join pg_index index on index.indexrelid = file.oid
-- long values lie in a table of their own, which nobody knows by its name
left join pg_class keeper on keeper.reltoastrelid = coalesce(index.indrelid, file.oid)
"""


class PagesUnread(Exception):
    """The files could not be read completely; the message says why."""


async def find_damage(cluster: EmbeddedCluster) -> list[str]:
    """Return the tables and indexes with a damaged page, or file names where there is no name.

    The cluster must be held. Raises: PagesUnread.
    """
    said, status = await _read_all(cluster)
    files = {match["file"]: (match["folder"], int(match["node"])) for match in _DAMAGED.finditer(said)}
    if status != 0 and not files:
        raise PagesUnread(said.strip() or f"pg_basebackup ended with status {status}")
    names: dict[tuple[str, int], str] = {}
    if files:
        with contextlib.suppress(asyncpg.PostgresError):  # the catalog itself may be damaged
            names = await _names(cluster, {node for _, node in files.values()})
    return sorted({names.get(place, f"file {file}") for file, place in files.items()})


async def _read_all(cluster: EmbeddedCluster) -> tuple[str, int]:
    """Read all files. Returns PostgreSQL's messages and the exit code."""
    reading = await asyncio.create_subprocess_exec(
        *(find_installation().program("pg_basebackup"), "-d", cluster.url("postgres"), *_READ_ALL),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**environment(), "LC_ALL": "C"},
    )
    try:
        _, said = await reading.communicate()
    except BaseException:
        reading.kill()
        await reading.wait()
        raise
    return said.decode("utf-8", "replace"), reading.returncode or 0


async def _names(cluster: EmbeddedCluster, nodes: set[int]) -> dict[tuple[str, int], str]:
    connection = await asyncpg.connect(cluster.url())
    try:
        folder = await connection.fetchval(
            "select 'base/' || oid from pg_database where datname = current_database()"
        )
        return {
            (folder, row["node"]): row["name"]
            for row in await connection.fetch(*named_query(_NAMES, nodes=list(nodes)))
        }
    finally:
        await connection.close()
