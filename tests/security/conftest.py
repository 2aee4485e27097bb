"""Fixtures of the security tests: the application on the real database, called as anybody."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from vcontract.runtime.app import App, build
from vcontract.runtime.context import Caller, Scope
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.settings import Settings

Call = Callable[..., Awaitable[JsonObject]]

ALL_SCOPES: frozenset[Scope] = frozenset({"read", "write", "admin"})


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application on this module's database, without rate limits."""
    built = await build(settings.model_copy(update={"rate_limiting": False}))
    yield built
    await built.close()


@pytest.fixture
def call(app: App, tenant: str) -> Call:
    """Calls a tool as this test's tenant, with all scopes unless others are given."""

    async def call(
        tool: str, /, *, with_scopes: frozenset[Scope] = ALL_SCOPES, **arguments: object
    ) -> JsonObject:
        return (await app.dispatcher.call(tool, dict(arguments), Caller(tenant, with_scopes))).structured

    return call
