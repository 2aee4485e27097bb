"""`vcontract tenant …`: list, export, move and delete tenants, and set quotas."""

import asyncio
import json
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import counted, note, print_json, print_table, size_of
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import AsJson, check_tenant_option, settings_of
from vcontract.runtime.cli.open_store import (
    of_each_store,
    open_as_owner,
    open_store,
    refuse_pooler,
    run,
    store_of,
)
from vcontract.runtime.cli.tenant_move import move_to_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection
    from vcontract.runtime.store.postgres.tenants import Usage

tenant = typer.Typer(name="tenant", help="Manage tenants and their quotas.", no_args_is_help=True)

_SIZE = re.compile(r"(\d{1,15})(|kB|MB|GB|TB)")
_FACTORS: Final = {"": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000}
_TOKENS_KNOWN_SECONDS: Final = 5.5
"""How long servers may still accept a revoked token."""

_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The tenant.", callback=check_tenant_option, show_default=False)
]


@tenant.command("list")
@reporting
def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List tenants with their usage and quotas.

    With several stores, shows the store of each tenant. Exits with 3 if one is unavailable, after listing the
    tenants of the others.
    """
    settings = settings_of(context)
    found, away = run(_list(settings))
    if as_json:
        print_json({"tenants": [{**_document(usage), "store": store} for store, usage in found]})
    elif not found:
        note("No tenant has stored anything yet.")
    else:
        heads = "TENANT", "VCONS", "BYTES", "MAX VCONS", "MAX BYTES", "STORE"
        rows = [
            (
                *(usage.tenant, f"{usage.vcons:,}", size_of(usage.bytes)),
                *(_bound(usage.most_vcons), _bound_size(usage), store),
            )
            for store, usage in found
        ]
        shown = len(heads) - (len(settings.stores) == 1)
        print_table([row[:shown] for row in (heads, *rows)], indent="")
    for failure in away:
        raise failure


@tenant.command()
@reporting
def show(context: typer.Context, name: _Name, as_json: AsJson = False) -> None:
    """Show how much a tenant stores, by table.

    Exits with 1 if it stores nothing.
    """
    usage, rows = run(_show(settings_of(context), name))
    if as_json:
        print_json({**_document(usage), "rows": {**rows}})
    else:
        print_table(
            [
                ("vCons", f"{usage.vcons:,} of {_bound(usage.most_vcons)}"),
                ("bytes", f"{size_of(usage.bytes)} of {_bound_size(usage)}"),
                *((table, f"{counted(count, 'row')}") for table, count in rows.items()),
            ],
            indent="",
        )


@tenant.command()
@reporting
def quota(
    context: typer.Context,
    name: _Name,
    vcons: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum number of vCons.", min=0, show_default=False)
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--bytes", metavar="SIZE", help="Maximum size, as in 500MB.", show_default=False),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove both limits.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set or show how much a tenant may store.

    Limits that are not named stay as they are. Stored data stays; beyond its quota a tenant can
    only read and delete.
    """
    most = None if size is None else _bytes(size)
    if none and (vcons is not None or most is not None):
        raise CommandFailed(
            "--none cannot be combined with --vcons or --bytes", cure="omit one of them", code=ExitCode.USAGE
        )
    usage = run(_quota(settings_of(context), name, vcons, most, none=none))
    if as_json:
        print_json(_document(usage))
    else:
        typer.echo(
            f"{name} has {usage.vcons:,} of {_bound(usage.most_vcons)} vCons, "
            f"and {size_of(usage.bytes)} of {_bound_size(usage)}."
        )


@tenant.command()
@reporting
def export(
    context: typer.Context,
    name: _Name,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to create.", show_default=False)],
) -> None:
    """Export everything that a tenant stores into a new folder.

    Writes JSON Lines as of one moment, and the archived sessions. Only you can read the files.
    """
    if folder.exists():
        raise CommandFailed(f"{folder} already exists", cure="name a new folder", code=ExitCode.USAGE)
    counts = run(_export(settings_of(context), name, folder))
    note(f"Exported {name} to {folder}:")
    print_table([(file, f"{count:,}") for file, count in counts.items()])


