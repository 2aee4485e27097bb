"""Several conversations at once on the page: tagged, exported, redacted and deleted after a look."""

import json
import re
from collections.abc import AsyncIterator
from html import unescape

import httpx2
import pytest

from tests.pages.test_page import Elements, call, change_of, looking, store
from vcontract.runtime.app import App, build
from vcontract.runtime.settings import Settings

CALLS = [call(number, f"Card 4111 1111 1111 1111, turn {number}.") for number in (1, 2, 3)]
CALLS[0]["created_at"] = CALLS[0]["dialog"][0]["start"]  # began_at is then absent
IDS = [each["uuid"] for each in CALLS]


@pytest.fixture
async def page(settings: Settings, tenant: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that was let in, and three conversations."""
    app = await build(settings.model_copy(update={"toolsets": ("all",)}))
    await store(app, tenant, *CALLS)
    async with looking(app, tenant) as client:
        yield client
    await app.close()


async def changed(page: httpx2.AsyncClient, act: str, *ids: str, **fields: str) -> httpx2.Response:
    change = change_of((await page.get(f"/manage?id={IDS[0]}")).text)
    return await page.post("/manage", data={"change": change, "act": act, "ids": ",".join(ids), **fields})


async def test_results_are_selected_and_shown_before_anything_is_done(page: httpx2.AsyncClient) -> None:
    found = Elements((await page.get("/")).text)
    shown = (await page.get("/manage", params={"id": [*IDS[:2], "no id", IDS[0]]})).text
    none = (await page.get("/manage")).text

    boxes = [each for tag, each in found.found if tag == "input" and each.get("form") == "manage"]
    assert sorted(str(each["value"]) for each in boxes) == IDS
    assert ("2 conversations" in shown, "Nothing is selected." in none) == (True, True)


async def test_tags_are_set_and_removed_on_many(page: httpx2.AsyncClient) -> None:
    tagged = await changed(page, "tag", *IDS[:2], key="mood", value="glad")
    found = (await page.get("/?tag=mood%3Dglad")).text
    untagged = await changed(page, "untag", *IDS, key="mood")
    left = (await page.get("/?tag=mood%3Dglad")).text

    assert "Tagged 2 conversations." in tagged.text
    assert "Removed the tag of 3 conversations." in untagged.text
    assert [html.count('class="pick"') for html in (found, left)] == [2, 0]


async def test_a_change_of_tags_is_undone(page: httpx2.AsyncClient) -> None:
    await changed(page, "tag", IDS[0], key="mood", value='glad "<b>')
    tagged = await changed(page, "tag", *IDS[:2], key="mood", value="sad")
    before = unescape(re.findall(r'name="before" value="([^"]*)"', tagged.text)[0])
    undone = await changed(page, "undo", *IDS[:2], key="mood", before=before)
    left = [(await page.get("/", params={"tag": f"mood={value}"})).text for value in ("sad", 'glad "<b>')]
    forged = await changed(page, "undo", *IDS, key="mood", before="no JSON")

    assert "Undone: the tags are as they were." in undone.text
    assert [html.count('class="pick"') for html in left] == [0, 1]
    assert (forged.status_code, "cannot be read" in forged.text) == (400, True)


async def test_nothing_is_deleted_before_it_is_confirmed(page: httpx2.AsyncClient) -> None:
    unsure = await changed(page, "delete", IDS[0])
    before = (await page.get("/")).text
    sure = await changed(page, "delete", IDS[0], sure="on")
    after = (await page.get("/")).text
    forged = await page.post("/manage", data={"act": "delete", "ids": IDS[1], "sure": "on"})

    assert (unsure.status_code, "Tick the box" in unsure.text) == (400, True)
    assert "Deleted 1 conversation." in sure.text
    assert [html.count('class="pick"') for html in (before, after)] == [3, 2]
    assert forged.status_code == 403


async def test_a_redaction_is_counted_before_it_is_made(page: httpx2.AsyncClient) -> None:
    preview = await changed(page, "redact", *IDS[:2], cards="on")
    before = (await page.get("/")).text
    done = await changed(page, "redact", *IDS[:2], cards="on", sure="on")
    after = (await page.get("/")).text

    assert re.search(r"This would go, nothing was changed: cards? 2\.", preview.text)
    assert re.search(r"the originals stay beside the new versions: cards? 2\.", done.text)
    assert [html.count('class="pick"') for html in (before, after)] == [3, 5]


async def test_a_selection_is_exported(page: httpx2.AsyncClient) -> None:
    lines = await page.get("/manage/export", params={"form": "jsonl", "id": IDS[:2]})
    text = await page.get("/manage/export", params={"form": "markdown", "id": IDS[:2]})
    other = await page.get("/manage/export?form=exe")

    assert [json.loads(line)["uuid"] for line in lines.text.splitlines()] == IDS[:2]
    assert lines.headers["content-disposition"] == 'attachment; filename="conversations.jsonl"'
    assert text.text.count("# Call ") == 2
    assert other.status_code == 404


async def test_who_may_only_read_is_offered_no_change(app: App, tenant: str) -> None:
    await store(app, tenant, CALLS[0])
    async with looking(app, tenant, scopes=frozenset({"read"})) as client:
        html = (await client.get(f"/manage?id={IDS[0]}")).text

    assert "Export" in html
    assert 'method="post"' not in html


async def test_a_page_that_only_reads_shows_nothing_that_writes(settings: Settings, tenant: str) -> None:
    """As `browse --read-only` builds it: no tool that writes, and no machine to import on."""
    writing = await build(settings)
    await store(writing, tenant, CALLS[0])
    await writing.close()
    app = await build(settings.model_copy(update={"toolsets": ("all",), "read_only": True}))
    paths = (
        "/",
        "/?q=card",
        f"/vcon/{IDS[0]}",
        f"/manage?id={IDS[0]}",
        "/store",
        "/store/size",
        "/evidence?q=card",
    )
    async with looking(app, tenant) as client:
        shown = [(await client.get(path)).text for path in paths]
        change = change_of((await client.get("/contract/vcon_search")).text)
        gone = [await client.get(path) for path in ("/import", "/admin", "/contract/add_tag")]
        tagged = await client.post(f"/vcon/{IDS[0]}/tags", data={"change": change, "key": "a", "value": "b"})
        form = {"change": change, "act": "delete", "ids": IDS[0], "sure": "on"}
        deleted = await client.post("/manage", data=form)
        left = (await client.get("/")).text
    await app.close()

    assert [html.count('method="post"') for html in shown] == [0] * len(paths)
    assert all(word not in html for html in shown for word in (">Import</a>", ">Admin</a>"))
    assert [each.status_code for each in gone] == [404, 404, 404]
    assert (tagged.status_code, deleted.status_code) == (403, 403)
    assert left.count('class="pick"') == 1
