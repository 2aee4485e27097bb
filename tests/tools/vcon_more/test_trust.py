"""vCons signed, verified and amended through the tools, and carried out and in again by commands."""

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from tests.conftest import Call
from tests.keys import EC_KEY, LEAF, OTHER_RSA_KEY, ROOT, RSA_KEY, pem
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.vcon.trust.keys import Signer
from vcontract.runtime.vcon.trust.signatures import sign
from vcontract.runtime.vcon.wrapped_forms import payload_of

TEXT: JsonObject = {
    "type": "text",
    "start": "2026-01-01T00:00:00Z",
    "parties": [0],
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "the parcel never came",
}


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """A server that signs with a key whose certificate it trusts."""
    made = settings.model_copy(
        update={
            "rate_limits": None,
            "toolsets": ("contract", "vcon", "vcon_more"),
            "signing_key": SecretStr(pem(RSA_KEY, LEAF)),
            "trusted_keys": SecretStr(pem(ROOT, EC_KEY.public_key())),
        }
    )
    built = await build(made)
    yield built
    await built.close()


async def test_a_vcon_that_is_signed_here_is_verified_and_cannot_change(call: Call, create: Create) -> None:
    uuid = await create(parties=[{"name": "Ann"}], dialog=[TEXT])
    before = (await call("get_vcon", uuid=uuid))["vcon"]

    answer = await call("sign_vcon", vcon_uuid=uuid, content_hashes=True)

    assert (answer["algorithm"], answer["signer"]) == ("RS256", "CN=Calls of Example")
    assert answer["content_hashes"] == 1
    got = await call("get_vcon", uuid=uuid)
    assert got["signature"] == {"status": "verified", "message": "What is trusted here vouches for it."}
    assert got["metadata"]["signed"] is True
    assert got["vcon"]["updated_at"] == answer["updated_at"]
    verified = await call("verify_vcon", vcon_uuid=uuid)
    assert verified["signature"]["signatures"] == [
        {
            "status": "verified",
            "reason": "trusted_certificate",
            "algorithm": "RS256",
            "signer": "CN=Calls of Example",
        }
    ]
    assert verified["content_hashes"] == {"status": "right", "right": 1, "wrong": [], "unchecked": []}
    hashed = [{**TEXT, "content_hash": got["vcon"]["dialog"][0]["content_hash"]}]
    assert got["vcon"] == {**before, "dialog": hashed, "updated_at": answer["updated_at"]}
    refused = await call("update_party", vcon_uuid=uuid, index=0, party={"name": "Eve"})
    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "signed")
    again = await call("sign_vcon", vcon_uuid=uuid)
    assert again["details"] == {"reason": "signed", "uuid": uuid}


async def test_what_is_signed_is_found_as_before_and_its_tags_may_change(call: Call, create: Create) -> None:
    uuid = await create(parties=[{"name": "Ann"}], dialog=[TEXT])
    await call("sign_vcon", vcon_uuid=uuid)

    await call("update_tags", vcon_uuid=uuid, tags={"mood": "cross"})

    found = await call("vcon_search", mode="keyword", query="parcel", filters={"tags": {"mood": "cross"}})
    assert [item["id"] for item in found["items"]] == [uuid]
    assert (await call("verify_vcon", vcon_uuid=uuid))["signature"]["status"] == "verified"


async def test_a_vcon_that_came_signed_is_verified_against_what_is_trusted_here(
    call: Call, create_signed: Create
) -> None:
    vcon: JsonObject = {
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "created_at": "2026-01-01T00:00:00Z",
        "parties": [{"name": "Ann"}],
    }
    other = {**vcon, "uuid": "01928e10-193e-8231-b9a2-279e0d16bc47"}
    changed = {**vcon, "uuid": "01928e10-193e-8231-b9a2-279e0d16bc48"}
    good = sign(dump_json(vcon), vcon["uuid"], Signer(EC_KEY))
    unknown = sign(dump_json(other), other["uuid"], Signer(OTHER_RSA_KEY))
    broken = {**good, "payload": sign(dump_json(changed), changed["uuid"], Signer(RSA_KEY))["payload"]}

    for form, status in ((good, "verified"), (unknown, "unverified"), (broken, "broken")):
        uuid = await create_signed(form)
        assert (await call("get_vcon", uuid=uuid))["signature"]["status"] == status
        assert (await call("verify_vcon", vcon_uuid=uuid))["signature"]["status"] == status


