"""The answer to a question on the page, shown while a model writes it, each sentence with its sources."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import pytest

from tests.pages.test_page import HERE, HOSTILE, REFUND, Elements, store
from tests.tools.bridge.endpoint import Answer, FakeModel, Raw, Streamed
from vcontract.runtime.app import App
from vcontract.runtime.app.answering import stream_answer
from vcontract.runtime.app.web_ui import answer_writer, visitor
from vcontract.runtime.pages.application import application
from vcontract.runtime.pages.auth import OneVisitor
from vcontract.runtime.settings import Settings

QUESTION = "/evidence?q=who+wants+a+refund+for+the+kettle"
TURN = f"{REFUND['uuid']}#0"
WRITTEN = json.dumps(
    {
        "sentences": [
            {"text": f"Ann wants it. {HOSTILE}", "sources": [TURN, "0199ffff#3"]},
            {"text": "It is blue.", "sources": []},
            {"text": 'It is a "kettle" [sic].', "sources": [REFUND["uuid"], TURN]},
        ]
    }
)


@pytest.fixture
async def model() -> AsyncIterator[FakeModel]:
    fake = FakeModel()
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    async with server:
        yield fake
        fake.gate.set()


@pytest.fixture
async def page(
    app: App, settings: Settings, tenant: str, model: FakeModel
) -> AsyncIterator[httpx2.AsyncClient]:
    """A browser that was let in where a model is set."""
    await store(app, tenant, REFUND)
    caller = replace(app.caller, tenant=tenant)
    llm = {"llm_base_url": f"http://127.0.0.1:{model.port}/v1", "llm_model": "small-model"}
    answer = answer_writer(app, caller, settings.model_copy(update=llm))
    keeper = OneVisitor(replace(visitor(app, caller), answer=answer))
    web = httpx2.ASGITransport(application(keeper, {"127.0.0.1:8000"}.__contains__))
    async with httpx2.AsyncClient(transport=web, base_url=HERE) as client:
        await client.get(f"/enter?token={keeper.token}")
        yield client


async def test_a_sentence_comes_as_soon_as_the_model_has_written_it(model: FakeModel) -> None:
    found = {"items": [{"id": REFUND["uuid"], "turns": [{"turn": 0, "text": "A refund."}]}]}
    end = WRITTEN.index(', {"text": "It is blue')
    model.answers = [Streamed((WRITTEN[:end], *WRITTEN[end:]))]

    sentences = stream_answer(model.settings(), "who?", "A refund.", found)
    first = await anext(sentences)
    was_open = model.gate.is_set()
    model.gate.set()
    rest = [each async for each in sentences]

    assert not was_open
    assert first.text.startswith("Ann wants it.")
    assert [each.sources for each in (first, *rest)] == [(TURN,), (REFUND["uuid"], TURN)]
    assert model.requests[0]["stream"] is True


async def test_an_answer_stands_beside_the_turns_and_leads_to_them(
    page: httpx2.AsyncClient, model: FakeModel
) -> None:
    model.gate.set()
    model.answers = [WRITTEN]
    only_asked = await page.get(QUESTION)
    answered = await page.get(f"{QUESTION}&answer=1")

    assert len(model.requests) == 1
    assert 'aria-labelledby="answer"' not in only_asked.text
    assert "Ask for an answer" in only_asked.text
    shown = Elements(answered.text)
    path = f"/vcon/{REFUND['uuid']}"
    cited = [
        each["href"] for tag, each in shown.found if tag == "a" and "Source" in str(each.get("aria-label"))
    ]
    assert cited == [f"{path}?at=0#dialog-0", path, f"{path}?at=0#dialog-0"]
    assert "It is blue." not in shown.text
    assert 'It is a "kettle" [sic]. 2 1' in " ".join(shown.text.split())
    assert "Written by a language model" in shown.text
    assert "<script>alert" not in answered.text


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('{"sentences": []}', "The conversations found do not answer this."),
        ("The kettle leaks.", "Try again, or use a model that follows a JSON schema."),
        (Raw(401), "did not answer: credentials_refused. Check VCONTRACT_LLM_API_KEY."),
        (Raw(400, json.dumps({"error": {"code": "too_long"}})), "did not answer: too_long. Try again."),
    ],
)
async def test_a_model_without_a_usable_answer_leaves_the_turns_and_says_why(
    page: httpx2.AsyncClient, model: FakeModel, written: Answer, words: str
) -> None:
    model.answers = [written]
    answered = await page.get(f"{QUESTION}&answer=1")

    assert answered.status_code == 200
    assert "I want a refund for the kettle." in answered.text
    assert words in Elements(answered.text).text


async def test_a_model_is_not_asked_where_nothing_was_found(
    page: httpx2.AsyncClient, model: FakeModel
) -> None:
    answered = await page.get("/evidence?q=zeppelin+harpsichord+quarks&answer=1")

    assert "Nothing found that answers it." in answered.text
    assert model.requests == []
