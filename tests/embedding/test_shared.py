"""The process that holds the model for all servers of a store: one, private, gone when nobody needs it."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import PATIENCE
from tests.embedding.conftest import Store
from tests.embedding.conversations import conversation
from tests.waiting import wait_until
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.embedding.recipe import Recipe, make_embedder
from vcontract.runtime.embedding.shared.connection import Connection, SharedProcess
from vcontract.runtime.embedding.shared.frames import LENGTHS, LONGEST_HEADER, pack
from vcontract.runtime.embedding.shared.model import SharedModel
from vcontract.runtime.embedding.shared.place import Place
from vcontract.runtime.embedding.shared.wanting import SharedWorker
from vcontract.runtime.embedding.shared.working import NICENESS
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

NOBODY = 65534
TEXTS = [
    "refund",
    "",
    "half a pair: \ud83d",
    "Der Rahmen hat einen Riss. 鍵が開かない 🙂",
    "nothing\0here",
    "a " * 700,
]


class Site:
    """A data folder, and the process that is shared there."""

    def __init__(self, settings: Settings) -> None:
        self.process = SharedProcess(settings, Recipe.of_settings(settings), linger=0.05)

    @property
    def place(self) -> Place:
        return Place.of(self.process.settings, self.process.recipe)

    def pid(self) -> int:
        """Of the process that answers, which is started if there is none."""
        with contextlib.closing(self.process.connect()) as connection:
            return pid_of(connection)

    def starts(self) -> int:
        return self.place.log.read_text(encoding="utf-8").count("the embedding process begins")

    def is_alive(self) -> bool:
        lock = self.place.try_lock()
        if lock is not None:
            os.close(lock)
        return lock is None


def pid_of(connection: Connection) -> int:
    pid = connection.ask({"do": "describe"}, PATIENCE)[0]["pid"]
    assert isinstance(pid, int)
    return pid


def ps(column: str, pid: int) -> str:
    command = ["ps", "-o", f"{column}=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def has_ended(pid: int) -> bool:
    return ps("stat", pid)[:1] in ("", "Z")


def working_under(pid: int) -> list[int]:
    """The processes that embed stored text for the shared one."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [int(row[0]) for row in rows if row[1] == str(pid) and row[2].endswith("shared.working")]


@pytest.fixture
def shared_settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"embedding_shared": True, "data_dir": tmp_path / "data"})


@pytest.fixture
def site(shared_settings: Settings) -> Iterator[Site]:
    opened = Site(shared_settings)
    yield opened
    wait_until(lambda: not opened.is_alive())


@contextlib.contextmanager
def shared_model(site: Site) -> Generator[SharedModel]:
    with contextlib.closing(SharedModel(site.process)) as model:
        yield model


async def test_its_vectors_are_those_of_the_model_itself_bit_by_bit(site: Site, minilm: MiniLm) -> None:
    model = EmbeddingModel(lambda: SharedModel(site.process), 2)
    many = [f"turn {number} " * (1 + number % 5) for number in range(90)]

    documents = await model.embed_documents(TEXTS + many)
    queries = [await model.embed_query(text) for text in TEXTS]

    assert (documents == minilm.embed(TEXTS + many)).all()
    for text, row in zip(TEXTS, queries, strict=True):
        assert (row == minilm.embed([text])).all()
    embedder = await model.ready()
    assert (embedder.id, embedder.dim, embedder.calibration) == (minilm.id, minilm.dim, minilm.calibration)
    await model.close()


def test_callers_that_come_at_once_start_one_process(site: Site) -> None:
    with ThreadPoolExecutor(8) as threads:
        connections = [made.result() for made in [threads.submit(site.process.connect) for _ in range(8)]]

    assert len({pid_of(connection) for connection in connections}) == 1
    assert site.starts() == 1
    for connection in connections:
        connection.close()


@pytest.mark.parametrize(
    "changed",
    [{"embedding_provider": "onnx", "embedding_path": Path("other.onnx")}, {"database_url": None}],
    ids=["model", "store"],
)
def test_another_model_or_store_has_another_process(shared_settings: Settings, changed: JsonObject) -> None:
    other = shared_settings.model_copy(update=changed)

    places = {Place.of(each, Recipe.of_settings(each)).name for each in (shared_settings, other)}

    assert len(places) == 2


