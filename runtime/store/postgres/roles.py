"""Database roles: the server's role owns nothing and is bound by row level security."""

import re
from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from vcontract.runtime.settings import ROLE_PREFIX, Settings
from vcontract.runtime.store.postgres.errors import NoMember, ServerUnsuitable
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, server_of_the_store

_HAS_LOGIN: Final = """
select exists (select from pg_roles where rolname = $1 and pg_has_role(oid, $2, 'set'))
"""
_SERVER: Final = """
select session_user as login, pg_has_role(session_user, r.oid, 'set') as within_reach,
    r.rolsuper as super, r.rolbypassrls as bypasses, pg_has_role(r.oid, n.nspowner, 'member') as owns
from pg_roles r
cross join pg_namespace n
where r.rolname = $1 and n.nspname = 'vcontract'
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


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles of a store. They belong to the whole server, so two stores on one server need different
    prefixes.
    """

    prefix: str = ROLE_PREFIX

    @classmethod
    def of(cls, settings: Settings) -> "Roles":
        """Return the roles of the settings. An embedded database always has the default prefix."""
        return cls() if settings.database_url is None else cls(settings.role_prefix)

    @property
    def server(self) -> str:
        return f"{self.prefix}_server"

    @property
    def owner(self) -> str:
        return f"{self.prefix}_owner"

    @property
    def login(self) -> str:
        """Login of the server, which may only switch to the server's role."""
        return f"{self.prefix}_login"

    @property
    def become_server(self) -> str:
        """Statement that switches roles. Each transaction runs it, because a pooler may ignore start-up
        options.
        """
        return f"set local role {self.server}"

    def within(self, sql: str, former: str = ROLE_PREFIX) -> str:
        """Replace the prefix `former` of role names in SQL by this store's."""
        return re.sub(rf"\b{former}_(server|analyst|owner|login)\b", rf"{self.prefix}_\1", sql)


async def add_login(connection: OwnerConnection, roles: Roles) -> None:
    """Create the server's login in the embedded database."""
    if not await connection.fetchval(_HAS_LOGIN, roles.login, roles.server):
        await connection.execute(roles.within(_ADD_LOGIN))


_ADD_LOGIN: Final = """
do $$
begin
    perform pg_advisory_xact_lock(hashtext('vcontract_login'));
    if not exists (select from pg_roles where rolname = 'vcontract_login') then
        create role vcontract_login login nosuperuser nobypassrls nocreatedb nocreaterole;
    end if;
    grant vcontract_server to vcontract_login with inherit false, set true;
end
$$
"""


async def check_prefix(connection: OwnerConnection, roles: Roles) -> None:
    """Check that an existing store was created with these roles.

    Raises: ServerUnsuitable.
    """
    theirs = await server_of_the_store(connection)
    if theirs is not None and theirs != roles.server:
        prefix = theirs.removesuffix("_server")
        raise ServerUnsuitable(
            f"the store was made with roles that begin with {prefix}, not with {roles.prefix}; "
            f"set VCONTRACT_ROLE_PREFIX to {prefix}"
        )


async def check_server_role(connection: OwnerConnection, roles: Roles) -> None:
    """Check that this login can switch to the server's role, and that row level security binds the role.

    Raises: ServerUnsuitable.
    """
    role = await connection.fetchrow(_SERVER, roles.server)
    if role is None:
        return  # there is no schema yet, which is reported elsewhere
    if not role["within_reach"]:
        raise NoMember(role["login"], roles.server)
    has = {"is a superuser": "super", "passes row level security": "bypasses", "owns the schema": "owns"}
    powers = [power for power, column in has.items() if role[column]]
    if powers:
        raise ServerUnsuitable(
            f"vcontract does not serve as {roles.server} here: the role {' and '.join(powers)}, so it would "
            f"see the conversations of every tenant; as a superuser, run: alter role {roles.server} "
            "nosuperuser nobypassrls, and revoke from it the role that owns the schema vcontract"
        )


@dataclass(frozen=True, slots=True)
class EffectivePrivileges:
    """Effective privileges of the server in a transaction."""

    role: str
    login: str
    login_passes: bool
    """Whether the login has more rights than the role: owns the schema, or bypasses row level security."""
    tables: tuple[str, ...]
    """Tables with tenants' rows of which some are visible."""


async def effective_privileges(connection: "PoolConnectionProxy[asyncpg.Record]") -> EffectivePrivileges:
    """Report what a transaction can see. For a tenant without conversations, no row should be visible."""
    who = await connection.fetchrow(_WHO)
    assert who is not None
    names = [row["relname"] for row in await connection.fetch(_TENANT_TABLES)]
    # names from the catalog, quoted
    shown = [name for name in names if await connection.fetchval(f'select exists (table vcontract."{name}")')]
    return EffectivePrivileges(who["role"], who["login"], who["passes"], tuple(shown))
