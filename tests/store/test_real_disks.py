"""A disk that is full and one that is mounted read-only: real ones, which only root can make."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vcontract.runtime.frame.errors import StoreFault
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.errors import EmbeddedReadOnly

WRITE = """
insert into vcontract.spelling (tenant, word)
select 'default', gen_random_uuid()::text from generate_series(1, $1)
"""


def mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0  # noqa: S603, S607


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 110 MB, which has room for a cluster and little else."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux, to mount a disk")
    if not mount("-t", "tmpfs", "-o", "size=110m,mode=0711", "none", str(tmp_path)):
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


async def test_a_full_disk_is_told_until_there_is_room_and_nothing_is_lost(
    disk: Path, cluster: EmbeddedCluster
) -> None:
    # given a database with little room left, not enough for its journal to grow
    database = await Database.open(settings(disk), cluster=cluster)
    assert await fault_of_writing(database, 1) is None
    filler = disk / "filler"
    with filler.open("wb") as file:
        left = os.statvfs(disk)
        file.write(bytes(left.f_bavail * left.f_bsize - 14_000_000))
    # when it is written to for longer than there is room, then that is said
    reasons: list[str] = []
    while "disk_full" not in reasons:
        if (fault := await fault_of_writing(database, 2_000)) is not None:
            reasons.append(fault.reason)
    assert len(reasons) <= 2
    again = await fault_of_writing(database, 40_000)
    assert again is not None
    assert again.reason == "disk_full"
    # and once there is room again it goes on, with what was there
    filler.unlink()
    assert await fault_of_writing(database, 1) is None
    async with database.reading("default") as connection:
        assert await connection.fetchval("select count(*) from vcontract.spelling") >= 2
    await database.close()


async def test_a_disk_that_is_mounted_read_only_is_told_as_that(disk: Path, cluster: EmbeddedCluster) -> None:
    await (await Database.open(settings(disk), cluster=cluster)).close()
    await asyncio.to_thread(cluster.stop)
    assert mount("-o", "remount,ro", str(disk))
    with pytest.raises(EmbeddedReadOnly, match=r"Read-only file system; mount it for writing"):
        await asyncio.to_thread(cluster.start)
