"""A stored vCon, as read from its rows."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.tables import VCON, ConformanceDocument
from vcontract.runtime.vcon.tags import TagValue, tag_value, write_tags
from vcontract.runtime.vcon.transcript import TranscriptTurn, read_transcript


class ArrayCounts(TypedDict):
    """Lengths of the four component arrays."""

    parties: int
    dialog: int
    analysis: int
    attachments: int


@dataclass(frozen=True, slots=True)
class StoredVcon:
    """A loaded vCon. `arrays` holds the requested component arrays."""

    uuid: UUID
    created_at: datetime
    began_at: datetime
    """When the conversation began: its earliest dialog, else `created_at`."""
    stored_at: datetime
    updated_at: datetime
    head: JsonObject
    metadata: JsonObject
    conformance: ConformanceDocument
    signed: bool
    tag_carriers: str
    row_counts: dict[str, int]
    arrays: dict[str, list[JsonObject]]
    summaries: list[JsonObject]
    tags: dict[str, TagValue]
    dealer: JsonObject | None
    is_older: bool = False
    """Whether a newer version is stored, if `version` was among the parts."""

    @property
    def version(self) -> str:
        """`older`, `redacted` or both, as compared with other versions; empty for the newest whole one."""
        redacted = self.head.get("redacted_from") or self.head.get("redacted")
        return " ".join(name for name, holds in (("older", self.is_older), ("redacted", redacted)) if holds)

    def raw(self) -> JsonObject:
        """Return the vCon as in its rows, ignoring later tag changes. All arrays must be loaded."""
        return {
            name: self.arrays[name] if name in ARRAYS and value is not None else value
            for name, value in self.head.items()
        }

    def document(self, arrays: Collection[str] = ARRAYS) -> JsonObject:
        """Return the vCon with these component arrays (which must be loaded), and tags in their carriers."""
        # an array that was not loaded has placeholders, because new tag carriers refer to indexes
        whole: JsonObject = {
            name: self.arrays.get(name, [{}] * self.row_counts[name])
            if name in ARRAYS and value is not None
            else value
            for name, value in self.head.items()
        }
        if "attachments" in self.arrays or "attachments" in arrays or self.tag_carriers != "attachments":
            whole = write_tags(whole, self.tags)
        return {name: value for name, value in whole.items() if name not in ARRAYS or name in arrays}

    @property
    def subject(self) -> str:
        """Subject of a vCon; empty if it is not text."""
        subject = self.head.get("subject")
        return subject if isinstance(subject, str) else ""

    @property
    def counts(self) -> ArrayCounts:
        """Lengths of the four arrays in `document`."""
        appended = bool(self.tags) and self.tag_carriers == "none"
        rows = self.row_counts
        return {
            "parties": rows["parties"],
            "dialog": rows["dialog"],
            "analysis": rows["analysis"],
            "attachments": rows["attachments"] + appended,
        }


def stored_vcon(record: asyncpg.Record, parts: Collection[str]) -> StoredVcon:
    """Read the vCon from a row of `load_vcons`, with the requested `parts`."""
    columns = {
        "parties": "party_docs",
        "dialog": "dialog_docs",
        "analysis": "analysis_docs",
        "attachments": "attachment_docs",
    }
    loaded = {array for array in ARRAYS if array in parts}
    if record["tag_carriers"] == "top_level":
        loaded.add("attachments")
    return StoredVcon(
        **VCON.loaded(record),
        signed=record["signed"],
        row_counts={
            "parties": record["parties"],
            "dialog": record["dialogs"],
            "analysis": record["analyses"],
            "attachments": record["attachments"],
        },
        arrays={array: _documents(record[columns[array]]) for array in ARRAYS if array in loaded},
        summaries=_documents(record["summary_docs"]),
        tags={key: tag_value(value, type_) for key, value, type_ in _documents(record["tags"])},
        dealer=parse_json(record["dealer"]) if record["dealer"] is not None else None,
        is_older=record["is_older"],
    )


def stored_turns(row: asyncpg.Record) -> tuple[TranscriptTurn, ...]:
    """Read the turns from a row of `turns_of_vcons`, each with its own number."""
    transcripts = _by_index(row["transcripts"])
    dialogs = dict(sorted(_by_index(row["dialog"]).items()))
    vcon: JsonObject = {
        "parties": _documents(row["parties"]),
        "dialog": [*dialogs.values()],
        "analysis": [transcripts.get(index) for index in range(max(transcripts, default=-1) + 1)],
    }
    turns = read_transcript(vcon)
    if len(dialogs) == row["dialogs"]:
        return turns
    # only some turns were loaded, each with its own number
    places = [*dialogs]
    return tuple(
        replace(turn, number=places[turn.dialog], dialog=places[turn.dialog])
        for turn in turns
        if turn.dialog is not None
    )


def _by_index(text: str | None) -> dict[int, JsonObject]:
    return {each["index"]: each["doc"] for each in _documents(text)}


def _documents(text: str | None) -> list[JsonObject]:
    return parse_json(text) if text is not None else []
