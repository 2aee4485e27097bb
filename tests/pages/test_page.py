"""The page: who may look, what it shows and changes, and that nothing in a conversation acts in it."""

import asyncio
import base64
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Final
from urllib.parse import quote

import httpx2
import pytest
from pydantic import SecretStr

from tests.keys import LEAF, RSA_KEY, pem
from vcontract.runtime.app import App, build
from vcontract.runtime.app.http import http_application
from vcontract.runtime.app.web_ui import visitor
from vcontract.runtime.frame.calls.metrics import Metrics
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.application import application
from vcontract.runtime.pages.auth import OneVisitor, Visitor
from vcontract.runtime.pages.speakers import Person
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tokens import make_token

HERE: Final = "http://127.0.0.1:8000"
HOSTILE: Final = (
    "</p></textarea></title><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>"
    "\"'><a href=javascript:alert(4)>x</a> \u202edesrever\u2066 \x1b[31m "
    "<mark onclick=alert(5)>{{ 7 * 7 }}</mark>"
)
STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PNG: Final = base64.urlsafe_b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()

Open = Callable[..., Awaitable[httpx2.AsyncClient]]


def call(number: int, *said: str, **members: object) -> JsonObject:
    return {
        "vcon": "0.4.0",
        "uuid": f"01900000-0000-8000-8000-{number:012}",
        "created_at": f"2024-0{number % 9 + 1}-01T10:00:00Z",
        "subject": f"Call {number}",
        "parties": [{"name": "Ann", "role": "agent"}, {"tel": "+4930123456"}],
        "dialog": [
            {
                "type": "text",
                "start": f"2024-01-01T{10 + index // 3_600}:{index // 60 % 60:02}:{index % 60:02}Z",
                "parties": [index % 2],
                "mediatype": "text/plain",
                "body": text,
                "encoding": "none",
            }
            for index, text in enumerate(said)
        ],
        **members,
    }


def attached(mediatype: str, body: str, encoding: str = "base64url") -> JsonObject:
    return {
        "purpose": "picture",
        "start": "2024-01-01T10:00:00Z",
        "party": 0,
        "dialog": 0,
        "mediatype": mediatype,
        "body": body,
        "encoding": encoding,
    }


TRANSCRIPT: Final = {
    "type": "transcript",
    "vendor": "ear",
    "dialog": 0,
    "mediatype": "application/json",
    "encoding": "json",
    "body": [{"speaker": "Ann", "text": "Your refund is on its way.", "start": 61.5}, {"text": "Thank you."}],
}
REFUND = call(1, "I want a refund for the kettle.", "Of course.", analysis=[TRANSCRIPT])
EVIL = call(
    2,
    HOSTILE,
    subject=f"Invoice {HOSTILE}",
    parties=[{"name": HOSTILE, "role": HOSTILE}],
    attachments=[{"purpose": HOSTILE, "type": HOSTILE, "body": HOSTILE, "encoding": "none"}],
    analysis=[{"type": HOSTILE, "vendor": HOSTILE, "body": HOSTILE, "encoding": "none"}],
)


@contextlib.asynccontextmanager
async def looking(app: App, tenant: str, **members: object) -> AsyncGenerator[httpx2.AsyncClient]:
    """A browser that was let in to a tenant's conversations."""
    keeper = OneVisitor(visitor(app, replace(app.caller, tenant=tenant, **members)))  # type: ignore[arg-type]
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        assert (await client.get(f"/enter?token={keeper.token}")).status_code == 200
        yield client


