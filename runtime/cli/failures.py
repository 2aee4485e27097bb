"""Errors and exit codes of commands."""

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
    """Exit codes of every command."""

    DONE = 0
    FAILED = 1
    """The command ran with a negative result: a rejected document, an error result, a failed check."""
    USAGE = 2
    """Wrong arguments or settings; nothing was done."""
    NO_STORE = 3
    """The database is unavailable or not ready."""
    INTERRUPTED = 130
    """Interrupted by the user, as in shells."""


class CommandFailed(Exception):
    """Ends a command with a message, its cause and advice."""

    def __init__(
        self, message: str, *, cause: str = "", cure: str = "", code: ExitCode = ExitCode.FAILED
    ) -> None:
        self.message = message
        self.cause = cause
        self.cure = cure
        self.code = code
        super().__init__(message)

    def report(self) -> None:
        """Print message, cause and advice on separate lines of stderr."""
        note(f"vcontract: {self.message}")
        for name, text in (("cause", self.cause), ("cure", self.cure)):
            if text:
                note(f"  {name + ':':<6} {text}".replace("\n", "\n         "))


@contextmanager
def resumable(done: str, progress: Callable[[], str] = lambda: "") -> Generator[None]:
    """Let Ctrl-C end a command that can be continued by running it again; `done` says what is kept.

    `progress` returns further progress.
    """
    try:
        yield
    except KeyboardInterrupt:
        note(f"Stopped{progress()}. What is {done} stays; run the same command again to continue.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _file_failure(error: OSError) -> CommandFailed:
    """Build the error for a file or folder that cannot be accessed."""
    return CommandFailed(f"{error.filename}: {error.strerror or error}", cure=file_cure(error))


def file_cure(error: OSError) -> str:
    """Advice for a file or folder that cannot be accessed."""
    return _FILE_CURES.get(error.errno or 0, _OTHER_PATH)


_OTHER_PATH: Final = "check the path, or name another one"
_FILE_CURES: Final = {
    errno.EACCES: "check the permissions of the file and of its folder, or name another path",
    errno.ENOSPC: "free disk space, then run the command again",
    errno.EDQUOT: "free disk space, then run the command again",
}


def reporting(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Wrap a command: report its errors and set the exit code."""

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
