"""Transactions, the pool, and what a server has to bring."""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import asyncpg
import pytest
from asyncpg.connection import LoggedQuery
from pydantic import SecretStr

from tests.conftest import PATIENCE
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import database as database_module
from vcontract.runtime.store.postgres import pool, reserve, server
from vcontract.runtime.store.postgres.database import Database, savepoint
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.errors import (
    EmbeddedDiskFull,
    SchemaOutOfDate,
    ServerUnreachable,
    ServerUnsuitable,
    TransactionAborted,
)
from vcontract.runtime.store.postgres.owner import owner_connection
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.server import CONNECTION_ERRORS, check_server


@pytest.fixture(scope="module")
async def owner(database: Database) -> AsyncIterator[OwnerConnection]:
    """The owner's connection to the module's database, which gets a table bound by row level security."""
    connection = await asyncpg.connect(database.owner_url)
    await connection.execute(
        """
        create table note (tenant text not null, body text not null unique);
        alter table note enable row level security;
        create policy own_tenant on note to vcontract_server
            using (tenant = current_setting('vcontract.tenant', true));
        grant select, insert on note to vcontract_server
        """
    )
    yield connection
    await connection.close()


@pytest.fixture
async def narrow(owner: OwnerConnection, settings: Settings) -> AsyncIterator[Database]:
    """The module's database through a single connection: whatever spoils it spoils the next call."""
    opened = await Database.open(settings.model_copy(update={"pool_size": 1}))
    yield opened
    await opened.close()


async def _bodies(database: Database, tenant: str) -> list[str]:
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select body from note order by body")
    return [row["body"] for row in rows]


async def _write(database: Database, tenant: str, body: str) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute("insert into note values ($1, $2)", tenant, body)


