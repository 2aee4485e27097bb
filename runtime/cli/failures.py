"""What a command says and returns when it cannot do its work."""

import errno
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import typer

from vcontract.runtime.cli.console import note

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class ExitCode(IntEnum):
    """What the exit status of every command means."""

    DONE = 0
    FAILED = 1
    """The command ran, and the answer is no: a refused document, an error result, a failed check."""
    USAGE = 2
    """Wrong arguments or settings; nothing was done."""
    NO_STORE = 3
    """The database cannot be reached or is not ready."""
    INTERRUPTED = 130
    """By the user; as shells say it."""


class CommandFailed(Exception):
    """Ends a command: what went wrong, why, and what to do about it."""

    def __init__(
        self, message: str, *, cause: str = "", cure: str = "", code: ExitCode = ExitCode.FAILED
    ) -> None:
        self.message = message
        self.cause = cause
        self.cure = cure
        self.code = code
        super().__init__(message)

    def report(self) -> None:
        """The message, and the cause and the cure on lines of their own, on the standard error."""
        note(f"vcontract: {self.message}")
        for name, text in (("cause", self.cause), ("cure", self.cure)):
            if text:
                note(f"  {name + ':':<6} {text}".replace("\n", "\n         "))


@contextmanager
def resumable(done: str, progress: Callable[[], str] = lambda: "") -> Generator[None]:
    """Turns Ctrl-C into the end of a command that goes on when it is run again; `done` says what stays.

    `progress` is what more is said of how far it came.
    """
    try:
        yield
    except KeyboardInterrupt:
        note(f"Stopped{progress()}. What is {done} stays; run the same command again to continue.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _file_failure(error: OSError) -> CommandFailed:
    """A file or folder that the operating system refuses."""
    return CommandFailed(f"{error.filename}: {error.strerror or error}", cure=file_cure(error))


def file_cure(error: OSError) -> str:
    """What a user can do about a file or folder that the operating system refuses."""
    return _FILE_CURES.get(error.errno or 0, _OTHER_PATH)


_OTHER_PATH: Final = "check the path, or name another one"
_FILE_CURES: Final = {
    errno.EACCES: "check the permissions of the file and of its folder, or name another path",
    errno.ENOSPC: "free disk space, then run the command again",
    errno.EDQUOT: "free disk space, then run the command again",
}


def reporting(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The command, its failures reported and turned into exit codes."""

    @wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except CommandFailed as failure:
            failure.report()
            raise typer.Exit(failure.code) from None
        except OSError as error:
            if error.filename is None:
                raise
            _file_failure(error).report()
            raise typer.Exit(ExitCode.FAILED) from None

    return run
