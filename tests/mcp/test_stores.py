"""One server before several stores: each token is answered from its tenant's store."""

import contextlib
import uuid
from collections.abc import AsyncGenerator

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, Cluster
from tests.contract.test_examples import CONVERSATION
from tests.own_server import free_port
from tests.web import Bearers, applied, post, running
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenant_moves import Store, move_tenant
from vcontract.runtime.store.postgres.tenants import rows_of
from vcontract.runtime.store.postgres.tokens import Tokens
from vcontract.runtime.store.vcons.counts import fold_all


@contextlib.asynccontextmanager
async def built(
    settings: Settings, urls: str, *, waits: bool = False, embedding_provider: str = "none"
) -> AsyncGenerator[tuple[App, Settings]]:
    spread = settings.model_copy(
        update={
            "database_urls": SecretStr(urls),
            "embedding_provider": embedding_provider,
            "rate_limits": None,
        }
    )
    app = await build(spread, waits=waits)
    try:
        yield app, spread
    finally:
        await app.close()


async def test_each_tenant_is_answered_from_its_store_also_when_it_has_just_moved(
    settings: Settings, owner: OwnerConnection, east_url: str, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a server that asks the home store about each call
    monkeypatch.setattr("vcontract.runtime.store.postgres.tenant_directory._KNOWN_SECONDS", 0.0)
    bearers, stays = Bearers(owner), f"{tenant}.stays"
    tokens = {name: await bearers.make(name) for name in (tenant, stays)}
    listing = {"mode": "metadata", "limit": 1}
    east: OwnerConnection = await asyncpg.connect(east_url)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(east.close)
        app, spread = await stack.enter_async_context(built(settings, f"east={east_url}"))
        web = await stack.enter_async_context(running(await applied(app, spread)))
        for name in (tenant, stays):
            made = await post(web(tokens[name]), "create_vcon", vcon_data=CONVERSATION)
        await post(web(tokens[tenant]), "create_vcon", vcon_data={"parties": [{"name": "Bob"}]})
        page = await post(web(tokens[tenant]), "vcon_search", **listing)
        # when one of two tenants moves
        home = Store(HOME_STORE, owner)
        await move_tenant(tenant, home, home, Store("east", east))
        # then a list goes on where it was
        rest = await post(web(tokens[tenant]), "vcon_search", **listing, cursor=page["page"]["next_cursor"])
        assert len(rest["items"]) == 1
        # and both find what they stored, with the tokens that they had, and store more where they are
        for name in (tenant, stays):
            found = await post(web(tokens[name]), "vcon_search", mode="keyword", query="refund")
            assert len(found["items"]) == 1
            made = await post(web(tokens[name]), "create_vcon", vcon_data={"parties": [{"name": "Ann"}]})
            read = await web(tokens[name]).get("/v1/resources/vcon", params={"uuid": made["uuid"]})
            assert read.status_code == 200, read.text
        assert (await rows_of(east, tenant))["vcon"] == 3
        assert (await rows_of(owner, stays))["vcon"] == 2
        assert set(await rows_of(owner, tenant)) <= {"token", "audit"}
        assert await rows_of(east, stays) == {}


async def test_the_tenant_of_who_comes_without_a_token_moves_like_any_other(
    settings: Settings, owner: OwnerConnection, east_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.store.postgres.tenant_directory._KNOWN_SECONDS", 0.0)
    async with contextlib.AsyncExitStack() as stack:
        east: OwnerConnection = await asyncpg.connect(east_url)
        stack.push_async_callback(east.close)
        app, _ = await stack.enter_async_context(
            built(settings, f"east={east_url}", embedding_provider="minilm")
        )
        home, there = Store(HOME_STORE, owner), Store("east", east)
        tenant = app.caller.tenant
        assert not (
            await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, app.caller)
        ).is_error
        # when it moves
        await move_tenant(tenant, home, home, there)
        stack.push_async_callback(move_tenant, tenant, home, there, home)
        # then it finds what it stored, and what belongs to no tenant is still done in both stores
        found = await app.dispatcher.call("vcon_search", {"mode": "keyword", "query": "refund"}, app.caller)
        assert len(found.structured["items"]) == 1, found.text
        for each in (app, app.others["east"]):
            await fold_all(each.database)
            assert await Tokens(each.database).bearers(["vct_unknown"]) == {}
            assert await each.deliveries.deliver_once() == 0
            await each.worker.work_once()


async def test_the_stores_of_a_server_share_the_model(settings: Settings, east_url: str) -> None:
    async with built(settings, f"east={east_url}") as (app, _):
        assert app.others["east"].embeddings.model is app.embeddings.model


@pytest.mark.parametrize(
    ("away", "status", "reported"),
    [
        (set[str](), 200, {"status": "ok", "stores": {"home": "ok", "east": "ok"}}),
        ({"east"}, 200, {"status": "degraded", "stores": {"home": "ok", "east": "unavailable"}}),
        ({HOME_STORE}, 503, {"status": "unavailable", "stores": {"home": "unavailable", "east": "ok"}}),
    ],
    ids=["none", "one", "home"],
)
async def test_readiness_names_the_stores_that_are_away(
    settings: Settings, east_url: str, away: set[str], status: int, reported: JsonObject
) -> None:
    nowhere = f"postgresql://nobody@127.0.0.1:{free_port()}/none"
    if HOME_STORE in away:
        settings = settings.model_copy(update={"database_url": SecretStr(nowhere)})
    url = nowhere if "east" in away else east_url
    async with contextlib.AsyncExitStack() as stack:
        app, spread = await stack.enter_async_context(built(settings, f"east={url}", waits=True))
        web = await stack.enter_async_context(running(await applied(app, spread)))
        answer = await web().get("/readyz")

    assert (answer.status_code, answer.json()) == (status, reported)


async def test_a_store_that_lacks_migrations_keeps_nobody_of_another_from_working_and_comes_back(
    settings: Settings,
    cluster: Cluster,
    owner: OwnerConnection,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vcontract.runtime.store.postgres.awaited_server._RETRY_SECONDS", 0.0)
    there = f"{tenant}.east"
    await owner.execute("insert into vcontract.elsewhere values ($1, 'east', false)", there)
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name}")
    try:
        async with built(settings, f"east={cluster.url(name)}") as (app, _):

            async def stored(by: str) -> str:
                caller = Caller(by, ALL_SCOPES, local=True)
                return (await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)).text

            assert '"success":true' in (await stored(tenant)).replace(" ", "")
            assert '"reason":"unavailable"' in (await stored(there)).replace(" ", "")
            east: OwnerConnection = await asyncpg.connect(cluster.url(name))
            try:
                await migrate(east)
            finally:
                await east.close()
            assert '"success":true' in (await stored(there)).replace(" ", "")
    finally:
        await cluster.drop(name)


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
