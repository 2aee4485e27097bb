"""Sandboxed connection for queries written by clients, with time and memory limits."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncGenerator
from typing import Final

import asyncpg

from vcontract.runtime.store.postgres.database import Database, OwnConnection

STATEMENT_TIMEOUT_MS: Final = 5000
LOCK_TIMEOUT_MS: Final = 100
TURN_TIMEOUT_MS: Final = 4000
"""Maximum wait for another query, in any process of the store."""
TEMPORARY_FILES_KB: Final = 64 * 1024
MEMORY_BYTES: Final = 256 * 1024 * 1024
"""Memory limit of the process that runs the query, without shared memory."""

_CLOSING_SECONDS: Final = 10.0
_LOWEST_PRIORITY: Final = 19
_TURN: Final = """
set local lock_timeout = {lock};
select pg_advisory_xact_lock(hashtext('vcontract.analyze_query'));
"""

_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def analyst_connection(database: Database, tenant: str) -> AsyncGenerator[OwnConnection]:
    """Open a read-only transaction on the tenant's conversations, on a connection of its own."""
    connection = await database.connect(STATEMENT_TIMEOUT_MS / 1000)
    try:
        if database.is_embedded:
            limit_memory(connection.get_server_pid())
            lower_priority(connection.get_server_pid())
        await connection.execute(database.beginning_to_read(tenant))
        # PostgreSQL evaluates constant expressions without checking for cancellation, so its process may
        # outlive the caller's response. Until it ends, no other query is analyzed.
        await connection.execute(_TURN.format(lock=TURN_TIMEOUT_MS))
        restrictions = RESTRICTIONS.format(
            statement=STATEMENT_TIMEOUT_MS, lock=LOCK_TIMEOUT_MS, files=TEMPORARY_FILES_KB
        )
        await connection.execute(database.roles.within(restrictions))
        yield connection
    finally:
        # closing rolls back; shielded, so that a cancelled call leaves no running query behind
        await asyncio.shield(_close(connection))


def limit_memory(process: int) -> None:
    """Limit the memory of a PostgreSQL process, so that its next allocation fails. Linux only.

    RLIMIT_DATA counts neither shared memory nor the stack. A stack that cannot grow would crash the process;
    a failed allocation is an error of one query. Source: getrlimit(2) and prlimit(2) of the Linux manual.
    """
    if sys.platform != "linux":
        return
    import resource  # not on every platform

    try:
        resource.prlimit(process, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    except OSError as error:
        _log.warning("a query is analyzed without a bound on its memory", extra={"cause": str(error)})


def lower_priority(process: int) -> None:
    """Lower a process's priority, because a query in a loop may be impossible to stop."""
    with contextlib.suppress(AttributeError, OSError):  # not on every platform
        os.setpriority(os.PRIO_PROCESS, process, _LOWEST_PRIORITY)


async def _close(connection: OwnConnection) -> None:
    try:
        await connection.close(timeout=_CLOSING_SECONDS)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        connection.terminate()


# A role may limit its temporary files only if a superuser granted it that setting.
RESTRICTIONS: Final = """
set local role vcontract_analyst;
set local search_path = pg_catalog, vcontract;
set local statement_timeout = {statement};
set local lock_timeout = {lock};
set local max_parallel_workers_per_gather = 0;
set local standard_conforming_strings = on;
select set_config('temp_file_limit', '{files}', true) where has_parameter_privilege('temp_file_limit', 'set');
"""