@pytest.mark.parametrize(
    "change",
    [
        "update vcontract.dialog set doc = replace(doc::text, 'parcel', 'letter')::json where vcon = $1",
        "update vcontract.party set doc = replace(doc::text, 'Ann', 'Eve')::json where vcon = $1",
        "update vcontract.vcon set head = replace(head::text, 'Lost', 'Found')::json where uuid = $1",
        "delete from vcontract.party where vcon = $1",
    ],
)
async def test_rows_that_differ_from_what_was_signed_are_broken(
    call: Call, create: Create, owner: OwnerConnection, change: str
) -> None:
    uuid = await create(subject="Lost", parties=[{"name": "Ann"}], dialog=[TEXT])
    await call("sign_vcon", vcon_uuid=uuid)

    await owner.execute(change, UUID(uuid))

    got = (await call("get_vcon", uuid=uuid, include_components=["parties"]))["signature"]
    verified = (await call("verify_vcon", vcon_uuid=uuid))["signature"]
    assert got["status"] == verified["status"] == "broken"
    assert got["message"] == verified["message"]
    assert "changed after it was signed" in got["message"]


async def test_content_that_does_not_fit_its_hash_is_named(call: Call, create: Create) -> None:
    wrong = {**TEXT, "content_hash": "sha512-" + "A" * 86}
    elsewhere: JsonObject = {
        "type": "recording",
        "start": "2026-01-01T00:00:00Z",
        "parties": [0],
        "url": "https://calls.example/1.wav",
        "content_hash": "sha512-" + "A" * 86,
    }
    uuid = await create(parties=[{"name": "Ann"}], dialog=[wrong, elsewhere])

    for external in (False, True):  # a host that is not allowed is not asked
        verified = await call("verify_vcon", vcon_uuid=uuid, external=external)
        assert verified["content_hashes"] == {
            "status": "wrong",
            "right": 0,
            "wrong": ["$.dialog[0]"],
            "unchecked": [{"path": "$.dialog[1]", "reason": "not_fetched"}],
        }
    assert verified["signature"]["status"] == "unsigned"
    assert "signature" not in await call("get_vcon", uuid=uuid)


async def test_an_amended_version_points_to_the_signed_one_and_can_change(call: Call, create: Create) -> None:
    uuid = await create(parties=[{"name": "Ann"}], dialog=[TEXT])
    await call("update_tags", vcon_uuid=uuid, tags={"mood": "cross"})
    await call("sign_vcon", vcon_uuid=uuid)

    amended = await call("amend_vcon", vcon_uuid=uuid)

    version = amended["vcon_uuid"]
    assert (amended["amends"], version != uuid) == (uuid, True)
    changed = await call("update_party", vcon_uuid=version, index=0, party={"name": "Anna"})
    assert changed["changed"] == ["name"]
    got = await call("get_vcon", uuid=version)
    assert got["vcon"]["amended"] == {"uuid": uuid}
    assert got["metadata"]["tags"] == {"mood": "cross"}
    assert got["metadata"]["conformance"]["valid"]
    before = await call("get_vcon", uuid=uuid)
    assert before["vcon"]["parties"] == [{"name": "Ann"}]
    assert before["signature"]["status"] == "verified"


async def test_a_redacted_version_is_not_amended(call: Call, create: Create) -> None:
    uuid = await create(parties=[{}], redacted={"type": "names"})

    refused = await call("amend_vcon", vcon_uuid=uuid)

    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "redacted")


async def test_a_lost_update_is_not_signed(call: Call, create: Create) -> None:
    uuid = await create(parties=[{"name": "Ann"}])
    read = (await call("get_vcon", uuid=uuid))["metadata"]["updated_at"]
    await call("update_party", vcon_uuid=uuid, index=0, party={"name": "Eve"})

    refused = await call("sign_vcon", vcon_uuid=uuid, expected_updated_at=read)

    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "stale")
    assert "signature" not in await call("get_vcon", uuid=uuid)


@pytest.mark.parametrize("tool", ["sign_vcon", "verify_vcon", "amend_vcon"])
async def test_a_vcon_that_is_not_there_is_not_found(call: Call, tool: str) -> None:
    refused = await call(tool, vcon_uuid="123e4567-e89b-12d3-a456-426614174000")

    assert refused["error_code"] == "NOT_FOUND"


async def test_a_server_without_a_key_says_so_and_changes_nothing(
    settings: Settings, call: Call, create: Create, tenant: str
) -> None:
    uuid = await create(parties=[{"name": "Ann"}])
    before = await call("get_vcon", uuid=uuid)

    result = await run(settings, "sign", uuid, "--tenant", tenant)

    assert result.exit_code == 2
    assert "no key to sign with" in result.stderr
    assert "VCONTRACT_SIGNING_KEY_FILE" in result.stderr
    assert await call("get_vcon", uuid=uuid) == before


