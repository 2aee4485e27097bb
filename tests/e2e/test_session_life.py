"""A whole working session over stdio, as a client lives it; and a second server beside it."""

import json
from pathlib import Path

from tests.e2e.conftest import Serving, Wire
from tests.tools.session.conftest import make_repository
from vcontract.runtime.frame.documents.json import JsonObject


async def ask(wire: Wire, tool: str, /, **arguments: object) -> JsonObject:
    answer = await wire.call(f"session_{tool}", **arguments)
    assert answer["success"], answer
    return answer


async def test_a_session_from_its_beginning_to_the_next_one(serving: Serving, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    options = {"toolsets": "session", "session_git_checkpoint": str(repository.root)}
    async with serving(**options) as wire:
        begun = await ask(wire, "init", working_directory=str(repository.root))
        for content, tags in (
            ("Refresh tokens rotate; the old one is refused after ten seconds.", ["solution", "jwt"]),
            ("Each handler reads, then writes in one short transaction.", ["pattern"]),
            ("The parcel service answers slowly on Mondays.", []),
        ):
            await ask(wire, "store_reflection", content=content, tags=tags)
        repository.write("src/shop.py", "price = 2\n")
        point = await ask(wire, "checkpoint")
        found = await ask(wire, "reflect_on_past", query="refresh tokens rotate")
        await wire.kill()

    assert begun["project_context"]["name"] == "shop"
    assert point["git"]["commit"] == repository.head
    assert point["workflow_insights"]["reflections_stored"] == 3
    assert found["results"][0]["tags"] == ["solution", "jwt"]

    async with serving(start=repository.root, **options) as wire:
        # the first server has gone: its session is the only one of this project
        after = await ask(wire, "checkpoint")
        ended = await ask(wire, "end")
        following = await ask(wire, "init", working_directory=str(repository.root))
        await ask(wire, "end")
        await wire.leave()

    assert after["session_id"] == begun["session_id"]
    assert ended["learning_captured"]["solutions"] == [
        "Refresh tokens rotate; the old one is refused after ten seconds."
    ]
    assert ended["handoff_file_created"] is True
    assert following["resumed"] is False
    assert following["previous_session"]["session_id"] == begun["session_id"]
    assert len(following["previous_session"]["learning"]) == 3


async def test_what_a_killed_server_left_is_named_to_one_that_has_a_session_elsewhere(
    serving: Serving, tmp_path: Path
) -> None:
    shop, blog = make_repository(tmp_path / "shop"), make_repository(tmp_path / "blog")
    options = {"toolsets": "session", "session_git_checkpoint": f"{shop.root},{blog.root}"}
    async with serving(start=shop.root, **options) as wire:
        begun = await ask(wire, "init")
        await wire.kill()
    shop.write("src/shop.py", "price = 2\n")
    before = shop.head

    async with serving(start=blog.root, **options) as wire:
        status = await ask(wire, "init")
        point = await ask(wire, "checkpoint")
        ended = await ask(wire, "end")
        folder = str(shop.root)
        [left] = [named for named in status["leftover_sessions"] if named["working_directory"] == folder]
        resumed = await ask(wire, "init", **left["go_on"]["arguments"])
        await ask(wire, "end")
        await wire.leave()

    assert left["session_id"] == begun["session_id"] == resumed["session_id"]
    assert point["working_directory"] == str(blog.root)
    assert (shop.head, point["git"]["status"]) == (before, "nothing_to_commit")
    assert ended["handoff_file_path"].startswith(f"{blog.root}/")


async def test_two_servers_in_one_project_hold_a_session_each(serving: Serving, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "blog")
    async with serving(toolsets="session") as one, serving(toolsets="session") as other:
        first = await ask(one, "init", working_directory=str(repository.root))
        second = await ask(other, "init", working_directory=str(repository.root))
        await ask(one, "end")
        left = await ask(other, "status")
        await ask(other, "end")

    assert first["session_id"] != second["session_id"]
    assert second["other_active_sessions"] == 1
    assert (left["session_active"], left["session_id"]) == (True, second["session_id"])


async def test_another_process_reads_on_in_an_answer_of_one_that_was_killed(serving: Serving) -> None:
    options = {"toolsets": "session", "embedding_provider": "none"}
    async with serving(**options) as wire:
        for number in range(12):
            await ask(wire, "store_reflection", content=f"Lighthouse {number} " + "keeper's log " * 200)
        first = await ask(wire, "reflect_on_past", query="lighthouse keeper", limit=12)
        second = await ask(wire, "get_cached_chunk", cache_key=first["cache_key"], chunk_index=2)
        await wire.kill()

    async with serving(**options) as wire:
        again = await ask(wire, "get_cached_chunk", cache_key=first["cache_key"], chunk_index=2)

    assert first["total_chunks"] > 1
    assert again == second


async def test_what_a_subprocess_prints_does_not_reach_the_client(serving: Serving, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "noisy")
    dump = tmp_path / "dump"
    repository.hook("pre-commit", f"echo noise; env > {dump}")
    repository.write("src/shop.py", "price = 2\n")
    settings = {
        "toolsets": "session",
        "session_git_checkpoint": "true",
        "embedding_api_key": "sk-of-the-operator",
        "llm_api_key": "of-the-operator",
    }
    async with serving(**settings) as wire:
        await ask(wire, "init", working_directory=str(repository.root))
        point = await ask(wire, "checkpoint")
        await ask(wire, "end")
        await wire.leave()

    assert point["git_checkpoint_created"] is True
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.lines)
    dumped = read(dump)
    assert "PATH=" in dumped
    assert "VCONTRACT" not in dumped
    assert "of-the-operator" not in dumped
    assert "postgresql://" not in dumped


def read(file: Path) -> str:
    return file.read_text()
