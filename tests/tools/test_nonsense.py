"""Strengths in every toolset: what is about nothing stored shows weak matches, what is there better ones."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from bench.relevance.asking import vcon_of
from bench.relevance.form import NONSENSE, OWN_SETS, Conversation, RelevanceSet, read_set
from tests.conftest import ALL_SCOPES
from tests.tools.memory.conftest import Transcript
from vcontract.runtime.app import App, build
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

CALLER: Final = Caller("nonsense", ALL_SCOPES)
SETS: Final = {file.stem: read_set(file) for file in OWN_SETS}
CALLS: Final = SETS["calls"].conversations[:12]
SESSIONS: Final = SETS["agents"].conversations[:4]
Reported = tuple[set[str], bool]
"""The strengths that an answer shows, and whether it says that they are weak."""


@pytest.fixture(scope="module")
async def served(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """Every toolset over one store of calls, sessions of an agent and a journal."""
    app = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    for conversation in CALLS:
        await _answer(app, "create_vcon", {"vcon_data": vcon_of(conversation)})
    await _import(app, settings, tmp_path_factory.mktemp("sessions"))
    for entry in (turn for one in SETS["journal"].conversations for turn in one.turns):
        lived = {"content": entry.text, "experiencer": entry.speaker, "perspective": "I"}
        await _answer(app, "bridge_capture", {**lived, "processing": "right-after"})
    await app.worker.drain(CALLER.tenant)
    yield app
    await app.close()


async def _import(app: App, settings: Settings, folder: Path) -> None:
    paths: list[Path] = []
    for conversation in SESSIONS:
        transcript = Transcript(start=conversation.turns[0].at).turns(*(t.text for t in conversation.turns))
        paths.append(folder / f"{transcript.session}.jsonl")
        paths[-1].write_text("".join(f"{line}\n" for line in transcript.lines), encoding="utf-8")
    store = TranscriptStore(
        app.database,
        VconStore(app.database),
        PrepareContext.load(),
        CALLER.tenant,
        lambda: datetime.now(UTC),
    )
    summary = await TranscriptImporter(store, Options(CALLER.tenant, settings.data_dir)).run(paths)
    assert summary.failed == 0


async def _answer(app: App, tool: str, arguments: JsonObject) -> JsonObject:
    outcome = await app.dispatcher.call(tool, arguments, CALLER)
    assert not outcome.is_error, outcome.text
    return outcome.structured


def _of_contract(answer: JsonObject) -> Reported:
    said = any(hint["reason"] == "only_weak_matches" for hint in answer["meta"].get("hints", ()))
    return {item["match"]["strength"] for item in answer["items"]}, said


def _of_vcon(answer: JsonObject) -> Reported:
    return {result["strength"] for result in answer["results"]}, True


def _of_memory(answer: JsonObject) -> Reported:
    said = any(note.startswith("Nothing is nearer") for note in answer.get("notes", ()))
    return {result["strength"] for result in answer["results"]}, said


def _of_session(answer: JsonObject) -> Reported:
    results = answer["results"] if "results" in answer else [answer["top_result"]]
    return {result["strength"] for result in results}, "nearest" in answer.get("notice", "")


def _of_bridge(answer: JsonObject) -> Reported:
    said = any(hint["code"] == "only_weak_matches" for hint in answer["hints"])
    return {result["strength"] for result in answer["results"]}, said


SEARCHES: Final[dict[str, tuple[str, str, JsonObject, Callable[[JsonObject], Reported]]]] = {
    "contract, semantic": ("vcon_search", "query", {"mode": "semantic"}, _of_contract),
    "contract, hybrid": ("vcon_search", "query", {"mode": "hybrid"}, _of_contract),
    "vcon, semantic": ("search_vcons_semantic", "query", {}, _of_vcon),
    "vcon, hybrid": ("search_vcons_hybrid", "query", {}, _of_vcon),
    "memory, vector": ("memory_search", "query", {"mode": "vector"}, _of_memory),
    "memory, both": ("memory_search", "query", {"mode": "both"}, _of_memory),
    "session, whole": ("session_reflect_on_past", "query", {}, _of_session),
    "session, quick": ("session_quick_search", "query", {}, _of_session),
    "session, concept": ("session_search_by_concept", "concept", {}, _of_session),
    "bridge": ("bridge_search", "query", {}, _of_bridge),
}


@pytest.mark.parametrize("search", SEARCHES)
async def test_twenty_questions_about_nothing_that_is_stored_show_weak_matches_and_say_so(
    served: App, search: str
) -> None:
    tool, parameter, arguments, reported = SEARCHES[search]

    for query in NONSENSE:
        strengths, is_said = reported(await _answer(served, tool, {parameter: query, **arguments}))

        assert strengths <= {"weak"}, query
        assert is_said or not strengths, query


@pytest.mark.parametrize("search", SEARCHES)
async def test_a_question_of_stop_words_is_searched_by_meaning_everywhere(served: App, search: str) -> None:
    tool, parameter, arguments, reported = SEARCHES[search]
    everything = {"min_score": 0} if tool.startswith("session_") and parameter == "query" else {}
    everything = {"threshold": 0} if search.endswith("semantic") else everything

    for query in ("Where are they?", "What was it?"):
        answer = await _answer(served, tool, {parameter: query, **arguments, **everything})

        assert reported(answer)[0], answer


@pytest.mark.parametrize("search", ["memory, both", "session, whole", "bridge"])
async def test_a_question_of_stop_words_is_searched_as_written_without_a_model(
    served: App, search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: EmbeddingModel, __: str) -> None:
        raise ModelUnavailable("failed", "it is gone", "reinstall it")

    tool, parameter, arguments, _ = SEARCHES[search]
    monkeypatch.setattr(EmbeddingModel, "embed_query", fail)

    answer = await _answer(served, tool, {parameter: "Were theirs yours?", **arguments})

    assert answer["results"] == []


def _asked(set_: RelevanceSet, among: list[Conversation]) -> list[str]:
    """The questions of the half that nothing was chosen by."""
    ids = {conversation.id for conversation in among}
    return [one.text for one in set_.questions if one.conversation in ids and one.half == "report"]


@pytest.mark.parametrize(
    ("search", "questions"),
    [
        ("contract, hybrid", _asked(SETS["calls"], CALLS)),
        ("memory, both", _asked(SETS["agents"], SESSIONS)),
        ("bridge", _asked(SETS["journal"], SETS["journal"].conversations)),
    ],
    ids=["contract", "memory", "bridge"],
)
async def test_most_questions_about_what_is_stored_show_better_ones(
    served: App, search: str, questions: list[str]
) -> None:
    tool, parameter, arguments, reported = SEARCHES[search]

    weak = [
        query
        for query in questions
        if reported(await _answer(served, tool, {parameter: query, **arguments}))[0] <= {"weak"}
    ]

    assert len(weak) < len(questions) / 2, weak
