"""The conserver's modules: as the conserver loads and calls them, on a server in this process."""

import asyncio
import importlib
import inspect
import io
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from email.message import Message
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import Call
from tests.house import ROOT
from tests.web import HERE, Bearers, applied, running
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

UUID = "01900000-0000-8000-8000-000000000001"
VCON: JsonObject = {
    "vcon": "0.3.0",
    "uuid": UUID,
    "created_at": "2025-10-14T10:30:00Z",
    "parties": [{"name": "Ann"}],
    "dialog": [],
    "analysis": [],
    "attachments": [{"purpose": "tags", "encoding": "json", "body": '["team:north"]'}],
}


class Vcon(dict[str, Any]):
    """What the conserver's own library makes of a document."""

    def to_dict(self) -> JsonObject:
        return dict(self)


class Redis(dict[str, JsonObject]):
    """The conserver's vCons, as its `VconRedis` gives them."""

    def get_vcon(self, vcon_id: str) -> Vcon | None:
        return Vcon(self[vcon_id]) if vcon_id in self else None


@pytest.fixture
def redis() -> Redis:
    return Redis({UUID: VCON})


@pytest.fixture(params=["lib.vcon_redis", "server.lib.vcon_redis"])
def load(
    request: pytest.FixtureRequest, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], ModuleType]:
    """Imports a module by the name that the configuration has, where the conserver has its own modules."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "integrations" / "conserver"), *sys.path])
    double = ModuleType(request.param)
    vars(double)["VconRedis"] = lambda: redis
    package, _, _ = request.param.rpartition(".")
    names = ["server", "server.lib", "lib"] if package == "server.lib" else ["lib"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, request.param, double)
    for name in ("", ".client", ".storage", ".link"):
        monkeypatch.delitem(sys.modules, f"vcontract_conserver{name}", raising=False)

    return importlib.import_module


@pytest.fixture
async def lost(
    app: App, settings: Settings, owner: OwnerConnection, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[BaseException]]:
    """The network leads to this process; what is put here is raised in the place of answers."""
    token = await Bearers(owner).make(tenant, "read", "write")
    failures: list[BaseException] = []
    here = asyncio.get_running_loop()
    async with running(await applied(app, settings)) as web, web() as client:

        def urlopen(request: urllib.request.Request, timeout: float) -> io.BytesIO:
            assert isinstance(request.data, bytes)
            sending = client.post(
                request.full_url, content=request.data, headers=dict(request.header_items())
            )
            answer = asyncio.run_coroutine_threadsafe(sending, here).result(timeout)
            if failures:
                raise failures.pop()
            content = io.BytesIO(answer.content)
            if answer.status_code != 200:
                raise urllib.error.HTTPError(request.full_url, answer.status_code, "", Message(), content)
            return content

        monkeypatch.setattr(urllib.request, "urlopen", urlopen)
        monkeypatch.setattr("time.sleep", float)  # it waits for nothing
        monkeypatch.setenv("VCONTRACT_TOKEN", token)
        yield failures


OPTIONS = {"url": HERE}


def test_the_modules_have_what_the_conserver_asks_of_them(load: Callable[[str], ModuleType]) -> None:
    storage, link = load("vcontract_conserver.storage"), load("vcontract_conserver.link")

    for module, functions, count in ((storage, ("save", "get", "delete"), 2), (link, ("run",), 3)):
        assert isinstance(module.default_options, dict)
        for name in functions:
            assert len(inspect.signature(getattr(module, name)).parameters) == count


@pytest.mark.usefixtures("lost")
async def test_a_vcon_is_saved_brought_up_to_date_read_and_deleted(
    load: Callable[[str], ModuleType], redis: Redis, call: Call
) -> None:
    storage = load("vcontract_conserver.storage")

    await asyncio.to_thread(storage.save, UUID, OPTIONS)
    before = await asyncio.to_thread(storage.get, UUID, OPTIONS)
    analysis = {"type": "summary", "vendor": "x", "encoding": "none", "body": "They talk."}
    tags = {"purpose": "tags", "encoding": "json", "body": '["team:south", "level:2"]'}
    redis[UUID] = {**VCON, "analysis": [analysis], "attachments": [tags]}
    await asyncio.to_thread(storage.save, UUID, OPTIONS)
    after = await asyncio.to_thread(storage.get, UUID, OPTIONS)
    known = (await call("get_all_tags", vcon_uuid=UUID))["tags"]
    deleted = [await asyncio.to_thread(storage.delete, UUID, OPTIONS) for _ in range(2)]

    assert before == VCON
    assert after["analysis"] == [analysis]
    assert known == {"team": "south", "level": "2"}
    assert deleted == [True, False]
    assert await asyncio.to_thread(storage.get, UUID, OPTIONS) is None


async def test_a_link_goes_on_and_ends_the_chain_of_what_is_known_where_it_is_told_to(
    load: Callable[[str], ModuleType], lost: list[BaseException]
) -> None:
    link = load("vcontract_conserver.link")
    lost.append(ConnectionResetError("the answer was lost"))  # and is asked for again
    options = {**OPTIONS, "stop_known": True}

    went = [await asyncio.to_thread(link.run, UUID, "keep", given) for given in (options, options, OPTIONS)]

    assert went == [UUID, None, UUID]


async def test_what_cannot_be_saved_raises_in_the_words_of_the_server(
    load: Callable[[str], ModuleType],
    lost: list[BaseException],
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage = load("vcontract_conserver.storage")

    async def refused(uuid: str, options: JsonObject) -> str:
        with pytest.raises(load("vcontract_conserver.client").NotDone) as raised:
            await asyncio.to_thread(storage.save, uuid, options)
        return str(raised.value)

    redis["bad"] = {"uuid": "bad", "parties": []}
    assert "has no vCon unknown" in await refused("unknown", OPTIONS)
    assert "http:// or https://" in await refused(UUID, {"url": "vcontract"})
    assert "create_vcon" in await refused("bad", OPTIONS)
    lost.extend(TimeoutError("too slow") for _ in range(4))
    assert "does not answer" in await refused(UUID, OPTIONS)
    monkeypatch.setenv("VCONTRACT_TOKEN", "wrong")
    assert "Invalid token." in await refused(UUID, OPTIONS)
