"""Citus: why its distributed tables cannot hold a store, that they are refused, and a store beside it.

Runs where `make test-citus` has started three nodes.
"""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.citus import NODES
from tests.conftest import ALL_SCOPES
from tests.contract.test_examples import CONVERSATION
from vcontract.runtime.app import build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import MigrationError
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenant_moves import Store, move_tenant
from vcontract.runtime.store.postgres.tenants import rows_of

URLS = os.environ.get(NODES, "").split()
pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(not URLS, reason="no cluster of Citus runs here: make test-citus starts one"),
]

TENANTS_APART = """
    create role {name}_server login;
    create role {name}_owner login;
    create schema {name} authorization {name}_owner;
    grant usage on schema {name} to {name}_server;
    create table {name}.a (tenant text, id uuid, primary key (tenant, id));
    create table {name}.b (tenant text, id uuid, primary key (tenant, id));
    alter table {name}.a owner to {name}_owner;
    alter table {name}.b owner to {name}_owner;
    alter table {name}.a enable row level security;
    create policy own on {name}.a to {name}_server using (tenant = current_setting('vcontract.tenant'));
    grant select, insert on {name}.a to {name}_server;
    create function {name}.counted() returns bigint language plpgsql security definer
        as $$ begin return (select count(*) from {name}.a where tenant = 'x'); end $$;
    create function {name}.noted() returns void language plpgsql security definer
        as $$ begin insert into {name}.b values ('x', '00000000-0000-4000-8000-000000000001'); end $$;
    alter function {name}.counted owner to {name}_owner;
    alter function {name}.noted owner to {name}_owner;
"""
BESIDE_EACH_OTHER = (
    "cannot perform query on placements that were modified in this transaction by a different user"
)
AS_SERVER = ("set local role {name}_server; set local vcontract.tenant = 'x'",)
STORED = (*AS_SERVER, "insert into {name}.a values ('x', '00000000-0000-4000-8000-000000000001')")


@pytest.fixture
async def nodes() -> AsyncIterator[list[OwnerConnection]]:
    """Connections of a superuser to the coordinator and the workers."""
    opened: list[OwnerConnection] = [await asyncpg.connect(url) for url in URLS]
    yield opened
    for connection in opened:
        await connection.close()


@pytest.fixture
async def name(nodes: list[OwnerConnection]) -> AsyncIterator[str]:
    """A schema that keeps tenants apart as ours does, and a name that begins those of its roles."""
    chosen = f"t{uuid.uuid4().hex[:12]}"
    coordinator = nodes[0]
    await coordinator.execute("set citus.propagate_set_commands = 'local'")
    await coordinator.execute(TENANTS_APART.format(name=chosen))
    yield chosen
    await coordinator.execute(f"drop schema {chosen} cascade")
    await coordinator.execute(f"drop role {chosen}_server; drop role {chosen}_owner")


BY_SCHEMA = "select citus_schema_distribute('{name}')"
BY_COLUMN = "select create_distributed_table('{{name}}.' || t, '{0}') from unnest(array['a', 'b']) t"


@pytest.mark.parametrize(
    "spread",
    [BY_COLUMN.format("tenant"), BY_COLUMN.format("id"), BY_SCHEMA],
    ids=["by tenant", "by vCon", "a schema a tenant"],
)
@pytest.mark.parametrize(
    ("work", "refused"),
    [
        ((*STORED, "select {name}.counted()"), BESIDE_EACH_OTHER),
        ((*STORED, "select {name}.noted()"), BESIDE_EACH_OTHER),
        (
            (*AS_SERVER, "insert into {name}.a select 'x', i from unnest(array[gen_random_uuid()]) i"),
            "COPY FROM not supported with row-level security",
        ),
    ],
    ids=["read by a function of the owner", "written by one", "rows of an array"],
)
async def test_what_keeps_tenants_apart_cannot_be_done_on_distributed_tables(
    nodes: list[OwnerConnection], name: str, spread: str, work: tuple[str, ...], refused: str
) -> None:
    """Should one of these pass some day, distributed tables may be thought of anew."""
    coordinator = nodes[0]
    await coordinator.execute(spread.format(name=name))

    async def do() -> None:
        async with coordinator.transaction():
            for statement in work:
                await coordinator.execute(statement.format(name=name))

    with pytest.raises(asyncpg.PostgresError, match=refused):
        await do()


