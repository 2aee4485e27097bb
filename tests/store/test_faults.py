"""What exceptions of the database mean for a caller."""

import asyncpg
import pytest

from vcontract.runtime.store.postgres.error_mapping import (
    StoreDown,
    classify,
    is_lost_connection,
    reaching_store,
)
from vcontract.runtime.store.postgres.errors import (
    EmbeddedDiskFull,
    EmbeddedReadOnly,
    EmbeddedUnavailable,
    MigrationError,
    SchemaOutOfDate,
    ServerUnreachable,
    ServerUnsuitable,
)


@pytest.mark.parametrize(
    ("error", "reason", "retryable", "lost"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "unavailable", True, True),
        (FileNotFoundError(2, "No such file or directory"), "unavailable", True, True),
        (BrokenPipeError(32, "Broken pipe"), "unavailable", True, True),
        (asyncpg.ConnectionDoesNotExistError("closed in the middle of operation"), "unavailable", True, True),
        (asyncpg.InterfaceError("connection is closed"), "unavailable", True, True),
        (asyncpg.InterfaceError("connection has been released back to the pool"), "unavailable", True, True),
        (asyncpg.AdminShutdownError("terminating connection"), "unavailable", True, True),
        (asyncpg.CrashShutdownError("terminating connection"), "unavailable", True, True),
        (asyncpg.CannotConnectNowError("the database system is starting up"), "unavailable", True, True),
        (asyncpg.TooManyConnectionsError("too many clients"), "unavailable", True, False),
        (asyncpg.DiskFullError("no space left on device"), "disk_full", True, False),
        (
            asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction"),
            "read_only",
            True,
            False,
        ),
        (
            asyncpg.InsufficientPrivilegeError('could not open file "x": Read-only file system'),
            "read_only",
            True,
            False,
        ),
        (asyncpg.InsufficientPrivilegeError("permission denied for table vcon"), "internal", False, False),
        (EmbeddedDiskFull("No space left on device"), "disk_full", True, False),
        (EmbeddedReadOnly("Read-only file system"), "read_only", True, False),
        (asyncpg.InvalidPasswordError("password authentication failed"), "unavailable", True, False),
        (TimeoutError(), "timeout", True, False),
        (asyncpg.QueryCanceledError("canceling statement due to statement timeout"), "timeout", True, False),
        (asyncpg.LockNotAvailableError("could not obtain lock"), "timeout", True, False),
        (asyncpg.SerializationError("could not serialize access"), "serialization", True, False),
        (asyncpg.DeadlockDetectedError("deadlock detected"), "serialization", True, False),
        (asyncpg.CharacterNotInRepertoireError("invalid byte 0x00"), "unstorable_text", False, False),
        (asyncpg.UntranslatableCharacterError("\\u0000 in JSON"), "unstorable_text", False, False),
        (asyncpg.UndefinedTableError("relation does not exist"), "internal", False, False),
        (asyncpg.UniqueViolationError("duplicate key"), "internal", False, False),
        (asyncpg.InterfaceError("another operation is in progress"), "internal", False, False),
        (asyncpg.InternalClientError("lost its way"), "internal", False, False),
        (
            asyncpg.InternalClientError("cannot switch to state 12; another operation (2) is in progress"),
            "unavailable",
            True,
            True,
        ),
        (EmbeddedUnavailable("did not start"), "unavailable", True, False),
        (ServerUnreachable("no route"), "unavailable", True, False),
        (ServerUnsuitable("too old"), "unavailable", False, False),
        (SchemaOutOfDate("lacks 0002"), "unavailable", False, False),
        (MigrationError("was changed"), "unavailable", False, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_an_error_of_the_database_has_a_reason(
    error: Exception, reason: str, retryable: bool, lost: bool
) -> None:
    fault = classify(error)
    assert fault is not None
    assert (fault.reason, fault.retryable) == (reason, retryable)
    assert is_lost_connection(error) is lost


@pytest.mark.parametrize(
    "error",
    [ValueError("no"), KeyError("no"), FileNotFoundError(2, "No such file or directory", "/tmp/import.json")],  # noqa: S108
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_something_else_is_not_the_databases(error: Exception) -> None:
    assert classify(error) is None
    assert is_lost_connection(error) is False


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.DiskFullError("no space left on device"),
        asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction"),
        asyncpg.AdminShutdownError("terminating connection"),
        TimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_work_that_needs_no_store_goes_on_without_one_that_stores_nothing(error: Exception) -> None:
    with pytest.raises(StoreDown), reaching_store():
        raise error
