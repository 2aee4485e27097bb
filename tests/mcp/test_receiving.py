"""vCons that others send: from whoever signs with the secret or bears a token, and stored once."""

import base64
import json
import time
from collections.abc import AsyncIterator, Mapping

import httpx2
import pytest
from pydantic import SecretStr

from tests.conftest import Call
from tests.web import Bearers, Web, applied, running
from vcontract.runtime.app import App
from vcontract.runtime.app.http import serve_http
from vcontract.runtime.app.token_requirement import NotServed
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.vcon.trust.webhooks import format_secret, new_secret, signed_headers

SECRET = new_secret()
PATH = "/webhooks/vcon"
UUID = "01900000-0000-8000-8000-000000000001"
VCON: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2025-10-14T10:30:00Z",
    "subject": "Broken boiler",
    "parties": [{"name": "Ann"}],
}


@pytest.fixture
async def web(serving: App, settings: Settings, bearers: Bearers, tenant: str) -> AsyncIterator[Web]:
    """Clients of a server that asks for tokens, and takes what is signed for this test's tenant."""
    await bearers.make("somebody")
    secret = SecretStr(format_secret(SECRET))
    signed = settings.model_copy(update={"webhook_secret": secret, "tenant": tenant})
    async with running(await applied(serving, signed)) as client:
        yield client


async def send(
    client: httpx2.AsyncClient,
    document: object = VCON,
    *,
    message_id: str = "1",
    secret: bytes = SECRET,
    age: int = 0,
    changed: Mapping[str, str] | None = None,
) -> httpx2.Response:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    signed = signed_headers(secret, message_id, int(time.time()) - age, body)
    return await client.post(PATH, content=body, headers={**signed, **(changed or {})})


async def stored(call: Call) -> list[JsonObject]:
    found: list[JsonObject] = (await call("vcon_search", mode="metadata"))["items"]
    return found


async def test_what_is_sent_again_is_answered_alike_and_stored_once(web: Web, call: Call) -> None:
    async with web() as client:
        answers = [await send(client), await send(client), await send(client, message_id="2")]
        made = {name: value for name, value in VCON.items() if name != "uuid"}
        unnamed = [await send(client, made, message_id="3") for _ in range(2)]

    reported = [(answer.status_code, answer.json()) for answer in answers]
    assert reported == [(200, {"success": True, "uuid": UUID})] * 3
    assert unnamed[0].json() == unnamed[1].json()
    assert {item["uuid"] for item in await stored(call)} == {UUID, unnamed[0].json()["uuid"]}
    assert (await call("get_vcon", uuid=UUID))["vcon"] == VCON


async def test_a_signed_vcon_keeps_its_signed_form(web: Web, call: Call) -> None:
    payload = base64.urlsafe_b64encode(json.dumps(VCON).encode()).decode().rstrip("=")
    form = {"payload": payload, "signatures": [{"protected": "e30", "signature": "x"}]}
    async with web() as client:
        answer = await send(client, form)
        broken = await send(client, {**form, "payload": "***"}, message_id="2")
        sealed = await send(client, {"ciphertext": "x", "recipients": []}, message_id="3")

    got = await call("get_vcon", uuid=UUID)
    assert answer.json() == {"success": True, "uuid": UUID}
    assert (got["vcon"], got["signature"]["status"]) == (VCON, "unverified")
    for refused in (broken, sealed):
        assert (refused.status_code, refused.json()["error"]) == (400, "unreadable_form")


async def test_a_signature_that_is_of_no_use_is_refused_without_a_hint(web: Web, call: Call) -> None:
    async with web() as client:
        answers = [
            await send(client, secret=new_secret()),
            await send(client, age=400),
            await send(client, age=-400),
            await send(client, message_id=""),
            await send(client, changed={"webhook-id": "other"}),
            await send(client, changed={"webhook-timestamp": "now"}),
            await send(client, b"{", secret=new_secret()),
        ]
        elsewhere = await send(client, changed={"host": "elsewhere.example"})

    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}
    assert answers[0].json()["error"] == "invalid_signature"
    assert elsewhere.status_code == 421
    assert await stored(call) == []


async def test_whoever_bears_a_token_that_may_write_needs_no_signature(
    web: Web, bearers: Bearers, call: Call, tenant: str
) -> None:
    async with web(await bearers.make(tenant, "write")) as client:
        taken = [await client.post(PATH, json=VCON) for _ in range(2)]
    async with web(await bearers.make(tenant, "read")) as client:
        denied = await client.post(PATH, json={**VCON, "uuid": UUID.replace("1", "2")})
    async with web() as client:
        unknown = await client.post(PATH, json=VCON)

    assert [answer.json() for answer in taken] == [{"success": True, "uuid": UUID}] * 2
    assert (denied.status_code, denied.json()["error_code"]) == (403, "PERMISSION_DENIED")
    assert (unknown.status_code, unknown.json()["error"]) == (401, "no_token")
    assert len(await stored(call)) == 1


async def test_without_a_secret_a_signature_stands_for_nobody(
    serving: App, settings: Settings, bearers: Bearers
) -> None:
    await bearers.make("somebody else")
    async with running(await applied(serving, settings)) as web, web() as client:
        answer = await send(client)

    assert (answer.status_code, answer.json()["error"]) == (401, "no_token")


@pytest.mark.parametrize(
    ("document", "status", "error"),
    [
        (b"{", 400, "malformed_json"),
        (b"[]", 400, "malformed_json"),
        ({"parties": []}, 400, "VALIDATION_ERROR"),
        ({**VCON, "subject": "Another"}, 409, "CONFLICT"),
    ],
)
async def test_what_is_no_vcon_or_another_is_told_as_create_vcon_does(
    document: object, status: int, error: str, web: Web
) -> None:
    async with web() as client:
        assert (await send(client)).status_code == 200
        answer = await send(client, document, message_id="2")

    reported = answer.json()
    assert (answer.status_code, reported.get("error_code", reported["error"])) == (status, error)


async def test_another_content_under_the_same_id_is_refused(web: Web, call: Call) -> None:
    async with web() as client:
        await send(client)
        answer = await send(client, {**VCON, "uuid": UUID.replace("1", "2")})
        long_id = await send(client, message_id="x" * 150)

    assert (answer.status_code, answer.json()["details"]["reason"]) == (400, "request_key_reused")
    assert (long_id.status_code, long_id.json()["error"]) == (400, "bad_webhook_id")
    assert len(await stored(call)) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"webhook_secret": SecretStr("hush")}, "whsec_"),
        ({"webhook_secret": SecretStr(format_secret(SECRET)), "tenant": "No One"}, "'No One'"),
    ],
)
async def test_a_server_that_could_know_no_sender_does_not_serve(
    given: JsonObject, said: str, settings: Settings
) -> None:
    with pytest.raises(NotServed, match=said) as refused:
        await serve_http(settings.model_copy(update=given), "127.0.0.1", 0)

    assert refused.value.cure
    assert "hush" not in str(refused.value)
