"""How much of the evidence the tools return, asked as LoCoMo is: `python -m bench.locomo PLACE`.

PLACE is the public file locomo10.json (github.com/snap-research/locomo, CC BY-NC 4.0), or a folder with
vcons.jsonl.gz and questions.json. A question there is {"question", "filters", "evidence": [[uuid, turn]],
"kind"}; `filters` are those of vcon_search, and a question of the kind "never said" has no answer. Each
question is asked within its filters, which select one chat. session and turns are the mean share of the
evidence among the first results of vcon_search; a turn is whether any of it is there. The share that
vcon_recall shows within a budget of tokens follows. No constant of vcontract was chosen on LoCoMo.
"""

import argparse
import asyncio
import gzip
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from rich.console import Console
from rich.table import Table

from bench.relevance.asking import ITEMS, found_items, places_of
from bench.relevance.evidence import BUDGETS, JUDGED, TOOL
from bench.relevance.figures import Mean
from bench.relevance.folders import store_folder
from bench.subject import Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json

NEVER_SAID: Final = "never said"
DEPTHS: Final = (5, 10)
_KINDS: Final = {1: "several turns", 2: "time", 3: "inference", 4: "one turn", 5: NEVER_SAID}
"""Kinds of questions by the file's category."""
_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_DATE: Final = "%I:%M %p on %d %B, %Y"
_TURN: Final = timedelta(seconds=30)
Figures = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and where its answer stands."""

    text: str
    kind: str
    filters: JsonObject
    evidence: frozenset[tuple[str, int]]


def read_questions(folder: Path) -> list[Asked]:
    """Read the questions of a folder that have evidence, and report how many have none."""
    every = parse_json((folder / "questions.json").read_text(encoding="utf-8"))
    asked = [
        Asked(one["question"], one["kind"], one["filters"], frozenset((id_, turn) for id_, turn in evidence))
        for one in every
        if (evidence := one["evidence"])
    ]
    if without := len(every) - len(asked):
        print(f"{without} of {len(every)} questions have no evidence and are not asked.", file=sys.stderr)
    return asked


def convert(file: Path, folder: Path) -> int:
    """Write the public file in the form of a folder. Returns how many references to turns lead nowhere."""
    unknown = 0
    questions: list[JsonObject] = []
    with gzip.open(folder / "vcons.jsonl.gz", "wb") as lines:
        for sample in parse_json(file.read_text(encoding="utf-8")):
            turns: dict[tuple[int, int], tuple[str, int]] = {}
            for number, vcon in _sessions(sample):
                lines.write(dump_json(vcon) + b"\n")
                turns |= {(number, turn + 1): (vcon["uuid"], turn) for turn in range(len(vcon["dialog"]))}
            for one in sample["qa"]:
                named = [
                    (int(session), int(turn))
                    for session, turn in _EVIDENCE.findall(" ".join(one["evidence"]))
                ]
                unknown += sum(place not in turns for place in named)
                question: JsonObject = {
                    "question": one["question"],
                    "kind": _KINDS[one["category"]],
                    "filters": {"tags": {"sample": sample["sample_id"]}},
                    "evidence": [[*turns[place]] for place in dict.fromkeys(named) if place in turns],
                }
                questions.append(question)
    (folder / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    return unknown


def _sessions(sample: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """Each session of a chat by its number, as a vCon."""
    chat: JsonObject = sample["conversation"]
    people: list[str] = [chat["speaker_a"], chat["speaker_b"]]
    for name, said in chat.items():
        if (session := _SESSION.fullmatch(name)) is None or not said:
            continue
        began = datetime.strptime(f"{chat[f'{name}_date_time']} +0000", f"{_DATE} %z").astimezone(UTC)
        tags = dump_json([f"sample:{sample['sample_id']}"]).decode()
        yield (
            int(session[1]),
            {
                "vcon": "0.4.0",
                "uuid": str(uuid5(NAMESPACE_URL, f"{sample['sample_id']}/{name}")),
                "created_at": began.isoformat(),
                "parties": [{"name": person, "validation": "none"} for person in people],
                "dialog": [
                    {
                        "type": "text",
                        "start": (began + number * _TURN).isoformat(),
                        "parties": [people.index(turn["speaker"])],
                        "originator": people.index(turn["speaker"]),
                        "mediatype": "text/plain",
                        "encoding": "none",
                        "body": _words(turn),
                    }
                    for number, turn in enumerate(said)
                ],
                "attachments": [
                    {
                        "purpose": "tags",
                        "start": began.isoformat(),
                        "party": 0,
                        "encoding": "json",
                        "body": tags,
                    }
                ],
            },
        )


def _words(turn: JsonObject) -> str:
    """The text of a turn, with the caption of its picture."""
    caption: str = turn.get("blip_caption", "")
    return f"{turn['text']} [photo: {caption}]" if caption else turn["text"]


async def measure(subject: Subject, asked: Asked) -> Figures:
    """Ask one question, and compare what is returned with its evidence."""
    items = await found_items(
        subject,
        {
            "mode": "hybrid",
            "query": asked.text,
            "filters": asked.filters,
            "include": ["core"],
            "limit": ITEMS,
            "hits_per_item": ITEMS,
        },
    )
    sessions = [item["uuid"] for item in items]
    wanted = {id_ for id_, _ in asked.evidence}
    figures = {f"session @{depth}": len(wanted & {*sessions[:depth]}) / len(wanted) for depth in DEPTHS}
    places = list(places_of(items))
    for depth in DEPTHS:
        listed = {(id_, turn) for id_, turns in places[:depth] for turn in turns}
        figures[f"a turn @{depth}"] = float(bool(asked.evidence & listed))
        figures[f"turns @{depth}"] = len(asked.evidence & listed) / len(asked.evidence)
    for budget in BUDGETS:
        recalled = await subject.call(
            TOOL, {"query": asked.text, "filters": asked.filters, "max_tokens": budget}
        )
        shown = {
            (item["id"], turn["turn"])
            for item in recalled["items"]
            for turn in item["turns"]
            if "turn" in turn
        }
        figures[f"in {budget:,}"] = len(asked.evidence & shown) / len(asked.evidence)
        if budget == JUDGED:
            figures["likely"] = float(recalled["meta"]["answerable"] == "likely")
    return figures


def table_of(found: Sequence[tuple[Asked, Figures]]) -> Table:
    """The mean of each figure, by kind of question and over all that have an answer."""
    names = [*found[0][1]]
    table = Table("kind", "questions", *names, title="LoCoMo's questions", title_justify="left")
    kinds = list(dict.fromkeys(asked.kind for asked, _ in found))
    groups = {kind: [figures for asked, figures in found if asked.kind == kind] for kind in kinds}
    groups["all with an answer"] = [figures for asked, figures in found if asked.kind != NEVER_SAID]
    for kind, rows in groups.items():
        means = [f"{Mean.of(row[name] for row in rows).value:.3f}" for name in names]
        table.add_row(kind, str(len(rows)), *means)
    return table


async def ask(store: Path, folder: Path, every: int) -> list[tuple[Asked, Figures]]:
    """Import the chats of a folder into a store if need be, and ask every so manieth question."""
    async with open_subject(store) as subject:
        await store_folder(subject, folder)
        return [(asked, await measure(subject, asked)) for asked in read_questions(folder)[::every]]


def main() -> None:
    """Ask the questions of the place that is given."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.locomo", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("place", type=Path, metavar="PLACE", help="locomo10.json, or a folder")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the store there for the next run")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vcontract-locomo-", ignore_cleanup_errors=True) as name:
        folder: Path = options.place
        if folder.is_file():
            folder = Path(name)
            if unknown := convert(options.place, folder):
                print(f"{unknown} references are to turns that do not exist.", file=sys.stderr)
        found = asyncio.run(ask(options.keep or Path(name) / "store", folder, options.every))
    console = Console() if sys.stdout.isatty() else Console(width=190)
    console.print(table_of(found))


if __name__ == "__main__":
    main()
