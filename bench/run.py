"""Runs the benchmarks and prints what they found: `python -m bench.run`."""

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench.beside import measure_beside
from bench.calls import measure_calls
from bench.corpus import Corpus
from bench.importing import import_file, measure_import, write_corpus
from bench.meaning import measure_finding
from bench.measure import Effort, Timing
from bench.report import Growth, Report
from bench.searching import MIDDLE_WORD, measure_searches
from bench.subject import Subject, open_subject
from bench.transport import measure_starts, measure_transport

COLUMNS_WITHOUT_TERMINAL = 130
PARTS = ("import", "searches", "calls", "transport", "starts", "beside", "meaning")


def main() -> None:
    """Measure what the arguments ask for."""
    options = _options()
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="vcontract-bench-", ignore_cleanup_errors=True) as name:
        report = asyncio.run(
            measure_all(
                console, Path(name), options.sizes, options.seed, Effort.of(options.runs), options.only
            )
        )
    report.show(Console() if sys.stdout.isatty() else Console(width=COLUMNS_WITHOUT_TERMINAL))
    if options.json is not None:
        options.json.write_text(json.dumps(report.document(), indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument(
        "--sizes",
        type=lambda text: sorted({int(size) for size in text.split(",")}),
        default=[1_000, 10_000],
        metavar="N,M",
        help="sizes of the corpus at which searches are measured (1000,10000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus (1)")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each measurement (7 to 200, by kind)")
    parser.add_argument(
        "--only",
        type=_parts,
        default=frozenset(PARTS),
        metavar="PART,PART",
        help=f"measure only these of {', '.join(PARTS)}; the corpus is imported in any case",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there as JSON, too")
    return parser.parse_args()


def _parts(text: str) -> frozenset[str]:
    parts = frozenset(text.split(","))
    if unknown := sorted(parts - set(PARTS)):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: expected some of {', '.join(PARTS)}")
    return parts


async def measure_all(
    console: Console, folder: Path, sizes: list[int], seed: int, effort: Effort, parts: frozenset[str]
) -> Report:
    """The parts, in one run on one store; the corpus grows from size to size."""
    report, corpus = Report(), Corpus(seed)
    found: dict[str, dict[int, Timing]] = {}
    async with open_subject(folder / "data") as subject:
        size = 0
        for larger in sizes:
            seconds = _grow(console, subject, corpus, folder / "corpus.jsonl", size, larger)
            if size == 0 and "import" in parts:
                console.print("COPY of the same rows …")
                report.rates.append(await measure_import(subject, larger, seconds))
            size = larger
            if "searches" in parts:
                console.print(f"searches at {size:,} …")
                for what, timing in (await measure_searches(subject, corpus, effort.searches)).items():
                    found.setdefault(what, {})[size] = timing
        uuid, word = corpus.vcon(size // 2)["uuid"], MIDDLE_WORD
        if "beside" in parts and sys.platform == "linux":
            console.print("memory, and calls while text is embedded …")
            report.memory, ratios = await measure_beside(subject, uuid, effort.windows, effort.servers)
            report.ratios += ratios
        if "calls" in parts:
            console.print("calls in process …")
            report.ratios += await measure_calls(subject, uuid, word, effort.calls)
        if "transport" in parts:
            console.print("calls over stdio …")
            report.ratios += await measure_transport(subject, uuid, word, effort.calls)
        if "starts" in parts:
            console.print("starts …")
            report.ratios += await measure_starts(subject, effort.starts)
    if "meaning" in parts:
        console.print("writes until they are found by meaning …")
        async with open_subject(folder / "idle") as idle:
            report.ratios.append(await measure_finding(idle, corpus, effort.writes))
    report.growths += [Growth(what, timings) for what, timings in found.items()]
    return report


def _grow(console: Console, subject: Subject, corpus: Corpus, file: Path, start: int, end: int) -> float:
    """Import the vCons from `start` up to `end`; the seconds of the import."""
    console.print(f"importing {end - start:,} vCons …")
    count = write_corpus(corpus.vcons(start, end), file)
    return import_file(subject, file, count)


if __name__ == "__main__":
    main()
