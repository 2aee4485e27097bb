"""`vcontract sync`: import coding agents' sessions."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, note, print_json
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, resumable
from vcontract.runtime.cli.import_progress import ImportReporter, reporting_import, reporting_problems
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run_for_the_store
from vcontract.runtime.cli.transcripts import (
    DryRun,
    Exclude,
    Force,
    Jobs,
    Project,
    Redact,
    Since,
    TranscriptChoices,
    WaitEmbeddings,
    import_transcripts,
    moment_of,
    pending_of,
    print_transcripts,
    print_undone,
    undone_embeddings,
)

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.imports.summary import TranscriptSummary
    from vcontract.runtime.imports.transcripts.session_folders import SessionLocation
    from vcontract.runtime.settings import Settings


def sync(
    context: typer.Context,
    exclude: Exclude = [],  # noqa: B006  (typer wants a list)
    redact: Redact = True,
    since: Since = None,
    project: Project = None,
    jobs: Jobs = 2,
    force: Force = False,
    dry_run: DryRun = False,
    wait_embeddings: WaitEmbeddings = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Keep running, and import what the agents write as they write it.",
        ),
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Import new sessions of the coding agents on this machine.

    Supports Claude Code, Codex, Gemini CLI, Cursor, OpenCode, Aider and Continue; `import --list-formats`
    shows where each keeps its sessions. For Aider, only the history of the current folder, or one above it.

    Exits with 1 if a file failed, 3 if the database is unavailable.
    """
    from vcontract.runtime.imports.transcripts.session_folders import (
        known_session_locations,
        transcript_files,
    )

    settings = settings_of(context)
    if watch:
        _check_watching(dry_run=dry_run)
    places = known_session_locations({**os.environ, "PWD": os.getcwd()})
    files = transcript_files(places)
    programs = list(dict.fromkeys(place.program.title for place in places))
    choices = TranscriptChoices(tuple(exclude), redact, moment_of(since), project, jobs, force)
    started = time.monotonic()
    with resumable("stored"), reporting_import(_size(files), quiet=as_json) as teller:
        summary, undone = run_for_the_store(
            _follow(settings, tenant, places, choices, teller, wait=wait_embeddings)
            if watch and places
            else _sync(settings, tenant, files, choices, teller, dry_run=dry_run, wait=wait_embeddings)
        )
    seconds = time.monotonic() - started
    if as_json:
        report: JsonObject = {"dry_run": dry_run, "tenant": tenant, "seconds": round(seconds, 3)}
        report["programs"] = list(programs)
        report["folders"] = [str(place.path) for place in places]
        print_json({**report, **summary.as_json(), **pending_of(undone)})
    else:
        if programs:
            note(f"Sessions of {', '.join(programs)}")
        print_transcripts(summary, seconds, dry_run=dry_run)
        if not programs:
            note("`vcontract import PATH` reads other files.")
        print_undone(undone)
    if summary.failed:
        raise typer.Exit(ExitCode.FAILED)


async def _sync(
    settings: "Settings",
    tenant: str,
    files: Sequence[Path],
    choices: TranscriptChoices,
    teller: ImportReporter,
    *,
    dry_run: bool,
    wait: bool | None,
) -> "tuple[TranscriptSummary, int | None]":
    is_idle = not files and not wait and not choices.options(settings, tenant).exclusion.standing.globs
    if dry_run or is_idle:  # no database needs to be created or started
        return await import_transcripts(None, settings, tenant, files, choices, teller), None
    async with open_store(settings, tenant) as database:
        summary = await import_transcripts(database, settings, tenant, files, choices, teller)
        return summary, await undone_embeddings(database, settings, tenant, wait=wait)


def _check_watching(*, dry_run: bool) -> None:
    """Check that watching is possible. Raises: CommandFailed."""
    from vcontract.runtime.imports.transcripts.folder_watch import check_following

    if dry_run:
        raise CommandFailed(
            "--watch cannot be combined with --dry-run", cure="omit one of them", code=ExitCode.USAGE
        )
    with following_failures():
        check_following()


@contextmanager
def following_failures() -> Generator[None]:
    """Convert errors of watching files to command errors."""
    from vcontract.runtime.imports.transcripts.folder_watch import CannotFollow

    try:
        yield
    except CannotFollow as error:
        raise CommandFailed(str(error), cure=error.cure, code=ExitCode.USAGE) from None


async def _follow(
    settings: "Settings",
    tenant: str,
    places: "Sequence[SessionLocation]",
    choices: TranscriptChoices,
    teller: ImportReporter,
    *,
    wait: bool | None,
) -> "tuple[TranscriptSummary, int | None]":
    """Import what exists, then changes, until Ctrl-C or SIGTERM. A second Ctrl-C aborts."""
    from vcontract.runtime.imports.transcripts.folder_watch import following
    from vcontract.runtime.imports.transcripts.session_folders import transcript_files

    stop = asyncio.Event()
    with following_failures(), stopping(stop):
        async with open_store(settings, tenant) as database, following(places, stop) as changed:
            files = transcript_files(places)
            whole = await import_transcripts(database, settings, tenant, files, choices, teller)
            note(f"Watching {counted(len(places), 'place')}. Press Ctrl-C to stop.")
            with reporting_problems() as later:
                async for files in changed:
                    summary = await import_transcripts(database, settings, tenant, files, choices, later)
                    whole.include(summary)
                    if wait:
                        await undone_embeddings(database, settings, tenant, wait=True)
                    if summary.stored:
                        note(f"imported: {counted(summary.exchanges, 'exchange')} of {named(files)}")
            return whole, await undone_embeddings(database, settings, tenant, wait=wait)


@contextmanager
def stopping(stop: asyncio.Event) -> Generator[None]:
    """Make the first Ctrl-C or SIGTERM set `stop` instead of interrupting."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, end)
    try:
        yield
    finally:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)


def named(files: Sequence[Path] | Sequence[str]) -> str:
    """The only file, or the number of files."""
    return str(files[0]) if len(files) == 1 else counted(len(files), "file")


def _size(files: Sequence[Path]) -> int:
    """Total size of the accessible files."""
    sizes: list[int] = []
    for file in files:
        with contextlib.suppress(OSError):
            sizes.append(file.stat().st_size)
    return sum(sizes)
