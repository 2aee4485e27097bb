"""Fixtures of the contract's tests: the application on the real database, and calls with checked answers.

Every answer of every test here is held against the schema that describe_response_shape publishes for its
tool, and against what an envelope promises.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime

import jsonschema_rs
import pytest

from vcontract.runtime.app import App, build
from vcontract.runtime.context import Caller, Scope
from vcontract.runtime.dispatch import CallOutcome
from vcontract.runtime.documents import JsonObject, parse_json
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.preparation import Knowledge, prepare
from vcontract.runtime.store.vcons import VconStore

Call = Callable[..., Awaitable[JsonObject]]
Ask = Callable[..., Awaitable[CallOutcome]]
CallAs = Callable[[str], Call]
Store = Callable[[Sequence[JsonObject]], Awaitable[list[str]]]
StoreFor = Callable[[str, Sequence[JsonObject]], Awaitable[list[str]]]
Embed = Callable[[], Awaitable[None]]

ALL_SCOPES: frozenset[Scope] = frozenset({"read", "write", "admin"})


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application on this module's database, without rate limits."""
    built = await build(settings.model_copy(update={"rate_limiting": False}))
    yield built
    await built.close()


@pytest.fixture(scope="module")
async def published(app: App) -> dict[str, jsonschema_rs.Draft202012Validator]:
    """By tool, the schema of its response as describe_response_shape gives it."""
    caller = Caller("shapes", ALL_SCOPES)
    validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
    for name in app.catalogue.seen_with(ALL_SCOPES).tools:
        shape = await app.dispatcher.call("describe_response_shape", {"tool_name": name}, caller)
        validators[name] = jsonschema_rs.Draft202012Validator(shape.structured["item"]["schema"])
    return validators


@pytest.fixture
def ask(app: App, tenant: str, published: dict[str, jsonschema_rs.Draft202012Validator]) -> Ask:
    """Calls a tool and gives the whole outcome, checked."""

    async def ask(tool: str, /, *, as_tenant: str = tenant, **arguments: object) -> CallOutcome:
        outcome = await app.dispatcher.call(tool, dict(arguments), Caller(as_tenant, ALL_SCOPES))
        violations = [error.message for error in published[tool].iter_errors(outcome.structured)]
        assert violations == []
        assert parse_json(outcome.text) == outcome.structured
        succeeded = outcome.structured.get("ok", outcome.structured.get("success"))
        assert outcome.is_error is not succeeded
        return outcome

    return ask


@pytest.fixture
def call(ask: Ask) -> Call:
    """Calls a tool as this test's tenant and gives the answer as an object."""

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        return (await ask(tool, **arguments)).structured

    return call


@pytest.fixture
def call_as(ask: Ask) -> CallAs:
    """Calls as another tenant."""

    def as_tenant(tenant: str) -> Call:
        async def call(tool: str, /, **arguments: object) -> JsonObject:
            return (await ask(tool, as_tenant=tenant, **arguments)).structured

        return call

    return as_tenant


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge.load()


@pytest.fixture(scope="module")
def store_for(app: App, knowledge: Knowledge) -> StoreFor:
    """Stores vCons for a tenant as the importer does, and gives their uuids in that order."""
    vcons = VconStore(app.database)

    async def store_for(tenant: str, documents: Sequence[JsonObject]) -> list[str]:
        now = datetime.now(UTC)
        prepared = [prepare(document, knowledge, now=now) for document in documents]
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
