"""Other stores with the same passages and vectors, each asked by words and meaning; all are optional.

They return passages where ours returns conversations, and have neither tenants nor most of our filters.
Where a store does not join both lists itself, reciprocal rank fusion does, as one would write it by hand.
"""

import importlib
import importlib.util
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import asyncpg
from pgvector.asyncpg import register_vector

from bench.measure import Timing, measure
from bench.scale.vectors import Matrix

_BATCH = 5_000
_EACH = 100
"""Passages of each list that are joined."""
_RANK_CONSTANT = 60


@dataclass(frozen=True, slots=True)
class Passages:
    """What a peer holds: row `n` of each belongs to passage `n`."""

    texts: Sequence[str]
    vectors: Matrix
    groups: Sequence[int]
    """By which a filter keeps one per cent."""

    def batches(self) -> Iterator[range]:
        for start in range(0, len(self.texts), _BATCH):
            yield range(start, min(start + _BATCH, len(self.texts)))


@dataclass(frozen=True, slots=True)
class PeerQuery:
    """A question: its words, and their vector."""

    text: str
    vector: Sequence[float]

    @property
    def words(self) -> list[str]:
        return re.findall(r"\w+", self.text.lower())


class Peer(Protocol):
    """A store that is measured beside ours."""

    async def fill(self, passages: Passages) -> None: ...

    async def search(self, asked: PeerQuery, group: int | None = None) -> list[int]:
        """The numbers of ten passages, best first."""
        ...

    async def size(self) -> int:
        """Bytes on the disk."""
        ...


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What was measured of one peer."""

    name: str
    version: str
    fill_seconds: float
    bytes: int
    search: Timing
    filtered: Timing
    """Of one per cent of the passages."""
    turn_recall: float = 0.0
    conversation_recall: float = 0.0
    """Of the answers to relevance questions, among the first ten."""


class Sqlite:
    """SQLite with FTS5, and sqlite-vec, which compares all vectors."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "peer.sqlite"

    async def fill(self, passages: Passages) -> None:
        apsw: Any = importlib.import_module("apsw")
        self._connection: Any = apsw.Connection(str(self._file))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(importlib.import_module("sqlite_vec").loadable_path())
        run = self._connection.execute
        run("create virtual table words using fts5(content, tokenize = 'porter unicode61')")
        run("create virtual table vectors using vec0(part integer partition key, v float[384])")
        run("create table part (passage integer primary key, part integer)")
        for batch in passages.batches():
            run("begin")
            self._connection.executemany(
                "insert into words (rowid, content) values (?, ?)", [(n, passages.texts[n]) for n in batch]
            )
            self._connection.executemany(
                "insert into vectors (rowid, part, v) values (?, ?, ?)",
                [(n, passages.groups[n], passages.vectors[n].tobytes()) for n in batch],
            )
            self._connection.executemany(
                "insert into part (passage, part) values (?, ?)", [(n, passages.groups[n]) for n in batch]
            )
            run("commit")

    async def search(self, asked: PeerQuery, group: int | None = None) -> list[int]:
        np: Any = importlib.import_module("numpy")
        kept = "" if group is None else f"and rowid in (select passage from part where part = {group})"  # noqa: S608
        by_words = self._rows(
            f"select rowid from words where words match ? {kept} order by rank limit {_EACH}",  # noqa: S608
            " OR ".join(f'"{word}"' for word in asked.words),
        )
        kept = "" if group is None else f"and part = {group}"
        nearest = self._rows(
            f"select rowid from vectors where v match ? and k = {_EACH} {kept} order by distance",  # noqa: S608
            np.array(asked.vector, np.float32).tobytes(),
        )
        return _joined(by_words, nearest)

    async def size(self) -> int:
        return self._file.stat().st_size

    def _rows(self, statement: str, *values: object) -> list[int]:
        return [row[0] for row in self._connection.execute(statement, values)]


