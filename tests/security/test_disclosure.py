"""What a client is never told: the words of the database, the text of others, secrets of the operator."""

import asyncio
import json
import sysconfig
from asyncio.subprocess import PIPE
from pathlib import Path

import asyncpg
import pytest

from tests.conftest import PATIENCE, Call
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Scope
from vcontract.runtime.frame.documents.json import JsonObject

UUID = "01939c3a-6f00-8abc-9def-0123456789ab"
SECRET = "Rumpelstiltskin"  # noqa: S105 - a word of a conversation

HELLO: JsonObject = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
CALLS: dict[str, JsonObject] = {
    "vcon_fetch": {"id": UUID},
    "vcon_search": {"mode": "keyword", "query": SECRET},
    "get_vcon": {"uuid": UUID},
    "create_vcon": {"vcon_data": {"parties": [{"name": SECRET}]}},
    "update_vcon": {"uuid": UUID, "updates": {"subject": SECRET}},
    "delete_vcon": {"uuid": UUID, "confirm": True},
}
WITHOUT_DATA: dict[str, JsonObject] = {
    "vcon_capabilities": {},
    "describe_response_shape": {},
    "get_schema": {},
}


def code_of(answer: JsonObject) -> str:
    code: str = answer["error_code"] if "error_code" in answer else answer["error"]["code"]
    return code


