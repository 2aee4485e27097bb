"""Fixtures of the security tests: calls as anybody."""

import pytest

from tests.conftest import ALL_SCOPES, Call
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Caller, Scope
from vcontract.runtime.frame.documents.json import JsonObject


@pytest.fixture
def call(app: App, tenant: str) -> Call:
    """Calls a tool as this test's tenant, with all scopes unless others are given."""

    async def call(
        tool: str, /, *, with_scopes: frozenset[Scope] = ALL_SCOPES, **arguments: object
    ) -> JsonObject:
        return (await app.dispatcher.call(tool, dict(arguments), Caller(tenant, with_scopes))).structured

    return call
