"""Generate the SQL that only a superuser can run to set up a store on an external server."""

import re
from importlib import resources
from typing import Final

from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.server import MIN_SERVER_VERSION

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.@-]{0,62}")


def plan(roles: Roles, *, database: str, owner: str | None = None, login: str | None = None) -> str:
    """Return SQL for psql that creates or reuses the roles, the database and its extensions.

    Raises: ValueError for an invalid name.
    """
    names = {"database": database, "owner": owner or roles.owner, "login": login or roles.login}
    for kind, name in names.items():
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be the {kind}; allowed are 1 to 63 letters, digits, '_', '.', '@' and '-', "
                "the first a letter or '_'"
            )
    sql = resources.files("vcontract.runtime.store.postgres").joinpath("plan.sql").read_text(encoding="utf-8")
    least = {"least": str(MIN_SERVER_VERSION * 10_000), "least_version": str(MIN_SERVER_VERSION)}
    for name, value in {**names, **least, "prefix": roles.prefix}.items():
        sql = sql.replace(f"{{{name}}}", value)
    return sql
