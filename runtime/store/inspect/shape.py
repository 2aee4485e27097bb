"""Describe the schema: tables with rows, sizes, indexes, columns and relationships."""

import time
from dataclasses import dataclass, replace
from typing import Final

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, savepoint
from vcontract.runtime.store.queries import named_query

COUNTED_ROWS: Final = 1_000_000
"""Maximum estimated rows of a table that is counted exactly."""
COUNTING_SECONDS: Final = 2.0
"""Time limit for counting all tables; the rest is estimated."""


@dataclass(frozen=True, slots=True)
class ShapeParts:
    """Parts to report about each table."""

    counts: bool = True
    sizes: bool = True
    indexes: bool = True
    columns: bool = False
    internal: bool = False
    """Whether to include tables that clients cannot query."""


async def database_shape(connection: Connection, parts: ShapeParts, *, whole_store: bool) -> JsonObject:
    """Return `{tables, relationships}` of the schema `vcontract`, with the requested parts.

    Tables that clients can query come first, each group sorted by name.

    Without `whole_store`, only the rows of the connection's tenant are counted, and no size is reported.
    """
    if not whole_store:
        parts = replace(parts, sizes=False)
    tables = await connection.fetch(_TABLES)
    tables = [table for table in tables if parts.internal or table["is_analyzable"]]
    indexes = await _by_table(connection, _INDEXES) if parts.indexes else {}
    columns = await _by_table(connection, _COLUMNS) if parts.columns else {}
    counts: dict[str, JsonObject] = {}
    if parts.counts:
        counts = await (_counts if whole_store else _own_counts)(connection, tables)
    documents: list[JsonObject] = []
    for table in tables:
        document: JsonObject = {
            "name": table["name"],
            "schema": "vcontract",
            "analyzable": table["is_analyzable"],
            **counts.get(table["name"], {}),
        }
        if parts.sizes:
            document |= {column: table[column] for column in _SIZE_COLUMNS}
        if parts.indexes:
            document["indexes"] = _shown(indexes.get(table["name"], []), sizes=parts.sizes)
        if parts.columns:
            document["columns"] = columns.get(table["name"], [])
        documents.append(document)
    names = {table["name"] for table in tables}
    relationships = [
        dict(row)
        for row in await connection.fetch(_RELATIONSHIPS)
        if {row["from_table"], row["to_table"]} <= names
    ]
    return {"tables": documents, "relationships": relationships}


def _shown(indexes: list[JsonObject], *, sizes: bool) -> list[JsonObject]:
    """Return the indexes of a table, without sizes unless `sizes`."""
    return [
        {column: value for column, value in index.items() if sizes or "size" not in column}
        for index in indexes
    ]


async def _by_table(connection: Connection, query: str) -> dict[str, list[JsonObject]]:
    found: dict[str, list[JsonObject]] = {}
    for row in await connection.fetch(query):
        document = dict(row)
        found.setdefault(document.pop("table_name"), []).append(document)
    return found


async def _counts(connection: Connection, tables: list[asyncpg.Record]) -> dict[str, JsonObject]:
    """Return `{row_count, row_count_exact}` by table for all tenants, counting small tables first."""
    deadline = time.monotonic() + COUNTING_SECONDS
    counts: dict[str, JsonObject] = {}
    for table in sorted(tables, key=lambda table: int(table["expected_rows"])):
        expected: int = table["expected_rows"]
        count = None
        if expected <= COUNTED_ROWS:
            count = await _count(
                connection, deadline, "select vcontract.count_rows(:name)", name=table["name"]
            )
        counts[table["name"]] = {
            "row_count": expected if count is None else count,
            "row_count_exact": count is not None,
        }
    return counts


async def _own_counts(connection: Connection, tables: list[asyncpg.Record]) -> dict[str, JsonObject]:
    """Return the same for the connection's tenant, without tables of other data or that take too long."""
    deadline = time.monotonic() + COUNTING_SECONDS
    counts: dict[str, JsonObject] = {}
    for table in tables:
        if table["is_of_tenants"]:
            # a table's name from the catalog
            statement = f'select count(*) from vcontract."{table["name"]}"'  # noqa: S608
            count = await _count(connection, deadline, statement)
            if count is not None:
                counts[table["name"]] = {"row_count": count, "row_count_exact": True}
    return counts


