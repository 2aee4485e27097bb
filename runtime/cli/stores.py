"""The database as a command uses it: opened, closed, and its failures told with their cure."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from vcontract.runtime.cli.failures import CommandFailed, ExitCode

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Database
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection

Result = TypeVar("Result")


def run(work: Coroutine[object, object, Result]) -> Result:
    """Run the asynchronous part of a command to its end."""
    return asyncio.run(work)


def run_for_the_store(work: Coroutine[object, object, Result]) -> Result:
    """The same for what keeps the store and shows nobody what is in it: consent withholds nothing of it."""
    from vcontract.runtime.store.postgres.purposes import for_the_store

    with for_the_store():
        return run(work)


@asynccontextmanager
async def open_store(settings: "Settings") -> "AsyncGenerator[Database]":
    """The database, ready for use; closed at the end.

    Raises: CommandFailed with `ExitCode.NO_STORE`.
    """
    from vcontract.runtime.store.postgres.database import Database

    with store_failures():
        database = await Database.open(settings)
        try:
            yield database
        finally:
            await database.close()


@asynccontextmanager
async def open_as_owner(settings: "Settings") -> "AsyncGenerator[OwnerConnection]":
    """A connection that may change the schema.

    Raises: CommandFailed with `ExitCode.NO_STORE`.
    """
    from vcontract.runtime.store.postgres.database import owner_connection

    with store_failures():
        async with owner_connection(settings) as connection:
            yield connection


def refuse_pooler(settings: "Settings", command: str) -> None:
    """Pass where a command has a connection of its own.

    Raises: CommandFailed with `ExitCode.USAGE`.
    """
    if settings.database_url is not None and settings.database_pooled:
        raise CommandFailed(
            f"`{command}` does not work through a pooler",
            cause="it changes settings of its connection, which a pooler shares with other clients",
            cure="name the server itself in VCONTRACT_DATABASE_URL, and unset VCONTRACT_DATABASE_POOLED",
            code=ExitCode.USAGE,
        )


@contextmanager
def store_failures() -> Generator[None]:
    """Turns what the database raises into a failure of the command; lets everything else through."""
    import asyncpg

    from vcontract.runtime.store.postgres.errors import OutcomeUnknown, QuotaExceeded, StoreUnavailable
    from vcontract.runtime.store.postgres.faults import classify
    from vcontract.runtime.store.vcons.holds import Held

    try:
        yield
    except QuotaExceeded as error:
        raise CommandFailed(
            "the tenant's quota is exceeded",
            cause=str(error),
            cure="delete what you no longer need, or raise it with `vcontract tenant quota`",
        ) from error
    except Held as error:
        raise CommandFailed(str(error), cause=error.hold.reason, cure=_RELEASE) from error
    except StoreUnavailable as error:
        fault = classify(error)
        is_full = fault is not None and fault.reason == "disk_full"
        message, cure = FAULTS["disk_full"] if is_full else ("the database cannot be used", _DOCTOR)
        raise CommandFailed(message, cause=str(error), cure=cure, code=ExitCode.NO_STORE) from error
    except asyncpg.InsufficientPrivilegeError as error:
        raise CommandFailed(
            "the database login lacks a privilege",
            cause=str(error),
            cure="name the owner's login in VCONTRACT_DATABASE_URL",
        ) from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OutcomeUnknown, TimeoutError, OSError) as error:
        fault = classify(error)
        if fault is None:
            raise
        usual = f"try again; {_DOCTOR}" if fault.retryable else _DOCTOR
        message, cure = FAULTS.get(fault.reason, ("the database refused the work", usual))
        raise CommandFailed(
            message,
            cause=str(error) or type(error).__name__,
            cure=cure,
            code=ExitCode.NO_STORE if fault.reason in FAULTS else ExitCode.FAILED,
        ) from error


_DOCTOR = "run `vcontract doctor` to find the cause"
_RELEASE = "release it with the tool `release_hold`, once the matter is closed"
FAULTS: Final[Mapping[str, tuple[str, str]]] = {
    "unavailable": ("the connection to the database was lost", f"try again; {_DOCTOR}"),
    "outcome_unknown": (
        "the database was lost during a commit",
        f"check that its disk has room, then run the command again; {_DOCTOR}",
    ),
    "timeout": ("the database took too long", f"try again; {_DOCTOR}"),
    "disk_full": ("the database's disk is full", "free disk space, then run the command again"),
    "read_only": (
        "the database is read-only",
        "name the primary in VCONTRACT_DATABASE_URL, or make this one, and its disk, writable",
    ),
}
"""By the reason of a fault: what is wrong, and what to do about it."""


@contextmanager
def usage_failures() -> Generator[None]:
    """Turns a setting that names what does not exist into a failure of the command."""
    from vcontract.runtime.calls.telemetry import TelemetryMissing
    from vcontract.runtime.contract.catalogue import UnknownSelection
    from vcontract.runtime.contract.policy import UnknownRateClass
    from vcontract.runtime.store.vocabulary.declared import BadVocabulary
    from vcontract.runtime.vcon.trust.unusable import UnusableKey

    try:
        yield
    except UnusableKey as error:
        raise CommandFailed(
            "the keys cannot be used",
            cause=str(error),
            cure="give the text of the key itself, or name its file in the setting that ends in _FILE",
            code=ExitCode.USAGE,
        ) from None
    except BadVocabulary as error:
        raise CommandFailed(
            "the vocabulary cannot be used",
            cause=str(error),
            cure="correct the file, or unset VCONTRACT_VOCABULARY",
            code=ExitCode.USAGE,
        ) from None
    except TelemetryMissing as error:
        raise CommandFailed(
            str(error), cure="pip install 'vcontract[otel]', or unset VCONTRACT_OTEL", code=ExitCode.USAGE
        ) from None
    except UnknownRateClass as error:
        raise CommandFailed(str(error), cure="correct VCONTRACT_RATE_LIMITS", code=ExitCode.USAGE) from None
    except UnknownSelection as error:
        raise CommandFailed(
            str(error), cure="`vcontract tools` lists the tools and toolsets", code=ExitCode.USAGE
        ) from None
