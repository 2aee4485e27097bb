"""Usage statistics of the database from PostgreSQL's views."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, savepoint
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.vcon.times import format_time

QUERIES_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class StatisticsParts:
    """Which parts to report; `table` restricts them to one table."""

    queries: bool = True
    indexes: bool = True
    cache: bool = True
    table: str | None = None


async def table_names(connection: Connection) -> list[str]:
    """Return the tables of the schema `vcontract`."""
    rows = await connection.fetch(_NAMES)
    return [row["name"] for row in rows]


async def database_statistics(connection: Connection, parts: StatisticsParts) -> JsonObject:
    """Return counts since `stats_reset` (absent if never reset), with the requested parts."""
    statistics: JsonObject = {}
    since = await connection.fetchval(_STATS_RESET)
    if since is not None:
        statistics["stats_reset"] = format_time(since)
    if parts.cache:
        statistics["cache_stats"] = await _cache(connection, parts.table)
    if parts.queries:
        statistics["table_stats"] = await _rows(connection, _TABLE_STATS, parts.table)
        statistics |= await _queries(connection)
    if parts.indexes:
        statistics["index_usage"] = await _rows(connection, _INDEX_USAGE, parts.table)
        statistics["unused_indexes"] = await _rows(connection, _UNUSED_INDEXES, parts.table)
    return statistics


async def _cache(connection: Connection, table: str | None) -> JsonObject:
    ((hit, read),) = await connection.fetch(*named_query(_CACHE, table=table))
    return {
        "hit_ratio": f"{100 * hit / (hit + read):.2f}%" if hit + read else "n/a",
        "heap_blocks_hit": hit,
        "heap_blocks_read": read,
    }


async def _queries(connection: Connection) -> JsonObject:
    """Return `query_stats`, most expensive first, or a note that pg_stat_statements is missing."""
    schema = await connection.fetchval(_STATEMENTS_SCHEMA)
    if schema is None:
        return {"query_stats_available": False}
    try:
        async with savepoint(connection):
            # a schema name cannot be a parameter; the server quoted it
            rows = await connection.fetch(
                *named_query(_QUERY_STATS.format(schema=schema), most=QUERIES_LISTED)
            )
    except (asyncpg.ObjectNotInPrerequisiteStateError, asyncpg.InsufficientPrivilegeError):
        # installed but not loaded, or not accessible
        return {"query_stats_available": False}
    return {"query_stats_available": True, "query_stats": [dict(row) for row in rows]}


async def _rows(connection: Connection, query: str, table: str | None) -> list[JsonObject]:
    return [dict(row) for row in await connection.fetch(*named_query(query, table=table))]


_NAMES: Final = """
select c.relname as name
from pg_class c
where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p')
order by c.relname
"""

_STATS_RESET: Final = "select stats_reset from pg_stat_database where datname = current_database()"

_CACHE: Final = """
select coalesce(sum(heap_blks_hit), 0)::bigint, coalesce(sum(heap_blks_read), 0)::bigint
from pg_statio_all_tables
where schemaname = 'vcontract' and (:table::text is null or relname = :table)
"""

_TABLE_STATS: Final = """
select relname as table_name, seq_scan as sequential_scans, coalesce(idx_scan, 0) as index_scans,
    n_tup_ins as inserts, n_tup_upd as updates, n_tup_del as deletes, n_live_tup as live_rows,
    n_dead_tup as dead_rows
from pg_stat_all_tables
where schemaname = 'vcontract' and (:table::text is null or relname = :table)
order by relname
"""

_INDEX_USAGE: Final = """
select relname as table_name, indexrelname as index_name, idx_scan as scans, idx_tup_read as rows_read
from pg_stat_all_indexes
where schemaname = 'vcontract' and (:table::text is null or relname = :table)
order by relname, indexrelname
"""

_UNUSED_INDEXES: Final = """
select s.relname as table_name, s.indexrelname as index_name,
    pg_size_pretty(pg_relation_size(s.indexrelid)) as index_size,
    pg_relation_size(s.indexrelid) as index_size_bytes
from pg_stat_all_indexes s
join pg_index i on i.indexrelid = s.indexrelid
where s.schemaname = 'vcontract' and (:table::text is null or s.relname = :table)
    and s.idx_scan = 0 and not i.indisunique and not i.indisprimary
order by pg_relation_size(s.indexrelid) desc, s.relname, s.indexrelname
"""

_STATEMENTS_SCHEMA: Final = """
select quote_ident(n.nspname)
from pg_extension e
join pg_namespace n on n.oid = e.extnamespace
where e.extname = 'pg_stat_statements'
"""

# Only statements on our tables: those that open a transaction contain the tenant's name.
_QUERY_STATS: Final = """
select left(query, 2000) as query, calls, rows, round(total_exec_time::numeric, 3)::float8 as total_ms,
    round(mean_exec_time::numeric, 3)::float8 as mean_ms
from {schema}.pg_stat_statements
where dbid = (select oid from pg_database where datname = current_database())
    and query like '%vcontract.%' and query not ilike '%set local%'
order by total_exec_time desc, queryid
limit :most
"""
