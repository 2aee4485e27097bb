"""Questions put to the public tools, and where their answers list what was asked for."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from bench.relevance.figures import Ranks
from bench.relevance.form import NONSENSE, Conversation, Place, Question, RelevanceSet
from bench.subject import CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject

ITEMS = 10
DEFAULTS = "hybrid, defaults"
"""The way of a client that sends a mode and a query alone."""
Listed = tuple[list[Place], str]
"""What is listed, best first, and how strong the first of it is said to be; empty where nothing is."""
Ask = Callable[[str], Awaitable[Listed]]
"""What is listed for a question."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Where one way of searching lists the answer to each question of a set."""

    set: RelevanceSet
    way: str
    ranks: list[Ranks]
    parts: tuple[str, ...] = ()
    """The ways that this one joins: it should be no worse than any of them."""
    strengths: tuple[str, ...] = ()
    """How strong what comes first is said to be, for each question; empty where a way reports none."""
    never_said: tuple[str, ...] = ()
    """The same for the set's never-said questions."""
    nonsense: tuple[str, ...] = ()
    """The same for questions about nothing that is stored."""

    def answered(self) -> Iterator[tuple[Question, Ranks]]:
        """Each question with the ranks of its answer."""
        return zip(self.set.questions, self.ranks, strict=True)


async def ask_all(set_: RelevanceSet, way: str, ask: Ask, parts: tuple[str, ...] = ()) -> SearchOutcome:
    """Every question of the set, asked that way with nothing but its words."""
    listed = [await ask(question.text) for question in set_.questions]
    ranks = [
        Ranks.among(places, question) for (places, _), question in zip(listed, set_.questions, strict=True)
    ]
    never_said = [(await ask(text))[1] for text in set_.never_said]
    nonsense = [(await ask(text))[1] for text in NONSENSE]
    strengths = tuple(strength for _, strength in listed)
    return SearchOutcome(set_, way, ranks, parts, strengths, tuple(never_said), tuple(nonsense))


def strength_of(results: list[JsonObject]) -> str:
    """How strong the first is said to be; empty where nothing is listed."""
    return results[0]["strength"] if results else ""


async def store_vcons(subject: Subject, sets: list[RelevanceSet]) -> dict[str, str]:
    """Store the conversations of all sets together; their ids by UUID."""
    uuids: dict[str, str] = {}
    for set_ in sets:
        for conversation in set_.conversations:
            created = await subject.call("create_vcon", {"vcon_data": vcon_of(conversation)})
            uuids[created["uuid"]] = conversation.id
    await subject.application.worker.drain(subject.application.caller.tenant)
    return uuids


async def ask_vcons(subject: Subject, sets: list[RelevanceSet], uuids: dict[str, str]) -> list[SearchOutcome]:
    """Ask `vcon_search` in each of its modes, and with default arguments."""
    modes = {"keyword": (), "semantic": (), "hybrid": ("keyword", "semantic"), DEFAULTS: ()}
    return [
        await ask_all(set_, mode, _vcon_search(subject, mode, uuids), parts)
        for set_ in sets
        for mode, parts in modes.items()
    ]


def _vcon_search(subject: Subject, mode: str, uuids: dict[str, str]) -> Ask:
    async def ask(question: str) -> Listed:
        arguments: JsonObject = {
            "mode": mode,
            "include": ["core"],
            "limit": ITEMS,
            "query": question,
            "hits_per_item": ITEMS,  # a turn is looked for, and a conversation may have several that fit
        }
        if mode == DEFAULTS:
            arguments = {"mode": "hybrid", "query": question}
        elif mode == "keyword":
            # all words of a question seldom stand in one conversation: any of them may
            arguments["query"] = " OR ".join(question.replace('"', " ").split())
        else:
            arguments["threshold"] = 0  # what is no better than chance is ranked, too
        items = await found_items(subject, arguments)
        places = [(uuids.get(uuid, uuid), turns) for uuid, turns in places_of(items)]
        return places, strength_of([item["match"] for item in items])

    return ask


async def found_items(subject: Subject, arguments: JsonObject) -> list[JsonObject]:
    """What the search finds; nothing when it refuses the query, as semantic mode does with a bare code."""
    try:
        answer = await subject.call("vcon_search", arguments)
    except CallFailed as failure:
        if "AMBIGUOUS_QUERY" not in str(failure):
            raise
        return []
    items: list[JsonObject] = answer["items"]
    return items


def places_of(items: list[JsonObject]) -> Iterator[Place]:
    """The turns that the items show, best first whatever their conversation; then the conversations."""
    hits = [(hit, item["uuid"]) for item in items for hit in item["match"]["hits"]]
    for hit, uuid in sorted(hits, key=lambda place: -place[0]["score"]):
        if hit["content_type"] == "dialog":
            others = [each["turn"] - hit["turn"] for each in hit.get("neighbours", ())]
            at = hit["content_index"]
            yield uuid, range(at + min([0, *others]), at + max([0, *others]) + 1)
    for item in items:
        yield item["uuid"], range(0)


def vcon_of(conversation: Conversation) -> JsonObject:
    """The conversation as it is stored."""
    speakers = list(dict.fromkeys(turn.speaker for turn in conversation.turns))
    return {
        "vcon": "0.4.0",
        "created_at": conversation.turns[0].at.isoformat(),
        "subject": conversation.subject,
        "parties": [{"name": speaker, "validation": "none"} for speaker in speakers],
        "dialog": [
            {
                "type": "text",
                "start": turn.at.isoformat(),
                "parties": [speakers.index(turn.speaker)],
                "originator": speakers.index(turn.speaker),
                "mediatype": "text/plain",
                "encoding": "none",
                "body": turn.text,
            }
            for turn in conversation.turns
        ],
    }