async def _wait_until(claim: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if claim():
                return
            await asyncio.sleep(0.002)


async def _wait_for_activity(owner: OwnerConnection, query: str, count: int) -> None:
    """Until so many connections of the server role run the query."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await owner.fetchval(
                "select count(*) from pg_stat_activity where query = $1 and state = 'active'"
                " and datname = current_database()",
                query,
            )
            if found == count:
                return
            await asyncio.sleep(0.002)


async def test_a_transaction_runs_as_the_server_role_with_its_tenant(database: Database, tenant: str) -> None:
    async with database.reading(tenant) as connection:
        row = await connection.fetchrow(
            "select current_user, current_setting('vcontract.tenant') as tenant,"
            " current_setting('transaction_read_only') as read_only,"
            " current_setting('plan_cache_mode') as plans, current_setting('jit') as jit"
        )
    assert row is not None
    assert dict(row) == {
        "current_user": "vcontract_server",
        "tenant": tenant,
        "read_only": "on",
        "plans": "force_custom_plan",
        "jit": "off",
    }


async def test_opening_a_transaction_is_one_request(narrow: Database, tenant: str) -> None:
    # given the pool's connection, watched
    requests: list[str] = []

    def note(record: LoggedQuery) -> None:
        requests.append(record.query)

    async with narrow.reading(tenant) as connection:
        connection.add_query_logger(note)
    # when a transaction reads once
    async with narrow.reading(tenant) as connection:
        await connection.fetchval("select 1")
    # then it took three requests: begin with the tenant, the query, and, behind the answer, commit
    await _wait_until(lambda: len(requests) >= 4)
    assert requests == [
        "commit",
        "begin isolation level repeatable read read only; set local role vcontract_server; "
        f"set local vcontract.tenant = '{tenant}'; select vcontract.enter_tenant(False)",
        "select 1",
        "commit",
    ]


async def test_the_plan_of_what_is_found_by_its_key_is_kept(database: Database, tenant: str) -> None:
    async with database.reading(tenant, by_key=True) as connection:
        assert await connection.fetchval("select current_setting('plan_cache_mode')") == "force_generic_plan"


async def test_nothing_of_a_tenant_stays_with_the_connection(narrow: Database, tenant: str) -> None:
    async with narrow.reading(tenant):
        pass
    pool = narrow._pool  # pyright: ignore[reportPrivateUsage]  # the same connection, outside any transaction
    async with pool.acquire() as connection:
        assert await connection.fetchval("select current_setting('vcontract.tenant', true)") == ""


async def test_a_tenant_sees_its_own_rows_only(
    owner: OwnerConnection, database: Database, tenant: str
) -> None:
    await _write(database, tenant, f"of {tenant}")
    assert await _bodies(database, tenant) == [f"of {tenant}"]
    assert await _bodies(database, "someone.else") == []


async def test_a_row_for_another_tenant_is_refused(
    owner: OwnerConnection, database: Database, tenant: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with database.writing(tenant) as connection:
            await connection.execute("insert into note values ('someone.else', $1)", tenant)


async def test_a_reading_transaction_cannot_write(
    owner: OwnerConnection, database: Database, tenant: str
) -> None:
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        async with database.reading(tenant) as connection:
            await connection.execute("insert into note values ($1, $1)", tenant)


async def test_what_a_block_wrote_before_it_raised_is_undone(narrow: Database, tenant: str) -> None:
    async def fail() -> None:
        async with narrow.writing(tenant) as connection:
            await connection.execute("insert into note values ($1, $1)", tenant)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert await _bodies(narrow, tenant) == []


async def test_a_swallowed_error_does_not_pass_for_a_commit(narrow: Database, tenant: str) -> None:
    async def swallow() -> None:
        async with narrow.writing(tenant) as connection:
            await connection.execute("insert into note values ($1, $1)", tenant)
            with contextlib.suppress(asyncpg.UniqueViolationError):
                await connection.execute("insert into note values ($1, $1)", tenant)

    with pytest.raises(TransactionAborted):
        await swallow()
    assert await _bodies(narrow, tenant) == []


async def test_a_savepoint_undoes_its_own_block_only(narrow: Database, tenant: str) -> None:
    async with narrow.writing(tenant) as connection:
        await connection.execute("insert into note values ($1, $2)", tenant, f"{tenant} 1")
        async with savepoint(connection):
            await connection.execute("insert into note values ($1, $2)", tenant, f"{tenant} 2")
            with contextlib.suppress(asyncpg.UniqueViolationError):
                async with savepoint(connection):
                    await connection.execute("insert into note values ($1, $2)", tenant, f"{tenant} 3")
                    await connection.execute("insert into note values ($1, $2)", tenant, f"{tenant} 1")
    assert await _bodies(narrow, tenant) == [f"{tenant} 1", f"{tenant} 2"]


@pytest.mark.parametrize(
    "name", ["A", "-a", ".a", "a b", "a'; drop table note; --", "a\n", "ä", "a" * 64, "a/b"]
)
async def test_a_malformed_tenant_is_refused(database: Database, name: str) -> None:
    for opening in (database.reading, database.writing):
        with pytest.raises(ValueError, match="is not a tenant's name; allowed are"):
            async with opening(name):
                pass


@pytest.mark.parametrize("name", ["0", "a", "default", "a.b-c_d", "a" * 63])
async def test_a_well_formed_tenant_is_taken(database: Database, name: str) -> None:
    async with database.reading(name) as connection:
        assert await connection.fetchval("select current_setting('vcontract.tenant')") == name


async def test_cancelling_a_call_cancels_its_query_and_frees_the_connection(
    owner: OwnerConnection, narrow: Database, tenant: str
) -> None:
    # given a call in the middle of a long query, on the only connection
    query = f"select pg_sleep(600) /* {tenant} */"

    async def call() -> None:
        async with narrow.writing(tenant) as connection:
            await connection.execute("insert into note values ($1, $1)", tenant)
            await connection.fetchval(query)

    task = asyncio.create_task(call())
    await _wait_for_activity(owner, query, 1)
    # when it is cancelled
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # then the server works on it no longer, nothing was written, and the connection serves the next call
    await _wait_for_activity(owner, query, 0)
    assert await _bodies(narrow, tenant) == []


async def test_a_call_cancelled_twice_leaves_no_open_transaction(
    owner: OwnerConnection, narrow: Database, tenant: str
) -> None:
    query = f"select pg_sleep(600) /* twice {tenant} */"

    async def call() -> None:
        async with narrow.reading(tenant) as connection:
            await connection.fetchval(query)

    # asyncpg complains to the loop when a connection comes back with its transaction open
    complaints: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: complaints.append(context["message"]))
    task = asyncio.create_task(call())
    await _wait_for_activity(owner, query, 1)
    task.cancel()
    await asyncio.sleep(0)  # into the clearing up
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await _bodies(narrow, tenant) == []
    loop.set_exception_handler(None)
    assert complaints == []


async def test_a_statement_that_takes_too_long_is_a_timeout(
    settings: Settings, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 2.0)
    hasty = await Database.open(settings.model_copy(update={"pool_size": 1}))
    try:
        with pytest.raises(asyncpg.QueryCanceledError) as caught:
            async with hasty.reading(tenant) as connection:
                await connection.fetchval("select pg_sleep(600)")
        fault = classify(caught.value)
        assert fault is not None
        assert (fault.reason, fault.retryable) == ("timeout", True)
        async with hasty.reading(tenant) as connection:
            assert await connection.fetchval("select 1") == 1
    finally:
        await hasty.close()


async def test_a_call_does_not_wait_for_ever_for_a_connection(
    settings: Settings, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 2.0)
    hasty = await Database.open(settings.model_copy(update={"pool_size": 1}))
    try:
        async with hasty.reading(tenant):
            with pytest.raises(TimeoutError):
                async with hasty.reading(tenant):
                    pass
    finally:
        await hasty.close()


async def test_a_connection_lost_between_calls_is_not_noticed(
    owner: OwnerConnection, narrow: Database, tenant: str
) -> None:
    async with narrow.reading(tenant) as connection:
        before = connection.get_server_pid()
    await owner.execute("select pg_terminate_backend($1, 60000)", before)
    async with narrow.reading(tenant) as connection:
        assert connection.get_server_pid() != before


@pytest.mark.parametrize("turns", range(5))
async def test_a_loss_that_is_only_half_noticed_is_made_good(
    settings: Settings, narrow: Database, tenant: str, turns: int
) -> None:
    async with narrow.reading(tenant) as connection:
        lost = connection.get_server_pid()
    # given the server's farewell and the end of the stream, both waiting to be read
    _terminate(settings, lost)
    # when the event loop has read none, one or both of them
    for _ in range(turns):
        await asyncio.sleep(0)
    # then the next call works
    async with narrow.reading(tenant) as connection:
        assert connection.get_server_pid() != lost


def _terminate(settings: Settings, pid: int) -> None:
    """End a server process and wait for it, in an event loop of its own: ours sees nothing meanwhile."""
    assert settings.database_url is not None
    url = settings.database_url.get_secret_value()

    async def terminate() -> None:
        connection: OwnerConnection = await asyncpg.connect(url)
        await connection.execute("select pg_terminate_backend($1, 60000)", pid)
        await connection.close()

    thread = threading.Thread(target=asyncio.run, args=(terminate(),))
    thread.start()
    thread.join()


async def test_a_connection_lost_within_a_call_fails_that_call_only(
    owner: OwnerConnection, narrow: Database, tenant: str
) -> None:
    async def lose() -> None:
        async with narrow.writing(tenant) as connection:
            await connection.execute("insert into note values ($1, $1)", tenant)
            async with savepoint(connection):
                await owner.execute("select pg_terminate_backend($1, 60000)", connection.get_server_pid())
                await connection.fetchval("select 1")

    with pytest.raises(CONNECTION_ERRORS) as caught:
        await lose()
    fault = classify(caught.value)
    assert fault is not None
    assert (fault.reason, fault.retryable) == ("unavailable", True)
    assert await _bodies(narrow, tenant) == []


async def test_what_was_read_is_answered_before_its_transaction_has_ended(
    owner: OwnerConnection, narrow: Database, tenant: str
) -> None:
    # given a read, when the server is lost after the last row of it
    async with narrow.reading(tenant) as connection:
        assert await connection.fetchval("select 1") == 1
        await owner.execute("select pg_terminate_backend($1, 60000)", connection.get_server_pid())
    # then it was answered, and the only connection is made anew for the next
    async with narrow.reading(tenant) as connection:
        assert await connection.fetchval("select 1") == 1


async def test_json_comes_back_as_the_text_that_went_in(database: Database, tenant: str) -> None:
    text = '{ "b": 1.10, "a": 123456789012345678901234567890, "b": null, "c": "\\u00e9" }'
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("select $1::json", text) == text
        binary = await connection.fetchval("select $1::jsonb", '{"a": [1, 2]}')
    assert isinstance(binary, str)
    assert json.loads(binary) == {"a": [1, 2]}


async def test_tsvector_and_uuid_go_through_unharmed(database: Database, tenant: str) -> None:
    identity = uuid.uuid4()
    async with database.reading(tenant) as connection:
        words = await connection.fetchval("select to_tsvector('english', 'refund the invoices')")
        assert isinstance(words, bytes)
        assert await connection.fetchval("select $1::tsvector::text", words) == "'invoic':3 'refund':1"
        found = await connection.fetchval("select $1::uuid", identity)
    assert isinstance(found, uuid.UUID)
    assert found == identity


async def test_a_closed_database_takes_no_calls(settings: Settings, tenant: str) -> None:
    opened = await Database.open(settings)
    await opened.close()
    with pytest.raises(asyncpg.InterfaceError):
        async with opened.reading(tenant):
            pass


@pytest.fixture
async def empty_url(make_empty_database: Callable[[], Awaitable[str]]) -> str:
    """The owner's URL of a database without our schema."""
    return await make_empty_database()


async def test_an_external_database_that_was_not_migrated_names_the_command(
    empty_url: str, settings: Settings
) -> None:
    unprepared = settings.model_copy(update={"database_url": SecretStr(empty_url)})
    with pytest.raises(SchemaOutOfDate, match=r"lacks 0001_store\.sql.*; run: vcontract db migrate"):
        await Database.open(unprepared)
    async with owner_connection(unprepared) as connection:
        assert await connection.fetchval("select to_regclass('vcontract.vcon')") is None


async def test_the_time_to_connect_begins_when_the_opener_has_loaded_what_it_loads_meanwhile(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[str] = []
    connect = asyncpg.connect

    async def noting(url: str, **options: Any) -> object:
        attempts.append(url)
        return await connect(url, **options)

    monkeypatch.setattr(asyncpg, "connect", noting)
    opening = asyncio.create_task(Database.open(settings))
    await asyncio.sleep(0)
    before = list(attempts)
    await (await opening).close()

    assert before == []
    assert attempts


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "postgresql://me:secret@localhost:1/vcontract",
            "cannot connect to the database at localhost/vcontract",
        ),
        ("postgresql://me:secret@host.invalid/vcontract", "cannot connect to the database at host.invalid"),
        ("mysql://me:secret@localhost/vcontract", "VCONTRACT_DATABASE_URL is not understood"),
        ("me:secret@localhost", "VCONTRACT_DATABASE_URL is not understood"),
        ("postgresql://me:secret@localhost:port/x", "VCONTRACT_DATABASE_URL is not understood"),
    ],
)
async def test_a_server_that_cannot_be_reached_is_named_without_its_password(
    settings: Settings, url: str, message: str
) -> None:
    with pytest.raises(ServerUnreachable) as caught:
        await Database.open(settings.model_copy(update={"database_url": SecretStr(url)}))
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


