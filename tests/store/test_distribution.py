"""What the schema has to keep so that it can be spread over machines, seen in the catalog without Citus."""

from collections.abc import Awaitable, Callable

import asyncpg
import pytest

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
