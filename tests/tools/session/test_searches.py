"""The searches of the memory: their scores, their scopes, their lists and chunks."""

import json
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import asyncpg
import numpy as np
import pytest

from bench.relevance.form import NONSENSE
from tests.imports.agents import ANSWER, WRITERS
from tests.imports.transcripts.conftest import ClaudeCode, as_lines
from tests.imports.transcripts.conftest import call as tool_call
from tests.tools.session.conftest import Client, Connect, Repository, Serving, make_repository
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.store.postgres import server
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

Import = Callable[..., Awaitable[None]]


@pytest.fixture
def bring_in(call: Client, tmp_path: Path) -> Import:
    """Imports a file of any agent for this test's tenant."""

    async def bring_in(file: Path) -> None:
        database, tenant = call.app.database, call.caller.tenant
        prepare_context = PrepareContext.load()
        store = TranscriptStore(database, VconStore(database), prepare_context, tenant, now)
        options = Options(tenant, tmp_path / "data")
        summary = await TranscriptImporter(store, options).run([file])
        assert not summary.failed, summary

    return bring_in


@pytest.fixture
def import_(bring_in: Import, tmp_path: Path) -> Import:
    """Imports the lines of one session of Claude Code for this test's tenant."""

    async def import_(session: ClaudeCode, *lines: object) -> None:
        file = tmp_path / "sessions" / f"{session.session}.jsonl"
        write(file, as_lines(lines))
        await bring_in(file)

    return import_


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def now() -> datetime:
    return datetime.now(UTC)


def session(number: int, cwd: str = "/p/x") -> ClaudeCode:
    return ClaudeCode(f"7b0c1c9a-4f5e-4d0a-9c1e-{number:012d}", cwd)


async def test_an_exchange_is_found_with_its_lines_and_what_stood_around_it(
    call: Client, import_: Import
) -> None:
    claude = session(1, "/home/ann/ledger")
    await import_(
        claude,
        claude.prompt("What is double entry?"),
        claude.answer("Every amount is booked twice."),
        claude.prompt("How do we reconcile the quarterly ledger?"),
        claude.answer("Compare the sums of both sides, then look for the difference."),
        claude.prompt("Thanks, and the taxes?"),
        claude.answer("Later."),
    )

    answer = await call("reflect_on_past", query="reconcile quarterly ledger")

    [found, *_] = answer["results"]
    assert found["content"] == (
        "User: How do we reconcile the quarterly ledger?\n"
        "Assistant: Compare the sums of both sides, then look for the difference."
    )
    assert found["context"] == "What is double entry?\nThanks, and the taxes?"
    assert (found["line_start"], found["line_end"]) == (3, 4)
    assert found["path"].endswith(f"{claude.session}.jsonl")
    assert (found["source"], found["project"]) == ("conversation", "ledger")
    assert found["matched_by"] in ("text", "both")


FILLER = "The sums of the day were checked and put into the book. "


