"""Select matching conversations from matching exchanges, and merge copies."""

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
"""Exchanges found by one concept, by ID."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A matching conversation, with the exchange to show."""

    exchanges: Mapping[UUID, FoundExchange]
    """Matching exchanges."""
    shown: FoundExchange
    things: Sequence[ItemsById]
    """Matching exchanges with their scores for each concept."""
    scores: tuple[float, ...]
    """Best score for each concept."""
    strength: Strength
    """How far the shown exchange is above chance."""
    also_in: tuple[str, ...] = ()
    """Paths of other copies of the same exchange, oldest first."""

    @property
    def score(self) -> float:
        return sum(self.scores) / len(self.scores)

    @property
    def strongest(self) -> int:
        """Index of the concept that the shown exchange fits best."""
        scores = [things[self.shown.id].score if self.shown.id in things else -1.0 for things in self.things]
        return scores.index(max(scores))

    def order(self) -> tuple[float, float, str]:
        """Best first, then newer first, then by path."""
        return -self.score, -self.shown.started_at.timestamp(), self.shown.path

    def best_of(self, concept: int, most: int) -> list[UUID]:
        """Exchanges with the best scores for a concept."""
        things = self.things[concept].values()
        return [thing.id for thing in sorted(things, key=lambda thing: -thing.score)[:most]]

    def scored(self, items: Sequence[Mapping[UUID, Item]]) -> "Conversation":
        """Replace scores by those computed passage by passage.

        An exchange without one gets at most the lowest of them.
        """
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
        """Other exchanges, best first, with the scores of their best concept."""
        best: dict[UUID, ScoredItem] = {}
        for things in self.things:
            for id_, thing in things.items():
                if id_ != self.shown.id and (id_ not in best or best[id_].score < thing.score):
                    best[id_] = thing
        return sorted(best.values(), key=lambda thing: (-thing.score, -thing.occurred_at.timestamp()))


def matching_items(found: Sequence[KindResults], mode: Mode, *, is_array: bool) -> list[ItemsById]:
    """Matches for each query. A single query includes some results no better than chance, all in mode `text`.

    With several concepts, each must match by all of its words or by meaning.
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
    """Conversations that match every concept, best first, then newer first, then by path."""
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
    """Build a conversation with the exchange of best total score, the last of equal ones."""
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
    """Merge conversations that show the same text: keep the oldest, in the place of the first."""
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
