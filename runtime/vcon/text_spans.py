"""Spans of text in a vCon, and the words in them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import regex

from vcontract.runtime.frame.documents.findings import Step
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.vcon.bodies import decode_base64url

BASE64: Final = ("base64url", "base64")
"""Body encodings that must be decoded to read the text."""
_STEP: Final = regex.compile(r"\.([\w-]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")


class BadSpan(ValueError):
    """A span does not exist; the message says why."""


@dataclass(frozen=True, slots=True)
class Span:
    """Character range in a text of a vCon; for a base64 body, in the decoded text."""

    path: str
    start: int
    end: int


def words_of(vcon: JsonObject, spans: Iterable[Span]) -> tuple[str, ...]:
    """Return the words in the spans. Raises: BadSpan."""
    return tuple(_words(vcon, span) for span in spans)


def _words(vcon: JsonObject, span: Span) -> str:
    holder: JsonValue = None
    value: JsonValue = vcon
    for step in _steps(span.path):
        holder, value = value, _below(value, step)
    is_encoded = is_object(holder) and holder.get("encoding") in BASE64 and holder.get("body") is value
    text = text_in(value) if isinstance(value, str) and is_encoded else value
    if not isinstance(text, str):
        raise BadSpan(f"there is no text at {span.path}")
    words = text[span.start : span.end].strip()
    if not words or span.end > len(text):
        raise BadSpan(
            f"the text at {span.path} has {len(text)} characters; {span.start} to {span.end} are none"
        )
    return words


def _below(value: JsonValue, step: Step) -> JsonValue:
    """Return the value one step below, or None."""
    if isinstance(step, int):
        return value[step] if is_array(value) and step < len(value) else None
    return value.get(step) if is_object(value) else None


def _steps(path: str) -> list[Step]:
    steps: list[Step] = []
    position = 1
    while path.startswith("$") and position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            break
        steps.append(int(step[2]) if step[2] else step[1] or regex.sub(r"\\(.)", r"\1", step[3]))
        position = step.end()
    if not steps or position < len(path):
        raise BadSpan(f"{path[:60]} is no path such as $.dialog[0].body")
    return steps


def text_in(body: str) -> str | None:
    """Decode a base64 text; None if it is something else."""
    data = decode_base64url(body)
    try:
        text = None if data is None else data.decode()
    except UnicodeDecodeError:
        return None
    return None if text is None or "\0" in text else text
