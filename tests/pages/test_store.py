"""The page of the store: when conversations were, what they have, and what occurs together."""

import re
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import httpx2
import pytest

from tests.pages.test_page import HOSTILE, Elements, call, looking, store
from vcontract.handlers.contract.meaning_map import plane
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.sources import Origin, Problem
from vcontract.runtime.imports.summary import Summary
from vcontract.runtime.pages.time_spans import Window, step_for
from vcontract.runtime.store.queries import query
from vcontract.runtime.store.vcons.audit import IMPORT_REPORT, record


def at(number: int, began_at: str) -> JsonObject:
    """A call that began then and was written down at another time."""
    vcon = call(number, "Hello.")
    return {**vcon, "dialog": [{**turn, "start": began_at} for turn in vcon["dialog"]]}


async def test_conversations_are_counted_by_day_week_and_month_and_by_hour_of_the_week(
    app: App, tenant: str
) -> None:
    days = (
        "2024-02-26T23:30:00-02:00",
        "2024-02-28T10:00:00Z",
        "2024-02-28T10:59:59Z",
        "2024-03-05T00:00:00Z",
    )
    await store(app, tenant, *(at(number, day) for number, day in enumerate(days, 1)))

    async with looking(app, tenant) as client:
        by_default = (await client.get("/store")).text
        seen = {step: (await client.get(f"/store?by={step}")).text for step in ("day", "week", "month")}
        (link,) = re.findall(r'<li><a href="([^"]+)">2024-02-28</a>', seen["day"])
        found = (await client.get(link.replace("&amp;", "&"))).text

    assert _listed(by_default) == _listed(seen["day"])
    assert _listed(seen["day"]) == {"2024-02-27": 1, "2024-02-28": 2, "2024-03-05": 1}
    assert _listed(seen["week"]) == {"2024-02-26": 3, "2024-03-04": 1}
    assert _listed(seen["month"]) == {"2024-02": 3, "2024-03": 1}
    assert "2 of 2 conversations" in found
    assert "<title>Wed 10: 2</title>" in seen["day"]
    assert "<title>Tue 01: 1</title>" in seen["day"]
    assert "<title>Tue 00: 1</title>" in seen["day"]


def _listed(html: str) -> dict[str, int]:
    spans = re.findall(r">([\d-]+)</a> <span class=\"count\">([\d,]+)</span></li>", html)
    return {name: int(count) for name, count in spans}


async def test_what_does_not_fit_is_shown_by_going_to_earlier_and_later_days(app: App, tenant: str) -> None:
    await store(
        app,
        tenant,
        at(1, "1990-01-01T00:00:00Z"),
        at(2, "2024-03-05T00:00:00Z"),
        at(3, "2024-01-01T00:00:00Z"),
    )
    seen: list[dict[str, int]] = []

    async with looking(app, tenant) as client:
        path, html = "/store?by=day", ""
        for _ in range(2):
            html = (await client.get(path)).text
            seen.append(_listed(html))
            (path,) = re.findall(r'rel="prev" href="([^"]+)"', html)
            path = path.replace("&amp;", "&")
        back = re.findall(r'rel="next" href="([^"]+)"', html)
        beyond = await client.get("/store?by=day&until=9999-12-31")
        nonsense = await client.get("/store?by=day&until=yesterday")

    assert seen == [{"2024-01-01": 1, "2024-03-05": 1}, {}]
    assert back == ["/store?by=day&amp;until=2024-03-05"]
    assert (beyond.status_code, nonsense.status_code) == (200, 200)
    assert _listed(nonsense.text) == seen[0]


@pytest.mark.parametrize("step", ["day", "week", "month"])
@pytest.mark.parametrize("until", ["0001-01-01", "9999-12-31", "2024-02-29"])
def test_a_window_has_whole_steps_one_after_the_other(step: str, until: str) -> None:
    day = date.fromisoformat(until)
    window = Window.ending(step, day)
    spans = list(window.spans({window.since: 1, day: 2}))

    assert spans[0].since == window.since <= day <= spans[-1].until == window.until
    assert sum(span.count for span in spans) == 3 or window.since == day
    assert all(one.until + timedelta(days=1) == next_.since for one, next_ in pairwise(spans))


@pytest.mark.parametrize(
    ("first", "step"),
    [("2024-03-05", "day"), ("2023-12-05", "day"), ("2023-12-04", "week"), ("1970-01-01", "month")],
)
def test_the_smallest_step_is_chosen_by_which_all_is_shown(first: str, step: str) -> None:
    assert step_for(date.fromisoformat(first), date(2024, 3, 5)) == step


