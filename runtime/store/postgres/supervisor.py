"""Supervise PostgreSQL's programs for the embedded cluster, as a script: `python -I -S supervisor.py`.

Uses the standard library only. `keep` is the detached parent of the postmaster: it stops the server when no
process holds a lease on the cluster. `initdb` runs PostgreSQL's initdb. Both make sure that neither program
runs as root.
"""

import contextlib
import fcntl
import os
import pwd
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

LEASE_FILE = "lease.lock"
"""File in the cluster's folder on which every user of the cluster holds a shared lock."""

UNREACHABLE = 78
"""Exit status: an unprivileged user cannot reach the folder or the programs (EX_CONFIG of sysexits.h)."""

SERVER_ENDED = 3
"""Exit status: the server ended by itself, or could not start."""

_NEW_USER_NAMESPACE = 0x10000000
_SIGNAL_ON_DEATH_OF_PARENT = 1
_SECONDS_TO_STOP = 30.0


class _ServerEnded(Exception):
    """The postmaster has ended."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


class _AskedToStop(Exception):
    """The keeper itself received a signal to end."""


def main(arguments: list[str]) -> int:
    """Run one of the two modes; the arguments after `--` are the program to run and its arguments."""
    split = arguments.index("--")
    (mode, folder, *rest), program = arguments[:split], arguments[split + 1 :]
    if mode == "initdb":
        _leave_root(folder, program[0])
        os.execv(program[0], program)  # noqa: S606 - an absolute path of the installation, no shell
    sockets, linger = rest
    return _keep(folder, sockets, float(linger), program)


def _keep(folder: str, sockets: str, linger: float, program: list[str]) -> int:
    # blocked during the fork, so that signals reach the keeper even if the server ends at once
    watched = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    keeper = os.getpid()
    server = os.fork()
    if server == 0:
        _become_server(folder, sockets, program, keeper)
    # ignored only now: an ignored signal is lost, while a blocked one waits
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def ended(_signal: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ChildProcessError):
            pid, status = os.waitpid(server, os.WNOHANG)
            if pid == server:
                raise _ServerEnded(os.waitstatus_to_exitcode(status))

    def asked(_signal: int, _frame: FrameType | None) -> None:
        raise _AskedToStop

    signal.signal(signal.SIGCHLD, ended)
    signal.signal(signal.SIGTERM, asked)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
        lease = _wait_until_unused(os.path.join(folder, LEASE_FILE), linger)
    except _ServerEnded as end:
        _remove_sockets(folder, sockets)
        return UNREACHABLE if end.status == UNREACHABLE else SERVER_ENDED
    except _AskedToStop:
        lease = None
    # the lease stays locked meanwhile, so new processes wait until the server is down
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _stop(server)
    _remove_sockets(folder, sockets)
    if lease is not None:
        os.close(lease)
    return 0


def _remove_sockets(folder: str, sockets: str) -> None:
    """Remove an empty socket folder outside the cluster."""
    if os.path.dirname(sockets) != folder:
        with contextlib.suppress(OSError):
            os.rmdir(sockets)


def _become_server(folder: str, sockets: str, program: list[str], keeper: int) -> NoReturn:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT})
    stop_when_parent_dies = _death_signal()
    data = program[program.index("-D") + 1]
    try:
        _admit(data, _leave_root(folder, program[0], sockets))
        with contextlib.suppress(FileExistsError):
            os.mkdir(sockets, 0o700)  # by the server's own user
        stop_when_parent_dies()
        if os.getppid() != keeper:
            os._exit(1)
        os.execv(program[0], program)  # noqa: S606 - an absolute path of the installation, no shell
    except OSError as error:
        print(f"cannot run {program[0]}: {error}", file=sys.stderr, flush=True)
    except SystemExit as error:
        os._exit(error.code if isinstance(error.code, int) else 1)
    os._exit(1)


def _admit(data: str, user: int) -> None:
    """Allow socket connections by `user`, as PostgreSQL sees the owner of the cluster, and by root.

    The kernel reports the user of the connecting process to PostgreSQL, which looks up its name. If `user`
    has no name, every connection is accepted; then only the private socket folder keeps others out.
    """
    names = [name for name in (_name_of(user), _name_of(0)) if name is not None]
    method = "trust" if _name_of(user) is None else "peer map=vcontract"
    for name, lines in (
        ("pg_hba.conf", (f"local {kind} all {method}" for kind in ("all", "replication"))),
        ("pg_ident.conf", (f'vcontract "{name}" all' for name in names)),
    ):
        file, text = Path(data, name), "".join(f"{line}\n" for line in lines)
        # a full disk must not invalidate correct files
        if not file.exists() or file.read_text(encoding="utf-8", errors="replace") != text:
            file.write_text(text, encoding="utf-8")


def _name_of(user: int) -> str | None:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return None


def _death_signal() -> Callable[[], None]:
    """Return a function that asks Linux for a fast shutdown of this process if its keeper is killed.

    It is created before dropping privileges: an unprivileged user may not be able to read our Python modules.
    """
    if sys.platform != "linux":
        return lambda: None
    try:
        import ctypes  # only here: the launcher imports this module and must stay fast
    except ImportError:  # some Pythons are built without it
        return lambda: None
    library = ctypes.CDLL(None)

    def ask() -> None:
        library.prctl(_SIGNAL_ON_DEATH_OF_PARENT, signal.SIGINT)

    return ask


def _wait_until_unused(lease_file: str, linger: float) -> int:
    """Wait until nobody uses the cluster, now and `linger` seconds later. Returns the locked lease."""
    while True:
        lease = os.open(lease_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lease, fcntl.LOCK_EX)
        if linger == 0:
            return lease
        os.close(lease)
        time.sleep(linger)
        lease = os.open(lease_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # a new user came meanwhile
            os.close(lease)
        else:
            return lease


def _stop(server: int) -> None:
    """Shut the postmaster down fast, or immediately if that takes too long."""
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(server, signal.SIGINT)
        deadline = time.monotonic() + _SECONDS_TO_STOP
        while os.waitpid(server, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                os.kill(server, signal.SIGQUIT)
                os.waitpid(server, 0)
                return
            time.sleep(0.005)


def _leave_root(folder: str, program: str, sockets: str | None = None) -> int:
    """Drop root privileges, because PostgreSQL refuses to run as uid 0.

    Returns the user to admit: the cluster's owner as PostgreSQL sees it, or 0 if we became `nobody`.

    A folder of an ordinary user is served as that user. Otherwise a user namespace maps our uid 0 to
    `nobody`, without changing files. If the system denies that (many containers do), the folder is given to
    `nobody` and the process becomes `nobody`.
    """
    if os.geteuid() != 0:
        return os.geteuid()
    status = os.stat(folder)
    user, group = _nobody()
    if status.st_uid != 0:
        _check_reachable(folder, program, status.st_uid, status.st_gid)
        _step_down(status.st_uid, status.st_gid)
        return 0 if status.st_uid == user else status.st_uid
    if _enter_user_namespace(user, group):
        return user
    _check_reachable(folder, program, user, group)
    _give(folder, user, group)
    if sockets is not None and os.path.isdir(sockets):
        _give(sockets, user, group)
    _step_down(user, group)
    return 0  # many programs run as nobody, so grant it nothing


def _nobody() -> tuple[int, int]:
    """User and group of the unprivileged account; initdb requires a uid with a name."""
    accounts = [account for account in pwd.getpwall() if account.pw_uid > 0]
    accounts.sort(key=lambda account: (account.pw_name != "nobody", -account.pw_uid))
    return (accounts[0].pw_uid, accounts[0].pw_gid) if accounts else (65534, 65534)


def _enter_user_namespace(user: int, group: int) -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes  # only here: see above
    except ImportError:
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER_NAMESPACE) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} 0 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} 0 1", encoding="ascii")
    return True


def _check_reachable(folder: str, program: str, user: int, group: int) -> None:
    """Exit with `UNREACHABLE` unless the user can access what it needs."""
    os.setegid(group)
    os.seteuid(user)
    unreachable = None
    for path in (folder, program):
        try:
            os.stat(path)
        except OSError as error:
            unreachable = f"{path} ({error.strerror})"
            break
    os.seteuid(0)
    os.setegid(0)
    if unreachable is not None:
        print(
            f"uid {user} cannot reach {unreachable}: PostgreSQL refuses to run as root and this system "
            "refuses user namespaces, so it has to run as that user",
            file=sys.stderr,
            flush=True,
        )
        sys.exit(UNREACHABLE)


def _give(folder: str, user: int, group: int) -> None:
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(parent, name), user, group, follow_symlinks=False)
    os.chown(folder, user, group)


def _step_down(user: int, group: int) -> None:
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
