"""Imports, against COPY of the rows that they made."""

import io
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import asyncpg

from bench.report import Rate
from bench.subject import COMMAND, Subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json

COPIES = "bench_copies"


class ImportFailed(Exception):
    """`vcontract import` did not take everything in; the message holds its last words."""


def write_corpus(vcons: Iterable[JsonObject], file: Path) -> int:
    """Write vCons as JSON lines; how many they are."""
    count = 0
    with file.open("wb") as lines:
        for vcon in vcons:
            lines.write(dump_json(vcon) + b"\n")
            count += 1
    return count


def import_file(subject: Subject, file: Path, vcons: int) -> float:
    """Seconds that `vcontract import` takes for a file of so many vCons, its start included.

    Raises: ImportFailed.
    """
    return timed_import(subject, file, lambda summary: summary.get("created") == vcons)


def timed_import(subject: Subject, path: Path, is_complete: Callable[[JsonObject], bool]) -> float:
    """Seconds of one `vcontract import` whose summary shows that everything came in.

    Raises: ImportFailed.
    """
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603  (our own command, our own files)
        [str(COMMAND), "import", "--json", str(path)],
        env=subject.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode != 0 or not is_complete(parse_json(done.stdout)):
        raise ImportFailed(done.stderr[-1000:] or done.stdout[-1000:])
    return seconds


async def measure_import(subject: Subject, vcons: int, seconds: float) -> Rate:
    """The rate of an import that took `seconds` and made everything that the store holds."""
    return Rate(
        "vcontract import",
        vcons,
        vcons / seconds,
        "COPY of the same rows, with the same indexes",
        vcons / await _copy_seconds(subject),
    )


async def _copy_seconds(subject: Subject) -> float:
    """Seconds that COPY takes to write every row of the store again, beside the tables."""
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await connection.execute(f"create schema {COPIES}")
        tables = [
            row["name"]
            for row in await connection.fetch(
                "select relname::text as name from pg_class"
                " where relnamespace = 'vcontract'::regnamespace and relkind = 'r' order by relname"
            )
        ]
        rows: dict[str, bytes] = {}
        for table in tables:
            target = io.BytesIO()
            await connection.copy_from_table(table, schema_name="vcontract", output=target, format="binary")
            rows[table] = target.getvalue()
            await connection.execute(f"create table {COPIES}.{table} (like vcontract.{table} including all)")
        started = time.perf_counter()
        async with connection.transaction():
            for table, content in rows.items():
                await connection.copy_to_table(
                    table, schema_name=COPIES, source=io.BytesIO(content), format="binary"
                )
        return time.perf_counter() - started
    finally:
        await connection.execute(f"drop schema if exists {COPIES} cascade")
        await connection.close()
