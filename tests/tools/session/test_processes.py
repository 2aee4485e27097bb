"""Subprocesses of the server: dependencies brought up to date, time limits, and nothing that leaks."""

import os
from pathlib import Path

import pytest

from tests.tools.session.conftest import Connect, Repository, Serving
from tests.tools.session.test_checkpoint import has_ended
from vcontract.runtime.workspace import session_rules
from vcontract.runtime.workspace.git import Git
from vcontract.runtime.workspace.processes import run


class Manager:
    """A package manager that does what a test wants."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.runs("exit 0\n")

    def runs(self, script: str) -> None:
        self._file.write_text(f"#!/bin/sh\n{script}")
        self._file.chmod(0o755)


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Repository) -> Manager:
    """A package manager `uv` on PATH whose script the test writes, and a lock file for it."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    repository.write("uv.lock", "version = 1\n")
    return Manager(folder / "uv")


async def test_dependencies_are_left_alone_unless_asked_for(
    serving: Serving, connect: Connect, repository: Repository, manager: Manager, tmp_path: Path
) -> None:
    manager.runs(f"touch {tmp_path}/ran\n")
    async with serving() as app:
        answer = await connect(app)("init", working_directory=str(repository.root))

    assert answer["dependencies_synced"] is False
    assert answer["dependency_sync"]["status"] == "disabled"
    assert not (tmp_path / "ran").exists()


async def test_a_manager_that_ends_well_or_ill_is_told_truthfully(
    serving: Serving, connect: Connect, repository: Repository, manager: Manager
) -> None:
    async with serving(session_dependency_sync=(repository.root,)) as app:
        call = connect(app)
        manager.runs("echo \"$@\"; printf 'no \\033[31msuch package' >&2; exit 3\n")
        failed = await call("init", working_directory=str(repository.root))
        manager.runs('echo "$@"\n')
        fine = await call("init", working_directory=str(repository.root))
        manager.runs("exit 9\n")
        resumed = await call("init", working_directory=str(repository.root))
        repository.write("uv.lock", "version = 2\n")
        changed = await call("init", working_directory=str(repository.root))

    assert failed["success"] is True
    assert failed["dependencies_synced"] is False
    assert failed["dependency_sync"]["status"] == "failed"
    assert failed["dependency_sync"]["command"] == "uv sync --frozen"
    assert failed["dependency_sync"]["message"] == "sync --frozen\n\nno such package"
    assert "Bring the dependencies up to date by hand: uv said failed." in failed["recommendations"]
    assert fine["dependencies_synced"] is True
    assert fine["dependency_sync"]["status"] == "ok"
    assert resumed["dependencies_synced"] is True
    assert changed["dependency_sync"]["status"] == "failed"


async def test_a_manager_that_takes_too_long_leaves_no_process(
    serving: Serving,
    connect: Connect,
    repository: Repository,
    manager: Manager,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_rules, "DEPENDENCY_SECONDS", 3.0)
    pids = tmp_path / "pids"
    manager.runs(f"sleep 300 & echo $! $$ > {pids}; wait\n")
    async with serving(session_dependency_sync=True) as app:
        answer = await connect(app)("init", working_directory=str(repository.root))

    assert answer["success"] is True
    assert answer["dependencies_synced"] is False
    assert answer["dependency_sync"]["status"] == "timeout"
    assert all([await has_ended(int(pid)) for pid in pids.read_text().split()])


async def test_a_subprocess_sees_nothing_of_ours(
    serving: Serving,
    connect: Connect,
    repository: Repository,
    manager: Manager,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", "postgresql://ada:hunter2@localhost/calls")
    monkeypatch.setenv("VCONTRACT_EMBEDDING_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    manager.runs("env | cut -d= -f1 | sort\n")
    async with serving(session_dependency_sync=True) as app:
        answer = await connect(app)("init", working_directory=str(repository.root))

    names = set(answer["dependency_sync"]["message"].split())
    assert {"PATH", "HOME", "HTTPS_PROXY"} <= names
    assert not [name for name in names if name.startswith("VCONTRACT")]
    assert names <= {
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "TMPDIR",
        "SSH_AUTH_SOCK",
        "GNUPGHOME",
        "HTTPS_PROXY",
    } | {
        *(
            name
            for name in names
            if name.startswith(("LC_", "http", "HTTP", "no_", "NO_", "all_", "ALL_", "ftp"))
        ),
        *("PWD", "SHLVL", "_", "OLDPWD"),
    }
    assert capfd.readouterr().out == ""


async def test_a_command_that_ignores_the_end_of_its_time_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.workspace.processes._TERM_SECONDS", 0.2)
    finished = await run(["sh", "-c", "trap '' TERM; echo $$; while :; do sleep 1; done"], tmp_path, 3)

    assert finished.timed_out
    assert finished.killed


async def test_a_command_that_has_ended_did_not_take_too_long_whatever_it_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.workspace.processes._TERM_SECONDS", 0.2)
    finished = await run(["sh", "-c", "sleep 300 & echo $!; exit 3"], tmp_path, 3)

    assert (finished.code, finished.timed_out, finished.killed) == (3, False, False)
    assert await has_ended(int(finished.output))


async def test_a_git_that_cannot_answer_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho asked >> {tmp_path}/calls\nexit 1\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    assert await Git(10).repository(tmp_path) is None
    assert (tmp_path / "calls").read_text() == "asked\n"


async def test_standard_input_is_closed_and_output_is_captured(tmp_path: Path) -> None:
    finished = await run(["sh", "-c", "cat; echo out; echo err >&2"], tmp_path, 10)

    assert (finished.code, finished.output, finished.errors) == (0, b"out\n", b"err\n")
