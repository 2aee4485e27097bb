"""store_reflection keeps a text once, with its tags, and it is found at once."""

import asyncio
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from tests.tools.session.conftest import Client, Connect, Repository, Run, Serving, make_repository
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.model import EmbeddingModel, ModelState

TOKENS = "Refresh tokens rotate: the old one is refused ten seconds after the new one was issued."


async def test_what_was_stored_is_found_by_its_words_before_it_is_embedded(
    call: Client, repository: Repository
) -> None:
    await call("init", working_directory=str(repository.root))
    stored = await call("store_reflection", content=TOKENS, tags=["JWT"])
    answer = await call("reflect_on_past", query="refresh tokens rotate")

    assert stored["project"] == "shop"
    assert stored["tags_applied"] == ["jwt"]
    [found] = answer["results"]
    assert found["source"] == "reflection"
    assert found["id"] == stored["reflection_id"]
    assert found["content"] == TOKENS
    assert found["project"] == "shop"
    assert found["tags"] == ["jwt"]
    assert found["context"].startswith("shop, 20")
    assert found["similarity_score"] >= 0.7
    assert answer["total_found"] == 1


async def test_the_same_text_is_stored_once_a_project(connect: Connect, repository: Repository) -> None:
    blog = make_repository(repository.root.parent / "blog")
    call, elsewhere = connect(), connect()
    await call("init", working_directory=str(repository.root))
    await elsewhere("init", working_directory=str(blog.root))

    first = await call("store_reflection", content=TOKENS, tags=["a", "b"])
    again = await call("store_reflection", content=f"  {TOKENS.replace(' ', '  ')}\n", tags=["b", "c"])
    other = await elsewhere("store_reflection", content=TOKENS, tags=["d"])
    similar = await call("store_reflection", content=TOKENS + " Always.", tags=["e"])
    found = await call("reflect_on_past", query=TOKENS)

    assert again["duplicate"] is True
    assert again["reflection_id"] == first["reflection_id"]
    assert again["stored_at"] == first["stored_at"]
    assert again["tags_applied"] == ["a", "b", "c"]
    assert all("duplicate" not in stored for stored in (first, other, similar))
    rows = {
        result["id"]: (result["content"], result["project"], result["tags"]) for result in found["results"]
    }
    assert rows == {
        first["reflection_id"]: (TOKENS, "shop", ["a", "b", "c"]),
        other["reflection_id"]: (TOKENS, "blog", ["d"]),
        similar["reflection_id"]: (TOKENS + " Always.", "shop", ["e"]),
    }
    assert (await call("reflection_stats"))["total_reflections"] == 3


async def test_the_same_text_in_another_unicode_form_and_at_the_same_time_is_stored_once(
    call: Client, repository: Repository
) -> None:
    await call("init", working_directory=str(repository.root))
    forms = ["Das Büro öffnet früh.", unicodedata.normalize("NFD", "Das Büro öffnet früh.")] * 3

    stored = await asyncio.gather(
        *[call("store_reflection", content=form, tags=[str(n)]) for n, form in enumerate(forms)]
    )

    assert len({answer["reflection_id"] for answer in stored}) == 1
    assert sum("duplicate" not in answer for answer in stored) == 1
    assert (await call("reflection_stats"))["total_reflections"] == 1
    [found] = (await call("reflect_on_past", query="Büro öffnet früh"))["results"]
    assert sorted(found["tags"]) == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("tags", "applied"),
    [
        (["JWT", " jwt ", "büro", "🔥", "a b"], ["jwt", "büro", "🔥", "a-b"]),
        (["日本語", "हिन्दी", "a/b:c.d_e-f", "👩‍💻"], ["日本語", "हिन्दी", "a/b:c.d_e-f", "👩‍💻"]),
    ],
)
async def test_tags_are_brought_into_one_form(
    call: Client, tags: Sequence[str], applied: Sequence[str]
) -> None:
    answer = await call("store_reflection", content="x", tags=tags)

    assert answer["tags_applied"] == applied


@pytest.mark.parametrize(
    "tags", [["x;y"], [f"t{number}" for number in range(21)], ["x" * 51], ["   "], ["a", "b\u202e"]]
)
async def test_a_bad_tag_is_refused_and_nothing_is_stored(call: Client, tags: Sequence[str]) -> None:
    answer = await call("store_reflection", content="x", tags=tags)

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"]
    assert (await call("reflection_stats"))["total_reflections"] == 0


