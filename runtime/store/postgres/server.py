"""External PostgreSQL servers: connect, and check that one is suitable."""

import re
from typing import Final, TypedDict
from urllib.parse import urlsplit

import asyncpg

from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.certificates import certificate_trouble
from vcontract.runtime.store.postgres.error_mapping import is_lost_connection
from vcontract.runtime.store.postgres.errors import ServerUnreachable, ServerUnsuitable, StoreUnavailable
from vcontract.runtime.store.postgres.roles import Roles, check_prefix, check_server_role
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, schema_status

MIN_SERVER_VERSION: Final = 16
MIN_PGVECTOR_VERSION: Final = (0, 8)
CONTRIBUTED_EXTENSIONS: Final = ("btree_gin", "pg_trgm")
CONNECT_SECONDS: Final = 15.0
STATEMENT_SECONDS: Final = 30.0
"""Maximum duration of one statement of a call."""
CONNECTION_ERRORS: Final = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
_NAME: Final = {"application_name": "vcontract"}
_PREPARED: Final = 100
"""Maximum prepared statements of a connection, asyncpg's default."""
_PLAN_CACHE_MODE: Final = "force_custom_plan"
_TELL_OF_POOLER: Final = "set VCONTRACT_DATABASE_POOLED to true, or name the server itself"
_UNTAKEN: Final = "unsupported startup parameter"
"""PgBouncer's message about a rejected parameter."""
_EXTENSIONS: Final = """
select a.name, coalesce(a.installed_version, a.default_version) as version, n.nspname as schema
from pg_available_extensions a
left join pg_extension e on e.extname = a.name
left join pg_namespace n on n.oid = e.extnamespace
"""


async def check_server(connection: OwnerConnection) -> None:
    """Check that the server is recent enough and offers the required extensions.

    Raises: ServerUnsuitable.
    """
    version = connection.get_server_version()
    if version.major < MIN_SERVER_VERSION:
        raise ServerUnsuitable(
            f"the server runs PostgreSQL {version.major}, vcontract needs {MIN_SERVER_VERSION} or newer; "
            "upgrade the server, or unset VCONTRACT_DATABASE_URL to use the embedded one"
        )
    rows = await connection.fetch(_EXTENSIONS)
    offered: dict[str, str] = {row["name"]: row["version"] for row in rows}
    least = ".".join(map(str, MIN_PGVECTOR_VERSION))
    if "vector" not in offered:
        raise ServerUnsuitable(
            f"the server does not offer the extension pgvector; install pgvector {least} or newer on it "
            "(the package postgresql-NN-pgvector of most systems), or choose it in your provider's settings"
        )
    if tuple(int(part) for part in re.findall(r"\d+", offered["vector"])) < MIN_PGVECTOR_VERSION:
        raise ServerUnsuitable(
            f"the server has pgvector {offered['vector']}, vcontract needs {least} or newer; "
            "upgrade the package, then run in the database: alter extension vector update"
        )
    missing = [name for name in CONTRIBUTED_EXTENSIONS if name not in offered]
    if missing:
        raise ServerUnsuitable(
            f"the server does not offer the extension {' and '.join(missing)}; install PostgreSQL's own "
            "additions on it (the package postgresql-contrib of most systems)"
        )
    for row in rows:
        if row["name"] in ("vector", *CONTRIBUTED_EXTENSIONS) and row["schema"] not in (None, "public"):
            raise ServerUnsuitable(
                f"the extension {row['name']} is in the schema {row['schema']}, and vcontract looks in "
                f"public for it; who owns it may run: alter extension {row['name']} set schema public"
            )


async def check_database(settings: Settings, url: str) -> None:
    """Check that the server at `url` is suitable and its schema up to date.

    Raises: StoreUnavailable.
    """
    connection = await connect(settings, url)
    try:
        # a pooler only keeps a transaction on one connection
        async with connection.transaction(readonly=True):
            roles = Roles.of(settings)
            await check_server(connection)
            await check_prefix(connection, roles)
            (await schema_status(connection)).check()
            await check_server_role(connection, roles)
    finally:
        await connection.close()


def may_come(error: StoreUnavailable) -> bool:
    """Whether the server may become available later. A wrong password or address needs the operator."""
    cause = error.__cause__
    if cause is None or not isinstance(error, ServerUnreachable):
        return False
    return is_lost_connection(cause) or isinstance(cause, TimeoutError)


async def connect(settings: Settings, url: str) -> OwnerConnection:
    """Connect to an external server. The caller closes the connection.

    Raises: ServerUnreachable; ServerUnsuitable for a pooler that is not configured as one.
    """
    try:
        connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, **begun_with(settings, timed=False))
        if not settings.database_pooled and not await _is_as_begun(connection):
            await connection.close()
            raise ServerUnsuitable(
                f"the pooler at {_place(url)} passes over what a connection is begun with; {_TELL_OF_POOLER}"
            )
    except (ValueError, *CONNECTION_ERRORS) as error:
        raise ServerUnreachable(_trouble(url, error)) from error
    return connection


async def _is_as_begun(connection: OwnerConnection) -> bool:
    """Whether the server kept the connection's settings and prepared statements, so no pooler is in
    between.
    """
    try:
        found: str = await connection.fetchval("select current_setting('plan_cache_mode')")
    except (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError):
        return False
    return found == _PLAN_CACHE_MODE


class Beginning(TypedDict):
    """Arguments of asyncpg for a connection."""

    server_settings: dict[str, str]
    statement_cache_size: int


def begun_with(settings: Settings, *, timed: bool = True) -> Beginning:
    """Return the arguments of a connection. Without `timed`, statements have no time limit.

    A transaction pooler accepts few parameters, and prepared statements do not stay with a connection.
    """
    if settings.database_pooled:
        return {"server_settings": _NAME, "statement_cache_size": 0}
    kept = session(settings)
    if not timed:
        del kept["statement_timeout"]
    return {"server_settings": _NAME | kept, "statement_cache_size": _PREPARED}


def session(settings: Settings) -> dict[str, str]:
    """Settings of each connection, or of each transaction behind a pooler."""
    return {
        "statement_timeout": f"{STATEMENT_SECONDS * 1000:.0f}",
        "idle_in_transaction_session_timeout": "300000",
        # a generic plan knows neither the tenant nor the word, and was 50 times slower
        "plan_cache_mode": _PLAN_CACHE_MODE,
        "jit": "off",
        "timezone": "UTC",
    }


def _trouble(url: str, error: Exception) -> str:
    """Describe why connecting to the URL fails and what to do, without its password."""
    certificate = certificate_trouble(url, error)
    if certificate is not None:
        return f"cannot connect to the database at {_place(url)}: {certificate}"
    if _UNTAKEN in str(error):
        return (
            f"the pooler at {_place(url)} does not take what a connection is begun with: {error}; "
            f"{_TELL_OF_POOLER}"
        )
    if isinstance(error, ValueError):
        return (
            "VCONTRACT_DATABASE_URL is not understood; "
            "it should look like postgresql://user:password@host:5432/name"
        )
    return (
        f"cannot connect to the database at {_place(url)}: {str(error) or type(error).__name__}; "
        "check that it runs and that VCONTRACT_DATABASE_URL is right"
    )


def _place(url: str) -> str:
    """Host and database name of a URL, without its password."""
    parts = urlsplit(url)
    return f"{parts.hostname or 'the local socket'}{parts.path}"
