"""Map database exceptions to a StoreFault: the reason, and whether a retry can help."""

import contextlib
import errno
import os
from collections.abc import Callable, Generator

import asyncpg

from vcontract.runtime.frame.errors import StoreFault
from vcontract.runtime.store.postgres.errors import (
    EmbeddedDiskFull,
    EmbeddedReadOnly,
    EmbeddedUnavailable,
    OutcomeUnknown,
    QuotaExceeded,
    ServerUnreachable,
    StoreUnavailable,
    TenantElsewhere,
)

_MAY_COME_BACK = (EmbeddedUnavailable, ServerUnreachable, TenantElsewhere)
_UNAVAILABLE = StoreFault("unavailable", retryable=True)
_DISK_FULL = StoreFault("disk_full", retryable=True)
_READ_ONLY = StoreFault("read_only", retryable=True)
_TIMEOUT = StoreFault("timeout", retryable=True)
_SERIALIZATION = StoreFault("serialization", retryable=True)
_OUTCOME_UNKNOWN = StoreFault("outcome_unknown", retryable=False)
_UNSTORABLE = StoreFault("unstorable_text", retryable=False)
_INTERNAL = StoreFault("internal", retryable=False)

ELSEWHERE = "VC001"
"""SQLSTATE raised by functions/elsewhere.sql."""
# Source: PostgreSQL documentation, appendix A, "PostgreSQL Error Codes".
_BY_CODE = {
    "22021": _UNSTORABLE,  # U+0000 in a text
    "22P05": _UNSTORABLE,  # and in a JSON text
    "25006": _READ_ONLY,  # a standby, or set to read-only
    "25P03": _TIMEOUT,
    "25P04": _TIMEOUT,
    "40001": _SERIALIZATION,
    "40P01": _SERIALIZATION,
    "53100": _DISK_FULL,
    "55P03": _TIMEOUT,
    "57014": _TIMEOUT,
    "57P01": _UNAVAILABLE,
    "57P02": _UNAVAILABLE,
    "57P03": _UNAVAILABLE,
    "57P04": _UNAVAILABLE,
    "57P05": _UNAVAILABLE,
    ELSEWHERE: _UNAVAILABLE,
}
_NO_PRIVILEGE = "42501"
_SIGNS_OF_LOSS = (
    "connection is closed",
    "connection was closed",
    # the pool has already taken a lost connection back
    "connection has been released back to the pool",
    "connection_lost()",
)
_BY_CLASS = {
    "08": _UNAVAILABLE,
    "28": _UNAVAILABLE,  # invalid credentials, which no tool call can fix
    "53": _UNAVAILABLE,
    "58": _UNAVAILABLE,
}


def classify(error: BaseException) -> StoreFault | None:
    """Return the fault that a database exception means; None for other exceptions.

    Any TimeoutError, and any OSError without a file name, counts as the database's.
    """
    if isinstance(error, asyncpg.PostgresError):
        code = error.sqlstate or ""
        if code == _NO_PRIVILEGE and os.strerror(errno.EROFS) in str(error):
            return _READ_ONLY  # a read-only file system, for which PostgreSQL has no code of its own
        return _BY_CODE.get(code) or _BY_CLASS.get(code[:2]) or _INTERNAL
    if isinstance(error, asyncpg.InterfaceError):
        return _UNAVAILABLE if _is_lost_connection(error) else _INTERNAL
    if isinstance(error, asyncpg.InternalClientError):
        return _UNAVAILABLE if _is_broken_protocol(error) else _INTERNAL
    if isinstance(error, OutcomeUnknown):
        return _OUTCOME_UNKNOWN
    if isinstance(error, QuotaExceeded):
        details = {"quota": error.of, "used": error.used, "adds": error.adds, "allowed": error.allowed}
        return StoreFault("quota_exceeded", retryable=False, details=details)
    if isinstance(error, EmbeddedDiskFull):
        return _DISK_FULL
    if isinstance(error, EmbeddedReadOnly):
        return _READ_ONLY
    if isinstance(error, StoreUnavailable):
        return StoreFault("unavailable", retryable=isinstance(error, _MAY_COME_BACK))
    if isinstance(error, TimeoutError):
        return _TIMEOUT
    if isinstance(error, OSError) and error.filename is None:
        return _UNAVAILABLE
    return None


def is_lost_connection(error: BaseException) -> bool:
    """Whether the server was unreachable or disconnected, so that a new connection may succeed."""
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "")[:2] == "08" or error.sqlstate in ("57P01", "57P02", "57P03")
    if isinstance(error, asyncpg.InterfaceError):
        return _is_lost_connection(error)
    if isinstance(error, asyncpg.InternalClientError):
        return _is_broken_protocol(error)
    return isinstance(error, OSError) and not isinstance(error, TimeoutError) and error.filename is None


def _is_lost_connection(error: asyncpg.InterfaceError) -> bool:
    """Whether it is a lost connection. asyncpg uses the same class for misuse; only the text differs."""
    text = str(error)
    return any(sign in text for sign in _SIGNS_OF_LOSS)


def _is_broken_protocol(error: asyncpg.InternalClientError) -> bool:
    """Whether a connection broke because the server died between two statements.

    Concurrent operations on one connection, a bug of ours, raise an InterfaceError instead.
    """
    return str(error).startswith("cannot switch to state")


QUERY_ERRORS = (asyncpg.PostgresError,)
"""Errors that a statement may raise if the server replies."""


def is_invalid_statement(error: BaseException) -> bool:
    """Whether the server rejects the statement (unsupported, invalid or not permitted), whatever its values.

    Source: PostgreSQL documentation, appendix A: class 0A, feature not supported; class 42, syntax error or
    access rule violation.
    """
    return isinstance(error, asyncpg.PostgresError) and (error.sqlstate or "")[:2] in ("0A", "42")


class StoreDown(Exception):
    """The store is unreachable, too slow, full, read-only or over quota, or a commit's outcome is unknown."""


def reaching_store() -> contextlib.AbstractContextManager[None]:
    """Convert outages (`StoreFault.is_outage`) and timeouts of the store to StoreDown; pass on other errors.

    Raises: StoreDown.
    """
    return _converting(StoreDown, lambda fault: fault.is_outage or fault.reason == "timeout")


class TakesNoWrites(Exception):
    """The store can be read but not written to: it is read-only, or its disk is full."""


def writing_if_possible() -> contextlib.AbstractContextManager[None]:
    """Convert the errors of a store that only takes reads to TakesNoWrites; pass on others.

    Raises: TakesNoWrites.
    """
    return _converting(TakesNoWrites, lambda fault: fault.reason in ("read_only", "disk_full"))


@contextlib.contextmanager
def _converting(kind: type[Exception], is_meant: Callable[[StoreFault], bool]) -> Generator[None]:
    """Convert the faults of the store that are meant to an exception; pass on other errors."""
    try:
        yield
    except _STORE_ERRORS as error:
        fault = classify(error)
        if fault is None or not is_meant(fault):
            raise
        raise kind(fault.reason) from error


_STORE_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    StoreUnavailable,
    QuotaExceeded,
    TimeoutError,
    OSError,
)