@pytest.mark.parametrize("before", [300, 3_600, 30_000])
async def test_a_long_text_is_shown_around_the_words_that_were_found(
    call: Client, import_: Import, before: int
) -> None:
    claude = session(1)
    long_text = FILLER * (before // len(FILLER)) + "Here the zebra crossed a bridge. " + FILLER * 40
    await import_(claude, claude.prompt("And then?"), claude.answer(long_text))
    await store_vcon(call, PrepareContext.load(), long_text.replace("zebra", "giraffe"))
    if before < 30_000:
        await call("store_reflection", content=long_text.replace("zebra", "lion"))

    for animal in ("zebra", "giraffe", "lion")[: 3 if before < 30_000 else 2]:
        whole = await call("reflect_on_past", query=f"{animal} bridge")
        quick = await call("quick_search", query=f"{animal} bridge")
        for shown, most in ((whole["results"][0]["content"], 2_000), (quick["top_result"]["content"], 500)):
            assert f"Here the {animal} crossed a bridge." in shown
            assert len(shown) <= most


async def test_a_dialog_of_another_vcon_is_found(call: Client) -> None:
    prepare_context = PrepareContext.load()
    await store_vcon(call, prepare_context, "Where is my parcel?", "It left Hamburg on Monday.")

    answer = await call("reflect_on_past", query="left Hamburg Monday")

    [found] = [result for result in answer["results"] if "Hamburg" in result["content"]]
    assert found["content"] == "It left Hamburg on Monday."
    assert found["context"] == "Where is my parcel?"
    assert found["source"] == "conversation"


@pytest.mark.parametrize("at", [0, 400])
async def test_of_a_long_turn_the_piece_that_matches_is_shown(call: Client, at: int) -> None:
    words = ["Nothing else happened."] * 400
    words.insert(at, "The parcel left Hamburg on Monday.")
    await store_vcon(call, PrepareContext.load(), "Hello.", " ".join(words))

    found = await call("reflect_on_past", query="left Hamburg Monday", kinds=["dialog"])
    again = await call("get_more_results", query="left Hamburg Monday", offset=0)

    assert "Hamburg" in found["results"][0]["content"]
    assert "Hamburg" in again["results"][0]["content"]


async def store_vcon(call: Client, prepare_context: PrepareContext, *turns: str, **tags: str) -> None:
    from vcontract.runtime.store.vcons.preparation import prepare

    document: JsonObject = {
        "vcon": "0.4.0",
        "created_at": "2025-01-01T00:00:00Z",
        "parties": [{"name": "Ada"}, {"name": "Shop"}],
        "dialog": [
            {"type": "text", "start": "2025-01-01T00:00:00Z", "parties": index % 2, "body": turn}
            | {"encoding": "none"}
            for index, turn in enumerate(turns)
        ],
    }
    prepared = prepare(document, prepare_context, now=datetime.now(UTC), metadata={"tags": dict(tags)})
    await VconStore(call.app.database).insert_batch(call.caller.tenant, [prepared])


async def test_what_scores_below_is_told_and_not_shown(call: Client) -> None:
    query = "migration of geese"
    scores = (0.5805, 0.576, 0.571, 0.566, 0.561, 0.556, 0.551, 0.541)
    for number, score in enumerate(scores):
        stored = await call("store_reflection", content=f"Zebra {number}.", tags=["savanna"])
        await call.app.worker.drain(call.caller.tenant)
        await make_alike(call, stored["reflection_id"], query, score)

    strict = await call("reflect_on_past", query=query, min_score=0.75)
    lenient = await call("reflect_on_past", query=query, min_score=0.55)
    usual = await call("reflect_on_past", query=query)
    quick = await call("quick_search", query=query, min_score=0.75)

    assert (strict["results"], strict["total_found"]) == ([], 0)
    assert strict["search_strategy"] == "semantic"
    assert strict["best_below_threshold"] == 0.58
    assert strict["suggestions"][0] == (
        "Best match below min_score 0.75 scored 0.58; 7 results with min_score 0.55."
    )
    assert strict["suggestions"][1:] == ["Search for: zebra"]
    assert (await call("reflect_on_past", query="zebra"))["total_found"] == len(scores)
    assert [result["content"] for result in lenient["results"]] == [f"Zebra {n}." for n in range(7)]
    assert lenient["results"][0]["similarity_score"] == 0.58
    assert "best_below_threshold" not in lenient
    # with the usual least score the nearest come, and the answer says so
    assert [result["content"] for result in usual["results"]] == [f"Zebra {n}." for n in range(5)]
    assert {result["strength"] for result in usual["results"]} == {"fair"}
    assert usual["notice"].startswith("Nothing scores 0.7: these are the nearest")
    assert (usual["total_found"], usual["best_below_threshold"]) == (5, 0.58)
    assert (quick["total_count"], quick["top_result"], quick["has_more"]) == (0, None, False)
    assert quick["suggestions"][0] == strict["suggestions"][0]


async def make_alike(call: Client, reflection: str, query: str, score: float) -> None:
    """Give a reflection of one passage a vector whose similarity to the query is `score`."""
    tenant = call.caller.tenant
    wanted = await call.app.embeddings.query(tenant, query)
    axis = wanted.vector.to_numpy().astype(np.float64)
    axis /= np.linalg.norm(axis)
    across = np.roll(axis, 1) - (np.roll(axis, 1) @ axis) * axis
    across /= np.linalg.norm(across)
    assert wanted.space.calibration is not None
    cosine = float(np.interp(score, (0, 0.2, 0.5, 0.8, 1), (0, *wanted.space.calibration, 1)))
    vector = cosine * axis + math.sqrt(1 - cosine * cosine) * across
    async with call.app.database.writing(tenant) as connection:
        await connection.execute(
            "update vcontract.embedding set vector = $3 where tenant = $1 and id = $2",
            tenant,
            UUID(reflection),
            half_vectors(vector[None].astype(np.float32))[0],
        )


async def test_a_scope_holds_what_belongs_to_it_and_says_where_it_looked(
    connect: Connect, tmp_path: Path
) -> None:
    calls: dict[str, Client] = {}
    for name in ("alpha", "beta", "gamma"):
        calls[name] = connect()
        await calls[name]("init", working_directory=str(make_repository(tmp_path / name).root))
        await calls[name]("store_reflection", content=f"Caching strategy of {name}.")
    await link(calls["alpha"], str(tmp_path / "alpha"), str(tmp_path / "beta"))
    call = calls["gamma"]

    async def found(**scope: object) -> tuple[set[str], JsonObject]:
        answer = await call("reflect_on_past", query="caching strategy", **scope)
        return {result["project"] for result in answer["results"]}, answer

    related, answer = await found(project="Alpha")
    assert related == {"alpha", "beta"}
    assert answer["scope"] == {
        "projects": [str(tmp_path / "alpha")],
        "related": [str(tmp_path / "beta")],
        "sources": ["conversation", "reflection"],
    }
    assert (await found(project=str(tmp_path / "beta")))[0] == {"alpha", "beta"}
    assert (await found(project="alpha", include_related_projects=False))[0] == {"alpha"}
    everything, answer = await found(project=None)
    assert everything == {"alpha", "beta", "gamma"}
    assert answer["scope"]["projects"] == []
    nothing, answer = await found(project="gama")
    assert nothing == set()
    assert answer["scope"]["unknown_project"] is True
    assert 'did you mean "gamma"' in answer["suggestions"][0]


@pytest.mark.parametrize("named", ["Große Brücke", "GROSSE BRU\u0308CKE"])
@pytest.mark.parametrize("asked", ["Große Brücke", "große bru\u0308cke", "GROSSE BRÜCKE"])
async def test_a_project_is_found_however_its_name_is_written(
    call: Client, import_: Import, named: str, asked: str
) -> None:
    session = ClaudeCode(cwd=f"/work/{named}")
    await import_(
        session, session.prompt("Where is the valve?"), session.answer("The valve is below the turbine.")
    )

    found = await call("reflect_on_past", query="turbine valve", project=asked, min_score=0)
    elsewhere = await call("reflect_on_past", query="turbine valve", project="Brücke", min_score=0)

    assert [result["project"] for result in found["results"]] == [named]
    assert elsewhere["results"] == []
    assert (await call("reflection_stats"))["projects_tracked"] == 1


@pytest.mark.parametrize("agent", ["gemini-cli", "aider"])
async def test_what_another_agent_was_told_is_remembered_in_its_project(
    agent: str, call: Client, bring_in: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    await bring_in(WRITERS[agent](tmp_path))

    inside = await call("reflect_on_past", query="keys published", project="shop")
    beside = await call("reflect_on_past", query="keys published", project="shops")
    edited = await call("search_by_file", file_path="src/auth.py")

    assert ANSWER in inside["results"][0]["content"]
    assert inside["results"][0]["project"] == "shop"
    assert "unknown_project" not in inside["scope"]
    assert 'did you mean "shop"' in beside["suggestions"][0]
    assert edited["results"]


async def link(call: Client, one: str, other: str) -> None:
    from vcontract.runtime.store.sessions import projects

    tenant = call.caller.tenant
    async with call.app.database.writing(tenant) as connection:
        await projects.declare_link(
            connection, tenant, projects.project_id(tenant, one), projects.project_id(tenant, other), "uses"
        )


async def store_many(call: Client, count: int, text: str = "Lighthouse note number {}.") -> list[str]:
    return [
        (await call("store_reflection", content=text.format(number)))["reflection_id"]
        for number in range(count)
    ]


async def test_pages_of_a_list_never_shift(serving: Serving, connect: Connect) -> None:
    async with serving(embedding_provider="none") as app:
        call = connect(app)
        ids = await store_many(call, 137)
        quick = await call("quick_search", query="lighthouse note")
        await store_many(call, 20, "Lighthouse note of later {}.")
        arguments = quick["next"]["arguments"]
        pages = [
            await call("get_more_results", **{**arguments, "offset": offset, "limit": 50})
            for offset in (1, 51, 101)
        ]
        seen = [result["id"] for page in pages for result in page["results"]]
        async with app.database.writing(call.caller.tenant) as connection:
            await connection.execute("delete from vcontract.reflection where id = $1", seen[0])
        later = [
            await call("get_more_results", **{**arguments, "offset": offset, "limit": 50})
            for offset in (1, 51, 101)
        ]
        past = await call("get_more_results", **{**arguments, "offset": 500})
        implicit = await call("get_more_results", query="lighthouse note", offset=1, limit=10)
        other = await call("get_more_results", query="something else", cache_key=quick["cache_key"])

    assert quick["total_count"] == 137
    assert quick["has_more"] is True
    assert quick["next"]["tool"] == "get_more_results"
    assert {quick["top_result"]["id"], *seen} == set(ids)
    assert len(seen) == 136
    assert {page["total_available"] for page in pages} == {137}
    assert [page["has_more"] for page in pages] == [True, True, False]
    assert [page["next"]["arguments"]["offset"] for page in pages[:2]] == [51, 101]
    assert "next" not in pages[2]
    assert [result["id"] for page in later for result in page["results"]] == seen[1:]
    assert [page.get("gone") for page in later] == [1, None, None]
    assert (past["results"], past["has_more"]) == ([], False)
    assert implicit["cache_key"] == quick["cache_key"]
    assert other["error_code"] == "VALIDATION_ERROR"


async def test_a_page_in_chunks_still_leads_to_the_next_one(serving: Serving, connect: Connect) -> None:
    async with serving(embedding_provider="none") as app:
        call = connect(app)
        ids = await store_many(call, 137, "Lighthouse {} " + "keeper's log " * 150)
        quick = await call("quick_search", query="lighthouse")
        following, pages = {**quick["next"]["arguments"], "limit": 50}, list[list[JsonObject]]()
        while following:
            pages.append(await chunks_of(call, await call("get_more_results", **following)))
            following = pages[-1][-1].get("next", {}).get("arguments")
        mistaken = await call("get_more_results", query="lighthouse", cache_key=pages[0][0]["cache_key"])

    seen = [result["id"] for page in pages for chunk in page for result in chunk["results"]]
    assert {quick["top_result"]["id"], *seen} == set(ids)
    assert len(seen) == 136
    assert [sum(len(chunk["results"]) for chunk in page) for page in pages] == [50, 50, 36]
    assert all(len(page) > 1 for page in pages)
    assert all([chunk["has_more"] for chunk in page] == [True] * (len(page) - 1) + [False] for page in pages)
    assert {chunk["total_available"] for page in pages for chunk in page} == {137}
    assert mistaken["error_code"] == "VALIDATION_ERROR"
    assert mistaken["details"]["reason"] == "chunks"


async def chunks_of(call: Client, answer: JsonObject) -> list[JsonObject]:
    """An answer and the chunks that follow it."""
    return [
        answer,
        *[
            await call("get_cached_chunk", cache_key=answer["cache_key"], chunk_index=number)
            for number in range(2, answer.get("total_chunks", 1) + 1)
        ],
    ]


async def test_a_long_answer_comes_in_chunks_of_whole_results(serving: Serving, connect: Connect) -> None:
    async with serving(embedding_provider="none") as app, serving(embedding_provider="none") as another:
        call, elsewhere = connect(app), connect(another)
        await store_many(call, 25, "Lighthouse {} " + "🎉" * 2_500)
        await store_many(call, 25, "Lighthouse {} " + "keeper's log " * 300)
        first = await call("reflect_on_past", query="lighthouse", limit=50)
        total = first["total_chunks"]
        texts = [await raw(call, first["cache_key"], number + 1) for number in range(total)]
        again = [await raw(elsewhere, first["cache_key"], number + 1) for number in range(total)]
        beyond = await call("get_cached_chunk", cache_key=first["cache_key"], chunk_index=99)
        foreign = await connect(app, name="eve", local=False)(
            "get_cached_chunk", cache_key=first["cache_key"], chunk_index=1
        )
        async with app.database.writing(call.caller.tenant) as connection:
            await connection.execute("update vcontract.result_cache set expires_at = now()")
        expired = await call("get_cached_chunk", cache_key=first["cache_key"], chunk_index=1)

    chunks = [json.loads(text) for text in texts]
    assert texts == again
    assert all(len(text.encode()) <= 16_000 for text in texts)
    assert len(json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode()) <= 16_000
    assert first["results"] == chunks[0]["results"]
    ids = [result["id"] for chunk in chunks for result in chunk["results"]]
    assert len(ids) == len(set(ids)) == 50
    assert [chunk["has_more"] for chunk in chunks] == [True] * (total - 1) + [False]
    assert beyond["error_code"] == "VALIDATION_ERROR"
    assert beyond["details"]["total_chunks"] == total
    assert foreign["error_code"] == "VALIDATION_ERROR"
    assert foreign == expired


async def test_a_key_that_leads_nowhere_is_the_callers_affair_and_no_line_of_the_log(
    call: Client, caplog: pytest.LogCaptureFixture
) -> None:
    answers = [
        await call("get_cached_chunk", cache_key="unknown", chunk_index=1),
        await call("get_more_results", query="lighthouse", cache_key="unknown"),
    ]
    assert [answer["error_code"] for answer in answers] == ["VALIDATION_ERROR"] * 2
    assert [record.message for record in caplog.records] == []


async def raw(call: Client, key: str, number: int) -> str:
    outcome = await call.app.dispatcher.call(
        "get_cached_chunk", {"cache_key": key, "chunk_index": number}, call.caller
    )
    assert not outcome.is_error
    return outcome.text


@pytest.fixture
async def long_session(call: Client, import_: Import) -> ClaudeCode:
    """A session of 60 exchanges that all match, each of which edits src/kettle.py."""
    claude = session(1)
    lines: list[object] = []
    for number in range(60):
        edit = tool_call(
            f"e{number}", "Edit", file_path="/p/x/src/kettle.py", old_string=str(number), new_string="b"
        )
        lines += [
            claude.prompt(f"Change kettle parameter {number}"),
            claude.answer(edit),
            claude.result(f"e{number}", "ok"),
            claude.answer(f"Kettle parameter {number} is changed."),
        ]
    await import_(claude, *lines)
    return claude


async def pages_of(call: Client, answer: JsonObject) -> list[JsonObject]:
    """The results of an answer and of all pages that follow, each page in all its chunks."""
    results: list[JsonObject] = [one for part in await chunks_of(call, answer) for one in part["results"]]
    while following := answer.get("next"):
        answer = await call(following["tool"], **following["arguments"])
        results += [one for part in await chunks_of(call, answer) for one in part["results"]]
    return results


@pytest.mark.usefixtures("long_session")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("reflect_on_past", {"query": "kettle parameter", "limit": 50}),
        ("search_by_concept", {"concept": "kettle parameter", "limit": 25}),
        ("search_by_file", {"file_path": "src/kettle.py"}),
        ("quick_search", {"query": "kettle parameter"}),
    ],
)
async def test_everything_that_matches_in_one_session_is_counted_and_reached(
    call: Client, tool: str, arguments: JsonObject
) -> None:
    await call.app.worker.drain(call.caller.tenant)

    answer = await call(tool, **arguments)
    if tool == "quick_search":
        answer["results"] = [answer["top_result"]]
    found = await pages_of(call, answer)

    assert answer["total_count" if tool == "quick_search" else "total_found"] == 60
    assert answer.get("total_is_exact", True)
    assert sorted(result["line_start"] for result in found) == list(range(1, 241, 4))
    if tool == "search_by_concept":
        assert all(result["files"] for result in found)


