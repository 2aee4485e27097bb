"""The store over several machines: what the schema has to keep for it, and Citus where it is installed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.conftest import ALL_SCOPES
from tests.contract.test_examples import CONVERSATION
from vcontract.runtime.app import build
from vcontract.runtime.cli.main import app as program
from vcontract.runtime.context import Caller
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.distribution import By, obstacles, spread_by, statements
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

OF_THE_DEPLOYMENT = {
    *("embedding_space", "function_file", "migration", "removed_tenant", "retention", "shared_secret"),
    "token",
}


@pytest.mark.parametrize("by", ["tenant", "vcon"])
async def test_the_schema_can_be_spread(owner: OwnerConnection, by: By) -> None:
    spread = await spread_by(owner, by)

    assert await obstacles(owner, spread) == []
    assert {each.table for each in spread if each.column is None} == OF_THE_DEPLOYMENT
    asked = statements(spread)
    first = "uuid" if by == "vcon" else "tenant"
    assert (
        f"select create_distributed_table('vcontract.vcon', '{first}', colocate_with => 'none')"
        == asked[len(OF_THE_DEPLOYMENT)]
    )
    together = {"party", "dialog", "analysis", "attachment", "tag", "dealer", "passage", "search_document"}
    beside = {each.table for each in spread if "=> 'vcontract.vcon'" in asked[spread.index(each)]}
    assert together <= beside


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("create unique index once on vcontract.vcon (created_at)", "vcon: once is unique without tenant"),
        (
            "alter table vcontract.party add constraint of_source foreign key (tenant, vcon)"
            " references vcontract.vcon; create table vcontract.pair (tenant text, a text,"
            " primary key (tenant, a), b text references vcontract.token)",
            None,
        ),
        (
            "create table vcontract.base (tenant text, id text, primary key (tenant, id));"
            "create table vcontract.leaf (tenant text, id text, other text, primary key (tenant, id),"
            " foreign key (other, id) references vcontract.base (tenant, id))",
            "leaf: leaf_other_id_fkey refers to base without tenant",
        ),
        (
            "create table vcontract.counted (tenant text, id bigint generated always as identity,"
            " primary key (tenant, id))",
            "counted: the sequence of id",
        ),
        (
            "create function public.nothing() returns trigger language plpgsql as 'begin return new; end';"
            "create trigger noted before insert on vcontract.tag execute function public.nothing()",
            "tag: the trigger noted",
        ),
    ],
    ids=["unique", "fine", "foreign key", "sequence", "trigger"],
)
async def test_what_stands_in_the_way_is_named(
    make_empty_database: Callable[[], Awaitable[str]], change: str, found: str | None
) -> None:
    connection: OwnerConnection = await asyncpg.connect(await make_empty_database())
    try:
        await migrate(connection)
        await connection.execute(change)
        assert await obstacles(connection, await spread_by(connection, "tenant")) == (
            [found] if found else []
        )
    finally:
        await connection.close()


@pytest.mark.usefixtures("superuser")
@pytest.mark.parametrize("by", ["tenant", "vcon"])
async def test_a_store_that_is_spread_stores_and_finds(
    make_empty_database: Callable[[], Awaitable[str]], tmp_path: Path, tenant: str, by: By
) -> None:
    url = await make_empty_database()
    connection: OwnerConnection = await asyncpg.connect(url)
    try:
        if not await connection.fetchval("select 'citus' in (select name from pg_available_extensions)"):
            pytest.skip("Citus is not installed on this server")
        await connection.execute("create extension citus")
        await migrate(connection)
        told = await asyncio.to_thread(
            CliRunner().invoke,
            program,
            ["db", "distribute", "--by", by],
            env={"VCONTRACT_DATABASE_URL": url, "VCONTRACT_DATA_DIR": str(tmp_path)},
        )
        assert told.exit_code == 0, told.output
        spread = await connection.fetchval("select count(*) from pg_dist_partition")
        assert spread == len(await spread_by(connection, by))
    finally:
        await connection.close()
    served = await build(
        Settings(
            database_url=SecretStr(url), data_dir=tmp_path, embedding_provider="none", rate_limiting=False
        )
    )
    try:
        for whose in (tenant, f"{tenant}.other"):
            caller = Caller(whose, ALL_SCOPES, local=True)
            made = await served.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
            assert not made.is_error, made.text
            found = await served.dispatcher.call(
                "vcon_search", {"mode": "keyword", "query": "refund"}, caller
            )
            assert [item["uuid"] for item in found.structured["items"]] == [made.structured["uuid"]]
    finally:
        await served.close()
