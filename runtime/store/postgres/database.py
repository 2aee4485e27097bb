"""Access to the database: a pool of connections, and transactions bound to a tenant."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeAlias

import asyncpg

from vcontract.runtime.frame.documents.json import parse_json
from vcontract.runtime.frame.logs import Log, note_database
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import server
from vcontract.runtime.store.postgres.awaited_server import AwaitedServer
from vcontract.runtime.store.postgres.commit_status import has_committed, write_token
from vcontract.runtime.store.postgres.consent import active_purposes, consent_sql
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.error_mapping import ELSEWHERE, is_lost_connection
from vcontract.runtime.store.postgres.errors import (
    QuotaExceeded,
    ServerUnreachable,
    StoreUnavailable,
    TenantElsewhere,
    TransactionAborted,
)
from vcontract.runtime.store.postgres.owner import prepare_embedded
from vcontract.runtime.store.postgres.pool import GRACE_SECONDS, open_pool
from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.server import (
    CONNECT_SECONDS,
    CONNECTION_ERRORS,
    begun_with,
    check_database,
    may_come,
    session,
)

_LOG = Log("database")

Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
OwnConnection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
"""A connection outside the pool, which its user closes."""

NO_TENANT = ""
"""Placeholder tenant without rows, for callers whose rights are unknown."""
DEPLOYMENT = "-"
"""Tenant of transactions that belong to none. No real tenant can have this name."""
_TENANT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")
_BEGIN_READING = "begin isolation level repeatable read read only"
_BEGIN_WRITING = "begin isolation level read committed"
# Searches are planned each time. Foreign key checks must not be, because they run for every row.
_PLAN_ONCE = "; set local plan_cache_mode = auto"
# Look-ups by key share one plan, because planning takes longer than reading the rows.
_KEEP_PLAN = "; set local plan_cache_mode = force_generic_plan"
_READY_SECONDS = 2.0
_ENDING_SECONDS = 10.0


class Database:
    """Transactions of one tenant each, under row level security. Create with `open`, end with `close`."""

    def __init__(
        self,
        settings: Settings,
        url: str,
        pool: "asyncpg.Pool[asyncpg.Record]",
        cluster: EmbeddedCluster | None,
        *,
        owner_url: str,
    ) -> None:
        self.owner_url = owner_url
        """URL of the schema's owner, who bypasses row level security: for migrations and tests."""
        self.roles = Roles.of(settings)
        """Roles of the transactions."""
        self._settings = settings
        self._url = url
        self._pool = pool
        self._cluster = cluster
        self._longest_wait = server.STATEMENT_SECONDS
        self._each_time = self.roles.become_server
        """Statement that begins every transaction."""
        if settings.database_pooled:
            self._each_time += "".join(
                f"; set local {name} = '{value}'" for name, value in session(settings).items()
            )
        self._endings: set[asyncio.Task[None]] = set()
        """Read-only transactions whose response did not wait for their end."""
        self._mending = asyncio.Lock()
        self._times_mended = 0
        self._awaited: AwaitedServer | None = None
        """None where the server could be used from the beginning."""
        self._on_written: Callable[[], None] | None = None

    @classmethod
    async def open(
        cls,
        settings: Settings,
        *,
        cluster: EmbeddedCluster | None = None,
        waits: bool = False,
        beside_others: bool = False,
    ) -> "Database":
        """Open the configured or embedded database, with a current schema.

        `cluster` replaces the embedded cluster of the settings. With `waits`, an external server may be
        unavailable: its first use checks it, and fails until then. With `beside_others`, it may also be
        unusable, because other stores are served as well. Raises: StoreUnavailable; SchemaOutOfDate if an
        external database was not migrated.
        """
        awaited = None
        async with contextlib.AsyncExitStack() as undo:
            if settings.database_url is None:
                cluster = cluster or EmbeddedCluster(settings.data_dir)
                undo.callback(cluster.release)
                await asyncio.to_thread(cluster.start)
                await prepare_embedded(cluster)
                owner_url, url = cluster.url(), cluster.url(user=Roles().login)
            else:
                cluster = None
                owner_url = url = settings.database_url.get_secret_value()
                # Callers with more to load do that first, so it does not count as connection time.
                await asyncio.sleep(0)
                try:
                    await check_database(settings, url)
                except StoreUnavailable as error:
                    if not beside_others and not (waits and may_come(error)):
                        raise
                    _LOG.error("the database cannot be used yet", error)
                    awaited = AwaitedServer(settings, url, error)
            pool = await open_pool(settings, url)
            undo.pop_all()
            opened = cls(settings, url, pool, cluster, owner_url=owner_url)
            opened._awaited = awaited
            return opened

    async def when_reached(self, first: Callable[[], Awaitable[None]]) -> None:
        """Run this before anything else uses the database: now, or when it is first reached."""
        if self._awaited is None or self._awaited.is_reached:
            await first()
        else:
            self._awaited.first = first

    def when_written(self, on_written: Callable[[], None]) -> None:
        """Call this after each transaction that wrote something."""
        self._on_written = on_written

    @property
    def is_embedded(self) -> bool:
        """Whether the server is the embedded one on this machine."""
        return self._cluster is not None

    @property
    def is_pooled(self) -> bool:
        """Whether a pooler is in front of the server, so that sessions are shared."""
        return self._settings.database_pooled

    @property
    def purposes(self) -> tuple[str, ...]:
        """Current purposes of reads, in order."""
        return active_purposes(self._settings)

    async def purposes_and_withheld(self, tenant: str) -> tuple[str, ...]:
        """Current purposes and a digest of what consent withholds: a key for what is kept of reads."""
        if not self.purposes:
            return ()
        async with self.reading(tenant) as connection:
            withheld = await connection.fetchval(
                "select md5(string_agg(w::text, '' order by w)) from vcontract.withheld() w"
            )
        return (*self.purposes, withheld or "")

    @property
    def consent(self) -> tuple[tuple[str, ...], bool]:
        """Purposes, and whether every party must consent to them."""
        return self.purposes, self._settings.consent_required

    def reading(
        self, tenant: str, *, by_key: bool = False
    ) -> contextlib.AbstractAsyncContextManager[Connection]:
        """Open a read-only transaction on the tenant's rows, as of its first query.

        With `by_key`, plans are cached, because one plan suits every key. Raises: ValueError for a malformed
        tenant name.
        """
        return self._transaction(tenant, writes=False, plans=_KEEP_PLAN if by_key else "")

    def writing(
        self, tenant: str, within: "Connection | None" = None
    ) -> contextlib.AbstractAsyncContextManager[Connection]:
        """Open a transaction on the tenant's rows, which commits if the block ends without an error.

        With `within`, use that transaction, which its owner ends. Raises: ValueError for a malformed tenant
        name; QuotaExceeded; TransactionAborted if the block swallowed an error of the database (use
        `savepoint` around a statement that may fail).
        """
        if within is not None:
            return contextlib.nullcontext(within)
        return self._transaction(tenant, writes=True, plans=_PLAN_ONCE)

    @property
    def connections(self) -> tuple[int, int]:
        """Numbers of idle and used connections of the pool."""
        idle = self._pool.get_idle_size()
        return idle, self._pool.get_size() - idle

    async def answers(self) -> bool:
        """Whether the database is available now."""
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await self._reach()
                await self._pool.fetchval("select 1")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError, StoreUnavailable):
            return False
        return True

    async def connect(self, seconds: float) -> OwnConnection:
        """Open a connection like those of the pool. The caller closes it and sets its own time limit.

        `seconds` is that limit. A statement that takes some seconds longer fails.
        """
        await self._reach()
        return await asyncpg.connect(
            self._url,
            timeout=CONNECT_SECONDS,
            command_timeout=seconds + GRACE_SECONDS,
            **begun_with(self._settings, timed=False),
        )

    def beginning_to_read(self, tenant: str) -> str:
        """Return the statements that begin a read-only transaction of a tenant.

        Raises: ValueError for a malformed tenant name.
        """
        return self._beginning(tenant, writes=False)

    async def close(self) -> None:
        """Wait for open transactions, close every connection, and release the embedded cluster.

        Transactions that exceed the statement limit and a grace time are cut off.
        """
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._longest_wait + GRACE_SECONDS):
                    await self._pool.close()
        finally:
            if self._cluster is not None:
                self._cluster.release()

    @contextlib.asynccontextmanager
    async def _transaction(self, tenant: str, *, writes: bool, plans: str) -> AsyncGenerator[Connection]:
        started = time.perf_counter()
        try:
            async with self._open(tenant, writes=writes, plans=plans) as connection:
                yield connection
        finally:
            note_database(time.perf_counter() - started)

    @contextlib.asynccontextmanager
    async def _open(self, tenant: str, *, writes: bool, plans: str) -> AsyncGenerator[Connection]:
        if writes and self._cluster is not None and not self._cluster.reserve.check():
            await asyncio.to_thread(self._cluster.reserve.keep)
        connection = await self._begin(self._beginning(tenant, writes=writes, plans=plans), tenant)
        try:
            yield connection
            if writes:
                await self._commit(connection, tenant)
        except BaseException as error:
            # shielded: a second cancellation must not leave an open transaction in the pool
            await asyncio.shield(self._abandon(connection, error))
            raise
        if writes:
            await self._pool.release(connection)
        else:
            self._end_later(connection)

    def _end_later(self, connection: Connection) -> None:
        """End a read-only transaction in the background while its response is sent. Nothing can be lost."""
        ending = asyncio.create_task(self._give_back(connection, "commit"))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _commit(self, connection: Connection, tenant: str) -> None:
        """Commit. If the reply is lost, ask the server whether it committed.

        Raises: TransactionAborted; QuotaExceeded; OutcomeUnknown.
        """
        try:
            written = await write_token(connection)
        except asyncpg.InFailedSQLTransactionError:
            message = "a failed statement undid this transaction, and its error was swallowed"
            raise TransactionAborted(message) from None
        if written is not None and written.over_quota is not None:
            raise QuotaExceeded(tenant, **parse_json(written.over_quota))
        try:
            await connection.execute("commit")
        except CONNECTION_ERRORS as error:
            if written is None or not (is_lost_connection(error) or isinstance(error, TimeoutError)):
                raise
            with contextlib.suppress(asyncpg.InterfaceError):
                connection.terminate()
            if not await has_committed(written, lambda: self.reading(tenant)):
                raise
        if self._on_written is not None and written is not None:
            self._on_written()

    def _beginning(self, tenant: str, *, writes: bool, plans: str = "") -> str:
        """Combine several commands into one simple query to save round trips. Checked names need no
        quoting.
        """
        if tenant == NO_TENANT:
            raise ServerUnreachable("who calls could not be learnt, for the database is not there")
        if tenant != DEPLOYMENT:
            check_tenant(tenant)
        begin = _BEGIN_WRITING if writes else _BEGIN_READING
        begun = f"{begin}; {self._each_time}; set local vcontract.tenant = '{tenant}'"
        entered = f"; select vcontract.enter_tenant({writes})"
        return f"{begun}{consent_sql(self._settings)}{plans}{entered}"

    async def _reach(self) -> None:
        """Raises: StoreUnavailable."""
        if self._awaited is not None:
            await self._awaited.reach()

    async def _begin(self, statement: str, tenant: str) -> Connection:
        """Begin a transaction. Raises: TenantElsewhere."""
        await self._reach()
        times_mended = self._times_mended
        try:
            return await self._try_begin(statement)
        except CONNECTION_ERRORS as error:
            if isinstance(error, asyncpg.PostgresError) and error.sqlstate == ELSEWHERE:
                raise TenantElsewhere(tenant, error.detail) from error
            if not is_lost_connection(error):
                raise
        await self._mend(times_mended)
        return await self._try_begin(statement)

    async def _try_begin(self, statement: str) -> Connection:
        connection = await self._pool.acquire(timeout=self._longest_wait)
        try:
            await connection.execute(statement)
        except BaseException as error:
            await asyncio.shield(self._abandon(connection, error))
            raise
        return connection

    async def _abandon(self, connection: Connection, error: BaseException) -> None:
        # a server that timed out will not process a rollback
        await self._give_back(connection, None if isinstance(error, TimeoutError) else "rollback")

    async def _give_back(self, connection: Connection, ending: str | None) -> None:
        """Return a connection to the pool after the statement that ends its transaction.

        It is closed if that fails, or if there is no such statement.
        """
        try:
            if ending is None:
                connection.terminate()
            else:
                await connection.execute(ending, timeout=_ENDING_SECONDS)
        except CONNECTION_ERRORS:
            # a lost connection rejects even this; the pool has already taken it back
            with contextlib.suppress(asyncpg.InterfaceError):
                connection.terminate()
        finally:
            await self._pool.release(connection)

    async def _mend(self, times_mended: int) -> None:
        """Recover from a lost connection: restart the embedded server if needed, and discard old
        connections.
        """
        async with self._mending:
            if self._times_mended != times_mended:
                return  # another call has done so since ours failed
            if self._cluster is not None:
                await asyncio.to_thread(self._cluster.start)
            await self._pool.expire_connections()
            self._times_mended += 1


@contextlib.asynccontextmanager
async def savepoint(connection: Connection) -> AsyncGenerator[None]:
    """Undo only this block if it raises; `connection.transaction()` does not nest in our transactions."""
    await connection.execute("savepoint block")
    try:
        yield
    except BaseException:
        with contextlib.suppress(*CONNECTION_ERRORS):  # the first error says more than that one
            await connection.execute(
                "rollback to savepoint block; release savepoint block", timeout=_ENDING_SECONDS
            )
        raise
    await connection.execute("release savepoint block")


def is_tenant(name: str) -> bool:
    """Whether this is a valid tenant name."""
    return _TENANT.fullmatch(name) is not None


def check_tenant(tenant: str) -> None:
    """Check a tenant name.

    Raises: ValueError.
    """
    if not is_tenant(tenant):
        raise ValueError(
            f"{tenant!r} is not a tenant's name; allowed are 1 to 63 small letters, digits, "
            "'_', '.' and '-', the first a letter or digit"
        )
