"""Explain a client's SELECT: PostgreSQL's plan and, on request, figures of a run that is rolled back.

The owner of the store gets PostgreSQL's own plan. A tenant among others gets a plan on blank tables, and of a
run only the number of rows and the duration.

Six safeguards, each of which stops most attacks: The check of query_check, the extended protocol (one
statement), a read-only role, row level security, a read-only transaction, and its rollback. `query_check`,
`MAX_COST` and the analyst's connection limit the resources of a query.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.frame.documents.nearest_names import nearest_names
from vcontract.runtime.store.inspect.analyst import analyst_connection
from vcontract.runtime.store.inspect.blank_tables import BLANK_SCHEMA, on_blank_tables
from vcontract.runtime.store.inspect.query_allowlist import FUNCTIONS
from vcontract.runtime.store.inspect.query_check import QueryRejected, Relations, check_query
from vcontract.runtime.store.postgres.database import Connection, Database, OwnConnection
from vcontract.runtime.store.queries import named_query

Mode = Literal["explain", "explain_analyze"]

MAX_COST: Final = 10_000_000
"""Estimated cost above which a query is not run: minutes, by the planner's estimate."""
MUCH: Final = 10_000
"""Rows from which a sequential scan deserves a note."""
FAR_OFF: Final = 10
"""Factor between estimated and actual rows that deserves a note."""

_EXPLAIN: Final[dict[Mode, str]] = {
    "explain": "explain (format json, summary) ",
    "explain_analyze": "explain (format json, summary, analyze, buffers) ",
}


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """A plan with notes. After a run also its duration and its number of rows."""

    plan: JsonObject
    notes: list[str]
    planning_ms: float | None
    execution_ms: float | None = None
    actual_rows: float | None = None


async def analyze_query(
    database: Database, tenant: str, query: str, mode: Mode, *, whole_store: bool
) -> QueryAnalysis:
    """Return the plan of one SELECT. With `explain_analyze` the query runs with limits; its rows are
    discarded.

    `whole_store`: the planner's statistics of all tenants may be shown. Raises: QueryRejected;
    asyncpg.QueryCanceledError and asyncpg.LockNotAvailableError on timeouts.
    """
    async with database.reading(tenant) as reading:
        relations = await _relations(reading)
        names = check_query(query, relations)
        await _check_fields(reading, names.fields)
    analyze = _analyze_on_store if whole_store else _analyze_on_blank_tables
    async with analyst_connection(database, tenant) as connection:
        try:
            return await analyze(connection, query, mode)
        except _UnknownColumn as unknown:
            raise unknown.among({name: relations.allowed[name] for name in names.relations}) from None


class _UnknownColumn(QueryRejected):
    """The query names an unknown column."""

    def among(self, columns: Mapping[str, Sequence[str]]) -> QueryRejected:
        """Return the error with the tables that have a similar column, or with all columns."""
        wanted = (self.name or "").rpartition(".")[2]
        full = {f"{table}.{column}": column for table, listed in columns.items() for column in listed}
        near = nearest_names(wanted, full.values(), most=1)
        meant = [name for name, column in full.items() if column in near]
        listed = (f"{table} has {', '.join(listed)}" for table, listed in sorted(columns.items()))
        hint = f" (did you mean {' or '.join(meant)}?)" if meant else f"; {'; '.join(listed)}"
        return QueryRejected(
            self.reason, f"{self.message}{hint}.", name=self.name, position=self.position, nearest=meant
        )


async def _analyze_on_store(connection: OwnConnection, query: str, mode: Mode) -> QueryAnalysis:
    explained = await _explain(connection, "explain", query)
    if mode == "explain_analyze":
        _check_cost(explained["Plan"]["Total Cost"])
        explained = await _explain(connection, mode, query)
    plan: JsonObject = explained["Plan"]
    return QueryAnalysis(
        plan,
        [*notes_on(plan), *_note_on_cost(plan["Total Cost"])],
        explained.get("Planning Time"),
        explained.get("Execution Time"),
        plan.get("Actual Rows"),
    )


async def _analyze_on_blank_tables(connection: OwnConnection, query: str, mode: Mode) -> QueryAnalysis:
    # check that the query can be planned; errors then refer to its own text
    await _explain(connection, "explain", query)
    blank = on_blank_tables(query)
    await connection.execute(f"set local search_path = pg_catalog, {BLANK_SCHEMA}")
    cost: float = (await _explain(connection, "explain", blank))["Plan"]["Total Cost"]
    # an analyzed empty table is always scanned sequentially; for other tables this changes nothing
    await connection.execute("set local enable_seqscan = off")
    explained = await _explain(connection, "explain", blank)
    plan: JsonObject = explained["Plan"]
    notes = [*notes_on_blank(plan), *_note_on_cost(cost)]
    analysis = QueryAnalysis(plan, notes, explained.get("Planning Time"))
    if mode == "explain":
        return analysis
    _check_cost(cost)
    await connection.execute("set local enable_seqscan = on; set local search_path = pg_catalog, vcontract")
    ran = await _explain(connection, mode, query)
    return replace(analysis, execution_ms=ran["Execution Time"], actual_rows=ran["Plan"]["Actual Rows"])


async def _explain(connection: OwnConnection, mode: Mode, query: str) -> JsonObject:
    prefix = _EXPLAIN[mode]
    try:
        # without arguments `execute` would use the simple protocol, which allows several statements
        text: str = await connection.fetchval(prefix + query)
    except asyncpg.PostgresError as error:
        refused = _refusal(error, len(prefix))
        if refused is None:
            raise
        raise refused from None
    (explained,) = parse_json(text)
    found: JsonObject = explained
    return found


