"""The questions put to the bridge toolset: each turn is a captured source."""

from bench.relevance.asking import ITEMS, Listed, SearchOutcome, ask_all, strength_of
from bench.relevance.form import Place, RelevanceSet
from bench.relevance.plain import PLAIN
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject


async def ask_bridge(subject: Subject, set_: RelevanceSet) -> SearchOutcome:
    """Capture every entry, and ask `search` of the bridge; an entry's conversation is its journal."""
    places: dict[str, Place] = {}
    for conversation in set_.conversations:
        for number, turn in enumerate(conversation.turns):
            entry: JsonObject = {
                "content": turn.text,
                "experiencer": turn.speaker,
                "perspective": "I",
                "processing": "right-after",
                "when": f"{turn.at:%Y-%m-%d}",
            }
            captured = await subject.call("capture", entry)
            places[captured["record"]["id"]] = (conversation.id, range(number, number + 1))
    await subject.application.worker.drain(subject.application.caller.tenant)

    async def ask(question: str) -> Listed:
        answer = await subject.call("search", {"query": question, "limit": ITEMS})
        results = answer["results"]
        return [places[hit["id"]] for hit in results], strength_of(results)

    return await ask_all(set_, "bridge search", ask, PLAIN)
