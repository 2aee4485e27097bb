"""What a command says of what the database raised."""

import asyncpg
import pytest

from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.open_store import store_failures
from vcontract.runtime.store.postgres.errors import EmbeddedDiskFull


@pytest.mark.parametrize(
    ("error", "message", "cure", "code"),
    [
        (
            asyncpg.DiskFullError("no space"),
            "the database's disk is full",
            "free disk space",
            ExitCode.NO_STORE,
        ),
        (EmbeddedDiskFull("no space"), "the database's disk is full", "free disk space", ExitCode.NO_STORE),
        (
            asyncpg.ReadOnlySQLTransactionError("cannot execute INSERT in a read-only transaction"),
            "the database is read-only",
            "name the primary in VCONTRACT_DATABASE_URL",
            ExitCode.NO_STORE,
        ),
        (
            asyncpg.QueryCanceledError("statement timeout"),
            "the database took too long",
            "try again",
            ExitCode.NO_STORE,
        ),
        (
            asyncpg.AdminShutdownError("ended"),
            "the connection to the database was lost",
            "try again",
            ExitCode.NO_STORE,
        ),
        (
            asyncpg.UndefinedTableError("no such"),
            "the database refused the work",
            "run `vcontract doctor`",
            ExitCode.FAILED,
        ),
    ],
)
def test_a_fault_of_the_database_is_told_as_what_it_is(
    error: Exception, message: str, cure: str, code: ExitCode
) -> None:
    with pytest.raises(CommandFailed) as caught, store_failures():
        raise error

    failure = caught.value
    assert (failure.message, failure.cause, failure.code) == (message, str(error), code)
    assert failure.cure.startswith(cure)