@tenant.command()
@reporting
def delete(
    context: typer.Context,
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    held: Annotated[bool, typer.Option("--held", help="Also delete what is under legal hold.")] = False,
    as_json: AsJson = False,
) -> None:
    """Permanently delete everything that a tenant stores.

    Also deletes its tokens, audit and archived sessions. Asks for confirmation. Exits with 1 if the tenant
    stores nothing, or has vCons under legal hold and --held is not given.
    """
    settings = settings_of(context)
    usage, rows = run(_show(settings, name))
    if not held and (holds := rows.get("hold", 0)):
        raise CommandFailed(
            f"{counted(holds, 'vCon')} of {name} {'is' if holds == 1 else 'are'} under legal hold",
            cure="release them with the tool release_hold, or add --held to remove them too",
        )
    if not yes:
        note(f"{name} has {counted(usage.vcons, 'vCon')} and {counted(sum(rows.values()), 'row')} in total.")
        typer.confirm("Permanently delete everything?", abort=True, err=True)
    removed, copies = run(_delete(settings, name))
    if as_json:
        print_json({"tenant": name, "rows": {**removed}, "copies": copies})
    else:
        typer.echo(
            f"Removed {name}: {counted(sum(removed.values()), 'row')} of {counted(len(removed), 'table')}, "
            f"{counted(copies, 'file')}."
        )


@tenant.command()
@reporting
def move(
    context: typer.Context,
    name: _Name,
    to: Annotated[
        str,
        typer.Option(metavar="STORE", help="Name in VCONTRACT_DATABASE_URLS, or home.", show_default=False),
    ],
    as_json: AsJson = False,
) -> None:
    """Move a tenant to another store.

    Servers keep running; meanwhile the tenant can only be read. If this is interrupted, run it again.
    """
    settings = settings_of(context)
    if to not in settings.stores:
        raise CommandFailed(
            f"there is no store {to!r}",
            cause=f"VCONTRACT_DATABASE_URL and VCONTRACT_DATABASE_URLS name {', '.join(settings.stores)}",
            cure="name one of these, or add it to VCONTRACT_DATABASE_URLS",
            code=ExitCode.USAGE,
        )
    refuse_pooler(settings, "vcontract tenant move")
    source, rows = run(move_to_store(settings, name, to))
    if as_json:
        print_json({"tenant": name, "from": source, "to": to, "rows": {**rows}})
    elif source == to:
        typer.echo(f"{name} is in {to} already.")
    elif not rows:
        typer.echo(f"Moved {name} from {source} to {to}.")
    else:
        typer.echo(
            f"Moved {name} from {source} to {to}: {counted(sum(rows.values()), 'row')} of "
            f"{counted(len(rows), 'table')}."
        )


def _bytes(text: str) -> int:
    found = _SIZE.fullmatch(text.replace(" ", ""))
    if found is None:
        raise CommandFailed(
            f"{text!r} is not a size", cure="use bytes, kB, MB, GB or TB, as in 500MB", code=ExitCode.USAGE
        )
    return int(found[1]) * _FACTORS[found[2]]


def _bound(most: int | None) -> str:
    return "any" if most is None else f"{most:,}"


def _bound_size(usage: "Usage") -> str:
    return "any" if usage.most_bytes is None else size_of(usage.most_bytes)


def _document(usage: "Usage") -> "JsonObject":
    return {
        "tenant": usage.tenant,
        "vcons": usage.vcons,
        "bytes": usage.bytes,
        "quota": {"vcons": usage.most_vcons, "bytes": usage.most_bytes},
    }


async def _list(settings: "Settings") -> "tuple[list[tuple[str, Usage]], Sequence[CommandFailed]]":
    """Return each tenant with its store, by name, and errors of other stores.

    A store that a tenant has left may still have its tokens.
    """
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.tenant_moves import places
    from vcontract.runtime.store.postgres.tenants import all_tenants

    async def look(connection: "OwnerConnection") -> "tuple[list[Usage], dict[str, str]]":
        return await all_tenants(connection), await places(connection)

    found, away = await of_each_store(settings, look)
    _, elsewhere = found[HOME_STORE]
    away += [
        CommandFailed(
            f"there are tenants in the store {name}, which VCONTRACT_DATABASE_URLS does not name",
            cure="add its address",
            code=ExitCode.USAGE,
        )
        for name in sorted({*elsewhere.values()} - {*settings.stores})
    ]
    listed = {
        usage.tenant: (store, usage)
        for store, (usages, _) in found.items()
        for usage in usages
        if elsewhere.get(usage.tenant, HOME_STORE) == store
    }
    return [listed[name] for name in sorted(listed)], away


