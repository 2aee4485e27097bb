"""What the page does for the operator of the store: webhooks, tokens, and when it was backed up."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import httpx2
import pytest

from tests.pages.test_importing import beginning
from tests.pages.test_page import HOSTILE, Elements, call, change_of, looking, store
from vcontract.runtime.app import App
from vcontract.runtime.app.web_ui import visitor
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tokens import Tokens
from vcontract.runtime.store.vcons.audit import WHOLE_STORE, record


@pytest.fixture
async def page(app: App, tenant: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with beginning(app, tenant) as (client, _):
        yield client


async def changed(page: httpx2.AsyncClient, act: str, **fields: str) -> httpx2.Response:
    change = change_of((await page.get("/admin")).text)
    return await page.post("/admin", data={"change": change, "act": act, **fields})


def id_in(html: str, act: str) -> str:
    """What the first form that does this would send."""
    found = re.search(rf'name="act" value="{act}"><input type="hidden" name="id" value="(\w+)"', html)
    assert found is not None
    return found[1]


async def test_a_webhook_is_added_with_a_secret_and_removed_once_that_is_confirmed(
    page: httpx2.AsyncClient,
) -> None:
    added = await changed(page, "add-webhook", url="https://hooks.example/a", created="on", deleted="on")
    shown = (await page.get("/admin")).text
    id_ = id_in(shown, "remove-webhook")
    unsure = await changed(page, "remove-webhook", id=id_)
    sure = await changed(page, "remove-webhook", id=id_, sure="on")
    again = await changed(page, "remove-webhook", id=id_, sure="on")

    assert re.search(r"<pre tabindex=\"0\">whsec_\S+</pre>", added.text)
    assert "whsec_" not in shown
    assert "https://hooks.example/acreated, deleted" in Elements(shown).text.replace("\n", "")
    assert (unsure.status_code, "Tick the box" in unsure.text) == (400, True)
    assert f"Removed the webhook {id_}." in sure.text
    assert "hooks.example" not in sure.text
    assert "It was removed already." in again.text


@pytest.mark.parametrize(
    ("act", "fields", "words"),
    [
        ("add-webhook", {"url": "ftp://hooks.example", "created": "on"}, "cannot be used"),
        ("add-webhook", {"url": HOSTILE, "created": "on"}, "cannot be used"),
        ("add-webhook", {"url": "https://hooks.example"}, "A webhook needs an event"),
        ("create-token", {"name": "", "read": "on"}, "A name has 1 to 100 printable characters"),
        ("create-token", {"name": "laptop"}, "A token needs a scope"),
        ("create-token", {"name": "laptop", "read": "on", "days": "soon"}, "is not a duration"),
        ("rename", {}, "There is no change"),
    ],
)
async def test_what_cannot_be_done_is_said_and_nothing_is_made(
    page: httpx2.AsyncClient, act: str, fields: dict[str, str], words: str
) -> None:
    answer = await changed(page, act, **fields)

    assert answer.status_code == 400
    assert words in Elements(answer.text).text
    assert "<script>alert" not in answer.text
    assert 'value="remove-webhook"' not in (await page.get("/admin")).text


async def test_a_token_is_shown_once_lets_a_client_in_and_is_revoked(
    page: httpx2.AsyncClient, app: App, tenant: str
) -> None:
    tokens = Tokens(app.database)
    created = await changed(page, "create-token", name=f"laptop <b> {tenant}", read="on", days="90")
    (token,) = re.findall(r"<pre tabindex=\"0\">(\S+)</pre>", unescape(created.text))
    bearer = (await tokens.bearers([token]))[token]
    shown = (await page.get("/admin")).text
    revoked = await changed(page, "revoke-token", id=bearer.id, sure="on")
    after = await tokens.bearers([token])

    assert (bearer.tenant, {*bearer.scopes}) == (tenant, {"read"})
    assert f"laptop <b> {tenant}" in Elements(shown).text
    assert token not in shown
    assert "Revoked." in revoked.text
    assert after == {}


async def test_the_operator_reads_when_the_store_was_backed_up(
    page: httpx2.AsyncClient, app: App, tenant: str, owner: OwnerConnection
) -> None:
    await store(app, tenant, call(1, "Hello."))
    never = [(await page.get(path)).text for path in ("/store", "/admin")]
    at = datetime(2025, 3, 1, 12, 34, tzinfo=UTC)
    await record(owner, WHOLE_STORE, caller="command:ann", action="backup", now=at)
    then = [(await page.get(path)).text for path in ("/store", "/admin")]

    assert ("none yet" in never[0], "vcontract backup FILE" in never[1]) == (True, True)
    assert ["2025-03-01 12:34" in html for html in then] == [True, True]


async def test_nobody_else_is_shown_what_is_the_operators(app: App, tenant: str) -> None:
    await store(app, tenant, call(1, "Hello."))
    async with looking(app, tenant) as client:
        home, admin, stored = [(await client.get(path)) for path in ("/", "/admin", "/store")]

    assert (home.status_code, admin.status_code, stored.status_code) == (200, 404, 200)
    assert ">Admin</a>" not in home.text
    assert "last backup" not in stored.text
    assert visitor(app, replace(app.caller, tenant=tenant)).answer is None
