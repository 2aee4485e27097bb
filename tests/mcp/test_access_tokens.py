"""Access tokens of an issuer: which are taken, whose they are, and where a client learns of the issuer."""

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.issuer import AUDIENCE, ISSUER, KEY, Issuer, access_token, publishing
from tests.web import Bearers, Web, applied, post, running
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp import access_policy, issuer_keys
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenants import revoke_tenant_access

VCON: JsonObject = {"vcon": "0.4.0", "subject": "Broken boiler", "parties": [{"name": "Ann"}]}
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
WEAK_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - to be refused
CURVE_KEY, LARGER_CURVE_KEY = (ec.generate_private_key(curve) for curve in (ec.SECP256R1(), ec.SECP384R1()))


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with publishing() as server:
        yield server


@pytest.fixture
def with_issuer(settings: Settings, issuer: Issuer) -> Settings:
    return settings.model_copy(
        update={"oauth_issuer": ISSUER, "oauth_audience": AUDIENCE, "oauth_keys_url": issuer.keys_url}
    )


@pytest.fixture
async def guarded(serving: App, with_issuer: Settings) -> AsyncIterator[Web]:
    """Clients of a server that takes access tokens of an issuer."""
    async with running(await applied(serving, with_issuer)) as client:
        yield client


async def test_an_access_token_of_the_issuer_says_tenant_and_scopes(guarded: Web, tenant: str) -> None:
    async with guarded(access_token(tenant)) as client:
        created = await post(client, "create_vcon", vcon_data=VCON)
    async with guarded(access_token(f"{tenant}x")) as client:
        foreign = await post(client, "vcon_fetch", id=created["uuid"])

    assert created["success"] is True
    assert foreign["error"]["code"] == "NOT_FOUND"


CALL: JsonObject = {"name": "analyze_query", "arguments": {"query": "select 1"}}
NEW_CALL: JsonObject = {
    **CALL,
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    },
}


@pytest.mark.parametrize(
    ("path", "body", "version"),
    [
        ("/v1/tools/analyze_query", {"query": "select 1"}, None),
        ("/mcp", CALL, "2025-11-25"),
        ("/mcp", CALL, "2025-03-26"),
        ("/mcp", NEW_CALL, "2026-07-28"),
    ],
    ids=["rest", "era of sessions", "its first version", "era without sessions"],
)
async def test_a_call_beyond_the_scopes_of_its_token_is_told_which_to_ask_for(
    guarded: Web, tenant: str, path: str, body: JsonObject, version: str | None
) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    if version is not None:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body}
        headers |= {"mcp-protocol-version": version}
    if version == "2026-07-28":
        headers |= {"mcp-method": "tools/call", "mcp-name": "analyze_query"}
    async with guarded(access_token(tenant), **headers) as client:
        refused = await client.post(path, json=body)
    async with guarded(access_token(tenant, scope="read write admin"), **headers) as client:
        allowed = await client.post(path, json=body)
        confined = await client.post(
            "/v1/tools/create_vcon", json={"vcon_data": VCON}, headers={"x-mcp-readonly": "true"}
        )

    assert refused.status_code == 403
    assert refused.headers["www-authenticate"] == (
        'Bearer realm="vcontract", error="insufficient_scope", scope="admin", '
        'resource_metadata="https://store.example/.well-known/oauth-protected-resource/mcp"'
    )
    assert "analyze_query needs scope admin; this caller has read, write." in refused.text
    assert (allowed.status_code, "www-authenticate" in allowed.headers) == (200, False)
    # a wider token would not help who asked for less
    assert (confined.status_code, confined.json()["error_code"]) == (200, "PERMISSION_DENIED")


DENIED: JsonObject = {
    **VCON,
    "attachments": [
        {"type": "consent", "party": 0, "consents": [{"purpose": "analysis", "status": "denied"}]}
    ],
}


async def test_a_caller_is_answered_for_the_purposes_of_its_token(
    web: Web, guarded: Web, bearers: Bearers, tenant: str
) -> None:
    async with guarded(access_token(tenant)) as client:
        created = await post(client, "create_vcon", vcon_data=DENIED, validate_before_insert=False)
        ours = await post(client, "vcon_fetch", id=created["uuid"])
    async with guarded(access_token(tenant, scope="read purpose:analysis")) as client:
        theirs = await post(client, "vcon_fetch", id=created["uuid"])
        listed = (await client.get("/v1/resources/vcon_ids")).json()
    async with web(await bearers.make(tenant, "read", purposes=("analysis",))) as client:
        by_token = await post(client, "vcon_fetch", id=created["uuid"])
        reported = await post(client, "vcon_capabilities")

    assert ours["ok"] is True
    assert theirs["error"]["code"] == by_token["error"]["code"] == "NOT_FOUND"
    assert listed["vcons"] == []
    assert reported["item"]["access"]["purposes"] == ["analysis"]


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://other.example"},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"sub": ""},
        {"sub": " "},
        {"typ": "id+jwt"},
        {"typ": "logout+jwt"},
        {"tenant": None},
        {"tenant": "../x"},
        {"tenant": 3},
        {"scope": "openid"},
        {"scope": "read purpose:"},
        {"scope": "read purpose:ANALYSIS;x"},
        {"scope": 7},
        {"key": OTHER_KEY, "algorithm": "RS256"},
        {"key": "a secret that the server could know, too", "algorithm": "HS256"},
    ],
    ids=lambda changes: ",".join(f"{name}={value}" for name, value in changes.items() if name != "key"),
)
async def test_an_access_token_for_somebody_else_is_refused(
    changes: dict[str, Any], guarded: Web, tenant: str
) -> None:
    async with guarded(access_token(**{"tenant": tenant, **changes})) as client:
        answer = await client.get("/v1/resources/vcon_ids")

    assert answer.status_code == 401
    assert (
        'resource_metadata="https://store.example/.well-known/oauth-protected-resource/mcp"'
        in answer.headers["www-authenticate"]
    )


