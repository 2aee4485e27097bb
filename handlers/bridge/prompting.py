"""What a language model is given: records under short labels, and our words, fenced off from them."""

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
from vcontract.handlers.bridge.answers import Notices, listed, record_document
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
    """What the model is given: records by label, and the ids of those that had no room."""

    records: Mapping[str, Record]
    left_out: tuple[str, ...]

    @property
    def ids(self) -> list[str]:
        return [record.id for record in self.records.values()]

    def document(self) -> BridgeBatch:
        return {"ids": self.ids, "leftOut": list(self.left_out)}


def make_batch(found: Sequence[Record], notices: Notices, left_out: Sequence[str] = ()) -> Batch:
    """Records under short labels, as many as the model is given at once; the first always."""
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
        notices.warn("left_out", f"Left out, there was no room: {listed(beyond)}.", ids=beyond)
    return Batch(records, tuple(beyond))


def digest(record: Record) -> bytes:
    """Of everything that a client sees of the record."""
    return hashlib.sha256(dump_json(record_document(record))).digest()


def first_messages(prompt: Processing, material: JsonObject) -> list[Message]:
    """The system message, and the material as JSON between two lines that no text in it can know."""
    marker = _marker()
    system = _template(prompt).format(
        qualities=_meanings("BridgeQualityType"), shots=_meanings("BridgeShot"), marker=marker
    )
    return [
        Message("system", system),
        Message("user", _fenced(marker, json.dumps(material, ensure_ascii=False))),
    ]


def revision(messages: Sequence[Message], answer: str, problems: Sequence[Problem]) -> list[Message]:
    """The first messages, the answer to them that was not right, and what is wrong with it."""
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
    """What the values of a shape mean, a line each, as its description in the spec has them."""
    definition: JsonObject = shipped_yaml("shapes", "bridge.yaml")["$defs"][shape]
    values: list[str] = definition["enum"]
    lines: list[str] = definition["description"].splitlines()
    return "\n".join(f"- {line}" for line in lines if line.partition(":")[0] in values)
