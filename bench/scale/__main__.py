"""Every tool at growing sizes of a store that looks like life, beside other stores: `python -m bench.scale`.

Results are added to those of earlier runs in FILE, and all of them are printed as Markdown. A store that
is in the folder already is measured as it is.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import asyncpg
import numpy as np
from pgvector.asyncpg import register_vector

from bench.scale.calls import Questions
from bench.scale.exactness import recalls
from bench.scale.lengths import shapes
from bench.scale.peers import Passages, PeerQuery, PeerResult, measure_peer, peers
from bench.scale.relevance import answers
from bench.scale.stores import Filled, corpus
from bench.scale.tables import markdown
from bench.subject import Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json

PARTS = ("corpus", "calls", "recall", "peers")
ROOT = Path(__file__).parents[2]
PEER_RUNS = 40


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument(
        "--sizes",
        type=lambda text: sorted({int(size) for size in text.split(",")}),
        default=[1_000, 20_000],
        metavar="N,M",
        help="conversations in the stores (1000,20000)",
    )
    parser.add_argument("--stores", type=Path, metavar="FOLDER", help="keep the stores there")
    parser.add_argument(
        "--before",
        metavar="REF",
        help="measure this release, too: a git ref, checked out and set up, or the folder of a checkout",
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="measure only this part (repeatable)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the results to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vcontract-scale-", ignore_cleanup_errors=True) as name:
        temporary = Path(name)
        bench = _Bench(
            options.stores or temporary, temporary, options.sizes, options.only or PARTS, options.json
        )
        releases = {"now": Path(sys.executable)}
        if options.before:
            releases["before"] = _python_of(options.before, temporary)
        asyncio.run(bench.measure(releases))
    print(markdown(bench.run))


def _python_of(before: str, temporary: Path) -> Path:
    """The Python of a release, in a virtual environment of its own."""
    folder = Path(before)
    if not folder.is_dir():
        folder = temporary / "before"
        subprocess.run(["git", "worktree", "add", "--detach", str(folder), before], cwd=ROOT, check=True)  # noqa: S603, S607
        subprocess.run(["make", "setup"], cwd=folder, check=True)  # noqa: S607
    return folder.absolute() / ".venv" / "bin" / "python"


class _Bench:
    """One run, whose results are in `run`, and after each part in its file."""

    def __init__(
        self, stores: Path, temporary: Path, sizes: Sequence[int], parts: Sequence[str], file: Path | None
    ) -> None:
        self._stores, self._temporary = stores, temporary
        self._sizes, self._parts, self._file = sizes, parts, file
        self.run: JsonObject = parse_json(file.read_bytes()) if file and file.exists() else {}

    async def measure(self, releases: dict[str, Path]) -> None:
        if "corpus" in self._parts:
            self.run["corpus"] = [asdict(shape) for shape in shapes(corpus(), self._sizes[0])]
            self._save()
        for size in self._sizes:
            for release, python in releases.items():
                folder = self._stores / f"{release}-{size}"
                if Filled.read(folder) is None:
                    _say(f"filling {folder.name} …")
                    self._module(python, "stores", str(folder), str(size))
                filled = Filled.read(folder)
                assert filled is not None
                self._put("stores", release, size, asdict(filled))
                if "calls" in self._parts:
                    _say(f"calls of {folder.name} …")
                    self._put("calls", release, size, parse_json(self._module(python, "calls", str(folder))))
            if "recall" in self._parts:
                _say(f"recall at {size:,} …")
                self._put("recall", "now", size, dict(await recalls(self._stores / f"now-{size}", size)))
            if "peers" in self._parts and size == self._sizes[0]:
                await self._peers(size)

    async def _peers(self, size: int) -> None:
        questions = Questions(corpus(), size)
        asked = [PeerQuery(*pair) for pair in zip(questions.texts, questions.vectors, strict=True)]
        measured: list[PeerResult] = []
        async with open_subject(self._stores / f"now-{size}" / "data") as subject:
            passages = await _passages(subject)
            for key, peer in peers(self._temporary / "peers", subject.application.database.owner_url).items():
                _say(f"{key[0]} …")
                measured.append(await measure_peer(key, peer, passages, asked, PEER_RUNS))
        self.run["peers"] = [asdict(result) for result in measured]
        self._save()
        _say("relevance …")
        ours, measured = await answers(self._temporary / "relevance", measured)
        self.run["peers"] = [asdict(result) for result in measured]
        self.run["answers"] = list(ours)
        self._save()

    def _put(self, part: str, release: str, size: int, found: JsonObject) -> None:
        self.run.setdefault(part, {}).setdefault(release, {})[str(size)] = found
        self._save()

    def _save(self) -> None:
        if self._file:
            self._file.write_text(json.dumps(self.run, indent=1) + "\n", encoding="utf-8")

    def _module(self, python: Path, module: str, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603  (our own modules)
            [str(python), "-m", f"bench.scale.{module}", *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout


async def _passages(subject: Subject) -> Passages:
    """What the conversations of a store are found by."""
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await register_vector(connection)
        rows = await connection.fetch(
            "select p.content, e.vector, t.value from vcontract.passage p"
            " join vcontract.embedding e using (tenant, kind, id, part, element, chunk)"
            " join vcontract.tag t on t.tenant = p.tenant and t.vcon = p.id and t.key = 'hundredth'"
            " where p.kind = 'vcon'"
        )
    finally:
        await connection.close()
    vectors = np.array([row["vector"].to_numpy() for row in rows], np.float32)
    return Passages([row["content"] for row in rows], vectors, [int(row["value"]) for row in rows])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