@pytest.mark.usefixtures("long_session")
async def test_the_history_of_a_file_goes_back_to_its_first_change(call: Client) -> None:
    newest = await call("search_by_file", file_path="kettle.py", limit=3)
    found = await pages_of(call, newest)

    assert [result["line_start"] for result in newest["results"]] == [237, 233, 229]
    assert newest["results"][2]["more_in_conversation"] == 57
    assert found[-1]["line_start"] == 1
    assert found[-1]["matches"] == [
        {"path": "/p/x/src/kettle.py", "operation": "edit", "match": "suffix", "line": 1}
    ]


async def test_three_of_a_conversation_come_first_and_its_others_after_other_conversations(
    call: Client, long_session: ClaudeCode, import_: Import
) -> None:
    other = session(2)
    await import_(other, other.prompt("About a kettle"), other.answer("One parameter, among other things."))

    answer = await call("reflect_on_past", query="kettle parameter", limit=6)

    from_other = [result["path"].endswith(f"{other.session}.jsonl") for result in answer["results"]]
    assert sum(from_other[:4]) == 1
    assert answer["total_found"] == 61


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("reflect_on_past", {"query": "harden login"}),
        ("search_by_concept", {"concept": "harden login"}),
        ("search_by_file", {"file_path": "src/auth.py"}),
        ("quick_search", {"query": "harden login"}),
    ],
)
async def test_what_a_resumed_session_has_copied_is_found_once_where_it_was_said_first(
    call: Client, import_: Import, tool: str, arguments: JsonObject
) -> None:
    first, resumed = session(1), session(2)
    for claude in (first, resumed):
        lines = [
            claude.prompt("Harden the login"),
            claude.answer(
                tool_call("e1", "Edit", file_path="/p/x/src/auth.py", old_string="a", new_string="b")
            ),
            claude.result("e1", "ok"),
            claude.answer("Done."),
        ]
        if claude is resumed:
            lines += [claude.prompt("And now the logout?"), claude.answer("It is hard already.")]
        await import_(claude, *lines)

    answer = await call(tool, **arguments)

    results = [answer["top_result"]] if tool == "quick_search" else answer["results"]
    copies = [result["path"] for result in results if "Harden the login" in result["content"]]
    assert [Path(path).stem for path in copies] == [first.session]
    assert answer["total_count" if tool == "quick_search" else "total_found"] == len(results)


