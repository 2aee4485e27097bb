"""What a language model is given at once: records under short labels, and how they were then."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.handlers.bridge.answers import Notices, listed, record_document
from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.bridge.records import Record
from vcontract.runtime.store.postgres.ids import RecordType

_MOST_CHARACTERS: Final = 120_000
_LETTERS: Final[Mapping[RecordType, str]] = {"source": "S", "moment": "M", "scene": "C"}


@dataclass(frozen=True, slots=True)
class Batch:
    """What the model is given: records by label, and the ids of those that had no room."""

    records: Mapping[str, Record]
    left_out: tuple[str, ...]

    @property
    def ids(self) -> list[str]:
        return [record.id for record in self.records.values()]

    def document(self) -> JsonObject:
        return {"ids": self.ids, "leftOut": list(self.left_out)}


def make_batch(found: Sequence[Record], notices: Notices, left_out: Sequence[str] = ()) -> Batch:
    """Records under short labels, as many as the model is given at once; the first always."""
    records: dict[str, Record] = {}
    counts: dict[str, int] = {}
    beyond = list(left_out)
    size = 0
    for record in found:
        size += len(dump_json(record_document(record)).decode())
        if records and size > _MOST_CHARACTERS:
            beyond.append(record.id)
            continue
        letter = _LETTERS[record.type]
        counts[letter] = counts.get(letter, 0) + 1
        records[f"{letter}{counts[letter]}"] = record
    if beyond:
        notices.warn("left_out", f"Left out, there was no room: {listed(beyond)}.", ids=beyond)
    return Batch(records, tuple(beyond))


def digest(record: Record) -> bytes:
    """Of everything that a client sees of the record."""
    return hashlib.sha256(dump_json(record_document(record))).digest()
