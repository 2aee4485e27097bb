"""Compare a database with the schema files: what is applied, pending or wrong."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from typing import TypeAlias

import asyncpg

from vcontract.runtime.store.postgres.errors import MigrationError, NoMember, SchemaOutOfDate
from vcontract.runtime.store.postgres.former_files import FORMER_FILES
from vcontract.runtime.store.postgres.schema_files import Migration, SchemaFiles, load_schema_files

OwnerConnection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
"""A connection of the role that owns the schema."""

MIGRATE_COMMAND = "vcontract db migrate"

_SERVER_OF_THE_STORE = """
select r.name from pg_policies p
cross join unnest(p.roles::text[]) r (name)
where p.schemaname = 'vcontract' and p.tablename = 'vcon' and p.policyname = 'own_tenant'
    and r.name like '%\\_server'
"""
_SPREAD = """
select string_agg(c.relname, ', ' order by c.relname) from pg_catalog.pg_dist_partition p
join pg_class c on c.oid = p.logicalrelid
where c.relnamespace = to_regnamespace('vcontract') and not c.relispartition
"""
_FORMER_CHECKSUMS = {
    # The first stores were created by these files, which also contained functions. The tables are the same,
    # and the functions have been recreated since.
    1: "143800797054445ca70a94f7a1c26fdd915ad9c017867f984c45ee06d52caef6",
    2: "64992b95144f99f9c649eedc1cbd4a27f6717e0bcf2ad1db2deda319a500e8e2",
    3: "9e05a93ae43ea226266581c56ce7a1565fb39d7a34f5d77bc4d276a473b5103d",
    4: "ae6b488de18713b31224adfc750fc1f3b45478357646c89fd1dcd8651c7286ea",
    5: "b4cb3169e7ac92cc496e4f910ca83a17b3396c3b094e682c9b88d17d540a7a64",
    6: "b91b7d1a87ae41f1c1907d7fa8c5969cd3074a0b3cd12e523b9709c2f1db82d7",
    7: "02d6715727782acb9584e99ee4a31c58bb7a243fbd03542ccb90bddb5a99277c",
    8: "afc7ad406fa4dc966bca45c06c8308890d066193fbde3aacaa72170e45959da9",
    9: "7dbebf1789c99e587475b7f05b0af27bbeee7b60376d530356ade467036ea20b",
}


@dataclass(frozen=True, slots=True)
class AppliedMigration:
    """A row in the database's record of applied files."""

    version: int
    name: str
    checksum: str
    applied_at: datetime


@dataclass(frozen=True, slots=True)
class AppliedFunctions:
    """A file of functions in the database, and the program version that created them."""

    file_name: str
    checksum: str
    program: str
    applied_at: datetime


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """Applied and pending files of a database; `problems` prevent `migrate`."""

    applied: tuple[AppliedMigration, ...]
    pending: tuple[Migration, ...]
    functions: tuple[AppliedFunctions, ...]
    pending_functions: tuple[str, ...]
    """Names of new, changed or removed files."""
    problems: tuple[str, ...]
    former: tuple[AppliedMigration, ...] = ()
    """Applied files that have another form or number now; `migrate` brings the database up to that."""

    @property
    def lacking(self) -> tuple[str, ...]:
        """Names of all files to apply."""
        return (
            *(f"{row.version:04d}_{row.name}.sql in its present form" for row in self.former),
            *(migration.file_name for migration in self.pending),
            *self.pending_functions,
        )

    @property
    def is_current(self) -> bool:
        return not self.lacking and not self.problems

    def check(self) -> None:
        """Check that the schema is what this program expects.

        Raises: SchemaOutOfDate for missing migrations; MigrationError for changed or unknown ones.
        """
        if self.problems:
            raise MigrationError("; ".join(self.problems))
        if self.lacking:
            raise SchemaOutOfDate(f"the database lacks {', '.join(self.lacking)}; run: {MIGRATE_COMMAND}")


