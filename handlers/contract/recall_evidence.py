"""Evidence for vcon_recall: passages that match the questions, with their turns."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Final, Literal
from uuid import UUID

from vcontract.handlers.contract.hit_turns import turns_within
from vcontract.handlers.contract.recall_days import NamedDays
from vcontract.handlers.contract.recall_packing import Key, RecallHit, ShownLine
from vcontract.handlers.contract.recall_text import Source
from vcontract.runtime.store.search.hits import VCON, PassageKey, QueryVector, ShownPassage
from vcontract.runtime.store.search.ranking import Passage, Scored
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.store.vocabulary.people import is_named, key_of
from vcontract.runtime.text.excerpts import excerpt, is_for_machines
from vcontract.runtime.text.query import Query, Term
from vcontract.runtime.text.snippets import found_spans
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.transcript import TranscriptTurn

Kind = Literal["conversation", "session", "reflection", "journal"]
KINDS: Final[tuple[Kind, ...]] = ("conversation", "session", "reflection", "journal")
_RECORDS: Final = {"src_": "source", "mom_": "moment", "sce_": "scene"}
_MAX_TURN: Final = 600
"""Maximum characters of a turn shown in full."""


@dataclass(frozen=True, slots=True)
class Question:
    """One wording of the question."""

    text: str
    words: Query
    vector: QueryVector | None


class Lines(Mapping[Key, ShownLine]):
    """Lines that can be shown. Each is made when it is first read, because few of them are shown."""

    def __init__(self, makers: Mapping[Key, Callable[[], ShownLine]] = MappingProxyType({})) -> None:
        self._makers = dict(makers)
        self._made: dict[Key, ShownLine] = {}

    def __getitem__(self, key: Key) -> ShownLine:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._makers

    def __iter__(self) -> Iterator[Key]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def add(self, key: Key, make: Callable[[], ShownLine]) -> None:
        """Add a line, unless it is known."""
        self._makers.setdefault(key, make)

    def changed(self, change: Callable[[ShownLine], ShownLine]) -> "Lines":
        """Return the lines, each changed when it is read."""

        def read(key: Key) -> ShownLine:
            return change(self[key])

        return Lines({key: partial(read, key) for key in self})


@dataclass(slots=True)
class Evidence:
    """Everything found, before selection."""

    sources: dict[UUID, Source] = field(default_factory=dict[UUID, Source])
    places: list[RecallHit] = field(default_factory=list[RecallHit])
    """Best first."""
    lines: "Lines" = field(default_factory=lambda: Lines())
    weighed: list[WeightedQuery] = field(default_factory=list[WeightedQuery])
    """For each question, its weights among conversations."""
    best: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """For each question, the largest share of its words in one passage, and the largest similarity."""
    days: list[NamedDays] = field(default_factory=list[NamedDays])
    """Days named in each question."""
    matching: int = 0
    """Number of conversations and records with a passage above chance."""
    is_complete: bool = True
    """Whether there are no others."""
    is_every_place: bool = True
    """Whether all passages of these that match are among the places."""
    searched: int | None = None
    """Number of conversations that the filters allow, if it was counted."""
    has_hits: bool = False
    """Whether anything was found, by any speaker."""


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """A scored passage without its turn."""

    kind: str
    """Kind in the index."""
    scored: Scored
    score: float
    question: int
    is_match: bool = True
    """Whether it matches better than chance."""

    @property
    def source(self) -> UUID:
        return self.scored.passage.thing

    @property
    def key(self) -> PassageKey:
        one = self.scored.passage
        return one.thing, one.part, one.element, one.chunk


class EvidenceReader:
    """Adds passages to the evidence, with surrounding lines."""

    def __init__(
        self,
        turns: Mapping[UUID, Sequence[TranscriptTurn]],
        shown: Mapping[PassageKey, ShownPassage],
        terms: Sequence[Term],
        evidence: Evidence,
    ) -> None:
        self._turns = turns
        self._shown = shown
        self._terms = terms
        self._evidence = evidence
        self._at: dict[Key, int] = {}
        """Index of each passage in the list."""
        self._others: dict[tuple[UUID, str, int], int] = {}
        """Numbers of lines that are not turns."""

    def add(self, hit: ScoredHit, speaker: "Speaker | None") -> None:
        """Add a passage, unless it is by another speaker or has nothing to show."""
        passage = hit.scored.passage
        content = self._content(hit.key)
        if self._is_no_line(passage, content):
            return
        turns = self._turns_of(hit, content) if hit.kind == VCON else []
        if speaker is not None:
            turns = [turn for turn in turns if speaker.says(turn, passage.thing)]
        if turns:
            if len(turns) > 1:
                turns = sorted(turns, key=lambda turn: (-_words_of(turn, self._terms), turn.number))
            number = turns[0].number
            if passage.part == "dialog":
                self._put_turn(turns[0], passage, content)
            self._put_turns(passage.thing, passage.element if passage.part == "dialog" else None)
            together = tuple(turn.number for turn in turns)
        elif speaker is None and content and passage.part != "dialog" and not self._is_name(hit, content):
            number, together = self._put_other(hit, content), ()
        else:
            return
        self._merge(
            RecallHit(
                passage.thing,
                number,
                hit.score,
                hit.scored.score,
                bool(passage.words),
                (hit.question,),
                together if len(together) > 1 else (),
                hit.is_match,
            )
        )

    def _is_no_line(self, passage: Passage, content: str) -> bool:
        """Whether a passage is a subject that the heading has, or an ID or numbers that no word matches."""
        if passage.part == "subject":
            return any(place.source == passage.thing for place in self._evidence.places)
        return passage.part != "dialog" and not passage.words and is_for_machines(content)

    def _content(self, key: PassageKey) -> str:
        return self._shown[key].content if key in self._shown else ""

    def _is_name(self, hit: ScoredHit, content: str) -> bool:
        """Whether a passage only repeats a party's name from the heading."""
        return hit.scored.passage.part == "party" and content in self._evidence.sources[hit.source].people

    def _merge(self, place: RecallHit) -> None:
        """Add a passage, or merge it with the same one from another question."""
        known = self._at.get(place.key)
        if known is None:
            self._at[place.key] = len(self._evidence.places)
            self._evidence.places.append(place)
            return
        before = self._evidence.places[known]
        self._evidence.places[known] = replace(
            before,
            has_word=before.has_word or place.has_word,
            is_match=before.is_match or place.is_match,
            queries=tuple(sorted({*before.queries, *place.queries})),
        )

    def _turns_of(self, hit: ScoredHit, content: str) -> list[TranscriptTurn]:
        """Turns that make up a passage."""
        passage = hit.scored.passage
        turns = self._turns.get(passage.thing, ())
        if passage.part == "dialog":
            return [turn for turn in turns if turn.dialog == passage.element][:1]
        if passage.part != "analysis":
            return []
        return turns_within([turn for turn in turns if turn.analysis == passage.element], content)

    def _put_turn(self, turn: TranscriptTurn, passage: Passage, content: str) -> None:
        """Add the line of a found dialog, with the piece that matched."""
        others = ((passage.thing, "dialog", passage.element, chunk) for chunk in (0, 1))
        is_cut = any(key in self._shown for key in others if key[3] != passage.chunk)
        self._evidence.lines.add(
            (passage.thing, turn.number),
            partial(self._line, content, turn.speaker, turn.at, is_cut=is_cut),
        )

    def _put_turns(self, source: UUID, dialog: int | None) -> None:
        """Add lines of turns at and around a dialog; without a dialog, of all turns with words."""
        lines = self._evidence.lines
        for turn in self._turns[source]:
            key = (source, turn.number)
            if key in lines:
                continue
            text, is_cut = turn.words, False
            if not text and dialog is not None and turn.dialog is not None:
                text = self._content((source, "dialog", turn.dialog, 0))
                is_cut = (source, "dialog", turn.dialog, 1) in self._shown
            if text:
                lines.add(key, partial(self._line, text, turn.speaker, turn.at, is_cut=is_cut))

    def _put_other(self, hit: ScoredHit, content: str) -> int:
        """Add a line that is not a turn, and return its number."""
        passage, source = hit.scored.passage, self._evidence.sources[hit.source]
        number = self._others.setdefault(
            (passage.thing, passage.part, passage.element), -1 - len(self._others)
        )
        if (passage.thing, number) not in self._evidence.lines:
            part = source.kind if hit.kind == "reflection" else passage.part
            if hit.kind == "bridge":
                part = _RECORDS[source.id[:4]]
            if passage.part == "subject" and hit.kind == VCON:
                # identical texts are shown once
                self._evidence.sources[hit.source] = replace(source, is_subject_a_line=True)
            name = self._shown[hit.key].name or part
            self._evidence.lines.add(
                (passage.thing, number),
                partial(self._line, content, None, None, is_cut=False, part=name.split("_body")[0]),
            )
        return number

    def _line(
        self, text: str, speaker: str | None, at: datetime | None, *, is_cut: bool, part: str = ""
    ) -> ShownLine:
        shown = excerpt(text, self._terms, _MAX_TURN)
        plain = " ".join(text.split())
        return ShownLine(shown, speaker, at, part, is_cut=is_cut or shown != plain)


def _words_of(turn: TranscriptTurn, terms: Sequence[Term]) -> int:
    """Number of the terms in a turn."""
    return sum(any(True for _ in found_spans(turn.words, [term])) for term in terms)


@dataclass(frozen=True, slots=True)
class Speaker:
    """The requested speaker."""

    name: str
    called: Collection[str]
    """Other names, folded."""
    having_role: Mapping[UUID, Collection[str]]
    """Folded names of those of each conversation whose role is the name."""

    def says(self, turn: TranscriptTurn, source: UUID) -> bool:
        label = turn.speaker or ""
        others = {*self.called, *self.having_role.get(source, ())}
        return is_named(fold(label), self.name) or (bool(others) and key_of(label) in others)
