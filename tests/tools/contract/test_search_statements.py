"""How many statements a search, and reading what it found, sends once its process has answered another."""

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
    app: App = await build(settings.model_copy(update={"pool_size": 1, "toolsets": ("all",)}))
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
        ("vcon_search", {"mode": "semantic", "query": QUESTION}, 7),
        ("vcon_recall", {"query": QUESTION, "kinds": ["conversation", "session"]}, 8),
        ("vcon_recall", {"query": QUESTION}, 10),
        ("search_vcons_content", {"query": "invoice forklift"}, 6),
        ("search_vcons_semantic", {"query": QUESTION}, 7),
        ("search_vcons_hybrid", {"query": QUESTION}, 7),
        ("memory_search", {"query": QUESTION}, 8),
        ("reflect_on_past", {"query": QUESTION}, 13),
        ("search_by_concept", {"concept": QUESTION}, 15),
        ("quick_search", {"query": QUESTION}, 13),
        ("get_more_results", {"query": QUESTION}, 7),
        ("search_by_file", {"file_path": "forklift.py"}, 13),
        ("bridge_search", {"query": QUESTION}, 8),
    ],
)
async def test_a_warm_search_sends_few_statements(
    subject: Subject, tool: str, arguments: JsonObject, most: int
) -> None:
    await subject.run(tool, arguments)

    # what is known of the store for some seconds is read again now and then
    fewest = min([await sent_by(subject, tool, arguments) for _ in range(3)], key=len)

    assert len(fewest) <= most, fewest


async def sent_by(subject: Subject, tool: str, arguments: JsonObject) -> list[str]:
    async with counted_statements(subject) as sent:
        await subject.run(tool, arguments)
    return sent


async def test_turns_of_many_vcons_take_as_many_statements_as_those_of_two(subject: Subject) -> None:
    found = await subject.call("vcon_search", {"mode": "metadata", "limit": 20})
    ids = [item["id"] for item in found["items"]]
    sent_for: list[int] = []
    for number in (2, 20):
        few = [{"id": id_[:30], "turns": "0-1"} for id_ in ids[: number // 2]]
        whole = [{"id": id_} for id_ in ids[number // 2 : number]]
        async with counted_statements(subject) as sent:
            answer = await subject.call("vcon_fetch", {"vcons": [*few, *whole]})
        assert len(answer["item"]["others"]) == number - 1
        sent_for.append(len(sent))

    assert sent_for[0] == sent_for[1] <= 6
