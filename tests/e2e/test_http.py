"""`vcontract serve --http` and `vcontract token`, in processes of their own."""

import asyncio
import contextlib
import json
import signal
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tests.conftest import PATIENCE
from tests.e2e.conftest import COMMAND, Environment, command


@asynccontextmanager
async def serving(
    environment: Environment, *arguments: str
) -> AsyncGenerator[tuple[Process, httpx2.AsyncClient]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        COMMAND, "serve", "--http", f"127.0.0.1:{port}", *arguments, stderr=PIPE, env=environment
    )
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:

        async def becomes_ready() -> None:
            while process.returncode is None:
                with contextlib.suppress(httpx2.TransportError):
                    if (await client.get("/readyz")).status_code == 200:
                        return
                await asyncio.sleep(0.05)

        try:
            await asyncio.wait_for(becomes_ready(), PATIENCE)
            yield process, client
        finally:
            if process.returncode is None:
                process.terminate()
            await process.communicate()


async def test_a_token_made_by_the_command_opens_its_tenant_until_it_is_revoked(
    own_store: Environment,
) -> None:
    code, token, _ = await command(
        own_store, "token", "create", "Ann", "--tenant", "acme", "--scopes", "read,write"
    )
    assert (code, token[:4]) == (0, "vct_")

    async with serving(own_store) as (process, client):
        headers = {"authorization": f"Bearer {token.strip()}"}
        vcon = {"vcon": "0.4.0", "parties": [{"name": "Ann"}]}
        created = await client.post("/v1/tools/create_vcon", json={"vcon_data": vcon}, headers=headers)
        without = await client.post("/v1/tools/create_vcon", json={"vcon_data": vcon})
        code, listed, _ = await command(own_store, "token", "list", "--json")
        assert (await command(own_store, "token", "revoke", "Ann"))[0] == 0
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0

    assert created.json()["success"] is True
    assert without.status_code == 401
    (shown,) = json.loads(listed)["tokens"]
    assert (shown["tenant"], shown["scopes"]) == ("acme", ["read", "write"])
    assert shown["last_used_at"] is not None
    assert token.strip() not in listed

    # when the server starts anew, the tenant of the command is what the token stood for
    async with serving(own_store, "--tenant", "acme") as (_, client):
        found = (await client.get("/v1/resources/vcon_ids")).json()
    assert [each["uuid"] for each in found["vcons"]] == [created.json()["uuid"]]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("serve", "--http", "0.0.0.0:8000"), 2, "no token was made yet"),
        (("serve", "--http", "8000"), 2, "is no HOST:PORT"),
        (("serve", "--http", "127.0.0.1:99999"), 2, "is no HOST:PORT"),
        (("serve", "--tenant", "../x"), 2, "is no tenant's name"),
        (("token", "create", "x", "--scopes", "reed"), 2, "there is no scope 'reed'"),
        (("token", "create", "x", "--expires", "soon"), 2, "'soon' is no time"),
        (("token", "create", ""), 2, "1 to 100 printable characters"),
        (("token", "revoke", "nobody"), 1, "no token in use is named 'nobody'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_cannot_be_served_is_told_with_its_cure(
    arguments: tuple[str, ...], code: int, words: str, own_store: Environment
) -> None:
    ended, _, err = await command(own_store, *arguments)

    assert ended == code
    assert words in " ".join(err.split())


async def test_a_name_is_free_again_once_its_token_was_revoked(own_store: Environment) -> None:
    first, again = ("token", "create", "Ann"), ("token", "create", "Ann")

    codes = [
        (await command(own_store, *each))[0] for each in (first, again, ("token", "revoke", "Ann"), again)
    ]

    assert codes == [0, 1, 0, 0]