def _note_on_cost(cost: float) -> list[str]:
    """Note on a plan that is expected to take minutes."""
    if cost <= MAX_COST:
        return []
    return [
        f"Would take minutes: its expected cost is {cost:.0f}, and at most {MAX_COST} is run. "
        "Narrow it by a condition, or join its tables by their keys."
    ]


def _check_cost(cost: float) -> None:
    if cost > MAX_COST:
        raise QueryRejected(
            "too_costly",
            f"The query is not run: its expected cost is {cost:.0f}, and at most {MAX_COST} is run. "
            "Narrow it, or ask for mode explain.",
        )


async def _relations(connection: Connection) -> Relations:
    rows = await connection.fetch(_RELATIONS)
    return Relations(
        allowed={row["name"]: row["columns"] for row in rows if row["allowed"]},
        known=frozenset(row["name"] for row in rows),
    )


async def _check_fields(connection: Connection, fields: frozenset[str]) -> None:
    """Reject `x.name` if the name is a function, not a column: PostgreSQL would call it with x."""
    name = await connection.fetchval(*named_query(_FUNCTION_AS_FIELD, names=sorted(fields - FUNCTIONS)))
    if name is not None:
        raise QueryRejected(
            "function_not_allowed",
            f"The query is not analyzed: the function {name} is not on the list.",
            name=name,
        )


def _refusal(error: asyncpg.PostgresError, prefix: int) -> QueryRejected | None:
    """Convert a failure caused by the query to a rejection. None for timeouts and other failures."""
    code = error.sqlstate or ""
    position = getattr(error, "position", None)
    place = int(position) - prefix if position is not None else None
    if code in _UNKNOWN:
        said = str(error).splitlines()[0]
        found = _NAME.search(said)
        name = (found[1] or found[2]).strip('"') if found else None
        what = f"The query names what is not there: {said}"
        if code == _NO_COLUMN:
            return _UnknownColumn("unknown_name", what, name=name, position=place)
        return QueryRejected("unknown_name", f"{what}.", name=name, position=place)
    for classes, reason, message in _FAILURES:
        if code.startswith(classes):
            # leave out messages of the database that may quote data
            said = f": {str(error).splitlines()[0]}" if reason == "syntax" else ""
            return QueryRejected(reason, f"{message}{said}.", position=place)
    return None


_NAME: Final = re.compile(
    r'"([^"]+)"|(?:function|operator does not exist:|column) (.+?)(?: does not exist|$)'
)
# Source: PostgreSQL documentation, appendix A, "PostgreSQL Error Codes".
_NO_COLUMN: Final = "42703"
_UNKNOWN: Final = frozenset({_NO_COLUMN, "42P01", "42883", "42704", "42702", "42725", "3F000"})
_FAILURES: Final = (
    (("53200",), "too_much_memory", "The query needs more memory than it may have; let it hold less at once"),
    (("53400",), "too_large_files", "The query needs larger temporary files than it may have; narrow it"),
    (("42501",), "relation_not_allowed", "The query reads what it may not"),
    (("25006", "0A"), "not_allowed", "The query does what is not allowed here"),
    (("54001",), "too_deep", "The query is nested too deeply"),
    (("42",), "syntax", "The query does not fit together"),
    (("21", "22", "2F", "38", "54"), "failed", "The query fails on the data or on a value in it"),
)


def notes_on(plan: JsonObject) -> list[str]:
    """Return up to twenty notes about a plan."""
    notes = ["Expected rows and costs are of all tenants; row security filters out those of the others."]
    for node in _nodes(plan):
        relation = node.get("Relation Name")
        if node["Node Type"] == "Seq Scan" and node["Plan Rows"] >= MUCH:
            notes.append(f"Reads the whole table {relation}.")
        if node.get("Sort Space Type") == "Disk":
            notes.append(f"Sorts {node['Sort Space Used']} kB on disk.")
        actual = node.get("Actual Rows")
        if actual is not None:
            more, less = sorted((max(actual, 1), max(node["Plan Rows"], 1)), reverse=True)
            if more >= FAR_OFF * less:
                what = f" of {relation}" if relation else ""
                expected = node["Plan Rows"]
                notes.append(f"{node['Node Type']}{what}: {expected} rows expected, {actual:g} found a loop.")
    return list(dict.fromkeys(notes))[:20]


def notes_on_blank(plan: JsonObject) -> list[str]:
    """Return up to twenty notes about a plan on blank tables, and what such a plan means."""
    notes = [
        "The plan is for empty tables, costed as small ones, so that it reveals nothing of what other "
        "tenants store; on large tables PostgreSQL may take other indexes. Rows found are yours. "
        "Times depend on all that the server holds and does."
    ]
    for node in _nodes(plan):
        if node["Node Type"] == "Seq Scan":
            notes.append(f"Reads the whole table {node['Relation Name']}.")
        if "Index Name" in node:
            condition = f" where {node['Index Cond']}" if "Index Cond" in node else ""
            notes.append(f"Uses the index {node['Index Name']}{condition}.")
        if "Filter" in node and "Relation Name" in node:
            notes.append(f"Tests each row of {node['Relation Name']} that it reads: {node['Filter']}.")
        if "Sort" in node["Node Type"]:
            notes.append(f"Sorts all that it found by {', '.join(node['Sort Key'])}.")
    return list(dict.fromkeys(notes))[:20]


def _nodes(plan: JsonObject) -> Iterator[JsonObject]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


_RELATIONS: Final = """
select c.relname as name, vcontract.is_analyzable(c.oid) as allowed,
    array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum
    ) as columns
from pg_class c
where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
"""

_FUNCTION_AS_FIELD: Final = """
select p.proname
from pg_proc p
where p.proname = any(:names) and not exists (
    select from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'vcontract'::regnamespace and a.attname = p.proname and not a.attisdropped
)
order by p.proname
limit 1
"""
