"""Rate limits of the served tools: each class has its own number, and no class uses up another's."""

from collections.abc import AsyncIterator

import pytest

from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller, Scope
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

SCOPES: frozenset[Scope] = frozenset({"read", "write"})


@pytest.fixture
async def limited(settings: Settings) -> AsyncIterator[App]:
    """The application with its rate limits."""
    built = await build(settings)
    yield built
    await built.close()


@pytest.mark.parametrize(
    ("tool", "arguments", "rate_class", "limit", "other"),
    [
        ("create_vcon", {}, "create", 50, "get_schema"),
        ("get_vcon", {"uuid": "5"}, "other", 200, "vcon_search"),
        ("vcon_search", {"mode": "keyword"}, "search", 100, "get_schema"),
        ("search_by_tags", {"tags": {}}, "search", 100, "get_all_tags"),
        ("add_dialog", {}, "other", 200, "search_by_tags"),
        ("add_tag", {}, "other", 200, "create_vcon"),
    ],
)
async def test_the_call_after_the_last_allowed_one_is_told_when_to_come_back(
    limited: App, tenant: str, tool: str, arguments: JsonObject, rate_class: str, limit: int, other: str
) -> None:
    caller = Caller(tenant, SCOPES)

    allowed = [await limited.dispatcher.call(tool, arguments, caller) for _ in range(limit)]
    refused = await limited.dispatcher.call(tool, arguments, caller)

    assert all("RATE_LIMIT" not in outcome.text for outcome in allowed)
    document = refused.structured
    code, details = (
        (document["error"]["code"], document["error"]["details"])
        if "ok" in document
        else (document["error_code"], document["details"])
    )
    assert code == "RATE_LIMIT_EXCEEDED"
    assert (details["class"], details["limit"], details["window_seconds"]) == (rate_class, limit, 60)
    assert 0 < details["retry_after_ms"] <= 60_000
    of_another_class = await limited.dispatcher.call(other, {}, caller)
    by_another_tenant = await limited.dispatcher.call(tool, arguments, Caller(f"{tenant}x", SCOPES))
    assert "RATE_LIMIT" not in of_another_class.text + by_another_tenant.text