def test_a_model_file_that_was_replaced_has_another_process(
    shared_settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    settings = shared_settings.model_copy(update={"embedding_provider": "onnx", "embedding_path": path})
    places: set[str] = set()
    for content in (b"one", b"another"):
        path.write_bytes(content)
        places.add(Place.of(settings, Recipe.of_settings(settings)).name)

    assert len(places) == 2


def test_it_ends_when_its_last_caller_has_left_and_not_before(site: Site) -> None:
    first, second = site.process.connect(), site.process.connect()
    pid = pid_of(first)

    first.close()

    assert pid_of(second) == pid
    second.close()
    wait_until(lambda: not site.is_alive())
    assert not site.place.socket.exists()


def test_one_that_nobody_calls_ends_too(site: Site) -> None:
    site.process.connect().close()

    wait_until(lambda: not site.is_alive())


@pytest.mark.parametrize("when", ["idle", "asked"])
def test_a_call_outlives_the_process_it_was_made_to(site: Site, minilm: MiniLm, when: str) -> None:
    with shared_model(site) as model:
        pid = site.pid()
        if when == "idle":
            os.kill(pid, signal.SIGKILL)
            row = model.embed(["refund"], "query")
        else:
            os.kill(pid, signal.SIGSTOP)  # it has the request, and never answers
            with ThreadPoolExecutor(1) as thread:
                asked = thread.submit(model.embed, ["refund"], "query")
                wait_until(lambda: _bytes_waiting_for(site))
                os.kill(pid, signal.SIGKILL)
                row = asked.result(PATIENCE)

        assert site.pid() != pid
        assert site.starts() == 2
    assert (row == minilm.embed(["refund"])).all()


def _bytes_waiting_for(site: Site) -> bool:
    """Whether a request lies in the socket of the stopped process, as far as can be told from outside."""
    if sys.platform != "linux":
        return True
    listed = Path("/proc/net/unix").read_text(encoding="utf-8")
    return str(site.place.socket) in listed


def test_a_process_that_says_nothing_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vcontract.runtime.embedding.shared.model._SECONDS_TO_EMBED", {"query": 0.05})
    with shared_model(site) as model:
        pid = site.pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(ModelUnavailable, match=r"has not answered for") as unavailable:
                model.embed(["refund"], "query")
        finally:
            os.kill(pid, signal.SIGCONT)
        assert unavailable.value.reason == "failed"
        assert "VCONTRACT_EMBEDDING_SHARED=false" in unavailable.value.cure


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not tell who listens")
def test_a_process_that_does_not_answer_twice_is_replaced(
    site: Site, minilm: MiniLm, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_model(site) as model:
        pid = site.pid()

        class LittlePatienceWithTheStopped(dict[str, float]):
            def __missing__(self, kind: str) -> float:
                return 0.05 if ps("stat", pid).startswith("T") else PATIENCE

        monkeypatch.setattr(
            "vcontract.runtime.embedding.shared.model._SECONDS_TO_EMBED", LittlePatienceWithTheStopped()
        )
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(ModelUnavailable, match=r"has not answered for"):
            model.embed(["refund"], "query")

        row = model.embed(["refund"], "query")

        assert site.pid() != pid
        assert site.starts() == 2
        assert ps("stat", pid)[:1] in ("", "Z")
    assert (row == minilm.embed(["refund"])).all()


def test_only_the_process_that_listens_is_ended(site: Site) -> None:
    with contextlib.closing(site.process.connect()) as connection:
        pid = pid_of(connection)
        for other in (0, -1, os.getpid()):
            assert not site.process.end(other)

        assert pid_of(connection) == pid
    wait_until(lambda: not site.is_alive())
    assert not site.process.end(pid)


def test_a_model_that_was_replaced_is_not_taken_for_the_one_before(site: Site) -> None:
    with shared_model(site) as model:
        model.id = "another"
        os.kill(site.pid(), signal.SIGKILL)

        with pytest.raises(ModelUnavailable, match=r"the model is all-MiniLM.* now, and was another"):
            model.embed(["refund"], "query")


HOSTILE: dict[str, bytes] = {
    "too long": LENGTHS.pack(LONGEST_HEADER + 1, 0),
    "vectors": LENGTHS.pack(2, 4) + b"{}" + b"\0" * 4,
    "no JSON": LENGTHS.pack(3, 0) + b"\xff{}",
    "too deep": LENGTHS.pack(200_000, 0) + b"[" * 200_000,
    "no object": LENGTHS.pack(2, 0) + b"[]",
    "no request": pack({}),
    "unknown": pack({"do": ["describe"]}),
    "no kind": pack({"do": "embed", "texts": []}),
    "no texts": pack({"do": "embed", "kind": "query", "texts": "text"}),
    "numbers": pack({"do": "embed", "kind": "query", "texts": [1]}),
    "too many": pack({"do": "embed", "kind": "document", "texts": [""] * 257}),
    "a page": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


def test_what_is_no_request_is_refused_and_harms_nobody(site: Site) -> None:
    with contextlib.closing(site.process.connect()) as other:
        pid = pid_of(other)
        stalled = socket.socket(socket.AF_UNIX)
        stalled.connect(str(site.place.socket))
        stalled.sendall(pack({"do": "describe"})[:-3])
        for name, content in HOSTILE.items():
            with socket.socket(socket.AF_UNIX) as hostile:
                hostile.settimeout(PATIENCE)
                hostile.connect(str(site.place.socket))
                hostile.sendall(content)
                assert b'"refused"' in _all_of(hostile), name
            assert pid_of(other) == pid, name
        stalled.close()
        assert pid_of(other) == pid


def _all_of(connection: socket.socket) -> bytes:
    content = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(1 << 16):
            content += piece
    return content


def test_texts_that_are_too_long_for_a_frame_are_told_as_such(site: Site) -> None:
    with shared_model(site) as model:
        with pytest.raises(EmbeddingFailed, match="too much text at once"):
            model.embed(["x" * LONGEST_HEADER])

        assert model.embed(["refund"]).shape == (1, model.dim)


def test_its_files_are_closed_to_every_other_user(site: Site) -> None:
    with contextlib.closing(site.process.connect()):
        place = site.place
        assert stat.S_IMODE(place.folder.stat().st_mode) == 0o700
        for file in place.folder.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file.name


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_user_cannot_connect(shared_settings: Settings) -> None:
    folder = Path("/tmp", f"vcontract-shared-{os.getpid()}")  # noqa: S108 - one that every user can enter
    folder.mkdir(mode=0o755)
    site = Site(shared_settings.model_copy(update={"data_dir": folder}))
    become = f"import os, socket; os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})"
    connect = f"socket.socket(socket.AF_UNIX).connect({str(site.place.socket)!r})"
    command = [sys.executable, "-S", "-c", f"{become}; {connect}"]
    try:
        with contextlib.closing(site.process.connect()):
            as_nobody = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
        assert b"PermissionError" in as_nobody.stderr
        wait_until(lambda: not site.is_alive())
    finally:
        shutil.rmtree(folder)


def test_a_folder_that_is_open_to_others_is_not_used(shared_settings: Settings) -> None:
    # a short path: where a socket does not fit, another folder is taken
    with tempfile.TemporaryDirectory() as data_dir:
        folder = Path(data_dir, f"embedding-{os.geteuid()}")
        folder.mkdir()
        folder.chmod(0o755)

        with pytest.raises(
            ModelUnavailable, match="belongs to somebody else or is open to others"
        ) as refused:
            Site(shared_settings.model_copy(update={"data_dir": Path(data_dir)})).process.connect()

        assert "VCONTRACT_EMBEDDING_SHARED=false" in refused.value.cure
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("case", ["too long", "not a folder"])
def test_where_the_data_folder_cannot_have_a_socket_it_is_in_a_folder_of_tmp(
    shared_settings: Settings, tmp_path: Path, case: str
) -> None:
    data = tmp_path / ("x" * 100) if case == "too long" else tmp_path / "file"
    if case == "not a folder":
        data.write_text("")
    site = Site(shared_settings.model_copy(update={"data_dir": data}))
    try:
        site.pid()
        assert site.place.folder.parent == Path("/tmp")  # noqa: S108
        assert stat.S_IMODE(site.place.folder.stat().st_mode) == 0o700
        wait_until(lambda: not site.is_alive())
    finally:
        shutil.rmtree(site.place.folder)


def test_a_model_that_cannot_be_loaded_is_told_as_by_the_model_itself(
    shared_settings: Settings, tmp_path: Path
) -> None:
    changed = {"embedding_provider": "onnx", "embedding_path": tmp_path / "no-such.onnx"}
    site = Site(shared_settings.model_copy(update=changed))
    told: list[tuple[str, str, str]] = []
    loads: tuple[Callable[[], object], ...] = (
        lambda: make_embedder(site.process.recipe),
        lambda: SharedModel(site.process),
    )
    for load in loads:
        with pytest.raises(ModelUnavailable) as unavailable:
            load()
        told.append((unavailable.value.reason, str(unavailable.value), unavailable.value.cure))

    assert told[0] == told[1]
    wait_until(lambda: not site.is_alive())


def test_a_process_that_cannot_work_is_told_with_its_last_words(site: Site) -> None:
    site.place.socket.mkdir()

    with pytest.raises(ModelUnavailable, match=r"ended at once \(status 1\): .*") as unavailable:
        site.process.connect()

    assert unavailable.value.reason == "failed"
    assert str(site.place.log) in unavailable.value.cure


def test_a_process_whose_socket_was_removed_makes_room_for_another(site: Site) -> None:
    with contextlib.closing(site.process.connect()) as kept:
        pid = pid_of(kept)
        site.place.socket.unlink()

        assert site.pid() != pid


async def wanted(worker: SharedWorker, site: Site) -> int:
    """Start it; the process that embeds stored text, once it is there."""
    worker.start()
    async with asyncio.timeout(PATIENCE):
        while not site.place.log.exists() or not site.is_alive():  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.005)
        pid = await asyncio.to_thread(site.pid)
        while not (working := working_under(pid)):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.02)
    return working[0]


async def all_embedded(database: Database, tenant: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while await waiting(database, tenant):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.02)


async def waiting(database: Database, tenant: str) -> int:
    async with database.reading(tenant) as connection:
        return int(await connection.fetchval("select count(*) from vcontract.embedding_task"))


async def embedded(database: Database, tenant: str) -> int:
    async with database.reading(tenant) as connection:
        return int(await connection.fetchval("select count(*) from vcontract.embedding"))


@pytest.mark.parametrize("killed", ["process", "worker"])
async def test_stored_text_is_embedded_in_the_background_whatever_is_killed(
    site: Site, store: Store, database: Database, owner: OwnerConnection, tenant: str, killed: str
) -> None:
    worker = SharedWorker(site.process, EmbeddingModel(lambda: SharedModel(site.process), 1))
    working = await wanted(worker, site)
    turns = [f"turn {number} of a long talk about the weather" for number in range(100)]
    await store(*(conversation(*turns[start : start + 20]) for start in range(0, 100, 20)))
    async with asyncio.timeout(PATIENCE):
        while not await embedded(database, tenant):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.005)

    assert ps("ni", working) == str(min(os.nice(0) + NICENESS, 19))
    os.kill(await asyncio.to_thread(site.pid) if killed == "process" else working, signal.SIGKILL)

    await asyncio.to_thread(wait_until, partial(has_ended, working))
    # what a killed worker had claimed is due after two minutes
    await owner.execute(
        "update vcontract.embedding_task set due_at = due_at - interval '2 minutes' where claim is not null"
    )
    await all_embedded(database, tenant)
    assert await embedded(database, tenant) == 100
    await worker.stop()


