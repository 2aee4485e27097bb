"""Cut long texts into overlapping chunks at turn and sentence borders."""

import re
from bisect import bisect_right

MAX_CHUNK_CHARACTERS = 1_000
"""Maximum length of a chunk, unless very long words need more for the phrase rule."""

PHRASE_WORDS = 20
"""Any sequence of this many words is whole in some chunk."""

_MIN_CHUNK_WORDS = 30
_MAX_OVERLAP = 400
_WORD = re.compile(r"\S+\s*")
_MAX_WORD_LENGTH = 200
_UNSPACED_PIECE = 8

# Thai, Lao, Burmese, Khmer, Chinese and Japanese have no spaces between words, so a run of them is not one
# word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_MAX_UNSPACED_LENGTH = 40
_SENTENCE_ENDS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f", "\u0964")
_CLOSERS = "\"')]»\u201d\u2019\u300d\u300f"


def chunks_of(text: str) -> list[str]:
    """The text in chunks of about 1,000 characters at most, stripped; none for a blank text.

    A chunk ends at the end of a turn (a line) if one is near, otherwise of a sentence, otherwise of a word.
    The next one overlaps it, so that any 20 consecutive words are whole in one of them.
    """
    text = text.strip()
    if len(text) <= MAX_CHUNK_CHARACTERS:
        return [text] if text else []
    starts = _word_starts(text)
    chunks: list[str] = []
    first = 0
    while True:
        last = _last_word(text, starts, first)
        end = starts[last] if last < len(starts) else len(text)
        chunks.append(text[starts[first] : end].strip())
        if last >= len(starts):
            return chunks
        first = _next_first(text, starts, first, last)


def _word_starts(text: str) -> list[int]:
    """Start of each word. Pieces of text without spaces count as words."""
    starts: list[int] = []
    for found in _WORD.finditer(text):
        begin, length = found.start(), len(found[0])
        if length <= _MAX_UNSPACED_LENGTH:
            starts.append(begin)
        else:
            piece = _UNSPACED_PIECE if _UNSPACED.search(found[0]) else _MAX_WORD_LENGTH
            starts.extend(range(begin, begin + len(found[0].rstrip()), piece))
    return starts


def _last_word(text: str, starts: list[int], first: int) -> int:
    """Index of the word before which the chunk starting at word `first` ends."""
    begin = starts[first]
    if len(text) - begin <= MAX_CHUNK_CHARACTERS:
        return len(starts)
    ends = [*starts[first + 1 : first + 1 + MAX_CHUNK_CHARACTERS], len(text)]
    fitting = bisect_right(ends, begin + MAX_CHUNK_CHARACTERS)
    most = first + max(fitting, min(_MIN_CHUNK_WORDS, len(starts) - first))
    if most == len(starts):
        return most
    least = max(first + _MIN_CHUNK_WORDS, first + (most - first) // 2)
    return _border(text, starts, least, most, turns_first=True) or most


def _next_first(text: str, starts: list[int], first: int, last: int) -> int:
    """Index of the next chunk's first word, at a border if one is near."""
    latest = last - PHRASE_WORDS
    earliest = latest
    while earliest > first + 1 and starts[last] - starts[earliest - 1] <= _MAX_OVERLAP:
        earliest -= 1
    return _border(text, starts, earliest, latest, turns_first=False) or latest


def _border(text: str, starts: list[int], least: int, most: int, *, turns_first: bool) -> int | None:
    """Last word within the bounds that begins a turn or sentence, or None."""
    sentence = None
    for word in range(most, least - 1, -1):
        between = text[max(starts[word] - 3, 0) : starts[word]]
        if "\n" in between and not between[-1:].strip():
            return word
        if sentence is None and between[-1:].isspace() and _ends_sentence(between):
            if not turns_first:
                return word
            sentence = word
    return sentence


def _ends_sentence(before: str) -> bool:
    return before.rstrip().rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
