"""How many statements a search sends, once its process has answered another."""

from collections.abc import AsyncIterator

import pytest

from bench.floor import counted_statements
from bench.subject import Subject
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

TALKS = 40
QUESTION = "When is the invoice for the forklift due?"


def talk(number: int) -> JsonObject:
    said = ["The invoice for the forklift is late.", f"It is due in {number} days.", "Thank you."]
    return {
        "subject": f"Invoice {number}",
        "created_at": f"2025-03-{1 + number % 28:02}T09:00:00Z",
        "parties": [{"name": "Ann"}, {"name": "Bob"}],
        "dialog": [
            {
                "type": "text",
                "start": f"2025-03-{1 + number % 28:02}T09:0{at}:00Z",
                "parties": [at % 2],
                "mediatype": "text/plain",
                "encoding": "none",
                "body": body,
            }
            for at, body in enumerate(said)
        ],
    }


@pytest.fixture(scope="module")
async def subject(settings: Settings) -> AsyncIterator[Subject]:
    app: App = await build(settings.model_copy(update={"pool_size": 1}))
    subject = Subject(settings.data_dir, app)
    for number in range(TALKS):
        await subject.run("create_vcon", {"vcon_data": talk(number)})
    await app.worker.drain(app.caller.tenant)
    yield subject
    await app.close()


@pytest.mark.parametrize(
    ("tool", "arguments", "most"),
    [
        ("vcon_search", {"mode": "keyword", "query": "invoice OR forklift"}, 6),
        ("vcon_search", {"mode": "hybrid", "query": QUESTION}, 6),
        ("vcon_recall", {"query": QUESTION}, 8),
    ],
)
async def test_a_warm_search_sends_few_statements(
    subject: Subject, tool: str, arguments: JsonObject, most: int
) -> None:
    await subject.run(tool, arguments)

    async with counted_statements(subject) as sent:
        await subject.run(tool, arguments)

    assert len(sent) <= most, sent