async def test_a_write_wakes_the_process_that_embeds_also_after_it_was_killed(
    site: Site, store: Store, database: Database, tenant: str
) -> None:
    model = EmbeddingModel(lambda: SharedModel(site.process), 1)
    worker = SharedWorker(site.process, model, looks_every=3_600)
    database.when_written(worker.wake)
    for number in range(2):
        working = await wanted(worker, site)
        for turn in range(2):
            await store(conversation(f"It rains for the {number}th week and the {turn}th day."))
            await all_embedded(database, tenant)
        os.kill(working, signal.SIGKILL)
        await asyncio.to_thread(wait_until, partial(has_ended, working))

    assert await embedded(database, tenant) == 4
    await worker.stop()


async def test_the_worker_ends_with_the_last_that_wants_it_and_the_process_stays_for_queries(
    site: Site,
) -> None:
    model = EmbeddingModel(lambda: SharedModel(site.process), 1)
    first, second = (SharedWorker(site.process, model) for _ in range(2))
    await model.embed_query("refund")
    working = await wanted(first, site)
    assert await wanted(second, site) == working

    await first.stop()
    await model.embed_query("refund")
    assert not has_ended(working)
    await second.stop()

    await asyncio.to_thread(wait_until, partial(has_ended, working))
    assert len(await model.embed_query("refund")) == 1
    assert site.starts() == 1
    await model.close()


async def test_a_worker_whose_model_cannot_be_loaded_is_known_to_the_server(
    shared_settings: Settings, store: Store, tmp_path: Path
) -> None:
    changed = {"embedding_provider": "onnx", "embedding_path": tmp_path / "no-such.onnx"}
    site = Site(shared_settings.model_copy(update=changed))
    model = EmbeddingModel(lambda: SharedModel(site.process), 1)
    worker = SharedWorker(site.process, model)
    worker.start()

    async with asyncio.timeout(PATIENCE):
        while model.state.status != "failed":  # noqa: ASYNC110  (another process)
            await asyncio.sleep(0.01)

    assert "no-such.onnx" in model.state.message
    await worker.stop()
    await asyncio.to_thread(wait_until, lambda: not site.is_alive())
