"""PgBouncer in between, set up by what docs/postgresql.md shows: skipped where it is not installed."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import httpx2
import pytest

from tests.conftest import ALL_SCOPES
from tests.contract.examples import examples
from tests.contract.test_examples import CONVERSATION
from tests.e2e.conftest import Environment, command, serve, serve_http
from tests.e2e.databases.conftest import LOGIN, OWNER, PREFIX, as_, serving, works
from tests.own_server import PASSWORD, OwnServer, free_port
from tests.waiting import until_told, wait_until
from tests.watch import Watch
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres import commit_status
from vcontract.runtime.store.postgres.errors import ServerUnsuitable, StoreUnavailable

PGBOUNCER: Final = shutil.which("pgbouncer") or ""
pytestmark = pytest.mark.skipif(not PGBOUNCER, reason="pgbouncer is not installed")

PAGE: Final = Path(__file__).parents[3] / "docs" / "postgresql.md"
CLIENTS: Final = 64
PASSED_OVER: Final = (
    "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,plan_cache_mode,jit"
)
"""What others advise for programs that begin a connection with more than a pooler takes."""


class Pooler:
    """A PgBouncer before the database `calls` as the page shows it, with `more` in its file."""

    def __init__(self, server: OwnServer, folder: Path, more: str) -> None:
        self._port = free_port()
        self._file = folder / "pgbouncer.ini"
        logins = folder / "userlist.txt"
        logins.write_text("".join(f'"{login}" "{PASSWORD}"\n' for login in (LOGIN, OWNER)))
        shown = _shown(server, self._port, logins)
        self._file.write_text(f"{shown}unix_socket_dir =\n{more}\n")
        self._server = server
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        self._running = subprocess.Popen(  # noqa: S603
            [PGBOUNCER, *user, str(self._file)], stderr=subprocess.DEVNULL
        )
        wait_until(self._listens)

    def kill(self) -> None:
        assert self._running is not None
        self._running.kill()
        self._running.wait()

    def url(self, login: str, database: str = "calls") -> str:
        """As `OwnServer.url`, through here."""
        return self._server.url(login, database).replace(f":{self._server.port}/", f":{self._port}/")

    def _listens(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self._port)) == 0


def _shown(server: OwnServer, port: int, logins: Path) -> str:
    """The file that the page shows, with the addresses of this test."""
    found = re.search(r"```ini\n(\[databases\].*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    shown = found[1]
    for of_the_page, here in (
        ("host=db.example port=5432", f"host=127.0.0.1 port={server.port}"),
        ("listen_port = 6432", f"listen_port = {port}"),
        ("/etc/pgbouncer/userlist.txt", str(logins)),
        ("server_tls_sslmode = verify-full\n", ""),
        ("server_tls_ca_file = /etc/ssl/db.pem\n", ""),
    ):
        assert of_the_page in shown
        shown = shown.replace(of_the_page, here)
    return shown


@contextmanager
def pooling(server: OwnServer, more: str = "") -> Generator[Pooler]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # the pooler does not run as root
        pooler = Pooler(server, folder, more)
        pooler.start()
        try:
            yield pooler
        finally:
            pooler.kill()


@pytest.fixture(scope="module")
def pooler(migrated: OwnServer) -> Iterator[Pooler]:
    with pooling(migrated) as running:
        yield running


def through(pooler: Pooler, server: OwnServer, login: str, folder: Path, **more: str) -> Environment:
    """What a command needs that works as this login through the pooler."""
    given = {"database_url": pooler.url(login), "database_pooled": "true", **more}
    return as_(server, login, folder, **given)


async def test_every_tool_works(migrated: OwnServer, pooler: Pooler, tenant: str, watch: Watch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with serving(pooler.url(LOGIN), Path(folder), database_pooled=True) as app:
            await works(app, tenant, watch)
            search: JsonObject = {"mode": "keyword", "query": "refund"}
            caller = Caller(tenant, ALL_SCOPES)
            answers = await asyncio.gather(
                *(app.dispatcher.call("vcon_search", search, caller) for _ in range(50))
            )
    assert [answer.text for answer in answers if answer.is_error] == []


@pytest.mark.parametrize("mode", ["transaction", "session"])
@pytest.mark.parametrize(
    ("more", "failure", "reported"),
    [
        ("", StoreUnavailable, "does not take what a connection is begun with"),
        (PASSED_OVER, ServerUnsuitable, "passes over what a connection is begun with"),
    ],
)
async def test_a_server_that_was_not_told_of_it_says_so(
    migrated: OwnServer, tmp_path: Path, mode: str, more: str, failure: type[Exception], reported: str
) -> None:
    with pooling(migrated, f"pool_mode = {mode}\n{more}") as pooler:
        for _ in range(2):  # the second one finds what the first one prepared
            with pytest.raises(failure, match=f"{reported}.*; set VCONTRACT_DATABASE_POOLED to true"):
                async with serving(pooler.url(LOGIN), tmp_path, embeds=False):
                    pass
        async with serving(pooler.url(LOGIN), tmp_path, database_pooled=True, embeds=False) as app:
            outcome = await app.dispatcher.call(
                "vcon_search", {"mode": "metadata"}, Caller("acme", ALL_SCOPES)
            )
    assert not outcome.is_error, outcome.text


@pytest.mark.parametrize(
    ("arguments", "status", "reported"),
    [
        (("doctor",), 0, "up to date"),
        (("db", "status"), 0, "up to date"),
        (("token", "list"), 0, ""),
        (("tenant", "list"), 0, ""),
        (("audit",), 0, ""),
        (("db", "plan"), 0, "create role"),
        (("db", "migrate"), 2, "`vcontract db migrate` does not work through a pooler"),
        (("backup", "calls.backup"), 2, "name the server itself in VCONTRACT_DATABASE_URL"),
        (("restore", "calls.backup"), 2, "name the server itself in VCONTRACT_DATABASE_URL"),
    ],
)
async def test_each_command_works_or_asks_for_the_server_itself(
    migrated: OwnServer,
    pooler: Pooler,
    tmp_path: Path,
    arguments: tuple[str, ...],
    status: int,
    reported: str,
) -> None:
    code, out, said = await command(through(pooler, migrated, OWNER, tmp_path), *arguments)

    assert code == status, (out, said)
    assert reported in out + said
    assert "Traceback" not in said


async def test_two_processes_answer_every_tool_and_embed(
    migrated: OwnServer, pooler: Pooler, tmp_path: Path
) -> None:
    environment = through(pooler, migrated, LOGIN, tmp_path, embedding_provider="minilm", rate_limits="off")
    async with serve_http(environment, "--workers", "2", "--toolsets", "all") as (_, client, _):
        stored = await client.post("/v1/tools/create_vcon", json={"vcon_data": CONVERSATION})
        assert stored.status_code == 200, stored.text
        answers = [
            (tool, await client.post(f"/v1/tools/{tool}", json=example["params"]))
            for tool, example in examples()
        ]
        again = await client.post(
            "/v1/tools/create_vcon", json={"vcon_data": {**CONVERSATION, "uuid": _UUID}}
        )
        assert again.status_code == 200, again.text

        async def found_by_meaning() -> bool:
            asked = {"mode": "semantic", "query": "money back"}
            found = await client.post("/v1/tools/vcon_search", json=asked)
            return _UUID in found.text

        await until_told(found_by_meaning)
    assert [(tool, answer.text) for tool, answer in answers if answer.status_code >= 500] == []
    assert [(tool, answer.text) for tool, answer in answers if "DATABASE_ERROR" in answer.text] == []


_UUID: Final = "0190b5f0-0000-7000-8000-0000000000a1"


async def test_stdio_is_served(migrated: OwnServer, pooler: Pooler, tmp_path: Path) -> None:
    async with serve(
        folder=tmp_path / "data",
        embedding_provider="none",
        database_url=pooler.url(LOGIN),
        database_pooled="true",
        role_prefix=PREFIX,
    ) as wire:
        answer = await wire.call("vcon_search", mode="metadata")
    assert answer["ok"], answer


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What became of calls: how often each tool did its work, and what each other answer said."""

    done: Counter[str] = field(default_factory=Counter[str])
    lost: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def take(self, tool: str, answer: httpx2.Response) -> None:
        document = answer.json()
        if document.get("ok", document.get("success")):
            self.done[tool] += 1
        else:
            self.lost.append((tool, answer.text))