@pytest.mark.parametrize("name", ["SIGNING_KEY", "TRUSTED_KEYS", "DECRYPTION_KEYS"])
async def test_a_key_that_cannot_be_used_ends_the_start_with_its_name(settings: Settings, name: str) -> None:
    with pytest.raises(ValueError, match=f"VCONTRACT_{name}: There is nothing in PEM"):
        await build(settings.model_copy(update={name.lower(): SecretStr("no key")}))


async def test_a_key_that_cannot_be_used_ends_a_command_with_its_name(
    settings: Settings, create: Create, tenant: str
) -> None:
    uuid = await create(parties=[{"name": "Ann"}])

    result = await run(settings, "sign", uuid, "--tenant", tenant, VCONTRACT_SIGNING_KEY="no key")

    assert result.exit_code == 2
    assert "VCONTRACT_SIGNING_KEY: There is nothing in PEM" in result.stderr


async def test_signed_and_encrypted_vcons_travel_by_file(
    settings: Settings, call: Call, create: Create, tenant: str, tmp_path: Path
) -> None:
    uuid = await create(parties=[{"name": "Ann"}], dialog=[TEXT])
    key, reader = tmp_path / "key.pem", tmp_path / "reader.pem"
    key.write_text(pem(RSA_KEY, LEAF))
    reader.write_text(pem(OTHER_RSA_KEY.public_key()))
    keys = {"VCONTRACT_SIGNING_KEY_FILE": str(key), "VCONTRACT_TRUSTED_KEYS": pem(ROOT)}
    signed, encrypted = tmp_path / "signed.jsonl", tmp_path / "encrypted.jsonl"

    assert (await run(settings, "sign", uuid, "--tenant", tenant, **keys)).exit_code == 0
    shown = await run(settings, "verify", uuid, "--tenant", tenant, **keys)
    await run(settings, "export", uuid, "--signed", "-o", signed, "--tenant", tenant)
    await run(settings, "export", uuid, "--encrypt-for", reader, "-o", encrypted, "--tenant", tenant)

    assert shown.stdout.startswith("signature  verified: What is trusted here vouches for it.")
    vcon = (await call("get_vcon", uuid=uuid))["vcon"]
    assert payload_of(json.loads(signed.read_text())) == vcon
    assert "parcel" not in encrypted.read_text()
    closed = await run(settings, "import", encrypted, "--tenant", f"{tenant[:20]}x")
    assert closed.exit_code == 1
    assert "VCONTRACT_DECRYPTION_KEYS_FILE" in closed.stdout + closed.stderr
    opened = await run(
        settings,
        "import",
        encrypted,
        "--tenant",
        f"{tenant[:20]}y",
        VCONTRACT_DECRYPTION_KEYS=pem(OTHER_RSA_KEY),
    )
    assert opened.exit_code == 0, opened.output
    again = await run(settings, "verify", uuid, "--json", "--tenant", f"{tenant[:20]}y", **keys)
    assert json.loads(again.stdout)["signature"]["status"] == "verified"


async def test_an_export_that_cannot_be_encrypted_says_why(
    settings: Settings, create: Create, tenant: str, tmp_path: Path
) -> None:
    uuid = await create(parties=[{"name": "Ann"}])
    reader, curve = tmp_path / "reader.pem", tmp_path / "curve.pem"
    reader.write_text(pem(OTHER_RSA_KEY.public_key()))
    curve.write_text(pem(EC_KEY.public_key()))

    unsigned = await run(settings, "export", uuid, "--encrypt-for", reader, "--tenant", tenant)
    other_kind = await run(
        settings,
        "export",
        uuid,
        "--encrypt-for",
        curve,
        "--tenant",
        tenant,
        VCONTRACT_SIGNING_KEY=pem(RSA_KEY),
    )

    assert (unsigned.exit_code, other_kind.exit_code) == (2, 2)
    assert "must be signed before it is encrypted" in unsigned.stderr
    assert "Only RSA keys" in other_kind.stderr
    assert unsigned.stdout == other_kind.stdout == ""


async def run(settings: Settings, *arguments: object, **env: str) -> Result:
    """The command on the module's database."""
    assert settings.database_url is not None
    ours = {
        "VCONTRACT_DATABASE_URL": settings.database_url.get_secret_value(),
        "VCONTRACT_DATA_DIR": str(settings.data_dir),
        "COLUMNS": "120",
    }
    invoke = partial(CliRunner().invoke, command, [*map(str, arguments)], env={**ours, **env})
    return await asyncio.to_thread(invoke)