@pytest.mark.parametrize("content", ["", "  \n ", "a\0b", "x" * 50_001])
async def test_a_text_that_cannot_be_kept_is_refused(call: Client, content: str) -> None:
    assert (await call("store_reflection", content=content))["error_code"] == "VALIDATION_ERROR"


async def test_secrets_are_replaced(call: Client) -> None:
    token = "ghp_" + "a1B2" * 9
    answer = await call("store_reflection", content=f"The deploy token is {token} for now.")

    found = await call("reflect_on_past", query="deploy token")
    assert answer["redactions"] == 1
    assert found["results"][0]["content"] == "The deploy token is [REDACTED:github-token] for now."


async def test_what_was_learned_is_sorted_by_its_tags(call: Client, repository: Repository) -> None:
    await call("init", working_directory=str(repository.root))
    ids = [
        (await call("store_reflection", content=content, tags=tags))["reflection_id"]
        for content, tags in (("A way out.", ["solution"]), ("A habit.", ["patterns"]), ("A thought.", []))
    ]
    point = await call("checkpoint")
    ended = await call("end")

    assert point["workflow_insights"]["reflections_stored"] == 3
    assert ended["learning_captured"] == {
        "insights": ["A thought."],
        "solutions": ["A way out."],
        "patterns": ["A habit."],
    }
    text = repository.take(repository.root / ended["handoff_file_path"])
    assert all(id_ in text for id_ in ids)
    following = await call("init", working_directory=str(repository.root))
    assert following["previous_session"]["learning"] == ["A way out.", "A habit.", "A thought."]


