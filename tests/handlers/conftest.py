"""Fixtures of the handlers' tests: vCons that are stored for a test."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from vcontract.runtime.app import App
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.ingest.origin import Origin, RawDocument
from vcontract.runtime.ingest.preparing import Ready, prepare_document
from vcontract.runtime.store.preparation import Knowledge
from vcontract.runtime.store.vcons import VconStore

Call = Callable[..., Awaitable[JsonObject]]
Create = Callable[..., Awaitable[str]]


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
        ready = prepare_document(raw, Knowledge.load(), datetime.now(UTC))
        assert isinstance(ready, Ready), ready
        (outcome,) = await VconStore(app.database).insert_batch(tenant, [ready.vcon])
        assert outcome.action == "created"
        return str(outcome.uuid)

    return create_signed
