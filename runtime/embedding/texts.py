"""Texts to embed for a passage: its own text, and the surrounding turns with their speakers."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.store.embeddings import PassageToEmbed

MAX_TEXT_LENGTH: Final = 1_000
"""About as much as the bundled model reads."""

_MIN_NEIGHBOUR_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """Texts of one passage. With a window, its vector combines both, and the text counts twice."""

    own: str
    window: str | None = None

    @property
    def digest(self) -> int:
        """Digest of these texts as a signed 64-bit integer."""
        text = self.own if self.window is None else f"{self.own}\0{self.window}"
        content = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)


def texts_to_embed(passages: Sequence[PassageToEmbed]) -> list[PassageTexts]:
    """Return the texts for the passages of one vCon, in the order of part, element, chunk.

    A dialog is embedded alone, and again as `speaker: text` with as much of its neighbours as a model reads.
    A short turn says little alone. Alone it has no name: otherwise all turns of one person would be
    similar. Other parts are embedded alone only.
    """
    spoken = [_spoken(passage) for passage in passages]
    return [
        PassageTexts(passage.content, _window(passages, spoken, place) if passage.part == "dialog" else None)
        for place, passage in enumerate(passages)
    ]


def _spoken(passage: PassageToEmbed) -> str:
    # a transcript inside a dialog names its speakers itself
    if passage.speaker is None or passage.content.startswith(f"{passage.speaker}:"):
        return passage.content
    return f"{passage.speaker}: {passage.content}"


def _window(passages: Sequence[PassageToEmbed], spoken: Sequence[str], place: int) -> str | None:
    """Return the passage between the end of the previous one and the start of the next, if there is room."""
    before = spoken[place - 1] if place and passages[place - 1].part == "dialog" else ""
    after = spoken[place + 1] if place + 1 < len(spoken) and passages[place + 1].part == "dialog" else ""
    room = MAX_TEXT_LENGTH - len(spoken[place])
    if room < _MIN_NEIGHBOUR_LENGTH or not (before or after):
        return None
    # space that one neighbour does not need, the other may use
    for_before = max(room // 2, room - len(after))
    for_after = max(room // 2, room - len(before))
    parts = (_ending(before, for_before), spoken[place], _beginning(after, for_after))
    return "\n".join(part for part in parts if part)


def _beginning(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def _ending(text: str, most: int) -> str:
    return text if len(text) <= most else text[-most:].partition(" ")[2]
