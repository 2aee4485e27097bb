"""A caller's connections to the shared process, which is started when it does not run."""

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.shared.frames import LENGTHS, BadFrame, lengths_of, pack, read_header
from vcontract.runtime.embedding.shared.place import OWN_MODEL, Place
from vcontract.runtime.embedding.shared.process import Order

if TYPE_CHECKING:
    from vcontract.runtime.embedding.recipe import Recipe
    from vcontract.runtime.settings import Settings

LINGER_SECONDS: Final = 5.0
"""How long the process outlives its last caller: a command right after another finds it running."""
_START_SECONDS: Final = 60.0
_PAUSE_SECONDS: Final = 0.005
_CREDENTIALS: Final = struct.Struct("3i")
"""Process, user and group."""
_LITTLE_MEMORY: Final = {
    # What was freed goes back to the system, where glibc would keep the memory of the largest batch.
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "4194304",
}


class Lost(Exception):
    """The process has ended, or does not answer."""


class Silent(ModelUnavailable):
    """The process lives, and has not answered in time."""


class Connection:
    """One connection; one request at a time."""

    def __init__(self, opened: socket.socket) -> None:
        self.socket = opened
        self.pid = _listening(opened)
        """The process at the other end, as the kernel knows it; 0 where it cannot tell."""

    @property
    def is_closed(self) -> bool:
        return self.socket.fileno() < 0

    def ask(self, request: JsonObject, seconds: float) -> tuple[JsonObject, bytes]:
        """The header and the vectors of the answer.

        Raises: Lost; Silent when nothing is said for `seconds`; ModelUnavailable and EmbeddingFailed, as the
        process says. The connection is closed when no further request can be made.
        """
        try:
            frame = pack(request)
        except BadFrame as error:
            raise EmbeddingFailed(f"too much text at once: {error}") from error
        try:
            header, vectors = self._answer(frame, time.monotonic() + seconds)
        except TimeoutError:
            self.close()
            raise Silent(
                "failed",
                f"the embedding process has not answered for {seconds:.0f} seconds",
                f"try again: another is started when it does not answer twice; or {OWN_MODEL}",
            ) from None
        except (OSError, BadFrame) as error:
            self.close()
            raise Lost(f"{type(error).__name__}: {error}") from error
        if "refused" in header:  # the other end reads no further
            self.close()
        if "unavailable" in header:
            raise ModelUnavailable(**header["unavailable"])
        if "failed" in header or "refused" in header:
            raise EmbeddingFailed(header.get("failed") or header["refused"])
        return header, vectors

    def close(self) -> None:
        self.socket.close()

    def _answer(self, frame: bytes, deadline: float) -> tuple[JsonObject, bytes]:
        self._wait_no_longer_than(deadline)
        self.socket.sendall(frame)
        header, vectors = lengths_of(self._receive(LENGTHS.size, deadline))
        return read_header(self._receive(header, deadline)), self._receive(vectors, deadline)

    def _receive(self, count: int, deadline: float) -> bytes:
        content = bytearray()
        while len(content) < count:
            self._wait_no_longer_than(deadline)
            piece = self.socket.recv(count - len(content))
            if not piece:
                raise ConnectionResetError("the connection was closed")
            content += piece
        return bytes(content)

    def _wait_no_longer_than(self, deadline: float) -> None:
        self.socket.settimeout(max(deadline - time.monotonic(), 0.001))


@dataclass(slots=True)
class SharedProcess:
    """The process that holds the model of a recipe for the store of the settings."""

    settings: "Settings"
    recipe: "Recipe"
    linger: float = LINGER_SECONDS
    silences: int = field(default=0, init=False)
    """How often in a row it has not answered in time."""

    def connect(self) -> Connection:
        """A connection to the process; it is started first if it does not run. Blocks.

        Safe to call from any number of processes at once: one of them starts it.
        Raises: ModelUnavailable.
        """
        place = Place.of(self.settings, self.recipe)
        deadline = time.monotonic() + _START_SECONDS
        try:
            while (opened := _connected(place)) is None:
                lock = place.try_lock()
                if lock is not None:
                    with contextlib.closing(_Descriptor(lock)):
                        return self._start(place, lock, deadline)
                # it starts, or it ends
                _pause(deadline, place)
        except OSError as error:
            raise ModelUnavailable(
                "failed", f"the embedding process cannot be used: {error}", OWN_MODEL
            ) from error
        return opened

    def end(self, pid: int) -> bool:
        """Kill process `pid` if it is still the one that listens; whether it was.

        The next caller starts another. Raises: OSError.
        """
        opened = _connected(Place.of(self.settings, self.recipe))
        if opened is None:
            return False
        with contextlib.closing(opened):
            if pid <= 0 or opened.pid != pid:
                return False
            os.kill(pid, signal.SIGKILL)
        return True

    def _start(self, place: Place, lock: int, deadline: float) -> Connection:
        order = Order(str(place.socket), self.recipe.document(), self.linger)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("VCONTRACT_")}
        with place.open_log() as log:
            said = log.tell()
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "vcontract.runtime.embedding.shared.process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd="/",
                env={**_LITTLE_MEMORY, **inherited},
                start_new_session=True,
                pass_fds=(lock,),
            )
        try:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError), process.stdin:
                process.stdin.write(json.dumps(asdict(order)).encode("ascii") + b"\n")
            while (opened := _connected(place)) is None:
                status = process.poll()
                if status is not None:
                    raise ModelUnavailable(
                        "failed",
                        f"the embedding process ended at once (status {status}): {_last_words(place, said)}",
                        f"see {place.log}, or {OWN_MODEL}",
                    )
                _pause(deadline, place)
        finally:
            # it usually outlives this process; when it does not, it must not stay a zombie
            threading.Thread(target=process.wait, name="reap-embedding", daemon=True).start()
        return opened


@dataclass(frozen=True, slots=True)
class _Descriptor:
    number: int

    def close(self) -> None:
        os.close(self.number)


def _connected(place: Place) -> Connection | None:
    """A connection, unless nobody listens."""
    opened = socket.socket(socket.AF_UNIX)
    try:
        opened.settimeout(_START_SECONDS)
        opened.connect(str(place.socket))
    except (FileNotFoundError, ConnectionRefusedError):
        opened.close()
        return None
    except BaseException:
        opened.close()
        raise
    return Connection(opened)


def _listening(opened: socket.socket) -> int:
    if sys.platform == "linux":
        credentials = opened.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        pid: int = _CREDENTIALS.unpack(credentials)[0]
        return pid
    return 0


def _pause(deadline: float, place: Place) -> None:
    if time.monotonic() > deadline:
        raise ModelUnavailable(
            "failed",
            f"the embedding process neither answers nor ends after {_START_SECONDS:.0f} seconds",
            f"see {place.log}, or {OWN_MODEL}",
        )
    time.sleep(_PAUSE_SECONDS)


def _last_words(place: Place, since: int) -> str:
    with place.log.open("rb") as log:
        log.seek(since)
        lines = log.read(100_000).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
