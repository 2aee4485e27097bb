"""Fixtures of every test: a server a run, a migrated template, a database a module, a tenant a test.

`VCONTRACT_TEST_DATABASE_URL` points the same tests at a server of your own, where its role may make databases
and roles, and `template1` has pgvector; otherwise they run in an embedded cluster of their own.
"""

import asyncio
import logging
import os
import shutil
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import hypothesis
import pytest
from pydantic import SecretStr

from tests.broken_ways import Proxy
from tests.effort import IS_FRESH
from tests.own_server import EXTERNAL_SERVER
from tests.watch import Watch
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.context import Caller, Scope
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import migrations
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

pytest_plugins = ["tests.small_contract"]

EXTERNAL_URL = os.environ.get(EXTERNAL_SERVER)

PATIENCE = 300.0
"""Seconds after which a test that waits gives up: many, for a busy machine is slow but not wrong."""

# Processes share the machine, so how long an example takes says nothing of it. CI tries the same examples
# each time, so that a change is judged by what it changed; `make fuzz` tries others.
PATIENT = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("patient", PATIENT)
hypothesis.settings.register_profile("ci", PATIENT, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") and not IS_FRESH else "patient")


SLOWEST = ("tests/e2e/", "tests/store/test_embedded.py", "tests/fuzz/", "tests/embedding/", "tests/cli/")
NIGHTLY = (
    "tests/fuzz/",
    "tests/cli/test_help.py::test_help_shows_each_option",
    "tests/codegen/test_adding_a_tool.py::"
    "test_two_branches_that_add_a_tool_to_different_toolsets_merge_without_a_conflict[whole]",
)
HEAVY = (
    *("tests/bench/", "tests/codegen/", "tests/compat/", "tests/contract/", "tests/e2e/", "tests/embedding/"),
    *(
        "tests/cli/",
        "tests/golden/",
        "tests/integrations/",
        "tests/languages/",
        "tests/security/",
        "tests/store/",
    ),
    *("tests/spec/", "tests/tools/", "tests/imports/memory/", "tests/imports/transcripts/test_any_lines.py"),
    *(
        "tests/mcp/test_stdio.py",
        "tests/test_container.py",
        "tests/test_packaging.py",
        "tests/test_readme.py",
    ),
)
"""What starts programs, loads the model or generates the contract: no unit, whatever fixtures it asks for."""


def kind_of(nodeid: str, fixtures: Collection[str]) -> str:
    """Which of the three markers a test has."""
    if nodeid.startswith(NIGHTLY):
        return "nightly"
    return "db" if "cluster" in fixtures or nodeid.startswith(HEAVY) else "unit"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test, and begin with what takes longest, so that no process is left with it at the end."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        item.add_marker(kind_of(item.nodeid, fixtures))
        if "cluster" in fixtures:
            item.add_marker("server")
    items.sort(key=lambda item: not item.nodeid.startswith(SLOWEST))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folders that hold no unit unread when only units are asked for: most of the time is that."""
    if config.option.markexpr != "unit":
        return None
    folder = f"{collection_path.relative_to(config.rootpath).as_posix()}/"
    return True if folder.startswith(HEAVY) or folder.startswith(NIGHTLY) else None


class Cluster:
    """The server that the tests run on."""

    def __init__(self, url: str) -> None:
        self._url = url

    def url(self, database: str) -> str:
        """Connects to the database as the server's owner."""
        return urlunsplit(urlsplit(self._url)._replace(path=f"/{database}"))

    async def execute(self, statement: str) -> None:
        """Run a statement that belongs to no database of ours, such as `create database`."""
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def drop(self, database: str) -> None:
        """Drop a database, with those who are still in it."""
        try:
            await self.execute(f"drop database {database} with (force)")
        except asyncpg.InsufficientPrivilegeError:
            # autovacuum is, which only a superuser may put out; without force it is asked to leave
            await self.execute(f"drop database {database}")


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]  # used by pytest
    """What the developer has set for a server of their own must not change a test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith("VCONTRACT_"):
                patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One server for the whole run; workers of pytest-xdist share it."""
    if EXTERNAL_URL is not None:
        yield Cluster(EXTERNAL_URL)
        return
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    embedded = EmbeddedCluster(
        shared / "cluster",
        linger=0,
        options={
            "shared_buffers": "128MB",
            # nothing here has to outlive a power cut
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "max_connections": "200",
        },
    )
    embedded.start()
    try:
        yield Cluster(embedded.url("postgres"))
    finally:
        embedded.release()


@pytest.fixture
async def superuser(cluster: Cluster) -> None:
    """For what no other role may do: a server of your own need not give the tests one."""
    connection = await asyncpg.connect(cluster.url("postgres"))
    is_superuser = await connection.fetchval("select rolsuper from pg_roles where rolname = current_user")
    await connection.close()
    if not is_superuser:
        pytest.skip("the role of VCONTRACT_TEST_DATABASE_URL is no superuser")