async def test_an_access_token_ends_with_its_tenant(
    guarded: Web, tenant: str, owner: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_policy, "_KNOWN_SECONDS", 0.0)
    before = access_token(tenant, iat=int(time.time()))
    without, other = access_token(tenant), access_token(f"{tenant}x", iat=int(time.time()))
    later = access_token(tenant, iat=int(time.time()))
    statuses: list[list[int]] = []

    async def ask() -> None:
        answers = [
            await client.get("/v1/resources/vcon_ids", headers={"authorization": f"Bearer {token}"})
            for token in (before, without, other, later)
        ]
        statuses.append([answer.status_code for answer in answers])

    async with guarded() as client:
        await ask()
        await revoke_tenant_access(owner, tenant)
        await ask()
        # a minute ago, as far as the last one is concerned
        await owner.execute(
            "update vcontract.removed_tenant set removed_at = now() - interval '1 minute' where name = $1",
            tenant,
        )
        before = access_token(tenant, iat=int(time.time()) - 90)
        await ask()

    assert statuses == [[200] * 4, [401, 401, 200, 401], [401, 401, 200, 200]]


@pytest.mark.parametrize(
    ("audience", "paths"),
    [
        ("https://store.example/mcp", ["", "/mcp"]),
        ("https://store.example/team/mcp", ["", "/team/mcp"]),
        ("https://store.example", [""]),
    ],
)
async def test_a_client_learns_which_issuer_to_ask(
    audience: str, paths: list[str], serving: App, with_issuer: Settings
) -> None:
    named = with_issuer.model_copy(update={"oauth_audience": audience, "oauth_scope_prefix": "store:"})
    path = "/.well-known/oauth-protected-resource"
    async with running(await applied(serving, named)) as web, web() as client:
        refused = await client.get("/mcp")
        reported = [(await client.get(path + end)).json() for end in paths]

    assert (
        f'resource_metadata="https://store.example{path}{paths[-1]}"' in refused.headers["www-authenticate"]
    )
    assert reported == len(paths) * [
        {
            "resource": audience,
            "authorization_servers": [ISSUER],
            "scopes_supported": ["store:read", "store:write", "store:admin"],
            "bearer_methods_supported": ["header"],
        }
    ]


async def test_an_audience_that_is_no_address_is_checked_and_leads_nobody_elsewhere(
    serving: App, with_issuer: Settings, tenant: str
) -> None:
    named = with_issuer.model_copy(update={"oauth_audience": "api://store"})
    async with running(await applied(serving, named)) as web, web() as client:
        statuses = [
            await status_of(client, access_token(tenant, aud=aud)) for aud in ("api://store", AUDIENCE)
        ]
        refused = await client.get("/mcp")
        metadata = await client.get("/.well-known/oauth-protected-resource")

    assert statuses == [200, 401]
    assert refused.headers["www-authenticate"] == 'Bearer realm="vcontract"'
    assert metadata.status_code == 404


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who calls is asked for each time, and so are the issuer's keys."""
    monkeypatch.setattr(access_policy, "_KNOWN_SECONDS", 0.0)
    monkeypatch.setattr(issuer_keys, "_KEPT_SECONDS", 0.0)
    monkeypatch.setattr(issuer_keys, "_PAUSE_SECONDS", 0.0)


async def status_of(client: httpx2.AsyncClient, token: str) -> int:
    headers = {"authorization": f"Bearer {token}"}
    return (await client.get("/v1/resources/vcon_ids", headers=headers)).status_code


@pytest.mark.usefixtures("nothing_kept")
async def test_a_new_key_of_the_issuer_is_taken_and_one_that_it_withdrew_is_not(
    guarded: Web, issuer: Issuer, tenant: str
) -> None:
    former, later = access_token(tenant), access_token(tenant, key=OTHER_KEY, kid="two")
    statuses: list[tuple[int, int]] = []

    async with guarded() as client:
        for keys in ({"one": KEY}, {"one": KEY, "two": OTHER_KEY}, {"two": OTHER_KEY}):
            issuer.publish(**keys)
            statuses.append((await status_of(client, former), await status_of(client, later)))

    assert statuses == [(200, 401), (200, 200), (401, 200)]


