"""Common parts of commands about transcripts: options, import and summary."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import typer

from vcontract.runtime.cli.console import counted, print_table
from vcontract.runtime.cli.failures import CommandFailed, ExitCode

if TYPE_CHECKING:
    from datetime import datetime

    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.imports.summary import TranscriptSummary, Watcher
    from vcontract.runtime.imports.transcripts.importer import Options
    from vcontract.runtime.imports.transcripts.storing import TranscriptStore
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Database

Exclude: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--exclude",
        metavar="GLOB",
        help="Skip agent sessions whose project, working directory or file matches. Repeatable.",
        show_default=False,
    ),
]
Redact: TypeAlias = Annotated[
    bool, typer.Option("--redact/--no-redact", help="Replace secrets in agent sessions before storing them.")
]
Since: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="DATE",
        help="Only agent sessions whose file changed on or after this date.",
        show_default=False,
    ),
]
Project: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only agent sessions of this project.", show_default=False)
]
Jobs: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, max=32, help="Agent sessions to import at the same time.")
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Also import what was deleted or redacted here, and unchanged or shortened agent sessions.",
    ),
]
WaitEmbeddings: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--wait-embeddings/--no-wait-embeddings",
        help="Embed everything, or nothing, before exiting. By default small imports are embedded.",
        show_default=False,
    ),
]
MAX_PASSAGES_TO_WAIT_FOR: Final = 500
"""Number of passages up to which a command waits for embedding by default."""
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Check everything and store nothing. Needs no database.")
]


@dataclass(frozen=True, slots=True)
class TranscriptChoices:
    """Command options about transcripts."""

    exclude: tuple[str, ...] = ()
    redact: bool = True
    since: "datetime | None" = None
    project: str | None = None
    jobs: int = 2
    force: bool = False

    def options(self, settings: "Settings", tenant: str) -> "Options":
        """Combine these with the settings."""
        from vcontract.runtime.imports.transcripts.importer import Options

        options = Options.of(tenant, settings.data_dir, settings.memory_exclude, self.exclude)
        return replace(
            options,
            redact=self.redact,
            force=self.force,
            since=self.since,
            project=self.project,
            jobs=self.jobs,
        )


async def import_transcripts(
    database: "Database | None",
    settings: "Settings",
    tenant: str,
    files: Sequence[Path],
    choices: TranscriptChoices,
    watcher: "Watcher",
) -> "TranscriptSummary":
    """Import transcript files; without a database, a dry run."""
    from vcontract.runtime.imports.transcripts.importer import TranscriptImporter

    store = None if database is None else transcript_store(database, settings, tenant)
    return await TranscriptImporter(store, choices.options(settings, tenant)).run(files, watcher)


def transcript_store(database: "Database", settings: "Settings", tenant: str) -> "TranscriptStore":
    """Return the transcripts of a tenant."""
    from datetime import UTC, datetime

    from vcontract.runtime.imports.transcripts.storing import TranscriptStore
    from vcontract.runtime.store.vcons.preparation import PrepareContext
    from vcontract.runtime.store.vcons.store import VconStore

    return TranscriptStore(
        database,
        VconStore(database),
        PrepareContext.load(),
        tenant,
        lambda: datetime.now(UTC),
        settings.vcon_version,
    )


async def undone_embeddings(
    database: "Database", settings: "Settings", tenant: str, *, wait: bool | None
) -> int:
    """Return the number of pending passages, after embedding all with `wait`, or a few with None.

    Raises: CommandFailed if `wait` is true and no model is usable.
    """
    from vcontract.runtime.cli.embedding import drained
    from vcontract.runtime.store.embeddings import EmbeddingStore

    if not wait and settings.embedding_provider == "none":
        return 0
    async with database.reading(tenant) as connection:
        pending = (await EmbeddingStore().coverage(connection, tenant)).pending
    if wait or (wait is None and 0 < pending <= MAX_PASSAGES_TO_WAIT_FOR):
        try:
            _, coverage = await drained(database, settings, tenant, lambda _: None)
        except CommandFailed:
            if wait:
                raise
        else:
            return coverage.pending
    return pending


def pending_of(undone: int | None) -> "JsonObject":
    """The count as a member of a report; empty without a store."""
    return {} if undone is None else {"undone_embeddings": undone}


def print_undone(undone: int | None) -> None:
    """Print what cannot be found by meaning yet, and what to do."""
    if undone:
        typer.echo(
            f"{counted(undone, 'passage')} not embedded yet. Run `vcontract embed` to search by meaning; "
            "a running server embeds in the background."
        )


def print_transcripts(summary: "TranscriptSummary", seconds: float, *, dry_run: bool) -> None:
    """Print the summary."""
    from vcontract.runtime.imports.summary import MEANINGS

    verb = "Checked" if dry_run else "Read"
    if not summary.files and not any(summary.actions.values()):
        typer.echo("No agent session was found.")
        return
    typer.echo(f"{verb} {counted(summary.files, 'transcript file')} in {seconds:.1f} s")
    counts = [(action, summary.actions[action], meaning) for action, meaning in MEANINGS.items()]
    print_table([(action, f"{count:,}", meaning) for action, count, meaning in counts if count])
    found = [counted(summary.exchanges, "exchange")] if summary.exchanges else []
    found += [counted(summary.malformed, "malformed line")] if summary.malformed else []
    found += [f"{counted(summary.redactions, 'secret')} replaced"] if summary.redactions else []
    if found:
        typer.echo(f"  {', '.join(found)}")
    if summary.unknown_types:
        types = ", ".join(f"{name} {count}" for name, count in summary.unknown_types.most_common(10))
        typer.echo(f"  lines of unknown types, archived only: {types}")


def moment_of(given: str | None, option: Literal["since", "until"] = "since") -> "datetime | None":
    """Parse --since or --until.

    Raises: CommandFailed for an invalid date.
    """
    from vcontract.runtime.vcon.times import BadDate, window_edge

    if given is None:
        return None
    try:
        return window_edge(given, "start" if option == "since" else "end")
    except BadDate as error:
        raise CommandFailed(f"--{option}: {error}", code=ExitCode.USAGE) from None
