"""The page of the store: when conversations were, what they have, and what occurs together."""

import re
from datetime import date, timedelta
from itertools import pairwise

import pytest

from tests.pages.test_page import HOSTILE, Elements, call, looking, store
from vcontract.runtime.app import App
from vcontract.runtime.pages.spans import Window, step_for


def at(number: int, created_at: str, **members: object) -> dict[str, object]:
    return {**call(number, "Hello."), "created_at": created_at, **members}


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
        at(1, "1970-01-01T00:00:00Z"),
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


async def test_what_occurs_together_is_drawn_and_listed(app: App, tenant: str) -> None:
    roles = [{"name": "Ann", "role": "agent"}, {"name": HOSTILE, "role": HOSTILE}]
    await store(app, tenant, call(1, "Hello.", parties=roles), call(2, "Hello."))

    async with looking(app, tenant) as client:
        html = (await client.get("/store/graph")).text

    elements = Elements(html)
    assert 'aria-label="What occurs together: 3 names, 3 pairs"' in html
    assert "<title>Roles: agent, 2</title>" in html
    assert "Dialogs: textRoles: agent2100%" in elements.text
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert elements.values("script", "src") == ["/static/page.js"]


async def test_the_graph_of_nobody_is_shown(app: App, tenant: str) -> None:
    async with looking(app, tenant) as client:
        assert "Nothing is stored." in (await client.get("/store/graph")).text