class Lance:
    """LanceDB with its full-text index and IVF_HNSW_SQ, joined by its own reciprocal rank fusion."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def fill(self, passages: Passages) -> None:
        lancedb: Any = importlib.import_module("lancedb")
        pyarrow: Any = importlib.import_module("pyarrow")
        width = passages.vectors.shape[1]
        rows = pyarrow.table(
            {
                "n": pyarrow.array(range(len(passages.texts))),
                "part": pyarrow.array(passages.groups),
                "content": pyarrow.array(passages.texts),
                "vector": pyarrow.FixedSizeListArray.from_arrays(
                    pyarrow.array(passages.vectors.reshape(-1)), width
                ),
            }
        )
        self._table: Any = lancedb.connect(str(self._folder)).create_table("passages", rows)
        index: Any = importlib.import_module("lancedb.index")
        self._table.create_index("vector", config=index.HnswSq(distance_type="cosine"))
        self._table.create_index("content", config=index.FTS())
        self._table.create_index("part", config=index.BTree())
        self._reranker: Any = importlib.import_module("lancedb.rerankers").RRFReranker()

    async def search(self, asked: PeerQuery, group: int | None = None) -> list[int]:
        query = self._table.search(query_type="hybrid").vector(asked.vector).text(" ".join(asked.words))
        query = query.distance_type("cosine").nprobes(20).rerank(self._reranker)
        if group is not None:
            query = query.where(f"part = {group}", prefilter=True)
        numbers: list[int] = query.limit(_EACH).to_arrow()["n"].to_pylist()
        return numbers[:10]

    async def size(self) -> int:
        return _bytes_below(self._folder)


class Chroma:
    """Chroma with its HNSW index, by meaning alone: by itself it has no index of words."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def fill(self, passages: Passages) -> None:
        chromadb: Any = importlib.import_module("chromadb")
        config: Any = importlib.import_module("chromadb.config")
        settings = config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(self._folder), settings=settings)
        self._collection: Any = client.create_collection(
            "passages", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        for batch in passages.batches():
            self._collection.add(
                ids=[str(n) for n in batch],
                documents=[passages.texts[n] for n in batch],
                embeddings=passages.vectors[batch.start : batch.stop],
                metadatas=[{"part": passages.groups[n]} for n in batch],
            )

    async def search(self, asked: PeerQuery, group: int | None = None) -> list[int]:
        where = {} if group is None else {"where": {"part": group}}
        found = self._collection.query(
            query_embeddings=[list(asked.vector)], n_results=10, include=[], **where
        )
        return [int(n) for n in found["ids"][0]]

    async def size(self) -> int:
        return _bytes_below(self._folder)


class Postgres:
    """PostgreSQL by hand: full-text search and pgvector in one table, joined by reciprocal rank fusion."""

    _TABLES = """
        drop schema if exists bench_peer cascade;
        create schema bench_peer;
        create table bench_peer.passage (
            n integer primary key, part integer, content text, v halfvec(384),
            words tsvector generated always as (to_tsvector('english', content)) stored
        )"""
    _INDEXES = """
        set maintenance_work_mem = '1GB';
        create index on bench_peer.passage using gin (words);
        create index on bench_peer.passage (part);
        create index on bench_peer.passage using hnsw (v halfvec_ip_ops) with (m = 16, ef_construction = 128);
        vacuum analyze bench_peer.passage"""
    _SEARCH = """
        with by_words as (
            select n, row_number() over (order by ts_rank(words, to_tsquery('english', $1)) desc) as rank
            from bench_peer.passage
            where words @@ to_tsquery('english', $1) and ($3::integer is null or part = $3)
            order by rank limit $4
        ), nearest as (
            select n, row_number() over () as rank from (
                select n from bench_peer.passage where $3::integer is null or part = $3
                order by v <#> $2 limit $4
            ) ordered
        )
        select n from by_words full join nearest using (n)
        order by coalesce(1.0 / ($5 + by_words.rank), 0) + coalesce(1.0 / ($5 + nearest.rank), 0) desc
        limit 10"""

    def __init__(self, url: str) -> None:
        self._url = url

    async def fill(self, passages: Passages) -> None:
        self._connection = await asyncpg.connect(self._url)
        await register_vector(self._connection)
        await self._connection.execute(self._TABLES)
        rows = zip(passages.texts, passages.groups, passages.vectors, strict=True)
        await self._connection.copy_records_to_table(
            "passage",
            schema_name="bench_peer",
            columns=["n", "part", "content", "v"],
            records=[(n, part, text, vector) for n, (text, part, vector) in enumerate(rows)],
        )
        for statement in self._INDEXES.split(";"):
            await self._connection.execute(statement)
        await self._connection.execute(
            f"set hnsw.ef_search = {_EACH}; set hnsw.iterative_scan = relaxed_order;"
            " set plan_cache_mode = force_custom_plan; set jit = off"
        )

    async def search(self, asked: PeerQuery, group: int | None = None) -> list[int]:
        words = " | ".join(asked.words)
        rows = await self._connection.fetch(
            self._SEARCH, words, list(asked.vector), group, _EACH, _RANK_CONSTANT
        )
        return [row["n"] for row in rows]

    async def size(self) -> int:
        size: int = await self._connection.fetchval("select pg_total_relation_size('bench_peer.passage')")
        return size


EMBEDDED: dict[str, tuple[Callable[[Path], Peer], str, tuple[str, ...]]] = {
    "SQLite FTS5 + sqlite-vec": (Sqlite, "sqlite-vec", ("apsw", "sqlite_vec")),
    "LanceDB": (Lance, "lancedb", ("lancedb", "pyarrow")),
    "Chroma, by meaning": (Chroma, "chromadb", ("chromadb",)),
}
"""Each with its package and the modules that it needs."""


def peers(folder: Path, url: str) -> dict[tuple[str, str], Peer]:
    """New, empty stores by name and version: those whose packages are installed, and PostgreSQL at a URL."""
    found: dict[tuple[str, str], Peer] = {("PostgreSQL by hand", "18"): Postgres(url)}
    for name, (make, package, modules) in EMBEDDED.items():
        if all(importlib.util.find_spec(module) for module in modules):
            own = folder / package
            own.mkdir(parents=True)
            found[name, version(package)] = make(own)
    return found


async def measure_peer(
    key: tuple[str, str], peer: Peer, passages: Passages, questions: Sequence[PeerQuery], runs: int
) -> PeerResult:
    """Fill a peer, then ask it."""
    started = time.perf_counter()
    await peer.fill(passages)
    seconds = time.perf_counter() - started

    def asking(group: int | None) -> Callable[[int], Awaitable[object]]:
        return lambda run: peer.search(questions[run % len(questions)], group)

    search, filtered = await measure(asking(None), runs), await measure(asking(42), runs)
    return PeerResult(*key, seconds, await peer.size(), search, filtered)


def _joined(*lists: Sequence[int]) -> list[int]:
    """Source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (SIGIR 2009)."""
    scores: dict[int, float] = {}
    for ranked in lists:
        for rank, number in enumerate(ranked, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (_RANK_CONSTANT + rank)
    return sorted(scores, key=lambda number: -scores[number])[:10]


def _bytes_below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
