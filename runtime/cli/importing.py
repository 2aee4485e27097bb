"""`vcontract import`: import files."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from vcontract.runtime.cli.console import counted, note, print_json, print_table
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, resumable
from vcontract.runtime.cli.import_progress import ImportReporter, reporting_import
from vcontract.runtime.cli.import_report import print_summary
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
    from vcontract.runtime.imports.importer import ConflictPolicy
    from vcontract.runtime.imports.programs.conversation import FileFormat
    from vcontract.runtime.imports.sources import SourceFile, Sources
    from vcontract.runtime.imports.summary import Summary, TranscriptSummary
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Database


def _list_formats(asked: bool) -> None:
    if not asked:
        return
    from vcontract.runtime.imports.programs.declarations import declarations

    print_table([(spec["name"], spec["title"], spec["got"]) for spec in declarations().values()])
    raise typer.Exit


def import_(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Files, folders (read recursively) and patterns; - is standard input. "
            "--list-formats shows the formats.",
            show_default=False,
        ),
    ] = [],  # noqa: B006  (typer wants a list)
    examples: Annotated[
        bool,
        typer.Option("--examples", help="Import the example conversations."),
    ] = False,
    on_conflict: Annotated[
        Literal["skip", "keep-both", "replace", "fail"],
        typer.Option(
            metavar="ACTION",
            help="When a vCon is stored with other content and neither continues the other: "
            "skip, keep-both, replace or fail.",
        ),
    ] = "skip",
    dry_run: DryRun = False,
    problems: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write all problems to this file, one JSON object per line.",
            show_default=False,
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="FILE",
            help="Read files as this mapping says. A dry run writes it if it does not exist.",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write what became of each file to this file, as JSON.",
            show_default=False,
        ),
    ] = None,
    exclude: Exclude = [],  # noqa: B006  (typer wants a list)
    redact: Redact = True,
    since: Since = None,
    project: Project = None,
    jobs: Jobs = 2,
    force: Force = False,
    wait_embeddings: WaitEmbeddings = None,
    _list: Annotated[
        bool,
        typer.Option(
            "--list-formats",
            help="List the formats that can be imported, and how to get each, then exit.",
            callback=_list_formats,
            is_eager=True,
        ),
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Import vCons, agent sessions and exports of other programs.

    A vCon that does not conform to its schema is imported and reported. To continue an interrupted import,
    run it again: it recognises what is already stored.

    Exits with 1 if a document was refused or text was skipped, 2 if a PATH does not exist, 3 if the database
    is unavailable.
    """
    from vcontract.runtime.imports.file_sniffing import file_kinds, unknown_type_problem
    from vcontract.runtime.imports.mappings import with_conversations

    sources = find([*paths, *_examples(context)] if examples else paths)
    is_new = dry_run and mapping is not None and not mapping.exists()
    source = None if is_new else read_mapping(mapping)
    if dry_run and source is None:
        source = _previewed(split_transcripts(sources)[0], mapping, is_quiet=as_json)
    sources = with_conversations(sources, source)
    vcons, files = split_transcripts(sources)
    started = time.monotonic()
    settings = settings_of(context)
    choices = TranscriptChoices(tuple(exclude), redact, moment_of(since), project, jobs, force)
    work = Work(
        settings,
        tenant,
        choices,
        vcons,
        files,
        on_conflict,
        dry_run,
        wait_embeddings,
        source,
        report is not None,
    )
    with resumable("stored"), reporting_import(sources.size, problems, quiet=as_json) as teller:
        summary, transcripts, undone = run_for_the_store(import_all(work, teller))
        for file in sources.ignored:
            problem = unknown_type_problem(file)
            summary.keep_out("left aside", problem)
            teller.met("left aside", (problem,))
    seconds = time.monotonic() - started
    if report is not None:
        _write_report(report, summary, transcripts)
    if as_json:
        of_the_run = {"dry_run": dry_run, "tenant": tenant, "seconds": round(seconds, 3)}
        of_transcripts = {"transcripts": transcripts.as_json()} if files else {}
        document = {**summary.as_json(), **of_transcripts, **pending_of(undone)}
        print_json({**of_the_run, "files_ignored": len(vcons.ignored), **document})
    else:
        if files:
            print_transcripts(transcripts, seconds, dry_run=dry_run)
        if vcons.files or not files:
            print_summary(summary, vcons, seconds, dry_run=dry_run)
        print_undone(undone)
    explained = {problem.origin.file for problem in summary.problems}
    strangers = [] if _has_read(summary, transcripts) else file_kinds(sources, explained)
    if not (as_json or _has_read(summary, transcripts)):
        note("Nothing could be read. `vcontract import --list-formats` lists the formats.")
        for name, look in strangers:
            note(f"  {name} looks like {look}")
    if unstored := summary.refusals["not_stored"]:
        note(f"The database refused {counted(unstored, 'vCon')}. Run `vcontract doctor` to check it.")
    if summary.refused or summary.lost or transcripts.failed or not _has_read(summary, transcripts):
        raise typer.Exit(ExitCode.FAILED)


