"""Connections as the owner of the schema, and the embedded database, which is made and migrated by it."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import asyncpg

from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import embedded, migrations
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.roles import Roles, add_login, check_prefix, check_server_role
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, schema_status
from vcontract.runtime.store.postgres.server import (
    CONNECT_SECONDS,
    check_server,
    connect,
)


@contextlib.asynccontextmanager
async def owner_connection(settings: Settings) -> AsyncGenerator[OwnerConnection]:
    """Connect as the owner of the schema, for `db status` and `db migrate`. The schema is not checked.

    Raises: StoreUnavailable.
    """
    async with contextlib.AsyncExitStack() as stack:
        if settings.database_url is None:
            cluster = EmbeddedCluster(settings.data_dir)
            stack.callback(cluster.release)
            await asyncio.to_thread(cluster.start)
            connection = await _connect_embedded(cluster)
        else:
            connection = await connect(settings, settings.database_url.get_secret_value())
        stack.push_async_callback(connection.close)
        if settings.database_pooled:
            # a pooler only keeps a transaction on one connection
            await stack.enter_async_context(connection.transaction())
        await check_server(connection)
        await check_prefix(connection, Roles.of(settings))
        # reject a login that is not the owner, because it would see no tenant's rows
        await connection.execute("select set_config('row_security', 'off', $1)", settings.database_pooled)
        yield connection


async def prepare_embedded(cluster: EmbeddedCluster) -> None:
    """Create or migrate the embedded database, and restrict the server's login."""
    connection = await _connect_embedded(cluster)
    try:
        if not (await schema_status(connection)).is_current:
            await migrations.migrate(connection)
        await add_login(connection, Roles())
        await check_server_role(connection, Roles())
    finally:
        await connection.close()


async def _connect_embedded(cluster: EmbeddedCluster) -> OwnerConnection:
    """Connect to the embedded database, and create it if the cluster is new."""
    try:
        return await asyncpg.connect(cluster.url(), timeout=CONNECT_SECONDS)
    except asyncpg.InvalidCatalogNameError:
        pass
    connection = await asyncpg.connect(cluster.url("postgres"), timeout=CONNECT_SECONDS)
    try:
        await connection.execute(f"create database {embedded.DATABASE}")
    except (asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
        pass  # another process created it meanwhile
    finally:
        await connection.close()
    return await asyncpg.connect(cluster.url(), timeout=CONNECT_SECONDS)