async def test_a_pattern_is_no_file(call: Client, import_: Import) -> None:
    claude = session(1)
    await import_(
        claude,
        claude.prompt("Look through the research"),
        claude.answer(
            tool_call("g1", "Glob", pattern="research/**/*.md"), tool_call("g2", "Glob", pattern="notes.md")
        ),
        claude.result("g1", "none"),
        claude.answer("Nothing."),
    )

    folder = await call("search_by_file", file_path="research/")
    found = await call("search_by_file", file_path="notes.md")
    asked = await call("search_by_file", file_path="research/**/*.md")

    assert folder["search_strategy"] == found["search_strategy"] == "text_fallback"
    assert asked["results"] == []
    assert asked["suggestions"] == ["file_path is no pattern: send the folder research/."]


async def test_nothing_else_is_suggested_beside_a_good_hit(call: Client) -> None:
    await call("store_reflection", content="Geese migrate in the autumn.", tags=["birds"])
    await call("store_reflection", content="The printer needs ink.", tags=["office"])
    await call.app.worker.drain(call.caller.tenant)

    answer = await call("reflect_on_past", query="geese migrate autumn")

    assert answer["total_found"] == 1
    assert "suggestions" not in answer


@pytest.fixture
async def worked_on_files(call: Client, import_: Import) -> None:
    """Three sessions: one edits src/auth.py, one reads it, one edits src/oauth.py."""
    one, two, three = session(1), session(2), session(3)
    await import_(
        one,
        one.prompt("Harden the login"),
        one.answer(tool_call("e1", "Edit", file_path="/p/x/src/auth.py", old_string="a", new_string="b")),
        one.result("e1", "ok"),
        one.answer("Done, as told in b.py."),
    )
    await import_(
        two,
        two.prompt("Explain the login"),
        two.answer(tool_call("r1", "Read", file_path="/p/x/src/auth.py")),
        two.result("r1", "def login(): ..."),
        two.answer("It checks the password."),
    )
    await import_(
        three,
        three.prompt("Add a provider"),
        three.answer(tool_call("e2", "Edit", file_path="/p/x/src/oauth.py", old_string="a", new_string="b")),
        three.result("e2", "ok"),
        three.answer("Added."),
    )