@pytest.mark.parametrize("spread", [BY_COLUMN.format("tenant"), BY_SCHEMA], ids=["by tenant", "by schema"])
async def test_policies_such_as_ours_cannot_be_distributed(
    nodes: list[OwnerConnection], name: str, spread: str
) -> None:
    coordinator = nodes[0]
    await coordinator.execute(f"create policy more on {name}.a using (tenant = (select current_user))")

    with pytest.raises(asyncpg.PostgresError, match="cannot create policy"):
        await coordinator.execute(spread.format(name=name))


@pytest.mark.parametrize("column", ["tenant", "uuid"], ids=["by tenant", "by vCon"])
async def test_no_store_can_be_distributed(nodes: list[OwnerConnection], column: str) -> None:
    coordinator = nodes[0]
    try:
        await migrate(coordinator)
        await coordinator.execute("set citus.enable_ddl_propagation = on")
        with pytest.raises(asyncpg.PostgresError, match="cannot create policy"):
            await coordinator.execute("select create_distributed_table('vcontract.vcon', $1)", column)
    finally:
        await coordinator.execute("drop schema if exists vcontract, vcontract_blank cascade")


async def test_a_store_whose_tables_are_distributed_is_refused_and_named(
    nodes: list[OwnerConnection], tmp_path: Path
) -> None:
    coordinator, url = nodes[0], URLS[0]
    try:
        await migrate(coordinator)
        await coordinator.execute("set citus.enable_ddl_propagation = on")
        await coordinator.execute("select create_reference_table('vcontract.removed_tenant')")
        reported = "Citus distributes the tables removed_tenant, which vcontract does not support"
        with pytest.raises(MigrationError, match=reported):
            await Database.open(Settings(database_url=SecretStr(url), data_dir=tmp_path))
        for arguments, status in (("db status", 1), ("db migrate", 3), ("doctor", 3), ("serve", 3)):
            refused = await asyncio.to_thread(
                CliRunner().invoke,
                command,
                arguments.split(),
                env={"VCONTRACT_DATABASE_URL": url, "VCONTRACT_DATA_DIR": str(tmp_path)},
            )
            assert (refused.exit_code, reported in refused.output) == (status, True), refused.output
        assert await coordinator.fetchval("select count(*) from vcontract.removed_tenant") == 0
    finally:
        await coordinator.execute("drop schema if exists vcontract, vcontract_blank cascade")


async def test_an_ordinary_owner_migrates_beside_citus_and_nothing_is_repeated_elsewhere(
    nodes: list[OwnerConnection],
) -> None:
    coordinator, worker, _ = nodes
    owner = f"o{uuid.uuid4().hex[:12]}"
    await coordinator.execute(
        f"create role {owner} login createrole; grant create on database cluster to {owner}"
    )
    url = URLS[0].replace("postgres@", f"{owner}@")
    connection: OwnerConnection = await asyncpg.connect(url)
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="must be owner of extension vector"):
            await connection.execute("create extension if not exists vector")
        assert (await migrate(connection)).lacking
        assert await worker.fetchval("select to_regnamespace('vcontract')") is None
    finally:
        await connection.close()
        await coordinator.execute("drop schema if exists vcontract, vcontract_blank cascade")


async def test_the_nodes_of_a_cluster_hold_a_store_each_and_tenants_move_between_them(
    nodes: list[OwnerConnection], tmp_path: Path
) -> None:
    stores = [Store(name, node) for name, node in zip((HOME_STORE, "east", "west"), nodes, strict=True)]
    settings = Settings(
        database_url=SecretStr(URLS[0]),
        database_urls=SecretStr(f"east={URLS[1]} west={URLS[2]}"),
        data_dir=tmp_path,
        embedding_provider="none",
    )
    try:
        for node in nodes:
            await migrate(node)
        for store in stores[1:]:
            await move_tenant(store.name, stores[0], stores[0], store)
        app = await build(settings)
        try:
            for store in stores:
                caller = Caller(store.name, ALL_SCOPES, local=True)
                made = await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
                assert not made.is_error, made.text
                assert (await rows_of(store.connection, store.name))["vcon"] == 1
            moved = await move_tenant("east", stores[0], stores[1], stores[2])
        finally:
            await app.close()
        assert (moved["vcon"], (await rows_of(nodes[2], "east"))["vcon"]) == (1, 1)
        assert await rows_of(nodes[1], "east") == {}
    finally:
        for node in nodes:
            await node.execute("drop schema if exists vcontract, vcontract_blank cascade")
