"""Recorded meetings with annotated questions: a folder of vCons, imported as any user imports them."""

import asyncio
from pathlib import Path
from typing import Final

from bench.importing import timed_import
from bench.relevance.form import Question, RelevanceSet, read_set
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json

MEETINGS: Final = Path(__file__).parents[3] / "shared" / "data" / "meetings"
"""The folder asked by default."""
_NEVER_SAID: Final = Path(__file__).with_name("material") / "meetings.txt"


def read_meetings(folder: Path) -> RelevanceSet:
    """The questions in the folder, and our own that no meeting answers; a conversation's id is its UUID."""
    set_ = read_set(_NEVER_SAID)
    asked = parse_json((folder / "questions.json").read_text(encoding="utf-8"))
    set_.questions.extend(Question(one["question"], "", one["vcon"], one["turns"]) for one in asked)
    return set_


async def store_meetings(subject: Subject, folder: Path) -> None:
    """Import and embed the meetings that the store does not have yet.

    Raises: ImportFailed.
    """
    await asyncio.to_thread(timed_import, subject, folder / "vcons.jsonl.gz", _is_complete)
    await subject.application.worker.drain(subject.application.caller.tenant)


def _is_complete(summary: JsonObject) -> bool:
    counts: dict[str, int] = {name: summary[name] for name in ("read", "created", "identical")}
    return counts["created"] + counts["identical"] == counts["read"]
