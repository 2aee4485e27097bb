"""`vcontract serve --http` and `vcontract token`, in processes of their own."""

import asyncio
import contextlib
import json
import os
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.conftest import PATIENCE
from tests.e2e.conftest import Environment, command, serve_http, started_by
from tests.issuer import AUDIENCE, ISSUER, access_token, publishing
from tests.waiting import until, until_one_waits
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.schema_status import OwnerConnection


def workers_of(process: Process) -> set[int]:
    return started_by(process.pid, "serve_process")


@contextlib.contextmanager
def stopped(*workers: int) -> Generator[None]:
    """Leave these workers standing still, so that the others take what comes."""
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):  # it may have been killed
                os.kill(worker, signal.SIGCONT)


@asynccontextmanager
async def two_workers(
    environment: Environment,
) -> AsyncGenerator[tuple[Process, httpx2.AsyncClient, int, int]]:
    """A server with two workers that were seen to serve, and a client that connects for each request."""
    async with serve_http(environment, "--workers", "2", "--toolsets", "all") as (process, _, port):
        await until(lambda: len(workers_of(process)) == 2)
        first, second = workers_of(process)
        address, headers = f"http://127.0.0.1:{port}", {"connection": "close"}
        async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=PATIENCE) as client:
            for worker in (first, second):
                with stopped(worker):
                    assert (await client.get("/readyz")).status_code == 200
            yield process, client, first, second


@asynccontextmanager
async def locked_vcons(owner: OwnerConnection) -> AsyncGenerator[None]:
    """Let whoever reads or writes a vCon wait."""
    async with owner.transaction():
        await owner.execute("lock table vcontract.vcon in access exclusive mode")
        yield


def is_open(client: httpx2.AsyncClient) -> bool:
    """Whether the server takes new connections."""
    with socket.socket() as caller:
        return caller.connect_ex((client.base_url.host, client.base_url.port)) == 0


async def ask(client: httpx2.AsyncClient, tool: str, /, **arguments: object) -> JsonObject:
    answer = await client.post(f"/v1/tools/{tool}", json=arguments)
    assert answer.status_code == 200, answer.text
    document: JsonObject = answer.json()
    return document


async def test_one_worker_goes_on_with_what_another_began(own_store: Environment) -> None:
    vcon: JsonObject = {"vcon": "0.4.0", "parties": [{"name": "Ann"}]}
    async with two_workers(own_store) as (_, client, first, second):
        with stopped(second):
            made = [
                await ask(client, "create_vcon", vcon_data=vcon, request_key=key) for key in ("one", "two")
            ]
            page = await ask(client, "vcon_search", mode="metadata", limit=1)
            for number in range(8):
                await ask(client, "session_store_reflection", content=f"Tea number {number} is hot.")
            found = await ask(client, "session_quick_search", query="tea", min_score=0)
            begun = await ask(client, "session_init")
        with stopped(first):
            again = await ask(client, "create_vcon", vcon_data=vcon, request_key="one")
            following = await ask(
                client, "vcon_search", mode="metadata", limit=1, cursor=page["page"]["next_cursor"]
            )
            more = await ask(client, "session_get_more_results", query="tea", cache_key=found["cache_key"])
            ended = await ask(client, "session_end")

    assert again == made[0]
    assert {each["uuid"] for each in made} == {
        page["items"][0]["id"],
        *(each["id"] for each in following["items"]),
    }
    assert more["success"]
    assert begun["success"], begun
    assert ended["success"], ended


async def test_thirty_writers_under_one_key_store_once_whichever_worker_takes_them(
    own_store: Environment,
) -> None:
    vcon: JsonObject = {"vcon": "0.4.0", "parties": [{"name": "Ann"}]}
    async with two_workers(own_store) as (_, client, _, _):
        made = await asyncio.gather(
            *(ask(client, "create_vcon", vcon_data=vcon, request_key="one") for _ in range(30))
        )
        found = await ask(client, "vcon_search", mode="metadata")

    assert [item["id"] for item in found["items"]] == [made[0]["uuid"]]
    assert made == [made[0]] * 30


LARGE: JsonObject = {"vcon": "0.4.0", "parties": [{"name": "Ann"}], "dialog": [{}] * 25_000}


async def call(client: httpx2.AsyncClient, method: str, **params: object) -> JsonObject:
    """The answer to a message of the protocol."""
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    answer: JsonObject = (await client.post("/mcp", json=message, headers=headers)).json()
    assert answer["id"] == 7
    return answer