async def _count(connection: Connection, deadline: float, statement: str, **values: str) -> int | None:
    """Count rows; None if the deadline passes."""
    milliseconds = int((deadline - time.monotonic()) * 1000)
    if milliseconds <= 0:
        return None
    try:
        async with savepoint(connection):
            await connection.execute(f"set local statement_timeout = {milliseconds}")
            count: int = await connection.fetchval(*named_query(statement, **values))
            await connection.execute("set local statement_timeout to default")
            return count
    except asyncpg.QueryCanceledError:
        return None


_SIZE_COLUMNS: Final = (
    *("total_size", "total_size_bytes", "table_size", "table_size_bytes"),
    *("indexes_size", "indexes_size_bytes"),
)

# The planner multiplies rows per page from the last analyze by the file's pages. Tables never analyzed use
# the statistics views. Partitions count for their parent, which has no rows itself.
_TABLES: Final = """
select c.relname as name,
    pg_size_pretty(s.total) as total_size, s.total as total_size_bytes,
    pg_size_pretty(s.main) as table_size, s.main as table_size_bytes,
    pg_size_pretty(s.indexes) as indexes_size, s.indexes as indexes_size_bytes,
    s.expected_rows,
    (c.relrowsecurity or c.relkind = 'v') and has_table_privilege(c.oid, 'select')
        -- the others have rows of what consent withholds
        and (vcontract.current_purposes() is null or vcontract.is_analyzable(c.oid)) as is_of_tenants,
    vcontract.is_analyzable(c.oid) as is_analyzable
from pg_class c
cross join lateral (
    select sum(pg_total_relation_size(p.oid))::bigint as total, sum(pg_table_size(p.oid))::bigint as main,
        sum(pg_indexes_size(p.oid))::bigint as indexes,
        sum(case
            when p.reltuples >= 0 and p.relpages > 0 then round(
                p.reltuples / p.relpages * (pg_relation_size(p.oid) / current_setting('block_size')::int))
            else pg_stat_get_live_tuples(p.oid)
        end)::bigint as expected_rows
    from pg_class p
    where p.oid = c.oid or p.oid in (select t.relid from pg_partition_tree(c.oid) t)
) s
where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p', 'v')
order by is_analyzable desc, c.relname
"""

_INDEXES: Final = """
select t.relname as table_name, c.relname as indexname, m.amname as index_type,
    pg_size_pretty(s.size) as index_size, s.size as index_size_bytes,
    i.indisunique as is_unique, i.indisprimary as is_primary
from pg_index i
join pg_class c on c.oid = i.indexrelid
join pg_class t on t.oid = i.indrelid
join pg_am m on m.oid = c.relam
cross join lateral (
    select sum(pg_relation_size(p.oid))::bigint as size from pg_class p
    where p.oid = c.oid or p.oid in (select r.relid from pg_partition_tree(c.oid) r)
) s
where t.relnamespace = 'vcontract'::regnamespace and t.relkind in ('r', 'p')
order by t.relname, c.relname
"""

_COLUMNS: Final = """
select t.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as data_type,
    case when a.attnotnull then 'NO' else 'YES' end as is_nullable
from pg_attribute a
join pg_class t on t.oid = a.attrelid
where t.relnamespace = 'vcontract'::regnamespace and t.relkind in ('r', 'p', 'v')
    and a.attnum > 0 and not a.attisdropped
order by t.relname, a.attnum
"""

_RELATIONSHIPS: Final = """
select t.relname as from_table, a.attname as from_column, r.relname as to_table, b.attname as to_column
from pg_constraint c
join pg_class t on t.oid = c.conrelid
join pg_class r on r.oid = c.confrelid
cross join lateral unnest(c.conkey, c.confkey) with ordinality k (from_number, to_number, place)
join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.from_number
join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.to_number
where c.contype = 'f' and t.relnamespace = 'vcontract'::regnamespace
order by t.relname, c.conname, k.place
"""
