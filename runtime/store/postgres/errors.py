"""Errors for the operator that say why the store cannot be used, each with a fix."""

from typing import Literal


class StoreUnavailable(Exception):
    """The store cannot be used. The message says why and what to do."""


class EmbeddedUnavailable(StoreUnavailable):
    """The embedded cluster cannot be created, started or reached."""


class EmbeddedDiskFull(EmbeddedUnavailable):
    """The embedded cluster's disk has no room left."""


class EmbeddedReadOnly(EmbeddedUnavailable):
    """The embedded cluster's disk is mounted read-only."""


class ServerUnreachable(StoreUnavailable):
    """The server of VCONTRACT_DATABASE_URL rejects the connection or is unreachable."""


class ServerUnsuitable(StoreUnavailable):
    """The server of VCONTRACT_DATABASE_URL does not suit: its version, its extensions or its roles."""


class NoMember(ServerUnsuitable):
    """The login of VCONTRACT_DATABASE_URL can neither switch to the server's role nor read with its
    rights.
    """

    def __init__(self, login: str, role: str) -> None:
        super().__init__(
            f"the database's login {login} may not work as {role}; as a superuser, or as who made that role, "
            f'run: grant {role} to "{login}" with inherit true, set true'
        )


class TenantElsewhere(StoreUnavailable):
    """The tenant is in another store, or read-only while it is moved there."""

    def __init__(self, tenant: str, store: str | None) -> None:
        super().__init__(
            f"the tenant {tenant} is in the store {store}, or on its way there; try again in a while, or "
            "name the address of that store in VCONTRACT_DATABASE_URL"
        )


class MigrationError(StoreUnavailable):
    """The schema cannot be migrated: a file is invalid, was changed, or is unknown to this version."""


class SchemaOutOfDate(MigrationError):
    """The database lacks migrations that this program needs."""


class QuotaExceeded(Exception):
    """The transaction was rolled back, because it would have exceeded the tenant's quota."""

    def __init__(
        self, tenant: str, of: Literal["vcons", "bytes"], used: int, adds: int, allowed: int
    ) -> None:
        self.of, self.used, self.adds, self.allowed = of, used, adds, allowed
        what = "vCons" if of == "vcons" else "bytes"
        super().__init__(
            f"the tenant {tenant} may store {allowed:,} {what}, has {used:,}, and this adds {adds:,}"
        )


class OutcomeUnknown(Exception):
    """The connection was lost during a commit, and its result could not be determined in time."""


class TransactionAborted(Exception):
    """The block swallowed the error of a failed statement, so the transaction could not commit."""
