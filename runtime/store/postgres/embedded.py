"""The embedded cluster: a private PostgreSQL under the data folder, shared by every process that needs it.

The folder `<data_dir>/postgres`, closed to other users, holds

- `pg18`, the cluster itself (made as `pg18.new` and renamed: a killed initdb leaves no half cluster). Each
  start writes its `pg_hba.conf` and `pg_ident.conf`, which say who may connect through the socket,
- `run`, the folder of the server's socket (never the cluster: base backups would copy its lock file),
- `lease.lock`, on which every process that uses the cluster holds a shared lock; the kernel drops it when
  the process dies, however it dies,
- `start.lock`, held by the one process that makes or starts the cluster,
- `server.lock`, locked as long as the keeper or any process of the server lives: they inherit the descriptor.
  So a left-over pid file is known to be stale without looking at pids, which may be anybody's by now,
- `reserve`, disk space for a server that a full disk ended,
- `server.log`, what the server and its keeper had to say.
"""

import contextlib
import fcntl
import logging
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from vcontract.runtime.store.postgres import sockets, supervisor
from vcontract.runtime.store.postgres.errors import EmbeddedUnavailable
from vcontract.runtime.store.postgres.folder import ClusterFolder, unstarted
from vcontract.runtime.store.postgres.installation import (
    OWN_DATABASE,
    Installation,
    default_options,
    environment,
    find_installation,
)
from vcontract.runtime.store.postgres.reserve import Reserve

DATABASE = "vcontract"
OWNER = "postgres"
LINGER_SECONDS = 5.0
"""How long the server keeps running after its last user, so that a following command finds it."""

MAJOR = 18
"""Major version of the bundled PostgreSQL."""
_PORT = 5432
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._+@-]+")
_PAUSE_SECONDS = 0.005
_REFUSED_PAUSE_SECONDS = 0.1
_MOMENT_SECONDS = 0.5
"""Longer than a process that only checks for use holds its lease."""
_STATUS_LINE = 7
_ANSWERING = ("ready", "standby")
_NOT_ADMITTED = b"\0C28000\0"
"""Marks a rejected login in PostgreSQL's reply: the code of `invalid_authorization_specification`."""

_log = logging.getLogger(__name__)


