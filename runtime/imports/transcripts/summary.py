"""The summary line of a transcript, made without a model."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from vcontract.runtime.imports.transcripts.model import Exchange

LONGEST_SUMMARY: Final = 300

_LONGEST_SENTENCE: Final = 145
_SENTENCE: Final = re.compile(r".+?(?:[.!?…](?=[\s\"')]|$)|[\u3002\uff01\uff1f]|$)", re.DOTALL)
_MOST_TOOLS: Final = 5


def one_line(text: str, most: int = LONGEST_SUMMARY) -> str:
    """The text on one line, at most so many characters, `…` where it is cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def summary_line(told: Sequence[str | None], exchanges: Sequence[Exchange]) -> str:
    """The first of `told` that says something, else the first prompt and the last answer, else the tools."""
    for text in told:
        if text and text.strip():
            return one_line(text)
    prompt = next((message.text for exchange in exchanges for message in exchange.prompts), "")
    answer = next(
        (message.text for exchange in reversed(exchanges) for message in reversed(exchange.answers)), ""
    )
    sentences = [sentence for text in (prompt, answer) if (sentence := first_sentence(text))]
    return " → ".join(sentences) or _of_tools(exchanges)


def first_sentence(text: str) -> str:
    """The first sentence of the first line that has words, without the marks of a heading or a list."""
    line = next((bare for line in text.splitlines() if (bare := line.strip().lstrip("#>*- \t"))), "")
    found = _SENTENCE.match(line)
    return one_line(found[0] if found is not None else line, _LONGEST_SENTENCE)


def _of_tools(exchanges: Sequence[Exchange]) -> str:
    calls = Counter(call.name for exchange in exchanges for call in exchange.calls)
    if not calls:
        return "Agent session"
    told = ", ".join(f"{name} {count}" for name, count in calls.most_common(_MOST_TOOLS))
    plural = "call" if calls.total() == 1 else "calls"
    return one_line(f"Agent session with {calls.total()} tool {plural} ({told})")
