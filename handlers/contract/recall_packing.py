"""Select the found turns to show within a byte budget, best first, and the turns around them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final
from uuid import UUID

from vcontract.runtime.text.words import STOP_WORDS, fold, surfaces

BYTES_PER_TOKEN: Final = 4
STOP: Final = 0.5
"""Minimum score on the first page relative to the best, even if there is room."""
CLEAR: Final = 0.95
"""Relative score from which a passage is shown with surrounding turns."""
_BEFORE: Final = 1
AFTER: Final = 2
_FEW: Final = 4
_SHORT: Final = 400
"""Maximum bytes of a gap between shown turns that is filled."""
FEW_OF_BEST: Final = 8
_SHORT_OF_BEST: Final = 700
"""The same for the conversation with the best passage, which is shown nearly whole if short."""
_MORE_OF_ONE: Final = 0.9
"""Factor for each further passage of a conversation, if the question asks for several things."""
_LISTS: Final = re.compile(
    r"\b(?:which|how (?:many|often)|list|every|all (?:the|of)"
    r"|what (?:\w+ ){0,2}\w{3,}s (?:are|were|did|do|has|have))\b",
    re.IGNORECASE,
)
_FEW_WORDS: Final = 7
_GREETINGS: Final = frozenset(
    "hi hello hey hiya morning evening afternoon bye goodbye cheers thanks thank welcome ok okay yes yeah yep"
    " no nope sure great good nice cool wow lovely awesome alright right fine absolutely definitely exactly"
    " please soon later talk speak see catch take care glad happy sorry haha".split()
)

Key = tuple[UUID, int]
"""A conversation or record, and a line number."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A turn or other text to show."""

    text: str
    speaker: str | None = None
    at: datetime | None = None
    part: str = ""
    """Name of its part if it is not a turn."""
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class RecallHit:
    """A found passage."""

    source: UUID
    number: int
    """Turn number; negative if it is not a turn."""
    score: float
    """Relative to the best of its query."""
    raw_score: float = 0.0
    has_word: bool = True
    """Whether it contains a word of the query."""
    queries: tuple[int, ...] = (0,)
    together: tuple[int, ...] = ()
    """Turns of the found passage, if there are several."""
    is_match: bool = True
    """Whether it matches better than chance."""

    @property
    def key(self) -> Key:
        return self.source, self.number


@dataclass(frozen=True, slots=True)
class PageSelection:
    """Lines of one page: each by key, with its passage if it is a hit."""

    keys: Mapping[Key, RecallHit | None]

    def by_source(self) -> dict[UUID, list[int]]:
        """Sources in order, each with sorted line numbers."""
        found: dict[UUID, list[int]] = {}
        for source, number in self.keys:
            found.setdefault(source, []).append(number)
        return {source: sorted(numbers) for source, numbers in found.items()}


