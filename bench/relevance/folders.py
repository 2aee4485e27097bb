"""Folders of vCons with annotated questions, imported as any user imports them."""

import asyncio
from pathlib import Path
from typing import Final

from bench.importing import timed_import
from bench.relevance.form import Question, RelevanceSet, read_set
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json

_DATA: Final = Path(__file__).parents[3] / "shared" / "data"
MEETINGS: Final = _DATA / "meetings"
FOLDERS: Final = (MEETINGS, _DATA / "scenes")
"""The folders asked by default."""
_MATERIAL: Final = Path(__file__).with_name("material")


def read_folder(folder: Path) -> RelevanceSet:
    """The questions in the folder, and our own that it does not answer; a conversation's id is its UUID."""
    never_said = _MATERIAL / f"{folder.name}.txt"
    set_ = read_set(never_said) if never_said.is_file() else RelevanceSet(folder.name)
    asked = parse_json((folder / "questions.json").read_text(encoding="utf-8"))
    set_.questions.extend(Question(one["question"], "", one["vcon"], one["turns"]) for one in asked)
    return set_


async def store_folder(subject: Subject, folder: Path) -> None:
    """Import and embed the vCons that the store does not have yet.

    Raises: ImportFailed.
    """
    await asyncio.to_thread(timed_import, subject, folder / "vcons.jsonl.gz", _is_complete)
    await subject.application.worker.drain(subject.application.caller.tenant)


def _is_complete(summary: JsonObject) -> bool:
    counts: dict[str, int] = {name: summary[name] for name in ("read", "created", "identical")}
    return counts["created"] + counts["identical"] == counts["read"]
