"""Other stores with the same passages and vectors, for a look side by side; each is optional.

They answer passages where we answer conversations, and know neither tenants nor half of our filters.
"""

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from bench.measure import Timing
from bench.scale.vectors import Matrix, Vector, recall

_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Passages:
    """What a peer holds: row `n` of each belongs to passage `n`."""

    texts: Sequence[str]
    vectors: Matrix
    hundredth: Sequence[int]
    """The number by which a filter keeps one per cent."""

    def batches(self) -> Iterator[range]:
        return (
            range(start, min(start + _BATCH, len(self.texts))) for start in range(0, len(self.texts), _BATCH)
        )


class Peer(Protocol):
    """A store that is measured beside ours. A search gives the numbers of ten passages, best first."""

    def fill(self, folder: Path, passages: Passages) -> None: ...
    def keyword(self, words: str) -> list[int]: ...
    def semantic(self, vector: Vector) -> list[int]: ...
    def filtered(self, vector: Vector, hundredth: int) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class PeerResult:
    """What was measured of one peer."""

    name: str
    version: str
    fill_seconds: float
    timings: dict[str, Timing]
    recalls: dict[str, float]


class Sqlite:
    """SQLite with FTS5, and sqlite-vec, which compares all vectors."""

    def fill(self, folder: Path, passages: Passages) -> None:
        apsw: Any = importlib.import_module("apsw")
        self._connection: Any = apsw.Connection(str(folder / "peer.sqlite"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(importlib.import_module("sqlite_vec").loadable_path())
        run = self._connection.execute
        run("create virtual table words using fts5(content, tokenize = 'porter unicode61')")
        run("create virtual table vectors using vec0(hundredth integer partition key, v float[384])")
        for batch in passages.batches():
            run("begin")
            self._connection.executemany(
                "insert into words (rowid, content) values (?, ?)",
                [(n, passages.texts[n]) for n in batch],
            )
            self._connection.executemany(
                "insert into vectors (rowid, hundredth, v) values (?, ?, ?)",
                [(n, passages.hundredth[n], passages.vectors[n].tobytes()) for n in batch],
            )
            run("commit")

    def keyword(self, words: str) -> list[int]:
        return self._rows("select rowid from words where words match ? order by rank limit 10", words)

    def semantic(self, vector: Vector) -> list[int]:
        return self._rows(
            "select rowid from vectors where v match ? and k = 10 order by distance", vector.tobytes()
        )

    def filtered(self, vector: Vector, hundredth: int) -> list[int]:
        return self._rows(
            "select rowid from vectors where v match ? and k = 10 and hundredth = ? order by distance",
            vector.tobytes(),
            hundredth,
        )

    def _rows(self, statement: str, *values: object) -> list[int]:
        return [row[0] for row in self._connection.execute(statement, values)]


class Lance:
    """LanceDB with its full-text index and IVF_HNSW_SQ."""

    def fill(self, folder: Path, passages: Passages) -> None:
        lancedb: Any = importlib.import_module("lancedb")
        pyarrow: Any = importlib.import_module("pyarrow")
        vectors = pyarrow.FixedSizeListArray.from_arrays(
            pyarrow.array(passages.vectors.reshape(-1)), passages.vectors.shape[1]
        )
        rows = pyarrow.table(
            {
                "n": pyarrow.array(range(len(passages.texts))),
                "hundredth": pyarrow.array(passages.hundredth),
                "content": pyarrow.array(passages.texts),
                "vector": vectors,
            }
        )
        self._table: Any = lancedb.connect(str(folder / "lance")).create_table("passages", rows)
        self._table.create_index(metric="cosine", index_type="IVF_HNSW_SQ")
        self._table.create_fts_index("content")
        self._table.create_scalar_index("hundredth")

    def keyword(self, words: str) -> list[int]:
        return self._numbers(self._table.search(words, query_type="fts"), "_score")

    def semantic(self, vector: Vector) -> list[int]:
        return self._numbers(self._search(vector), "_distance")

    def filtered(self, vector: Vector, hundredth: int) -> list[int]:
        return self._numbers(
            self._search(vector).where(f"hundredth = {hundredth}", prefilter=True), "_distance"
        )

    def _search(self, vector: Vector) -> Any:
        return self._table.search(vector).distance_type("cosine").nprobes(20)

    def _numbers(self, query: Any, rank: str) -> list[int]:
        numbers: list[int] = query.select(["n", rank]).limit(10).to_arrow()["n"].to_pylist()
        return numbers


class Chroma:
    """Chroma with its HNSW index; it has no index of words, so `keyword` is its substring filter."""

    def fill(self, folder: Path, passages: Passages) -> None:
        chromadb: Any = importlib.import_module("chromadb")
        config: Any = importlib.import_module("chromadb.config")
        client = chromadb.PersistentClient(
            str(folder / "chroma"), settings=config.Settings(anonymized_telemetry=False)
        )
        self._collection: Any = client.create_collection(
            "passages", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        for batch in passages.batches():
            self._collection.add(
                ids=[str(n) for n in batch],
                documents=[passages.texts[n] for n in batch],
                embeddings=passages.vectors[batch.start : batch.stop],
                metadatas=[{"hundredth": passages.hundredth[n]} for n in batch],
            )

    def keyword(self, words: str) -> list[int]:
        found = self._collection.get(where_document={"$contains": words}, limit=10, include=[])
        return [int(n) for n in found["ids"]]

    def semantic(self, vector: Vector) -> list[int]:
        return self._query(vector)

    def filtered(self, vector: Vector, hundredth: int) -> list[int]:
        return self._query(vector, where={"hundredth": hundredth})

    def _query(self, vector: Vector, **conditions: object) -> list[int]:
        found = self._collection.query(query_embeddings=[vector], n_results=10, include=[], **conditions)
        return [int(n) for n in found["ids"][0]]


PEERS: dict[str, tuple[Callable[[], Peer], tuple[str, ...]]] = {
    "SQLite FTS5 + sqlite-vec": (Sqlite, ("apsw", "sqlite_vec")),
    "LanceDB": (Lance, ("lancedb", "pyarrow")),
    "Chroma": (Chroma, ("chromadb",)),
}
"""Each with the modules that it needs."""


def installed_peers() -> dict[str, Callable[[], Peer]]:
    """The peers whose packages are here."""
    return {
        name: make
        for name, (make, modules) in PEERS.items()
        if all(importlib.util.find_spec(module) for module in modules)
    }


def measure_peer(
    name: str, peer: Peer, folder: Path, passages: Passages, words: dict[str, str], queries: Matrix, runs: int
) -> PeerResult:
    """Fill a peer, then run the searches that it has in common with us."""
    folder.mkdir()
    started = time.perf_counter()
    peer.fill(folder, passages)
    seconds = time.perf_counter() - started
    hundredth = 42
    timings = {what: _timed(partial(_keyword, peer, word), runs) for what, word in words.items()}
    timings["semantic"] = _timed(lambda n: peer.semantic(queries[n % len(queries)]), runs)
    timings["semantic, 1 % kept"] = _timed(
        lambda n: peer.filtered(queries[n % len(queries)], hundredth), runs
    )
    kept = [n for n, value in enumerate(passages.hundredth) if value == hundredth]
    recalls = {
        "semantic": _recall(passages, range(len(passages.texts)), queries, peer.semantic),
        "semantic, 1 % kept": _recall(
            passages, kept, queries, lambda vector: peer.filtered(vector, hundredth)
        ),
    }
    return PeerResult(name, _version(name), seconds, timings, recalls)


def _keyword(peer: Peer, words: str, _: int) -> list[int]:
    return peer.keyword(words)


def _recall(
    passages: Passages, among: Sequence[int], queries: Matrix, search: Callable[[Vector], list[int]]
) -> float:
    vectors = passages.vectors[list(among)]
    shares: list[float] = []
    for query in queries:
        exact = [among[int(place)] for place in (-(vectors @ query)).argsort(kind="stable")[:10]]
        shares.append(recall(search(query), exact))
    return sum(shares) / len(shares)


def _timed(run: Callable[[int], object], runs: int) -> Timing:
    for number in range(3):
        run(number)
    seconds: list[float] = []
    for number in range(runs):
        started = time.perf_counter()
        run(number)
        seconds.append(time.perf_counter() - started)
    return Timing.of(seconds)


def _version(name: str) -> str:
    packages = {"SQLite FTS5 + sqlite-vec": "sqlite-vec", "LanceDB": "lancedb", "Chroma": "chromadb"}
    return version(packages[name])
