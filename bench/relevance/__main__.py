"""Asks the questions of relevance sets: `python -m bench.relevance [FILE ...]`.

FILE is text, and its name says what becomes of it: agents*.txt are sessions of an agent, journal*.txt are
entries to capture, languages*.txt conversations of a store apart, all others those of one store. A
conversation begins with "= id | subject | 2025-03-01 09:00", a turn is "Ann: what she said", and
"-- 2025-03-02 10:00" is when the next is said. A question stands below the turn that answers it, behind a
mark: ? has words of the answer, ~ has none, @ asks who or when, ! has a name that misleads; "?2" when the
answer is in the last two turns. A question behind "- " is on the subject, and no turn of the set answers it.
Half of the questions are to choose constants by, half to report.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, astuple
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.relevance.asking import Found, ask_vcons
from bench.relevance.form import HALVES, KINDS, OWN_SETS, Quality, RelevanceSet, half_of, read_set
from bench.relevance.journal import ask_bridge
from bench.relevance.plain import Plain
from bench.relevance.transcripts import ask_sessions
from bench.subject import open_subject
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.minilm import MiniLm


def main() -> None:
    """Ask, and print what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "files", nargs="*", type=Path, default=OWN_SETS, metavar="FILE", help="sets (our own)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every rank there as JSON, too")
    options = parser.parse_args()
    sets = [read_set(file) for file in options.files]
    with tempfile.TemporaryDirectory(prefix="vcontract-relevance-", ignore_cleanup_errors=True) as name:
        found = asyncio.run(_find(Path(name), sets))
    console = Console() if sys.stdout.isatty() else Console(width=120)
    for table in (*(_table(found, half) for half in HALVES), _kinds(found), _strengths(found)):
        console.print(table)
    if options.json is not None:
        options.json.write_text(
            json.dumps([_document(one) for one in found], indent=1) + "\n", encoding="utf-8"
        )


async def _find(folder: Path, sets: list[RelevanceSet]) -> list[Found]:
    """What each toolset finds of the sets that belong to it, and what is found without any."""
    agents = [set_ for set_ in sets if set_.name.startswith("agents")]
    journals = [set_ for set_ in sets if set_.name.startswith("journal")]
    languages = [set_ for set_ in sets if set_.name.startswith("languages")]
    vcons = [set_ for set_ in sets if set_ not in (*agents, *journals, *languages)]
    found: list[Found] = []
    for name, together in (("vcons", vcons), ("languages", languages)):
        if together:
            async with open_subject(folder / name) as subject:
                found += await ask_vcons(subject, together)
    for number, set_ in enumerate(agents):
        async with open_subject(folder / f"agents-{number}", toolsets=("memory", "session")) as subject:
            found += await ask_sessions(subject, set_, folder / f"sessions-{number}")
    for number, set_ in enumerate(journals):
        async with open_subject(folder / f"journal-{number}", toolsets=("bridge",)) as subject:
            found.append(await ask_bridge(subject, set_))
    model = MiniLm()
    for together in (vcons, languages, *([set_] for set_ in (*agents, *journals))):
        if together:
            plain = Plain(together, model, size=2 if together[0] in agents else 1)
            found += [one for set_ in together for one in plain.ask(set_)]
    order = {set_.name: number for number, set_ in enumerate(sets)}
    return sorted(found, key=lambda one: order[one.set.name])


def _table(found: list[Found], half: str) -> Table:
    columns = [f"{level} {measure}" for level in ("conv.", "turn") for measure in ("@5", "@10", "MRR")]
    table = Table("material", "way", *columns, title_justify="left")
    table.title = f"Questions to {half} by (< is worse than one of its parts)"
    figures = {(one.set.name, one.way): _figures(one, half) for one in found}
    for one in found:
        own = figures[one.set.name, one.way]
        parts = [figures[one.set.name, part] for part in one.parts]
        cells = [
            f"{figure:.3f}{' <' if any(part[column] > figure for part in parts) else ''}"
            for column, figure in enumerate(own)
        ]
        table.add_row(one.set.name, one.way, *cells)
    return table


def _kinds(found: list[Found]) -> Table:
    """Turn recall at 10 by kind of question, over both halves."""
    table = Table("material", "way", *KINDS.values(), title="Turn @10 by kind", title_justify="left")
    for one in found:
        cells: list[str] = []
        for kind in KINDS.values():
            ranks = [rank.turn for asked, rank in one.answered() if asked.kind == kind]
            cells.append(f"{Quality.of(ranks).recall_at_10:.2f} of {len(ranks)}")
        table.add_row(one.set.name, one.way, *cells)
    return table


def _strengths(found: list[Found]) -> Table:
    """How strong what comes first is said to be, where it is right and where nothing is."""
    columns = [f"{what} to {half}" for what in ("right,", "never said,") for half in HALVES]
    table = Table("material", "way", *columns, "about nothing", title_justify="left")
    table.title = "Strong, fair and weak among what comes first"
    for one in found:
        if not any(one.strengths):
            continue
        right = [
            (asked.half, strength)
            for (asked, rank), strength in zip(one.answered(), one.strengths, strict=True)
            if rank.conversation == 1
        ]
        never_said = list(zip(map(half_of, one.set.never_said), one.never_said, strict=True))
        cells = [
            _three(Counter(strength for of, strength in strengths if of == half))
            for strengths in (right, never_said)
            for half in HALVES
        ]
        table.add_row(one.set.name, one.way, *cells, _three(Counter(one.nonsense)))
    return table


def _three(counts: Counter[str]) -> str:
    return ", ".join(str(counts[strength]) for strength in ("strong", "fair", "weak"))


def _figures(one: Found, half: str) -> list[float]:
    """The measures of conversations, and those of turns."""
    ranks = [rank for asked, rank in one.answered() if asked.half == half]
    levels = ([rank.conversation for rank in ranks], [rank.turn for rank in ranks])
    return [figure for level in levels for figure in astuple(Quality.of(level))]


def _document(one: Found) -> JsonObject:
    asked = [
        {"question": asked.text, "kind": asked.kind, "half": asked.half, **asdict(rank)}
        for asked, rank in one.answered()
    ]
    return {
        "material": one.set.name,
        "way": one.way,
        "questions": asked,
        "never_said": list(one.never_said),
        "nonsense": list(one.nonsense),
    }


if __name__ == "__main__":
    main()
