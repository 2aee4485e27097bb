"""`vcontract forget`: delete agent sessions."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.auditing import command_caller
from vcontract.runtime.cli.console import counted, note, print_json
from vcontract.runtime.cli.failures import ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run
from vcontract.runtime.cli.transcripts import transcript_store

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings


def forget(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Session files, their archived copies, or folders of them.",
            show_default=False,
        ),
    ],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Delete agent sessions: vCon, index and archived copy.

    Also deletes sessions that are still going on; the agent's own files stay. `sync` does not import them
    again, `import --force` does. Exits with 1 if a PATH matches no imported session.
    """
    settings = settings_of(context)
    forgotten, unknown = run(_forget(settings, tenant, paths))
    if as_json:
        print_json({"tenant": tenant, "forgotten": forgotten, "unknown": unknown})
    else:
        from vcontract.runtime.imports.sources import printable

        for path in forgotten:
            typer.echo(f"forgotten: {printable(path)}")
        for path in unknown:
            note(f"no transcript was imported from {printable(path)}; name the file it first came from")
        typer.echo(f"Forgot {counted(len(forgotten), 'transcript')}")
    if unknown:
        raise typer.Exit(ExitCode.FAILED)


async def _forget(settings: "Settings", tenant: str, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Delete sessions. Returns the deleted source paths, and paths without a match."""
    from vcontract.runtime.imports.transcripts.archive import sweep

    forgotten: list[str] = []
    unknown: list[str] = []
    copies = _absolute(str(settings.data_dir))
    async with open_store(settings, tenant) as database:
        store = transcript_store(database, settings, tenant)
        for path in paths:
            named = _absolute(path)
            below = f"{named.rstrip(os.sep)}{os.sep}"
            found = [
                row
                for row in await store.all()
                if named in (row.source_path, row.archive_path)
                or row.source_path.startswith(below)
                # a folder above the whole store names no copies in it
                or (below.startswith(copies) and row.archive_path.startswith(below))
            ]
            for row in found:
                await store.remove(row.vcon, leave_tombstone=True, caller=command_caller())
                forgotten.append(row.source_path)
            if not found:
                unknown.append(path)
    await asyncio.to_thread(sweep, settings.data_dir, tenant)
    return forgotten, unknown


def _absolute(path: str) -> str:
    from vcontract.runtime.imports.transcripts.files import name_of

    return name_of(Path(path).expanduser().absolute())
