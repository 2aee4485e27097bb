"""The command as a process of its own: exit codes, pipes, a kill in the middle, an embedded database."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.conftest import PATIENCE
from tests.waiting import until_told
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

FULL = Path("/dev/full")
COMMAND = [sys.executable, "-c", "from vcontract.runtime.cli.main import main; main()"]


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> Mapping[str, str]:
    return {
        **os.environ,
        "VCONTRACT_DATABASE_URL": database_url,
        "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
        "COLUMNS": "200",
    }


def run(
    environment: Mapping[str, str], *arguments: object, input: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, env=environment, input=input, capture_output=True, timeout=PATIENCE)  # noqa: S603


def started(environment: Mapping[str, str], *arguments: str) -> "subprocess.Popen[bytes]":
    """A process in a group of its own, as one that a shell started; it hears Ctrl-C in any case."""
    return subprocess.Popen(  # noqa: S603
        [*COMMAND, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def vcon(number: int) -> JsonObject:
    return {
        "uuid": f"01900000-0000-8000-8000-{number:012}",
        "created_at": "2024-01-01T00:00:00Z",
        "subject": f"Call {number}",
        "parties": [{"name": "Ann"}],
        "dialog": [
            {
                "type": "text",
                "start": "2024-01-01T00:00:00Z",
                "parties": 0,
                "mediatype": "text/plain",
                "body": f"Hello {number}",
                "encoding": "none",
            }
        ],
    }


def test_an_export_to_a_closed_output_names_the_option_that_helps(environment: Mapping[str, str]) -> None:
    command = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "export"]

    outcome = subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE)  # noqa: S603

    assert outcome.returncode == 2
    assert b"the standard output is closed" in outcome.stderr
    assert b"name a file with --output" in outcome.stderr


async def count(url: str, tenant: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        found: int = await connection.fetchval(
            "select count(*) from vcontract.vcon where tenant = $1", tenant
        )
    finally:
        await connection.close()
    return found


async def until_many_are_stored(url: str, tenant: str, process: "subprocess.Popen[bytes]") -> None:
    """Return when an import stands at the batch that it gets no further than."""

    async def are_stored() -> bool:
        assert process.poll() is None
        return await count(url, tenant) >= 1_600

    await until_told(are_stored)


@asynccontextmanager
async def waiting_at(database: Database, tenant: str, number: int) -> AsyncGenerator[None]:
    """While this lasts, an import gets no further than to the batch with this vCon: another stores it."""
    prepared = prepare(vcon(number), PrepareContext.load(), now=datetime.now(UTC))
    async with database.writing(tenant) as connection:
        assert await VconStore(database).insert(connection, tenant, [prepared])
        yield


async def test_an_import_that_was_killed_goes_on_when_it_is_run_again(
    environment: Mapping[str, str], database: Database, database_url: str, tenant: str, tmp_path: Path
) -> None:
    # given an import that is killed when it works with processes of its own
    total = 2_400
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps(vcon(number)) + "\n" for number in range(total)))
    arguments = ["import", str(path), "--tenant", tenant]
    async with waiting_at(database, tenant, 1_700):
        with started(environment, *arguments) as process:
            await until_many_are_stored(database_url, tenant, process)
            process.kill()
            # its processes hold the pipe too: it ends when they have ended
            assert process.communicate(timeout=PATIENCE)[1].startswith(b"200 vCons, ")
    kept = await count(database_url, tenant)
    assert 1_600 <= kept < total

    outcome = run(environment, *arguments, "--json")

    summary = json.loads(outcome.stdout)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert (summary["identical"], summary["created"]) == (kept, total - kept)
    assert await count(database_url, tenant) == total


async def test_an_interrupted_import_says_how_to_go_on(
    environment: Mapping[str, str], database: Database, database_url: str, tenant: str, tmp_path: Path
) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps(vcon(number)) + "\n" for number in range(4_000)))
    async with waiting_at(database, tenant, 1_700):
        with started(environment, "import", str(path), "--tenant", tenant) as process:
            await until_many_are_stored(database_url, tenant, process)
            os.killpg(process.pid, signal.SIGINT)
            errors = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "Stopped. What is stored stays; run the same command again to continue."
    assert "Traceback" not in errors


def test_the_command_starts_without_what_only_some_commands_need() -> None:
    heavy = {
        "asyncpg",
        "jinja2",
        "mcp",
        "numpy",
        "pydantic",
        "pydantic_core",
        "regex",
        "starlette",
        "uvicorn",
    }
    program = "import sys, vcontract.runtime.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    assert heavy & {name.partition(".")[0] for name in loaded.stdout.split()} == set()


def test_exit_codes_reach_the_shell(environment: Mapping[str, str], tenant: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(vcon(1)))
    bad.write_text("{")
    nowhere = {**environment, "VCONTRACT_DATABASE_URL": "postgresql://127.0.0.1:1/nothing"}

    codes = [
        run(environment, "import", good, "--tenant", tenant).returncode,
        run(environment, "import", good, bad, "--tenant", tenant).returncode,
        run(environment, "import", tmp_path / "none.json").returncode,
        run(nowhere, "import", good).returncode,
    ]

    assert codes == [0, 1, 2, 3]


def test_a_reader_that_leaves_early_ends_an_export_quietly(
    environment: Mapping[str, str], tenant: str, tmp_path: Path
) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({**vcon(n), "filler": "x" * 2000}) + "\n" for n in range(300)))
    run(environment, "import", path, "--tenant", tenant)
    command = [*COMMAND, "export", "--tenant", tenant]
    with subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert json.loads(first)["subject"] == "Call 0"
    assert (process.returncode, errors) == (1, b"")


@pytest.mark.skipif(not FULL.exists(), reason="has no device that is always full")
@pytest.mark.parametrize("arguments", [["version"], ["call", "vcon_capabilities"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_finds_no_room_is_told_as_that(
    environment: Mapping[str, str], arguments: list[str], unbuffered: str
) -> None:
    with FULL.open("wb") as full:
        outcome = subprocess.run(  # noqa: S603
            [*COMMAND, *arguments],
            env={**environment, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert outcome.returncode == 1
    assert outcome.stderr.decode().splitlines()[-2:] == [
        "vcontract: cannot write: No space left on device",
        "  cure:  free disk space",
    ]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_command_whose_reader_has_left_ends_quietly(
    environment: Mapping[str, str], unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    outcome = subprocess.run(  # noqa: S603
        [*COMMAND, "version"],
        env={**environment, "PYTHONUNBUFFERED": unbuffered},
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (outcome.returncode, outcome.stderr) == (1, b"")


def test_a_tool_is_called_and_its_errors_are_told_by_the_exit_code(
    environment: Mapping[str, str], tenant: str
) -> None:
    given = json.dumps({"vcon_data": vcon(1)}).encode()
    created = run(environment, "call", "create_vcon", "-", "--tenant", tenant, input=given)
    arguments = json.dumps({"uuid": vcon(1)["uuid"]})
    found = run(environment, "call", "get_vcon", arguments, "--tenant", tenant)
    absent = run(environment, "call", "get_vcon", arguments, "--tenant", f"{tenant}.other", "--compact")

    assert (created.returncode, found.returncode, absent.returncode) == (0, 0, 1)
    assert json.loads(found.stdout)["vcon"] == vcon(1)
    assert absent.stdout.count(b"\n") == 1
    assert json.loads(absent.stdout)["error_code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["call", "vcon_serch"], "did you mean vcon_search"),
        (["call", "vcon_search", "{x"], "not JSON"),
        (["call", "vcon_search", "[]"], "no object"),
        (["call", "vcon_search", "--toolsets", "nope"], "nope"),
        (["serve", "--tools", "nope"], "nope"),
    ],
)
def test_a_call_that_cannot_be_made_is_wrong_usage(
    arguments: list[str], words: str, environment: Mapping[str, str]
) -> None:
    outcome = run(environment, *arguments)
    assert outcome.returncode == 2
    assert words in outcome.stderr.decode()
    assert b"Traceback" not in outcome.stderr


def test_serve_answers_a_client_and_shows_only_what_its_options_allow(environment: Mapping[str, str]) -> None:
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps(message) + "\n" for message in messages).encode()
    options = ["--read-only", "--exclude-tools", "get_schema"]

    outcome = run(environment, "serve", "--toolsets", "vcon", *options, input=lines)

    answers = {answer["id"]: answer for answer in map(json.loads, outcome.stdout.splitlines())}
    tools = answers[2]["result"]["tools"]
    names = {tool["name"] for tool in tools}
    assert "get_vcon" in names
    assert names.isdisjoint({"create_vcon", "get_schema", "vcon_fetch"})
    assert outcome.returncode == 0


def test_the_page_is_opened_in_the_browser_and_ends_when_it_is_told_to(
    environment: Mapping[str, str], tenant: str, tmp_path: Path
) -> None:
    # given a browser that notes what it was started with, and what stands in that file
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    file = '"${1#file://}"'
    browser.write_text(f'#!/bin/sh\n(echo "$1"; cat {file}; echo; stat -c %a {file}) > {seen}\n')
    browser.chmod(0o700)
    command = [*COMMAND, "browse", "--tenant", tenant]
    with subprocess.Popen(  # noqa: S603
        command, env={**environment, "BROWSER": str(browser)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        try:
            first = httpx2.get(address, timeout=PATIENCE)
            cookie = {"cookie": first.headers["set-cookie"]}
            page = address.partition("/enter")[0] + "/import"
            inside = httpx2.get(page, headers=cookie, timeout=PATIENCE)
            again = httpx2.get(address, timeout=PATIENCE)
        finally:
            process.terminate()
        assert process.wait(PATIENCE) == 0

    given, *written, mode = seen.read_text().splitlines()
    assert (first.status_code, inside.status_code, again.status_code) == (200, 200, 403)
    assert "Begin here" in inside.text
    assert address not in given
    assert address in "".join(written)
    assert mode == "600"
    assert not Path(given.removeprefix("file://")).exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "{taken}"], "cannot listen"),
        (["--toolsets", "nope"], "nope"),
        (["--port", "70000"], "--port"),
    ],
)
def test_a_page_that_cannot_be_shown_is_told(
    environment: Mapping[str, str], arguments: list[str], words: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        given = [each.format(taken=taken.getsockname()[1]) for each in arguments]
        outcome = run(environment, "browse", "--no-open", *given)
    assert outcome.returncode == 2
    assert words in outcome.stderr.decode()
    assert b"Traceback" not in outcome.stderr


def test_a_fault_of_the_program_is_one_message_and_no_traceback(environment: Mapping[str, str]) -> None:
    # given a command whose work raises what nobody foresaw
    program = (
        "from vcontract.runtime.cli import versions; import vcontract.runtime.cli.main as cli;"
        "from importlib import metadata; metadata.version = lambda name: 1 / 0; cli.main()"
    )
    command = [sys.executable, "-c", program, "version"]

    short = subprocess.run(command, env=environment, capture_output=True)  # noqa: S603
    debug = {**environment, "VCONTRACT_LOG_LEVEL": "debug"}
    full = subprocess.run(command, env=debug, capture_output=True)  # noqa: S603

    assert (short.returncode, full.returncode) == (1, 1)
    assert b"cause: ZeroDivisionError" in short.stderr
    assert b"Traceback" not in short.stderr
    assert b"Traceback" in full.stderr


def test_a_newcomer_needs_no_database_of_their_own(environment: Mapping[str, str], tmp_path: Path) -> None:
    # given nothing but an empty data folder
    embedded = {name: value for name, value in environment.items() if name != "VCONTRACT_DATABASE_URL"}
    path = tmp_path / "one.json"
    path.write_text(json.dumps(vcon(1)))

    imported = run(embedded, "import", path, "--json")
    exported = run(embedded, "export")
    doctor = run(embedded, "doctor", "--json")

    assert json.loads(imported.stdout)["created"] == 1
    assert json.loads(exported.stdout) == vcon(1)
    details = {check["name"]: check["detail"] for check in json.loads(doctor.stdout)["checks"]}
    assert details["database"] == f"embedded, in {tmp_path}/data"
    assert details["content"].startswith("1 vCon (default 1)")
