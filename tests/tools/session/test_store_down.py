"""With the database stopped, what needs no store goes on and says what it could not do."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.tools.session.conftest import Client, Repository, connection_of
from tests.watch import Watch
from vcontract.runtime.app import build
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.migrations import migrate


@pytest.fixture
async def cluster_of_its_own(tmp_path: Path) -> EmbeddedCluster:
    """A server that the test may stop."""
    cluster = EmbeddedCluster(tmp_path / "cluster", linger=0, options={"fsync": "off"})
    cluster.start()
    return cluster


async def test_the_life_cycle_needs_no_store(
    cluster_of_its_own: EmbeddedCluster,
    session_settings: Settings,
    repository: Repository,
    tenant: str,
    watch: Watch,
) -> None:
    import asyncpg

    url = cluster_of_its_own.url("postgres")
    owner = await asyncpg.connect(url)
    await migrate(owner)
    await owner.close()
    settings = session_settings.model_copy(
        update={"database_url": SecretStr(url), "session_git_checkpoint": True, "statement_timeout_ms": 5_000}
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