@asynccontextmanager
async def asking(client: httpx2.AsyncClient) -> AsyncGenerator[Outcomes]:
    """Sixty-four clients that write and read while the block lasts, and what became of their calls."""
    outcomes, ended = Outcomes(), asyncio.Event()

    async def one() -> None:
        while not ended.is_set():
            for tool, arguments in (
                ("create_vcon", {"vcon_data": {"vcon": "0.4.0", "parties": [{"name": _WRITTEN}]}}),
                ("vcon_search", {"mode": "metadata", "limit": 1}),
            ):
                outcomes.take(tool, await client.post(f"/v1/tools/{tool}", json=arguments))

    async with asyncio.TaskGroup() as clients:
        for _ in range(CLIENTS):
            clients.create_task(one())
        try:
            yield outcomes
        finally:
            ended.set()


_WRITTEN: Final = "One of sixty-four"


async def test_64_clients_on_five_connections_outlive_the_pooler_and_the_database(
    migrated: OwnServer, tmp_path: Path
) -> None:
    with pooling(migrated) as pooler:
        environment = through(pooler, migrated, LOGIN, tmp_path, rate_limits="off", pool_size="5")
        async with serve_http(environment, "--workers", "2") as (process, client, _), read(process.stderr):
            async with asking(client) as undisturbed:
                await until_told(partial(_reaches, undisturbed, 200))
            async with asking(client) as disturbed:
                for stop, start in ((pooler.kill, pooler.start), (migrated.stop, migrated.start)):
                    await until_told(partial(_reaches, disturbed, disturbed.done.total() + 100))
                    await asyncio.to_thread(stop)
                    await asyncio.to_thread(start)
                await until_told(partial(_reaches, disturbed, disturbed.done.total() + 200))
            async with asking(client) as afterwards:
                await until_told(partial(_reaches, afterwards, 200))
    stored = int(
        migrated.psql(
            "select count(*) from vcontract.party where doc ->> 'name' = :'written'",
            "--set",
            f"written={_WRITTEN}",
            database="calls",
        )
    )

    assert undisturbed.lost == []
    assert afterwards.lost == []
    doubts = [(tool, said) for tool, said in disturbed.lost if "outcome_unknown" in said]
    assert {tool for tool, _ in doubts} <= {"create_vcon"}
    reported = [said for _, said in disturbed.lost if "The store cannot be reached now" in said]
    assert len(reported) + len(doubts) == len(disturbed.lost), disturbed.lost
    acknowledged = sum(asked.done["create_vcon"] for asked in (undisturbed, disturbed, afterwards))
    assert acknowledged <= stored <= acknowledged + len(doubts)


