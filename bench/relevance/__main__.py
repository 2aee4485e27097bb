"""Asks the questions of relevance sets: `python -m bench.relevance [FILE ...]`.

FILE is text, and its name says what becomes of it: agents*.txt are sessions of an agent, journal*.txt are
entries to capture, languages*.txt conversations of a store apart, all others those of one store. A
conversation begins with "= id | subject | 2025-03-01 09:00", a turn is "Ann: what she said", and
"-- 2025-03-02 10:00" is when the next is said. A question stands below the turn that answers it, behind a
mark: ? has words of the answer, ~ has none, @ asks who or when, ! has a name that misleads; "?2" when the
answer is in the last two turns. A question behind "- " is on the subject, and no turn of the set answers it.
Half of the questions are to choose constants by, half to report. FILE may also be a folder with
vcons.jsonl.gz and questions.json, as ../shared/data/meetings and scenes are; embedding takes minutes.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console

from bench.relevance.asking import SearchOutcome, ask_vcons, store_vcons
from bench.relevance.evidence import Evidence, ask_recall
from bench.relevance.folders import FOLDERS, read_folder, store_folder
from bench.relevance.form import HALVES, NONSENSE, OWN_SETS, Question, RelevanceSet, half_of, read_set
from bench.relevance.journal import ask_bridge
from bench.relevance.plain import Plain
from bench.relevance.tables import show_answerable, show_evidence, show_kinds, show_ranks, show_strengths
from bench.relevance.transcripts import ask_sessions
from bench.subject import open_subject
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.frame.documents.json import JsonObject

UNSUPPORTED: Final = ("", "weak", "nothing_found")
"""What says that nothing stored answers; empty where nothing is listed."""
WIDTH_WITHOUT_TERMINAL: Final = 150


def main() -> None:
    """Ask, and print what was found."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="sets (ours, meetings, scenes)")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the stores of folders there for the next run"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every rank there as JSON, too")
    options = parser.parse_args()
    files: list[Path] = options.files or _default_files()
    sets = [read_set(file) for file in files if not file.is_dir()]
    with tempfile.TemporaryDirectory(prefix="vcontract-relevance-", ignore_cleanup_errors=True) as name:
        found, evidence = asyncio.run(_find(Path(name), sets))
        for folder in (file for file in files if file.is_dir()):
            store = (options.keep or Path(name) / "folders") / folder.name
            of_folder = asyncio.run(_find_in_folder(store, folder))
            found += of_folder[0]
            evidence += of_folder[1]
    _show(found, evidence)
    if options.json is not None:
        documents = [*map(_document, found), *map(_document, evidence)]
        options.json.write_text(json.dumps(documents, indent=1) + "\n", encoding="utf-8")


def _default_files() -> list[Path]:
    for folder in FOLDERS:
        if not folder.is_dir():
            print(f"Skipping {folder.name}: {folder} does not exist.", file=sys.stderr)
    return [*OWN_SETS, *(folder for folder in FOLDERS if folder.is_dir())]


async def _find(folder: Path, sets: list[RelevanceSet]) -> tuple[list[SearchOutcome], list[Evidence]]:
    """What each toolset finds of the sets that belong to it, and what is found without any."""
    agents = [set_ for set_ in sets if set_.name.startswith("agents")]
    journals = [set_ for set_ in sets if set_.name.startswith("journal")]
    languages = [set_ for set_ in sets if set_.name.startswith("languages")]
    vcons = [set_ for set_ in sets if set_ not in (*agents, *journals, *languages)]
    found: list[SearchOutcome] = []
    evidence: list[Evidence] = []
    for name, together in (("vcons", vcons), ("languages", languages)):
        if together:
            async with open_subject(folder / name) as subject:
                uuids = await store_vcons(subject, together)
                found += await ask_vcons(subject, together, uuids)
                evidence += await ask_recall(subject, together, uuids)
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
    return sorted(found, key=lambda one: order[one.set.name]), evidence


async def _find_in_folder(store: Path, folder: Path) -> tuple[list[SearchOutcome], list[Evidence]]:
    """What is found of the vCons in the folder, which are imported into the store if need be."""
    set_ = read_folder(folder)
    async with open_subject(store) as subject:
        await store_folder(subject, folder)
        return await ask_vcons(subject, [set_], {}), await ask_recall(subject, [set_], {})


def _show(found: list[SearchOutcome], evidence: list[Evidence]) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH_WITHOUT_TERMINAL)
    tables = [*(show_ranks(found, half) for half in HALVES), show_kinds(found), show_strengths(found)]
    if evidence:
        tables += [*(show_evidence(evidence, half) for half in HALVES), show_answerable(evidence)]
    for table in tables:
        console.print(table)


def _document(one: SearchOutcome | Evidence) -> JsonObject:
    """The figures of each question, as `bench.relevance.compare` reads them."""
    return {
        "material": one.set.name,
        "way": one.way,
        "questions": list(_answered(one) if isinstance(one, SearchOutcome) else _recalled(one)),
        "never_said": _unanswered(one.set.never_said, one.never_said),
        "nonsense": _unanswered(NONSENSE, one.nonsense),
    }


def _answered(one: SearchOutcome) -> Iterator[JsonObject]:
    for number, (asked, rank) in enumerate(one.answered()):
        figures = rank.figures()
        if any(one.strengths):
            figures["not weak"] = float(one.strengths[number] not in UNSUPPORTED)
        yield {**_question(asked), **asdict(rank), "figures": figures}


def _recalled(one: Evidence) -> Iterator[JsonObject]:
    for asked, recalled in one.answered():
        figures = {**recalled.figures(asked), "likely": float(recalled.answerable == "likely")}
        yield {**_question(asked), "answerable": recalled.answerable, "figures": figures}


def _question(asked: Question) -> JsonObject:
    return {
        "question": asked.text,
        "conversation_id": asked.conversation,
        "kind": asked.kind,
        "half": asked.half,
    }


def _unanswered(questions: Sequence[str], judgements: tuple[str, ...]) -> list[JsonObject]:
    """What was said of questions without an answer; nothing where a way says nothing."""
    return [
        {
            "question": text,
            "half": half_of(text),
            "said": said,
            "figures": {"nothing found": float(said in UNSUPPORTED)},
        }
        for text, said in zip(questions, judgements, strict=False)
    ]


if __name__ == "__main__":
    main()
