"""Open the database for a command, and convert its errors to messages with advice."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

from vcontract.runtime.cli.failures import CommandFailed, ExitCode

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Database
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection

Result = TypeVar("Result")

_ADDRESS: Final = re.compile(r"\b(VCONTRACT_DATABASE_URL)\b")


def run(work: Coroutine[object, object, Result]) -> Result:
    """Run the asynchronous part of a command to its end."""
    return asyncio.run(work)


def run_for_the_store(work: Coroutine[object, object, Result]) -> Result:
    """Run work that shows no stored content to anyone, so consent does not restrict it."""
    from vcontract.runtime.store.postgres.consent import without_consent_filter

    with without_consent_filter():
        return run(work)


async def store_of(settings: "Settings", tenant: str) -> "Settings":
    """Settings of the store that contains a tenant.

    Raises: CommandFailed.
    """
    _, settings = await placed_tenant(settings, tenant)
    return settings


async def placed_tenant(settings: "Settings", tenant: str) -> "tuple[str, Settings]":
    """Name and settings of the store that contains a tenant. Raises: CommandFailed."""
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.tenant_directory import store_named

    if settings.database_urls is None:
        return HOME_STORE, settings
    async with open_store(settings.stores[HOME_STORE]) as home:
        name = await store_named(home, tenant) or HOME_STORE
    return name, named_store(settings, tenant, name)


async def of_each_store(
    settings: "Settings", work: "Callable[[OwnerConnection], Awaitable[Result]]"
) -> tuple[dict[str, Result], list[CommandFailed]]:
    """Run `work` on each store as its owner. Returns results by store, and errors of other stores.

    Raises: CommandFailed of the home store.
    """
    from vcontract.runtime.settings import HOME_STORE

    found: dict[str, Result] = {}
    away: list[CommandFailed] = []
    for name, its in settings.stores.items():
        try:
            with failures_of_store(name):
                async with open_store(its), open_as_owner(its) as connection:
                    found[name] = await work(connection)
        except CommandFailed as failure:
            if name == HOME_STORE:
                raise
            away.append(failure)
    return found, away


@contextmanager
def failures_of_store(name: str) -> Generator[None]:
    """Add the store's name to errors, unless it is the home store."""
    from vcontract.runtime.settings import HOME_STORE

    try:
        yield
    except CommandFailed as failure:
        if name == HOME_STORE:
            raise
        raise CommandFailed(
            f"the store {name} cannot be used",
            cause=about_store(name, failure.cause or failure.message),
            cure=about_store(name, failure.cure),
            code=failure.code,
        ) from None


def about_store(name: str, text: str) -> str:
    """Reword a message about the only store for one of several."""
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.schema_status import MIGRATE_COMMAND

    if name == HOME_STORE:
        return text
    return _ADDRESS.sub(r"\1S", text).replace(
        f"run: {MIGRATE_COMMAND}",
        f"run, with the address of {name} as VCONTRACT_DATABASE_URL: {MIGRATE_COMMAND}",
    )


def named_store(settings: "Settings", tenant: str, name: str) -> "Settings":
    """Settings of a named store that contains a tenant. Raises: CommandFailed."""
    if name not in settings.stores:
        raise CommandFailed(
            f"{tenant} is in the store {name}, which VCONTRACT_DATABASE_URLS does not name",
            cure="add its address",
            code=ExitCode.USAGE,
        )
    return settings.stores[name]


@asynccontextmanager
async def open_store(settings: "Settings", tenant: str | None = None) -> "AsyncGenerator[Database]":
    """Open the database, by default of the tenant's store, and close it at the end.

    Raises: CommandFailed with `ExitCode.NO_STORE`.
    """
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.database import Database

    name = HOME_STORE
    if tenant is not None:
        name, settings = await placed_tenant(settings, tenant)
    with failures_of_store(name), store_failures():
        database = await Database.open(settings)
    with store_failures():
        try:
            yield database
        finally:
            await database.close()


@asynccontextmanager
async def open_as_owner(settings: "Settings") -> "AsyncGenerator[OwnerConnection]":
    """Open a connection with the right to change the schema.

    Raises: CommandFailed with `ExitCode.NO_STORE`.
    """
    from vcontract.runtime.store.postgres.owner import owner_connection

    with store_failures():
        async with owner_connection(settings) as connection:
            yield connection


def refuse_pooler(settings: "Settings", command: str) -> None:
    """Reject a pooler for commands that need a session.

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
    """Convert database errors to command errors; other errors pass."""
    import asyncpg

    from vcontract.runtime.store.postgres.error_mapping import classify
    from vcontract.runtime.store.postgres.errors import OutcomeUnknown, QuotaExceeded, StoreUnavailable
    from vcontract.runtime.store.vcons.holds import UnderLegalHold

    try:
        yield
    except QuotaExceeded as error:
        raise CommandFailed(
            "the tenant's quota is exceeded",
            cause=str(error),
            cure="delete what you no longer need, or raise it with `vcontract tenant quota`",
        ) from error
    except UnderLegalHold as error:
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
"""Message and advice by the reason of a fault."""


@contextmanager
def usage_failures() -> Generator[None]:
    """Convert invalid names in settings to command errors."""
    from vcontract.runtime.frame.contract.catalogue import UnknownSelection
    from vcontract.runtime.frame.contract.policy import UnknownRateClass
    from vcontract.runtime.store.vocabulary.closed_tags import BadVocabulary
    from vcontract.runtime.vcon.trust.key_errors import UnusableKey

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
    except UnknownRateClass as error:
        raise CommandFailed(str(error), cure="correct VCONTRACT_RATE_LIMITS", code=ExitCode.USAGE) from None
    except UnknownSelection as error:
        raise CommandFailed(
            str(error), cure="`vcontract tools` lists the tools and toolsets", code=ExitCode.USAGE
        ) from None