@pytest.mark.parametrize("path", ["auth.py", "/p/x/src/auth.py", "src\\auth.py", "./src/auth.py"])
@pytest.mark.usefixtures("worked_on_files")
async def test_a_file_is_found_by_whole_segments_edits_first(call: Client, path: str) -> None:
    answer = await call("search_by_file", file_path=path)

    assert [result["matches"][0]["operation"] for result in answer["results"]] == ["edit", "read"]
    assert {result["matches"][0]["path"] for result in answer["results"]} == {"/p/x/src/auth.py"}
    assert answer["search_strategy"] == "path"
    scores = [result["similarity_score"] for result in answer["results"]]
    assert scores == ([0.9, 0.85] if path == "auth.py" else [1.0, 0.95])


@pytest.mark.usefixtures("worked_on_files")
async def test_a_folder_finds_what_was_done_in_it(call: Client) -> None:
    answer = await call("search_by_file", file_path="src/")
    nothing = await call("search_by_file", file_path="rc/")

    assert answer["total_found"] == 3
    assert {match["match"] for result in answer["results"] for match in result["matches"]} == {"folder"}
    assert {result["similarity_score"] for result in answer["results"]} == {0.8}
    assert nothing["results"] == []


@pytest.mark.usefixtures("worked_on_files")
async def test_a_file_that_was_only_mentioned_is_found_by_text(call: Client) -> None:
    answer = await call("search_by_file", file_path="b.py")

    assert answer["search_strategy"] == "text_fallback"
    [found] = answer["results"]
    assert found["matches"][0]["match"] == "text"
    assert 0 < found["similarity_score"] <= 0.6


