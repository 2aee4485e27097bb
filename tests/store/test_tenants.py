"""Tenants as a whole: written out with everything they have, and removed from every table."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from tests.conftest import Call
from tests.tools.test_request_keys import CASES, KEY
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.imports.export import TABLES_NOT_EXPORTED
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenant_moves import Store, move_tenant
from vcontract.runtime.store.postgres.tenants import (
    all_tenants,
    rows_of,
    set_quota,
    tenant_tables,
)
from vcontract.runtime.store.postgres.tokens import make_token

SESSION = Path(__file__).parents[2] / "docs" / "demo_session.jsonl"
RARE = (
    "insert into vcontract.dealer (tenant, vcon, id, name_folded, doc)"
    " select tenant, uuid, '1', '', '{}' from vcontract.vcon where tenant = $1",
    "insert into vcontract.transcript_summary values ($1, 'x', 'x', now())",
    "insert into vcontract.transcript_tombstone"
    " select tenant, gen_random_uuid(), harness, session, agent, source_path, archive_path, now()"
    " from vcontract.transcript where tenant = $1",
    "insert into vcontract.vcon_tombstone values ($1, gen_random_uuid(), now())",
    "insert into vcontract.bridge_processing_error"
    " values ($1, gen_random_uuid(), 'framing', 'x', 'x', '{}', 1, 'x', now())",
    "insert into vcontract.project values ($1, gen_random_uuid(), '/a', 'a', 'a', now()),"
    " ($1, gen_random_uuid(), '/b', 'b', 'b', now())",
    "insert into vcontract.project_link select $1, a.id, b.id, 'uses', 'declared'"
    " from vcontract.project a join vcontract.project b on b.tenant = a.tenant and a.root < b.root"
    " where a.tenant = $1",
    "insert into vcontract.work_session (tenant, id, caller, state, host, started_at, last_seen_at)"
    " values ($1, gen_random_uuid(), 'x', 'ended', 'x', now(), now())",
    "insert into vcontract.session_checkpoint (tenant, session, id, at, score)"
    " select tenant, id, gen_random_uuid(), now(), 1 from vcontract.work_session where tenant = $1",
    "insert into vcontract.result_cache (tenant, key, caller, tool, content, made_at, expires_at)"
    " values ($1, 'x', 'x', 'chunks', '{}', now(), now() + interval '1 hour')",
    "insert into vcontract.hold select tenant, uuid, 'x', 'x', now() from vcontract.vcon where tenant = $1",
    "insert into vcontract.vocabulary values ($1, 'value', 'a', 'b', 1)",
    "insert into vcontract.webhook (tenant, id, url, secret, events, tags, sends_vcon)"
    " values ($1, 'x', 'https://hooks.example/', 'x', '{vcon.deleted}', '{}', false)",
    "insert into vcontract.webhook_delivery"
    " values ($1, 'x', gen_random_uuid(), 'vcon.deleted', gen_random_uuid(), now(), now())",
    "insert into vcontract.word_task values ($1, 'bridge_source', gen_random_uuid())",
    "insert into vcontract.consent select tenant, uuid, 0, 'x', now() from vcontract.vcon where tenant = $1",
    "insert into vcontract.alias (tenant, person, written, name_folded) values ($1, 'A', 'A', 'a')",
    "select vcontract.open_embedding_space('x', 2, '{}', null) where $1 <> ''",
    "insert into vcontract.embedding select $1, 'vcon', gen_random_uuid(), 'dialog', 0, 0, id,"
    " array_fill(1::real, array[dimension]) from vcontract.embedding_space",
    "insert into vcontract.embedding_task select $1, 'vcon', gen_random_uuid(), id, 1, now()"
    " from vcontract.embedding_space",
)
"""Rows written when a model is called, a session ends, or a file refers to another one."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    # rows of the embedding worker would come and go meanwhile
    alone = {"rate_limits": None, "toolsets": ("all",), "embedding_provider": "none"}
    built = await build(settings.model_copy(update=alone))
    yield built
    await built.close()


def run(settings: Settings, *arguments: object) -> Result:
    assert settings.database_url is not None
    env = {
        "VCONTRACT_DATABASE_URL": settings.database_url.get_secret_value(),
        "VCONTRACT_DATA_DIR": str(settings.data_dir),
    }
    outcome = CliRunner().invoke(command, [str(argument) for argument in arguments], env=env)
    assert outcome.exit_code == 0, outcome.output
    return outcome