class _Server:
    """A server of another make; we have no old ones to ask."""

    def __init__(self, major: int, extensions: dict[str, str], schema: str | None = None) -> None:
        self._major = major
        self._extensions = extensions
        self._schema = schema

    def get_server_version(self) -> asyncpg.ServerVersion:
        return asyncpg.ServerVersion(self._major, 0, 0, "final", 0)

    async def fetch(self, _query: str) -> list[dict[str, str | None]]:
        return [
            {"name": name, "version": version, "schema": self._schema}
            for name, version in self._extensions.items()
        ]


OWN_EXTENSIONS = {"btree_gin": "1.3", "pg_trgm": "1.6"}


@pytest.mark.parametrize(
    ("major", "extensions", "message"),
    [
        (
            15,
            {**OWN_EXTENSIONS, "vector": "0.8.0"},
            "runs PostgreSQL 15, vcontract needs 16 or newer; upgrade the server",
        ),
        (16, OWN_EXTENSIONS, "does not offer the extension pgvector; install pgvector 0.8 or newer"),
        (
            18,
            {**OWN_EXTENSIONS, "vector": "0.7.4"},
            "has pgvector 0.7.4, vcontract needs 0.8 or newer; upgrade",
        ),
        (18, {"vector": "0.8.6"}, "does not offer the extension btree_gin and pg_trgm; install"),
    ],
)
async def test_an_unsuitable_server_is_refused_with_the_cure(
    major: int, extensions: dict[str, str], message: str
) -> None:
    with pytest.raises(ServerUnsuitable, match=message):
        await check_server(cast(OwnerConnection, _Server(major, extensions)))


