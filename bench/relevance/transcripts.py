"""The questions put to the memory and session toolsets: each conversation is a session of an agent."""

import asyncio
from pathlib import Path

from bench.memory import import_transcripts, session_id
from bench.relevance.asking import ITEMS, Ask, Listed, SearchOutcome, ask_all, strength_of
from bench.relevance.form import Conversation, Place, RelevanceSet
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

_MODES = {"text": (), "vector": (), "both": ("memory text", "memory vector")}


async def ask_sessions(subject: Subject, set_: RelevanceSet, folder: Path) -> list[SearchOutcome]:
    """Import the sessions and ask each search; it finds a turn when it shows the exchange that holds it."""
    for number, conversation in enumerate(set_.conversations):
        _write(folder / f"{session_id(number)}.jsonl", session_id(number), conversation)
    await asyncio.to_thread(import_transcripts, subject, folder, len(set_.conversations))
    await subject.application.worker.drain(subject.application.caller.tenant)
    ids = {session_id(number): one.id for number, one in enumerate(set_.conversations)}
    found = [
        await ask_all(set_, f"memory {mode}", _search(subject, mode, ids), parts)
        for mode, parts in _MODES.items()
    ]
    return [
        *found,
        await ask_all(set_, "session reflect", _reflect(subject, ids)),
        await ask_all(set_, "session quick (one)", _quick(subject, ids)),
    ]


def _search(subject: Subject, mode: str, ids: dict[str, str]) -> Ask:
    async def ask(question: str) -> Listed:
        arguments: JsonObject = {"query": question, "mode": mode, "response_format": "json"}
        arguments |= {"limit": ITEMS, "exchanges": ITEMS}
        results = (await subject.call("search", arguments))["results"]
        return _turns(_exchanges(results), ids), strength_of(results)

    return ask


def _reflect(subject: Subject, ids: dict[str, str]) -> Ask:
    async def ask(question: str) -> Listed:
        arguments: JsonObject = {"query": question, "min_score": 0, "limit": ITEMS}
        results = (await subject.call("reflect_on_past", arguments))["results"]
        return _turns(results, ids), strength_of(results)

    return ask


def _quick(subject: Subject, ids: dict[str, str]) -> Ask:
    async def ask(question: str) -> Listed:
        answer = await subject.call("quick_search", {"query": question, "min_score": 0})
        results = [answer["top_result"]] if answer["top_result"] else []
        return _turns(results, ids), strength_of(results)

    return ask


def _exchanges(results: list[JsonObject]) -> list[JsonObject]:
    """The exchanges of all conversations, best first; of equals, and scores have two decimals, the first."""
    shown = [
        (-each["score"], number, {**each, "path": result["path"]})
        for result in results
        for number, each in enumerate((result, *result.get("more", ())))
    ]
    return [each for *_, each in sorted(shown, key=lambda one: one[:2])]


def _turns(results: list[JsonObject], ids: dict[str, str]) -> list[Place]:
    """The turns of each exchange, which are its lines."""
    return [
        (ids[Path(result["path"]).stem], range(result["line_start"] - 1, result["line_end"]))
        for result in results
    ]


def _write(file: Path, session: str, conversation: Conversation) -> None:
    """The turns as prompts and answers, a line each."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines: list[JsonObject] = []
    for index, turn in enumerate(conversation.turns):
        role = "assistant" if index % 2 else "user"
        said: JsonObject = {"role": role, "content": turn.text}
        if index % 2:
            said = {
                "role": role,
                "id": f"msg_{session}_{index}",
                "model": "claude-opus",
                "content": [{"type": "text", "text": turn.text}],
            }
        lines.append(
            {
                "type": role,
                "uuid": f"{session}-{index}",
                "sessionId": session,
                "timestamp": turn.at.isoformat(),
                "cwd": f"/home/ann/{conversation.subject}",
                "version": "2.1.230",
                "message": said,
            }
        )
    file.write_bytes(b"".join(dump_json(line) + b"\n" for line in lines))