@dataclass(frozen=True, slots=True)
class Packing:
    """What can be shown, with sizes in bytes."""

    places: Sequence[RecallHit]
    """Best first."""
    lines: Mapping[Key, ShownLine]
    cost_of_line: Callable[[ShownLine, int], int]
    cost_of_head: Callable[[UUID], int]
    is_list: bool = False
    """Whether the question asks for several things."""
    speaker_only: bool = False
    """Whether turns of other speakers are only context."""
    is_survey: bool = False
    """Whether each passage is one line, without turns around it."""
    stop: float = STOP
    """Minimum score on the first page relative to the best."""

    @property
    def hits(self) -> Sequence[RecallHit]:
        """Passages that can be shown, best first."""
        return [place for place in self.places if place.key in self.lines and self._may_come_alone(place)]

    def pages(self, room: int) -> Iterator[PageSelection]:
        """Yield pages of at most `room` bytes; no line is on two pages.

        The first page omits hits that score less than `stop` times the best.
        """
        shown: set[Key] = set()
        stop = 0.0 if self.is_survey else self.stop
        while True:
            page = self._page(room, shown, stop)
            if not page.keys:
                return
            shown |= page.keys.keys()
            stop = 0.0
            yield page

    def _page(self, room: int, shown: set[Key], stop: float) -> PageSelection:
        chosen: dict[Key, RecallHit | None] = {}
        places = _spread(self.hits) if self.is_list else self.hits
        places = [place for place in places if place.key not in shown]
        best = max(self.places, key=lambda place: place.score, default=None)
        left = room
        for place in places:
            if best is None or place.score < stop * best.score:
                break
            if place.key in chosen:
                chosen[place.key] = chosen[place.key] or place
                continue
            taken = {source for source, _ in chosen}
            for wanted in (self._with_context(place, best), (place.number,)):
                keys = self._unseen(place.source, wanted, chosen.keys() | shown)
                cost = sum(self.cost_of_line(self.lines[key], key[1]) for key in keys)
                cost += 0 if place.source in taken else self.cost_of_head(place.source)
                if cost <= left:
                    left -= cost
                    chosen |= dict.fromkeys(keys, None)
                    chosen[place.key] = place
                    break
            else:
                break
        for key, cost in [] if best is None else self._more_context(chosen, shown, left, best):
            chosen[key] = None
            left -= cost
        return PageSelection(chosen | dict.fromkeys(self._between(chosen, shown, left, best)))

    def _unseen(self, source: UUID, numbers: Iterable[int], seen: Collection[Key]) -> list[Key]:
        """Lines with these numbers that have not been shown."""
        keys = ((source, number) for number in numbers)
        return [key for key in keys if key in self.lines and key not in seen]

    def _more_context(
        self, chosen: Mapping[Key, RecallHit | None], shown: set[Key], left: int, best: RecallHit
    ) -> list[tuple[Key, int]]:
        """Turns around shown passages that did not fit as a whole, with their sizes, the following first."""
        found: dict[Key, int] = {}
        for place in filter(None, chosen.values()):
            number = place.number
            turns = sorted(self._with_context(place, best), key=lambda at: (at < number, abs(at - number)))
            for key in self._unseen(place.source, turns, chosen.keys() | shown | found.keys()):
                cost = self.cost_of_line(self.lines[key], key[1])
                if cost > left:
                    break
                found[key] = cost
                left -= cost
        return [*found.items()]

    def _between(
        self, chosen: Mapping[Key, RecallHit | None], shown: set[Key], left: int, best: RecallHit | None
    ) -> Iterator[Key]:
        """Fill gaps of few short turns between shown ones, as far as they fit.

        For the conversation with the best passage, fill larger gaps, and up to its end.
        """
        for source, numbers in PageSelection({} if self.is_survey else chosen).by_source().items():
            is_best = best is not None and source == best.source and not self.speaker_only
            few, short = (FEW_OF_BEST, _SHORT_OF_BEST) if is_best else (_FEW, _SHORT)
            gaps = [range(before + 1, after) for before, after in pairwise(numbers) if before >= 0]
            if is_best and numbers[-1] >= 0:
                gaps.append(self._rest(source, numbers[-1]))
            for gap in gaps:
                keys = [(source, number) for number in gap]
                if len(keys) > few or any(key in shown or key not in self.lines for key in keys):
                    continue
                cost = sum(self.cost_of_line(self.lines[key], key[1]) for key in keys)
                if cost <= min(left, short):
                    left -= cost
                    yield from keys

    def _rest(self, source: UUID, last: int) -> range:
        """Known turns after the last shown one."""
        after = last + 1
        while (source, after) in self.lines:
            after += 1
        return range(last + 1, after)

    def _with_context(self, place: RecallHit, best: RecallHit) -> tuple[int, ...]:
        """Turns to show with a passage, itself first."""
        number, of_passage = place.number, place.together
        if number < 0 or self.is_survey:
            return (number,)
        is_clear = place.score >= CLEAR * best.score
        if self.speaker_only:
            before = self.lines.get((place.source, number - 1))
            is_answer = before is not None and ("?" in before.text or is_clear)
            return (number, number - 1) if is_answer else (number,)
        around: tuple[int, ...] = ()
        if is_clear:
            around = tuple(range(number - _BEFORE, number + AFTER + 1))
        elif place.source == best.source or "?" in self.lines[place.key].text:
            around = (number + 1,)
        return tuple(dict.fromkeys((number, *of_passage, *around)))

    def _may_come_alone(self, place: RecallHit) -> bool:
        return place.number < 0 or place.has_word or not is_small_talk(self.lines[place.key].text)


def asks_for_several(question: str) -> bool:
    """Whether a question asks for a list or a count."""
    return _LISTS.search(question) is not None


def is_small_talk(text: str) -> bool:
    """Whether a short turn consists of greetings, thanks, assent or goodbyes; one other word is allowed."""
    if any(character.isdigit() for character in text):
        return False
    said = [fold(word).replace("'", "") for word in surfaces(text)]
    known = sum(word in STOP_WORDS or word in _GREETINGS for word in said)
    return len(said) <= _FEW_WORDS and known >= len(said) - 1


def _spread(places: Sequence[RecallHit]) -> list[RecallHit]:
    """Prefer passages of different conversations, as far as scores allow."""
    earlier: dict[UUID, int] = {}
    spread: list[tuple[float, int, RecallHit]] = []
    for order, place in enumerate(places):
        times = earlier.get(place.source, 0)
        earlier[place.source] = times + 1
        spread.append((-place.score * _MORE_OF_ONE**times, order, place))
    return [place for _, _, place in sorted(spread, key=lambda each: each[:2])]
