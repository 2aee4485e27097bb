"""Why the store cannot be used: errors for the operator, each naming its cure."""


class StoreUnavailable(Exception):
    """The store cannot be used as it stands; the message says why and what to do about it."""


class EmbeddedUnavailable(StoreUnavailable):
    """The embedded cluster cannot be made, started or reached."""


class EmbeddedDiskFull(EmbeddedUnavailable):
    """The embedded cluster's disk has no room left."""


class EmbeddedReadOnly(EmbeddedUnavailable):
    """The embedded cluster's disk is mounted read-only."""


class ServerUnreachable(StoreUnavailable):
    """The server of VCONTRACT_DATABASE_URL does not let us in."""


class ServerUnsuitable(StoreUnavailable):
    """The server of VCONTRACT_DATABASE_URL is too old or lacks pgvector."""


class NoMember(ServerUnsuitable):
    """The login of VCONTRACT_DATABASE_URL can neither become the server's role nor read with its rights."""

    def __init__(self, login: str, role: str) -> None:
        super().__init__(
            f"the database's login {login} may not work as {role}; as a superuser, or as who made that role, "
            f'run: grant {role} to "{login}" with inherit true, set true'
        )


class MigrationError(StoreUnavailable):
    """The schema cannot be brought up to date: a file is wrong, was changed, or is not known here."""


class SchemaOutOfDate(MigrationError):
    """The database lacks migrations that this program needs."""


class OutcomeUnknown(Exception):
    """The server was lost while it committed, and whether it did could not be learnt in time."""
