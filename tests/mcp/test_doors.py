"""Every path of every door: nobody without a token has a body read, and a slow body ends."""

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from tests.web import Bearers, applied, running
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.frame.mcp import bodies
from vcontract.runtime.settings import Settings

TOKEN_PAGE: Final = ("POST", "/browse/enter")
"""Takes the token in its body."""
OPEN: Final = {"/", "/healthz", "/readyz"}
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@dataclass
class Exchange:
    """A request whose body begins and never ends."""

    method: str
    path: str
    headers: dict[str, str]
    given: int = 1_000
    """Bytes that come before nothing more does."""
    received: int = 0
    status: int = 0
    body: bytearray = field(default_factory=bytearray)

    async def of(self, application: Starlette) -> None:
        headers = {"host": "127.0.0.1", "content-length": "1000000", **self.headers}
        scope: dict[str, Any] = {
            "type": "http",
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": b"",
            "root_path": "",
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        await application(scope, self._receive, self._send)

    async def _receive(self) -> JsonObject:
        self.received += 1
        if self.received > 1:
            raise TimeoutError  # as if time had passed
        return {"type": "http.request", "body": b"x" * self.given, "more_body": True}

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        self.body += message.get("body", b"")


def paths_of(app: Any, prefix: str = "") -> Iterator[str]:
    """Every path that an application serves, also behind what guards it."""
    while not hasattr(app, "routes"):
        app = app._app
    for route in app.routes:
        if isinstance(route, Mount):
            yield from paths_of(route.app, prefix + route.path)
        elif isinstance(route, Route):
            values = dict.fromkeys(route.param_convertors, "x")
            if "uuid" in values:
                values["uuid"] = "01939c3a-6f00-8abc-9def-000000000001"
            yield prefix + re.sub(r"{(\w+):\w+}", r"{\1}", route.path).format(**values)


@pytest.fixture
async def application(serving: App, settings: Settings, bearers: Bearers) -> AsyncIterator[Starlette]:
    await bearers.make("somebody")
    built = await applied(serving, settings)
    async with running(built):
        yield built


async def test_no_path_reads_a_body_without_a_token(application: Starlette) -> None:
    paths = [*paths_of(application)]
    assert {"/mcp", "/v1/tools/x", "/webhooks/vcon", "/browse/manage", "/browse/import/files"} <= {*paths}
    for path in paths:
        for method in METHODS:
            exchange = Exchange(method, path, {})
            await exchange.of(application)
            if (method, path) == TOKEN_PAGE:
                assert exchange.status == 408
                continue
            assert exchange.received == 0, (method, path)
            if exchange.status < 400:
                assert path in OPEN or path.startswith(("/browse/static/", "/browse/enter")), (method, path)


async def test_no_path_waits_for_a_body_that_does_not_go_on(
    application: Starlette, bearers: Bearers, tenant: str
) -> None:
    token = await bearers.make(tenant)
    for path in paths_of(application):
        for method in METHODS:
            exchange = Exchange(
                method, path, {"authorization": f"Bearer {token}", "cookie": f"vcontract={token}"}
            )
            await exchange.of(application)
            assert exchange.status, (method, path)
            assert exchange.received <= 2, (method, path)


async def test_forms_of_the_page_have_the_bounds_of_other_bodies(
    application: Starlette, bearers: Bearers, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = await bearers.make(tenant)
    monkeypatch.setattr(bodies, "_MAX_BUFFERED_BYTES", 500)
    answers = {
        (path, given): Exchange("POST", path, {"cookie": f"vcontract={token}"}, given)
        for path in ("/browse/manage", "/browse/enter")
        for given in (1_000, 400, 30_000)
    }
    for exchange in answers.values():
        await exchange.of(application)

    assert {asked: exchange.status for asked, exchange in answers.items()} == {
        ("/browse/manage", 1_000): 503,
        ("/browse/manage", 400): 408,
        ("/browse/manage", 30_000): 503,
        ("/browse/enter", 1_000): 503,
        ("/browse/enter", 400): 408,
        ("/browse/enter", 30_000): 413,
    }


@pytest.mark.parametrize(
    ("method", "path", "status", "reason"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("POST", "/healthz", 405, "method_not_allowed"),
        ("GET", "/v1/tools/x", 405, "method_not_allowed"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/webhooks/vcon", 405, "method_not_allowed"),
        ("GET", "/webhooks/nothing", 404, "not_found"),
    ],
)
async def test_what_is_not_served_is_said_in_json(
    application: Starlette, bearers: Bearers, tenant: str, method: str, path: str, status: int, reason: str
) -> None:
    token = await bearers.make(tenant)
    exchange = Exchange(method, path, {"authorization": f"Bearer {token}", "content-length": "0"})
    exchange.given = 0
    exchange._receive = _nothing  # type: ignore[method-assign]

    await exchange.of(application)

    assert (exchange.status, parse_json(bytes(exchange.body))["error"]) == (status, reason)


async def _nothing() -> JsonObject:
    return {"type": "http.request", "body": b"", "more_body": False}


async def test_the_first_path_says_what_this_is(application: Starlette) -> None:
    exchange = Exchange("GET", "/", {})
    await exchange.of(application)

    said = parse_json(bytes(exchange.body))
    assert (exchange.status, said["name"], said["mcp"]) == (200, "vcontract", "/mcp")
