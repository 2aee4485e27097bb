"""Fixtures of the contract's tests: vCons that are stored for a test, and calls of other tenants."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime

import pytest

from tests.conftest import Ask, Call
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

CallAs = Callable[[str], Call]
Store = Callable[[Sequence[JsonObject]], Awaitable[list[str]]]
StoreFor = Callable[[str, Sequence[JsonObject]], Awaitable[list[str]]]
Embed = Callable[[], Awaitable[None]]


@pytest.fixture(scope="module")
async def every_toolset(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets, without rate limits."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


@pytest.fixture
def call_as(ask: Ask) -> CallAs:
    """Calls as another tenant."""

    def as_tenant(tenant: str) -> Call:
        async def call(tool: str, /, **arguments: object) -> JsonObject:
            return (await ask(tool, as_tenant=tenant, **arguments)).structured

        return call

    return as_tenant


@pytest.fixture(scope="module")
def prepare_context() -> PrepareContext:
    return PrepareContext.load()


@pytest.fixture(scope="module")
def store_for(app: App, prepare_context: PrepareContext) -> StoreFor:
    """Stores vCons for a tenant as the importer does, and gives their uuids in that order."""
    vcons = VconStore(app.database)

    async def store_for(tenant: str, documents: Sequence[JsonObject]) -> list[str]:
        now = datetime.now(UTC)
        prepared = [prepare(document, prepare_context, now=now) for document in documents]
        outcomes = await vcons.insert_batch(tenant, prepared)
        assert {outcome.action for outcome in outcomes} <= {"created"}
        return [str(outcome.uuid) for outcome in outcomes]

    return store_for


@pytest.fixture
def store(store_for: StoreFor, tenant: str) -> Store:
    """Stores vCons for this test's tenant, whatever their conformance."""

    async def store(documents: Sequence[JsonObject]) -> list[str]:
        return await store_for(tenant, documents)

    return store


@pytest.fixture
def embed(app: App, tenant: str) -> Embed:
    """Lets everything that this test's tenant has stored be found by meaning."""

    async def embed() -> None:
        await app.worker.drain(tenant)

    return embed
