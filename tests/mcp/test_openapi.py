"""The OpenAPI document that the HTTP server returns, and whether its answers are those of the document."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs
import pytest

from tests.issuer import AUDIENCE, ISSUER
from tests.web import Bearers, Web, applied, running
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.resources import ResourceReader
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp import bodies
from vcontract.runtime.settings import Settings

TOOL, RESOURCE = "/tools/vcon_search", "/resources/vcon_ids"
METHODS = {TOOL: "post", RESOURCE: "get"}
DOCUMENT = load_package().read_openapi()
DOCUMENTED = [
    (path, status)
    for path, method in METHODS.items()
    for status in DOCUMENT["paths"][path][method]["responses"]
]


async def stalled() -> AsyncIterator[bytes]:
    yield b"{"
    await asyncio.Event().wait()


async def broken(*_: object) -> str:
    raise RuntimeError("a fault of ours")


@dataclass(frozen=True, slots=True)
class Way:
    """How a request is answered with a certain status."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes | Callable[[], AsyncIterator[bytes]] | None = None
    patches: Sequence[tuple[object, str, object]] = ()
    has_token: bool = True
    earlier: int = 0
    """How many requests come before."""


WAYS: Mapping[str, Way] = {
    "200": Way(),
    "400": Way({"x-mcp-tools": "vcon_serch"}),
    "401": Way(has_token=False),
    "403": Way({"origin": "https://evil.example"}),
    "404": Way({"x-mcp-tools": "vcon_fetch"}),
    "408": Way(content=stalled, patches=[(bodies, "_SILENCE_SECONDS", 0.01)]),
    "413": Way(content=b"  ", patches=[(bodies, "MAX_BODY_BYTES", 1)]),
    "421": Way({"host": "evil.example"}),
    "429": Way(earlier=1),
    "500": Way(patches=[(ResourceReader, "_content", broken)]),
    "503": Way(content=b" ", patches=[(bodies, "_MAX_BUFFERED_BYTES", 0)]),
}


@pytest.fixture(scope="module")
async def limited(settings: Settings) -> AsyncIterator[tuple[App, Settings]]:
    """A server that takes one call of each token, and names an issuer for more scopes."""
    every = dict.fromkeys(("search", "create", "other"), 1)
    given = settings.model_copy(
        update={"rate_limits": every, "oauth_issuer": ISSUER, "oauth_audience": AUDIENCE}
    )
    app = await build(given)
    yield app, given
    await app.close()


@pytest.fixture
async def limited_web(limited: tuple[App, Settings]) -> AsyncIterator[Web]:
    async with running(await applied(*limited)) as web:
        yield web


def fits(path: str, status: str, answer: Any, document: JsonObject = DOCUMENT) -> bool:
    """Whether the document describes this answer."""
    responses: JsonObject = document["components"]["responses"]
    response: JsonObject = document["paths"][path][METHODS.get(path, "post")]["responses"][status]
    response = responses[response["$ref"].rpartition("/")[2]] if "$ref" in response else response
    schema: JsonObject = response["content"]["application/json"]["schema"]
    return jsonschema_rs.is_valid({"components": document["components"], **schema}, answer)


@pytest.mark.parametrize(("path", "status"), DOCUMENTED)
async def test_each_documented_status_is_sent_with_the_body_that_is_documented(
    path: str,
    status: str,
    limited_web: Web,
    bearers: Bearers,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way, method = WAYS[status], METHODS[path]
    body = (b'{"mode": "metadata"}' if path == TOOL else b"") if way.content is None else way.content
    token = await bearers.make(tenant) if way.has_token else None
    for patch in way.patches:
        monkeypatch.setattr(*patch)

    async with limited_web(token, **way.headers) as client:
        for _ in range(way.earlier):
            await client.request(method, f"/v1{path}")
        answer = await client.request(method, f"/v1{path}", content=body() if callable(body) else body)

    assert (str(answer.status_code), fits(path, status, answer.json())) == (status, True), answer.text
    assert ("www-authenticate" in answer.headers) is (status == "401")
    assert not fits(path, status, {"error": 1})


async def test_a_call_beyond_its_scopes_is_answered_as_documented(
    limited_web: Web, bearers: Bearers, tenant: str
) -> None:
    async with limited_web(await bearers.make(tenant, "read")) as client:
        answer = await client.post("/v1/tools/create_vcon", json={"vcon_data": {}})

    assert answer.status_code == 403
    assert "www-authenticate" in answer.headers
    assert fits("/tools/create_vcon", "403", answer.json())


async def test_a_question_is_answered_over_http_as_documented(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    said = {"type": "text", "parties": [0], "mediatype": "text/plain", "encoding": "none"}
    dialog = [{**said, "body": "The boiler key hangs behind the door."}]
    vcon = {"vcon": "0.4.0", "subject": "The boiler", "parties": [{"name": "Ann"}], "dialog": dialog}
    async with web(await bearers.make(tenant)) as client:
        made = await client.post("/v1/tools/create_vcon", json={"vcon_data": vcon})
        found = await client.post("/v1/tools/vcon_recall", json={"query": "where is the boiler key"})
        refused = await client.post("/v1/tools/vcon_recall", json={"query": "where is it", "view": "riddle"})

    assert found.status_code == 200
    assert fits("/tools/vcon_recall", "200", found.json())
    (item,) = found.json()["items"]
    assert item["id"] == made.json()["uuid"]
    assert [(turn["turn"], turn["speaker"], turn["text"]) for turn in item["turns"]] == [
        (0, "Ann", "The boiler key hangs behind the door.")
    ]
    assert refused.json()["error"]["details"]["parameter"] == "view"


async def test_the_served_document_holds_what_the_caller_may_use(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web() as client:
        without = await client.get("/v1/openapi.json")
    async with web(await bearers.make(tenant, "read")) as client:
        read = (await client.get("/v1/openapi.json")).json()
    async with web(await bearers.make(tenant), **{"x-mcp-tools": "vcon_search"}) as client:
        one = (await client.get("/v1/openapi.json")).json()

    assert without.status_code == 401
    assert {TOOL, RESOURCE} < read["paths"].keys() < DOCUMENT["paths"].keys()
    assert "/tools/create_vcon" not in read["paths"]
    assert (one["paths"].keys(), one["servers"]) == ({TOOL}, [{"url": "/v1"}])
    assert [tag["name"] for tag in one["tags"]] == ["contract"]
    schemas: JsonObject = one["components"]["schemas"]
    assert {"VconSearchParams", "VconSearchResult", "Problem"} < schemas.keys()
    assert "CreateVconParams" not in schemas
    for document in (read, one):
        # every reference leads somewhere
        jsonschema_rs.validator_for(
            {
                "components": document["components"],
                "anyOf": [
                    {"$ref": f"#/components/schemas/{name}"} for name in document["components"]["schemas"]
                ],
            }
        )
