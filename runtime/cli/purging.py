"""`vcontract purge`: permanently delete the whole store."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, is_answered, note, print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import AsJson, settings_of
from vcontract.runtime.cli.open_store import open_as_owner, run, store_failures

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings


@dataclass
class _Found:
    """What would be deleted, in words, and its files."""

    things: list[str] = field(default_factory=list[str])
    paths: list[Path] = field(default_factory=list[Path])


def purge(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Permanently delete the whole store.

    Deletes all tenants, tokens, archived sessions and the database. Asks for confirmation. Backups, and
    handoff files in projects, stay.
    """
    settings = settings_of(context)
    if not yes and not is_answered():
        raise CommandFailed(
            "cannot ask for confirmation: standard input is not a terminal",
            cure="add --yes",
            code=ExitCode.USAGE,
        )
    found = _find(settings)
    if found.things and not yes:
        for thing in found.things:
            note(thing)
        typer.confirm("Permanently delete all of this?", abort=True, err=True)
    left = _remove(settings, found)
    if as_json:
        print_json({"removed": [*found.things], "left": [*left]})
        return
    for thing in found.things:
        say(f"removed: {thing}")
    for thing in left:
        say(f"left: {thing}")
    if not found.things:
        say("Nothing to delete.")


def _find(settings: "Settings") -> _Found:
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    found = _Found()
    data_dir = settings.data_dir.expanduser().absolute()
    cluster = EmbeddedCluster(data_dir)
    if settings.database_url is not None:
        held = run(_held_elsewhere(settings))
        if held is not None:
            found.things.append(f"the database schemas: {held}")
    if cluster.folder.is_dir():
        with store_failures():
            cluster.refuse_in_use()
        _add(found, "the embedded database", cluster.folder)
        if not cluster.sockets.is_relative_to(cluster.folder) and cluster.sockets.is_dir():
            found.paths.append(cluster.sockets)
    _add(found, "archived sessions", data_dir / "archive")
    for place in sorted(data_dir.glob("embedding-*")):
        _add(found, "embedding logs", place)
    _add(found, "the list of excluded sessions", data_dir / "exclude.txt")
    return found


def _add(found: _Found, what: str, place: Path) -> None:
    if place.exists():
        files = sum(1 for file in place.rglob("*") if file.is_file()) if place.is_dir() else 1
        found.things.append(f"{what}: {place} ({counted(files, 'file')})")
        found.paths.append(place)


async def _held_elsewhere(settings: "Settings") -> str | None:
    from vcontract.runtime.store.postgres.dumps import count_rows

    async with open_as_owner(settings) as connection:
        if await connection.fetchval("select to_regnamespace('vcontract')") is None:
            return None
        rows = await count_rows(connection)
    return f"{counted(rows.get('vcon', 0), 'vCon')}, {counted(sum(rows.values()), 'row')} in total"


def _remove(settings: "Settings", found: _Found) -> list[str]:
    """Delete, and report what is left."""
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    left: list[str] = []
    if settings.database_url is not None and found.things:
        run(_drop(settings))
        left.append("the roles and the database, which others may use; a superuser can drop them")
    cluster = EmbeddedCluster(settings.data_dir, linger=0)
    if cluster.folder in found.paths:
        with store_failures():
            cluster.stop()
    for path in found.paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)  # the server removes its socket folder itself
    data_dir = settings.data_dir.expanduser().absolute()
    if found.paths and data_dir.is_dir():
        others = sorted(path.name for path in data_dir.iterdir())
        if others:
            left.append(f"other files in {data_dir}: {', '.join(others)}")
        else:
            data_dir.rmdir()
    return left


async def _drop(settings: "Settings") -> None:
    from vcontract.runtime.store.postgres.dumps import drop_schema

    async with open_as_owner(settings) as connection, connection.transaction():
        await drop_schema(connection)
