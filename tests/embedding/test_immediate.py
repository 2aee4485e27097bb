"""Immediate embedding: what a call writes is found by meaning as soon as the call has ended."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from tests.conftest import PATIENCE, Call
from tests.embedding.conversations import conversation
from tests.embedding.idle import Idle
from tests.waiting import until_told
from vcontract.runtime.app import App, build
from vcontract.runtime.embedding.embedder import EmbeddingFailed
from vcontract.runtime.embedding.windows import Window
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

SAID = "The kettle broke after two days, please send the money back to my card."
MEANT = "refund for a faulty appliance"
TEXT: JsonObject = {"mediatype": "text/plain", "encoding": "none"}
DIALOG: JsonObject = {"type": "text", "start": "2025-10-10T10:00:00Z", "parties": 0, **TEXT}


@pytest.fixture(autouse=True)
def _takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """A busy machine may take longer than a call waits."""
    monkeypatch.setattr("vcontract.runtime.embedding.immediate._SECONDS", PATIENCE)


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """A started application, in which no worker does what a call leaves undone."""
    changed = {"rate_limits": None, "toolsets": ("all",)}
    built = await build(settings.model_copy(update=changed))
    started = replace(built, worker=Idle(built.embeddings, built.database))
    started.start()
    yield started
    await started.close()


async def pending(app: App, tenant: str) -> int:
    async with app.database.reading(tenant) as connection:
        return (await app.embeddings.store.coverage(connection, tenant)).pending


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_vcon", {"vcon_data": conversation(SAID)}),
        ("create_vcon", {"vcon_data": conversation(SAID), "request_key": "one"}),
        (
            "create_vcon_from_template",
            {
                "template_name": "chat_conversation",
                "parties": [{"name": "Ada Lang"}, {"name": "Omar Quist"}],
                "template_params": {"messages": [{"from": 0, "text": SAID}]},
            },
        ),
        ("add_dialog", {"dialog": {**DIALOG, "body": SAID}}),
        (
            "add_analysis",
            {"analysis": {"type": "summary", "vendor": "Acme", "dialog": 0, "body": SAID, **TEXT}},
        ),
        (
            "add_attachment",
            {"attachment": {"purpose": "note", "party": 0, "start": DIALOG["start"], "body": SAID, **TEXT}},
        ),
        ("update_vcon", {"updates": {"subject": SAID}}),
        ("update_dialog", {"index": 0, "dialog": {"body": SAID}}),
        ("redact_vcon", {"rules": ["numbers"]}),
    ],
)
async def test_what_a_call_writes_is_found_by_meaning_when_it_has_ended(
    app: App, call: Call, tenant: str, tool: str, arguments: JsonObject
) -> None:
    if not tool.startswith("create"):
        known = SAID if tool == "redact_vcon" else "Good morning."
        stored = await call("create_vcon", vcon_data=conversation(f"Call +1-555-987-6543. {known}"))
        arguments = {"uuid" if tool == "update_vcon" else "vcon_uuid": stored["uuid"], **arguments}

    written = await call(tool, **arguments)
    found = await call("vcon_search", mode="semantic", query=MEANT)

    assert written["success"], written
    uuid = written.get("uuid") or written["vcon_uuid"]
    assert uuid in {item["id"] for item in found["items"]}
    assert "vectors_pending" not in {hint["reason"] for hint in found["meta"].get("hints", [])}


async def test_a_large_conversation_is_left_to_the_worker_and_searches_say_so(
    app: App, call: Call, tenant: str
) -> None:
    small = await call("create_vcon", vcon_data=conversation(SAID))

    large = await call("create_vcon", vcon_data=conversation(*(f"Turn {n}." for n in range(3_000))))
    found = await call("vcon_search", mode="semantic", query=MEANT)

    assert large["success"]
    assert [item["id"] for item in found["items"]] == [small["uuid"]]
    assert "vectors_pending" in {hint["reason"] for hint in found["meta"]["hints"]}
    assert await pending(app, tenant) == 3_000


async def test_an_embedder_that_fails_does_not_fail_the_write(
    app: App, call: Call, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def fail(windows: object) -> None:
        raise EmbeddingFailed("no vectors today")

    with monkeypatch.context() as patch:
        patch.setattr(app.embeddings.model, "embed_windows", fail)
        written = await call("create_vcon", vcon_data=conversation("The lid of the pot is cracked."))

    assert written["success"]
    assert await pending(app, tenant) == 1


async def test_what_takes_too_long_is_embedded_in_the_background_and_later_writes_are_left_to_a_worker(
    app: App, call: Call, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = app.embeddings.model.embed_windows
    has_begun, may_go_on = asyncio.Event(), asyncio.Event()

    async def embed_slowly(windows: Sequence[Window]) -> object:
        has_begun.set()
        await may_go_on.wait()
        return await embed(windows)

    with monkeypatch.context() as patch:
        patch.setattr("vcontract.runtime.embedding.immediate._SECONDS", 0)
        patch.setattr(app.embeddings.model, "embed_windows", embed_slowly)
        first = await call("create_vcon", vcon_data=conversation("The handle came off today."))
        await has_begun.wait()
    second = await call("create_vcon", vcon_data=conversation("The spout leaks a little."))

    assert first["success"]
    assert second["success"]
    assert await pending(app, tenant) == 2
    assert await app.worker.work_once(tenant) == 1  # of the second
    assert await pending(app, tenant) == 1
    may_go_on.set()

    async def is_done() -> bool:
        return await pending(app, tenant) == 0

    await until_told(is_done)


async def test_no_worker_takes_what_a_call_is_embedding(
    app: App, call: Call, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = app.embeddings.model.embed_windows
    taken_meanwhile: list[int] = []

    async def embed_beside_a_worker(windows: Sequence[Window]) -> object:
        taken_meanwhile.append(await app.worker.work_once(tenant))
        return await embed(windows)

    monkeypatch.setattr(app.embeddings.model, "embed_windows", embed_beside_a_worker)
    await call("create_vcon", vcon_data=conversation("The lamp flickers at night."))

    assert taken_meanwhile == [0]
    assert await pending(app, tenant) == 0


async def test_a_refused_write_leaves_nothing_to_embed(app: App, call: Call, tenant: str) -> None:
    stored = await call("create_vcon", vcon_data=conversation("Good morning."))

    refused = await call(
        "add_dialog", vcon_uuid=stored["uuid"], dialog={**DIALOG, "parties": 7, "body": SAID}
    )

    assert not refused["success"]
    assert await pending(app, tenant) == 0
