"""The way of a vCon that comes in signed, is verified, corrected, redacted and signed, and goes out."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from tests.conftest import ALL_SCOPES
from tests.e2e.conftest import environment, serve
from tests.keys import EC_KEY, LEAF, ROOT, RSA_KEY, pem
from tests.web import Bearers, applied, running
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.trust.keys import Signer
from vcontract.runtime.vcon.trust.signatures import sign
from vcontract.runtime.vcon.wrapped_forms import payload_of

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
NUMBER = "+1-555-987-6543"
CALL: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2026-01-01T00:00:00Z",
    "subject": "A parcel for Zelda",
    "parties": [{"name": "Zelda Quimbi", "tel": NUMBER, "role": "customer"}, {"name": "Bo", "role": "agent"}],
    "dialog": [
        {
            "type": "text",
            "start": "2026-01-01T00:00:00Z",
            "parties": [0, 1],
            "originator": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": f"The parcel never came. Call me: {NUMBER}.",
        }
    ],
}
SERVED = ("contract", "vcon", "vcon_more")
Tool = Callable[..., Awaitable[JsonObject]]
Run = Callable[..., Awaitable[Result]]


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """A server that signs, and trusts its own certificate and the key of whoever recorded the call."""
    keys = {
        "signing_key": SecretStr(pem(RSA_KEY, LEAF)),
        "trusted_keys": SecretStr(pem(ROOT, EC_KEY.public_key())),
    }
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": SERVED, **keys}))
    yield built
    await built.close()


@pytest.fixture
def run(app: App, tenant: str) -> Run:
    """Runs a command on the same store with the same keys."""
    url = app.settings.database_url
    assert url is not None
    env = environment(app.settings.data_dir, {"database_url": url.get_secret_value(), **app.settings.keys})

    async def run(*arguments: object) -> Result:
        given = [*map(str, arguments), "--tenant", tenant]
        done = await asyncio.to_thread(CliRunner().invoke, command, given, env=env)
        assert done.exit_code == 0, done.output
        return done

    return run


async def travel(tool: Tool, run: Run, folder: Path) -> None:
    """The way, with each state of the vCon held against the draft's syntax."""
    schemas = VconSchemas.load()

    async def read(uuid: str) -> JsonObject:
        answer = await tool("get_vcon", uuid=uuid)
        assert schemas.all_violations(answer["vcon"]) == [], uuid
        return answer

    came = folder / "call.json"
    came.write_text(json.dumps(sign(dump_json(CALL), UUID, Signer(EC_KEY))))
    await run("import", came)
    assert (await read(UUID))["vcon"] == CALL
    assert (await tool("verify_vcon", vcon_uuid=UUID))["signature"]["status"] == "verified"

    corrected = (await tool("amend_vcon", vcon_uuid=UUID))["vcon_uuid"]
    name: JsonObject = {"name": "Zelda Quimby"}
    assert (await tool("update_party", vcon_uuid=corrected, index=0, party=name))["changed"] == ["name"]
    assert (await read(corrected))["vcon"]["amended"]["uuid"] == UUID
    latest = await tool("get_vcon", uuid=UUID, version="latest")
    assert latest["vcon"]["parties"][0]["name"] == "Zelda Quimby"

    redacted = (await tool("redact_vcon", vcon_uuid=corrected, rules=["names", "numbers"]))["uuid"]
    shown = await read(redacted)
    assert shown["vcon"]["redacted"]["uuid"] == corrected
    assert not [word for word in ("Zelda", "Quimby", "6543") if word in json.dumps(shown)]

    signed = await tool("sign_vcon", vcon_uuid=redacted, content_hashes=True)
    assert (signed["algorithm"], signed["content_hashes"]) == ("RS256", 1)
    assert (await read(redacted))["signature"]["status"] == "verified"

    went = folder / "redacted.json"
    await run("export", redacted, "--signed", "--output", went)
    form = json.loads(went.read_text())
    payload = payload_of(form)
    assert schemas.all_violations(payload) == []
    assert payload == (await read(redacted))["vcon"]
    assert (await read(UUID))["vcon"] == CALL, "the original changed"


async def test_a_vcon_is_imported_verified_corrected_redacted_signed_and_exported(
    app: App, run: Run, tenant: str, tmp_path: Path
) -> None:
    async def tool(name: str, /, **arguments: object) -> JsonObject:
        outcome = await app.dispatcher.call(name, arguments, Caller(tenant, ALL_SCOPES))
        assert not outcome.is_error, outcome.text
        return outcome.structured

    await travel(tool, run, tmp_path)


async def test_the_same_way_leads_over_http(
    app: App, run: Run, tenant: str, owner: OwnerConnection, tmp_path: Path
) -> None:
    token = await Bearers(owner).make(tenant)
    async with running(await applied(app, app.settings)) as web, web(token) as client:

        async def tool(name: str, /, **arguments: object) -> JsonObject:
            answer = await client.post(f"/v1/tools/{name}", json=arguments)
            assert answer.status_code == 200, answer.text
            reported: JsonObject = answer.json()
            return reported

        await travel(tool, run, tmp_path)


async def test_the_same_way_leads_over_stdio(app: App, run: Run, tenant: str, tmp_path: Path) -> None:
    assert app.settings.database_url is not None
    given: dict[str, Any] = {
        "database_url": app.settings.database_url.get_secret_value(),
        "embedding_provider": "none",
    }
    given |= {"toolsets": ",".join(SERVED), **app.settings.keys}
    async with serve("--tenant", tenant, folder=app.settings.data_dir, **given) as wire:
        await travel(wire.call, run, tmp_path)
