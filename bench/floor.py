"""Searches beside the least that the same store needs for them: `python -m bench.floor [FOLDER ...]`.

The floor is two plain statements: the 100 nearest passages by the index of vectors, and 200 passages with any
of three words by `ts_rank`. A FOLDER has vcons.jsonl.gz and questions.json, as ../shared/data/meetings.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import asyncpg
from pgvector.asyncpg import register_vector
from rich.console import Console
from rich.table import Table

from bench.measure import Timing, measure_in_turn
from bench.relevance.folders import MEETINGS, store_folder
from bench.subject import Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.text.words import STOP_WORDS, fold, lexeme, surfaces

SETS: Final = (MEETINGS, MEETINGS.with_name("locomo"))
NEAREST: Final = 100
BY_WORDS: Final = 200
WORDS: Final = 3
QUESTIONS: Final = 40
_NEAR: Final = (
    "select id, part, element, chunk, vector::halfvec(384) <#> $1 from vcontract.embedding"
    " where space = 1 order by vector::halfvec(384) <#> $1 limit $2"
)
_BY_WORDS: Final = (
    "select id, part, element, chunk, ts_rank(words, $1::text::tsquery) as rank from vcontract.passage"
    " where words @@ $1::text::tsquery order by rank desc limit $2"
)


@dataclass(frozen=True, slots=True)
class BesideFloor:
    """A call beside the floor on one store, both in the same run."""

    store: str
    call: str
    ours: Timing
    floor: Timing
    statements: float
    """Statements of one warm call, on average, with those that begin and end its transactions."""

    @property
    def ratio(self) -> float:
        return self.ours.p50 / self.floor.p50


def words_of(text: str) -> list[str]:
    """The first words of a question that are not everywhere."""
    return [word for word in map(fold, surfaces(text)) if word not in STOP_WORDS][:WORDS]


def calls_of(text: str) -> dict[str, tuple[str, JsonObject]]:
    """The calls that are measured, by name."""
    words = " OR ".join(words_of(text)) or "meeting"
    return {
        "keyword": ("vcon_search", {"mode": "keyword", "query": words}),
        "semantic": ("vcon_search", {"mode": "semantic", "query": text}),
        "hybrid": ("vcon_search", {"mode": "hybrid", "query": text}),
        "recall": ("vcon_recall", {"query": text}),
    }


async def measure_floor(
    subject: Subject, store: str, questions: Sequence[str], runs: int
) -> list[BesideFloor]:
    """Measure each call on these questions, alternating with the floor."""
    tenant = subject.application.caller.tenant
    vectors = [(await subject.application.embeddings.query(tenant, text)).vector for text in questions]
    words = [" | ".join(map(lexeme, words_of(text))) or "meet" for text in questions]
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await register_vector(connection)
        await connection.execute("set hnsw.ef_search = 100")

        async def floor(run: int) -> None:
            await connection.fetch(_NEAR, vectors[run % len(vectors)], NEAREST)
            await connection.fetch(_BY_WORDS, words[run % len(words)], BY_WORDS)

        found: list[BesideFloor] = []
        for call in calls_of(""):

            async def ours(run: int, call: str = call) -> None:
                await subject.run(*calls_of(questions[run % len(questions)])[call])

            timings = await measure_in_turn(ours, floor, runs, warm_up=min(runs, len(questions)))
            async with counted_statements(subject) as sent:
                for number in range(len(questions)):
                    await ours(number)
            found.append(BesideFloor(store, call, *timings, len(sent) / len(questions)))
    finally:
        await connection.close()
    return found


@asynccontextmanager
async def counted_statements(subject: Subject) -> AsyncGenerator[list[str]]:
    """Collect the statements that calls of a subject with one connection send meanwhile."""
    database, sent = subject.application.database, list[str]()

    def note(statement: asyncpg.connection.LoggedQuery) -> None:
        sent.append(statement.query)

    async with database.reading(subject.application.caller.tenant) as connection:
        connection.add_query_logger(note)
    await _settled(subject)
    sent.clear()
    yield sent
    await _settled(subject)
    counted = sent[:-1]
    async with database.reading(subject.application.caller.tenant) as connection:
        connection.remove_query_logger(note)
    await _settled(subject)
    sent[:] = counted


async def _settled(subject: Subject) -> None:
    """Wait until the connection has ended its transaction, and its loggers have been called."""
    await subject.application.database.answers()
    await asyncio.sleep(0)


def show(found: Sequence[BesideFloor], console: Console) -> None:
    """Print what was measured; milliseconds are p50 / p95."""
    table = Table(
        "store", "call", "ms", "floor, ms", "p50 ratio", "statements", title="Floor", title_justify="left"
    )
    for one in found:
        spans = (f"{timing.p50:.1f} / {timing.p95:.1f}" for timing in (one.ours, one.floor))
        table.add_row(one.store, one.call, *spans, f"{one.ratio:.1f}", f"{one.statements:.1f}")
    console.print(table)


async def measure_set(store: Path, folder: Path, runs: int) -> list[BesideFloor]:
    """Import a folder's conversations into a store if need be, and measure its questions."""
    asked = parse_json((folder / "questions.json").read_text(encoding="utf-8"))
    questions = [one["question"] for one in asked][:: max(len(asked) // QUESTIONS, 1)][:QUESTIONS]
    async with open_subject(store) as subject:
        await store_folder(subject, folder)
        return await measure_floor(subject, folder.name, questions, runs)


def main() -> None:
    """Measure the folders that the arguments name."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.floor", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="sets (meetings and chats)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the stores there for the next run")
    parser.add_argument("--runs", type=int, default=QUESTIONS, help=f"runs of each call ({QUESTIONS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there as JSON, too")
    options = parser.parse_args()
    found: list[BesideFloor] = []
    with tempfile.TemporaryDirectory(prefix="vcontract-floor-", ignore_cleanup_errors=True) as name:
        for folder in options.folders or SETS:
            if not folder.is_dir():
                print(f"Skipping {folder.name}: {folder} does not exist.", file=sys.stderr)
                continue
            store = (options.keep or Path(name)) / folder.name
            found += asyncio.run(measure_set(store, folder, options.runs))
    show(found, Console() if sys.stdout.isatty() else Console(width=130))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