@pytest.mark.usefixtures("worked_on_files")
async def test_a_concept_names_the_files_that_were_really_changed(call: Client) -> None:
    answer = await call("search_by_concept", concept="harden login")
    without = await call("search_by_concept", concept="harden login", include_files=False)

    first = answer["results"][0]
    assert first["files"] == [{"path": "/p/x/src/auth.py", "operation": "edit"}]
    assert {"path": "/p/x/src/auth.py", "count": 2} in answer["related_files"]
    counts = Counter(file["path"] for result in answer["results"] for file in result["files"])
    assert [(file["path"], file["count"]) for file in answer["related_files"]] == counts.most_common()
    assert "b.py" not in counts
    explained = await call("search_by_concept", concept="explain login")
    assert explained["results"][0]["files"] == [{"path": "/p/x/src/auth.py", "operation": "read"}]
    assert "related_files" not in without
    assert "files" not in without["results"][0]


async def test_another_tenant_sees_nothing_and_another_caller_shares_the_memory(
    connect: Connect, repository: Repository
) -> None:
    mine, colleague = connect(local=False, name="ada"), connect(local=False, name="bob")
    stranger = connect(of_tenant="somebody-else")
    await mine("store_reflection", content="The vault opens at noon.", tags=["vault"])
    quick = await mine("quick_search", query="vault opens noon")

    shared = await colleague("reflect_on_past", query="vault opens noon")
    assert shared["total_found"] == 1
    borrowed = await colleague("get_more_results", query="vault opens noon", cache_key=quick["cache_key"])
    assert borrowed["error_code"] == "VALIDATION_ERROR"
    for tool in ("reflect_on_past", "quick_search"):
        answer = await stranger(tool, query="vault opens noon")
        assert answer.get("results") in ([], None)
        assert "vault" not in str(answer).replace("vault opens noon", "")
    assert (await stranger("reflection_stats"))["total_reflections"] == 0


