"""Compares two runs: `python -m bench.relevance.compare OLD NEW`, each written by `--json FILE`.

Prints every figure that differs, by half, with the error of the difference (paired bootstrap).
A figure is marked when it is worse by more than its error.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.relevance.form import HALVES, Half
from vcontract.runtime.frame.documents.json import JsonObject

RESAMPLES: Final = 2_000
SEED: Final = 1
LOWER_IS_BETTER: Final = ("bytes",)
ALL: Final = "all"
"""The material that holds the questions of all materials."""
Group = tuple[Half, str, str, str]
"""A half, a material, a way, and the name of a figure."""
Run = Mapping[Group, Mapping[str, float]]
"""The figures of single questions in each group."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How a mean changed over the questions of both runs."""

    old: float
    new: float
    error: float

    @property
    def change(self) -> float:
        """The new mean without the old one."""
        return self.new - self.old

    def is_worse(self, figure: str) -> bool:
        """Whether the change is for the worse by more than its error."""
        loss = self.change if figure in LOWER_IS_BETTER else -self.change
        return loss > self.error


def main() -> None:
    """Compare two runs."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance.compare",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the run to compare with")
    parser.add_argument("new", type=Path, metavar="NEW", help="the run to judge")
    options = parser.parse_args()
    old, new = (read_run(json.loads(file.read_text(encoding="utf-8"))) for file in (options.old, options.new))
    differences = compare(old, new)
    console = Console() if sys.stdout.isatty() else Console(width=120)
    for half in HALVES:
        console.print(_table(differences, half))
    changed = sum(one.old != one.new for one in differences.values())
    console.print(f"{changed} of {len(differences)} figures differ.")
    if missing := sorted({group[1:3] for group in old.keys() ^ new.keys()}):
        console.print("In one run only:", "; ".join(f"{material}, {way}" for material, way in missing))


def read_run(documents: Sequence[JsonObject]) -> Run:
    """The figures of a run, of each material and of all together."""
    run: defaultdict[Group, dict[str, float]] = defaultdict(dict)
    for document in documents:
        material, way = document["material"], document["way"]
        for asked, prefix in (("questions", ""), ("never_said", "never said: "), ("nonsense", "nonsense: ")):
            for one in document[asked]:
                question = f"{material} {one.get('conversation_id', '')} {one['question']}"
                for name, figure in one["figures"].items():
                    for of in (material, ALL):
                        run[one["half"], of, way, f"{prefix}{name}"][question] = figure
    return run


def compare(old: Run, new: Run) -> dict[Group, Difference]:
    """The difference of each figure that both runs have, over the questions that both have."""
    differences: dict[Group, Difference] = {}
    for group in (group for group in new if group in old):
        questions = [question for question in new[group] if question in old[group]]
        if questions:
            before, after = (np.array([run[group][one] for one in questions]) for run in (old, new))
            differences[group] = Difference(float(before.mean()), float(after.mean()), _error(after - before))
    return differences


def _error(changes: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    """The standard error of the mean of paired changes.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
    """
    picks = np.random.default_rng(SEED).integers(len(changes), size=(RESAMPLES, len(changes)))
    return float(changes[picks].mean(axis=1).std(ddof=1))


def _table(differences: Mapping[Group, Difference], half: Half) -> Table:
    columns = ("material", "way", "figure", "old", "new", "change ± error", "")
    table = Table(*columns, title=f"Questions to {half} by", title_justify="left")
    for (of, material, way, figure), one in differences.items():
        if of == half and one.old != one.new:
            places = 0 if figure in LOWER_IS_BETTER else 3
            cells = [f"{number:,.{places}f}" for number in (one.old, one.new)]
            change = f"{one.change:+,.{places}f} ± {one.error:,.{places}f}"
            table.add_row(material, way, figure, *cells, change, "worse" if one.is_worse(figure) else "")
    return table


if __name__ == "__main__":
    main()