async def read_named(client: httpx2.AsyncClient, resource: str, **parameters: str) -> JsonObject:
    return {"text": (await client.get(f"/v1/resources/{resource}", params=parameters)).text}


async def test_a_large_vcon_is_stored_and_read_alike_in_every_way(own_store: Environment) -> None:
    create: dict[str, object] = {"vcon_data": LARGE, "validate_before_insert": False}
    async with serve_http(own_store) as (_, client, _):
        made = await ask(client, "create_vcon", **create)
        uuid = made["uuid"]
        rest, message, got, called, read, named = await asyncio.gather(
            ask(client, "create_vcon", **create),
            call(client, "tools/call", name="create_vcon", arguments=create),
            ask(client, "get_vcon", uuid=uuid),
            call(client, "tools/call", name="get_vcon", arguments={"uuid": uuid}),
            call(client, "resources/read", uri=f"vcon://v1/vcons/{uuid}"),
            read_named(client, "vcon", uuid=uuid),
        )

        assert rest["success"]
        assert message["result"]["structuredContent"]["success"]
        assert len(got["vcon"]["dialog"]) == len(LARGE["dialog"])
        assert called["result"]["structuredContent"] == got
        assert read["result"]["contents"][0]["text"] == named["text"]
        counted = (await client.get("/metrics")).text
    assert 'vcontract_calls_total{outcome="done",tool="create_vcon"} 3.0' in counted.splitlines()


async def test_a_large_call_beyond_the_scopes_of_its_token_is_told_which_to_ask_for(
    own_store: Environment,
) -> None:
    called = {"name": "create_vcon", "arguments": {"vcon_data": LARGE}}
    both = {"accept": "application/json, text/event-stream"}
    without_sessions = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    requests: list[tuple[str, JsonObject, dict[str, str]]] = [
        ("/v1/tools/create_vcon", {"vcon_data": LARGE}, {}),
        ("/webhooks/vcon", LARGE, {}),
        ("/mcp", called, {**both, "mcp-protocol-version": "2025-03-26"}),
        ("/mcp", called, {**both, "mcp-protocol-version": "2025-11-25"}),
        (
            "/mcp",
            {**called, "_meta": without_sessions},
            {
                **both,
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "tools/call",
                "mcp-name": "create_vcon",
            },
        ),
    ]
    with publishing() as issuer:
        environment = {
            **own_store,
            "VCONTRACT_OAUTH_ISSUER": ISSUER,
            "VCONTRACT_OAUTH_AUDIENCE": AUDIENCE,
            "VCONTRACT_OAUTH_KEYS_URL": issuer.keys_url,
        }
        async with serve_http(environment) as (_, client, _):
            client.headers["authorization"] = f"Bearer {access_token('acme', scope='read')}"
            answers: list[httpx2.Response] = []
            for path, body, headers in requests:
                if path == "/mcp":
                    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body}
                answers.append(await client.post(path, json=body, headers=headers))

    assert [answer.status_code for answer in answers] == [403] * len(requests)
    for answer in answers:
        assert 'error="insufficient_scope", scope="write"' in answer.headers["www-authenticate"]
        assert "create_vcon needs scope write; this caller has read." in answer.text


async def test_workers_end_with_the_process_that_started_them(own_store: Environment) -> None:
    async with two_workers(own_store) as (process, client, *workers):
        process.kill()

        await until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
        assert not is_open(client)


async def test_a_worker_killed_in_a_call_leaves_the_others_and_is_replaced(own_store: Environment) -> None:
    vcon: JsonObject = {"vcon": "0.4.0", "parties": [{"name": "Ann"}]}
    async with two_workers(own_store) as (process, client, first, second):
        owner = await asyncpg.connect(EmbeddedCluster(Path(own_store["VCONTRACT_DATA_DIR"])).url())
        async with locked_vcons(owner):
            with stopped(second):
                lost = asyncio.create_task(ask(client, "create_vcon", vcon_data=vcon, request_key="once"))
                await until_one_waits(owner)
            os.kill(first, signal.SIGKILL)
            with pytest.raises(httpx2.TransportError):
                await lost
            assert (await client.get("/readyz")).status_code == 200
        made = await ask(client, "create_vcon", vcon_data=vcon, request_key="once")
        await until(lambda: len(workers_of(process)) == 2)
        with stopped(second):  # the one in the place of the first
            listed = (await client.get("/v1/resources/vcon_ids")).json()
            counted = (await client.get("/metrics")).text

        async with locked_vcons(owner):
            late = asyncio.create_task(ask(client, "create_vcon", vcon_data=vcon))
            await until_one_waits(owner)
            process.terminate()
            await until(lambda: not is_open(client))
        assert (await late)["success"] is True
        assert await process.wait() == 0
        await owner.close()

    assert [each["uuid"] for each in listed["vcons"]] == [made["uuid"]]
    assert 'vcontract_calls_total{outcome="done",tool="create_vcon"} 1.0' in counted.splitlines()


