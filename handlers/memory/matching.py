"""Which conversations match a search, by their exchanges, and which of them are one."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from vcontract.handlers.memory.request import Mode
from vcontract.runtime.store.search.recall import FLOOR, Found, Hit
from vcontract.runtime.store.transcripts.conversations import FoundExchange


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that matches, with the exchange that shows it."""

    shown: FoundExchange
    score: float
    concept_scores: tuple[float, ...]
    """The best score of each concept in the conversation."""
    hits: tuple[Hit | None, ...]
    """The exchange that is shown, as each concept scored it."""
    also_in: tuple[str, ...] = ()
    """Paths of others that hold the same exchange, the oldest first."""


Matches = Callable[[Hit], bool]


def rule(mode: Mode, *, is_array: bool) -> Matches:
    """Whether a hit matches one query, or one concept of an array."""
    if mode == "vector":
        return lambda hit: hit.similarity >= FLOOR
    if mode == "text":
        return lambda hit: hit.has_every_term
    if is_array:
        return lambda hit: hit.has_every_term or hit.similarity >= FLOOR
    return lambda hit: hit.matches


def any_term(hit: Hit) -> bool:
    """The rule of a text search when no exchange has every term."""
    return hit.coverage > 0


def matching_conversations(
    found: Sequence[Found], exchanges: Mapping[UUID, FoundExchange], matches: Matches
) -> list[Conversation]:
    """The conversations in which each concept is matched, best first, then newer first, then by path."""
    scored = [{hit.id: hit for hit in one.hits} for one in found]
    best: list[dict[UUID, float]] = []
    members: dict[UUID, set[UUID]] = defaultdict(set)
    for hits in scored:
        of_concept: dict[UUID, float] = {}
        for hit in hits.values():
            exchange = exchanges.get(hit.id)
            if exchange is None or not matches(hit):
                continue
            of_concept[exchange.vcon] = max(of_concept.get(exchange.vcon, 0.0), hit.score)
            members[exchange.vcon].add(hit.id)
        best.append(of_concept)
    conversations: list[Conversation] = []
    for vcon, ids in members.items():
        if not all(vcon in of_concept for of_concept in best):
            continue
        shown = _shown([exchanges[id_] for id_ in ids], scored)
        scores = tuple(of_concept[vcon] for of_concept in best)
        as_scored = tuple(of_concept.get(shown.id) for of_concept in scored)
        conversations.append(Conversation(shown, sum(scores) / len(scores), scores, as_scored))
    conversations.sort(key=lambda c: (-c.score, -c.shown.started_at.timestamp(), c.shown.path))
    return conversations


def _shown(matching: Sequence[FoundExchange], scored: Sequence[Mapping[UUID, Hit]]) -> FoundExchange:
    """The exchange of a conversation that all concepts together score best, of equals the last one."""
    if len(matching) == 1:
        return matching[0]
    return max(
        matching,
        key=lambda exchange: (
            sum(hits[exchange.id].score for hits in scored if exchange.id in hits),
            exchange.started_at,
            exchange.number,
        ),
    )


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
    return Conversation(
        first.shown,
        first.score,
        first.concept_scores,
        first.hits,
        tuple(other.shown.path for other in others),
    )