async def test_a_search_that_takes_too_long_or_fails_is_told(
    call: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(self: object, connection: object, *arguments: object, **named: object) -> None:
        await connection.execute("set local statement_timeout = 50; select pg_sleep(5)")  # type: ignore[attr-defined]

    async def failing(self: object, connection: object, *arguments: object, **named: object) -> None:
        await connection.execute("select 1 / 0")  # type: ignore[attr-defined]

    codes: list[tuple[str, str, bool]] = []
    for find in (slow, failing):
        monkeypatch.setattr("vcontract.runtime.store.search.search.Search.listed", find)
        answer = await call("reflect_on_past", query="anything")
        codes.append((answer["error_code"], answer["details"]["reason"], answer["details"]["retryable"]))

    assert codes == [("SEARCH_FAILED", "timeout", True), ("SEARCH_FAILED", "query", False)]


async def test_a_search_whose_own_statement_takes_too_long_is_told(
    serving: Serving, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 3.0)
    async with serving(embedding_provider="none") as app:
        call = connect(app)
        await call("store_reflection", content="The vault opens at noon.")
        owner = await asyncpg.connect(app.database.owner_url)
        try:
            async with owner.transaction():
                await owner.execute("lock table vcontract.search_document, vcontract.passage")
                refused = await call("reflect_on_past", query="vault opens noon")
        finally:
            await owner.close()
        answered = await call("reflect_on_past", query="vault opens noon")

    assert refused["error_code"] == "SEARCH_FAILED"
    assert (refused["details"]["reason"], refused["details"]["retryable"]) == ("timeout", True)
    assert answered["total_found"] == 1


async def test_the_101st_search_in_a_minute_is_refused(serving: Serving, connect: Connect) -> None:
    async with serving(rate_limits={}) as app:
        call = connect(app)
        answers = [await call("search_by_file", file_path="x") for _ in range(101)]

    assert [answer["success"] for answer in answers[:100]] == [True] * 100
    assert answers[100]["error_code"] == "RATE_LIMIT_EXCEEDED"
    assert answers[100]["details"]["retry_after_ms"] > 0


async def test_of_what_is_about_nothing_stored_a_few_weak_ones_come_and_the_answer_says_so(
    call: Client, import_: Import
) -> None:
    claude = session(1)
    await import_(
        claude,
        claude.prompt("How does the retry queue of webhooks work?"),
        claude.answer("Each delivery is tried five times with a growing pause."),
        claude.prompt("Rename the column of orders."),
        claude.answer("Done, and the change is committed."),
    )
    for number in range(4):
        await call("store_reflection", content=f"Pin dependency {number} in the lock file before a release.")
    # some queries are more than a right angle from the others, and a negative cosine is no result
    await call("store_reflection", content="Draw the architecture as a picture before you write it.")
    await store_vcon(call, PrepareContext.load(), "Where is my parcel?", "It left Hamburg on Monday.")
    await call.app.worker.drain(call.caller.tenant)

    for query in NONSENSE:
        whole = await call("reflect_on_past", query=query)
        quick = await call("quick_search", query=query)
        concept = await call("search_by_concept", concept=query)

        for answer in (whole, concept):
            assert {result["strength"] for result in answer["results"]} == {"weak"}, query
            assert answer["total_found"] <= 5
        assert (quick["top_result"]["strength"], quick["total_count"]) == ("weak", whole["total_found"])
        assert (
            whole["notice"]
            == quick["notice"]
            == ("Nothing scores 0.7: these are the nearest; strength says how near.")
        )
        assert concept["notice"] == "Nothing is nearer to the query than chance; these are the nearest."


async def test_a_reflection_that_scores_below_the_usual_least_is_found_when_nothing_better_is(
    call: Client,
) -> None:
    query = "what happens when a payment notification cannot be delivered"
    stored = await call("store_reflection", content="Webhooks are retried five times.")
    await call.app.worker.drain(call.caller.tenant)
    await make_alike(call, stored["reflection_id"], query, 0.454)

    found = await call("reflect_on_past", query=query)
    exact = await call("reflect_on_past", query=query, min_score=0.5)

    assert [result["id"] for result in found["results"]] == [stored["reflection_id"]]
    assert found["results"][0]["strength"] == "weak"
    assert exact["results"] == []


async def test_a_file_finds_the_reflections_that_name_it(call: Client) -> None:
    named = "src/orders/queue.py retries five times; the delay is in the settings."
    for content in (named, "The queue of orders is in Redis.", "See src/other/queue.pyx for that."):
        await call("store_reflection", content=content)

    found = await call("search_by_file", file_path="src/orders/queue.py")
    elsewhere = await call("search_by_file", file_path="src/orders/cart.py")

    assert [result["content"] for result in found["results"]] == [named]
    assert found["results"][0]["matches"] == [
        {"path": "src/orders/queue.py", "operation": "mention", "match": "text"}
    ]
    assert found["scope"]["sources"] == ["conversation", "reflection"]
    assert elsewhere["results"] == []


SCATTERED = FILLER * 12 + FILLER.join(
    ("A long list. ", "We wait. ", "Most of the lines were short. ", "Two retries. ")
)


async def test_words_scattered_over_a_long_exchange_do_not_hide_what_is_near_in_meaning(
    call: Client, import_: Import
) -> None:
    claude = session(1)
    await import_(claude, claude.prompt("How was the day?"), claude.answer(SCATTERED))
    await call(
        "store_reflection", content="The retry waits with exponential backoff, capped at MAX_DELAY = 30 s."
    )
    await call.app.worker.drain(call.caller.tenant)

    usual = await call("reflect_on_past", query="how long do we wait at most between retries")
    near = await call("reflect_on_past", query="most lines were short")

    assert usual["results"][0]["kind"] == "reflection"
    assert near["results"][0]["kind"] == "exchange"
    assert near["results"][0]["similarity_score"] >= 0.7


async def test_the_nearest_of_the_sessions_project_come_too_if_only_others_reach_the_usual_least(
    call: Client, import_: Import, repository: Repository
) -> None:
    claude = session(1)
    await import_(claude, claude.prompt("Which formatter runs on the code?"), claude.answer("Black, always."))
    elsewhere = "Formatter: black runs on the code of this other project."
    await call("store_reflection", content=elsewhere)
    await call("init", working_directory=str(repository.root))
    await call("store_reflection", content="We lint with ruff, at 100 columns.")
    await call.app.worker.drain(call.caller.tenant)

    found = await call("reflect_on_past", query="formatter runs on the code")
    strict = await call("reflect_on_past", query="formatter runs on the code", min_score=0.71)
    own = await call("reflect_on_past", query="formatter runs on the code", project=repository.root.name)

    assert [result["content"] for result in found["results"][:1]] == [elsewhere]
    assert found["results"][-1]["content"] == "We lint with ruff, at 100 columns."
    assert found["notice"] == f"Nothing of {repository.root.name} scores 0.7: its nearest are included."
    assert "ruff" not in str(strict["results"])
    assert [result["content"] for result in own["results"]] == ["We lint with ruff, at 100 columns."]


async def test_a_reflection_and_the_sessions_project_come_first_where_scores_are_about_equal(
    call: Client, import_: Import, repository: Repository
) -> None:
    said = "The parser keeps comments."
    claude = session(1)
    await import_(claude, claude.prompt("And the parser?"), claude.answer(said))
    await call("store_reflection", content=said)
    await call("init", working_directory=str(repository.root))
    await call("store_reflection", content=f"{said[:-1]} too.")
    await call.app.worker.drain(call.caller.tenant)

    found = await call("reflect_on_past", query="parser keeps comments")

    assert [(result["kind"], result["project"]) for result in found["results"]] == [
        ("reflection", repository.root.name),
        ("reflection", ""),
        ("exchange", "x"),
    ]


@pytest.fixture
async def mixed(call: Client, import_: Import) -> None:
    """One record of each kind about refunds, and a weaker exchange."""
    claude = session(1)
    await import_(
        claude,
        claude.prompt("How are refunds of parcels paid out?"),
        claude.answer("The refund queue pays out refunds once a day."),
        claude.prompt("Which queue is slow?"),
        claude.answer("The refund queue, since a refund waits for the bank, the ledger and the mail."),
    )
    await call("store_reflection", content="Refunds are paid out by the queue, once a day.", tags=["insight"])
    await store_vcon(call, PrepareContext.load(), "Where is my refund?", "It was paid out on Monday.")
    await call.app.worker.drain(call.caller.tenant)


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize(
    ("kinds", "sources"),
    [
        (["exchange", "dialog", "reflection"], ["conversation", "reflection"]),
        (["reflection"], ["reflection"]),
        (["dialog"], ["conversation"]),
        (["exchange", "reflection"], ["conversation", "reflection"]),
    ],
)
async def test_results_of_a_kind_come_in_the_order_of_their_score_and_only_of_the_kinds_asked_for(
    call: Client, kinds: list[str], sources: list[str]
) -> None:
    answer = await call("reflect_on_past", query="refunds paid out", kinds=kinds, min_score=0)
    concept = await call("search_by_concept", concept="refunds paid out", kinds=kinds)
    quick = await call("quick_search", query="refunds paid out", kinds=kinds, min_score=0)

    for results in (answer["results"], concept["results"]):
        assert {result["kind"] for result in results} == set(kinds)
        for kind in kinds:
            scores = [result["similarity_score"] for result in results if result["kind"] == kind]
            assert scores == sorted(scores, reverse=True)
    assert answer["scope"]["sources"] == sources
    assert quick["top_result"]["kind"] == answer["results"][0]["kind"]


@pytest.mark.usefixtures("mixed")
async def test_a_page_that_leaves_results_out_by_default_says_so(call: Client) -> None:
    quick = await call("quick_search", query="refunds paid out", min_score=0)

    trapped = await call("get_more_results", query="refunds paid out", limit=10)
    whole = await call("get_more_results", query="refunds paid out", limit=10, offset=1)

    assert "Send offset 1" in trapped["notice"]
    assert "notice" not in whole
    assert len(whole["results"]) == quick["total_count"] - 1


@pytest.mark.usefixtures("mixed")
async def test_suggested_words_are_said_in_one_text_and_never_name_the_speaker(call: Client) -> None:
    answer = await call("reflect_on_past", query="how are refunds paid", min_score=0.99)

    reported = [text for text in answer["suggestions"] if text.startswith("Search for: ")]
    assert reported
    assert "Search for: assistant" not in reported


@pytest.mark.usefixtures("mixed")
async def test_results_no_nearer_than_chance_suggest_no_words(call: Client) -> None:
    answer = await call("reflect_on_past", query="quantum chromodynamics lattice")

    assert {result["strength"] for result in answer["results"]} == {"weak"}
    assert not [text for text in answer.get("suggestions", []) if text.startswith("Search for: ")]


async def test_a_name_alone_never_decides(call: Client) -> None:
    for content in (
        "Marcus wants the release notes in the wiki.",
        "Marcus is away in August.",
        "Refunds above 500 need a second signature, said Helen.",
    ):
        await call("store_reflection", content=content)
    await call.app.worker.drain(call.caller.tenant)

    answer = await call(
        "reflect_on_past", query="what did Marcus say about the signature of refunds?", min_score=0
    )

    assert answer["results"][0]["content"].startswith("Refunds above 500")


async def test_operators_are_followed(call: Client) -> None:
    for content in ("Tokens rotate daily.", "Tokens rotate, and sessions end.", "Sessions end at noon."):
        await call("store_reflection", content=content)

    async def found(query: str) -> set[str]:
        answer = await call("reflect_on_past", query=query, min_score=0)
        return {result["content"] for result in answer["results"]}

    assert await found("tokens NOT sessions") == {"Tokens rotate daily."}
    assert await found('"rotate daily"') == {"Tokens rotate daily."}
    assert await found("(tokens OR noon) AND NOT rotate") == {"Sessions end at noon."}
    refused = await call("reflect_on_past", query="tokens OR sessions AND noon")
    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "mixed_operators")