async def test_pairs_that_occur_together_are_a_table_that_leads_to_both(app: App, tenant: str) -> None:
    roles = [{"name": "Ann", "role": "agent"}, {"name": HOSTILE, "role": HOSTILE}]
    noted = [{"type": "note", "vendor": "pen", "body": "Hello.", "encoding": "none"}]
    await store(app, tenant, call(1, "Hello.", parties=roles), call(2, "Hello.", analysis=noted))

    async with looking(app, tenant) as client:
        html = (await client.get("/store/graph")).text

    elements = Elements(html)
    assert "Dialogs text 2Roles agent 22100%" in elements.text
    assert '<a href="/?analysis=note&amp;role=agent">1</a>' in html
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert elements.values("script", "src") == ["/static/page.js"]


async def test_the_graph_of_nobody_is_shown(app: App, tenant: str) -> None:
    async with looking(app, tenant) as client:
        assert "Nothing is stored." in (await client.get("/store/graph")).text


def tagged(number: int, words: str, **tags: str) -> JsonObject:
    return {
        **call(number, words),
        "attachments": [
            {
                "purpose": "tags",
                "start": "2024-01-01T10:00:00Z",
                "party": 0,
                "encoding": "json",
                "body": [f"{key}:{value}" for key, value in tags.items()],
            }
        ],
    }


async def test_a_map_shows_what_means_alike_side_by_side_and_leads_to_it(app: App, tenant: str) -> None:
    dogs = [f"The {kind} barks at the cat and wants to play outside." for kind in ("dog", "puppy", "hound")]
    bills = [f"The {kind} on my bill is wrong, please refund it." for kind in ("amount", "charge", "fee")]
    texts = [*((text, "animals") for text in dogs), *((text, HOSTILE) for text in bills)]
    summed = {"type": "summary", "vendor": "pen", "dialog": 0, "body": "About a dog.", "encoding": "none"}
    first, *others = (tagged(number, text, about=about) for number, (text, about) in enumerate(texts, 1))
    del first["subject"]
    await store(app, tenant, {**first, "analysis": [summed]}, *others)

    async with looking(app, tenant) as client:
        empty = await _map(client)
        await app.worker.drain(tenant)
        html = await _map(client)
    points = re.findall(r'<g class="k(\d)" transform="translate\(([\d.]+)', html)

    assert "No conversation has a vector" in empty
    assert len(points) == 6
    assert "<title>About a dog. (animals)</title>" in html
    sides = {kind: {float(x) > 400 for found, x in points if found == kind} for kind in ("0", "1")}
    assert sorted(map(tuple, sides.values())) == [(False,), (True,)]
    elements = Elements(html)
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]


async def _map(client: httpx2.AsyncClient) -> str:
    """The page of the map once it is made; each request waits for that a while."""
    for _ in range(30):
        html = (await client.get("/store/map")).text
        if "is being made" not in html:
            return html
    raise TimeoutError


def test_the_same_vectors_make_the_same_map() -> None:
    vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    places, explained = plane(vectors)

    assert plane(vectors) == (places, explained)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places)
    assert 0 < explained < 1
    assert plane([]) == ([], 0.0)
    assert plane([[0.5, 0.5]] * 3)[0] == [(0.5, 0.5)] * 3


async def test_an_import_leaves_a_report_of_counts_and_of_what_was_refused(app: App, tenant: str) -> None:
    summary = Summary(files=2, created=1)
    origin = Origin("calls/broken.json")
    summary.refuse((Problem(origin, "malformed_json", f"near {HOSTILE}"),))
    async with app.database.writing(tenant) as connection:
        now = datetime.now(UTC)
        await record(
            connection, tenant, caller="import", action=IMPORT_REPORT, now=now, detail=summary.report()
        )

    async with looking(app, tenant) as client, looking(app, f"{tenant}.other") as other:
        mine = (await client.get("/store/size")).text
        others = (await other.get("/store/size")).text

    assert "malformed_json 1" in mine
    assert "calls/broken.json" in mine
    assert "0 conversations of yours, which take 0 Bytes" in mine
    assert "alert(1)" not in mine
    assert "No import by command is on record." in others
    assert "embedding_task" in mine


async def test_who_may_only_read_sees_no_tables(app: App, tenant: str) -> None:
    async with looking(app, tenant, scopes=frozenset({"read"}), local=False) as client:
        html = (await client.get("/store/size")).text

    assert "Tables" not in html
    assert "Found by meaning" in html


async def test_the_samples_of_a_large_store_are_read_by_index(app: App, tenant: str) -> None:
    sql, *values = query("meaning_sample", tenant=tenant, most=10, passages=32)
    async with app.database.reading(tenant) as connection:
        await connection.execute("set local enable_seqscan = off")
        plan = "\n".join(row[0] for row in await connection.fetch(f"explain {sql}", *values))

    assert "embedding_1_pkey" in plan
    assert plan.count("Limit") == 3
