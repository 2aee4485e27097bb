"""How the store is spread over machines with Citus: each table by a column, and what stands in the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcontract.runtime.store.postgres.schema_status import OwnerConnection

By: TypeAlias = Literal["tenant", "vcon"]

_TABLES: Final = """
select c.relname as name, array_agg(a.attname::text order by a.attnum) as key
from pg_class c
join pg_index i on i.indrelid = c.oid and i.indisprimary
join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey::smallint[])
where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
group by c.relname
order by c.relname
"""
_FOREIGN_KEYS: Final = """
select c.conname as name, t.relname as table, o.relname as other,
    (select array_agg(a.attname::text order by k.at) from unnest(c.conkey) with ordinality k (number, at)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number) as columns,
    (select array_agg(a.attname::text order by k.at) from unnest(c.confkey) with ordinality k (number, at)
        join pg_attribute a on a.attrelid = o.oid and a.attnum = k.number) as theirs
from pg_constraint c
join pg_class t on t.oid = c.conrelid
join pg_class o on o.oid = c.confrelid
where c.contype = 'f' and t.relnamespace = 'vcontract'::regnamespace and not t.relispartition
order by c.conname
"""
_UNIQUE: Final = """
select i.relname as name, t.relname as table,
    (select array_agg(a.attname::text) from pg_attribute a
        where a.attrelid = t.oid and a.attnum = any(x.indkey::smallint[])) as columns
from pg_index x
join pg_class i on i.oid = x.indexrelid
join pg_class t on t.oid = x.indrelid
where (x.indisunique or x.indisexclusion)
    and t.relnamespace = 'vcontract'::regnamespace and not t.relispartition
order by i.relname
"""
_UNFIT: Final = """
select t.relname as table, 'the trigger ' || g.tgname as what from pg_trigger g
join pg_class t on t.oid = g.tgrelid
where not g.tgisinternal and t.relnamespace = 'vcontract'::regnamespace
union all
select t.relname, 'the sequence of ' || a.attname from pg_attribute a
join pg_class t on t.oid = a.attrelid
left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
where t.relnamespace = 'vcontract'::regnamespace and t.relkind in ('r', 'p')
    and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%')
order by 1, 2
"""


_PASSING_OVER: Final = """
select p.proname::text as name from pg_proc p
where p.pronamespace = 'vcontract'::regnamespace and p.prosrc ilike '%skip locked%'
order by 1
"""


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the rows of a table go."""

    table: str
    column: str | None
    """What tells the shard of a row; None for a small table that is whole on every machine."""

    def statement(self, beside: str | None) -> str:
        """What Citus is asked, once the table `beside` is spread, whose shards this one's rows join."""
        name = f"vcontract.{self.table}"
        if self.column is None:
            return f"select create_reference_table('{name}')"
        group = "none" if beside is None else f"vcontract.{beside}"
        return f"select create_distributed_table('{name}', '{self.column}', colocate_with => '{group}')"


async def spread_by(connection: OwnerConnection, by: By) -> list[Spread]:
    """Every table with its column, such that what is read together lies together; referred ones first."""
    found = [
        Spread(row["name"], _column(row["name"], row["key"], by)) for row in await connection.fetch(_TABLES)
    ]
    return sorted(found, key=lambda each: (each.column is not None, each.table != "vcon", each.table))


def _column(table: str, key: Sequence[str], by: By) -> str | None:
    if "tenant" not in key:
        return None  # of the whole deployment, and small
    if by == "tenant":
        return "tenant"
    if table == "vcon":
        return "uuid"
    if {"kind", "id"} <= set(key):
        return "id"  # of passages and their like: the uuid of the vCon that they are of
    return "vcon" if "vcon" in key else "tenant"


async def obstacles(connection: OwnerConnection, spread: Sequence[Spread]) -> list[str]:
    """What Citus would refuse: docs/postgresql.md has the rules."""
    column = {each.table: each.column for each in spread}
    found = [f"{row['table']}: {row['what']}" for row in await connection.fetch(_UNFIT)]
    for row in await connection.fetch(_UNIQUE):
        needed = column[row["table"]]
        if needed is not None and needed not in row["columns"]:
            found.append(f"{row['table']}: {row['name']} is unique without {needed}")
    for row in await connection.fetch(_FOREIGN_KEYS):
        ours, theirs = column[row["table"]], column[row["other"]]
        pairs = list(zip(row["columns"], row["theirs"], strict=True))
        if theirs is not None and (ours, theirs) not in pairs:
            found.append(f"{row['table']}: {row['name']} refers to {row['other']} without {theirs}")
    return found


async def reaching_over(connection: OwnerConnection) -> list[str]:
    """Functions that pass over locked rows, which Citus does within one shard only."""
    rows = await connection.fetch(_PASSING_OVER)
    return [row["name"] for row in rows]


def statements(spread: Sequence[Spread]) -> list[str]:
    """What Citus is asked, in the order in which it can be done."""
    first: dict[str, str] = {}
    asked: list[str] = []
    for each in spread:
        kind = "tenant" if each.column == "tenant" else "vcon"
        beside = first.get(kind)
        if each.column is not None:
            first.setdefault(kind, each.table)
        asked.append(each.statement(beside))
    return asked
