"""As whom the server works: a role that owns nothing and is bound by row level security."""

from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from vcontract.runtime.store.postgres.errors import NoMember, ServerUnsuitable
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

SERVER_ROLE: Final = "vcontract_server"
LOGIN_ROLE: Final = "vcontract_login"
"""As whom the server comes into the embedded database; it may become the server's role and nothing else."""

BECOME_SERVER: Final = f"set local role {SERVER_ROLE}"
"""Each transaction says it: a pooler in between may ignore what a connection began with."""

_ADD_LOGIN: Final = f"""
do $$
begin
    perform pg_advisory_xact_lock(hashtext('{LOGIN_ROLE}'));
    if not exists (select from pg_roles where rolname = '{LOGIN_ROLE}') then
        create role {LOGIN_ROLE} login nosuperuser nobypassrls nocreatedb nocreaterole;
    end if;
    grant {SERVER_ROLE} to {LOGIN_ROLE} with inherit false, set true;
end
$$
"""
_HAS_LOGIN: Final = """
select exists (
    select from pg_roles where rolname = 'vcontract_login' and pg_has_role(oid, 'vcontract_server', 'set')
)
"""
_SERVER: Final = """
select session_user as login, pg_has_role(session_user, r.oid, 'set') as within_reach,
    r.rolsuper as super, r.rolbypassrls as bypasses, pg_has_role(r.oid, n.nspowner, 'member') as owns
from pg_roles r
cross join pg_namespace n
where r.rolname = 'vcontract_server' and n.nspname = 'vcontract'
"""
_WHO: Final = """
select current_user as role, session_user as login,
    r.rolsuper or r.rolbypassrls or pg_has_role(session_user, n.nspowner, 'member') as passes
from pg_roles r
cross join pg_namespace n
where r.rolname = session_user and n.nspname = 'vcontract'
"""
_TENANT_TABLES: Final = """
select c.relname from pg_class c
where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and has_table_privilege(c.oid, 'select')
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant')
order by c.relname
"""


async def add_login(connection: OwnerConnection) -> None:
    """See that the embedded database has the login of the server."""
    if not await connection.fetchval(_HAS_LOGIN):
        await connection.execute(_ADD_LOGIN)


async def check_server_role(connection: OwnerConnection) -> None:
    """Pass when who came in through this connection can become the server's role, and that role is harmless.

    Raises: ServerUnsuitable.
    """
    role = await connection.fetchrow(_SERVER)
    assert role is not None  # the tables grant it rights
    if not role["within_reach"]:
        raise NoMember(role["login"])
    has = {"is a superuser": "super", "passes row level security": "bypasses", "owns the schema": "owns"}
    powers = [power for power, column in has.items() if role[column]]
    if powers:
        raise ServerUnsuitable(
            f"vcontract does not serve as {SERVER_ROLE} here: the role {' and '.join(powers)}, so it would "
            f"see the conversations of every tenant; as a superuser, run: alter role {SERVER_ROLE} "
            "nosuperuser nobypassrls, and revoke from it the role that owns the schema vcontract"
        )


@dataclass(frozen=True, slots=True)
class Sight:
    """Who the server is in a transaction, and what it sees there."""

    role: str
    login: str
    login_passes: bool
    """Whether the login could do more than the role: own the schema, or pass row level security."""
    tables: tuple[str, ...]
    """Tables with rows under a tenant that show any row."""


async def look_around(connection: "PoolConnectionProxy[asyncpg.Record]") -> Sight:
    """What a transaction shows; that of a tenant without conversations should show no row at all."""
    who = await connection.fetchrow(_WHO)
    assert who is not None
    names = [row["relname"] for row in await connection.fetch(_TENANT_TABLES)]
    # names of the catalog, quoted
    shown = [name for name in names if await connection.fetchval(f'select exists (table vcontract."{name}")')]
    return Sight(who["role"], who["login"], who["passes"], tuple(shown))
