"""Migrate a database's schema: numbered files applied once, functions recreated."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import metadata

import asyncpg

from vcontract.runtime.store.postgres.errors import MigrationError
from vcontract.runtime.store.postgres.former_files import FORMER_FILES
from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.schema_files import (
    FunctionFile,
    Migration,
    SchemaFiles,
    load_schema_files,
)
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, SchemaStatus, schema_status

_LOCK = 0x76636F6E  # any number works, if every version of the program uses the same
_ATTEMPTS = 10
PLAN = "`vcontract db plan` prints what a superuser has to run once"

_CREATE_TABLES = """
create schema if not exists vcontract;
create table if not exists vcontract.migration (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
);
create table if not exists vcontract.function_file (
    name text primary key,
    checksum text not null,
    program text not null,
    applied_at timestamptz not null default now()
)
"""

KEEP_FROM_CITUS = "set citus.enable_ddl_propagation = off"
"""If Citus is installed, it would repeat schema changes on other nodes, as roles without login."""

# Functions of ours. An index or policy that calls one prevents its removal.
_OUR_FUNCTIONS = """
select string_agg(p.oid::regprocedure::text, ', ') from pg_proc p
where p.pronamespace = 'vcontract'::regnamespace and not exists (
    select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
"""
_FREE_FUNCTIONS = f"""
{_OUR_FUNCTIONS} and not exists (
    select from pg_depend d
    where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid and d.classid <> 'pg_proc'::regclass)
"""
_FUNCTIONS_OF_NO_FILE = f"{_OUR_FUNCTIONS} and p.xmin <> pg_current_xact_id()::xid"


async def migrate(
    connection: OwnerConnection, files: SchemaFiles | None = None, *, roles: Roles | None = None
) -> SchemaStatus:
    """Apply pending files and return the status before. Other processes wait.

    `roles` replace the role names in the files.

    Each numbered file is applied in its own transaction, then all functions in one. A function with the same
    signature is replaced, so that calls continue meanwhile. Functions that no file defines any more are
    dropped. Raises: MigrationError, with everything before the failing file applied and nothing of the file
    itself.
    """
    known = _with_roles(files or load_schema_files(), roles or Roles())
    found = await schema_status(connection, known)
    if found.is_current:
        return found
    async with _locked(connection):
        await connection.execute(f"{KEEP_FROM_CITUS}; {_CREATE_TABLES}")
        found = await schema_status(connection, known)
        if found.problems:
            found.check()
        if found.former:
            await _in_transaction(connection, partial(_bring_up, connection, known, found))
            found = await schema_status(connection, known)
        if found.pending:
            await _in_transaction(connection, partial(_run, connection, known.before))
        for migration in found.pending:
            await _in_transaction(connection, partial(_apply, connection, migration))
        if found.lacking:
            await _make_functions(connection, known)
    return found


def _with_roles(files: SchemaFiles, roles: Roles) -> SchemaFiles:
    """Return the files with the role names of this store and unchanged checksums."""

    def named(file: FunctionFile) -> FunctionFile:
        return replace(file, sql=roles.within(file.sql))

    return SchemaFiles(
        before=tuple(map(named, files.before)),
        numbered=tuple(replace(file, sql=roles.within(file.sql)) for file in files.numbered),
        functions=tuple(map(named, files.functions)),
        after=tuple(map(named, files.after)),
    )


@contextlib.asynccontextmanager
async def _locked(connection: OwnerConnection) -> AsyncGenerator[None]:
    await connection.execute("select pg_advisory_lock($1)", _LOCK)
    try:
        yield
    finally:
        if not connection.is_closed():
            await connection.execute("select pg_advisory_unlock($1)", _LOCK)


async def _bring_up(connection: OwnerConnection, files: SchemaFiles, found: SchemaStatus) -> None:
    """Change what files in their former form have made, and note them as the files of now."""
    numbered = {migration.version: migration for migration in files.numbered}
    await connection.execute(
        "delete from vcontract.migration where version = any($1)", [row.version for row in found.former]
    )
    for row in found.former:
        former = FORMER_FILES[row.checksum]
        if former.change:
            await connection.execute(former.change)
        if former.now is not None:
            now = numbered[former.now]
            await connection.execute(
                "insert into vcontract.migration (version, name, checksum, applied_at)"
                " values ($1, $2, $3, $4)",
                *(now.version, now.name, now.checksum, row.applied_at),
            )
    await connection.execute("delete from vcontract.function_file")


async def _apply(connection: OwnerConnection, migration: Migration) -> None:
    await _run(connection, (migration,))
    await connection.execute(
        "insert into vcontract.migration (version, name, checksum) values ($1, $2, $3)",
        migration.version,
        migration.name,
        migration.checksum,
    )
    # it may have dropped functions, so none counts as created until all are
    await connection.execute("delete from vcontract.function_file")


async def _make_functions(connection: OwnerConnection, files: SchemaFiles) -> None:
    try:
        await _in_transaction(connection, partial(_replace_functions, connection, files))
    except MigrationError as error:
        # a result or parameter name has changed, or an old and a new function are ambiguous
        if not isinstance(
            error.__cause__, (asyncpg.InvalidFunctionDefinitionError, asyncpg.AmbiguousFunctionError)
        ):
            raise
        await _in_transaction(connection, partial(_replace_functions, connection, files, drop_first=True))


async def _replace_functions(
    connection: OwnerConnection, files: SchemaFiles, *, drop_first: bool = False
) -> None:
    if drop_first:
        await _drop(connection, _FREE_FUNCTIONS)
    await _run(connection, (*files.before, *files.functions))
    await _drop(connection, _FUNCTIONS_OF_NO_FILE)
    await _run(connection, files.after)
    await connection.execute("delete from vcontract.function_file")
    program = metadata.version("vcontract")
    await connection.executemany(
        "insert into vcontract.function_file (name, checksum, program) values ($1, $2, $3)",
        [(file.file_name, file.checksum, program) for file in files.all_functions],
    )


async def _drop(connection: OwnerConnection, names: str) -> None:
    """Drop the functions that a query returns, all at once, because they may call one another."""
    found = await connection.fetchval(names)
    if found is None:
        return
    try:
        await connection.execute(f"drop routine {found}")
    except asyncpg.PostgresError as error:
        raise MigrationError(f"functions that no file makes any more cannot be dropped: {error}") from error


async def _run(connection: OwnerConnection, files: Sequence[Migration | FunctionFile]) -> None:
    for file in files:
        try:
            await connection.execute(file.sql)
        except asyncpg.PostgresError as error:
            raise MigrationError(_failure(file, error)) from error


async def _in_transaction(connection: OwnerConnection, work: Callable[[], Awaitable[None]]) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            async with connection.transaction():
                await work()
        except MigrationError as error:
            if attempt == _ATTEMPTS or not _is_race_over_roles(error.__cause__):
                raise
            await asyncio.sleep(0.02 * attempt)
            continue
        return


def _is_race_over_roles(error: BaseException | None) -> bool:
    """Whether it is a race over roles: they belong to the server, our lock only to one database."""
    if isinstance(error, asyncpg.UniqueViolationError):
        return error.table_name in ("pg_authid", "pg_auth_members", "pg_parameter_acl")
    return isinstance(error, asyncpg.InternalServerError) and "tuple concurrently" in str(error)


def _failure(file: Migration | FunctionFile, error: asyncpg.PostgresError) -> str:
    place = file.file_name
    position = getattr(error, "position", None)
    if position is not None:
        place += f", line {file.sql.count(chr(10), 0, int(position) - 1) + 1}"
    said = ", ".join(str(error).splitlines())  # message, detail and hint, a line each
    cure = f"; {PLAN}" if isinstance(error, asyncpg.InsufficientPrivilegeError) else ""
    return f"{place}: {said}; nothing of this file was applied{cure}"