class EmbeddedCluster:
    """One process's hold on the cluster under `data_dir`. Call `start` before use and `release` after it.

    `options` override settings of the server if this process starts it. The server stops `linger` seconds
    after the last process has released it or died. `port` is part of the socket's name. `major` and
    `installation` select another PostgreSQL than the bundled one.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        options: Mapping[str, str] | None = None,
        linger: float = LINGER_SECONDS,
        timeout: float = 60.0,
        port: int = _PORT,
        major: int = MAJOR,
        installation: Installation | None = None,
    ) -> None:
        self.folder = data_dir.expanduser().absolute() / "postgres"
        self._files = ClusterFolder(self.folder)
        self.reserve = Reserve(self.folder)
        self._options = {**default_options(), **(options or {})}
        self._linger = linger
        self._timeout = timeout
        self._port = port
        self._major = major
        self._installation = installation
        self._lease: int | None = None

    @property
    def log_file(self) -> Path:
        return self._files.log_file

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.folder / f"pg{self._major}"

    @property
    def sockets(self) -> Path:
        """Folder of the server's socket: `run`, or one in /tmp if that path is too long or unusual."""
        folder = self.folder / "run"
        path = folder / f".s.PGSQL.{self._port}"
        if sockets.fits(path) and _PLAIN_PATH.fullmatch(str(path)):
            return folder
        return sockets.substitute_for(self.folder)

    def url(self, database: str = DATABASE, *, user: str = OWNER) -> str:
        """URL of the socket, as the owner or as `user`, while the cluster is held.

        It has no password: the server asks the kernel for the user of the connecting process.
        """
        place = f"host={quote(str(self.sockets))}&port={self._port}"
        return f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}?{place}"

    def start(self) -> None:
        """Create, start or join the cluster, and wait until it is available. Called again, restart a dead
        server.

        Blocks. Any number of processes may call it at once. Raises: EmbeddedUnavailable.
        """
        if sys.platform not in ("linux", "darwin"):
            raise EmbeddedUnavailable(f"the embedded database does not run on {sys.platform}; {OWN_DATABASE}")
        deadline = time.monotonic() + self._timeout
        self._files.make()
        if self._lease is None:
            self._lease = self._lock(supervisor.LEASE_FILE, fcntl.LOCK_SH, deadline)
        try:
            if not self._answers():
                self._start(deadline)
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Release the cluster. Its server stops if no other process holds it."""
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None

    def stop(self) -> None:
        """Release the cluster and wait until its server has stopped.

        Raises: EmbeddedUnavailable if other processes use it.
        """
        self.release()
        deadline = time.monotonic() + self._linger + self._timeout
        os.close(self._lock("server.lock", fcntl.LOCK_EX, deadline))

    def refuse_in_use(self) -> None:
        """Check that no process uses the cluster. Raises: EmbeddedUnavailable."""
        began = time.monotonic()
        while (lease := self._files.try_lock(supervisor.LEASE_FILE, fcntl.LOCK_EX)) is None:
            shared = self._files.try_lock(supervisor.LEASE_FILE, fcntl.LOCK_SH)
            if shared is not None:  # held by its users, not by the keeper that is stopping the server
                os.close(shared)
                if time.monotonic() > began + _MOMENT_SECONDS:
                    raise EmbeddedUnavailable(
                        f"another process uses the database in {self.folder}; end it, then try again"
                    )
            self._pause(began + self._timeout, f"another process holds {self.folder / supervisor.LEASE_FILE}")
        os.close(lease)

    def _start(self, deadline: float) -> None:
        installation = self._installation or find_installation()
        with contextlib.ExitStack() as locks:
            starting = self._lock("start.lock", fcntl.LOCK_EX, deadline)
            locks.callback(os.close, starting)
            self._files.check_version(self._major)
            if not self.data.exists():
                self._initialise(installation, starting)
            while not self._answers():
                server = self._files.try_lock("server.lock", fcntl.LOCK_EX)
                if server is not None:
                    locks.callback(os.close, server)
                    try:
                        self._launch(installation, server, deadline)
                    except EmbeddedUnavailable:
                        if not self.reserve.release():
                            raise
                        _log.warning("the disk is full: the database starts with its reserve, for reads")
                        self._launch(installation, server, deadline)
                    self.reserve.keep()
                    return
                # some process of the server still runs: starting, recovering, stopping, or left by its
                # postmaster
                self._pause(deadline, "a server of this cluster neither answers nor ends")

    def _initialise(self, installation: Installation, starting: int) -> None:
        new = self.data.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        command = [
            *(installation.program("initdb"), "-D", str(new), "--username", OWNER, "--auth", "trust"),
            *(
                "--encoding",
                "UTF8",
                "--locale-provider",
                "builtin",
                "--builtin-locale",
                "C.UTF-8",
                "--locale",
                "C",
            ),
            *("--no-instructions", "--set", "timezone=UTC", "--set", "log_timezone=UTC"),
        ]
        done = subprocess.run(  # noqa: S603 - our own programs, no shell
            [*_keeper_command("initdb", str(self.folder)), "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env={**environment(), "LC_ALL": "C"},
            cwd="/",
            # an initdb that outlives us keeps start.lock until it ends, so no other process interferes
            pass_fds=(starting,),
            check=False,
        )
        if done.returncode != 0:
            raise self._failure("the database could not be made", done.returncode, done.stderr)
        new.rename(self.data)
        _log.info("made the embedded database", extra={"folder": str(self.data)})

    def _launch(self, installation: Installation, server: int, deadline: float) -> None:
        """Start the server under its keeper. The lock `server` proves that no server process runs."""
        self._check_sockets()
        folder = self.sockets
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        for name in (f".s.PGSQL.{self._port}", f".s.PGSQL.{self._port}.lock"):
            (folder / name).unlink(missing_ok=True)
        settings = {**self.reserve.options(), **self._options, "unix_socket_directories": str(folder)}
        command = [installation.program("postgres"), "-D", str(self.data), "-p", str(self._port)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with self._files.open_log() as log:
            log_size = os.fstat(log.fileno()).st_size
            keeping = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                [*_keeper_command("keep", str(self.folder), str(folder), str(self._linger)), "--", *command],
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                pass_fds=(server,),
            )
            try:
                while not self._answers():
                    status = keeping.poll()
                    if status is not None:
                        raise self._failure(
                            "the database did not start", status, self._files.log_since(log_size)
                        )
                    self._pause(deadline, "the database did not start in time")
            finally:
                # the keeper usually outlives this process; otherwise it must not become a zombie
                threading.Thread(target=keeping.wait, name="reap-keeper", daemon=True).start()
        _log.info("started the embedded database", extra={"folder": str(self.data)})

    def _check_sockets(self) -> None:
        """Check the owner of a socket folder in /tmp: another user could read our traffic."""
        try:
            private = sockets.is_private(self.sockets, {os.geteuid(), self.folder.stat().st_uid})
        except FileNotFoundError:
            return  # the server creates it
        if not private:
            raise EmbeddedUnavailable(
                f"the socket folder {self.sockets} belongs to somebody else or is open to others; "
                "remove it, or set VCONTRACT_DATA_DIR to a shorter path"
            )

    def _answers(self) -> bool:
        """Whether the server accepts us on our socket. Uses the wire protocol, without a client library.

        Raises: EmbeddedUnavailable if it only accepts other users.
        """
        if not self._is_ready():
            return False
        parameters = f"user\0{OWNER}\0database\0postgres\0\0".encode()
        hello = struct.pack("!ii", len(parameters) + 8, 3 << 16) + parameters
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            try:
                connection.connect(str(self.sockets / f".s.PGSQL.{self._port}"))
                connection.sendall(hello)
                answer = connection.recv(1024)
                if answer[:1] == b"R":
                    connection.sendall(b"X\0\0\0\4")
                    return True
            except OSError:
                return False
        if _NOT_ADMITTED in answer:
            raise EmbeddedUnavailable(
                f"the database in {self.data} was started by another user, and lets in that user and root "
                f"only; run as that user, set VCONTRACT_DATA_DIR to a folder of your own, or {OWN_DATABASE}"
            )
        time.sleep(_REFUSED_PAUSE_SECONDS)  # it recovers or stops, and logs each rejection
        return False

    def _is_ready(self) -> bool:
        """Whether the pid file says that the server accepts connections; it may be a dead server's."""
        try:
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return False
        return len(lines) > _STATUS_LINE and lines[_STATUS_LINE].strip() in _ANSWERING

    def _lock(self, name: str, kind: int, deadline: float) -> int:
        while (descriptor := self._files.try_lock(name, kind)) is None:
            self._pause(deadline, f"another process holds {self.folder / name}")
        return descriptor

    def _pause(self, deadline: float, trouble: str) -> None:
        if time.monotonic() > deadline:
            raise EmbeddedUnavailable(
                f"{trouble} after {self._timeout:.0f} seconds; see {self.log_file}, and try again"
            )
        time.sleep(_PAUSE_SECONDS)

    def _failure(self, trouble: str, status: int, said: str) -> EmbeddedUnavailable:
        said = said.strip()[-2000:]
        if status == supervisor.UNREACHABLE:
            return EmbeddedUnavailable(
                f"{said}. Set VCONTRACT_DATA_DIR to a folder that every user can enter "
                f"(/var/lib/vcontract, say), run as an ordinary user, or {OWN_DATABASE}"
            )
        return unstarted(f"{trouble} (status {status}; see {self.log_file})", said)


def _keeper_command(*arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", supervisor.__file__, *arguments]