async def test_an_embedding_is_made_at_once_where_a_space_is_there(
    call: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.embedding.immediate._SECONDS", 60.0)  # however busy the machine is
    await call("store_reflection", content="first")
    await call.app.worker.drain(call.caller.tenant)
    await call.app.embeddings.model.ready()

    answer = await call("store_reflection", content="Sourdough rises slowly in the cold.")
    meant = await call(
        "reflect_on_past", query="bread dough that takes long when it is chilly", min_score=0.4
    )

    assert answer["embedding_generated"] is True
    assert "embedding_pending" not in answer
    assert meant["results"][0]["id"] == answer["reflection_id"]
    assert meant["search_strategy"] == "semantic"
    stats = await call("reflection_stats")
    assert stats["embedding_coverage"] == 100.0
    assert stats["storage_size_mb"] > 0


async def test_without_a_model_words_find_it_and_that_is_said(serving: Serving, connect: Connect) -> None:
    async with serving(embedding_provider="none") as app:
        call = connect(app)
        stored = await call("store_reflection", content=TOKENS)
        answer = await call("reflect_on_past", query="tokens of zebras and giraffes")

    assert stored["embedding_generated"] is False
    assert "embedding_pending" not in stored
    assert answer["search_strategy"] == "text_fallback"
    assert answer["results"][0]["similarity_score"] < 0.7
    assert "min_score is not applied" in answer["notice"]


async def test_what_an_operator_sees_of_a_model_that_fails_no_caller_is_told(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: EmbeddingModel, __: str) -> None:
        raise ModelUnavailable("failed", "/secret/path is gone", "reinstall it")

    monkeypatch.setattr(EmbeddingModel, "embed_query", fail)
    monkeypatch.setattr(
        EmbeddingModel, "state", property(lambda _: ModelState("failed", "/secret/path is gone", "mend it"))
    )
    call = connect()
    await call("store_reflection", content=TOKENS)
    found, stands = await call("reflect_on_past", query="tokens of zebras"), await call("status")

    assert "the embedding model does not work" in found["notice"]
    assert stands["health_checks"]["embeddings"] == {"ok": False, "detail": "failed", "ms": 0}
    assert "secret" not in str(found) + str(stands)


async def test_an_empty_store_has_empty_statistics(call: Client) -> None:
    answer = await call("reflection_stats")

    assert answer["total_conversations"] == answer["total_reflections"] == answer["projects_tracked"] == 0
    assert answer["embedding_coverage"] == 0
    assert answer["oldest_conversation"] is None


HIDDEN = "The vault of Montevideo opens with the word pomegranate, and nobody else may know it."


async def remembered_everywhere(call: Client, repository: Repository) -> str:
    """The id of a reflection that stands in all places where its text may be."""
    await call("init", working_directory=str(repository.root))
    stored = await call("store_reflection", content=HIDDEN, tags=["insight"])
    for number in range(30):
        await call("store_reflection", content=f"Pomegranate {number}. {'x' * 2_000}")
    await call.app.worker.drain(call.caller.tenant)
    chunked = await call("reflect_on_past", query="vault montevideo pomegranate", limit=50, min_score=0)
    assert chunked["chunked"] is True
    ended = await call("end")
    assert files_with("pomegranate", repository.root) == {ended["handoff_file_path"]}
    return str(stored["reflection_id"])


async def places_of(call: Client, folder: Path, word: str, id_: str) -> set[str]:
    """The tables and files that have a word, or vectors of a reflection."""
    assert call.app.database.owner_url
    owner = await asyncpg.connect(call.app.database.owner_url)
    try:
        tables = await owner.fetch("select tablename from pg_tables where schemaname = 'vcontract'")
        found = {
            table
            for (table,) in tables
            if await owner.fetchval(
                f"select exists (select from vcontract.{table} t where strpos(t::text, $1) > 0"  # noqa: S608
                " or strpos(t::text, replace($1, '-', '')) > 0)",
                word,
            )
        }
        rows = await owner.fetchval("select count(*) from vcontract.embedding where id = $1", UUID(id_))
    finally:
        await owner.close()
    return found | files_with(word, folder) | ({"vectors"} if rows else set())


def files_with(word: str, folder: Path) -> set[str]:
    return {str(file) for file in folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()}


@pytest.mark.parametrize("way", ["delete", "edit", "replaces"])
async def test_what_is_forgotten_or_corrected_is_nowhere_any_more(
    call: Client, repository: Repository, tmp_path: Path, run: Run, way: str
) -> None:
    id_ = await remembered_everywhere(call, repository)
    assert await places_of(call, tmp_path, "Montevideo", id_) >= {"reflection", "passage", "vectors"}

    if way == "replaces":
        corrected = await call("store_reflection", content="The vault is empty.", replaces=id_)
        assert (corrected["reflection_id"], corrected["replaced"]) == (id_, True)
        assert (corrected["tags_applied"], corrected["project"]) == (["insight"], "shop")
    else:
        code, output = await run(way, id_, *(["The vault is empty."] if way == "edit" else []))
        assert (code, id_ in output) == (0, True)

    left = await places_of(call, tmp_path, "Montevideo", id_)
    assert left - {"vectors"} == set()
    found = await call("reflect_on_past", query="vault empty")
    assert (id_ in [result["id"] for result in found["results"]]) is (way != "delete")
    if way == "delete":
        assert left == set()
        assert files_with(id_, tmp_path) == set()
        assert (await run("delete", id_))[0] == 1
        later = await call("init", working_directory=str(repository.root))
        assert "vault" not in str(later)


async def test_a_reflection_that_is_not_there_is_not_replaced(connect: Connect, run: Run) -> None:
    mine, stranger = connect(), connect(of_tenant="somebody-else")
    theirs = await stranger("store_reflection", content="Nobody else may see this.")

    for id_, reason in (
        (theirs["reflection_id"], "unknown_reflection"),
        ("7", "malformed_uuid"),
    ):
        refused = await mine("store_reflection", content="Mine.", replaces=id_)
        assert refused["error_code"] == "VALIDATION_ERROR"
        assert (refused["details"]["parameter"], refused["details"]["reason"]) == ("replaces", reason)
        assert (await run("edit", id_, "Mine."))[0] in (1, 2)
    assert (await run("show", theirs["reflection_id"]))[0] == 1
    assert (await mine("reflection_stats"))["total_reflections"] == 0


async def test_the_command_shows_a_whole_text_and_refuses_what_no_reflection_may_be(
    call: Client, run: Run
) -> None:
    long_text = "Word. " * 2_000 + "End."
    stored = await call("store_reflection", content=long_text)

    assert await run("show", stored["reflection_id"]) == (0, f"{long_text}\n")
    assert (await run("edit", stored["reflection_id"], "  "))[0] == 2
    assert (await run("edit", stored["reflection_id"], "Fine.", "--tag", "x;y"))[0] == 2
    code, _ = await run("edit", stored["reflection_id"], "Key AKIAIOSFODNN7EXAMPLE is ours.", "--tag", "A b")
    assert code == 0
    [found] = (await call("reflect_on_past", query="key is ours"))["results"]
    assert "AKIAIOSFODNN7EXAMPLE" not in found["content"]
    assert found["tags"] == ["a-b"]