@pytest.fixture(scope="session")
async def template_database(cluster: Cluster) -> AsyncIterator[str]:
    """The name of a migrated database that others are copied from; every worker makes its own."""
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name}")
    try:
        connection = await asyncpg.connect(cluster.url(name))
        try:
            await migrations.migrate(connection)
        finally:
            await connection.close()
        yield name
    finally:
        await cluster.drop(name)


@pytest.fixture(scope="session")
async def made_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a migrated store in it that nobody uses; every worker makes its own."""
    folder = tmp_path_factory.mktemp("made")
    cluster = EmbeddedCluster(folder, linger=0)
    await (await Database.open(Settings(data_dir=folder, database_url=None), cluster=cluster)).close()
    await asyncio.to_thread(cluster.stop)
    return folder


@pytest.fixture
async def own_data_dir(made_store: Path, tmp_path: Path) -> Path:
    """A data directory of this test alone, its store migrated: a copy, for to make one takes much longer."""
    folder: Path = await asyncio.to_thread(shutil.copytree, made_store, tmp_path / "data")
    return folder


@pytest.fixture
async def make_empty_database(cluster: Cluster) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """A function that makes a database without our schema, dropped after the test, and gives its URL."""
    names: list[str] = []

    async def make() -> str:
        names.append(f"vcontract_test_{uuid.uuid4().hex}")
        await cluster.execute(f"create database {names[-1]}")
        return cluster.url(names[-1])

    yield make
    for name in names:
        await cluster.drop(name)


async def fresh_database(cluster: Cluster, template_database: str) -> AsyncIterator[str]:
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name} template {template_database}")
    try:
        yield cluster.url(name)
    finally:
        await cluster.drop(name)


database_url = pytest.fixture(fresh_database, scope="module", name="database_url")
"""The owner's URL of a fresh, migrated database; row level security does not bind its role."""
east_url = pytest.fixture(fresh_database, scope="module", name="east_url")
"""The same of another store."""


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[OwnerConnection]:
    """A connection to this module's database past row level security."""
    connection: OwnerConnection = await asyncpg.connect(database_url)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
def settings(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a server on this module's database."""
    return Settings(
        database_url=SecretStr(database_url),
        data_dir=Path(tmp_path_factory.mktemp("data")),
        pool_size=8,
        log_level="info",
    )


@pytest.fixture(scope="module")
async def database(settings: Settings) -> AsyncIterator[Database]:
    """This module's database, as the server uses it."""
    opened = await Database.open(settings)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.fixture
def tenant() -> str:
    """A tenant that no other test has, so that tests share a database."""
    return f"t{uuid.uuid4().hex}"


@pytest.fixture(scope="session", autouse=True)
def watch() -> Iterator[Watch]:
    """Observes every dispatcher that the test run creates."""
    watch = Watch()
    with pytest.MonkeyPatch.context() as patch:
        watch.over(patch)
        yield watch


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]  # used by pytest
    """Puts back what a test configures, so that no later line goes to a stream that is closed by then."""
    root, ours = logging.getLogger(), logging.getLogger("vcontract")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(False)


@pytest.fixture(autouse=True)
def _every_answer_fits_its_published_shape(  # pyright: ignore[reportUnusedFunction]  # used by pytest
    watch: Watch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """No test passes in which a tool answered something else than describe_response_shape promises.

    Nor one in which a handler failed, unless the test makes it fail: `@pytest.mark.failing_handlers`.
    """
    watch.handlers_may_fail = request.node.get_closest_marker("failing_handlers") is not None
    yield
    watch.report()


Ask = Callable[..., Awaitable[CallOutcome]]
Call = Callable[..., Awaitable[JsonObject]]
ALL_SCOPES: frozenset[Scope] = frozenset({"read", "write", "admin"})


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application on this module's database, without rate limits."""
    built = await build(settings.model_copy(update={"rate_limits": None}))
    yield built
    await built.close()


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[Proxy]:
    """A way to this module's database that a test can break."""
    made = Proxy(database_url)
    yield made
    await made.stop()


@pytest.fixture
def ask(app: App, tenant: str, watch: Watch) -> Ask:
    """Calls a tool as this test's tenant, or another; the answer must fit the tool's published schema."""

    async def ask(
        tool: str, /, *, as_tenant: str = tenant, as_local: bool = False, **arguments: object
    ) -> CallOutcome:
        caller = Caller(as_tenant, ALL_SCOPES, local=as_local)
        outcome = await app.dispatcher.call(tool, arguments, caller)
        watch.report()
        return outcome

    return ask


@pytest.fixture
def call(ask: Ask) -> Call:
    """Calls a tool and gives the answer, success or error, as an object."""

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        return (await ask(tool, **arguments)).structured

    return call
