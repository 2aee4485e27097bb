"""Excerpts: the part of a text in which most query terms occur."""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final

from vcontract.runtime.text.query import Term
from vcontract.runtime.text.snippets import found_spans

_SPACE: Final = re.compile(r"\s+")
_CUT: Final = "…"
_LEAD: Final = 4
"""Divisor for the share of an excerpt shown before the first term."""


def excerpt(content: str, terms: Sequence[Term], most: int) -> str:
    """Return at most `most` characters of `content`, white space collapsed, with `…` where it was cut.

    The excerpt is where most terms occur close together, or the beginning if none occurs.
    """
    text = _SPACE.sub(" ", content).strip()
    if len(text) <= most:
        return text
    start = _start(text, terms, most)
    end = min(start + most, len(text))
    if end < len(text):
        border = text.rfind(" ", start, end)
        end = border if border > start + most // 2 else end
    return f"{_CUT if start else ''}{text[start:end].strip()}{_CUT if end < len(text) else ''}"


def densest(text: str, terms: Sequence[Term], view: int) -> int | None:
    """Find the occurrence of a term from which `view` characters show the most terms. None if none occurs."""
    places = sorted(set(_places(text, terms)))
    if not places:
        return None
    best, first = 0, places[0][0]
    within: Counter[int] = Counter()
    ending = deque(sorted(places, key=itemgetter(1)))
    for start, end, term in places:
        while ending and ending[0][1] <= start + view:
            begin, _, later = ending.popleft()
            if begin >= start:
                within[later] += 1
        # a different term counts more than a repeated one
        weight = len(within) * len(text) + within.total()
        if weight > best:
            best, first = weight, start
        if end <= start + view:
            within -= Counter((term,))
    return first


def _start(text: str, terms: Sequence[Term], most: int) -> int:
    """Start of the excerpt, a little before the densest part."""
    first = densest(text, terms, most - most // _LEAD)
    if first is None:
        return 0
    start = min(max(first - most // _LEAD, 0), len(text) - most)
    border = text.find(" ", start, first) if start else -1
    return border + 1 if border >= 0 else start


def _places(text: str, terms: Sequence[Term]) -> Iterator[tuple[int, int, int]]:
    """Occurrences of each term: start, end, and index of the term."""
    lowered = text.lower()
    for number, term in enumerate(terms):
        if term.literal is None:
            yield from ((start, end, number) for start, end in found_spans(text, [term]))
            continue
        piece = term.literal.lower()
        position = lowered.find(piece)
        while position >= 0:
            yield position, position + len(piece), number
            position = lowered.find(piece, position + len(piece))


def is_for_machines(text: str) -> bool:
    """Whether a text is only an ID, or numbers with a word or two beside them."""
    tokens = text.split()
    words = sum(token.isalpha() and len(token) > 1 for token in tokens)
    return any(map(str.isdigit, text)) and words < 3 and 2 * words < len(tokens)
