"""What the tests of the HTTP server share."""

from collections.abc import AsyncIterator

import pytest

from tests.web import Bearers, Web, applied, running
from vcontract.runtime.app import App, build
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection


@pytest.fixture
def bearers(owner: OwnerConnection) -> Bearers:
    return Bearers(owner)


@pytest.fixture(scope="module")
async def serving(settings: Settings) -> AsyncIterator[App]:
    app = await build(settings)
    yield app
    await app.close()


@pytest.fixture
async def web(serving: App, settings: Settings, bearers: Bearers) -> AsyncIterator[Web]:
    """Clients of a server that asks for tokens."""
    await bearers.make("somebody")
    async with running(await applied(serving, settings)) as client:
        yield client
