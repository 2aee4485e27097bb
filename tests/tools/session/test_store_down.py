"""With the database stopped, what needs no store goes on and says what it could not do."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import PATIENCE
from tests.tools.session.conftest import Client, Repository, connection_of
from tests.watch import Watch
from vcontract.runtime.app import build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import server
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.migrations import migrate


@pytest.fixture
async def cluster_of_its_own(tmp_path: Path) -> EmbeddedCluster:
    """A server that the test may stop."""
    cluster = EmbeddedCluster(tmp_path / "cluster", linger=0, options={"fsync": "off"})
    cluster.start()
    return cluster


async def migrated(cluster: EmbeddedCluster) -> str:
    """The address of a database with our schema."""
    url = cluster.url("postgres")
    owner = await asyncpg.connect(url)
    await migrate(owner)
    await owner.close()
    return url


async def test_the_life_cycle_needs_no_store(
    cluster_of_its_own: EmbeddedCluster,
    session_settings: Settings,
    repository: Repository,
    tenant: str,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 5.0)
    url = await migrated(cluster_of_its_own)
    settings = session_settings.model_copy(
        update={"database_url": SecretStr(url), "session_git_checkpoint": True}
    )
    app = await build(settings)
    try:
        kept = connection_of(app, tenant, watch)
        assert (await kept("init", working_directory=str(repository.root)))["memory_initialized"] is True
        cluster_of_its_own.release()
        await lives_without_a_store(connection_of(app, tenant, watch), repository)
        ended = await kept("end")
    finally:
        await app.close()

    assert ended["memory_persisted"] is False
    assert ended["handoff_file_created"] is True


async def test_a_server_starts_without_its_store_and_uses_it_when_it_comes(
    cluster_of_its_own: EmbeddedCluster,
    session_settings: Settings,
    repository: Repository,
    tenant: str,
    watch: Watch,
) -> None:
    url = await migrated(cluster_of_its_own)
    cluster_of_its_own.release()
    settings = session_settings.model_copy(
        update={
            "database_url": SecretStr(url),
            "toolsets": ("all",),
            "session_git_checkpoint": True,
        }
    )
    app = await build(settings, waits=True)
    try:
        call, every = connection_of(app, tenant, watch), connection_of(app, tenant, watch)
        call.prefix = "session_"
        await lives_without_a_store(call, repository)
        refused = [await every(tool, **arguments) for tool, arguments in OTHERS]
        assert not await app.database.answers()
        cluster_of_its_own.start()
        begun = await call("init", working_directory=str(repository.root))
        async with asyncio.timeout(PATIENCE):
            while not begun["memory_initialized"]:
                begun = await call("init", working_directory=str(repository.root))
        ended = await call("end")
        answered = [await every(tool, **arguments) for tool, arguments in OTHERS]
    finally:
        await app.close()
        cluster_of_its_own.release()

    for answer in refused:
        error = answer["error"] if "ok" in answer else {"code": answer["error_code"], **answer}
        assert (error["code"], error["details"]["reason"]) in UNAVAILABLE
        assert error["details"]["retryable"] is True
    assert ended["memory_persisted"] is True
    assert [answer.get("success", answer.get("ok", True)) for answer in answered[:-1]] == [True] * 3
    assert answered[-1]["error"]["code"] == "CURSOR_INVALID"


OTHERS: list[tuple[str, JsonObject]] = [
    ("vcon_search", {"mode": "metadata"}),
    ("memory_search", {"query": "anything"}),
    ("bridge_status", {}),
    ("vcon_search", {"mode": "metadata", "cursor": "AAAA"}),
]
UNAVAILABLE = {("DATABASE_ERROR", "unavailable"), ("INTERNAL", "unavailable")}


async def lives_without_a_store(call: Client, repository: Repository) -> None:
    begun = await call("init", working_directory=str(repository.root))
    status = await call("status")
    repository.write("src/shop.py", "price = 9\n")
    point = await call("checkpoint")
    refused = [
        await call("store_reflection", content="a thought"),
        await call("reflect_on_past", query="a thought"),
        await call("reflection_stats"),
    ]
    ended = await call("end")
    again = await call("end")

    assert begun["session_id"] is None
    assert begun["memory_initialized"] is False
    assert begun["permissions_setup"] is False
    assert begun["previous_session"] is None
    assert status["session_active"] is True
    assert status["session_id"] is None
    assert status["memory_system_status"]["enabled"] is False
    assert status["memory_system_status"]["conversations_stored"] is None
    assert status["health_checks"]["store"]["ok"] is False
    assert (point["session_id"], point["checkpoint_id"]) == (None, None)
    assert point["git_checkpoint_created"] is True
    assert point["workflow_insights"]["reflections_stored"] is None
    assert [answer["error_code"] for answer in refused] == ["MEMORY_UNAVAILABLE"] * 3
    assert ended["memory_persisted"] is False
    assert ended["cleanup_performed"] is False
    assert Path(ended["handoff_file_path"]).name.startswith("session_handoff_")
    assert again["error_code"] == "MEMORY_UNAVAILABLE"
