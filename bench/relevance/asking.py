"""Questions put to the public search tool, and the rank of what answers them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bench.relevance.form import Conversation, Quality, Question, RelevanceSet
from bench.subject import CallFailed, Subject
from vcontract.runtime.documents.json import JsonObject

MODES = ("keyword", "semantic", "hybrid")
_FIRST = datetime(2025, 1, 6, 9, tzinfo=UTC)
_ITEMS = 10


@dataclass(frozen=True, slots=True)
class Found:
    """What one mode finds: whole conversations, and the turns within them."""

    mode: str
    conversations: Quality
    turns: Quality


async def store_set(subject: Subject, relevance: RelevanceSet) -> dict[str, str]:
    """Store the conversations by the public tool and embed them; their uuids by id."""
    uuids: dict[str, str] = {}
    for number, conversation in enumerate(relevance.conversations):
        begin = _FIRST + timedelta(days=number)
        created = await subject.call("create_vcon", {"vcon_data": _vcon(conversation, begin)})
        uuids[conversation.id] = created["uuid"]
    await subject.application.worker.drain(subject.application.caller.tenant)
    return uuids


async def ask_all(subject: Subject, relevance: RelevanceSet, uuids: dict[str, str]) -> list[Found]:
    """Every question in every mode, with nothing but its words: no threshold and no filter."""
    return [await _ask_in(mode, subject, relevance, uuids) for mode in MODES]


async def _ask_in(mode: str, subject: Subject, relevance: RelevanceSet, uuids: dict[str, str]) -> Found:
    conversations: list[int | None] = []
    turns: list[int | None] = []
    for question in relevance.questions:
        arguments: JsonObject = {"mode": mode, "include": ["core"], "limit": _ITEMS}
        arguments["query"] = question.question
        if mode == "keyword":
            # all words of a question seldom stand in one conversation: any of them may
            arguments["query"] = " OR ".join(question.question.replace('"', " ").split())
        if mode == "semantic":
            arguments["threshold"] = 0
        items = await _items(subject, arguments)
        conversations.append(_rank_of_conversation(items, uuids[question.conversation]))
        turns.append(_rank_of_turn(items, uuids[question.conversation], question))
    return Found(mode, Quality.of(conversations), Quality.of(turns))


async def _items(subject: Subject, arguments: JsonObject) -> list[JsonObject]:
    """What the search finds; nothing when it refuses the query, as semantic mode does with a bare code."""
    try:
        answer = await subject.call("vcon_search", arguments)
    except CallFailed as failure:
        if "AMBIGUOUS_QUERY" not in str(failure):
            raise
        return []
    items: list[JsonObject] = answer["items"]
    return items


def _rank_of_conversation(items: list[JsonObject], uuid: str) -> int | None:
    return next((rank for rank, item in enumerate(items, 1) if item["uuid"] == uuid), None)


def _rank_of_turn(items: list[JsonObject], uuid: str, question: Question) -> int | None:
    """The rank among the places that the answer shows, best place first, whatever their conversation."""
    places = [
        (hit["score"], item["uuid"], hit.get("content_index"))
        for item in items
        for hit in item["match"]["hits"]
        if hit["content_type"] == "dialog"
    ]
    places.sort(key=lambda place: -place[0])
    return next(
        (rank for rank, (_, found, turn) in enumerate(places, 1) if found == uuid and turn in question.turns),
        None,
    )


def _vcon(conversation: Conversation, begin: datetime) -> JsonObject:
    speakers = list(dict.fromkeys(turn.speaker for turn in conversation.turns))
    return {
        "vcon": "0.4.0",
        "created_at": begin.isoformat(),
        "subject": conversation.subject,
        "parties": [{"name": speaker, "validation": "none"} for speaker in speakers],
        "dialog": [
            {
                "type": "text",
                "start": (begin + timedelta(minutes=number)).isoformat(),
                "parties": [speakers.index(turn.speaker)],
                "originator": speakers.index(turn.speaker),
                "mediatype": "text/plain",
                "encoding": "none",
                "body": turn.text,
            }
            for number, turn in enumerate(conversation.turns)
        ],
    }
