"""What the doctor says of the disk: damaged pages, a folder open to others, one that may not be entered."""

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from tests.ordinary_user import files_as_an_ordinary_user
from vcontract.runtime.cli.disk_checks import check_embedded_pages, check_free_space, check_privacy
from vcontract.runtime.cli.main import app
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

SOUND = "all checked, no damage"


def doctor(data_dir: Path) -> Result:
    env: dict[str, str | None] = {
        "VCONTRACT_DATA_DIR": str(data_dir),
        "VCONTRACT_DATABASE_URL": None,
        "VCONTRACT_EMBEDDING_PROVIDER": "none",
    }
    return CliRunner().invoke(app, ["doctor", "--json"], env=env)


def check(outcome: Result, name: str) -> dict[str, Any]:
    (found,) = [found for found in json.loads(outcome.stdout)["checks"] if found["name"] == name]
    return dict(found)


@pytest.fixture
async def cluster(own_data_dir: Path) -> AsyncIterator[EmbeddedCluster]:
    """A cluster of a test's own, with our schema and a document in it."""
    made = EmbeddedCluster(own_data_dir, options={"shared_buffers": "16MB"}, linger=0)
    database = await Database.open(Settings(data_dir=own_data_dir, database_url=None), cluster=made)
    async with database.writing("default") as connection:
        await connection.execute(
            "insert into vcontract.spelling (tenant, word) "
            "select 'default', 'word' || number from generate_series(1, 999) as number"
        )
    await database.close()
    yield made
    await asyncio.to_thread(made.stop)


async def files(cluster: EmbeddedCluster, *relations: str) -> list[Path]:
    connection = await asyncpg.connect(cluster.url())
    try:
        return [
            cluster.data / await connection.fetchval("select pg_relation_filepath($1::regclass)", relation)
            for relation in relations
        ]
    finally:
        await connection.close()


def flip(file: Path) -> None:
    """Turn 60 bytes in the middle of the first page into others."""
    content = bytearray(file.read_bytes())
    content[4000:4060] = bytes(byte ^ 0xFF for byte in content[4000:4060])
    file.write_bytes(content)


async def test_the_doctor_names_the_tables_and_indexes_that_are_damaged(
    cluster: EmbeddedCluster, own_data_dir: Path
) -> None:
    # given a cluster that is as it was written
    await asyncio.to_thread(cluster.start)
    assert (await check_embedded_pages(own_data_dir)).detail == SOUND
    relations = ("vcontract.spelling", "vcontract.spelling_pkey", "vcontract.search_document_words")
    damaged = await files(cluster, *relations)
    # when bytes of a table and of two kinds of index are turned on the disk
    await asyncio.to_thread(cluster.stop)
    for file in damaged:
        flip(file)
    await asyncio.to_thread(cluster.start)
    # then the doctor knows which, though everything else is well
    outcome = await asyncio.to_thread(doctor, own_data_dir)
    found = check(outcome, "pages")
    assert outcome.exit_code == 1
    assert found["state"] == "failed"
    assert found["detail"] == (
        "damaged on the disk: index vcontract.search_document_words of table vcontract.search_document, "
        "index vcontract.spelling_pkey of table vcontract.spelling, table vcontract.spelling"
    )
    assert "`vcontract export` what can still be read" in found["cure"]
    assert check(outcome, "schema")["state"] == "ok"


async def test_pages_that_could_not_be_read_are_not_called_sound(
    cluster: EmbeddedCluster, own_data_dir: Path
) -> None:
    no_backups = EmbeddedCluster(own_data_dir, options={"max_wal_senders": "0"}, linger=0)
    await asyncio.to_thread(cluster.stop)
    await asyncio.to_thread(no_backups.start)
    found = await check_embedded_pages(own_data_dir)
    no_backups.release()
    assert found.state == "warning"
    assert "could not be checked" in found.detail


@pytest.mark.parametrize(
    ("mode", "may"), [(0o755, "list"), (0o750, "list"), (0o777, "change"), (0o722, "change")]
)
def test_a_data_folder_that_is_open_to_others_is_told(tmp_path: Path, mode: int, may: str) -> None:
    tmp_path.chmod(mode)
    found = check_privacy(tmp_path)
    assert found is not None
    assert found.state == "warning"
    assert f"other users can {may} the contents of {tmp_path} (mode {mode:04o})" in found.detail
    # when the cure is taken, then it helps
    command, octal, _folder = found.cure.removeprefix("run: ").split()
    assert command == "chmod"
    tmp_path.chmod(int(octal, 8))
    cured = check_privacy(tmp_path)
    assert cured is not None
    assert cured.state == "ok"


def test_the_folder_that_is_made_is_closed_enough(tmp_path: Path) -> None:
    assert check_privacy(tmp_path / "missing") is None
    (tmp_path / "made").mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
    found = check_privacy(tmp_path / "made")
    assert found is not None
    assert found.state == "ok"


async def test_the_doctor_survives_a_folder_that_it_may_not_enter(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0)
    with files_as_an_ordinary_user():
        room = await asyncio.to_thread(check_free_space, closed / "data")
        outcome = await asyncio.to_thread(doctor, closed / "data")
    closed.chmod(stat.S_IRWXU)
    assert room.detail == f"no permission to enter the folder of {closed / 'data'}"
    assert room.cure == "name another folder in VCONTRACT_DATA_DIR"
    assert outcome.exit_code == 3
    assert isinstance(outcome.exception, SystemExit)
    assert check(outcome, "disk")["state"] == "failed"
    assert "Permission denied" in check(outcome, "server")["detail"]


@pytest.mark.parametrize("below", ["", "below", "below/that"])
def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    found = check_free_space(tmp_path / "file" / below)
    assert (found.state, found.detail) == ("failed", f"{tmp_path}/file is not a writable folder")
    assert check_privacy(tmp_path / "file" / below) is None


def test_a_folder_that_is_still_to_be_made_has_the_room_of_its_disk(tmp_path: Path) -> None:
    assert check_free_space(tmp_path / "a" / "b").state in ("ok", "warning")