@dataclass(frozen=True, slots=True)
class Work:
    """Options of an import."""

    settings: "Settings"
    tenant: str
    choices: TranscriptChoices
    vcons: "Sources | None" = None
    transcripts: Sequence[Path] = ()
    on_conflict: "ConflictPolicy" = "skip"
    dry_run: bool = False
    wait_embeddings: bool | None = None
    mapping: "FileFormat | None" = None
    reports: bool = False


def _files(work: Work) -> "tuple[SourceFile, ...]":
    return () if work.vcons is None else work.vcons.files


def _write_report(path: Path, summary: "Summary", transcripts: "TranscriptSummary") -> None:
    """Write one line per file. Raises: CommandFailed."""
    import json

    files = [outcome.as_json(file) for file, outcome in sorted((summary.of_files or {}).items())]
    files += transcripts.as_json()["reports"]
    lines = ",\n".join(json.dumps(file, ensure_ascii=False) for file in files)
    try:
        path.write_text(f'{{"files": [\n{lines}\n]}}\n', encoding="utf-8")
    except OSError as error:
        raise CommandFailed(f"--report {path}", cause=error.strerror or str(error)) from None


_TURNS_SHOWN: Final = 6
_WORDS_SHOWN: Final = 100


def read_mapping(path: Path | None) -> "FileFormat | None":
    """Load the mapping of --map. Raises: CommandFailed if it is invalid."""
    if path is None:
        return None
    from vcontract.runtime.imports.mappings import BadMapping, load_mapping

    try:
        return load_mapping(path)
    except OSError as error:
        raise CommandFailed(
            f"--map {path}", cause=error.strerror or str(error), code=ExitCode.USAGE
        ) from None
    except BadMapping as error:
        cure = "correct it, or remove it and let `vcontract import FILE --dry-run` write a new one"
        raise CommandFailed(str(error), cure=cure, code=ExitCode.USAGE) from None


def _previewed(sources: "Sources", path: Path | None, *, is_quiet: bool) -> "FileFormat | None":
    """Preview the first file that needs a mapping, and return the mapping; write it, if a path is given.

    Raises: CommandFailed if it cannot be written.
    """
    from vcontract.runtime.frame.documents.plain_text import one_line
    from vcontract.runtime.imports.mappings import preview

    found = preview(sources)
    if found is None:
        if path is not None:
            note(f"{path} was not written: no file needs a mapping.")
        return None
    shown, source = found
    if not is_quiet:
        conversation = shown.conversation
        typer.echo(f"The first conversation of {shown.file}")
        turns = conversation.turns[:_TURNS_SHOWN]
        names = [str(conversation.parties[turn.speaker]["name"]) for turn in turns]
        times = [f"{turn.at:%Y-%m-%d %H:%M:%S}" if turn.at else "" for turn in turns]
        print_table(
            [
                (when, one_line(name), one_line(turn.text)[:_WORDS_SHOWN])
                for when, name, turn in zip(times, names, turns, strict=True)
            ]
        )
        if len(conversation.turns) > _TURNS_SHOWN:
            typer.echo(f"  and {counted(len(conversation.turns) - _TURNS_SHOWN, 'more turn')}")
    if path is not None:
        try:
            path.write_text(shown.mapping, encoding="utf-8")
        except OSError as error:
            raise CommandFailed(f"--map {path}", cause=error.strerror or str(error)) from None
        note(f"Wrote {path}. If anything is wrong, edit it. Then import with --map {path}.")
    elif not is_quiet:
        note("If anything is wrong, add --map mapping.yaml: this dry run then writes the mapping to edit.")
    return source


