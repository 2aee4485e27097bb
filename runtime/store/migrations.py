"""Schema changes: numbered SQL files applied in order, each once, each in one transaction."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import asyncpg

from vcontract.runtime.store.errors import MigrationError, SchemaOutOfDate

OwnerConnection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
"""A connection of the role that owns the schema."""

MIGRATE_COMMAND = "vcontract db migrate"

_FILE_NAME = re.compile(r"(?P<version>[0-9]{4})_(?P<name>[a-z0-9_]+)\.sql")
_LOCK = 0x76636F6E  # any number will do, as long as every version of the program uses the same
_ATTEMPTS = 10

_CREATE_TABLE = """
create schema if not exists vcontract;
create table if not exists vcontract.migration (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of the migrations folder."""

    version: int
    name: str
    sql: str
    checksum: str
    """SHA-256 of the text, hexadecimal; line ends do not count."""

    @property
    def file_name(self) -> str:
        return f"{self.version:04d}_{self.name}.sql"


@dataclass(frozen=True, slots=True)
class AppliedMigration:
    """A row of the database's own record of what was applied."""

    version: int
    name: str
    checksum: str
    applied_at: datetime


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """What a database has and what it lacks; `problems` are what `migrate` would refuse to go on with."""

    applied: tuple[AppliedMigration, ...]
    pending: tuple[Migration, ...]
    problems: tuple[str, ...]

    @property
    def is_current(self) -> bool:
        return not self.pending and not self.problems

    def check(self) -> None:
        """Pass when the schema is what this program expects.

        Raises: SchemaOutOfDate for missing migrations; MigrationError for changed or unknown ones.
        """
        if self.problems:
            raise MigrationError("; ".join(self.problems))
        if self.pending:
            names = ", ".join(migration.file_name for migration in self.pending)
            raise SchemaOutOfDate(f"the database lacks {names}; run: {MIGRATE_COMMAND}")


def migrations_folder() -> Path:
    """The folder of the migrations that this program comes with."""
    return Path(str(files("vcontract") / "migrations"))


def load_migrations(folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations of a folder in their order; `schema.sql` beside them is not one.

    Raises: MigrationError for a file name that is not NNNN_name.sql, and for numbers missing or used twice.
    """
    place = folder or migrations_folder()
    migrations: list[Migration] = []
    for path in sorted(place.glob("*.sql")):
        if path.name == "schema.sql":
            continue
        match = _FILE_NAME.fullmatch(path.name)
        if match is None:
            raise MigrationError(
                f"{path} is not named like 0001_name.sql (small letters, digits and _); rename it"
            )
        sql = path.read_text(encoding="utf-8")  # universal newlines: equal on every checkout
        checksum = hashlib.sha256(sql.encode()).hexdigest()
        migrations.append(Migration(int(match["version"]), match["name"], sql, checksum))
    for expected, migration in enumerate(migrations, start=1):
        if migration.version != expected:
            raise MigrationError(
                f"{place / migration.file_name} stands where number {expected:04d} should: "
                "numbers count from 0001, without gaps, each once; renumber it"
            )
    return tuple(migrations)


async def status(connection: OwnerConnection, migrations: Sequence[Migration] | None = None) -> SchemaStatus:
    """Compare the database with the migrations (this program's own unless given); changes nothing."""
    known = load_migrations() if migrations is None else tuple(migrations)
    applied = await _applied(connection)
    by_version = {migration.version: migration for migration in known}
    problems: list[str] = []
    for row in applied:
        migration = by_version.get(row.version)
        if migration is None:
            problems.append(
                f"the database has migration {row.version:04d}_{row.name}, which this program does not know: "
                "it was migrated by a newer version; upgrade this one"
            )
        elif migration.checksum != row.checksum:
            problems.append(
                f"{migration.file_name} was changed after it was applied on {row.applied_at:%Y-%m-%d}; "
                "restore the file, and put the change into a new migration"
            )
    done = {row.version for row in applied}
    pending = tuple(migration for migration in known if migration.version not in done)
    return SchemaStatus(applied, pending, tuple(problems))


async def migrate(
    connection: OwnerConnection, migrations: Sequence[Migration] | None = None
) -> tuple[Migration, ...]:
    """Apply what is pending, one transaction a file, and return it; other processes wait their turn.

    Raises: MigrationError, with everything before the failing file applied and nothing of the file itself.
    """
    known = load_migrations() if migrations is None else tuple(migrations)
    await connection.execute("select pg_advisory_lock($1)", _LOCK)
    try:
        await connection.execute(_CREATE_TABLE)
        found = await status(connection, known)
        if found.problems:
            found.check()
        for migration in found.pending:
            await _apply(connection, migration)
    finally:
        if not connection.is_closed():
            await connection.execute("select pg_advisory_unlock($1)", _LOCK)
    return found.pending


async def _applied(connection: OwnerConnection) -> tuple[AppliedMigration, ...]:
    if await connection.fetchval("select to_regclass('vcontract.migration')") is None:
        return ()
    rows = await connection.fetch(
        "select version, name, checksum, applied_at from vcontract.migration order by version"
    )
    return tuple(
        AppliedMigration(row["version"], row["name"], row["checksum"], row["applied_at"]) for row in rows
    )


async def _apply(connection: OwnerConnection, migration: Migration) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            async with connection.transaction():
                await connection.execute(migration.sql)
                await connection.execute(
                    "insert into vcontract.migration (version, name, checksum) values ($1, $2, $3)",
                    migration.version,
                    migration.name,
                    migration.checksum,
                )
        except asyncpg.PostgresError as error:
            if attempt < _ATTEMPTS and _is_race_over_roles(error):
                await asyncio.sleep(0.02 * attempt)
                continue
            raise MigrationError(_failure(migration, error)) from error
        return


def _is_race_over_roles(error: asyncpg.PostgresError) -> bool:
    """Roles belong to the whole server, our lock to one database: two may make or grant the same one."""
    if isinstance(error, asyncpg.UniqueViolationError):
        return error.table_name in ("pg_authid", "pg_auth_members")
    return isinstance(error, asyncpg.InternalServerError) and "tuple concurrently" in str(error)


def _failure(migration: Migration, error: asyncpg.PostgresError) -> str:
    place = migration.file_name
    position = getattr(error, "position", None)
    if position is not None:
        place += f", line {migration.sql.count(chr(10), 0, int(position) - 1) + 1}"
    said = ", ".join(str(error).splitlines())  # message, detail and hint, a line each
    return f"{place}: {said}; nothing of this file was applied"
