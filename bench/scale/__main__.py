"""Searches of a large store, and of others beside it: `python -m bench.scale`."""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from bench.corpus import Corpus
from bench.importing import import_file, write_corpus
from bench.memory import import_transcripts, write_session
from bench.scale.filling import Filled, fill_vectors
from bench.scale.ours import CLIENTS, Measured, Ours, measure_toolset, write_records
from bench.scale.peers import Passages, PeerResult, installed_peers, measure_peer
from bench.scale.table import Import, Scale, show
from bench.scale.vectors import Vectors
from bench.searching import COMMON_WORD, RARE_RANK
from bench.subject import Subject, open_subject

TURNS = (2, 4)
"""Turns of a conversation: with subject and summary about five passages with vectors."""

QUERIES = 50
SESSIONS = 300
"""Of agents, beside the vCons."""
COLUMNS_WITHOUT_TERMINAL = 140


def main() -> None:
    """Measure what the arguments ask for."""
    options = _options()
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="vcontract-scale-", ignore_cleanup_errors=True) as name:
        scale = asyncio.run(
            _measure(console, Path(name), options.sizes, options.seed, options.runs, not options.no_peers)
        )
    show(scale, Console() if sys.stdout.isatty() else Console(width=COLUMNS_WITHOUT_TERMINAL))
    if options.json is not None:
        options.json.write_text(json.dumps(asdict(scale), indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument(
        "--sizes",
        type=lambda text: sorted({int(size) for size in text.split(",")}),
        default=[10_000, 100_000],
        metavar="N,M",
        help="vCons in the store at which searches are measured (10000,100000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus and the vectors (1)")
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="runs of each search (100)")
    parser.add_argument(
        "--no-peers",
        action="store_true",
        help="leave out other stores; else those whose packages are installed hold the smallest size",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there as JSON, too")
    return parser.parse_args()


async def _measure(
    console: Console, folder: Path, sizes: list[int], seed: int, runs: int, peers: bool
) -> Scale:
    scale, corpus, queries = Scale(), Corpus(seed, TURNS), Vectors(seed).queries(QUERIES)
    size = 0
    for larger in sizes:
        # the server of the store stops in between, so that each size begins with what an operator has
        async with open_subject(folder / "data", connections=CLIENTS) as subject:
            console.print(f"importing {larger - size:,} vCons …")
            count = write_corpus(corpus.vcons(size, larger), folder / "corpus.jsonl")
            seconds = import_file(subject, folder / "corpus.jsonl", count)
            if size == 0:
                await _fill_other_toolsets(folder, subject, corpus)
            console.print("vectors and their index …")
            filled = await fill_vectors(subject, seed)
            scale.imports.append(Import(count, larger, len(filled.texts), seconds, filled.index_seconds))
            console.print(f"searches of {larger:,} vCons, {len(filled.texts):,} passages …")
            scale.ours[larger] = await Ours(subject, corpus, filled, queries, runs).measure()
            if peers and size == 0:
                scale.peers = await _measure_peers(console, folder, subject, corpus, filled, seed, runs)
        size = larger
        scale.ours[larger] += await _measure_other_toolsets(folder, corpus, runs)
    return scale


async def _fill_other_toolsets(folder: Path, subject: Subject, corpus: Corpus) -> None:
    for number in range(SESSIONS):
        write_session(folder / "projects", number, corpus, 1 + number % 4)
    import_transcripts(subject, folder / "projects", SESSIONS)
    async with open_subject(folder / "data", toolsets=("bridge",)) as bridge:
        await write_records(bridge, corpus)


async def _measure_other_toolsets(folder: Path, corpus: Corpus, runs: int) -> list[Measured]:
    agents = {"search of memory": "search", "reflect_on_past of session": "reflect_on_past"}
    async with open_subject(folder / "data", toolsets=("memory", "session")) as subject:
        found = await measure_toolset(subject, agents, corpus, runs)
    async with open_subject(folder / "data", toolsets=("bridge",)) as subject:
        return found + await measure_toolset(subject, {"search of bridge": "search"}, corpus, runs)


async def _measure_peers(
    console: Console, folder: Path, subject: Subject, corpus: Corpus, filled: Filled, seed: int, runs: int
) -> list[PeerResult]:
    numbers = {vcon: number for number, vcon in enumerate(dict.fromkeys(filled.owners))}
    passages = Passages(filled.texts, filled.vectors, [numbers[owner] % 100 for owner in filled.owners])
    words = {"keyword, rare word": corpus.word(RARE_RANK), "keyword, word of most": COMMON_WORD}
    results: list[PeerResult] = []
    for name, make in installed_peers().items():
        console.print(f"{name} …")
        results.append(
            measure_peer(
                name,
                make(),
                folder / f"peer-{len(results)}",
                passages,
                words,
                Vectors(seed).queries(QUERIES),
                runs,
            )
        )
    return results


if __name__ == "__main__":
    main()
