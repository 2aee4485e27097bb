"""A session that a server left behind in one project is named in others, and never taken there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.session.conftest import Client, Connect, Repository, Serving, make_repository
from tests.tools.session.test_checkpoint import state_of
from vcontract.runtime.app import App
from vcontract.runtime.documents.json import JsonObject


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


async def test_status_names_what_another_project_has_left(
    call: Client, left: JsonObject, repository: Repository
) -> None:
    answer = await call("status")

    assert (answer["session_active"], answer["session_id"], project_of(answer)) == (False, None, "blog")
    [named] = answer["leftover_sessions"]
    assert (named["session_id"], named["project"]) == (left["session_id"], "shop")
    assert (named["working_directory"], named["silent_minutes"]) == (str(repository.root), 0)


async def test_checkpoint_begins_a_session_of_its_own_and_commits_nothing_elsewhere(
    call: Client, left: JsonObject, repository: Repository
) -> None:
    before = state_of(repository)

    answer = await call("checkpoint")

    assert answer["session_started"] is True
    assert answer["session_id"] != left["session_id"]
    assert answer["git"]["status"] == "nothing_to_commit"
    assert state_of(repository) == before


async def test_end_names_what_another_project_has_left_and_writes_nothing(
    call: Client, left: JsonObject, repository: Repository
) -> None:
    answer = await call("end")

    assert answer["error"] == "No active session."
    assert [named["session_id"] for named in answer["details"]["sessions"]] == [left["session_id"]]
    assert not (repository.root / ".vcontract").exists()


async def test_a_reflection_belongs_to_no_other_project(call: Client, left: JsonObject) -> None:
    answer = await call("store_reflection", content="The price is per unit.")

    assert (answer["project"], "session_id" in answer) == (None, False)


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


async def test_several_that_were_left_in_the_own_project_are_named_and_none_is_taken(
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


async def test_a_connection_whose_session_has_ended_takes_none_of_another_project(
    call: Client, connect: Connect, elsewhere: App, left: JsonObject
) -> None:
    begun = await call("init")
    await connect(elsewhere)("end", session_id=begun["session_id"])

    answer = await call("end")

    assert answer["details"]["reason"] == "no_active_session"


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