@pytest.fixture
async def page(app: App, tenant: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that was let in, and two conversations."""
    await store(app, tenant, REFUND, EVIL)
    async with looking(app, tenant) as client:
        yield client


async def store(app: App, tenant: str, *vcons: JsonObject) -> None:
    caller, given = replace(app.caller, tenant=tenant), {"validate_before_insert": False}
    for vcon in vcons:
        outcome = await app.dispatcher.call("create_vcon", given | {"vcon_data": vcon}, caller)
        assert not outcome.is_error, outcome.text


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, tag: str, name: str) -> list[str]:
        return [attributes.get(name) or "" for found, attributes in self.found if found == tag]


def change_of(html: str) -> str:
    """What the forms of a page send to show that they are of it."""
    found = re.search(r'name="change" value="(\w+)"', html)
    assert found is not None
    return found[1]


EVERY_PAGE: Final = (
    "/",
    "/?q=refund&mode=keyword",
    f"/vcon/{REFUND['uuid']}",
    f"/vcon/{REFUND['uuid']}/raw",
    f"/vcon/{REFUND['uuid']}/similar",
    f"/manage?id={REFUND['uuid']}",
    "/evidence",
    "/evidence?q=what+about+the+kettle",
    "/journal",
    "/journal/mom_1",
    "/store",
    "/store/calls",
    "/store/graph",
    "/store/map",
    "/store/size",
    "/contract",
    "/contract/vcon_search",
)


@pytest.mark.parametrize("path", EVERY_PAGE)
async def test_nobody_looks_without_the_address(app: App, tenant: str, path: str) -> None:
    await store(app, tenant, REFUND)
    keeper = OneVisitor(visitor(app, replace(app.caller, tenant=tenant)))
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))

    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        bare = await client.get(path)
        guessed = await client.get(path, headers={"cookie": "vcontract=guessed"})
        wrong = await client.get("/enter?token=guessed")

    assert [bare.status_code, guessed.status_code, wrong.status_code] == [403] * 3
    assert "Call 1" not in bare.text + guessed.text
    assert "set-cookie" not in wrong.headers


async def test_the_address_lets_in_one_browser_once(app: App, tenant: str) -> None:
    keeper = OneVisitor(visitor(app, replace(app.caller, tenant=tenant)))
    address = f"/enter?token={keeper.token}"
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))

    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        first = await client.get(address)
        inside = await client.get("/")
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as other:
        second = await other.get(address)

    cookie = first.headers["set-cookie"]
    assert (first.status_code, inside.status_code, second.status_code) == (200, 200, 403)
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert address not in first.text


@pytest.mark.parametrize("path", [*EVERY_PAGE, "/nope", "/static/page.css"])
async def test_every_answer_forbids_the_browser_all_but_the_page_itself(
    page: httpx2.AsyncClient, path: str
) -> None:
    answer = await page.get(path)

    policy = answer.headers["content-security-policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not [rule for rule in policy if "unsafe" in rule or "http" in rule or "*" in rule]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8000"}, 421),
        ({"host": "127.0.0.1:9000"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9000"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": HERE}, 200),
        ({"sec-fetch-site": "cross-site"}, 200),
    ],
)
async def test_a_request_for_another_host_or_from_another_page_is_refused(
    page: httpx2.AsyncClient, headers: dict[str, str], status: int
) -> None:
    answer = await page.get(f"/vcon/{REFUND['uuid']}", headers=headers)
    assert answer.status_code == status
    assert ("kettle" in answer.text) is (status == 200)


@pytest.mark.parametrize(
    ("change", "headers", "status"),
    [
        ("right", {}, 303),
        ("right", {"origin": HERE, "sec-fetch-site": "same-origin"}, 303),
        ("right", {"origin": "http://evil.example"}, 403),
        ("right", {"sec-fetch-site": "same-site"}, 403),
        ("right", {"sec-fetch-site": "cross-site"}, 403),
        ("wrong", {}, 403),
        ("", {}, 403),
    ],
)
async def test_only_a_form_of_the_page_changes_anything(
    page: httpx2.AsyncClient, change: str, headers: dict[str, str], status: int
) -> None:
    path = f"/vcon/{REFUND['uuid']}"
    right = change_of((await page.get(path)).text)
    data = {"key": "colour", "value": "red", "change": right if change == "right" else change}

    answer = await page.post(f"{path}/tags", data=data, headers=headers)

    assert answer.status_code == status
    assert ("colour=red" in (await page.get(path)).text) is (status == 303)


async def test_a_form_that_is_too_large_is_refused(page: httpx2.AsyncClient) -> None:
    answer = await page.post(f"/vcon/{REFUND['uuid']}/tags", content=b"key=" + b"x" * 2_000_000)
    assert answer.status_code == 413


async def test_a_search_shows_the_words_why_and_how_strongly_each_hit_was_found(
    page: httpx2.AsyncClient,
) -> None:
    answer = await page.get("/?q=refund&mode=keyword")

    html = answer.text
    assert "I want a <mark>refund</mark> for the kettle." in html
    assert '<span class="why">matched: words</span>' in html
    assert f'href="/vcon/{REFUND["uuid"]}?at=0#dialog-0"' in html
    assert re.search(
        r'<span class="strength strong" title="Matches far better than chance. Score 0\.\d+', html
    )
    assert "Ann (agent), +4930123456" in Elements(html).text


@pytest.mark.parametrize(
    ("strengths", "weaker"),
    [("strong weak fair weak", 1), ("fair fair fair strong", 0), ("weak weak weak weak", 0)],
)
async def test_weak_matches_after_the_last_better_one_stand_apart(
    app: App, tenant: str, strengths: str, weaker: int
) -> None:
    await store(app, tenant, *(call(number, "A kettle.") for number in range(4)))
    real = visitor(app, replace(app.caller, tenant=tenant))

    async def ask(tool: str, given: JsonObject) -> tuple[JsonObject, bool]:
        answer, is_error = await real.ask(tool, given)
        if tool == "vcon_search":
            for item, strength in zip(answer["items"], strengths.split(), strict=True):
                item["match"]["strength"] = strength
        return answer, is_error

    keeper = OneVisitor(replace(real, ask=ask))
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        await client.get(f"/enter?token={keeper.token}")
        html = (await client.get("/?q=kettle&mode=keyword")).text

    before, _, apart = html.partition("Weaker matches")
    assert (before.count('class="pick"'), apart.count('class="pick"')) == (4 - weaker, weaker)


async def test_the_hits_of_a_conversation_are_marked_there_and_lead_to_one_another(
    app: App, tenant: str
) -> None:
    said = ("A kettle, please.", "Which colour?", "Any kettle that whistles.")
    await store(app, tenant, call(3, *said))

    async with looking(app, tenant) as client:
        found = (await client.get("/?q=kettle&mode=keyword")).text
        leads = re.findall(r'<a href="(/vcon/[^"]+#dialog-\d)"><time>', found)
        first = (await client.get(unescape(leads[0]))).text
        after = re.search(r'class="hit-after" href="([^"]+)"', first)
        assert after is not None
        last = (await client.get(unescape(after[1]))).text

    assert re.findall(r'class="turn hit" id="dialog-(\d)"', first) == ["0", "2"]
    assert ("Hit 1 of 2" in first, "hit-before" in first) == (True, False)
    assert ("Hit 2 of 2" in last, "hit-before" in last, "hit-after" in last) == (True, True, False)


async def test_words_sought_in_a_conversation_are_marked_and_lead_to_one_another(
    app: App, tenant: str
) -> None:
    said = ("A Kettle & a <pan>.", "Which <b>kettle</b>?", "This one.")
    await store(app, tenant, call(3, *said))
    path = f"/vcon/{call(3)['uuid']}"

    async with looking(app, tenant) as client:
        led = await client.get(f"{path}?find=kettle")
        first = (await client.get(led.headers["location"])).text
        none = (await client.get(f"{path}?find=zeppelin")).text
        ends = (await client.get(f"{path}?find=%3Cb%3E&at=1")).text

    assert led.headers["location"] == f"{path}?at=0&find=kettle#dialog-0"
    assert "A <mark>Kettle</mark> &amp; a &lt;pan&gt;." in first
    assert f'class="hit-after" href="{path}?at=1&amp;find=kettle#dialog-1"' in first
    assert "Which <mark>&lt;b&gt;</mark>kettle" in ends
    assert "No turn says this." in none
    assert Elements(first).values("a", "class").count("c7 hit") == 0
    assert len(re.findall(r'<a class="c\d hit" href="[^"]+#dialog-\d" title="Turn \d: ', first)) == 2


async def test_a_conversation_is_copied_as_text_markdown_and_vcon(page: httpx2.AsyncClient) -> None:
    path = f"/vcon/{REFUND['uuid']}"
    links = Elements((await page.get(path)).text).values("a", "href")
    copies = {form: await page.get(f"{path}/as/{form}") for form in ("text", "markdown", "vcon", "pdf")}

    assert {f"{path}/as/text", f"{path}/as/markdown", f"{path}/as/vcon"} <= set(links)
    assert [each.status_code for each in copies.values()] == [200, 200, 200, 404]
    assert "Ann 2024-01-01T10:00:00Z\nI want a refund for the kettle." in copies["text"].text
    assert "I want a refund for the kettle." in copies["markdown"].text
    assert json.loads(copies["vcon"].text)["uuid"] == REFUND["uuid"]
    assert {each.headers["content-type"] for each in list(copies.values())[:3]} == {
        "text/plain; charset=utf-8"
    }
    assert HOSTILE not in (await page.get(f"/vcon/{EVIL['uuid']}/as/text")).text


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Dolores Whitfield", "DW"), ("中村健二", "中"), ("Ann (agent)", "AA"), ("+4930123456", "#")],
)
def test_who_speaks_has_initials_and_the_same_colour_everywhere(name: str, initials: str) -> None:
    person = Person.of(name)

    assert person.initials == initials
    assert person == Person.of(name)


async def test_a_hit_is_called_by_the_type_of_its_analysis_or_the_purpose_of_its_attachment(
    app: App, tenant: str
) -> None:
    summary = {"type": "summary", "vendor": "ear", "body": "About a kettle.", "encoding": "none"}
    note = {
        **attached("text/plain", "Another one of copper, kettle number two.", "none"),
        "purpose": "<b>note",
    }
    await store(app, tenant, call(5, "Hello.", analysis=[summary], attachments=[note]))

    async with looking(app, tenant) as client:
        html = (await client.get("/?q=kettle&mode=keyword")).text

    path = f"/vcon/{call(5)['uuid']}"
    assert f'<a href="{path}#analysis-0"><span class="where">summary</span></a>' in html
    assert f'<a href="{path}#attachments-0"><span class="where">&lt;b&gt;note</span></a>' in html


async def test_without_words_the_newest_come_first_page_by_page(app: App, tenant: str) -> None:
    await store(app, tenant, *(call(number, "Hello.") for number in range(1, 46)))

    seen: list[str] = []
    async with looking(app, tenant) as client:
        path = "/"
        while path:
            html = (await client.get(path)).text
            seen += re.findall(r'<h2><a href="/vcon/([\w-]+)"', html)
            found = re.search(r'<a class="next" rel="next" href="([^"]+)"', html)
            path = found[1].replace("&amp;", "&") if found else ""

    assert len(seen) == len(set(seen)) == 45


async def test_chips_know_the_values_and_counts_of_what_was_found_and_narrow_it(
    app: App, tenant: str
) -> None:
    await store(app, tenant, *(call(number, "A kettle.") for number in range(1, 5)), call(6, "A pan."))
    caller = replace(app.caller, tenant=tenant)
    for number in (1, 2):
        tag = {"vcon_uuid": call(number)["uuid"], "key": "city", "value": "Oslo & <b>"}
        await app.dispatcher.call("add_tag", tag, caller)

    async with looking(app, tenant) as client:
        found = (await client.get("/?q=kettle&mode=keyword")).text
        chip = re.search(
            r'<a class="facet" href="([^"]+)"><bdi>city=Oslo &amp; &lt;b&gt;</bdi> <span class="count">2<',
            found,
        )
        assert chip is not None
        narrowed = (await client.get(chip[1].replace("&amp;", "&"))).text
        off = re.search(r'<a class="chip on" href="([^"]+)"', narrowed)
        assert off is not None
        whole = (await client.get(off[1].replace("&amp;", "&"))).text

    assert [html.count("<h2><a href=") for html in (found, narrowed, whole)] == [4, 2, 4]


async def test_conversations_are_filtered_by_what_was_said_by_whom_and_when(app: App, tenant: str) -> None:
    recorded = "This call is recorded."
    unheard = {"type": "recording", "start": "2024-01-01T10:00:00Z", "duration": 60, "parties": [0, 1]}
    said = (call(1, recorded, "Fine."), call(2, "Hello.", recorded), call(3, "Hello.", "Fine."))
    await store(app, tenant, *said, call(4, dialog=[unheard]))

    async with looking(app, tenant) as client:

        async def found(address: str) -> tuple[str, set[str]]:
            html = (await client.get(address)).text
            return html, {*re.findall(r'<h2><a href="[^"]+" dir="auto">(?:<mark>)?(Call \d)', html)}

        by_agent = "said=call+is+recorded&said_role=agent&said_first=1"
        html, subjects = await found(f"/?{by_agent}")
        assert subjects == {"Call 1"}
        assert "1 more conversation is left out: words, times or roles are unknown." in html
        assert (await found(f"/?not_{by_agent}"))[1] == {"Call 2", "Call 3"}
        assert (await found("/?said=recorded&said=hello&said_name=ann&said_last=30"))[1] == {
            *("Call 1", "Call 2", "Call 3")
        }
        chips = re.findall(r'<a class="chip on" href="([^"]+)" title="[^"]+"><bdi>([^<]+)', html)
        assert [label for _, label in chips] == [
            "said call is recorded",
            "by role agent",
            "in the first seconds: 1",
        ]
        assert chips[0][0] == "/", "who said it when is gone with the phrase"
        assert '<input type="hidden" name="said" value="call is recorded">' in html
        assert 'name="said_first" type="number" min="0" step="any" inputmode="decimal" value="1"' in html

        for address, problem in (
            ("/?said_role=agent", "Who says something and when need a phrase."),
            ("/?said=x&said_last=soon", "&#39;soon&#39; is not a number of seconds."),
            ("/?said=x&said_role=agent&said_name=Ann", "give one of them"),
        ):
            answer = await client.get(address)
            assert (answer.status_code, problem in answer.text) == (400, True), answer.text


async def test_results_are_asked_for_without_the_counts_that_take_longer(page: httpx2.AsyncClient) -> None:
    def reported(html: str) -> list[bool]:
        words = ('class="facet"', "I want a <mark>refund</mark>", "<bdi>party Ann</bdi>")
        return [each in html for each in words]

    path = "/?q=refund&mode=keyword&party=Ann"
    parts = ("", "results", "facets")
    seen = [reported((await page.get(path, headers={"x-vcontract-part": part})).text) for part in parts]

    assert seen == [[True, True, True], [False, True, True], [True, False, True]]


async def test_a_dealer_is_chosen_by_name_and_asked_for_by_id(app: App, tenant: str) -> None:
    def of_dealer(number: int, id_: int, name: str) -> JsonObject:
        body = json.dumps({"dealerId": id_, "dealerName": name})
        return call(
            number,
            "A kettle.",
            attachments=[{"purpose": "bria_call_ended", "body": body, "encoding": "json"}],
        )

    others = [of_dealer(3, 816, "South"), call(4, "Another one.")]
    await store(app, tenant, of_dealer(1, 815, "North & Co"), of_dealer(2, 815, "North & Co"), *others)

    async with looking(app, tenant) as client:
        found = (await client.get("/")).text
        chip = re.search(
            r'<a class="facet" href="([^"]+)"><bdi>North &amp; Co</bdi> <span class="count">2<', found
        )
        assert chip is not None
        narrowed = (await client.get(chip[1])).text
        none = (await client.get(f"{chip[1]}&q=weather&mode=keyword")).text
        drawn = (await client.get("/store")).text

    assert chip[1] == "/?dealer=815"
    assert [html.count("<h2><a href=") for html in (found, narrowed, none)] == [4, 2, 0]
    assert "<bdi>dealer North &amp; Co</bdi>" in narrowed
    assert '<input type="hidden" name="dealer" value="815">' in narrowed
    assert "<bdi>dealer 815</bdi>" in none
    assert 'href="/?dealer=816"' in drawn


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?q=the+of+and&mode=keyword", "Search for &#34;the of and&#34;"),
        ("?tag=nonsense", "write key=value"),
        ("?since=yesterday", "is not a date"),
        ("?cursor=x", "cursor"),
        ("?q=zeppelin&mode=keyword", "Nothing found."),
        ("?q=zeppelin&mode=keyword", "No conversation contains &#34;zeppelin&#34;."),
        ("?q=zeppelin&mode=keyword", '<a href="/?q=zeppelin">search by meaning as well</a>'),
        ("?q=zeppelin&mode=keyword&party=Ann", '<a href="/?q=zeppelin">search without filters</a>'),
    ],
)
async def test_what_cannot_be_searched_is_told_in_words(
    page: httpx2.AsyncClient, query: str, words: str
) -> None:
    assert words in (await page.get(f"/{query}")).text


async def test_a_conversation_shows_turns_by_speaker_and_transcripts_apart(page: httpx2.AsyncClient) -> None:
    html = (await page.get(f"/vcon/{REFUND['uuid']}")).text

    text = " ".join(Elements(html).text.split())
    assert "Monday, 1 January 2024 A Ann 10:00:00 turn 0 I want a refund for the kettle." in text
    assert "# +4930123456 10:00:01 turn 1 Of course." in text
    reported = "A transcript with 1 speaker. Of dialog 0"
    assert f"Analysis 0: transcript by ear {reported} A Ann 01:01 turn 0 Your refund is on its way." in text
    assert 'id="dialog-1"' in html
    assert f'href="/vcon/{REFUND["uuid"]}/similar"' in html


async def test_an_axis_shows_who_speaks_when_silence_and_overlap(app: App, tenant: str) -> None:
    turns = [("Ann", 0, 10), ("Bo", 5, 20), ("Ann", 90, 100)]
    body = [{"speaker": who, "text": "Yes.", "start": start, "end": end} for who, start, end in turns]
    vcon = call(5, "Hello.", analysis=[TRANSCRIPT | {"body": body}])
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    assert 'aria-label="Who speaks when, over 2 min"' in html
    bars = re.findall(r'<rect class="bar" x="(\d+)" y="(\d+)" width="(\d+)"', html)
    assert bars == [("0", "0", "80"), ("720", "0", "80"), ("40", "0", "120")]
    assert re.findall(r'<rect class="over" x="(\d+)" y="0" width="(\d+)"', html) == 2 * [("40", "40")]
    assert '<p class="ends"><span>00:00</span><span>01:40</span></p>' in html
    assert "70 s of silence, the longest 70 s; 5 s in which two people speak at the same time" in html
    assert re.findall('<p class="pause">(.*)</p>', html) == [
        "while another speaks, for 5 s",
        "after 70 s of silence",
    ]


async def test_only_words_of_two_people_overlap_and_short_overlaps_get_no_note(app: App, tenant: str) -> None:
    turns = [("Ann", 0, 10), ("Bo", 9, 12), ("Ann", 11, 20), ("Ann", 15, 24), (None, 20, 30), ("Bo", 26, 40)]
    body = [{"speaker": who, "text": "Yes.", "start": start, "end": end} for who, start, end in turns]
    whole = {"type": "recording-set", "start": "2024-05-01T10:00:00Z", "duration": 60, "parties": [0]}
    vcon = call(5, "Hello.", analysis=[TRANSCRIPT | {"body": body}])
    vcon["dialog"] = [whole, {"type": "recording", "start": "2024-05-01T10:00:00Z", "parties": [0, 1]}]
    vcon["analysis"][0]["dialog"] = 1
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    assert re.findall('<p class="pause">(.*)</p>', html) == []
    assert "2 s in which two people speak at the same time" in html


async def test_a_dialog_without_words_is_one_line_above_the_first_turn(app: App, tenant: str) -> None:
    tried = {"type": "incomplete", "disposition": "busy", "start": "2024-05-01T09:00:00Z", "parties": [0]}
    vcon = call(5, "Hello.")
    vcon["dialog"] = [tried, vcon["dialog"][0] | {"start": "2024-05-01T09:00:10Z"}]
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    assert html.count('class="avatar') == 1
    assert html.count('class="day"') == 1
    event = re.search(r'<div class="turn event" id="dialog-0">(.*?)</div>', html, re.DOTALL)
    assert event is not None
    assert " ".join(Elements(event[1]).text.split()) == "09:00:00 Ann: incomplete, busy"


async def test_what_happened_in_a_call_stands_between_its_turns_and_sessions_name_the_silent(
    app: App, tenant: str
) -> None:
    vcon: JsonObject = {**call(5, "Hold on.", "Thank you."), "vcon": "0.5.0"}
    vcon["parties"].append({"name": "Carl <b>"})
    for turn, second in zip(vcon["dialog"], (0, 20), strict=True):
        turn["start"] = f"2024-05-01T09:00:{second:02}Z"
    vcon["sessions"] = [
        {"start": "2024-05-01T09:00:00Z", "parties": [0, 1, 2], "dialog": [0, 1]},
        {"parties": [0], "sessions": [{"session": 0, "type": "breakout"}]},
    ]
    given = [("unhold", 15, 1), ("hold", 5, 1), ("join", 30, 2)]
    vcon["events"] = [
        {"type": kind, "time": f"2024-05-01T09:00:{second:02}Z", "session": 0, "party": party}
        for kind, second, party in given
    ]
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text
        copied = (await client.get(f"/vcon/{vcon['uuid']}/as/text")).text
        older = (await client.get(f"/vcon/{vcon['uuid']}?part=dialog&from=1")).text

    flow = " ".join(Elements(html[html.index('class="flow"') :]).text.split())
    first, held, freed, second, joined = (
        flow.index(each)
        for each in (
            "Hold on.",
            "09:00:05 +4930123456 is put on hold",
            "09:00:15 +4930123456 is taken off hold",
            "Thank you.",
            "09:00:30 Carl <b> joins",
        )
    )
    assert first < held < freed < second < joined
    for shown in ("Session 0", "silent: Carl <b>", "breakout: session 0"):
        assert shown in flow
    assert "(2024-05-01T09:00:05Z +4930123456 is put on hold)" in copied
    assert "is taken off hold" in older
    assert "Hold on." not in Elements(older[older.index('class="flow"') :]).text


async def test_events_without_a_turn_are_shown(app: App, tenant: str) -> None:
    vcon: JsonObject = {**call(5), "vcon": "0.5.0", "sessions": [{"parties": [0]}]}
    vcon["events"] = [{"type": "join", "time": "2024-05-01T09:00:00Z", "session": 0, "party": 0}]
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    assert "Ann joins" in html


async def test_a_summary_is_shown_once_and_its_element_on_request(app: App, tenant: str) -> None:
    summary = {"type": "summary", "vendor": "ear", "dialog": 0, "body": "A kettle.", "encoding": "none"}
    vcon = call(5, "Hello.", analysis=[summary])
    await store(app, tenant, vcon)
    here = f"/vcon/{vcon['uuid']}"

    async with looking(app, tenant) as client:
        html = (await client.get(here)).text
        alone = (await client.get(f"{here}?part=analysis-0")).text

    assert html.count("A kettle.") == 1
    assert f'<a href="{here}?part=analysis-0#analysis-0" dir="auto">summary by ear</a>' in html
    assert 'id="analysis-0"' in alone
    assert alone.count("A kettle.") == 2


async def test_an_analysis_stands_beside_the_turn_that_it_speaks_of(app: App, tenant: str) -> None:
    mood = {"type": "mood", "vendor": "ear", "dialog": [1, 2], "body": "Glad.", "encoding": "none"}
    about_all = {"type": "summary", "vendor": "ear", "body": "A kettle.", "encoding": "none"}
    vcon = call(5, "Hello.", "Hi!", "So?", analysis=[mood, about_all])
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    beside = re.findall(r'id="dialog-(\d)">(?:(?!id="dialog).)*?<aside[^>]*>(.*?)</aside>', html, re.DOTALL)
    assert [(turn, Elements(reported).text.strip()) for turn, reported in beside] == [
        ("1", "mood by ear Glad."),
        ("2", "mood by ear"),
    ]
    assert 'href="/vcon/01900000-0000-8000-8000-000000000005#analysis-0"' in beside[0][1]


async def test_an_agents_edits_are_differences_and_its_files_are_listed(app: App, tenant: str) -> None:
    edit = {"file_path": "a.py", "old_string": "one\n<b>", "new_string": "one\ntwo"}
    entries = [
        {"type": "tool-call", "name": "Edit", "input": edit, "call-id": "1", "exchange": 1},
        {"type": "tool-result", "output": "Done.", "call-id": "1", "exchange": 1},
    ]
    change = {"path": "a.py", "operation": "edit", "edits": 1}
    vcon = call(
        6,
        "Edit it.",
        analysis=[
            {
                "type": "agent_trace",
                "vendor": "x",
                "encoding": "json",
                "body": {"session": {"entries": entries}},
            }
        ],
        attachments=[
            attached("application/json", "", "json") | {"purpose": "agent_file_change", "body": change}
        ],
    )
    vcon["dialog"][0]["meta"] = {"transcript": {"exchange": 1}}
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text

    assert "<span> one</span><del>-&lt;b&gt;</del><ins>+two</ins></pre>" in html
    assert '<span class="count">+1 −1</span>' in html
    assert "a.py edit where" in " ".join(Elements(html).text.split())


async def test_versions_of_a_conversation_lead_to_each_other(app: App, tenant: str) -> None:
    first, redacted, amended, lost = (call(number, "Hi.") for number in range(1, 5))
    redacted["redacted"] = {"uuid": first["uuid"], "type": "privacy"}
    amended["amended"] = {"uuid": str(first["uuid"]).upper()}
    elsewhere = call(9)["uuid"]
    lost["amended"] = {"uuid": elsewhere}
    shown = (first, redacted, amended, lost)
    await store(app, tenant, *shown)

    async with looking(app, tenant) as client:
        pages = [Elements((await client.get(f"/vcon/{each['uuid']}")).text) for each in shown]
        found = (await client.get("/")).text

    marks = re.findall(r'<b class="version">(.*?)</b>', found)
    assert sorted(marks) == ["older version", "redacted version"]
    reported = [
        " ".join(page.text.split()).partition("History ")[2].partition("changed")[0] for page in pages
    ]
    assert reported[0] == "amended in2024-04-01 Call 3redacted in2024-03-01 Call 2"
    assert reported[1:3] == ["redacted from2024-02-01 Call 1", "amends2024-02-01 Call 1"]
    assert reported[3] == f"amends{elsewhere}, which is not here"
    for page in pages[1:3]:
        assert f"/vcon/{first['uuid']}" in page.values("a", "href")
    assert f"/vcon/{elsewhere}" not in pages[3].values("a", "href")


async def test_a_signed_conversation_says_who_vouches_for_it(settings: Settings, tenant: str) -> None:
    given = {"toolsets": ("contract", "vcon", "vcon_more"), "signing_key": SecretStr(pem(RSA_KEY, LEAF))}
    app = await build(settings.model_copy(update=given))
    vcon = call(1, "Hi.")
    await store(app, tenant, vcon)
    signed = await app.dispatcher.call(
        "sign_vcon", {"vcon_uuid": vcon["uuid"]}, replace(app.caller, tenant=tenant)
    )

    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{vcon['uuid']}")).text
    await app.close()

    assert not signed.is_error, signed.text
    assert "<dt>signed</dt><dd>Nothing that is trusted here vouches for it. Only its tags can change" in html


async def test_who_took_part_stands_for_a_subject(app: App, tenant: str) -> None:
    vcon = call(1, "Hi.", subject=None)
    await store(app, tenant, {name: value for name, value in vcon.items() if value is not None})

    async with looking(app, tenant) as client:
        listed, shown = [(await client.get(path)).text for path in ("/", f"/vcon/{vcon['uuid']}")]

    assert re.findall('<h2 class="untitled"><a[^>]*>(.*)</a></h2>', listed) == ["Hi."]
    assert '<p class="people"><bdi>Ann, +4930123456</bdi></p>' in listed
    assert '<h1 dir="auto">Ann (agent), +4930123456</h1>' in shown


async def test_ten_thousand_turns_come_page_by_page(app: App, tenant: str) -> None:
    long = call(3, *(f"Turn {number}." for number in range(10_000)))
    await store(app, tenant, long)
    path = f"/vcon/{long['uuid']}"

    async with looking(app, tenant) as client:
        first = (await client.get(path)).text
        later = (await client.get(f"{path}?part=dialog&from=9900")).text
        beyond = (await client.get(f"{path}?part=dialog&from=99999999")).text
        found = (await client.get(f"{path}?at=5000")).text

    assert first.count('class="turn') == 100
    assert f'href="{path}?part=dialog&amp;from=100#dialog"' in first
    assert later.count('class="turn') == 100
    assert "Turn 9999." in later
    assert f'href="{path}?part=dialog&amp;from=9700#dialog"' in later
    assert "Turn 9999." in beyond
    assert 'id="dialog-5000"' in found
    assert len(first) < 60_000


async def test_a_conversation_too_large_for_one_answer_is_shown_in_pieces(app: App, tenant: str) -> None:
    large = call(
        3,
        *(f"Turn {number}." for number in range(650)),
        attachments=[attached("image/png", "A" * 10_500_000)],
        analysis=[{"type": "mood", "vendor": "ear", "dialog": 601, "body": "Glad.", "encoding": "none"}],
    )
    await store(app, tenant, large)
    path = f"/vcon/{large['uuid']}"

    async with looking(app, tenant) as client:
        first = (await client.get(path)).text
        (following,) = re.findall(r'<a href="([^"]+)" rel="next" class="next">Further', first)
        second = (await client.get(following.replace("&amp;", "&"))).text
        around = (await client.get(f"{path}?at=601")).text
        beyond = (await client.get(f"{path}?piece=dialog&element=999999")).text

    assert "dialog 0 to 99 of 650" in first
    assert "Turn 99." in first
    assert "<img" not in first
    assert len(first) < 100_000
    assert "dialog 100 to 199 of 650" in second
    assert 'id="dialog-100"' in second
    assert 'id="dialog-601"' in around
    assert "Glad." in around
    assert "Turn 0." not in beyond


async def test_tags_are_set_and_removed(page: httpx2.AsyncClient) -> None:
    path = f"/vcon/{REFUND['uuid']}"
    change = change_of((await page.get(path)).text)

    await page.post(f"{path}/tags", data={"key": "mood", "value": HOSTILE, "change": change})
    tagged = (await page.get(path)).text
    refused = await page.post(f"{path}/tags", data={"key": "a:b", "value": "c", "change": change})
    removal = await page.post(f"{path}/tags", data={"remove": "mood", "change": change})
    untagged = (await page.get(path)).text
    offered = Elements((await page.get(removal.headers["location"])).text)
    undo = next(str(each["value"]) for _, each in offered.found if each.get("name") == "undo")
    await page.post(f"{path}/tags", data={"undo": undo, "change": change})
    restored = (await page.get("/", params={"tag": f"mood={HOSTILE}"})).text
    undone = (await page.get(removal.headers["location"])).text

    assert "mood=&lt;/p&gt;" in tagged
    assert refused.status_code == 400
    assert 'class="problem" role="alert"' in refused.text
    assert "mood=" not in untagged
    assert restored.count('class="pick"') == 1
    assert "mood=&lt;/p&gt;" in undone
    assert "Undo" not in undone


async def test_who_may_not_write_is_shown_no_form_and_changes_nothing(app: App, tenant: str) -> None:
    await store(app, tenant, REFUND)
    path = f"/vcon/{REFUND['uuid']}"

    async with looking(app, tenant, scopes=frozenset({"read"})) as client:
        html = (await client.get(path)).text
        form = (await client.get("/contract/vcon_search")).text
        refused = await client.post(
            f"{path}/tags", data={"key": "a", "value": "b", "change": change_of(form)}
        )
        unseen = await client.get("/contract/delete_vcon")

    assert 'method="post"' not in html
    assert refused.status_code == 403
    assert unseen.status_code == 404


@pytest.mark.parametrize(
    ("attachment", "shown"),
    [
        (attached("image/png", PNG), "img"),
        (attached("audio/wav; codec=1", PNG), "audio"),
        (attached("video/mp4", PNG), "video"),
        (attached("image/svg+xml", PNG), ""),
        (attached("text/html", PNG), ""),
        (attached('image/png"onerror=alert(1)', PNG), ""),
        (attached("image/png", "javascript:alert(1)", "none"), ""),
        ({**attached("image/png", ""), "url": "https://evil.example/pixel.png"}, ""),
    ],
    ids=["png", "wav", "mp4", "svg", "html", "forged", "no base64", "elsewhere"],
)
async def test_images_and_recordings_show_when_they_are_inline_and_harmless(
    app: App, tenant: str, attachment: JsonObject, shown: str
) -> None:
    vcon = call(4, "See.", attachments=[attachment])
    await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        elements = Elements((await client.get(f"/vcon/{vcon['uuid']}")).text)

    sources = [(tag, source) for tag in ("img", "audio", "video") for source in elements.values(tag, "src")]
    assert [tag for tag, _ in sources] == ([shown] if shown else [])
    assert all(
        source.startswith(f"data:{attachment['mediatype'].partition(';')[0]};base64,")
        for _, source in sources
    )


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?q=invoice&mode=keyword",
        f"/vcon/{EVIL['uuid']}",
        f"/vcon/{EVIL['uuid']}/raw",
        "/store",
        f"/?q={quote(HOSTILE)}",
        f"/evidence?q={quote(HOSTILE)}",
        "/evidence?q=invoice",
        "/?tag=<script>alert(1)</script>",
        "/?party=<script>alert(1)</script>=b",
        "/contract/<script>alert(1)</script>",
    ],
    ids=[
        "newest",
        "search",
        "conversation",
        "raw",
        "store",
        "words",
        "question",
        "asked",
        "tag",
        "party",
        "tool",
    ],
)
async def test_nothing_in_a_conversation_or_an_address_acts_in_the_page(
    page: httpx2.AsyncClient, path: str
) -> None:
    html = (await page.get(path)).text

    elements = Elements(html)
    names = {name for _, attributes in elements.found for name in attributes}
    assert elements.values("script", "src") == ["/static/page.js"]
    assert [name for name in names if name.startswith("on") or name == "style"] == []
    links = elements.values("a", "href") + elements.values("form", "action") + elements.values("link", "href")
    icon = next(each["href"] for tag, each in elements.found if tag == "link" and each.get("rel") == "icon")
    assert (icon or "").startswith("data:image/svg+xml,%3Csvg ")
    assert [link for link in links if not link.startswith(("/", "#", "?")) and link != icon] == []
    assert [
        tag for tag, _ in elements.found if tag in ("iframe", "object", "embed", "base", "img", "style")
    ] == []
    assert STEERING.findall(html) == []
    assert "49</mark>" not in html


async def test_a_vcon_is_shown_as_it_is_stored_with_what_does_not_conform(page: httpx2.AsyncClient) -> None:
    html = (await page.get(f"/vcon/{EVIL['uuid']}/raw")).text
    text = Elements(html).text
    assert '"uuid": "01900000-0000-8000-8000-000000000002"' in text
    assert "$.attachments[0]" in text


async def test_a_question_is_answered_by_turns_that_link_to_where_they_were_said(
    page: httpx2.AsyncClient,
) -> None:
    form = await page.get("/evidence")
    answered = await page.get("/evidence?q=who+wants+a+refund+for+the+kettle")

    assert (form.status_code, answered.status_code) == (200, 200)
    assert re.search('aria-current="page"><svg.*?</svg>Evidence</a>', form.text)
    assert "<li>" not in form.text
    shown = Elements(answered.text)
    turn = f"/vcon/{REFUND['uuid']}?at=0#dialog-0"
    assert turn in shown.values("a", "href")
    assert "I want a refund for the kettle." in shown.text
    assert "An answer is likely here." in shown.text
    there = Elements((await page.get(turn)).text)
    assert "dialog-0" in there.values("div", "id")
    assert "I want a refund for the kettle." in there.text
    assert 'placeholder="For example: ' in form.text


async def test_a_question_about_what_nobody_said_is_told_so(page: httpx2.AsyncClient) -> None:
    answered = await page.get("/evidence?q=zeppelin+harpsichord+quarks+on+2+March")

    text = Elements(answered.text).text
    assert "Nothing found that answers it." in text
    assert "Said nowhere: zeppelin, harpsichord, quarks" in text
    assert "Preferred what was said on: 2 March." in text


async def test_the_pages_of_a_question_show_each_turn_once(app: App, tenant: str) -> None:
    await store(
        app,
        tenant,
        call(5, *(f"The kettle number {number} leaks. {'It drips. ' * 30}" for number in range(40))),
    )
    seen: list[str] = []
    async with looking(app, tenant) as client:
        href = "/evidence?q=which+kettle+leaks"
        for _ in range(20):
            html = (await client.get(href)).text
            seen += re.findall(r"kettle number (\d+) leaks", html)
            following = re.search(r'rel="next" href="([^"]+)"', html)
            if following is None:
                break
            href = following[1].replace("&amp;", "&")
        else:
            pytest.fail("the pages have no end")
        nothing = (await client.get("/evidence?q=zeppelin+harpsichord+quarks")).text

    assert "Nothing found that answers it." in nothing
    assert 'rel="next"' not in nothing
    assert len(seen) == len(set(seen)) > 10


async def test_a_question_that_the_tool_refuses_is_shown_with_its_reason(page: httpx2.AsyncClient) -> None:
    refused = await page.get("/evidence?q=kettle&page=0")
    words = await page.get("/evidence?q=%3F%21")

    assert (refused.status_code, words.status_code) == (400, 400)
    assert 'role="alert"' in refused.text
    assert 'role="alert"' in words.text


@pytest.mark.parametrize("kind", ["reflection", "journal"])
async def test_evidence_of_other_kinds_links_to_its_own_page_or_to_none(
    settings: Settings, tenant: str, kind: str
) -> None:
    app = await build(settings.model_copy(update={"toolsets": ("all",), "rate_limits": None}))
    try:
        caller = replace(app.caller, tenant=tenant)
        made = {
            "reflection": ("store_reflection", {"content": "Kettles leak at the seam."}),
            "journal": (
                "bridge_capture",
                {
                    "content": "I hear the kettle leak.",
                    "experiencer": "Mira",
                    "perspective": "I",
                    "processing": "during",
                },
            ),
        }
        tool, arguments = made[kind]
        answer = (await app.dispatcher.call(tool, arguments, caller)).structured
        async with looking(app, tenant) as client:
            shown = Elements((await client.get("/evidence?q=kettle+leak")).text)
    finally:
        await app.close()

    links = [href for href in shown.values("a", "href") if href.startswith(("/vcon/", "/journal/"))]
    expected = f"/journal/{answer['record']['id']}" if kind == "journal" else None
    assert set(links) == ({expected} if expected else set())
    assert "leak" in shown.text


async def test_an_empty_journal_says_so_and_how_it_is_filled(settings: Settings, tenant: str) -> None:
    # given
    app = await build(settings.model_copy(update={"toolsets": ("contract", "vcon", "bridge")}))
    # when
    async with looking(app, tenant) as client:
        listed = Elements((await client.get("/journal")).text).text
        searched = Elements((await client.get("/journal?q=cold+sea")).text).text
    await app.close()
    # then
    assert "The journal is empty. Agents add records with bridge_capture." in listed
    assert "Nothing found." not in listed
    assert "Nothing found." in searched


async def test_a_journal_shows_scenes_moments_and_their_sources(settings: Settings, tenant: str) -> None:
    app = await build(settings.model_copy(update={"toolsets": ("contract", "vcon", "bridge")}))
    caller = replace(app.caller, tenant=tenant)

    async def made(tool: str, **given: object) -> str:
        answer = (await app.dispatcher.call(tool, given, caller)).structured
        assert answer["success"], answer
        return str(answer["record"]["id"])

    who = {"experiencer": "Mira", "perspective": "I", "processing": "during"}
    seen = {"emoji": "🌊", "shot": "crossing-threshold"}
    quality = {"type": "embodied", "manifestation": "Toes hold on."}
    sources = [
        await made("bridge_capture", content=text, **who)
        for text in ("The sea is <b>cold</b>.", HOSTILE.replace("\x1b", ""))
    ]
    moment = await made("bridge_frame", sourceIds=sources, summary="Cold", qualities=[quality], **seen)
    scene = await made("bridge_weave", momentIds=[moment], summary="A swim", narrative="In, and out.", **seen)

    async with looking(app, tenant) as client:
        listed = (await client.get("/journal")).text
        narrowed = (await client.get("/journal?type=source&experiencer=Mira")).text
        found = (await client.get("/journal?q=cold+sea")).text
        refused = await client.get("/journal?type=nonsense")
        shown = Elements((await client.get(f"/journal/{scene}")).text)
        source = (await client.get(f"/journal/{sources[0]}")).text
        unknown = await client.get("/journal/mom_00000000000000000000000000")
        no_id = await client.get("/journal/src_nope")
    await app.close()

    assert re.findall('href="/journal/([a-z]+)_', listed) == ["sce", "mom", "src", "src"]
    assert re.search('<bdi>source</bdi> <span class="count">2<', listed)
    assert re.findall('href="/journal/([a-z]+)_', narrowed) == ["src", "src"]
    assert "The sea is &lt;b&gt;cold&lt;/b&gt;." in found
    assert (refused.status_code, unknown.status_code, no_id.status_code) == (400, 404, 404)
    assert "crossing threshold; 1 moment</p>" in listed
    text = " ".join(shown.text.split())
    for each in (
        "A swim",
        "In, and out.",
        "Cold",
        "Toes hold on.",
        "The sea is <b>cold</b>.",
        "onerror=alert(2)",
    ):
        assert each in text
    assert f'href="/journal/{moment}"' in source
    assert [tag for tag, _ in shown.found if tag in ("img", "b", "iframe")] == []


async def test_who_may_not_read_the_journal_is_not_led_there() -> None:
    async def ask(tool: str, arguments: JsonObject) -> tuple[JsonObject, bool]:
        raise AssertionError(tool)

    async def read(resource: str, parameters: Mapping[str, str]) -> JsonObject:
        raise AssertionError(resource)

    keeper = OneVisitor(Visitor(ask, {}, read))
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        await client.get(f"/enter?token={keeper.token}")
        html = (await client.get("/contract")).text
        refused = await client.get("/journal")

    assert "Journal" not in html
    assert "Your token does not permit bridge_search" in refused.text


async def test_what_is_like_a_conversation_is_searched_by_its_meaning(page: httpx2.AsyncClient) -> None:
    answer = await page.get(f"/vcon/{REFUND['uuid']}/similar")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/?q=")
    assert "mode=semantic" in answer.headers["location"]


async def test_a_conversation_is_not_like_itself(page: httpx2.AsyncClient) -> None:
    def is_among(html: str) -> bool:
        return f'<h2><a href="/vcon/{REFUND["uuid"]}"' in html

    itself = await page.get("/?q=refund&mode=keyword")
    others = await page.get(f"/?q=refund&mode=keyword&like={REFUND['uuid']}")
    redirect = await page.get(f"/vcon/{REFUND['uuid']}/similar")

    assert is_among(itself.text)
    assert not is_among(others.text)
    assert redirect.headers["location"].endswith(f"&like={REFUND['uuid']}")


async def test_the_store_is_counted_and_drawn(page: httpx2.AsyncClient) -> None:
    html = (await page.get("/store")).text
    assert "<dt>conversations</dt><dd>2</dd>" in html
    assert "<title>2024-01-01: 2</title>" in html
    assert 'href="/?analysis=transcript"' in html


async def test_without_words_conversations_are_the_newest_and_cut_filters_say_so(
    app: App, tenant: str
) -> None:
    for number in range(1, 10):
        vcon = call(number, "Hi.")
        vcon["dialog"][0]["start"] = f"2024-0{number}-03T10:00:00Z"
        await store(app, tenant, vcon)

    async with looking(app, tenant) as client:
        bare, asked = [(await client.get(path)).text for path in ("/", "/?q=hi")]

    current = r'<a href="[^"]*" aria-current="true" title="[^"]*">([^<]*)</a>'
    assert re.findall(current, bare) == ["Newest"]
    assert re.findall(current, asked) == ["Best match"]
    assert ">When</h2>" in bare
    assert ">Roles</h2>" in bare


async def test_months_run_from_the_latest_to_the_earliest_without_a_gap(app: App, tenant: str) -> None:
    days = ("2020-02-29", "2023-11-01", "2024-01-31", "2024-01-02")
    for number, day in enumerate(days):
        vcon = call(number, "Hi.")
        vcon["dialog"][0]["start"] = f"{day}T10:00:00Z"
        await store(app, tenant, vcon)
    # more common values than a page lists would displace a month, were they counted together
    crowd = [{"name": f"Person {number}"} for number in range(450)]
    for number in (7, 8):
        await store(app, tenant, call(number, "Hi.", parties=crowd))

    async with looking(app, tenant) as client:
        html = (await client.get("/")).text
        opened = (await client.get("/?since=2020-02-01&until=2020-02-29")).text

    months = html.partition('id="by-month"')[2].partition("</section>")[0]
    rows = re.findall(r'class="facet"[^>]*><span>([^<]*)</span>.*?class="count">(\d+)<', months)
    assert rows == [
        ("2024-01", "4"),
        ("2023-12", "0"),
        ("2023-11", "1"),
        ("2023-10 to 2020-03", "0"),
        ("2020-02", "1"),
    ]
    assert 'href="/?since=2020-02-01&amp;until=2020-02-29"' in months
    assert opened.count("<h2><a href=") == 1


async def test_a_conversation_is_one_line_with_its_first_words_or_its_summary_and_its_turns(
    app: App, tenant: str
) -> None:
    summary = {"type": "summary", "vendor": "ear", "body": "About a kettle.", "encoding": "none"}
    said = ("My toaster burns.", "Which one?", "The red one.")
    await store(
        app, tenant, call(1, *said), call(2, "Hello.", analysis=[summary]), call(3, *said, subject=None)
    )

    async with looking(app, tenant) as client:
        bare, found = [(await client.get(path)).text for path in ("/", "/?q=red&mode=keyword")]

    first = re.findall(r'<p class="first" dir="auto">([^<]+)</p>', bare)
    assert sorted(first) == ["About a kettle.", "My toaster burns."]
    assert re.findall(r'<h2 class="untitled"><a href="/vcon/[^"]+" dir="auto">([^<]+)<', bare) == [
        "My toaster burns."
    ]
    assert sorted(re.findall(r'<span class="count">(\d turns?)</span></p>', bare)) == [
        "1 turn",
        "3 turns",
        "3 turns",
    ]
    assert "<bdi>Ann</bdi>: The <mark>red</mark> one.</a></p>" in found
    assert 'class="untitled"><a href="/vcon/01900000-0000-8000-8000-000000000003?at=2#dialog-2"' in found


async def test_words_are_searched_also_where_the_newest_were_listed(page: httpx2.AsyncClient) -> None:
    listed, found = [(await page.get(path)).text for path in ("/?mode=metadata", "/?mode=metadata&q=refund")]

    tab = r'<a href="([^"]*)"[^>]*>(Best match|All words|Meaning|Newest)</a>'
    assert re.findall(tab, listed) == [("/", "Newest")]
    assert re.findall(tab, found)[-1] == ("/", "Newest")
    assert (listed.count('class="pick"'), found.count("<mark>refund</mark>") > 0) == (2, True)


async def test_the_store_of_nobody_is_shown_and_tells_how_to_begin(app: App, tenant: str) -> None:
    async with looking(app, tenant) as client:
        assert (await client.get("/store")).status_code == 200
        begun = (await client.get("/")).text
    assert "Nothing found." in begun
    assert "No conversation is stored yet. Run <code>vcontract import FILE</code>" in begun


async def test_one_thing_is_not_told_of_as_several(app: App, tenant: str) -> None:
    bare = call(5, analysis=[{"type": "mood"}])
    await store(app, tenant, bare)
    async with looking(app, tenant) as client:
        listed = (await client.get("/")).text
        shown = (await client.get(f"/vcon/{bare['uuid']}")).text
    assert "1 of 1 conversation</p>" in listed
    assert "in 1 place; it is kept as it came. <a" in " ".join(shown.split())
    assert ">Which this is</a>" in shown


async def test_a_conversation_with_nothing_in_it_says_so(app: App, tenant: str) -> None:
    await store(app, tenant, call(5))
    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{call(5)['uuid']}")).text
    assert "This conversation is empty." in html


async def test_a_break_is_told_of_only_between_turns_that_follow_each_other(app: App, tenant: str) -> None:
    hours = {"The last.": 15, "The first.": 10, "The second.": 12}
    body = [{"text": text, "start": f"2024-01-01T{hour}:00:00Z"} for text, hour in hours.items()]
    await store(app, tenant, call(5, "Hello.", analysis=[TRANSCRIPT | {"body": body}]))
    async with looking(app, tenant) as client:
        html = (await client.get(f"/vcon/{call(5)['uuid']}")).text
    assert re.findall(r'<p class="pause">([^<]*)', html) == ["2 h later"]


async def test_every_page_says_of_which_zone_its_times_are(page: httpx2.AsyncClient) -> None:
    texts = [(await page.get(path)).text for path in EVERY_PAGE]
    assert [text for text in texts if text and "Times are in UTC." not in text] == []


async def test_what_is_not_here_leads_back(page: httpx2.AsyncClient) -> None:
    for path in ("/nope", f"/vcon/{call(8)['uuid']}", "/contract/nope"):
        lost = await page.get(path)
        assert (lost.status_code, '<a href="/">Search conversations</a>' in lost.text) == (404, True), path


async def test_a_form_begins_with_values_of_the_types_that_are_asked_for(page: httpx2.AsyncClient) -> None:
    def begun(html: str) -> JsonObject:
        found = re.search(r"<textarea[^>]*>([^<]*)", html)
        assert found is not None
        given: JsonObject = json.loads(found[1].replace("&#34;", '"'))
        return given

    assert begun((await page.get("/contract/create_vcon")).text) == {"vcon_data": {"parties": [{}]}}
    assert begun((await page.get("/contract/vcon_search")).text) == {"mode": "metadata"}
    assert begun((await page.get("/contract/get_database_stats")).text) == {}


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "words"),
    [
        ("vcon_search", '{"mode": "keyword", "query": "refund"}', 200, "&lt;mark&gt;refund&lt;/mark&gt;"),
        ("vcon_fetch", '{"id": "7"}', 200, "INVALID_ARGUMENT"),
        ("vcon_fetch", "{oops", 400, "This is not JSON"),
        ("vcon_fetch", "[]", 400, "no object"),
        ("nope", "{}", 404, "There is no such tool here."),
    ],
)
async def test_a_tool_is_tried_with_a_form(
    page: httpx2.AsyncClient, tool: str, arguments: str, status: int, words: str
) -> None:
    change = change_of((await page.get("/contract/vcon_search")).text)
    answer = await page.post(f"/contract/{tool}", data={"arguments": arguments, "change": change})
    assert answer.status_code == status
    assert words in answer.text


async def test_the_contract_that_is_served_is_shown_with_its_examples_to_be_tried(
    app: App, tenant: str
) -> None:
    async with looking(app, tenant, scopes=frozenset({"read"})) as client:
        listed = Elements((await client.get("/contract")).text)
        reported = (await client.get("/contract/vcon_search")).text
        (first, *_) = re.findall(r'href="(/contract/vcon_search\?example=\d+)#try"', reported)
        begun = (await client.get(first)).text
        beyond = (await client.get("/contract/vcon_search?example=99999")).text

    tools = [href for href in listed.values("a", "href") if href.startswith("/contract/")]
    assert len(tools) == len(visitor(app, replace(app.caller, scopes=frozenset({"read"}))).tools)
    assert "/contract/delete_vcon" not in tools
    for each in ("Resources", "Prompts", "INVALID_ARGUMENT", "tokens"):
        assert each in listed.text
    shown = Elements(reported)
    for each in ("filters.party_name", "items[].id", "Try this one", "Of its answers"):
        assert each in shown.text
    textareas = [re.search(r"<textarea[^>]*>([^<]*)", html) for html in (reported, begun, beyond)]
    values = [found[1] for found in textareas if found]
    assert values[0] == values[2] != values[1]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/vcon/00000000-0000-4000-8000-000000000000", 404),
        ("/vcon/7", 404),
        ("/vcon/00000000-0000-4000-8000-000000000000/raw", 404),
        ("/nope", 404),
        ("/static/../page.css", 404),
        ("/static/%2e%2e/door.py", 404),
    ],
)
async def test_what_is_not_there_is_told(page: httpx2.AsyncClient, path: str, status: int) -> None:
    answer = await page.get(path)
    assert (answer.status_code, "Traceback" in answer.text) == (status, False)


async def test_over_http_the_page_stands_behind_the_tokens(
    app: App, settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    await store(app, tenant, REFUND)
    mine = await make_token(owner, f"{tenant} a", tenant, ("read",), None)
    others = await make_token(owner, f"{tenant} b", f"{tenant}.b", ("read",), None)
    served = http_application(app, settings, "127.0.0.1", Metrics(), asks=True)
    begun, end = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with served.router.lifespan_context(served):
            begun.set()
            await end.wait()

    living = asyncio.create_task(live())
    await begun.wait()
    path = f"/browse/vcon/{REFUND['uuid']}"
    seen: dict[str, httpx2.Response] = {}
    for token in (mine, others, "guessed"):
        web = httpx2.ASGITransport(served)
        async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
            assert (await client.get(path)).status_code == 401
            assert (await client.get(f"/browse/enter?token={token}")).status_code == 401
            entered = await client.post("/browse/enter", data={"token": token})
            assert entered.status_code == (200 if token in (mine, others) else 401)
            seen[token] = await client.get(path)
            elsewhere = await client.get("/browse/", headers={"host": "evil.example"})
            assert elsewhere.status_code == 421
    end.set()
    await living

    assert [seen[token].status_code for token in (mine, others, "guessed")] == [200, 404, 401]
    assert "kettle" in seen[mine].text
    assert 'href="/browse/static/page.css"' in seen[mine].text
    assert 'method="post"' not in seen[mine].text


async def test_the_navigation_leads_only_to_what_the_store_has(app: App, tenant: str) -> None:
    async def names() -> list[str]:
        async with looking(app, tenant) as client:
            html = (await client.get("/contract")).text
        found = re.search(r'<nav aria-label="Views">(.*?)</nav>', html, re.DOTALL)
        assert found is not None
        return re.findall(r"([A-Z]\w+)</a>", found[1])

    empty = await names()
    await store(app, tenant, REFUND)
    some = await names()
    trace: JsonObject = {
        "type": "agent_trace",
        "vendor": "agent",
        "dialog": 0,
        "encoding": "json",
        "body": {},
    }
    await store(app, tenant, call(3, "Fix the kettle.", analysis=[trace]))

    assert empty == ["Tools"]
    assert some == ["Search", "Evidence", "Store", "Tools"]
    assert await names() == ["Search", "Evidence", "Agents", "Store", "Tools"]


async def test_every_page_has_the_search_and_the_vendored_base(page: httpx2.AsyncClient) -> None:
    shown = [Elements((await page.get(path)).text) for path in ("/", "/store", "/contract", "/nope")]
    base = await page.get("/static/base.css")

    assert [each.values("input", "id").count("q") for each in shown] == [1, 1, 1, 1]
    assert {"/static/base.css", "/static/page.css"} <= set(shown[0].values("link", "href"))
    assert "MIT License" in base.text or "Permission is hereby granted" in base.text
