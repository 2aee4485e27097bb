"""Stores to measure, filled through the product: `python -m bench.scale.stores FOLDER CONVERSATIONS`.

It runs under the Python of the release that it fills a store for. Vectors are made up, because embedding
takes ten milliseconds or more a passage; everything else comes in as it does for a user.
"""

import argparse
import asyncio
import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import asyncpg
import numpy as np
from pgvector.asyncpg import register_vector

from bench.corpus import Corpus
from bench.importing import import_file, write_corpus
from bench.memory import import_transcripts, write_session
from bench.scale.vectors import Vectors
from bench.subject import Subject, open_subject
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import parse_json

SEED = 1
SHARE_OF_SESSIONS = 10
"""A session of an agent and a record of a journal for so many conversations."""
_BATCH = 20_000
_FILLED = "filled.json"
_COLUMNS = ("tenant", "kind", "id", "part", "element", "chunk", "space", "vector")


@dataclass(frozen=True, slots=True)
class Filled:
    """What a store holds, and the seconds that took."""

    conversations: int
    passages: int
    import_seconds: float
    index_seconds: float
    """Of the index of vectors alone."""
    bytes: int
    """Of the database, indexes included."""
    as_in_life: bool = True
    """Whether there are meetings and threads among them; else all are short talks of two."""

    @classmethod
    def read(cls, folder: Path) -> "Filled | None":
        """What `fill` left in a folder; None when it did not finish there."""
        file = folder / _FILLED
        return cls(**parse_json(file.read_bytes())) if file.exists() else None


def corpus(*, as_in_life: bool = True) -> Corpus:
    """The conversations of every store."""
    return Corpus(SEED, as_in_life=as_in_life)


async def fill(folder: Path, conversations: int, *, as_in_life: bool = True) -> Filled:
    """Make a store in a folder; one of short talks has no sessions and no journal."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240  (nothing else runs)
    made = corpus(as_in_life=as_in_life)
    others = conversations // SHARE_OF_SESSIONS if as_in_life else 0
    file = folder / "corpus.jsonl"
    count = write_corpus(made.vcons(0, conversations), file)
    for number in range(others):
        write_session(folder / "projects", number, made, 1 + number % 4)
    async with open_subject(folder / "data") as subject:
        seconds = import_file(subject, file, count)
        if others:
            import_transcripts(subject, folder / "projects", others)
    async with open_subject(folder / "data", toolsets=("bridge",)) as subject:
        for number in range(others):
            turn = made.vcon(number)["dialog"][0]["body"]
            manner = {"experiencer": "Ann", "perspective": "I", "processing": "right-after"}
            await subject.call("capture", {"content": turn, **manner})
        filled = replace(await _fill_vectors(subject, count, seconds), as_in_life=as_in_life)
    (folder / _FILLED).write_text(json.dumps(asdict(filled)) + "\n", encoding="utf-8")
    return filled


async def _fill_vectors(subject: Subject, conversations: int, import_seconds: float) -> Filled:
    connection = await asyncpg.connect(subject.application.database.owner_url)
    await register_vector(connection)
    try:
        await connection.execute("set statement_timeout = 0; set maintenance_work_mem = '4GB'")
        keys = await connection.fetch(
            "select tenant, kind, id, part, element, chunk from vcontract.passage where part <> 'party'"
            " order by id, part, element, chunk"
        )
        index = await connection.fetchval("select pg_get_indexdef('vcontract.embedding_1_near'::regclass)")
        await connection.execute(
            "truncate vcontract.embedding; delete from vcontract.embedding_task;"
            " drop index vcontract.embedding_1_near"
        )
        vectors, numbers = Vectors(SEED), dict[object, int]()
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            owners = np.array([numbers.setdefault(key["id"], len(numbers)) for key in batch])
            halves = half_vectors(vectors.passages(owners, np.array([key["element"] for key in batch])))
            await connection.copy_records_to_table(
                "embedding",
                schema_name="vcontract",
                columns=_COLUMNS,
                records=[(*key, 1, half) for key, half in zip(batch, halves, strict=True)],
            )
        started = time.perf_counter()
        await connection.execute(index)
        index_seconds = time.perf_counter() - started
        await connection.execute("vacuum analyze")
        size = await connection.fetchval("select pg_database_size(current_database())")
    finally:
        await connection.close()
    return Filled(conversations, len(keys), import_seconds, index_seconds, size)


def main() -> None:
    """Fill what the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale.stores", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("conversations", type=int)
    parser.add_argument("--short", action="store_true", help="short talks of two alone: a tenth of the turns")
    options = parser.parse_args()
    print(asyncio.run(fill(options.folder, options.conversations, as_in_life=not options.short)))


if __name__ == "__main__":
    main()