@pytest.fixture
async def full(call: Call, settings: Settings, owner: OwnerConnection, tenant: str) -> str:
    """A tenant with rows in every table that has rows of tenants."""
    for tool, (arrange, arguments, _) in CASES.items():
        answer = await call(tool, **{**(await arrange(call)), **arguments}, request_key=f"{KEY} {tool}")
        assert answer["success"], tool
    tagged = {"vcon_data": {"parties": [{"name": "Ann"}]}, "metadata": {"tags": {"a": "b"}}}
    assert (await call("create_vcon", **tagged))["success"]
    await call("session_store_reflection", content="Remember this.")
    source = (await call("bridge_capture", **CASES["bridge_capture"][1]))["record"]["id"]
    await call("bridge_release", id=source)
    await set_quota(owner, tenant, 1_000, None)
    await make_token(owner, tenant, tenant, ["read"], None)
    return tenant


async def with_transcript(settings: Settings, owner: OwnerConnection, tenant: str) -> None:
    await asyncio.to_thread(run, settings, "import", SESSION, "--tenant", tenant)
    for statement in RARE:
        await owner.execute(statement, tenant)


async def test_a_tenant_is_removed_from_every_table_that_has_rows_of_tenants_and_no_other_is(
    full: str, settings: Settings, owner: OwnerConnection, call: Call
) -> None:
    other = f"{full}.other"
    await with_transcript(settings, owner, full)
    await asyncio.to_thread(run, settings, "import", SESSION, "--tenant", other)
    before, theirs = await rows_of(owner, full), await rows_of(owner, other)
    assert set(before) == {*await tenant_tables(owner)}, "give the tenant of this test a row there, too"
    copies = settings.data_dir / "archive"
    assert any((copies / full).rglob("*.jsonl"))

    outcome = await asyncio.to_thread(run, settings, "tenant", "delete", full, "--yes", "--held", "--json")

    removed = json.loads(outcome.stdout)
    assert removed["rows"].keys() == before.keys()
    assert await rows_of(owner, full) == {}
    assert await rows_of(owner, other) == theirs
    assert full not in {usage.tenant for usage in await all_tenants(owner)}
    assert (copies / other).is_dir()
    assert not (copies / full).exists()
    line = json.loads((await asyncio.to_thread(run, settings, "audit", "--tenant", full, "--json")).stdout)[
        "lines"
    ]
    assert [(one["what"], one["detail"]["tenant"]) for one in line] == [("tenant delete", full)]


async def test_a_tenant_moves_to_another_store_from_every_table_but_that_of_tokens(
    full: str, settings: Settings, owner: OwnerConnection, make_empty_database: Callable[[], Awaitable[str]]
) -> None:
    await with_transcript(settings, owner, full)
    before = await rows_of(owner, full)
    there: OwnerConnection = await asyncpg.connect(await make_empty_database())
    try:
        await migrate(there)
        for model, dimension in await owner.fetch("select model, dimension from vcontract.embedding_space"):
            await there.execute("select vcontract.open_embedding_space($1, $2, '{}', null)", model, dimension)
        home = Store(HOME_STORE, owner)

        await move_tenant(full, home, home, Store("east", there))

        assert set(before) == {*await tenant_tables(owner)}
        assert await rows_of(owner, full) == {"token": before.pop("token")}
        assert await rows_of(there, full) == before
    finally:
        await there.close()


async def test_everything_of_a_tenant_is_written_out_and_nothing_of_another(
    full: str, settings: Settings, owner: OwnerConnection, tmp_path: Path
) -> None:
    await with_transcript(settings, owner, full)
    await asyncio.to_thread(run, settings, "import", SESSION, "--tenant", f"{full}.other")
    folder = tmp_path / "out"

    await asyncio.to_thread(run, settings, "tenant", "export", full, folder)

    rows = await rows_of(owner, full)
    written = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.jsonl")}
    lines = {name: text.splitlines() for name, text in written.items()}
    assert {name: len(found) for name, found in lines.items() if name.startswith("tables/")} == {
        f"tables/{table}.jsonl": rows.get(table, 0)
        for table in {*await tenant_tables(owner)} - TABLES_NOT_EXPORTED
    }
    assert len(lines["vcons.jsonl"]) == rows["vcon"]
    assert [line for found in lines.values() for line in found if f"{full}.other" in line] == []
    assert [name for name in lines if name.startswith("archive/")]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["tenant"], manifest["lines"]["vcons.jsonl"]) == (full, rows["vcon"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "digest" not in written.get("tables/token.jsonl", "")
    # and its vCons come in again as they are
    again = await asyncio.to_thread(
        run, settings, "import", folder / "vcons.jsonl", "--tenant", full, "--json"
    )
    assert json.loads(again.stdout)["identical"] == rows["vcon"]
