"""`vcontract watch`: import files of a folder when they appear or change."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, resumable
from vcontract.runtime.cli.import_progress import reporting_problems
from vcontract.runtime.cli.importing import Work, import_all, read_mapping, split_transcripts
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant, settings_of
from vcontract.runtime.cli.open_store import run_for_the_store
from vcontract.runtime.cli.syncing import following_failures, named, stopping
from vcontract.runtime.cli.transcripts import TranscriptChoices

if TYPE_CHECKING:
    from vcontract.runtime.imports.programs.conversation import FileFormat
    from vcontract.runtime.imports.sources import Sources


def watch(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder, which is watched with all folders in it.")
    ],
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--map", metavar="FILE", help="Read files as this mapping says; see import.", show_default=False
        ),
    ] = None,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Import the files of a folder, now and whenever one appears or changes.

    Runs until Ctrl-C.
    `vcontract connect --service FOLDER` prints a service that starts this at login.

    Exits with 2 if FOLDER is not a folder, 3 if the database is unavailable.
    """
    from vcontract.runtime.imports.transcripts.folder_watch import check_following

    if not folder.is_dir():
        cure = "name a folder; `vcontract import` reads single files"
        raise CommandFailed(f"{str(folder)!r} is not a folder", cure=cure, code=ExitCode.USAGE)
    with following_failures():
        check_following()
    choices = TranscriptChoices()
    work = Work(settings_of(context), tenant, choices, mapping=read_mapping(mapping))
    with resumable("stored"):
        run_for_the_store(_watch(folder, work))


async def _watch(folder: Path, work: Work) -> None:
    from vcontract.runtime.imports.transcripts.folder_watch import changes_in

    stop = asyncio.Event()
    with following_failures(), stopping(stop):
        async for changed in changes_in(folder, stop):
            if changed is None:
                note(f"Watching {folder}. Press Ctrl-C to stop.")
            await _bring_in(folder, None if changed is None else {each.resolve() for each in changed}, work)


async def _bring_in(folder: Path, changed: Collection[Path] | None, work: Work) -> None:
    """Import the changed files of a folder; with None, all."""
    vcons, transcripts = split_transcripts(_found(folder, changed, work.mapping))
    if not (vcons.files or transcripts):
        return
    with reporting_problems() as teller:
        summary, of_sessions, _ = await import_all(
            replace(work, vcons=vcons, transcripts=transcripts), teller
        )
    stored = summary.created + summary.replaced + of_sessions.stored
    if stored:
        files = [*(file.name for file in vcons.files), *map(str, transcripts)]
        note(f"imported: {counted(stored, 'conversation')} of {named(files)}")


def _found(folder: Path, changed: Collection[Path] | None, mapping: "FileFormat | None") -> "Sources":
    """Importable files of a folder that have changed; with None, all."""
    from vcontract.runtime.imports.mappings import with_conversations
    from vcontract.runtime.imports.sources import find_files

    sources = find_files([str(folder)])
    if changed is not None:
        files, ignored = (
            tuple(file for file in some if file.path is not None and _is_among(file.path, changed))
            for some in (sources.files, sources.ignored)
        )
        sources = replace(sources, files=files, ignored=ignored)
    return with_conversations(sources, mapping)


def _is_among(path: Path, changed: Collection[Path]) -> bool:
    """Whether a file has changed, itself or by a new parent folder."""
    place = path.resolve()
    return any(each in changed for each in (place, *place.parents))