async def test_the_issuer_is_asked_once_however_many_come_and_whatever_key_they_name(
    guarded: Web, issuer: Issuer, tenant: str
) -> None:
    async with guarded() as client:
        statuses = [await status_of(client, access_token(tenant, sub=f"subject {n}")) for n in range(5)]
        strangers = [await status_of(client, access_token(tenant, kid=f"made up {n}")) for n in range(5)]

    assert (set(statuses), set(strangers), issuer.asked) == ({200}, {401}, 1)


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b""), (302, b""), (200, b"<html>"), (200, b"[]"), (200, b'{"keys": []}'), (200, b"[" * 100_000)],
    ids=["fails", "leads elsewhere", "no JSON", "no object", "no key", "without end"],
)
async def test_keys_that_were_known_go_on_while_the_issuer_has_none_to_tell(
    status: int,
    body: bytes,
    guarded: Web,
    serving: App,
    with_issuer: Settings,
    issuer: Issuer,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(await applied(serving, with_issuer)) as late, late() as newcomers, guarded() as client:
        known = await status_of(client, access_token(tenant))
        issuer.status, issuer.body = status, body
        meanwhile = await status_of(client, access_token(tenant, sub="ben"))
        unknown = await status_of(newcomers, access_token(tenant))
        monkeypatch.setattr(issuer_keys, "_LAST_SECONDS", 0.0)
        at_last = await status_of(client, access_token(tenant, sub="eve"))
        monkeypatch.undo()
        monkeypatch.setattr(issuer_keys, "_PAUSE_SECONDS", 0.0)
        issuer.publish(one=KEY)
        again = await status_of(newcomers, access_token(tenant))

    assert (known, meanwhile, unknown, at_last, again) == (200, 200, 503, 503, 200)


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_token_is_taken_only_with_a_strong_key_of_the_kind_that_its_algorithm_needs(
    guarded: Web, issuer: Issuer, tenant: str
) -> None:
    issuer.publish(one=KEY, weak=WEAK_KEY, curve=CURVE_KEY, larger=LARGER_CURVE_KEY)
    good = [
        access_token(tenant),
        access_token(tenant, algorithm="PS256"),
        access_token(tenant, typ="JWT"),
        access_token(tenant, key=CURVE_KEY, algorithm="ES256", kid="curve"),
    ]
    wrong = [
        access_token(tenant, key=WEAK_KEY, kid="weak"),
        access_token(tenant, key=CURVE_KEY, algorithm="ES256", kid="one"),
        access_token(tenant, kid="curve"),
        access_token(tenant, key=CURVE_KEY, algorithm="ES256", kid="larger"),
        *(
            f"{part(json.dumps({'alg': algorithm, 'kid': kid}))}.{part('{}')}.{signature}"
            for algorithm in ("RS256", "PS512", "ES256", "ES384", "ES512", "EdDSA", "HS256", "none", 7)
            for kid in ("one", "curve", "larger", "weak")
            for signature in ("", "AA", "A" * 86)
        ),
    ]

    async with guarded() as client:
        assert [await status_of(client, token) for token in good] == [200] * len(good)
        refused = [
            await client.get("/v1/resources/vcon_ids", headers={"authorization": f"Bearer {token}"})
            for token in (access_token(tenant, kid="unknown"), *wrong)
        ]

    assert {(answer.status_code, answer.text) for answer in refused} == {(401, refused[0].text)}


async def test_a_purpose_among_the_scopes_counts_with_the_prefix_and_without(
    serving: App, with_issuer: Settings, tenant: str
) -> None:
    prefixed = with_issuer.model_copy(update={"oauth_scope_prefix": "vcontract:"})
    scopes = ["vcontract:purpose:analysis", "purpose:analysis", "other:purpose:analysis", ""]
    found: list[str] = []

    async with running(await applied(serving, prefixed)) as guarded:
        async with guarded(access_token(tenant, scope="vcontract:write vcontract:read")) as client:
            created = await post(client, "create_vcon", vcon_data=DENIED, validate_before_insert=False)
        for scope in scopes:
            async with guarded(access_token(tenant, scope=f"vcontract:read {scope}")) as client:
                answer = await post(client, "vcon_fetch", id=created["uuid"])
            found.append("shown" if answer["ok"] else answer["error"]["code"])

    assert found == ["NOT_FOUND", "NOT_FOUND", "shown", "shown"]


def part(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "header",
    [
        "[" * 40_000,
        "[]",
        '{"alg": "RS256"}',
        '{"alg": "none", "kid": "one"}',
        '{"alg": "RS256", "kid": ["one"]}',
    ],
)
async def test_what_is_no_access_token_is_refused_like_any_other(header: str, guarded: Web) -> None:
    async with guarded() as client:
        assert await status_of(client, f"{part(header)}.{part('{}')}.{part('x')}") == 401
