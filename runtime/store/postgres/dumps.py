"""Dump a whole store while it is in use, and restore a dump into an empty one."""

import asyncio
import os
import re
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from vcontract.runtime.store.postgres.errors import StoreUnavailable
from vcontract.runtime.store.postgres.installation import find_installation
from vcontract.runtime.store.postgres.migrations import KEEP_FROM_CITUS
from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenants import tenant_tables

_ROWS: Final = "data"
_SECTIONS: Final = ("pre-data", _ROWS, "post-data")
"""Sections of a dump, as PostgreSQL names them."""
_POLICY: Final = re.compile(r"^CREATE POLICY own_tenant ON vcontract\.\w+ TO (\w+)_server ", re.MULTILINE)
_OWNER: Final = re.compile(r"^(ALTER .* OWNER TO )\S+;$", re.MULTILINE)
_SCHEMAS: Final = ("vcontract", "vcontract_blank")
_TABLES = """
    select c.relname from pg_class c
    where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname
"""
_MOVED = (
    "update vcontract.transcript set archive_path = $2 || substr(archive_path, length($1) + 1)"
    " where starts_with(archive_path, $1)",
    "update vcontract.transcript_tombstone set archive_path = $2 || substr(archive_path, length($1) + 1)"
    " where starts_with(archive_path, $1)",
)


class DumpFailed(StoreUnavailable):
    """pg_dump or pg_restore failed; the message is its output."""


async def write_dump(url: str, target: Path) -> None:
    """Dump a consistent snapshot of the store to `target` while others read and write.

    Raises: DumpFailed; EmbeddedUnavailable if PostgreSQL's programs are not installed.
    """
    schemas = [f"--schema={schema}" for schema in _SCHEMAS]
    await _run("pg_dump", url, "--format=custom", f"--file={target}", *schemas)


async def read_dump(connection: OwnerConnection, url: str, source: Path, roles: Roles) -> None:
    """Replace the store's schema by a dump, in one transaction, for these roles.

    The dump's store may have had other roles. `connection` must be to the same server. Raises: DumpFailed;
    EmbeddedUnavailable if PostgreSQL's programs are not installed.
    """
    is_superuser = await connection.fetchval("select rolsuper from pg_roles where rolname = current_user")
    scripts = [source.with_name(f"{section}.sql") for section in _SECTIONS]
    for section, script in zip(_SECTIONS, scripts, strict=True):
        # what an ordinary owner creates belongs to it, whatever its name
        keeps = () if is_superuser else ("--no-owner",)
        wanted = (f"--section={section}", f"--file={script}", "--no-comments", *keeps)
        await _run("pg_restore", None, *wanted, str(source))
    _name_roles([script for script in scripts if script.stem != _ROWS], roles)
    await _run(
        *("psql", url, "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction"),
        # without superuser rights, a function may only set pgvector's settings once the session has loaded
        # them
        *(
            f"--command={KEEP_FROM_CITUS}; select '[1]'::public.vector",
            *(f"--file={script}" for script in scripts),
        ),
    )
    for script in scripts:
        script.unlink()


def _name_roles(scripts: Sequence[Path], roles: Roles) -> None:
    """Replace role names in scripts without rows."""
    texts = [script.read_text() for script in scripts]
    former = next((found[1] for text in texts if (found := _POLICY.search(text))), roles.prefix)
    for script, text in zip(scripts, texts, strict=True):
        script.write_text(_OWNER.sub(rf"\1{roles.owner};", roles.within(text, former)))


async def drop_schema(connection: OwnerConnection) -> None:
    """Drop the store's schema and everything in it."""
    for schema in _SCHEMAS:
        await connection.execute(f"drop schema if exists {schema} cascade")


async def tables_with_rows(connection: OwnerConnection) -> list[str]:
    """Return the tables that contain tenants' rows."""
    return [
        name
        for name in sorted(await tenant_tables(connection))
        if await connection.fetchval(f'select exists (select from vcontract."{name}")')  # noqa: S608  (a table's name)
    ]


async def count_rows(connection: OwnerConnection) -> dict[str, int]:
    """Count the rows of each table of the store."""
    names = [row["relname"] for row in await connection.fetch(_TABLES)]
    return {
        name: await connection.fetchval(f'select count(*) from vcontract."{name}"')  # noqa: S608  (a table's name)
        for name in names
    }


async def move_archive(connection: OwnerConnection, former: Path, present: Path) -> None:
    """Change the paths of archived transcripts to another folder."""
    for statement in _MOVED:
        await connection.execute(statement, f"{former}{os.sep}", f"{present}{os.sep}")


async def _run(program: str, url: str | None, *arguments: str) -> None:
    address, environment = (None, dict(os.environ)) if url is None else _without_password(url)
    process = await asyncio.create_subprocess_exec(
        find_installation().program(program),
        *([] if address is None else [f"--dbname={address}"]),
        *arguments,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        env=environment,
    )
    _, said = await process.communicate()
    if process.returncode != 0:
        raise DumpFailed(f"{program}: {said.decode(errors='replace').strip() or process.returncode}")


def _without_password(url: str) -> tuple[str, dict[str, str]]:
    """Return the URL without its password, and the environment with it, which other users cannot read."""
    parts = urlsplit(url)
    if parts.password is None:
        return url, dict(os.environ)
    place = parts.netloc.rpartition("@")[2]
    address = urlunsplit(parts._replace(netloc=f"{parts.username or ''}@{place}"))
    return address, {**os.environ, "PGPASSWORD": unquote(parts.password)}
