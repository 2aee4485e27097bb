"""`vcontract sync`, `import` and `forget` on transcripts: what they print, return and leave behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from tests.imports.agents import WRITERS
from tests.imports.transcripts.conftest import ClaudeCode, as_lines, call
from vcontract.runtime.cli import transcripts
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.identity import transcript_uuid

COMMAND = str(Path(sys.executable).with_name("vcontract"))
Run = Callable[..., Result]


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    """Settings of a command on the module's database, and homes of the programs that are empty."""
    return {
        "VCONTRACT_DATABASE_URL": database_url,
        "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "CODEX_HOME": str(tmp_path / "codex"),
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "home" / ".config"),
        "XDG_DATA_HOME": str(tmp_path / "home" / ".local" / "share"),
        "COLUMNS": "200",
    }


@pytest.fixture
def run(environment: dict[str, str], tenant: str) -> Run:
    def invoke(*arguments: object) -> Result:
        words = [*(str(argument) for argument in arguments), "--tenant", tenant]
        return CliRunner().invoke(app, words, env=environment)

    return invoke


def session(number: int) -> ClaudeCode:
    return ClaudeCode(f"{number:08}-4f5e-4d0a-9c1e-2f3a4b5c6d7e")


def keep(folder: Path, number: int, *, exchanges: int = 2) -> Path:
    """A session as Claude Code keeps it."""
    claude = session(number)
    lines: list[object] = []
    for turn in range(exchanges):
        lines += [
            claude.prompt(f"Question {turn} of session {number}."),
            claude.answer(call(f"t{turn}", "Bash", command=f"echo {turn}")),
            claude.result(f"t{turn}", f"output {turn}"),
            claude.answer(f"Answer {turn}."),
        ]
    path = folder / "projects" / "-home-ann-ledger" / f"{claude.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_lines(tuple(lines)))
    return path


def actions(outcome: Result) -> dict[str, int]:
    report = json.loads(outcome.stdout)
    report = report.get("transcripts", report)
    names = ("imported", "grown", "unchanged", "excluded", "removed", "deleted", "unrecognised", "failed")
    return {name: report[name] for name in names if report[name]}


def test_sync_brings_in_what_is_new_and_nothing_twice(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "claude", 1)
    keep(tmp_path / "claude", 2)

    outcome = run("sync")
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("Read 2 transcript files in ")
    lines = [line.split()[:2] for line in outcome.stdout.splitlines()[1:]]
    assert lines == [["imported", "2"], ["4", "exchanges"]]  # no rows of zeros

    again = run("sync", "--json")
    assert (again.exit_code, actions(again)) == (0, {"unchanged": 2})


def test_a_file_whose_name_is_no_text_comes_in_like_any_other(run: Run, tmp_path: Path) -> None:
    path = keep(tmp_path / "claude", 1)
    os.replace(path, os.fsencode(path.parent) + b"/odd\xff\n.jsonl")

    first, again = actions(run("sync", "--json")), actions(run("sync", "--json"))

    assert (first, again) == ({"imported": 1}, {"unchanged": 1})
    assert run("forget", path.parent).stdout.startswith(f"forgotten: {path.parent}/odd\ufffd\\x0a.jsonl")


def test_sync_without_any_program_has_nothing_to_do(run: Run) -> None:
    outcome = run("sync")
    assert outcome.exit_code == 0
    assert outcome.stdout == "No agent session was found.\n"


def test_sync_knows_every_agent_and_says_which_it_found(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path / "claude", 1)
    for name in ("gemini-cli", "cursor", "cursor lines", "opencode", "opencode documents", "continue"):
        WRITERS[name](tmp_path / "home")
    monkeypatch.chdir(WRITERS["aider"](tmp_path / "home").parent)

    outcome = run("sync", "--json")
    again = run("sync")

    assert actions(outcome) == {"imported": 7}, "of Aider two, and none twice"
    programs = ["Claude Code", "Gemini CLI", "Cursor", "OpenCode", "Aider", "Continue"]
    assert json.loads(outcome.stdout)["programs"] == programs
    assert "Sessions of Claude Code, Gemini CLI, Cursor, OpenCode, Aider, Continue" in again.stderr
    assert again.stdout.splitlines()[1:] == ["  unchanged  7"]


