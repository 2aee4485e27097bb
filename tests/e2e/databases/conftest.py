"""A server of one's own with least privilege, set up as docs/postgresql.md says, and a store on it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES
from tests.contract.examples import examples
from tests.contract.test_examples import CONVERSATION
from tests.e2e.conftest import Environment, command, environment
from tests.own_server import OwnServer
from tests.watch import Watch
from vcontract.generated.registry import TOOLS
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

PREFIX = "acme"
OWNER, LOGIN = "acme_owner", "acme_login"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    server = OwnServer(tmp_path_factory.mktemp("own"))
    server.start()
    yield server
    server.stop()


def as_(server: OwnServer, login: str, folder: Path, **more: str) -> Environment:
    """What a command needs that works as this login."""
    return environment(
        folder,
        {
            "embedding_provider": "none",
            "database_url": server.url(login, "calls"),
            "role_prefix": PREFIX,
            **more,
        },
    )


@pytest.fixture(scope="module")
async def plan(server: OwnServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a superuser has run, twice."""
    folder = tmp_path_factory.mktemp("plan")
    code, sql, said = await command(as_(server, OWNER, folder), "db", "plan", "--database", "calls")
    assert (code, said) == (0, "")
    for _ in range(2):
        await asyncio.to_thread(server.psql, sql)
    await asyncio.to_thread(server.let_in, OWNER, LOGIN)
    return sql


@pytest.fixture(scope="module")
async def migrated(server: OwnServer, plan: str, tmp_path_factory: pytest.TempPathFactory) -> OwnServer:
    """The server with the store that its owner made."""
    assert "password '" not in plan
    code, _, said = await command(as_(server, OWNER, tmp_path_factory.mktemp("owner")), "db", "migrate")
    assert (code, said) == (0, "")
    return server


@asynccontextmanager
async def serving(
    url: str, folder: Path, *, database_pooled: bool = False, embeds: bool = True
) -> AsyncGenerator[App]:
    built = await build(
        Settings(
            database_url=SecretStr(url),
            database_pooled=database_pooled,
            role_prefix=PREFIX,
            data_dir=folder,
            toolsets=("all",),
            embedding_provider="minilm" if embeds else "none",
            rate_limits=None,
        )
    )
    try:
        yield built
    finally:
        await built.close()


async def works(app: App, tenant: str, watch: Watch) -> None:
    """Every example of every tool is answered by its tool, well or with an error of its contract."""
    caller = Caller(tenant, ALL_SCOPES, local=True)
    stored = await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
    assert not stored.is_error, stored.text
    answers: list[tuple[str, JsonObject]] = []
    for tool, example in examples():
        outcome = await app.dispatcher.call(tool, example["params"], caller)
        answers.append((tool, outcome.structured))
    watch.report()

    assert {tool for tool, _ in answers} == set(TOOLS)
    faults = [(tool, answer) for tool, answer in answers if "DATABASE_ERROR" in json.dumps(answer)]
    broken = [fault for fault in faults if "semantic_unavailable" not in json.dumps(fault)]  # has no model
    assert broken == []
