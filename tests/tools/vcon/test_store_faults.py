"""What a client hears of a database that takes no writes, and what goes on being answered."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.conftest import ALL_SCOPES, Call
from vcontract.runtime.app import build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame import logs
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import migrations, server
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

REFUSING = """
create function vcontract.refuse() returns trigger language plpgsql as
$$ begin raise exception using errcode = '{code}', message = 'no, by {code} in /var/lib/secret'; end $$;
create trigger refuse before insert on vcontract.vcon execute function vcontract.refuse();
"""
ALLOWING = "drop trigger refuse on vcontract.vcon; drop function vcontract.refuse()"


@pytest.fixture
async def refuse(owner: OwnerConnection) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Lets the database refuse each new vCon with an error code."""

    async def refuse(code: str) -> None:
        await owner.execute(REFUSING.format(code=code))

    yield refuse
    await owner.execute(ALLOWING)


@pytest.mark.parametrize(
    ("code", "reason", "words"),
    [
        ("53100", "disk_full", "The disk of the database is full: nothing can be stored"),
        ("25006", "read_only", "The database takes no writes: it is a standby"),
    ],
)
async def test_a_database_that_cannot_store_is_told_by_its_cause_and_is_read_on(
    call: Call, refuse: Callable[[str], Awaitable[None]], code: str, reason: str, words: str
) -> None:
    there = await call("create_vcon", vcon_data={"parties": [{"name": "Ann"}]})
    await refuse(code)

    refused = await call("create_vcon", vcon_data={"parties": [{"name": "Bob"}]})

    assert refused["success"] is False
    assert words in json.dumps(refused)
    assert reason in json.dumps(refused)
    assert "secret" not in json.dumps(refused)
    assert (await call("get_vcon", uuid=there["uuid"]))["success"]


async def test_a_statement_over_its_time_is_stopped_and_the_answer_says_that_it_may_be_repeated(
    settings: Settings, owner: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 0.5)
    app = await build(settings)
    try:
        async with owner.transaction():
            await owner.execute("lock table vcontract.search_document in access exclusive mode")
            searched, written = [
                (await app.dispatcher.call(tool, arguments, Caller("default", ALL_SCOPES))).structured
                for tool, arguments in (
                    ("vcon_search", {"mode": "metadata"}),
                    ("create_vcon", {"vcon_data": {"parties": [{"name": "A"}]}}),
                )
            ]
    finally:
        await app.close()

    details = searched["error"]["details"]
    assert searched["error"]["code"] == "INTERNAL"
    assert (details["reason"], details["retryable"]) == ("timeout", True)
    assert written["error_code"] == "DATABASE_ERROR"
    assert (written["details"]["reason"], written["details"]["retryable"]) == ("timeout", True)
    assert "search_document" not in str((searched, written))


@pytest.fixture
async def read_only(make_empty_database: Callable[[], Awaitable[str]], settings: Settings) -> Settings:
    """Settings of a server on a migrated database that takes no writes, like a standby."""
    url = await make_empty_database()
    connection: OwnerConnection = await asyncpg.connect(url)
    try:
        await migrations.migrate(connection)
        name = await connection.fetchval("select current_database()")
        await connection.execute(f"alter database {name} set default_transaction_read_only = on")
    finally:
        await connection.close()
    return settings.model_copy(update={"database_url": SecretStr(url), "read_only": True})


async def test_a_database_that_takes_no_writes_is_served_read_only(read_only: Settings) -> None:
    stream = io.StringIO()
    logs.configure("info", stream)
    app = await build(read_only)
    try:
        found = await app.dispatcher.call("search_vcons", {}, Caller("default", ALL_SCOPES - {"write"}))
    finally:
        await app.close()

    assert not found.is_error, found.text
    assert "takes no writes; the secret is valid only for this process" in stream.getvalue()
    assert "Traceback" not in stream.getvalue()


async def test_a_secret_that_was_made_before_is_shared_by_a_database_that_takes_no_writes(
    read_only: Settings,
) -> None:
    assert read_only.database_url is not None
    connection: OwnerConnection = await asyncpg.connect(read_only.database_url.get_secret_value())
    await connection.execute("set default_transaction_read_only = off")
    await connection.execute("insert into vcontract.shared_secret values ('cursor_key', 'made before')")
    await connection.close()
    stream = io.StringIO()
    logs.configure("info", stream)

    await (await build(read_only)).close()

    assert "secret" not in stream.getvalue()


async def test_the_doctor_finds_a_database_that_takes_no_writes_healthy(read_only: Settings) -> None:
    assert read_only.database_url is not None
    env = {"VCONTRACT_DATABASE_URL": read_only.database_url.get_secret_value(), "VCONTRACT_READ_ONLY": "true"}

    outcome = await asyncio.to_thread(lambda: CliRunner().invoke(command, ["doctor", "--json"], env=env))

    found = json.loads(outcome.stdout)
    assert [check for check in found["checks"] if check["state"] == "failed"] == []
    assert outcome.exit_code == 0