async def test_a_write_whose_commit_was_cut_off_is_settled_once_the_database_is_back(
    migrated: OwnServer, pooler: Pooler, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # time for a busy machine to start it, and less than a pooler refuses everybody by itself
    monkeypatch.setattr(commit_status, "_SETTLING_SECONDS", 12.0)
    async with serving(pooler.url(LOGIN), tmp_path, database_pooled=True, embeds=False) as app:
        # given a commit that waits for somebody who never comes
        await asyncio.to_thread(migrated.psql, "alter system set synchronous_standby_names = 'nobody'")
        await asyncio.to_thread(migrated.psql, "select pg_reload_conf()")
        stored = {"vcon_data": CONVERSATION}
        writing = asyncio.create_task(app.dispatcher.call("create_vcon", stored, Caller(tenant, ALL_SCOPES)))

        async def waits() -> bool:
            return await asyncio.to_thread(migrated.psql, _WAITS_TO_COMMIT) == "1\n"

        await until_told(waits)
        await asyncio.to_thread(migrated.psql, "alter system reset synchronous_standby_names")
        # when the database ends meanwhile, and comes back
        await asyncio.to_thread(migrated.stop)
        await asyncio.to_thread(migrated.start)
        outcome = await writing

    # then it is known what became of it
    assert not outcome.is_error, outcome.text


_WAITS_TO_COMMIT: Final = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"


@asynccontextmanager
async def read(log: asyncio.StreamReader | None) -> AsyncGenerator[None]:
    """Read what a process reports of each loss; it blocks while nobody reads."""
    assert log is not None
    reading = asyncio.create_task(log.read())
    try:
        yield
    finally:
        reading.cancel()


async def _reaches(outcomes: Outcomes, number: int) -> bool:
    return outcomes.done.total() >= number
