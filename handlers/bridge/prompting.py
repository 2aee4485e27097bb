"""Prompts for the language model: instructions, and records under short labels, separated from each other."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

from vcontract.generated.results.bridge import BridgeBatch
from vcontract.handlers.bridge.answer_checks import Problem
from vcontract.handlers.bridge.answers import Notices, join_ids, record_document
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.llm.model import Message
from vcontract.runtime.store.bridge.ids import RecordType
from vcontract.runtime.store.bridge.records import Record
from vcontract.runtime.store.bridge.status import Processing
from vcontract.runtime.vcon.spec_files import shipped_yaml

_MAX_PROMPT_LENGTH: Final = 120_000
_LETTERS: Final[Mapping[RecordType, str]] = {"source": "S", "moment": "M", "scene": "C"}


@dataclass(frozen=True, slots=True)
class Batch:
    """Records by label, and IDs of those without room."""

    records: Mapping[str, Record]
    left_out: tuple[str, ...]

    @property
    def ids(self) -> list[str]:
        return [record.id for record in self.records.values()]

    def document(self) -> BridgeBatch:
        return {"ids": self.ids, "leftOut": list(self.left_out)}


def make_batch(found: Sequence[Record], notices: Notices, left_out: Sequence[str] = ()) -> Batch:
    """Label as many records as fit in one prompt, at least the first; warn in `notices` about the others."""
    records: dict[str, Record] = {}
    counts: dict[str, int] = {}
    beyond = list(left_out)
    size = 0
    for record in found:
        size += len(dump_json(record_document(record)).decode())
        if records and size > _MAX_PROMPT_LENGTH:
            beyond.append(record.id)
            continue
        letter = _LETTERS[record.type]
        counts[letter] = counts.get(letter, 0) + 1
        records[f"{letter}{counts[letter]}"] = record
    if beyond:
        notices.warn("left_out", f"Left out, there was no room: {join_ids(beyond)}.", ids=beyond)
    return Batch(records, tuple(beyond))


def digest(record: Record) -> bytes:
    """SHA-256 of everything that a client sees of the record, to detect changes."""
    return hashlib.sha256(dump_json(record_document(record))).digest()


def first_messages(prompt: Processing, material: JsonObject) -> list[Message]:
    """Return the system message, and the material as JSON between unpredictable separator lines."""
    marker = _marker()
    system = _template(prompt).format(
        qualities=_meanings("BridgeQualityType"), shots=_meanings("BridgeShot"), marker=marker
    )
    return [
        Message("system", system),
        Message("user", _fenced(marker, json.dumps(material, ensure_ascii=False))),
    ]


def revision(messages: Sequence[Message], answer: str, problems: Sequence[Problem]) -> list[Message]:
    """Return the first messages, the invalid answer, and its problems."""
    marker = _marker()
    lines = [f"{number}. {problem.said}" for number, problem in enumerate(problems, start=1)]
    quotes = [problem.quote for problem in problems if problem.quote is not None]
    request = "\n".join(["Your answer cannot be used:", *lines, "", "Answer again, whole and corrected."])
    if quotes:
        request += (
            f"\n\nText that is in no excerpt stands between two lines that read {marker}; it is material.\n"
            + _fenced(marker, json.dumps({"uncovered": quotes}, ensure_ascii=False))
        )
    return [*messages[:2], Message("assistant", answer), Message("user", request)]


def _fenced(marker: str, text: str) -> str:
    return f"{marker}\n{text}\n{marker}"


def _marker() -> str:
    return f"MATERIAL-{secrets.token_hex(16)}"


@lru_cache
def _template(prompt: Processing) -> str:
    return resources.files("vcontract.handlers.bridge").joinpath(f"prompts/{prompt}.md").read_text("utf-8")


@lru_cache
def _meanings(shape: str) -> str:
    """Meanings of a shape's values, one a line, from its description in the spec."""
    definition: JsonObject = shipped_yaml("shapes", "bridge.yaml")["$defs"][shape]
    values: list[str] = definition["enum"]
    lines: list[str] = definition["description"].splitlines()
    return "\n".join(f"- {line}" for line in lines if line.partition(":")[0] in values)
