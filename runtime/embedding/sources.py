"""Sources of the vector of a passage: its text, and the turns around it with their speakers."""

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

MAX_TEXT_LENGTH: Final = 1_000
"""About as much as the bundled model reads."""

_MIN_NEIGHBOUR_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class PassageTexts:
    """Texts of one passage. With a window, its vector combines both, and the text counts twice."""

    own: str
    window: str | None = None

    @property
    def texts(self) -> list[str]:
        return [self.own] if self.window is None else [self.own, self.window]

    @property
    def digest(self) -> int:
        """Digest of these texts as a signed 64-bit integer."""
        text = self.own if self.window is None else f"{self.own}\0{self.window}"
        content = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)


Source: TypeAlias = PassageTexts | TurnInWindow


def sources_of(passages: Sequence[PassageToEmbed], windows: WindowEmbedder | None) -> list[Source]:
    """Return what the vectors of the passages of one vCon are made of, in the order of part, element, chunk.

    A turn is embedded in a window of its conversation and again alone, other parts alone. Without `windows`,
    a turn is embedded alone and again with its neighbours.
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
    """Return the vector of each source. Each text and each window is embedded once.

    The vector of a passage with two is their weighted mean. A turn in its window finds more, and its text
    alone keeps it apart from the turns around it.

    Raises: ModelUnavailable, EmbeddingFailed.
    """
    alone = [source for source in sources if isinstance(source, PassageTexts)]
    in_windows = [source for source in sources if isinstance(source, TurnInWindow)]
    texts = [text for source in alone for text in source.texts]
    texts = list(dict.fromkeys([*texts, *(source.turn.text for source in in_windows)]))
    windows = list(dict.fromkeys(source.window for source in in_windows))
    of_text = dict(zip(texts, await model.embed_documents(texts), strict=True)) if texts else {}
    of_window = dict(zip(windows, await model.embed_windows(windows), strict=True)) if windows else {}
    vectors: dict[Source, Matrix] = {source: _combined(source, of_text) for source in alone}
    return vectors | {
        source: mean_direction(of_window[source.window][source.place], of_text[source.turn.text])
        for source in in_windows
    }


def _combined(source: PassageTexts, vectors: "Mapping[str, Matrix]") -> "Matrix":
    """Return the vector of a text, or its weighted mean with that of the text among its neighbours."""
    own = vectors[source.own]
    return own if source.window is None else mean_direction(own, vectors[source.window])


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


def _turn(passage: PassageToEmbed) -> Turn:
    # a transcript inside a dialog names its speakers itself
    names_itself = passage.content.startswith(f"{passage.speaker}:")
    return Turn(None if names_itself else passage.speaker, passage.content)


def _spoken(passage: PassageToEmbed) -> str:
    turn = _turn(passage)
    return turn.text if turn.speaker is None else f"{turn.speaker}: {turn.text}"


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