async def test_an_extension_out_of_sight_is_named_with_the_cure() -> None:
    server = _Server(17, {**OWN_EXTENSIONS, "vector": "0.8.0"}, "extensions")
    with pytest.raises(ServerUnsuitable, match="alter extension btree_gin set schema public"):
        await check_server(cast(OwnerConnection, server))


@pytest.mark.parametrize(("major", "pgvector"), [(16, "0.8.0"), (17, "0.10.1"), (19, "1.0")])
async def test_a_recent_server_is_suitable(major: int, pgvector: str) -> None:
    await check_server(cast(OwnerConnection, _Server(major, {**OWN_EXTENSIONS, "vector": pgvector})))


# The embedded database, with a cluster of its own: these tests kill it.


@pytest.fixture
async def embedded_settings(own_data_dir: Path) -> Settings:
    return Settings(data_dir=own_data_dir, database_url=None, pool_size=2)


@pytest.fixture
async def own_cluster(own_data_dir: Path) -> AsyncIterator[EmbeddedCluster]:
    cluster = EmbeddedCluster(own_data_dir, options={"shared_buffers": "16MB"}, linger=0)
    yield cluster
    await asyncio.to_thread(cluster.stop)


async def test_an_embedded_database_is_made_and_migrated_by_opening_it(tmp_path: Path, tenant: str) -> None:
    # given several servers that start at once on an empty folder
    settings = Settings(data_dir=tmp_path, database_url=None, pool_size=2)
    opened = await asyncio.gather(
        *(Database.open(settings, cluster=EmbeddedCluster(tmp_path, linger=0)) for _ in range(4))
    )
    # then all of them work, on one database
    for database in opened:
        async with database.reading(tenant) as connection:
            assert await connection.fetchval("select count(*) from vcontract.vcon") == 0
    # and the last one takes the server with it
    for database in opened:
        await database.close()
    cluster = EmbeddedCluster(tmp_path, linger=0)
    await asyncio.to_thread(cluster.stop)
    assert not (cluster.data / "postmaster.pid").exists()


