"""Snippets: the part of a passage that shows why it matches, with highlighting."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from vcontract.runtime.text.query import Term
from vcontract.runtime.text.words import JOINERS, Word, phone_words, places_of, symbol_words, words

MAX_SNIPPET_LENGTH: Final = 300
"""Maximum characters of a snippet, without marks and ellipses."""

_SPACE: Final = re.compile(r"\s+")
_LEAD: Final = 60
"""Characters shown before the first match if the passage is cut."""


def snippet(content: str, terms: Sequence[Term], *, whole: int = MAX_SNIPPET_LENGTH) -> str:
    """Return up to 300 characters of `content` around the words of `terms`, each in `<mark>…</mark>`.

    A text of up to `whole` characters is not cut. White space is collapsed, and ` … ` replaces omitted text;
    nothing else changes.
    """
    text = _SPACE.sub(" ", content).strip()
    spans = _merged(found_spans(text, terms))
    if len(text) <= whole:
        return _marked(text, 0, len(text), spans)
    start = _best_start(text, spans)
    end = min(start + MAX_SNIPPET_LENGTH, len(text))
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + MAX_SNIPPET_LENGTH // 2)
    return _marked(text, start, end, spans)


def shortened(marked: str, longest: int) -> str:
    """Shorten a snippet to about `longest` characters around its first mark, not counting marks and
    ellipses.
    """
    pieces = re.split(r"(</?mark>)", marked)
    plain, spans = "", list[tuple[int, int]]()
    for piece in pieces:
        if piece == "<mark>":
            spans.append((len(plain), len(plain)))
        elif piece == "</mark>":
            spans[-1] = (spans[-1][0], len(plain))
        else:
            plain += piece
    if len(plain) <= longest + 2 * len(" …"):
        return marked
    start = max(spans[0][0] - longest // 3, 0) if spans else 0
    start = plain.find(" ", start) + 1 if start else 0
    end = max(plain.rfind(" ", start, start + longest), start + longest // 2)
    return _marked(plain, start, end, spans)


def found_spans(text: str, terms: Sequence[Term]) -> Iterator[tuple[int, int]]:
    """Find the terms in `text`."""
    if not terms:
        return
    runs = [*chain(*(term.alternatives for term in terms))]
    single = {run[0] for run in runs if len(run) == 1}
    yield from places_of(single, text, {*chain(*(term.languages for term in terms))})
    beginnings = [*chain(*(term.beginnings for term in terms))]
    first_letters = tuple(run[0] for run in beginnings if len(run) == 1)
    if first_letters or any(not lexeme.isalpha() for lexeme in single) or JOINERS.search(text):
        for word in (*symbol_words(text), *phone_words(text)):
            if word.lexeme in single or word.lexeme.startswith(first_letters):
                yield word.start, word.end
    sequences = [(run, False) for run in runs if len(run) > 1] + [(run, True) for run in beginnings]
    found = list(words(text)) if sequences else []
    for run, is_beginning in sequences:
        yield from _sequences_in(found, run, is_beginning=is_beginning)


def _sequences_in(
    found: Sequence[Word], run: Sequence[str], *, is_beginning: bool
) -> Iterator[tuple[int, int]]:
    """Find the words of a run in sequence. If it is a beginning, the last word is a prefix."""
    *whole, last = run
    for first in range(len(found) - len(whole)):
        *before, end = found[first : first + len(whole) + 1]
        fits = end.lexeme.startswith(last) if is_beginning else end.lexeme == last
        if fits and [word.lexeme for word in before] == whole:
            yield (before or [end])[0].start, end.end


def _merged(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _best_start(text: str, spans: list[tuple[int, int]]) -> int:
    """Start of a cut snippet: the first offset from which the most matches are visible."""
    if not spans:
        return 0
    view = MAX_SNIPPET_LENGTH - _LEAD
    ends = [end for _, end in spans]
    counts = [bisect_right(ends, start + view) - at for at, (start, _) in enumerate(spans)]
    first = spans[counts.index(max(counts))][0]
    start = min(max(first - _LEAD, 0), len(text) - MAX_SNIPPET_LENGTH)
    border = text.find(" ", start, first) if start else -1
    return border + 1 if border >= 0 else start


def _marked(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = ["… "] if start else []
    position = start
    for begin, stop in spans:
        if begin < start or stop > end:
            continue
        pieces += [text[position:begin], "<mark>", text[begin:stop], "</mark>"]
        position = stop
    pieces.append(text[position:end])
    if end < len(text):
        pieces.append(" …")
    return "".join(pieces)
