"""The prompts of autoframe and autoweave: our words, and the material fenced off from them."""

import json
import secrets
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Literal, TypeAlias

from vcontract.handlers.bridge.checking import Problem
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.llm.model import Message
from vcontract.runtime.vcon.shipped import shipped_yaml

Prompt: TypeAlias = Literal["framing", "weaving"]


def first_messages(prompt: Prompt, material: JsonObject) -> list[Message]:
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
def _template(prompt: Prompt) -> str:
    return resources.files("vcontract.handlers.bridge").joinpath(f"prompts/{prompt}.md").read_text("utf-8")


@lru_cache
def _meanings(shape: str) -> str:
    """What the values of a shape mean, a line each, as its description in the spec has them."""
    definition: JsonObject = shipped_yaml("shapes", "bridge.yaml")["$defs"][shape]
    values: list[str] = definition["enum"]
    lines: list[str] = definition["description"].splitlines()
    return "\n".join(f"- {line}" for line in lines if line.partition(":")[0] in values)
