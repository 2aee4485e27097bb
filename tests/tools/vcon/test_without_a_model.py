"""While no query can be embedded, every toolset says so to its callers, and the log says it once."""

import logging
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.conftest import ALL_SCOPES
from vcontract.runtime.app import App, build
from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable, UnavailableReason
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.settings import Settings

TOOLSETS = ("contract", "vcon", "memory", "session", "bridge")
SEARCHES: Sequence[tuple[str, JsonObject, str | None]] = (
    ("search_vcons_semantic", {"query": "a late parcel"}, "DATABASE_ERROR"),
    ("search_vcons_hybrid", {"query": "a late parcel"}, "DATABASE_ERROR"),
    ("vcon_search", {"mode": "semantic", "query": "a late parcel"}, "SEMANTIC_UNAVAILABLE"),
    ("memory_search", {"mode": "vector", "query": "a late parcel"}, "SEMANTIC_UNAVAILABLE"),
    ("memory_search", {"mode": "both", "query": "a late parcel"}, None),
    ("session_reflect_on_past", {"query": "a late parcel"}, None),
    ("bridge_search", {"query": "a late parcel"}, None),
)
BEGUN, ENDED = "queries are not embedded for now", "queries are embedded again"


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    given = {"toolsets": TOOLSETS, "rate_limits": None}
    built = await build(settings.model_copy(update=given))
    await built.worker.drain("default")  # makes the space that is searched
    yield built
    await built.close()


async def search_everywhere(app: App, tenant: str) -> list[str | None]:
    """The code of each tool's answer; None for success."""
    caller = Caller(tenant, ALL_SCOPES)
    outcomes = [await app.dispatcher.call(tool, given, caller) for tool, given, _ in SEARCHES]
    return [outcome.structured.get("error_code") or _nested(outcome.structured) for outcome in outcomes]


def _nested(document: JsonObject) -> str | None:
    return members(document.get("error")).get("code")


@pytest.mark.parametrize(
    "failure",
    [
        ModelUnavailable("failed", "/secret/path is gone", "reinstall it"),
        EmbeddingFailed("odd"),
    ],
)
async def test_one_warning_tells_of_many_calls_until_queries_are_embedded_again(
    app: App, tenant: str, failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_: EmbeddingModel, __: str) -> None:
        raise failure

    expected = [code for _, _, code in SEARCHES]
    answers: list[list[str | None]] = []
    with caplog.at_level(logging.INFO, "vcontract"):
        for _ in range(2):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(EmbeddingModel, "embed_query", fail)
                answers += [await search_everywhere(app, tenant) for _ in range(2)]
            answers.append(await search_everywhere(app, tenant))

    working: list[str | None] = [None] * len(SEARCHES)
    assert answers == [expected, expected, working] * 2
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("WARNING", BEGUN),
        ("INFO", ENDED),
    ] * 2
    fields: JsonObject = vars(caplog.records[0])["vcontract_fields"]
    assert fields["reason"] == "failed"
    assert fields["cure"]
    assert "secret" not in str(fields)


async def test_a_model_that_is_being_loaded_is_no_fault(
    app: App, tenant: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason: UnavailableReason = "loading"

    async def load(_: EmbeddingModel, __: str) -> None:
        raise ModelUnavailable(reason, "the model is still being loaded", "try again in some seconds")

    monkeypatch.setattr(EmbeddingModel, "embed_query", load)
    with caplog.at_level(logging.INFO, "vcontract"):
        codes = await search_everywhere(app, tenant)

    assert codes == [code for _, _, code in SEARCHES]
    assert caplog.records == []
