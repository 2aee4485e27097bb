"""One server before several stores: each token is answered from its tenant's store."""

import contextlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, Cluster
from tests.contract.test_examples import CONVERSATION
from tests.own_server import free_port
from tests.web import Bearers, applied, post, running
from vcontract.runtime.app import App, build
from vcontract.runtime.context import Caller
from vcontract.runtime.settings import HOME, Settings
from vcontract.runtime.store.postgres.moving import Store, move_tenant
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenants import rows_of


@pytest.fixture(scope="module")
async def east_url(cluster: Cluster, template_database: str) -> AsyncIterator[str]:
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name} template {template_database}")
    yield cluster.url(name)
    await cluster.drop(name)


@contextlib.asynccontextmanager
async def built(settings: Settings, urls: str) -> AsyncGenerator[tuple[App, Settings]]:
    spread = settings.model_copy(
        update={
            "database_urls": SecretStr(urls),
            "embedding_provider": "none",
            "rate_limiting": False,
        }
    )
    app = await build(spread)
    try:
        yield app, spread
    finally:
        await app.close()


async def test_each_tenant_is_answered_from_its_store_also_when_it_has_just_moved(
    settings: Settings, owner: OwnerConnection, east_url: str, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a server that asks the home store about each call
    monkeypatch.setattr("vcontract.runtime.store.postgres.places._KNOWN_SECONDS", 0.0)
    bearers, stays = Bearers(owner), f"{tenant}.stays"
    tokens = {name: await bearers.make(name) for name in (tenant, stays)}
    east: OwnerConnection = await asyncpg.connect(east_url)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(east.close)
        app, spread = await stack.enter_async_context(built(settings, f"east={east_url}"))
        web = await stack.enter_async_context(running(await applied(app, spread)))
        for name in (tenant, stays):
            made = await post(web(tokens[name]), "create_vcon", vcon_data=CONVERSATION)
        # when one of two tenants moves
        home = Store(HOME, owner)
        await move_tenant(tenant, home, home, Store("east", east))
        # then both find what they stored, with the tokens that they had, and store more where they are
        for name in (tenant, stays):
            found = await post(web(tokens[name]), "vcon_search", mode="keyword", query="refund")
            assert len(found["items"]) == 1
            made = await post(web(tokens[name]), "create_vcon", vcon_data={"parties": [{"name": "Ann"}]})
            read = await web(tokens[name]).get("/v1/resources/vcon", params={"uuid": made["uuid"]})
            assert read.status_code == 200, read.text
        assert (await rows_of(east, tenant))["vcon"] == (await rows_of(owner, stays))["vcon"] == 2
        assert set(await rows_of(owner, tenant)) <= {"token", "audit"}
        assert await rows_of(east, stays) == {}


async def test_a_store_that_is_away_keeps_nobody_of_another_from_working(
    settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    away = f"postgresql://nobody@127.0.0.1:{free_port()}/none"
    await owner.execute("insert into vcontract.elsewhere values ($1, 'east', false)", f"{tenant}.east")
    async with built(settings, f"east={away}") as (app, _):
        made = await app.dispatcher.call(
            "create_vcon", {"vcon_data": CONVERSATION}, Caller(tenant, ALL_SCOPES, local=True)
        )
        refused = await app.dispatcher.call(
            "create_vcon", {"vcon_data": CONVERSATION}, Caller(f"{tenant}.east", ALL_SCOPES, local=True)
        )

    assert not made.is_error
    assert refused.is_error
    assert '"reason":"unavailable"' in refused.text.replace(" ", "")
