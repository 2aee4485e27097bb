"""vcon_search by meaning without a model, and when another model takes the place of the first."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.conftest import Call
from tests.embedding.service import running_service
from tests.tools.contract.conftest import Embed, Store
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

CallOf = Callable[[App], Call]

CONVERSATIONS: list[JsonObject] = [
    {"subject": subject, "parties": [{"name": "A"}]}
    for subject in ("A late parcel", "Money back", "An invoice", "A new contract")
]


@pytest.fixture(scope="module")
async def app_without_model(settings: Settings) -> AsyncIterator[App]:
    """The application with no embedding provider."""
    built = await build(settings.model_copy(update={"rate_limits": None, "embedding_provider": "none"}))
    yield built
    await built.close()


@pytest.fixture
def call_of(tenant: str) -> CallOf:
    """Calls of this test's tenant to another application than the usual one."""

    def call_of(app: App) -> Call:
        async def call(tool: str, /, **arguments: object) -> JsonObject:
            outcome = await app.dispatcher.call(tool, arguments, Caller(tenant, app.caller.scopes))
            return outcome.structured

        return call

    return call_of


async def test_without_a_model_meaning_is_unavailable_and_words_are_found(
    app_without_model: App, call_of: CallOf, store: Store, embed: Embed
) -> None:
    await store(CONVERSATIONS)
    await embed()
    call = call_of(app_without_model)

    for mode in ("semantic", "hybrid"):
        refused = await call("vcon_search", mode=mode, query="late parcel")
        assert refused["error"]["code"] == "SEMANTIC_UNAVAILABLE"
        assert refused["error"]["details"] == {
            "reason": "not_configured",
            "retryable": False,
            "suggestion": {"mode": "keyword"},
        }
        followed = await call("vcon_search", query="late parcel", **refused["error"]["details"]["suggestion"])
        assert len(followed["items"]) == 1
    weighed = await call(
        "vcon_search", mode="hybrid", query="late parcel", threshold=0.5, semantic_weight=0.5
    )
    assert weighed["error"]["details"]["suggestion"] == {
        "mode": "keyword",
        "leave_out": ["threshold", "semantic_weight"],
    }
    reported = (await call("vcon_capabilities"))["item"]["embedding"]
    assert (reported["available"], reported["passages"], reported["embedded"]) == (False, 4, 4)


async def test_a_given_vector_needs_no_model(
    app_without_model: App, app: App, call_of: CallOf, store: Store, embed: Embed
) -> None:
    ids = await store(CONVERSATIONS)
    await embed()
    vector = (await app.embeddings.model.embed_query("delayed package"))[0].tolist()
    call = call_of(app_without_model)

    semantic = await call("vcon_search", mode="semantic", embedding=vector, threshold=0.3)
    hybrid = await call("vcon_search", mode="hybrid", query="invoice", embedding=vector)

    assert semantic["items"][0]["id"] == ids[0]
    assert {ids[0], ids[2]} <= {item["id"] for item in hybrid["items"]}


async def test_a_model_that_cannot_be_reached_has_failed_and_its_address_is_not_told(
    settings: Settings, call_of: CallOf
) -> None:
    unreachable = {
        "embedding_provider": "openai",
        "embedding_url": "http://127.0.0.1:9/v1",
        "embedding_model": "small",
    }
    built = await build(settings.model_copy(update={"rate_limits": None, **unreachable}))
    try:
        refused = await call_of(built)("vcon_search", mode="semantic", query="late parcel")
        reported = (await call_of(built)("vcon_capabilities"))["item"]["embedding"]
    finally:
        await built.close()

    assert refused["error"]["code"] == "SEMANTIC_UNAVAILABLE"
    assert refused["error"]["details"]["reason"] == "failed"
    assert "127.0.0.1" not in str(refused)
    assert reported["available"] is False


async def test_a_cursor_does_not_outlive_the_model_that_it_was_made_with(
    settings: Settings, call: Call, call_of: CallOf, store: Store, embed: Embed
) -> None:
    await store(CONVERSATIONS)
    await embed()
    arguments: JsonObject = {"query": "late parcel", "threshold": 0}
    cursors = {
        mode: (await call("vcon_search", mode=mode, **arguments, limit=1))["page"]["next_cursor"]
        for mode in ("semantic", "hybrid")
    }
    of_words = (await call("vcon_search", mode="metadata", limit=1))["page"]["next_cursor"]

    with running_service() as service:
        other = {"embedding_provider": "openai", "embedding_url": service.url, "embedding_model": "small"}
        built = await build(settings.model_copy(update={"rate_limits": None, **other}))
        try:
            while await built.worker.work_once():
                pass
            await built.worker.drain("any")
            answers = {
                mode: await call_of(built)("vcon_search", mode=mode, **arguments, cursor=cursor)
                for mode, cursor in cursors.items()
            }
            goes_on = await call_of(built)("vcon_search", mode="metadata", cursor=of_words)
            length = await call_of(built)("vcon_search", mode="semantic", embedding=[1.0] * 384)
        finally:
            await built.close()

    for answer in answers.values():
        assert answer["error"]["code"] == "CURSOR_INVALID"
        assert answer["error"]["details"] == {"reason": "other_model"}
    assert len(goes_on["items"]) == 3
    # what is expected is what the vectors have that are searched now
    assert (length["error"]["details"]["expected"], length["error"]["details"]["got"]) == (3, 384)
