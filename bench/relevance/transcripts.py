"""The same questions put to the memory toolset: each conversation is a session of an agent."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.memory import import_transcripts, session_id
from bench.relevance.asking import Found
from bench.relevance.form import Conversation, Quality, RelevanceSet
from bench.subject import Subject
from vcontract.runtime.documents.json import JsonObject, dump_json

MODES = ("text", "vector", "both")
_FIRST = datetime(2025, 1, 6, 9, tzinfo=UTC)


async def ask_memory(subject: Subject, relevance: RelevanceSet, folder: Path) -> list[Found]:
    """Every question in every mode; a turn counts as found when the shown exchange holds it."""
    for number, conversation in enumerate(relevance.conversations):
        _write(folder / f"{session_id(number)}.jsonl", number, conversation)
    await asyncio.to_thread(import_transcripts, subject, folder, len(relevance.conversations))
    await subject.application.worker.drain(subject.application.caller.tenant)
    return [await _ask_in(mode, subject, relevance) for mode in MODES]


async def _ask_in(mode: str, subject: Subject, relevance: RelevanceSet) -> Found:
    sessions = {conversation.id: session_id(n) for n, conversation in enumerate(relevance.conversations)}
    conversations: list[int | None] = []
    turns: list[int | None] = []
    for question in relevance.questions:
        arguments: JsonObject = {"query": question.question, "mode": mode, "response_format": "json"}
        answer = await subject.call("search", arguments)
        wanted = sessions[question.conversation]
        lines = {turn + 1 for turn in question.turns}
        conversations.append(
            next((rank for rank, hit in enumerate(answer["results"], 1) if hit["session_id"] == wanted), None)
        )
        turns.append(
            next(
                (
                    rank
                    for rank, hit in enumerate(answer["results"], 1)
                    if hit["session_id"] == wanted
                    and lines & set(range(hit["line_start"], hit["line_end"] + 1))
                ),
                None,
            )
        )
    return Found(f"memory, {mode}", Quality.of(conversations), Quality.of(turns))


def _write(file: Path, number: int, conversation: Conversation) -> None:
    """The turns as prompts and answers by turns, a line each."""
    file.parent.mkdir(parents=True, exist_ok=True)
    begin = _FIRST + timedelta(days=number)
    lines: list[JsonObject] = []
    for index, turn in enumerate(conversation.turns):
        role = "assistant" if index % 2 else "user"
        said: JsonObject = {"role": role, "content": turn.text}
        if index % 2:
            said = {
                "role": role,
                "id": f"msg_{number}_{index}",
                "model": "claude-opus",
                "content": [{"type": "text", "text": turn.text}],
            }
        lines.append(
            {
                "type": role,
                "uuid": f"{session_id(number)}-{index}",
                "sessionId": session_id(number),
                "timestamp": (begin + timedelta(minutes=index)).isoformat(),
                "cwd": "/home/ann/conversations",
                "version": "2.1.230",
                "message": said,
            }
        )
    file.write_bytes(b"".join(dump_json(line) + b"\n" for line in lines))
