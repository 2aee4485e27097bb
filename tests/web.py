"""Clients of the HTTP server, in the process of the test."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx2
from starlette.applications import Starlette

from vcontract.runtime.app import App
from vcontract.runtime.app.http import http_application
from vcontract.runtime.app.token_requirement import asks_for_tokens
from vcontract.runtime.frame.calls.metrics import Metrics
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tokens import make_token

HERE = "http://127.0.0.1"
Web = Callable[..., httpx2.AsyncClient]


@dataclass(frozen=True, slots=True)
class Bearers:
    """Makes tokens of this module's database."""

    owner: OwnerConnection

    async def make(
        self,
        tenant: str,
        *scopes: str,
        name: str | None = None,
        expires_at: datetime | None = None,
        purposes: Sequence[str] = (),
    ) -> str:
        name = name or f"{tenant} {time.monotonic_ns()}"
        scopes = scopes or ("read", "write", "admin")
        return await make_token(self.owner, name, tenant, scopes, expires_at, purposes)


async def applied(
    app: App,
    settings: Settings,
    host: str = "127.0.0.1",
    metrics: Metrics | None = None,
) -> Starlette:
    asks = await asks_for_tokens(settings, app.database, host)
    return http_application(app, settings, host, metrics or Metrics(), asks)


@contextlib.asynccontextmanager
async def running(application: Starlette) -> AsyncGenerator[Web]:
    """Clients of an application that has begun: in a task of its own, as the protocol's library demands."""
    begun, end = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with application.router.lifespan_context(application):
            begun.set()
            await end.wait()

    living = asyncio.create_task(live())
    await begun.wait()
    transport = httpx2.ASGITransport(application)

    def client(token: str | None = None, **headers: str) -> httpx2.AsyncClient:
        bearer = {} if token is None else {"authorization": f"Bearer {token}"}
        return httpx2.AsyncClient(transport=transport, base_url=HERE, headers={**bearer, **headers})

    try:
        yield client
    finally:
        end.set()
        await living


async def post(client: httpx2.AsyncClient, tool: str, **arguments: Any) -> JsonObject:
    """What a tool answers."""
    answer = await client.post(f"/v1/tools/{tool}", json=arguments)
    assert answer.status_code == 200, answer.text
    document: JsonObject = answer.json()
    return document