async def schema_status(connection: OwnerConnection, files: SchemaFiles | None = None) -> SchemaStatus:
    """Compare the database with the schema files, by default this program's own, without changes.

    Raises: NoMember.
    """
    known = files or load_schema_files()
    spread = await _problems_of_citus(connection)
    try:
        async with connection.transaction():  # a failure must not end the caller's transaction
            applied, functions = await _applied(connection), await _applied_functions(connection)
    except asyncpg.InsufficientPrivilegeError as error:
        login = await connection.fetchval("select session_user")
        raise NoMember(login, await server_of_the_store(connection) or "vcontract_server") from error
    done = {row.version for row in applied}
    theirs = {row.file_name: row.checksum for row in functions}
    ours = {file.file_name: file.checksum for file in known.all_functions}
    differing = tuple(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))
    checksums = {migration.version: migration.checksum for migration in known.numbered}
    former = tuple(
        row for row in applied if row.checksum in FORMER_FILES and row.checksum != checksums.get(row.version)
    )
    return SchemaStatus(
        applied=applied,
        pending=tuple(migration for migration in known.numbered if migration.version not in done),
        functions=functions,
        pending_functions=differing,
        problems=(
            *spread,
            *_problems_of_tables([row for row in applied if row not in former], known),
            *_problems_of_functions(functions, differing),
        ),
        former=former,
    )


async def server_of_the_store(connection: OwnerConnection) -> str | None:
    """Return the server role with which the store was created. Anyone may read it."""
    name: str | None = await connection.fetchval(_SERVER_OF_THE_STORE)
    return name


async def _problems_of_citus(connection: OwnerConnection) -> list[str]:
    """Problems with Citus, which runs a transaction under one role only. Ours need the server's and the
    owner's.
    """
    if await connection.fetchval("select to_regclass('pg_catalog.pg_dist_partition')") is None:
        return []
    spread: str | None = await connection.fetchval(_SPREAD)
    if spread is None:
        return []
    return [
        f"Citus distributes the tables {spread}, which vcontract does not support; run undistribute_table "
        "for each, and see docs/scaling.md for stores on several machines"
    ]


async def _applied(connection: OwnerConnection) -> tuple[AppliedMigration, ...]:
    if await connection.fetchval("select to_regclass('vcontract.migration')") is None:
        return ()
    rows = await connection.fetch(
        "select version, name, checksum, applied_at from vcontract.migration order by version"
    )
    return tuple(
        AppliedMigration(row["version"], row["name"], row["checksum"], row["applied_at"]) for row in rows
    )


async def _applied_functions(connection: OwnerConnection) -> tuple[AppliedFunctions, ...]:
    if await connection.fetchval("select to_regclass('vcontract.function_file')") is None:
        return ()
    rows = await connection.fetch(
        "select name, checksum, program, applied_at from vcontract.function_file order by name"
    )
    return tuple(
        AppliedFunctions(row["name"], row["checksum"], row["program"], row["applied_at"]) for row in rows
    )


def _problems_of_tables(applied: Sequence[AppliedMigration], known: SchemaFiles) -> list[str]:
    by_version = {migration.version: migration for migration in known.numbered}
    problems: list[str] = []
    for row in applied:
        migration = by_version.get(row.version)
        if migration is None:
            problems.append(
                f"the database has migration {row.version:04d}_{row.name}, which this program does not know: "
                "it was migrated by a newer version; upgrade this one"
            )
        elif row.checksum not in (migration.checksum, _FORMER_CHECKSUMS.get(row.version)):
            problems.append(
                f"{migration.file_name} was changed after it was applied on {row.applied_at:%Y-%m-%d}: "
                "no release made this store; run `vcontract export` with the program that did, import "
                "its file here, or restore the migration if it was edited by hand"
            )
    return problems


def _problems_of_functions(functions: Sequence[AppliedFunctions], differing: Sequence[str]) -> list[str]:
    """Problems with functions: newer ones are never replaced by older ones."""
    program = metadata.version("vcontract")
    newest = max((row.program for row in functions), key=_release, default=program)
    if differing and _release(newest) > _release(program):
        return [
            f"the functions of the database were made by vcontract {newest}, this is {program}; "
            "upgrade this one"
        ]
    return []


def _release(version: str) -> tuple[int, ...]:
    """Numbers at the beginning of a version: (0, 2, 0) for 0.2.0rc1."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()
