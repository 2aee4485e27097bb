"""What a passage's vector is made of: its text, and the talk around it with its speakers."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from vcontract.runtime.embedding.embedder import Turn, WindowEmbedder
from vcontract.runtime.embedding.vectors import mean_direction
from vcontract.runtime.embedding.windows import TurnInWindow, windows_of
from vcontract.runtime.store.embeddings import PassageToEmbed

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix
    from vcontract.runtime.embedding.model import EmbeddingModel

MOST_CHARACTERS: Final = 1_000
"""About as much as a small model reads."""

_LEAST_NEIGHBOUR: Final = 40


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """What is embedded for one passage; with a window its vector is of both, of the text twice."""

    own: str
    window: str | None = None

    @property
    def texts(self) -> list[str]:
        return [self.own] if self.window is None else [self.own, self.window]

    @property
    def digest(self) -> int:
        """What tells these texts from others, in 64 bits with a sign."""
        told = self.own if self.window is None else f"{self.own}\0{self.window}"
        content = told.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)


Source: TypeAlias = PassageTexts | TurnInWindow


def sources_of(passages: Sequence[PassageToEmbed], windows: WindowEmbedder | None) -> list[Source]:
    """What the vectors of one vCon's passages are made of; they come in their order: part, element, chunk.

    A turn of a dialog is read in a window of its talk, other parts alone. Without `windows` a turn is
    embedded alone and again with its neighbours.
    """
    if windows is None:
        return list(texts_to_embed(passages))
    sources: list[Source] = [PassageTexts(passage.content) for passage in passages]
    places = [place for place, passage in enumerate(passages) if passage.part == "dialog"]
    turns = [_turn(passages[place]) for place in places]
    in_windows = windows_of(turns, windows.count_tokens(turns), windows.max_tokens)
    for place, source in zip(places, in_windows, strict=True):
        sources[place] = source
    return sources


async def vectors_of(sources: Sequence[Source], model: "EmbeddingModel") -> "dict[Source, Matrix]":
    """The vector of each source; each text and each window is embedded once.

    Raises: ModelUnavailable, EmbeddingFailed.
    """
    alone = [source for source in sources if isinstance(source, PassageTexts)]
    in_windows = [source for source in sources if isinstance(source, TurnInWindow)]
    texts = list(dict.fromkeys(text for source in alone for text in source.texts))
    windows = list(dict.fromkeys(source.window for source in in_windows))
    of_text = dict(zip(texts, await model.embed_documents(texts), strict=True)) if texts else {}
    of_window = dict(zip(windows, await model.embed_windows(windows), strict=True)) if windows else {}
    vectors: dict[Source, Matrix] = {source: _combined(source, of_text) for source in alone}
    return vectors | {source: of_window[source.window][source.place] for source in in_windows}


def _combined(source: PassageTexts, vectors: "Mapping[str, Matrix]") -> "Matrix":
    """The vector of a text, or of that twice and of the text with its neighbours once."""
    own = vectors[source.own]
    return own if source.window is None else mean_direction(own, vectors[source.window])


def texts_to_embed(passages: Sequence[PassageToEmbed]) -> list[PassageTexts]:
    """The texts for the passages of one vCon, which come in their order: part, element, chunk.

    A dialog is embedded alone, and again as `speaker: text` with as much of its neighbours as a model reads:
    a short turn says little alone. Alone it has no name: all that one person says would be alike. Other parts
    stand for themselves.
    """
    spoken = [_spoken(passage) for passage in passages]
    return [
        PassageTexts(passage.content, _window(passages, spoken, place) if passage.part == "dialog" else None)
        for place, passage in enumerate(passages)
    ]


def _turn(passage: PassageToEmbed) -> Turn:
    # a transcript inside a dialog names its speakers itself
    names_itself = passage.content.startswith(f"{passage.speaker}:")
    return Turn(None if names_itself else passage.speaker, passage.content)


def _spoken(passage: PassageToEmbed) -> str:
    turn = _turn(passage)
    return turn.text if turn.speaker is None else f"{turn.speaker}: {turn.text}"


def _window(passages: Sequence[PassageToEmbed], spoken: Sequence[str], place: int) -> str | None:
    """The passage between the end of the one before and the beginning of the one after, if there is room."""
    before = spoken[place - 1] if place and passages[place - 1].part == "dialog" else ""
    after = spoken[place + 1] if place + 1 < len(spoken) and passages[place + 1].part == "dialog" else ""
    room = MOST_CHARACTERS - len(spoken[place])
    if room < _LEAST_NEIGHBOUR or not (before or after):
        return None
    # what one neighbour leaves free, the other may have
    for_before = max(room // 2, room - len(after))
    for_after = max(room // 2, room - len(before))
    parts = (_ending(before, for_before), spoken[place], _beginning(after, for_after))
    return "\n".join(part for part in parts if part)


def _beginning(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0]


def _ending(text: str, most: int) -> str:
    return text if len(text) <= most else text[-most:].partition(" ")[2]
