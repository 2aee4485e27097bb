"""Which conversations match a search, by their exchanges, and which of them are one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from vcontract.handlers.memory.request import Mode
from vcontract.runtime.store.search.hits import Item
from vcontract.runtime.store.search.listing import KindResults, ScoredItem, better_than_chance
from vcontract.runtime.store.search.ranking import Strength, strength_of
from vcontract.runtime.store.transcripts.conversations import FoundExchange

_ALL_WORDS = 0.999
ItemsById = Mapping[UUID, ScoredItem]
"""Exchanges that one concept finds, by their ids."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that matches, with the exchange that shows it."""

    exchanges: Mapping[UUID, FoundExchange]
    """Those that match."""
    shown: FoundExchange
    things: Sequence[ItemsById]
    """The exchanges that match, as each concept scores them."""
    scores: tuple[float, ...]
    """The best of each concept."""
    strength: Strength
    """How far the exchange that is shown is from what chance gives."""
    also_in: tuple[str, ...] = ()
    """Paths of others that hold the same exchange, the oldest first."""

    @property
    def score(self) -> float:
        return sum(self.scores) / len(self.scores)

    @property
    def strongest(self) -> int:
        """The concept that the exchange shown fits best."""
        scores = [things[self.shown.id].score if self.shown.id in things else -1.0 for things in self.things]
        return scores.index(max(scores))

    def order(self) -> tuple[float, float, str]:
        """Best first, then newer first, then by path."""
        return -self.score, -self.shown.started_at.timestamp(), self.shown.path

    def best_of(self, concept: int, most: int) -> list[UUID]:
        """The exchanges that a concept finds most in."""
        things = self.things[concept].values()
        return [thing.id for thing in sorted(things, key=lambda thing: -thing.score)[:most]]

    def scored(self, items: Sequence[Mapping[UUID, Item]]) -> "Conversation":
        """With the scores that some of its exchanges have place by place, before the others."""
        things: list[ItemsById] = []
        for known, of_concept in zip(self.things, items, strict=True):
            least = min((of_concept[id_].score for id_ in known if id_ in of_concept), default=1.0)
            things.append(
                {
                    id_: thing._replace(
                        score=of_concept[id_].score if id_ in of_concept else min(thing.score, least)
                    )
                    for id_, thing in known.items()
                }
            )
        return _conversation(self.exchanges, things)

    def others(self) -> list[ScoredItem]:
        """The exchanges that are not shown, best first, as the concept of each that fits it best has it."""
        best: dict[UUID, ScoredItem] = {}
        for things in self.things:
            for id_, thing in things.items():
                if id_ != self.shown.id and (id_ not in best or best[id_].score < thing.score):
                    best[id_] = thing
        return sorted(best.values(), key=lambda thing: (-thing.score, -thing.occurred_at.timestamp()))


def matching_items(found: Sequence[KindResults], mode: Mode, *, is_array: bool) -> list[ItemsById]:
    """What matches each query: of a single one what is better than chance, and some that is not.

    A concept of several is there, or not: all of its words, or its meaning.
    """
    if not is_array:
        (one,) = found
        things = one.things if mode == "text" else better_than_chance(one.things)
        return [{thing.id: thing for thing in things}]
    return [{thing.id: thing for thing in one.things if _is_there(thing, mode)} for one in found]


def _is_there(thing: ScoredItem, mode: Mode) -> bool:
    has_words = mode != "vector" and thing.coverage >= _ALL_WORDS
    return has_words or strength_of(thing.similarity, words=0.0) != "weak"


def matching_conversations(
    found: Sequence[ItemsById], exchanges: Mapping[UUID, FoundExchange]
) -> list[Conversation]:
    """The conversations in which each concept is matched, best first, then newer first, then by path."""
    members: dict[UUID, dict[UUID, FoundExchange]] = defaultdict(dict)
    for id_ in {id_ for of_concept in found for id_ in of_concept}:
        if (exchange := exchanges.get(id_)) is not None:
            members[exchange.vcon][id_] = exchange
    conversations: list[Conversation] = []
    for own in members.values():
        things = [{id_: of_concept[id_] for id_ in own if id_ in of_concept} for of_concept in found]
        if all(things):
            conversations.append(_conversation(own, things))
    return sorted(conversations, key=Conversation.order)


def _conversation(own: Mapping[UUID, FoundExchange], things: Sequence[ItemsById]) -> Conversation:
    """A conversation by the exchange that all concepts together score best, of equals the last one."""
    shown = max(
        (own[id_] for id_ in {id_ for of_concept in things for id_ in of_concept}),
        key=lambda one: (
            sum(of_concept[one.id].score for of_concept in things if one.id in of_concept),
            one.started_at,
            one.number,
        ),
    )
    scores = tuple(max(thing.score for thing in of_concept.values()) for of_concept in things)
    of_shown = [of_concept[shown.id] for of_concept in things if shown.id in of_concept]
    strength = strength_of(
        max(thing.similarity for thing in of_shown), words=max(thing.words for thing in of_shown)
    )
    return Conversation(own, shown, things, scores, strength)


def folded(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Of those that show the same text the oldest one, in the place of the first; it names the others."""
    groups: dict[bytes, list[Conversation]] = {}
    for conversation in conversations:
        shown = conversation.shown
        groups.setdefault(shown.digest or shown.id.bytes, []).append(conversation)
    return [_oldest(group) for group in groups.values()]


def _oldest(group: Sequence[Conversation]) -> Conversation:
    if len(group) == 1:
        return group[0]
    first, *others = sorted(group, key=lambda conversation: conversation.shown.age)
    return replace(first, also_in=tuple(other.shown.path for other in others))