def split_transcripts(sources: "Sources") -> "tuple[Sources, list[Path]]":
    """Separate vCon files and other exports from transcripts."""
    from vcontract.runtime.imports.transcripts.source import is_transcript

    transcripts = [file.path for file in sources.files if file.path is not None and is_transcript(file.path)]
    known = set(transcripts)
    vcons = tuple(file for file in sources.files if file.path not in known)
    return replace(sources, files=vcons), transcripts


def _examples(context: typer.Context) -> list[str]:
    """Temporary folder with the example conversations."""
    from vcontract.runtime.imports.examples import example_files

    return [str(context.with_resource(example_files()))]


def find(paths: list[str]) -> "Sources":
    """Find the files of paths and patterns. Raises: CommandFailed."""
    from vcontract.runtime.imports.sources import NoSuchPath, find_files

    if not paths:
        cure = "name a file or folder, or use --examples; --list-formats lists the formats"
        raise CommandFailed("missing PATH", cure=cure, code=ExitCode.USAGE)
    try:
        return find_files(paths)
    except NoSuchPath as error:
        raise CommandFailed(
            str(error), cure="check the path and its permissions", code=ExitCode.USAGE
        ) from None


def _has_read(summary: "Summary", transcripts: "TranscriptSummary") -> bool:
    """Whether any file was readable."""
    strange = transcripts.failed + transcripts.actions["unrecognised"]
    unread = summary.refused - summary.refusals["not_stored"]
    return summary.read > unread or transcripts.files > strange


async def import_all(work: Work, watcher: ImportReporter) -> "tuple[Summary, TranscriptSummary, int | None]":
    given = (work.settings, work.tenant, work.transcripts, work.choices, watcher)
    if work.dry_run or not (_files(work) or work.transcripts or work.wait_embeddings):
        return await _import_vcons(None, work, watcher), await import_transcripts(None, *given), None
    async with open_store(work.settings, work.tenant) as database:
        summary = await _import_vcons(database, work, watcher)
        transcripts = await import_transcripts(database, *given)
        await _note(database, work, summary, transcripts)
        undone = await undone_embeddings(database, work.settings, work.tenant, wait=work.wait_embeddings)
        return summary, transcripts, undone


async def _note(
    database: "Database", work: Work, summary: "Summary", transcripts: "TranscriptSummary"
) -> None:
    """Store the import's report."""
    from datetime import UTC, datetime

    from vcontract.runtime.store.vcons import audit

    if not (summary.files or transcripts.files):
        return
    report = summary.report() if summary.files else {}
    if transcripts.files:
        report["transcripts"] = transcripts.report()
    async with database.writing(work.tenant) as connection:
        await audit.record(
            connection,
            work.tenant,
            caller="import",
            action=audit.IMPORT_REPORT,
            now=datetime.now(UTC),
            detail=report,
        )


async def _import_vcons(database: "Database | None", work: Work, watcher: ImportReporter) -> "Summary":
    from datetime import UTC, datetime

    from vcontract.runtime.imports.importer import Importer
    from vcontract.runtime.imports.preparing import Workers
    from vcontract.runtime.store.vcons.store import VconStore
    from vcontract.runtime.store.vcons.worker_processes import collecting_rarely

    def clock() -> datetime:
        return datetime.now(UTC)

    store = None if database is None else VconStore(database)
    with (
        collecting_rarely(),
        Workers(
            decryption_keys=decryption_keys(work.settings), version=work.settings.vcon_version
        ) as workers,
    ):
        importer = Importer(
            workers,
            clock,
            work.tenant,
            store,
            work.on_conflict,
            work.choices.force,
            work.mapping,
            work.reports,
        )
        return await importer.run(_files(work), watcher)


def decryption_keys(settings: "Settings") -> str | None:
    """PEM keys for encrypted vCons. Raises: CommandFailed if they are unusable."""
    if settings.decryption_keys is None:
        return None
    from vcontract.runtime.vcon.trust.key_errors import UnusableKey
    from vcontract.runtime.vcon.trust.keys import read_private_keys

    keys = settings.decryption_keys.get_secret_value()
    try:
        read_private_keys(keys)
    except UnusableKey as error:
        raise CommandFailed("VCONTRACT_DECRYPTION_KEYS", cause=str(error), code=ExitCode.USAGE) from None
    return keys
