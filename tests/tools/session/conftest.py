"""Fixtures of the session tests: real git repositories, and a server's tools called as a local user does."""

import asyncio
import os
import subprocess
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.conftest import ALL_SCOPES
from tests.watch import Watch
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

README = "# Shop\n\n" + "It sells things, and this says how. " * 60

Serving = Callable[..., AbstractAsyncContextManager[App]]


class Repository:
    """A git repository of a test."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(  # noqa: S603
            ["git", *arguments],  # noqa: S607
            cwd=self.root,
            env={**os.environ, "GIT_EDITOR": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.strip()

    def write(self, path: str, text: str = "x\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def take(self, file: Path) -> str:
        """The text of a file, which is gone then."""
        text = file.read_text()
        file.unlink()
        return text

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str, script: str) -> None:
        file = self.root / ".git" / "hooks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)


def make_repository(root: Path) -> Repository:
    """A repository with one commit: pyproject, tests and a README; neither lock file nor CI nor licence."""
    root.mkdir(parents=True, exist_ok=True)
    repository = Repository(root)
    repository.git("init", "-q", "-b", "main")
    repository.git("config", "user.name", "Ada")
    repository.git("config", "user.email", "ada@example.org")
    repository.git("config", "commit.gpgsign", "false")
    repository.write("pyproject.toml", '[project]\nname = "shop"\ndependencies = ["httpx"]\n')
    repository.write("README.md", README)
    repository.write("src/shop.py", "price = 1\n")
    repository.write("tests/test_shop.py", "def test() -> None: ...\n")
    repository.commit("first")
    return repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return make_repository(tmp_path / "shop")


class Client:
    """Calls tools as the local user does over one connection, or as a remote caller."""

    def __init__(self, app: App, caller: Caller, watch: Watch) -> None:
        self.app = app
        self.caller = caller
        self.prefix = ""
        """What the tools' names begin with beside other toolsets."""
        self._watch = watch

    async def __call__(self, tool: str, /, **arguments: object) -> JsonObject:
        outcome = await self.app.dispatcher.call(self.prefix + tool, arguments, self.caller)
        self._watch.report()
        return outcome.structured


Connect = Callable[..., Client]


class Run:
    """Runs `vcontract <command> …` for a tenant, in a thread of its own as a command runs its own loop."""

    def __init__(self, command: str, tenant: str) -> None:
        self.command = command
        self.tenant = tenant

    async def __call__(self, *words: str) -> tuple[int, str]:
        def invoke() -> tuple[int, str]:
            outcome = CliRunner().invoke(command, [self.command, *words, "--tenant", self.tenant])
            return outcome.exit_code, outcome.output

        return await asyncio.to_thread(invoke)


@pytest.fixture
def run(settings: Settings, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    assert settings.database_url is not None
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", settings.database_url.get_secret_value())
    return Run("reflection", tenant)


@pytest.fixture
def session_settings(settings: Settings) -> Settings:
    """Serves the session tools alone, so under their bare names."""
    return settings.model_copy(update={"toolsets": ("session",), "rate_limits": None})


@pytest.fixture
def serving(session_settings: Settings) -> Serving:
    """Builds the application with settings of `session.…` in the keyword arguments."""

    @asynccontextmanager
    async def serving(**given: object) -> AsyncGenerator[App]:
        app = await build(session_settings.model_copy(update=given))
        try:
            yield app
        finally:
            await app.close()

    return serving


@pytest.fixture
async def app(serving: Serving) -> AsyncIterator[App]:
    async with serving() as built:
        yield built


def connection_of(app: App, tenant: str, watch: Watch, **caller: object) -> Client:
    """A client of its own connection; the keyword arguments are members of its caller."""
    members = {"connection": f"test:{uuid.uuid4()}", "local": True, **caller}
    return Client(app, Caller(tenant, ALL_SCOPES, **members), watch)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.fixture
def connect(app: App, tenant: str, watch: Watch) -> Connect:
    """A client of this test's tenant, by default a local one with a connection of its own."""

    def connect(of_app: App = app, of_tenant: str = tenant, **caller: object) -> Client:
        return connection_of(of_app, of_tenant, watch, **caller)

    return connect


@pytest.fixture
def call(connect: Connect) -> Client:
    return connect()
