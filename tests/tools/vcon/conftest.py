"""Fixtures of the handlers' tests: vCons that are stored for a test."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime

import pytest
from mcp.client import Client

from tests.conftest import Call
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller, Scope
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.imports.preparing import Ready, prepare_document
from vcontract.runtime.imports.sources import Origin, RawDocument
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

Create = Callable[..., Awaitable[str]]
Connect = Callable[..., AbstractAsyncContextManager[Client]]

READ: frozenset[Scope] = frozenset({"read"})


@pytest.fixture
def create(call: Call) -> Create:
    """Stores a vCon of one party and the given members, whatever its schema says; the uuid."""

    async def create(metadata: JsonObject | None = None, /, **members: object) -> str:
        document: JsonObject = (
            members if "parties" in members else {"parties": [{"name": "James"}], **members}
        )
        beside: JsonObject = {} if metadata is None else {"metadata": metadata}
        answer = await call("create_vcon", vcon_data=document, validate_before_insert=False, **beside)
        assert answer["success"], answer
        return str(answer["uuid"])

    return create


@pytest.fixture
def says(create: Create) -> Create:
    """Stores a vCon of text turns, a turn an argument; the uuid."""

    async def says(*turns: str, **members: object) -> str:
        dialog = [
            {"type": "text", "start": "2025-01-01T00:00:00Z", "parties": 0, "encoding": "none", "body": turn}
            for turn in turns
        ]
        return await create(dialog=dialog, **members)

    return says


@pytest.fixture
def create_signed(app: App, tenant: str) -> Create:
    """Stores a vCon from a signed form, as the importer does; the uuid."""

    async def create_signed(form: JsonObject) -> str:
        raw = RawDocument(Origin("signed.json"), json.dumps(form).encode())
        ready = prepare_document(raw, PrepareContext.load(), datetime.now(UTC))
        assert isinstance(ready, Ready), ready
        (outcome,) = await VconStore(app.database).insert_batch(tenant, [ready.vcon])
        assert outcome.action == "created"
        return str(outcome.uuid)

    return create_signed


@pytest.fixture
def connect(app: App, tenant: str) -> Connect:
    """A client of this test's tenant, or another; with settings, on a server of its own."""

    @asynccontextmanager
    async def connect(
        as_tenant: str = tenant,
        scopes: frozenset[Scope] = READ,
        era: str = "2026-07-28",
        **settings: object,
    ) -> AsyncGenerator[Client]:
        serving = await build(app.settings.model_copy(update=settings)) if settings else app
        caller = Caller(as_tenant, scopes)
        server = build_server(serving.catalogue, serving.dispatcher, caller, resources=serving.resources)
        try:
            async with Client(server, mode=era) as client:
                yield client
        finally:
            if settings:
                await serving.close()

    return connect
