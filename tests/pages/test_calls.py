"""The view of calls: each answer with its figures, and each figure leads to the conversations behind it."""

import re
from collections.abc import Sequence
from html import unescape

import httpx2

from tests.pages.test_page import HOSTILE, call, looking, store
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

WEEK = "since=2025-03-03&until=2025-03-09"


def on(number: int, day: str, agent: str, caller: str, *said: str) -> JsonObject:
    found = call(
        number,
        *said,
        parties=[
            {"name": agent, "role": "agent"},
            {"name": caller, "role": "customer", "tel": f"+1{sum(map(ord, caller)):010}"},
        ],
    )
    for dialog in found["dialog"]:
        dialog["start"] = f"{day}T10:00:00Z"
        dialog["duration"] = 90
    return found


UNHEARD = on(6, "2025-03-06", "Bob", "Eve", "")
UNHEARD["dialog"][0] = {
    "type": "recording",
    "start": "2025-03-06T10:00:00Z",
    "duration": 90,
    "parties": [0, 1],
}
CALLS = [
    on(1, "2025-03-03", "Ann", "Carl", "Hello.", "I want to speak to a manager."),
    on(2, "2025-03-05", "Ann", "Carl", "Hello again.", "Speak to a manager, now!"),
    on(3, "2025-03-09", "Bob", HOSTILE, "Hello.", "A manager was here, I heard him speak."),
    on(4, "2025-02-26", "Bob", "Dora", "Hello.", "May I speak to a manager?"),
    on(5, "2025-03-10", "Bob", "Dora", "Hello.", "Thanks."),
    UNHEARD,
]


def rows_of(html: str, heading: str) -> list[Sequence[str]]:
    """The cells of each row of a section's table."""
    section = html.partition(f'<h2 id="{heading}">')[2].partition("</section>")[0].partition("<details>")[0]
    rows = section.partition("<tbody>")[2].split("<tr>")[1:]
    return [
        [unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


async def shown(app: App, tenant: str, client: httpx2.AsyncClient) -> str:
    answer = await client.get(f"/store/calls?{WEEK}&said=speak+to+a+manager&disclosure=hello")
    assert answer.status_code == 200
    return answer.text


async def test_calls_of_a_week_are_counted_and_each_figure_leads_to_them(
    settings: Settings, tenant: str
) -> None:
    app = await build(settings.model_copy(update={"toolsets": ("all",), "rate_limits": None}))
    await store(app, tenant, *CALLS)
    await app.worker.drain(tenant)

    async with looking(app, tenant) as client:
        html = await shown(app, tenant, client)
        last = (await client.get("/store/calls")).text
        figures = {
            unescape(href): int(figure) for href, figure in re.findall(r'<td><a href="([^"]+)">(\d+)<', html)
        }
        found = {href: (await client.get(href)).text.count('class="pick"') for href in figures}
    await app.close()

    assert rows_of(html, "said") == [["speak to a manager", "2", "1", "67%", "1", "0", "2"]]
    assert [row[:6] for row in rows_of(html, "agents")] == [
        ["All agents", "4", "1", "3", "4", "50%"],
        ["Ann", "2", "0", "2", "3", "50%"],
        ["Bob", "2", "1", "1", "1", "50%"],
    ]
    assert rows_of(html, "disclosure") == [["Ann", "2", "0", "0"], ["Bob", "2", "0", "1"]]
    assert [row[:3] for row in rows_of(html, "weeks")[-2:]] == [
        ["2025-W09", "1", "1"],
        ["2025-W10", "4", "2"],
    ]
    assert "In 1 conversations the customer had called within 7 days before. Of 0" in html
    assert ">Carl</bdi></a>" in html.partition('id="again"')[2]
    assert "<title>2025-03-04: 0</title>" in html
    assert "<title>2025-03-05: 1</title>" in html
    assert len(figures) > 20
    assert found == figures
    assert "From 2025-03-10 to 2025-03-16" in last
    assert HOSTILE not in html


async def test_calls_that_consent_withholds_are_in_no_figure(settings: Settings, tenant: str) -> None:
    app = await build(settings.model_copy(update={"toolsets": ("all",), "rate_limits": None}))
    denied: JsonObject = {
        "type": "consent",
        "start": "2025-01-01T00:00:00Z",
        "party": 1,
        "dialog": 0,
        "expiration": None,
        "consents": [{"purpose": "analysis", "status": "denied"}],
    }
    withheld = [
        on(number, "2025-03-04", "Zelda", "Yves", "Hello.", "May I speak to a manager about the guitar?")
        | {"attachments": [denied]}
        for number in range(11, 15)
    ]
    pages: list[str] = []
    for name, stored in ((tenant, [*CALLS, *withheld]), (f"{tenant}.without", CALLS)):
        await store(app, name, *stored)
        await app.worker.drain(name)
        async with looking(app, name, purposes=frozenset({"analysis"})) as client:
            pages.append((await shown(app, name, client)).partition("<main")[2])
    async with looking(app, tenant) as client:
        whole = await shown(app, tenant, client)
    await app.close()

    assert pages[0] == pages[1] != ""
    assert "Zelda" in whole


async def test_calls_of_an_empty_store_are_none(app: App, tenant: str) -> None:
    async with looking(app, tenant) as client:
        assert "Nothing is stored." in (await client.get("/store/calls")).text
