"""A session that a server left behind is meant where it is the only one, and named where it is not."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.session.conftest import Client, Connect, Repository, Serving, make_repository
from tests.tools.session.test_checkpoint import state_of
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject


@pytest.fixture
async def elsewhere(serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    """A server that may commit everywhere, started in the project blog."""
    monkeypatch.chdir(make_repository(tmp_path / "blog").root)
    async with serving(session_git_checkpoint=True) as app:
        yield app


@pytest.fixture
def call(elsewhere: App, connect: Connect) -> Client:
    return connect(elsewhere)


@pytest.fixture
async def left(elsewhere: App, connect: Connect, repository: Repository) -> JsonObject:
    """What init said of a session in the shop, which has uncommitted work."""
    repository.write("src/shop.py", "price = 2\n")
    return await leave_behind(connect(elsewhere), repository.root)


async def leave_behind(call: Client, folder: Path) -> JsonObject:
    """Begin a session whose process is gone: its number was given out again since."""
    begun = await call("init", working_directory=str(folder))
    async with call.app.database.writing(call.caller.tenant) as connection:
        await connection.execute(
            "update vcontract.work_session set pid_started = 1 where id = $1", begun["session_id"]
        )
    return begun


def project_of(answer: JsonObject) -> str:
    name: str = answer["project_context"]["name"]
    return name


async def test_the_only_session_is_meant_wherever_the_server_was_started(
    call: Client, left: JsonObject, repository: Repository
) -> None:
    status = await call("status")
    stored = await call("store_reflection", content="The price is per unit.")
    point = await call("checkpoint")
    ended = await call("end")

    assert (status["session_id"], project_of(status)) == (left["session_id"], "shop")
    assert status["leftover_sessions"] == []
    assert (stored["session_id"], stored["project"]) == (left["session_id"], "shop")
    assert (point["session_id"], point["working_directory"]) == (left["session_id"], str(repository.root))
    assert ended["handoff_file_path"].startswith(str(repository.root))
    assert not (Path.cwd() / ".vcontract").exists()


@pytest.mark.parametrize("tool", ["checkpoint", "end"])
async def test_without_a_session_nothing_is_begun_or_written(
    call: Client, connect: Connect, elsewhere: App, repository: Repository, tool: str
) -> None:
    before = state_of(repository)
    none = await call(tool)
    other = await connect(elsewhere)("init", working_directory=str(repository.root))
    held = await call(tool)

    assert (none["details"], none["suggestions"]) == (
        {"reason": "no_active_session"},
        ["Begin one with init and its working_directory."],
    )
    assert held["details"]["reason"] == "no_active_session"
    [named] = held["details"]["sessions"]
    assert (named["session_id"], named["working_directory"]) == (other["session_id"], str(repository.root))
    assert state_of(repository) == before
    assert not any((folder / ".vcontract").exists() for folder in (repository.root, Path.cwd()))
    assert (await call("status"))["session_active"] is False


async def test_init_begins_anew_and_offers_to_go_on_or_to_close(call: Client, left: JsonObject) -> None:
    begun = await call("init")
    [named] = begun["leftover_sessions"]
    resumed = await call(named["go_on"]["tool"], **named["go_on"]["arguments"])
    closed = await call(named["close"]["tool"], **named["close"]["arguments"])

    assert (project_of(begun), begun["resumed"]) == ("blog", False)
    assert (resumed["session_id"], resumed["resumed"]) == (left["session_id"], True)
    assert resumed["leftover_sessions"] == []
    assert closed["handoff_file_path"].startswith(resumed["project_context"]["root"])
    assert (await call("status"))["leftover_sessions"] == []


@pytest.mark.parametrize("tool", ["checkpoint", "end"])
async def test_several_that_were_left_are_named_and_none_is_taken(
    elsewhere: App, connect: Connect, call: Client, left: JsonObject, repository: Repository, tool: str
) -> None:
    own = await leave_behind(connect(elsewhere), Path.cwd())
    before = state_of(repository)

    refused = await call(tool)

    assert refused["details"]["reason"] == "several_sessions"
    named = {session["working_directory"] for session in refused["details"]["sessions"]}
    assert named == {str(repository.root), own["project_context"]["working_directory"]}
    assert state_of(repository) == before


async def test_several_that_were_left_in_one_project_are_named_and_none_is_taken(
    elsewhere: App, connect: Connect, call: Client
) -> None:
    ids = [(await leave_behind(connect(elsewhere), Path.cwd()))["session_id"]]
    # one that is held is not resumed, so there are two
    async with elsewhere.database.writing(call.caller.tenant) as connection:
        await connection.execute("update vcontract.work_session set pid_started = null where id = $1", ids[0])
    ids.append((await leave_behind(connect(elsewhere), Path.cwd()))["session_id"])
    async with elsewhere.database.writing(call.caller.tenant) as connection:
        await connection.execute("update vcontract.work_session set pid_started = 1")

    status = await call("status")
    refused = await call("checkpoint")

    assert status["session_active"] is False
    assert {named["session_id"] for named in status["leftover_sessions"]} == set(ids)
    assert refused["details"]["reason"] == "several_sessions"


async def test_a_session_that_somebody_holds_is_no_leftover(
    call: Client, connect: Connect, elsewhere: App, repository: Repository
) -> None:
    await connect(elsewhere)("init", working_directory=str(repository.root))

    assert (await call("status"))["leftover_sessions"] == []


async def test_what_was_left_in_the_own_project_is_gone_on_with_until_it_ends(
    call: Client, connect: Connect, elsewhere: App
) -> None:
    left = await leave_behind(connect(elsewhere), Path.cwd())

    point = await call("checkpoint")
    ended = await call("end")

    assert point["session_id"] == left["session_id"]
    assert ended["success"] is True
