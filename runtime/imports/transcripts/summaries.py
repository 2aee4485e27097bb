"""One-line summaries of sessions, by rules instead of a model: the request and the outcome."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from vcontract.runtime.imports.transcripts.model import Exchange
from vcontract.runtime.text.words import fold

MAX_SUMMARY_LENGTH: Final = 300

_MAX_SENTENCE_LENGTH: Final = 145
_MIN_SENTENCE_LENGTH: Final = 15
_SENTENCE: Final = re.compile(r".+?(?:[.!?…](?=[\s\"')]|$)|[\u3002\uff01\uff1f]|$)")
_MARKS: Final = "#>*- \t"
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_MAX_TOOLS: Final = 5
_MAX_READ_LENGTH: Final = 20_000
"""Number of characters read from the end of an answer."""


def _any(*phrases: str) -> str:
    return rf"(?i)(?:{'|'.join(phrases)})"


_DECIDES: Final = re.compile(
    _any(
        *(r"decid\w+", "chose", "chosen", "choose", "settled", "agreed", r"prefer\w*", r"recommend\w*"),
        *("instead of", "rather than", "because", "so that", "root cause", r"cause (?:is|was)"),
        *(r"the (?:bug|fix|problem|reason|answer|cure) (?:is|was)", r"turn(?:s|ed) out", "now uses?"),
        *(r"we(?:'ll| will) use", r"switch(?:ed)? to", "fixed", "replaced", "moved", "renamed", "removed"),
        *("added", "implemented", "must", "never", "always"),
    )
)
"""Words that mark a decision, a finding or a change."""
_SPEAKS_OF_ITSELF: Final = re.compile(
    _any(
        *("let me", "let's", "i'll", "i will", "i'm going", "i am going", "now i", "next,? i", "first,? i"),
        *("looking at", "running", "checking", r"(?:sure|ok(?:ay)?|great|perfect|done)\b"),
        r"all (?:the )?(?:\w+ )?(?:tests?|checks?|twelve|of them)\b.{0,20}pass",
        *("would you", "do you", "should i", r"here(?:'s| is| are)\b", "you're right", "happy to", "i hope"),
        r"good (?:question|point)",
    )
)
"""Openings of sentences that narrate, ask back or add nothing lasting."""
_EXACT: Final = re.compile(r"`[^`]+`|\b\w+[._/]\w+|\b[a-z]+[A-Z]\w*|\d")
_ASKS_NOTHING: Final = re.compile(
    _any(
        r"/\w",
        r"(?:please )?(?:continue|go on|go ahead|proceed|yes|no|ok(?:ay)?|thanks?|test)[\s.!,]*\Z",
        r"(?:hi|hello|hey|good (?:morning|evening))\b[^?]{0,20}\Z",
        r"warm-?up\b",
    )
)
"""Prompts without a real request, such as greetings and `continue`."""
_MAX_FIRST_SENTENCES: Final = 5


def one_line(text: str, most: int = MAX_SUMMARY_LENGTH) -> str:
    """Join the text into one line of at most `most` characters, with `…` if cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def summary_line(given: Sequence[str | None], exchanges: Sequence[Exchange]) -> str:
    """The first non-blank text of `given`, else the request and its outcome, else the tools used."""
    for text in given:
        if text and text.strip():
            return one_line(text)
    asked, asked_in = _asked(exchanges)
    decided, decided_in = _decided(asked, exchanges)
    # an arrow means that the outcome is in the same exchange
    between = " → " if asked_in == decided_in else " … later: "
    return between.join(part for part in (asked, decided) if part) or _of_tools(exchanges)


def _asked(exchanges: Sequence[Exchange]) -> tuple[str, int]:
    """The first sentence with a request, and its exchange number."""
    sentences = [
        (sentence, number)
        for number, exchange in enumerate(exchanges, start=1)
        for message in exchange.prompts
        for sentence in islice(_sentences(message.text), _MAX_FIRST_SENTENCES)
    ]
    telling = (each for each in sentences if not _ASKS_NOTHING.match(each[0]))
    return next(telling, sentences[0] if sentences else ("", 0))


def _decided(asked: str, exchanges: Sequence[Exchange]) -> tuple[str, int]:
    """The answer sentence with the highest weight, the last on a tie, and its exchange number."""
    best, most, best_in = "", float("-inf"), 0
    about = _words_of(asked)
    for number, exchange in enumerate(exchanges, start=1):
        lateness = number / len(exchanges)
        for message in exchange.answers:
            for place, sentence in enumerate(_sentences(message.text[-_MAX_READ_LENGTH:])):
                weight = _weight(sentence, about) + lateness + (0.5 if place == 0 else 0)
                if weight >= most:
                    best, most, best_in = sentence, weight, number
    return best, best_in


def _weight(sentence: str, about: Counter[str]) -> float:
    """Score of a sentence as a summary of the outcome."""
    weight = 0.0
    if _DECIDES.search(sentence):
        weight += 2
    if _EXACT.search(sentence):
        weight += 1
    if len(sentence) >= _MIN_SENTENCE_LENGTH:
        weight += 1
    weight += min(2, sum((about & _words_of(sentence)).values())) * 0.5
    if _SPEAKS_OF_ITSELF.match(sentence):
        weight -= 3
    if sentence.endswith(("?", "\uff1f", ":")):
        weight -= 3
    return weight


def _words_of(text: str) -> Counter[str]:
    return Counter(set(_WORD.findall(fold(text))))


def _sentences(text: str) -> Iterator[str]:
    """Sentences of a text outside code fences, each cut to the maximum length."""
    for line in _without_code(text.splitlines()):
        for found in _SENTENCE.finditer(line.strip().lstrip(_MARKS).replace("**", "")):
            if found[0].strip():
                yield one_line(found[0], _MAX_SENTENCE_LENGTH)


def _without_code(lines: Iterable[str]) -> Iterator[str]:
    is_code = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code:
            yield line


def _of_tools(exchanges: Sequence[Exchange]) -> str:
    calls = Counter(call.name for exchange in exchanges for call in exchange.calls)
    if not calls:
        return "Agent session"
    names = ", ".join(f"{name} {count}" for name, count in calls.most_common(_MAX_TOOLS))
    plural = "call" if calls.total() == 1 else "calls"
    return one_line(f"Agent session with {calls.total()} tool {plural} ({names})")