def test_sync_does_not_enter_linked_folders(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "elsewhere", 1)
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    (tmp_path / "claude" / "projects" / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert actions(run("sync", "--json")) == {}


def test_import_takes_transcripts_and_vcons_together(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "mixed", 1)
    vcon: JsonObject = {
        "uuid": "01900000-0000-8000-8000-000000000001",
        "created_at": "2024-01-01T00:00:00Z",
        "parties": [],
    }
    (tmp_path / "mixed" / "calls.jsonl").write_text(json.dumps(vcon) + "\n")

    report = json.loads(run("import", tmp_path / "mixed", "--json").stdout)

    assert (report["created"], report["refused"], report["transcripts"]["imported"]) == (1, 0, 1)


def test_a_rehearsal_stores_nothing(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    keep(tmp_path / "claude", 1)
    environment["VCONTRACT_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/nothing"
    assert actions(run("sync", "--dry-run", "--json")) == {"imported": 1}
    assert not (tmp_path / "data").exists()


def test_an_unreachable_store_is_exit_code_3(run: Run, environment: dict[str, str], tmp_path: Path) -> None:
    keep(tmp_path / "claude", 1)
    environment["VCONTRACT_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/nothing"
    assert run("sync").exit_code == 3


def test_a_wrong_date_is_exit_code_2(run: Run) -> None:
    outcome = run("sync", "--since", "yesterday")
    assert outcome.exit_code == 2
    assert "--since" in outcome.stderr


def test_a_file_that_fails_is_exit_code_1_and_the_others_are_in(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "claude", 1)
    bad = keep(tmp_path / "claude", 2)
    for name in ("a", "b", "c"):
        # three files claim one session, and only two of them differ
        claude = session(3)
        same, other = claude.prompt("The same beginning."), claude.prompt(f"and {name}")
        (bad.parent / f"{name}.jsonl").write_text(as_lines((same, other)))

    outcome = run("sync", "--json")

    assert (outcome.exit_code, actions(outcome)) == (1, {"imported": 4, "failed": 1})


def test_globs_and_the_file_of_globs_keep_transcripts_out(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "claude", 1)
    assert actions(run("sync", "--json")) == {"imported": 1}

    (tmp_path / "data" / "exclude.txt").write_text("# private\n/home/ann/ledger\n")
    outcome = run("sync", "--json")
    assert actions(outcome) == {"removed": 1}
    assert json.loads(outcome.stdout)["reports"][0]["reason"] == "/home/ann/ledger"

    assert actions(run("sync", "--json")) == {"excluded": 1}
    (tmp_path / "data" / "exclude.txt").unlink()
    assert actions(run("sync", "--json", "--exclude", "led*")) == {"excluded": 1}
    assert actions(run("sync", "--json", "--project", "other")) == {}
    assert actions(run("sync", "--json", "--project", "Ledger")) == {"imported": 1}


def test_what_is_forgotten_stays_away_until_import_forces_it(run: Run, tmp_path: Path) -> None:
    path = keep(tmp_path / "claude", 1)
    run("sync")
    archived = [file for file in (tmp_path / "data" / "archive").rglob("*") if file.is_file()]
    assert len(archived) == 1

    assert run("forget", archived[0]).stdout.endswith("Forgot 1 transcript\n")

    assert not archived[0].exists()
    assert actions(run("sync", "--json")) == {"deleted": 1}
    assert actions(run("import", path, "--force", "--json")) == {"imported": 1}
    assert run("forget", path.parent).exit_code == 0
    unknown = run("forget", path)
    assert unknown.exit_code == 1
    assert f"no transcript was imported from {path}; name the file it first came from" in unknown.stderr


@pytest.mark.parametrize(
    ("most", "options", "is_embedded"),
    [
        (500, (), True),
        (500, ("--no-wait-embeddings",), False),
        (0, (), False),
        (0, ("--wait-embeddings",), True),
    ],
)
@pytest.mark.parametrize("command", ["sync", "import"])
def test_a_small_import_is_embedded_before_it_ends_and_of_a_large_one_is_said_how(
    command: str,
    most: int,
    options: tuple[str, ...],
    is_embedded: bool,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # given
    path = keep(tmp_path / "claude", 1, exchanges=1)
    monkeypatch.setattr(transcripts, "MAX_PASSAGES_TO_WAIT_FOR", most)
    # when
    outcome = run(command, *([path] if command == "import" else []), *options)
    # then
    assert outcome.exit_code == 0
    reported = "not embedded yet. Run `vcontract embed` to search by meaning"
    assert (reported in outcome.stdout) != is_embedded
    counted = json.loads(run("sync", "--no-wait-embeddings", "--json").stdout)["undone_embeddings"]
    assert (counted == 0) == is_embedded


async def stored(database_url: str, tenant: str) -> list[tuple[str, int, int, int]]:
    """Of each transcript: its session, exchanges told, exchanges there, and things found by words."""
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(
            "select t.session, t.exchanges,"
            " (select count(*) from vcontract.transcript_exchange e where e.tenant = $1 and e.vcon = t.vcon),"
            " (select count(*) from vcontract.search_document d join vcontract.transcript_exchange e"
            "  on e.tenant = d.tenant and e.id = d.id where d.tenant = $1 and e.vcon = t.vcon)"
            " from vcontract.transcript t where t.tenant = $1 order by t.session",
            tenant,
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]
    finally:
        await connection.close()


def started(
    environment: dict[str, str],
    tenant: str,
    *options: str,
    stderr: int | None = None,
    command: tuple[str, ...] = ("sync", "--json"),
) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603  (our own command)
        [COMMAND, *command, "--tenant", tenant, *options],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


async def test_two_syncs_at_once_store_everything_once(
    environment: dict[str, str], database_url: str, tenant: str, tmp_path: Path
) -> None:
    for number in range(12):
        keep(tmp_path / "claude", number)

    both = [started(environment, tenant) for _ in range(2)]
    reports = [json.loads((await asyncio.to_thread(one.communicate))[0]) for one in both]

    assert [one.returncode for one in both] == [0, 0]
    assert sum(report["imported"] for report in reports) == 12
    assert sum(report["unchanged"] for report in reports) == 12
    rows = await stored(database_url, tenant)
    assert len({name for name, *_ in rows}) == len(rows) == 12
    assert all(counts == [2, 2, 2] for _, *counts in rows)


async def test_sync_follows_what_the_agents_write_until_it_is_stopped(
    environment: dict[str, str], tenant: str, run: Run, tmp_path: Path
) -> None:
    keep(tmp_path / "claude", 1)
    (tmp_path / "home" / ".continue" / "sessions").mkdir(parents=True)
    watching = started(environment, tenant, "--watch", stderr=subprocess.PIPE)

    def reported() -> str:
        assert watching.stderr is not None
        return watching.stderr.readline()

    assert await asyncio.to_thread(reported) == "Watching 2 places. Press Ctrl-C to stop.\n"
    WRITERS["continue"](tmp_path / "home")
    assert (await asyncio.to_thread(reported)).startswith("imported: 2 exchanges of ")
    assert actions(await asyncio.to_thread(run, "sync", "--json")) == {"unchanged": 2}

    watching.send_signal(signal.SIGTERM)
    report, complaints = await asyncio.to_thread(watching.communicate)
    assert (watching.returncode, complaints) == (0, "")
    assert (json.loads(report)["imported"], json.loads(report)["exchanges"]) == (2, 4)


async def test_watch_imports_what_is_in_a_folder_then_what_appears_and_grows(
    environment: dict[str, str], tenant: str, tmp_path: Path
) -> None:
    folder = tmp_path / "calls"
    folder.mkdir()
    (folder / "call_2026-07-07.txt").write_text("Agent: Hello.\nCustomer: My line is dead.\n")
    (folder / "notes.bin").write_bytes(b"\0")
    watching = started(environment, tenant, stderr=subprocess.PIPE, command=("watch", str(folder)))

    def reported() -> str:
        assert watching.stderr is not None
        return watching.stderr.readline()

    assert await asyncio.to_thread(reported) == f"Watching {folder}. Press Ctrl-C to stop.\n"
    assert await asyncio.to_thread(reported) == (
        f"imported: 1 conversation of {folder}/call_2026-07-07.txt\n"
    )
    chat = folder / "new" / "WhatsApp Chat with Bob.txt"
    chat.parent.mkdir()
    chat.write_text("05/03/2024, 10:00 - Bob: Will it rain?\n")
    assert await asyncio.to_thread(reported) == f"imported: 1 conversation of {chat}\n"
    chat.write_text(chat.read_text() + "05/03/2024, 10:01 - Ann: Not before noon.\n")
    assert await asyncio.to_thread(reported) == f"imported: 1 conversation of {chat}\n"

    watching.send_signal(signal.SIGTERM)
    _, complaints = await asyncio.to_thread(watching.communicate)
    assert (watching.returncode, complaints) == (0, "")


def test_watch_refuses_what_is_no_folder(run: Run, tmp_path: Path) -> None:
    outcome = run("watch", tmp_path / "none")
    assert outcome.exit_code == 2
    assert "is not a folder" in outcome.stderr


@pytest.mark.parametrize("command", [("sync", "--watch"), ("watch", ".")])
def test_following_says_what_it_needs(
    command: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    outcome = run(*command)
    assert outcome.exit_code == 2
    assert "pip install '.[watch]'" in outcome.stderr


def parts_in(folder: Path) -> list[Path]:
    """The copies that are not finished."""
    return list((folder / "data" / "archive").rglob(".*.part"))


@pytest.fixture
async def killed_sync(
    environment: dict[str, str], database_url: str, tenant: str, tmp_path: Path
) -> list[tuple[str, int, int, int]]:
    """What a sync of forty sessions has stored that was killed while it wrote: one of them is held up."""
    for number in range(40):
        keep(tmp_path / "claude", number, exchanges=20)
    name = session(1).session
    held = transcript_uuid(tenant, "claude-code", name, None)
    owner = await asyncpg.connect(database_url)
    try:
        async with owner.transaction():
            await owner.execute(
                "select pg_advisory_xact_lock(hashtextextended($1, 7))", f"transcript {tenant} {held}"
            )
            killed = started(environment, tenant)
            while not (
                any(name in part.name for part in parts_in(tmp_path)) and await stored(database_url, tenant)
            ):
                assert killed.poll() is None
            killed.send_signal(signal.SIGKILL)
            await asyncio.to_thread(killed.communicate)
    finally:
        await owner.close()
    assert killed.returncode == -signal.SIGKILL
    return await stored(database_url, tenant)


async def test_a_sync_that_is_killed_leaves_nothing_half_and_the_next_one_goes_on(
    killed_sync: list[tuple[str, int, int, int]],
    environment: dict[str, str],
    database_url: str,
    tenant: str,
    tmp_path: Path,
) -> None:
    assert 0 < len(killed_sync) < 40
    assert all(counts == [20, 20, 20] for _, *counts in killed_sync)
    assert parts_in(tmp_path)

    after = started(environment, tenant)
    report = json.loads((await asyncio.to_thread(after.communicate))[0])

    assert report["imported"] + report["unchanged"] == 40
    assert report["unchanged"] >= len(killed_sync)
    assert all(counts == [20, 20, 20] for _, *counts in await stored(database_url, tenant))
    assert len(list((tmp_path / "data" / "archive").rglob("*.jsonl"))) == 40
    assert parts_in(tmp_path) == []


def test_forgetting_a_folder_above_the_store_takes_no_session_from_elsewhere(
    run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = keep(tmp_path_factory.mktemp("elsewhere"), 1)
    assert actions(run("import", elsewhere, "--json")) == {"imported": 1}

    outcome = run("forget", tmp_path)

    assert elsewhere.name not in outcome.stdout


@pytest.mark.usefixtures("killed_sync")
async def test_forgetting_takes_what_a_killed_sync_had_begun_to_copy(
    environment: dict[str, str], tenant: str, tmp_path: Path
) -> None:
    assert parts_in(tmp_path)
    command = [COMMAND, "forget", str(tmp_path / "claude"), "--tenant", tenant]

    await asyncio.to_thread(
        subprocess.run, command, env={**os.environ, **environment}, check=True, capture_output=True
    )

    assert parts_in(tmp_path) == []