async def test_a_token_made_by_the_command_opens_its_tenant_until_it_is_revoked(
    own_store: Environment,
) -> None:
    code, token, _ = await command(
        own_store, "token", "create", "Ann", "--tenant", "acme", "--scopes", "read,write"
    )
    assert (code, token[:4]) == (0, "vct_")

    async with serve_http(own_store) as (process, client, _):
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
    async with serve_http(own_store, "--tenant", "acme") as (_, client, _):
        found = (await client.get("/v1/resources/vcon_ids")).json()
    assert [each["uuid"] for each in found["vcons"]] == [created.json()["uuid"]]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("serve", "--http", "0.0.0.0:8000"), 2, "no token was made yet"),
        (("serve", "--http", "8000"), 2, "is not HOST:PORT"),
        (("serve", "--http", "127.0.0.1:99999"), 2, "is not HOST:PORT"),
        (("serve", "--tenant", "../x"), 2, "is not a valid tenant name"),
        (("serve", "--workers", "2"), 2, "--workers requires --http"),
        (("token", "create", "x", "--scopes", "reed"), 2, "unknown scope 'reed'"),
        (("token", "create", "x", "--expires", "soon"), 2, "'soon' is not a duration"),
        (("token", "create", ""), 2, "1 to 100 printable characters"),
        (("token", "create", "Ann "), 2, "no space before or after them cause: got 'Ann '"),
        (("token", "revoke", "nobody"), 1, "no active token is named 'nobody'"),
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


async def test_a_tenant_that_is_removed_is_gone_for_a_server_that_runs_and_may_begin_anew(
    own_store: Environment,
) -> None:
    async def bearer(name: str) -> dict[str, str]:
        code, token, _ = await command(
            own_store, "token", "create", name, "--tenant", "acme", "--scopes", "read,write"
        )
        assert code == 0
        return {"authorization": f"Bearer {token.strip()}"}

    vcon = {"vcon": "0.4.0", "parties": [{"name": "Ann"}], "subject": "A refrigerator that hums"}
    former = await bearer("former")
    async with serve_http(own_store) as (_, client, _):

        async def asked(tool: str, headers: dict[str, str], **arguments: object) -> httpx2.Response:
            return await client.post(f"/v1/tools/{tool}", json=arguments, headers=headers)

        uuid = (await asked("create_vcon", former, vcon_data=vcon)).json()["uuid"]
        code, reported, _ = await command(own_store, "tenant", "delete", "acme", "--yes", "--json")
        assert (code, json.loads(reported)["rows"]["token"]) == (0, 1)
        refused = await asked("get_vcon", former, uuid=uuid)
        new = await bearer("new")
        gone = await asked("get_vcon", new, uuid=uuid)
        found = await asked("vcon_search", new, mode="keyword", query="refrigerator")
        await asked("create_vcon", new, vcon_data=vcon)
        misspelled = await asked("vcon_search", new, mode="keyword", query="refridgerator")

    assert refused.status_code == 401
    assert gone.json()["error_code"] == "NOT_FOUND"
    assert found.json()["items"] == []
    # spellings that the server knew of the former tenant are those of the new one only once they are stored
    assert len(misspelled.json()["items"]) == 1


async def test_a_request_that_says_its_length_in_two_ways_is_refused_with_all_that_follows(
    no_store: Environment,
) -> None:
    hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    async with serve_http(no_store) as (_, _, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + b"Content-Length: %d\r\n\r\n" % (5 + len(hidden)) + b"0\r\n\r\n" + hidden)
        async with asyncio.timeout(PATIENCE):
            answers = await reader.read()  # to the end of the connection
        writer.close()

    assert answers.startswith(b"HTTP/1.1 400 ")
    assert answers.count(b"HTTP/1.1") == 1