async def test_the_next_call_works_after_the_postmaster_was_killed(
    embedded_settings: Settings, own_cluster: EmbeddedCluster, tenant: str
) -> None:
    # given a server in use, with as many open connections as it may have
    database = await Database.open(embedded_settings, cluster=own_cluster)
    async with database.writing(tenant) as connection, database.reading(tenant):
        await connection.execute("insert into vcontract.spelling (tenant, word) values ($1, 'kept')", tenant)
    postmaster = int((own_cluster.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    # when its postmaster is killed, and its processes have followed
    os.kill(postmaster, signal.SIGKILL)
    await _wait_until(lambda: not _is_served(own_cluster))

    # then calls work as if nothing had happened, several at once, and what was committed is there
    async def read() -> str:
        async with database.reading(tenant) as connection:
            return str(
                await connection.fetchval("select word from vcontract.spelling where tenant = $1", tenant)
            )

    assert await asyncio.gather(*(read() for _ in range(8))) == ["kept"] * 8
    await database.close()


@contextlib.contextmanager
def _frozen(cluster: EmbeddedCluster) -> Generator[None]:
    """While nothing of the database's server runs, as when the way to it is cut without a word."""
    postmaster = int((cluster.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    children = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [shutil.which("ps") or "ps", "-o", "pid=", "--ppid", str(postmaster)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    processes = [postmaster, *map(int, children)]
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # one that ended meanwhile
            os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            # the postmaster goes on first, and may have ended one meanwhile
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


async def _read(database: Database, tenant: str) -> None:
    """Read, however often a busy machine needs more than the little time that this database is given."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                async with database.reading(tenant) as connection:
                    assert await connection.fetchval("select 1") == 1
                    return
            except Exception as error:
                fault = classify(error)
                if fault is None or fault.reason != "timeout":
                    raise


@pytest.mark.parametrize("moment", ["before", "within", "savepoint", "commit", "new connection"])
async def test_a_server_that_stands_still_is_not_waited_for_and_works_when_it_goes_on(
    moment: str,
    embedded_settings: Settings,
    own_cluster: EmbeddedCluster,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(database_module, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(database_module, "_ENDING_SECONDS", 0.2)
    monkeypatch.setattr(server, "STATEMENT_SECONDS", 0.2)
    hurried = embedded_settings.model_copy(update={"pool_size": 1})
    database = await Database.open(hurried, cluster=own_cluster)
    if moment != "new connection":
        await _read(database, tenant)

    async def meet_it(freezing: contextlib.ExitStack) -> None:
        if moment in ("before", "new connection"):
            freezing.enter_context(_frozen(own_cluster))
        async with database.writing(tenant) as connection:
            await connection.execute(
                "insert into vcontract.spelling (tenant, word) values ($1, 'lost')", tenant
            )
            if moment != "savepoint":
                freezing.enter_context(_frozen(own_cluster))
            if moment == "commit":
                return
            async with savepoint(connection):
                if moment == "savepoint":
                    freezing.enter_context(_frozen(own_cluster))
                await connection.fetchval("select 1")

    with contextlib.ExitStack() as freezing:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - what matters is how it is classified
            await asyncio.wait_for(meet_it(freezing), PATIENCE)
        fault = classify(caught.value)
        assert fault is not None
        assert fault.reason == "timeout"

    await _read(database, tenant)
    with _frozen(own_cluster):
        await asyncio.wait_for(database.close(), PATIENCE)


async def test_an_embedded_database_that_cannot_come_back_is_unavailable(
    embedded_settings: Settings, own_cluster: EmbeddedCluster, tenant: str
) -> None:
    database = await Database.open(embedded_settings, cluster=own_cluster)
    postmaster = int((own_cluster.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    version = (own_cluster.data / "PG_VERSION").read_text(encoding="ascii")
    (own_cluster.data / "PG_VERSION").write_text("9\n", encoding="ascii")
    os.kill(postmaster, signal.SIGKILL)
    await _wait_until(lambda: not _is_served(own_cluster))
    with pytest.raises(Exception, match="made by PostgreSQL 9") as caught:
        async with database.reading(tenant):
            pass
    fault = classify(caught.value)
    assert fault is not None
    assert fault.reason == "unavailable"
    # and when the cause is gone, so is the trouble
    (own_cluster.data / "PG_VERSION").write_text(version, encoding="ascii")
    async with database.reading(tenant) as connection:
        assert await connection.fetchval("select 1") == 1
    await database.close()


async def test_a_disk_without_room_is_read_and_written_again_once_the_reserve_is_back(
    embedded_settings: Settings, own_cluster: EmbeddedCluster, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await Database.open(embedded_settings, cluster=own_cluster)
    for free, is_kept, written in (
        (reserve.MIN_FREE_BYTES, True, True),
        (reserve.MIN_FREE_BYTES - 1, True, False),
        (reserve.MIN_FREE_BYTES + reserve.RESERVE_BYTES - 1, False, False),
        (reserve.MIN_FREE_BYTES + reserve.RESERVE_BYTES, False, True),
    ):
        if not is_kept:
            own_cluster.reserve.file.unlink(missing_ok=True)
        monkeypatch.setattr(reserve, "free_bytes", Mock(return_value=free))
        await _read(database, tenant)
        with contextlib.nullcontext() if written else pytest.raises(EmbeddedDiskFull, match="make room"):
            async with database.writing(tenant):
                pass
        assert own_cluster.reserve.file.exists() == (is_kept or written)
    await database.close()


def _is_served(cluster: EmbeddedCluster) -> bool:
    with open(cluster.folder / "server.lock", "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
