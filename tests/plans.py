"""Plans: how PostgreSQL went about each statement that ran, those inside functions among them."""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import asyncpg
from pgvector.asyncpg import register_vector

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.postgres.database import Connection

PlansOf = Callable[..., Any]


@asynccontextmanager
async def explaining(url: str, tenant: str) -> AsyncGenerator[PlansOf]:
    """Runs a statement as the server's role and gives the plan of every statement of ours that ran for it.

    In place of a statement there may be what takes the connection and runs some. With `about`, only of those
    whose text it is true of.
    """
    connection = await asyncpg.connect(url)
    await register_vector(connection)
    messages: list[str] = []
    connection.add_log_listener(lambda _, message: messages.append(str(message)))
    await connection.execute(
        "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_level = notice;"
        "set auto_explain.log_nested_statements = on; set auto_explain.log_format = json;"
        "set auto_explain.log_analyze = on; set plan_cache_mode = force_custom_plan;"
        f"set vcontract.tenant = '{tenant}'; set role vcontract_server"
    )

    async def plans_of(
        statement: str | Callable[[Any], Awaitable[object]],
        *arguments: object,
        about: Callable[[str], bool] = lambda text: "vcontract." in text,
    ) -> list[JsonValue]:
        messages.clear()
        if isinstance(statement, str):
            await connection.fetch(statement, *arguments)
        else:
            await statement(cast("Connection", connection))
        found = [json.loads(message[message.index("{") :]) for message in messages if '"Plan"' in message]
        return [plan["Plan"] for plan in found if about(plan["Query Text"])]

    yield plans_of
    await connection.close()


def nodes_of(plan: JsonValue) -> list[JsonObject]:
    """Every node of a plan, at any depth."""
    return [plan, *(node for child in plan.get("Plans", []) for node in nodes_of(child))]


def indexes_of(plans: Sequence[JsonValue], *, unused: bool = False) -> set[str]:
    """The indexes that plans read; with `unused`, those too that it did not come to."""
    nodes = (node for plan in plans for node in nodes_of(plan) if "Index Name" in node)
    return {node["Index Name"] for node in nodes if unused or node["Actual Loops"]}


def sequential_scans_of(plans: Sequence[JsonValue]) -> set[str]:
    """The tables that plans read from end to end, or would if it came to that."""
    nodes = (node for plan in plans for node in nodes_of(plan))
    return {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}


def rows_read_by(plans: Sequence[JsonValue]) -> Counter[str]:
    """How many rows of each table plans looked at, those that they passed over as well."""
    return _rows_by(plans, ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck"))


def rows_taken_by(plans: Sequence[JsonValue]) -> Counter[str]:
    """How many rows of each table plans went on with."""
    return _rows_by(plans, ("Actual Rows",))


def _rows_by(plans: Sequence[JsonValue], counted: Sequence[str]) -> Counter[str]:
    rows = Counter[str]()
    for node in (node for plan in plans for node in nodes_of(plan) if "Relation Name" in node):
        each = sum(node.get(name, 0) for name in counted)
        rows[node["Relation Name"]] += round(each * node["Actual Loops"])
    return +rows