@pytest.mark.failing_handlers
@pytest.mark.parametrize("tool", CALLS)
async def test_a_fault_of_the_database_is_told_without_its_words(
    call: Call, tool: str, database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("alter schema vcontract rename to elsewhere")
    try:
        answer = await call(tool, **CALLS[tool])
    finally:
        await owner.execute("alter schema elsewhere rename to vcontract")
        await owner.close()

    assert code_of(answer) in ("INTERNAL", "DATABASE_ERROR")
    details = answer["details"] if "details" in answer else answer["error"]["details"]
    assert details.keys() == {"reason", "retryable", "correlation_id"}
    assert (details["reason"], details["retryable"]) == ("internal", False)
    for word in ("vcontract.", "schema", " relation", "select", "insert", "asyncpg", "Traceback", SECRET):
        assert word not in str(answer)
    (record,) = [record for record in caplog.records if record.getMessage() == "call_failed"]
    assert SECRET not in str(record.__dict__["vcontract_fields"])


@pytest.mark.parametrize("tool", [*CALLS, *WITHOUT_DATA])
async def test_a_caller_without_the_scope_is_refused_before_anything_is_looked_at(
    call: Call, app: App, tool: str
) -> None:
    entry = app.catalogue.find(tool)
    assert entry is not None
    scopes: frozenset[Scope] = frozenset({"read", "write", "admin"})
    without = scopes - {entry.tool.scope}

    answer = await call(tool, with_scopes=without, **{**CALLS, **WITHOUT_DATA}[tool])
    malformed = await call(tool, with_scopes=without, nonsense=SECRET)

    assert code_of(answer) == code_of(malformed) == "PERMISSION_DENIED"
    assert SECRET not in str((answer, malformed))


async def test_an_error_quotes_no_more_than_the_caller_sent_and_cuts_what_is_long(call: Call) -> None:
    long = SECRET * 2000
    tagged: JsonObject = {"parties": [{"name": "A"}], "tags": {"department": "sales"}}
    assert (await call("create_vcon", vcon_data=tagged, validate_before_insert=False))["success"]
    for tool, arguments in (
        ("vcon_fetch", {"id": long}),
        ("vcon_search", {"mode": "metadata", "filters": {"start_date": long}}),
        ("vcon_search", {"mode": "metadata", "filters": {"tags": {long: "x"}}}),
        ("vcon_search", {"mode": long}),
        ("vcon_search", {"mode": "metadata", "cursor": long}),
        ("get_vcon", {"uuid": long}),
        ("get_schema", {"version": long}),
        ("describe_response_shape", {"tool_name": long}),
    ):
        answer = await call(tool, **arguments)
        assert len(str(answer)) < 4000, tool


async def test_no_address_in_a_vcon_is_opened(call: Call) -> None:
    opened: list[object] = []

    def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as listener:
        address = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/x"
        for vcon in (
            {"dialog": [{"type": "recording", "parties": 0, "url": address, "content_hash": "sha512-x"}]},
            {"analysis": [{"type": "summary", "vendor": "v", "url": address, "schema": address}]},
            {"attachments": [{"purpose": "strolid_dealer", "url": address}]},
            {"redacted": {"uuid": UUID, "url": address}, "$schema": address, "$ref": address},
            {"parties": [{"name": "A", "jCard": address, "$ref": address}]},
        ):
            data: JsonObject = {"parties": [{"name": "A"}], **vcon}
            created = await call("create_vcon", vcon_data=data, validate_before_insert=False)
            assert created["success"], created
            groups = ["summary", "dealer", "dialog", "analysis", "attachments"]
            assert (await call("vcon_fetch", id=created["uuid"], include=groups))["ok"]

    assert opened == []


@pytest.mark.parametrize(("command", "code"), [("export", 3), ("serve", 0)])
async def test_a_database_that_is_not_there_is_told_without_its_password(
    command: str, code: int, tmp_path: Path
) -> None:
    url = "postgresql://owner:hunter2@127.0.0.1:1/conversations"
    process = await asyncio.create_subprocess_exec(
        *(str(Path(sysconfig.get_path("scripts"), "vcontract")), command),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={"VCONTRACT_DATABASE_URL": url, "VCONTRACT_LOG_LEVEL": "debug", "HOME": str(tmp_path)},
    )
    out, errors = await asyncio.wait_for(process.communicate(b""), PATIENCE)

    # `serve` waits for it, and ends when its client leaves without a word
    assert process.returncode == code
    assert out == b""
    assert b"database cannot be" in errors
    assert b"hunter2" not in errors


@pytest.mark.parametrize("command", [["doctor"], ["doctor", "--json"], ["embed"], ["serve"]], ids=" ".join)
async def test_no_key_of_the_operator_is_told_though_the_service_says_it_back(
    command: list[str], database_url: str, tmp_path: Path
) -> None:
    asked: list[bytes] = []

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 400 Bad\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(asked[-1]))
        writer.write(asked[-1])
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as service:
        address = f"http://127.0.0.1:{service.sockets[0].getsockname()[1]}/v1"
        process = await asyncio.create_subprocess_exec(
            *(str(Path(sysconfig.get_path("scripts"), "vcontract")), *command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={
                "HOME": str(tmp_path),
                "VCONTRACT_DATABASE_URL": database_url,
                "VCONTRACT_DATA_DIR": str(tmp_path),
                "VCONTRACT_LOG_LEVEL": "debug",
                "VCONTRACT_EMBEDDING_PROVIDER": "openai",
                "VCONTRACT_EMBEDDING_URL": address,
                "VCONTRACT_EMBEDDING_MODEL": "m",
                "VCONTRACT_EMBEDDING_API_KEY": "hunter2-of-embedding",
                "VCONTRACT_LLM_BASE_URL": address,
                "VCONTRACT_LLM_MODEL": "m",
                "VCONTRACT_LLM_API_KEY": "hunter2-of-models",
            },
        )
        call = {"name": "search_vcons_semantic", "arguments": {"query": "x"}}
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        ]
        sent = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        out, errors = await asyncio.wait_for(process.communicate(sent), PATIENCE)

    assert any(b"hunter2-of-embedding" in request for request in asked)
    assert b"hunter2" not in out + errors


async def test_the_cursor_key_is_never_told(call: Call, app: App, database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    try:
        key: bytes = await owner.fetchval("select value from vcontract.shared_secret")
    finally:
        await owner.close()
    for _ in range(2):
        await call("create_vcon", vcon_data={"parties": [{"name": "A"}]})

    answers = str([await call(tool, **arguments) for tool, arguments in {**CALLS, **WITHOUT_DATA}.items()])
    answers += str(await call("vcon_search", mode="metadata", limit=1))

    assert len(key) >= 32
    for spelling in (key.hex(), str(key)[2:-1], key.decode("latin-1")):
        assert spelling not in answers
