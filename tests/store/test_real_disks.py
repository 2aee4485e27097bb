"""A disk that is full and one that is mounted read-only: real ones, which only root can make."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from tests.waiting import until_told
from vcontract.runtime.frame.errors import StoreFault
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.errors import EmbeddedReadOnly
from vcontract.runtime.store.postgres.reserve import RESERVE_BYTES, free_bytes

WRITE = """
insert into vcontract.spelling (tenant, word)
select 'default', gen_random_uuid()::text from generate_series(1, $1)
"""


def mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0  # noqa: S603, S607


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 MB, which has room for a cluster and little else."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux, to mount a disk")
    if not mount("-t", "tmpfs", "-o", "size=200m,mode=0711", "none", str(tmp_path)):
        pytest.skip("this system does not let root mount a disk")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)  # noqa: S603, S607


@pytest.fixture
def cluster(disk: Path) -> Iterator[EmbeddedCluster]:
    made = EmbeddedCluster(disk, options={"shared_buffers": "16MB"}, linger=0)
    yield made
    mount("-o", "remount,rw", str(disk))
    made.stop()


def settings(disk: Path) -> Settings:
    return Settings(data_dir=disk, database_url=None, pool_size=2)


async def fault_of_writing(database: Database, rows: int) -> StoreFault | None:
    try:
        async with database.writing("default") as connection:
            await connection.execute(WRITE, rows)
    except Exception as error:
        return classify(error)
    return None


async def test_a_full_disk_takes_no_writes_and_is_read_and_nothing_is_lost(
    disk: Path, cluster: EmbeddedCluster
) -> None:
    # given a database whose disk is filled by others
    database = await Database.open(settings(disk), cluster=cluster)
    assert await fault_of_writing(database, 1) is None
    filler = disk / "filler"
    fill(filler, leave=24 << 20)
    # when there is little room left, then writes are refused before they could end the server
    assert (await fault_of_writing(database, 1)) == StoreFault("disk_full", retryable=True)
    assert cluster.reserve.file.exists()
    # and when the server dies for want of room, then it recovers with the reserve and is read
    await fill_by_the_server(cluster)

    async def is_read() -> bool:
        with suppress(asyncpg.PostgresConnectionError):  # of a connection that ends only now
            return await number_of_words(database) == 1
        return False

    await until_told(is_read)
    assert not cluster.reserve.file.exists()
    for _ in range(3):
        assert (await fault_of_writing(database, 1)) == StoreFault("disk_full", retryable=True)
        assert await number_of_words(database) == 1
    # and so it is for one that starts now
    await database.close()
    await asyncio.to_thread(cluster.stop)
    database = await Database.open(settings(disk), cluster=cluster)
    assert await number_of_words(database) == 1
    # and once there is room again it goes on, with what was there and a new reserve
    filler.unlink()
    assert await fault_of_writing(database, 1) is None
    assert cluster.reserve.file.stat().st_size == RESERVE_BYTES
    assert await number_of_words(database) == 2
    await database.close()


def fill(filler: Path, *, leave: int) -> None:
    with filler.open("wb") as file:
        file.write(bytes(free_bytes(filler.parent) - leave))


async def fill_by_the_server(cluster: EmbeddedCluster) -> None:
    """Write as the owner, beside what keeps the server's own writes back, until the server dies."""
    owner = await asyncpg.connect(cluster.url())
    # messages grow the journal alone, so the tables have no part in it
    message = "select pg_logical_emit_message(true, 'x', repeat('x', 1000000)) from generate_series(1, 400)"
    with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError, OSError)):
        await owner.execute(message)
    await owner.close()


async def number_of_words(database: Database) -> int:
    async with database.reading("default") as connection:
        return int(await connection.fetchval("select count(*) from vcontract.spelling"))


async def test_a_disk_that_is_mounted_read_only_is_told_as_that(disk: Path, cluster: EmbeddedCluster) -> None:
    await (await Database.open(settings(disk), cluster=cluster)).close()
    await asyncio.to_thread(cluster.stop)
    assert mount("-o", "remount,ro", str(disk))
    with pytest.raises(EmbeddedReadOnly, match=r"Read-only file system; mount it for writing"):
        await asyncio.to_thread(cluster.start)
