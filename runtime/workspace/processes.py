"""Run subprocesses without a shell, in a clean environment, and end the whole group on timeout."""

import asyncio
import os
import signal
import time
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PASSED: Final = frozenset(
    {"PATH", "HOME", "USER", "LANG", "TMPDIR", "SSH_AUTH_SOCK", "GNUPGHOME"}
    | {"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"}
)
_MAX_OUTPUT: Final = 16_777_216
_TERM_SECONDS: Final = 5.0
_READ_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class Finished:
    """Result of a command. If it prints more than 16 MiB, only the end is kept."""

    code: int | None
    """Exit code; None after a timeout."""
    output: bytes
    errors: bytes
    milliseconds: int
    killed: bool = False
    """Whether it was killed before it could clean up."""

    @property
    def succeeded(self) -> bool:
        return self.code == 0

    @property
    def is_whole(self) -> bool:
        """Whether its output is complete."""
        return len(self.output) < _MAX_OUTPUT

    @property
    def timed_out(self) -> bool:
        return self.code is None


def clean_environment(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment of a subprocess: paths, home and proxies, none of our settings, and `given`."""
    passed = {name: value for name, value in os.environ.items() if name in _PASSED or name.startswith("LC_")}
    return {**passed, **(given or {})}


async def run(
    command: Sequence[str | Path],
    folder: Path,
    seconds: float,
    *,
    environment: Mapping[str, str] | None = None,
    text: bytes | None = None,
) -> Finished:
    """Run `command` in `folder`. After `seconds`, its whole process group is ended.

    `environment` is added to the clean environment. `text` is its standard input, which is closed otherwise.

    Raises: FileNotFoundError and PermissionError if the command or the folder cannot be used.
    """
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(os.fspath(word) for word in command),
        cwd=folder,
        env=clean_environment(environment),
        stdin=DEVNULL if text is None else PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
    )
    talk = asyncio.create_task(_talk(process, text))
    code: int | None = None
    killed = False
    try:
        try:
            output, errors = await asyncio.wait_for(asyncio.shield(talk), seconds)
            code = await process.wait()
        except TimeoutError:
            # set when the command has ended and only its children hold the pipes
            code = process.returncode
            killed = await _end_group(process, talk)
            output, errors = talk.result() if talk.done() and not talk.cancelled() else (b"", b"")
    except BaseException:
        # the caller was cancelled: nothing may run without an owner
        await asyncio.shield(_kill_group(process, talk))
        raise
    return Finished(code, output, errors, round((time.monotonic() - started) * 1000), killed)


async def _talk(process: Process, text: bytes | None) -> tuple[bytes, bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors, _ = await asyncio.gather(
        _read_end(process.stdout), _read_end(process.stderr), _write(process, text)
    )
    return output, errors


async def _write(process: Process, text: bytes | None) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(text or b"")
        await process.stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the command did not read all of it
    process.stdin.close()


async def _read_end(stream: StreamReader) -> bytes:
    kept = bytearray()
    while part := await stream.read(_READ_BYTES):
        kept += part
        if len(kept) > 2 * _MAX_OUTPUT:
            del kept[:-_MAX_OUTPUT]
    return bytes(kept[-_MAX_OUTPUT:])


async def _end_group(process: Process, talk: "asyncio.Task[tuple[bytes, bytes]]") -> bool:
    """Terminate the group, and after 5 s kill the rest. Returns whether the command itself was killed."""
    _signal_group(process, signal.SIGTERM)
    await asyncio.wait([talk], timeout=_TERM_SECONDS)
    ended = process.returncode is not None
    await _kill_group(process, talk)
    return not ended


async def _kill_group(process: Process, talk: "asyncio.Task[tuple[bytes, bytes]]") -> None:
    _signal_group(process, signal.SIGKILL)
    await process.wait()
    # a grandchild outside the group may hold the pipes open, so do not wait for its output
    await asyncio.wait([talk], timeout=0.1)
    talk.cancel()
    await asyncio.gather(talk, return_exceptions=True)


def _signal_group(process: Process, number: signal.Signals) -> None:
    """Signal every process of the group, whose ID is that of the first command."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass  # all of them have ended
    except PermissionError:
        process.send_signal(number)  # macOS reports this for a group whose only member has ended
