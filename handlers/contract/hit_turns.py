"""Locate hits in turns of a transcript, with speaker and time."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypedDict
from uuid import UUID

from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.generated.results.contract import (
    VconSearchResultEntryMatchHitsEntryNeighboursEntry as Neighbour,
)
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import FoundPassage, Item
from vcontract.runtime.store.search.hits import Hit as FoundHit
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.text.query import Term
from vcontract.runtime.text.snippets import found_spans, snippet
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.transcript import TranscriptTurn

_WHOLE: Final = 400
"""Maximum characters of a turn shown in full."""
_TURNS_OF_A_HIT: Final = 3
DECIMALS: Final = 6
_DATE: Final = len("2025-01-01")
_EDGE: Final = 40
"""Characters by which a turn cut by a passage is recognized."""
_SPACE: Final = re.compile(r"\s+")
_SPOKEN: Final = frozenset({"dialog", "analysis"})

Turns = Mapping[UUID, Sequence[TranscriptTurn]]


class TurnOfHit(TypedDict, total=False):
    """Members of a hit in a turn."""

    turn: int
    speaker: str
    at: str


async def turns_of(
    vcons: VconStore, connection: Connection, tenant: str, passages: Collection[FoundPassage]
) -> Turns:
    """Load unknown turns of passages of dialogs and analyses, by vCon; others may be included."""
    spoken = [passage for passage in passages if passage.content_type in _SPOKEN and passage.turn is None]
    ids = {passage.vcon for passage in spoken}
    dialogs = {(passage.vcon, passage.element) for passage in spoken if passage.content_type == "dialog"}
    return await vcons.turns(connection, tenant, sorted(ids), sorted(dialogs)) if ids else {}


def hits_in_turns(turns: Turns, item: Item, terms: Sequence[Term], most: int) -> tuple[list[Hit], int]:
    """Build up to `most` hits of an item, with number, speaker, time and text of their turns.

    Hits in neighbouring turns are one. Also returns how many passages the hits show.
    """
    located = [
        _Located(passage, *_turn_at(turns.get(passage.vcon, ()), passage, terms))
        for passage in (*item.hits, *item.more_hits)
    ]
    groups = _joined(located, most)
    hits = [_with_neighbours(*(one.shown(terms) for one in group)) for group in groups]
    return hits, sum(map(len, groups))


def rounded(score: float) -> float:
    """A score as it is shown."""
    return round(score, DECIMALS)


class _Located(NamedTuple):
    """A passage with its turn, if any, and the text to show."""

    passage: FoundHit
    turn: TranscriptTurn | None
    text: str

    def shown(self, terms: Sequence[Term]) -> Hit:
        members, text = _shown(self.turn, self.text, terms)
        passage = self.passage
        hit: Hit = {
            "content_type": passage.content_type,
            "snippet": text,
            "score": rounded(passage.score),
            "because": list(passage.because),
        }
        if passage.content_index is not None:
            hit["content_index"] = passage.content_index
        if passage.name is not None:
            hit["content_name"] = passage.name
        located: Hit = {**hit, **members}
        return in_order(Hit, located)


def _joined(hits: Sequence[_Located], most: int) -> list[list[_Located]]:
    """Select up to `most` best hits, each with up to two in adjacent turns.

    In total, at most a third more than `most`, rounded up, so the page has about the same length.
    """
    groups: list[list[_Located]] = []
    left = most + -(-most // 3)
    for hit in hits:
        near = [group for group in groups if len(group) < _TURNS_OF_A_HIT and _are_next(group, hit)]
        if near:
            near[0].append(hit)
        elif len(groups) < most:
            groups.append([hit])
        else:
            continue
        left -= 1
        if not left:
            break
    return groups


def _are_next(group: Sequence[_Located], other: _Located) -> bool:
    """Whether a hit is in a turn adjacent to one in the group."""
    return other.turn is not None and any(
        one.turn is not None
        and one.passage.content_type == other.passage.content_type
        and abs(one.turn.number - other.turn.number) == 1
        for one in group
    )


def _with_neighbours(best: Hit, *others: Hit) -> Hit:
    if not others:
        return best
    neighbours: list[Neighbour] = []
    for hit in sorted(others, key=lambda hit: hit.get("turn", 0)):
        neighbour: Neighbour = {"turn": hit.get("turn", 0), "snippet": hit["snippet"]}
        if "speaker" in hit:
            neighbour["speaker"] = hit["speaker"]
        if "at" in hit and hit["at"][:_DATE] != best.get("at", "")[:_DATE]:
            neighbour["at"] = hit["at"]
        neighbours.append(in_order(Neighbour, neighbour))
    joined: Hit = {**best, "neighbours": neighbours}
    return in_order(Hit, joined)


def locate_in_turns(turns: Turns, passage: FoundPassage, terms: Sequence[Term]) -> tuple[TurnOfHit, str]:
    """Find the turn of a passage and a snippet; of several turns, the one with most of the terms.

    A turn of up to 400 characters is shown whole. A passage outside turns has no members.
    """
    return _shown(*_turn_at(turns.get(passage.vcon, ()), passage, terms), terms)


def _shown(turn: TranscriptTurn | None, text: str, terms: Sequence[Term]) -> tuple[TurnOfHit, str]:
    if turn is None:
        return {}, snippet(text, terms)
    members: TurnOfHit = {"turn": turn.number}
    if turn.speaker:
        members["speaker"] = turn.speaker
    if turn.at is not None:
        members["at"] = format_time(turn.at)
    return members, snippet(text, terms, whole=_WHOLE)


def _turn_at(
    turns: Sequence[TranscriptTurn], passage: FoundPassage, terms: Sequence[Term]
) -> tuple[TranscriptTurn | None, str]:
    """Return the turn, and its text to show."""
    if passage.turn is not None:
        return passage.turn, passage.content
    if passage.content_type == "dialog":
        own = (turn for turn in turns if turn.dialog == passage.element)
        return next(own, None), passage.content
    if passage.content_type != "analysis":
        return None, passage.content
    within = turns_within([turn for turn in turns if turn.analysis == passage.element], passage.content)
    if not within:
        return None, passage.content
    counts = {turn.number: len({*_matching_terms(turn.words, terms)}) for turn in within}
    best = max(within, key=lambda turn: counts[turn.number])
    # a match by meaning, or next to the words, may be in any of them
    return best, best.words if counts[best.number] else passage.content


def _matching_terms(text: str, terms: Sequence[Term]) -> list[int]:
    """Indexes of the terms in a text."""
    return [number for number, term in enumerate(terms) if any(found_spans(text, [term]))]


def turns_within(turns: Sequence[TranscriptTurn], content: str) -> list[TranscriptTurn]:
    """Consecutive turns that make up a passage of a transcript."""
    text = _plain(content)
    runs = [
        list(run)
        for is_within, run in groupby(turns, key=lambda turn: _is_in(_plain(turn.words), text))
        if is_within
    ]
    return max(runs, key=lambda run: sum(len(turn.words) for turn in run), default=list[TranscriptTurn]())


def _is_in(words: str, text: str) -> bool:
    """Whether a passage contains words, or the part of them that it has."""
    if words in text or text in words:
        return True
    return len(words) > _EDGE and (words[:_EDGE] in text or words[-_EDGE:] in text)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
