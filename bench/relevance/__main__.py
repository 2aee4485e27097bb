"""Asks the questions of a relevance set: `python -m bench.relevance [FILE]`.

FILE is JSON: {"conversations": [{"id", "subject", "turns": [{"speaker", "text"}]}],
"questions": [{"question", "conversation", "turns": [0]}]}; turns are counted from 0, and any of those
that a question names counts as its answer.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.relevance.asking import Found, ask_all, store_set
from bench.relevance.form import OWN_SET, RelevanceSet, read_set
from bench.relevance.transcripts import ask_memory
from bench.subject import open_subject


def main() -> None:
    """Ask, and print what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "file", nargs="?", type=Path, default=OWN_SET, metavar="FILE", help="the set (our own)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as JSON, too")
    options = parser.parse_args()
    relevance = read_set(options.file)
    with tempfile.TemporaryDirectory(prefix="vcontract-relevance-", ignore_cleanup_errors=True) as name:
        found = asyncio.run(_find(Path(name), relevance))
    console = Console() if sys.stdout.isatty() else Console(width=120)
    console.print(_table(found, relevance))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=2) + "\n", encoding="utf-8")


async def _find(folder: Path, relevance: RelevanceSet) -> list[Found]:
    async with open_subject(folder / "data") as subject:
        found = await ask_all(subject, relevance, await store_set(subject, relevance))
    async with open_subject(folder / "memory", toolsets=("memory",)) as subject:
        return found + await ask_memory(subject, relevance, folder / "sessions")


def _table(found: list[Found], relevance: RelevanceSet) -> Table:
    sizes = f"{len(relevance.questions)} questions about {len(relevance.conversations)} conversations"
    columns = [f"{level} {measure}" for level in ("conversation", "turn") for measure in ("@5", "@10", "MRR")]
    table = Table("mode", *columns, title=sizes, title_justify="left")
    for one in found:
        figures = [
            figure
            for quality in (one.conversations, one.turns)
            for figure in (quality.recall_at_5, quality.recall_at_10, quality.mrr)
        ]
        table.add_row(one.mode, *(f"{figure:.2f}" for figure in figures))
    return table


if __name__ == "__main__":
    main()