async def _show(settings: "Settings", name: str) -> "tuple[Usage, dict[str, int]]":
    """Return usage and row counts. Raises: CommandFailed if the tenant has none."""
    from vcontract.runtime.store.postgres.tenants import rows_of, usage_of

    settings = await store_of(settings, name)
    async with open_store(settings), open_as_owner(settings) as connection:
        rows = await rows_of(connection, name)
        if not rows:
            raise CommandFailed(
                f"tenant {name!r} stores nothing", cure="`vcontract tenant list` lists the tenants"
            )
        return await usage_of(connection, name), rows


async def _quota(
    settings: "Settings", name: str, vcons: int | None, most_bytes: int | None, *, none: bool
) -> "Usage":
    from vcontract.runtime.store.postgres.tenants import set_quota, usage_of

    settings = await store_of(settings, name)
    async with open_store(settings), open_as_owner(settings) as connection:
        if none or vcons is not None or most_bytes is not None:
            async with connection.transaction():
                before = await usage_of(connection, name)
                if not none:
                    vcons = before.most_vcons if vcons is None else vcons
                    most_bytes = before.most_bytes if most_bytes is None else most_bytes
                await set_quota(connection, name, vcons, most_bytes)
                bounds = {"vcons": vcons, "bytes": most_bytes}
                await record_command(connection, name, "tenant quota", bounds)
        return await usage_of(connection, name)


async def _export(settings: "Settings", name: str, folder: Path) -> dict[str, int]:
    from vcontract.runtime.imports.export import export_tenant
    from vcontract.runtime.store.vcons.store import VconStore

    settings = await store_of(settings, name)
    part = folder.with_name(f"{folder.name}.part")
    try:
        async with open_store(settings) as database:
            async with open_as_owner(settings) as connection:
                await record_command(connection, name, "tenant export")
            part.mkdir(mode=0o700)
            counts = await export_tenant(database, VconStore(database), name, part)
        manifest = {
            "format": "vcontract tenant export",
            "version": 1,
            "program": metadata.version("vcontract"),
            "tenant": name,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "lines": counts,
        }
        (part / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        part.rename(folder)
    except OSError as error:
        raise CommandFailed(
            f"cannot write {folder}: {error.strerror or error}",
            cure="free disk space, or name another folder",
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return counts


async def _delete(settings: "Settings", name: str) -> tuple[dict[str, int], int]:
    """Delete a tenant. Returns the deleted rows by table, and the number of archived transcripts."""
    from vcontract.runtime.store.postgres.tenant_moves import is_moving
    from vcontract.runtime.store.postgres.tenants import (
        TenantStillWriting,
        archive_paths,
        remove_tenant,
        revoke_tenant_access,
    )
    from vcontract.runtime.store.vcons.audit import WHOLE_STORE

    store = await store_of(settings, name)
    async with (
        open_store(store),
        open_as_owner(settings) as home,
        open_as_owner(store) as connection,
    ):
        if await is_moving(connection, name):
            raise CommandFailed(
                f"{name} is being moved", cure="finish that with `vcontract tenant move` first"
            )
        if await revoke_tenant_access(home, name) or settings.oauth_issuer is not None:
            note("Waiting until no server accepts the tenant's tokens.")
            await asyncio.sleep(_TOKENS_KNOWN_SECONDS)
        try:
            if store.database_url != settings.database_url:
                async with home.transaction():
                    await remove_tenant(home, name)
            async with connection.transaction():
                copies = await archive_paths(connection, name)
                removed = await remove_tenant(connection, name)
                entry = {"tenant": name, "rows": sum(removed.values())}
                await record_command(connection, WHOLE_STORE, "tenant delete", entry)
        except TenantStillWriting:
            raise CommandFailed(
                f"another process is storing for {name}, so nothing was deleted",
                cure="stop its servers and imports, then run the command again",
            ) from None
    return removed, await asyncio.to_thread(_remove_copies, settings, name, [*copies.values()])


def _remove_copies(settings: "Settings", name: str, copies: "Sequence[str]") -> int:
    gone = 0
    for copy in copies:
        with suppress(FileNotFoundError):
            Path(copy).unlink()
            gone += 1
    shutil.rmtree(settings.data_dir.expanduser().absolute() / "archive" / name, ignore_errors=True)
    return gone
