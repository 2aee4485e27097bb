"""First steps on the page: files are sent and imported, clients connected, by the one who started it."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.pages.test_page import HERE, HOSTILE, REFUND, Elements, call, change_of, looking
from vcontract.runtime.app import App
from vcontract.runtime.app.web_ui import visitor
from vcontract.runtime.cli.connecting import accept, offers
from vcontract.runtime.cli.operator_actions import Operator
from vcontract.runtime.pages.application import application
from vcontract.runtime.pages.auth import OneVisitor
from vcontract.runtime.pages.local_machine import Clients, LocalMachine
from vcontract.runtime.pages.onboarding import UploadRejected
from vcontract.runtime.settings import Settings
from vcontract.runtime.settings.variables import Variables

SENT: Final = "/import/files"


def machine_of(app: App, tenant: str) -> LocalMachine:
    operator, none = Operator(app.settings, tenant), Variables.read(None, {})
    clients = Clients(partial(offers, none), partial(accept, none))
    return LocalMachine(tenant, None, clients, operator, app.settings.data_dir, [])


@contextlib.asynccontextmanager
async def beginning(app: App, tenant: str) -> AsyncGenerator[tuple[httpx2.AsyncClient, LocalMachine]]:
    """A browser that was let in, and the machine of the page."""
    machine = machine_of(app, tenant)
    keeper = OneVisitor(visitor(app, replace(app.caller, tenant=tenant)))
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__, machine=machine))
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        await client.get(f"/enter?token={keeper.token}")
        yield client, machine
    await machine.close()


@pytest.fixture(autouse=True)
def _machine(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The commands that the page runs use the database of the tests, and another home."""
    assert settings.database_url is not None
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("VCONTRACT_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("VCONTRACT_EMBEDDING_PROVIDER", "none")
    monkeypatch.setenv("HOME", str(tmp_path))


async def ended(client: httpx2.AsyncClient, machine: LocalMachine) -> str:
    """The page once the import has ended."""
    assert machine.following is not None
    await machine.following
    return (await client.get("/import")).text


async def test_an_empty_store_leads_to_first_steps(app: App, tenant: str) -> None:
    async with beginning(app, tenant) as (client, _):
        led = await client.get("/")
        html = (await client.get("/import")).text
    async with looking(app, tenant) as other:
        stays, refused = await other.get("/"), await other.get("/import")

    assert (led.status_code, led.headers["location"]) == (303, "/import")
    for words in (
        "Begin here",
        "Drop files or folders here",
        "No sessions of a coding agent",
        "Claude Desktop",
    ):
        assert words in html
    assert (stays.status_code, refused.status_code) == (200, 404)
    assert "vcontract import" in stays.text
    assert ">Import</a>" not in stays.text


async def test_files_that_are_sent_are_imported_and_reported(app: App, tenant: str) -> None:
    async with beginning(app, tenant) as (client, machine):
        change = change_of((await client.get("/import")).text)
        headers = {"x-vcontract-change": change}
        names = ("calls/one.json", "../../two.json", "bad.json")
        texts = (
            json.dumps(REFUND),
            json.dumps(call(2, "A pan.")),
            f'{{"vcon": "0.4.0", "subject": "{HOSTILE[:9]}"',
        )
        sent = [
            await client.post(SENT, params={"name": name}, content=text, headers=headers)
            for name, text in zip(names, texts, strict=True)
        ]
        begun = await client.post("/import/begin", data={"change": change, "what": "files"})
        html = await ended(client, machine)
        found = (await client.get("/?q=pan&mode=keyword")).text
        again = await client.post("/import/begin", data={"change": change, "what": "files"})

    assert [each.status_code for each in sent] == [204, 204, 204]
    assert begun.status_code == 303
    shown = " ".join(Elements(html).text.split())
    assert "Not everything came in." in shown
    assert "calls/one.json110" in shown
    assert " two.json110" in shown
    assert "bad.json001is not JSON" in shown
    assert "vcontract-import-" not in html
    assert "Call 2" in found
    assert "No file was sent." in again.text


async def test_only_the_page_sends_files(app: App, tenant: str) -> None:
    async with beginning(app, tenant) as (client, machine):
        change = change_of((await client.get("/import")).text)
        bare = await client.post(f"{SENT}?name=a.json", content=b"{}")
        guessed = await client.post(f"{SENT}?name=a.json", content=b"{}", headers={"x-vcontract-change": "x"})
        given = {"x-vcontract-change": change, "origin": "http://elsewhere.example"}
        other = await client.post(f"{SENT}?name=a.json", content=b"{}", headers=given)
        begun = await client.post("/import/begin", data={"change": change, "what": "files"})

    assert [each.status_code for each in (bare, guessed, other, begun)] == [403, 403, 403, 400]
    assert machine.run is None


@pytest.mark.parametrize("name", ["", "..", "a\x00b", "x" * 300, "a\nb.json"])
async def test_a_file_without_a_proper_name_is_not_kept(app: App, tenant: str, name: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"{}"

    machine = machine_of(app, tenant)
    with pytest.raises(UploadRejected, match="cannot be the name of a file"):
        await machine.put(name, pieces())
    await machine.close()


async def test_a_path_that_is_too_deep_is_refused(app: App, tenant: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"{}"

    machine = machine_of(app, tenant)
    for name in ("sub/" + "d/" * 1_500 + "a.json", "/".join(["d" * 100] * 40)):
        with pytest.raises(UploadRejected, match="is too deep: at most 64 folders"):
            await machine.put(name, pieces())
    await machine.close()


async def test_an_import_is_cancelled_and_only_one_runs_at_a_time(app: App, tenant: str) -> None:
    async with beginning(app, tenant) as (client, _):
        change = change_of((await client.get("/import")).text)
        await client.post("/import/begin", data={"change": change, "what": "examples"})
        running = (await client.get("/import")).text
        second = await client.post("/import/begin", data={"change": change, "what": "examples"})
        await asyncio.gather(client.post("/import/cancel", data={"change": change}))
        html = (await client.get("/import")).text

    assert "data-running" in running
    assert "Importing the example conversations" in running
    assert "An import is running." in second.text
    assert "Cancelled." in html


async def test_a_client_is_connected_once_that_is_confirmed(app: App, tenant: str, tmp_path: Path) -> None:
    file = tmp_path / ".cursor" / "mcp.json"
    async with beginning(app, tenant) as (client, _):
        change = change_of((await client.get("/import")).text)
        form = {"change": change, "client": "cursor"}
        unsure = await client.post("/import/connect", data=form)
        was_there = file.exists()
        sure = await client.post("/import/connect", data=form | {"sure": "on"})
        unknown = await client.post("/import/connect", data=form | {"sure": "on", "client": "<b>"})

    assert (unsure.status_code, was_there, sure.status_code, unknown.status_code) == (400, False, 200, 400)
    assert json.loads(file.read_text())["mcpServers"]["vcontract"]["args"] == ["serve", "--tenant", tenant]
    assert f"Wrote {file}." in sure.text
    assert "&lt;b&gt;" in unknown.text
