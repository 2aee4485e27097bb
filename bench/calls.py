"""Calls in process, against the same statements sent by hand and their JSON parsed."""

from collections.abc import Sequence
from dataclasses import dataclass

from asyncpg import Record
from asyncpg.connection import LoggedQuery

from bench.measure import measure_in_turn
from bench.report import Ratio
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.postgres.database import Connection


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement that a call sent."""

    text: str
    arguments: tuple[object, ...]


async def measure_calls(subject: Subject, uuid: str, word: str, runs: int) -> list[Ratio]:
    """The ratios of reading one vCon and of searches."""
    every_group = ["parties", "summary", "tags", "dealer", "counts", "dialog", "analysis", "attachments"]
    calls: list[tuple[str, str, JsonObject]] = [
        ("vcon_fetch, every group", "vcon_fetch", {"uuid": uuid, "include": every_group}),
        ("vcon_search metadata", "vcon_search", {"mode": "metadata"}),
        ("vcon_search keyword", "vcon_search", {"mode": "keyword", "query": word}),
        ("get_vcon", "get_vcon", {"uuid": uuid}),
    ]
    return [await _against_its_statements(subject, *call, runs) for call in calls]


async def _against_its_statements(
    subject: Subject, what: str, tool: str, arguments: JsonObject, runs: int
) -> Ratio:
    database = subject.application.database
    tenant = subject.application.caller.tenant
    await subject.run(tool, arguments)
    statements = await _statements_of(subject, tool, arguments)

    async def ours(_: int) -> None:
        await subject.run(tool, arguments)

    async def floor(_: int) -> None:
        async with database.reading(tenant) as connection:
            await _send(connection, statements)

    timing, least = await measure_in_turn(ours, floor, runs)
    return Ratio(what, timing, f"the SQL it sends ({len(statements)}), JSON parsed", least)


async def _statements_of(subject: Subject, tool: str, arguments: JsonObject) -> list[Statement]:
    """What the call asks the database. The pool has one connection, so its logger sees everything."""
    heard: list[Statement] = []

    def listen(query: LoggedQuery) -> None:
        heard.append(Statement(query.query, tuple(query.args or ())))

    database, tenant = subject.application.database, subject.application.caller.tenant
    async with database.reading(tenant) as connection:
        connection.add_query_logger(listen)
    await subject.run(tool, arguments)
    async with database.reading(tenant) as connection:
        connection.remove_query_logger(listen)
    return [one for one in heard if one.text.lstrip().lower().startswith(("select", "with", "--"))]


async def _send(connection: Connection, statements: Sequence[Statement]) -> None:
    for statement in statements:
        _parse(await connection.fetch(statement.text, *statement.arguments))


def _parse(rows: Sequence[Record]) -> None:
    for row in rows:
        for value in row.values():
            if isinstance(value, str) and value[:1] in ("{", "["):
                parse_json(value)
