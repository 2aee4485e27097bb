"""Searches that are saved by a name."""

import json
from collections.abc import AsyncIterator
from urllib.parse import quote

import httpx2
import pytest

from tests.pages.test_importing import beginning
from tests.pages.test_page import HOSTILE, REFUND, Elements, change_of, looking, store
from vcontract.runtime.app import App

KETTLE = "/?q=kettle&party=Ann"


@pytest.fixture
async def page(app: App, tenant: str) -> AsyncIterator[httpx2.AsyncClient]:
    await store(app, tenant, REFUND)
    async with beginning(app, tenant) as (client, _):
        yield client


async def sent(page: httpx2.AsyncClient, **fields: str) -> httpx2.Response:
    change = change_of((await page.get(KETTLE)).text)
    return await page.post("/searches", data={"change": change, **fields})


async def test_a_search_is_saved_by_a_name_and_removed(
    page: httpx2.AsyncClient, app: App, tenant: str
) -> None:
    saved = await sent(page, name="Kettles <b>", search=f"{KETTLE}&cursor=x&other=y")
    shown = Elements((await page.get("/")).text)
    (file,) = app.settings.data_dir.glob(f"searches-{tenant}.json")
    held = (json.loads(file.read_text()), file.stat().st_mode & 0o077)
    removed = await sent(page, remove="Kettles <b>", search=KETTLE)
    after = (await page.get("/")).text

    assert (saved.status_code, saved.headers["location"]) == (303, KETTLE)
    assert KETTLE in shown.values("a", "href")
    assert "Kettles <b>" in shown.text
    assert held == ({"Kettles <b>": KETTLE}, 0)
    assert (removed.status_code, "Saved searches" in after) == (303, False)


async def test_only_a_search_of_the_page_is_saved(page: httpx2.AsyncClient) -> None:
    elsewhere = await sent(page, name="a", search="https://evil.example/?q=x")
    unnamed = await sent(page, name=" ", search=KETTLE)
    hostile = await sent(page, name=HOSTILE[:40], search=f"/?q={quote(HOSTILE)}")
    html = (await page.get("/")).text

    assert elsewhere.headers["location"] == "/?q=x"
    assert unnamed.status_code == 400
    assert hostile.status_code == 303
    assert "<script>alert" not in html


@pytest.mark.parametrize("text", ["{", "[]"])
async def test_a_file_that_cannot_be_read_is_not_overwritten(
    page: httpx2.AsyncClient, app: App, tenant: str, text: str
) -> None:
    file = app.settings.data_dir / f"searches-{tenant}.json"
    file.write_text(text)

    saved = await sent(page, name="Kettles", search=KETTLE)
    removed = await sent(page, remove="Kettles", search=KETTLE)

    assert (saved.status_code, removed.status_code) == (400, 400)
    assert "Repair or delete it." in saved.text
    assert file.read_text() == text


async def test_searches_are_not_saved_for_others_than_the_one_who_started_the_page(
    app: App, tenant: str
) -> None:
    await store(app, tenant, REFUND)
    async with looking(app, tenant) as client:
        html = (await client.get(KETTLE)).text
        change = change_of((await client.get(f"/vcon/{REFUND['uuid']}")).text)
        refused = await client.post("/searches", data={"change": change, "name": "a", "search": KETTLE})

    assert "Save this search" not in html
    assert (refused.status_code, "Bookmark" in refused.text) == (404, True)
