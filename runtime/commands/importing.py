"""`vcontract import`."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from vcontract.runtime.commands.console import counted, is_watched, note, print_json, print_table, size_of
from vcontract.runtime.commands.failures import CommandFailed, ExitCode
from vcontract.runtime.commands.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.commands.stores import open_store, run

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from vcontract.runtime.ingest.origin import Problem
    from vcontract.runtime.ingest.sources import Sources
    from vcontract.runtime.ingest.summary import Summary
    from vcontract.runtime.settings import Settings

_PROBLEMS_SHOWN = 20
_SECONDS_BETWEEN_LINES = 5.0


def import_(
    context: typer.Context,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Files, folders (with all below them) and patterns: .json, .vcon, .jsonl, .ndjson, .zip, "
            "and .gz of the first four. A JSON file may hold one vCon or many. - is the standard input.",
            show_default=False,
        ),
    ],
    on_conflict: Annotated[
        Literal["skip", "replace", "fail"],
        typer.Option(
            help="What to do with a vCon whose uuid is there with other content: leave the stored one, "
            "replace it, or refuse the new one.",
        ),
    ] = "skip",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and check everything, store nothing; needs no database.")
    ] = False,
    problems: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every problem to this file, one JSON object a line.",
            show_default=False,
        ),
    ] = None,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Bring conversations in.

    Reads leniently: a vCon that does not conform comes in and is reported. Run again after a break, it goes
    on: what is stored already is recognised. Exit code 0 when every document is in, 1 when some were refused,
    2 when a PATH names nothing, 3 when the database cannot be reached.
    """
    sources = _find(paths)
    started = time.monotonic()
    settings = settings_of(context)
    try:
        with _problem_file(problems) as file, _watching(sources, file, quiet=as_json) as watcher:
            summary = run(_import(settings, sources, watcher, tenant, on_conflict, dry_run=dry_run))
    except KeyboardInterrupt:
        note("Stopped. What is stored stays; the same command goes on from there.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    seconds = time.monotonic() - started
    if as_json:
        report = {"dry_run": dry_run, "tenant": tenant, "seconds": round(seconds, 3)}
        print_json({**report, "files_ignored": sources.ignored, **summary.as_json()})
    else:
        watcher.conclude()
        _print(summary, sources, seconds, dry_run=dry_run)
    if summary.refused:
        raise typer.Exit(ExitCode.FAILED)


def _find(paths: list[str]) -> "Sources":
    from vcontract.runtime.ingest.sources import NoSuchPath, find_files

    try:
        return find_files(paths)
    except NoSuchPath as error:
        raise CommandFailed(str(error), cure="check the PATH", code=ExitCode.USAGE) from None


async def _import(
    settings: "Settings",
    sources: "Sources",
    watcher: "_Watcher",
    tenant: str,
    on_conflict: Literal["skip", "replace", "fail"],
    *,
    dry_run: bool,
) -> "Summary":
    from datetime import UTC, datetime

    from vcontract.runtime.ingest.importer import Importer
    from vcontract.runtime.ingest.workers import Workers
    from vcontract.runtime.store.vcons import VconStore

    def clock() -> datetime:
        return datetime.now(UTC)

    with Workers(settings.uuid_domain) as workers:
        if dry_run:
            return await Importer(workers, clock, tenant, None).run(sources.files, watcher)
        async with open_store(settings) as database:
            importer = Importer(workers, clock, tenant, VconStore(database), on_conflict)
            return await importer.run(sources.files, watcher)


@contextmanager
def _problem_file(path: Path | None) -> Generator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise CommandFailed(
            f"cannot write {path}: {error.strerror}", cure="name another file", code=ExitCode.USAGE
        ) from None
    with file:
        yield file


@contextmanager
def _watching(sources: "Sources", file: TextIO | None, *, quiet: bool) -> "Generator[_Watcher]":
    """A watcher that suits where the output goes: nothing, lines, or a bar on a terminal."""
    if quiet or not is_watched():
        yield _Watcher(sources.size, file, quiet=quiet)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[stored]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _BarWatcher(sources.size, file, progress)


class _Watcher:
    """Tells of problems and of progress in plain lines; writes every problem to a file when there is one."""

    def __init__(self, size: int, file: TextIO | None, *, quiet: bool = False) -> None:
        self._size = size
        self._file = file
        self._quiet = quiet
        self._shown = self._unshown = 0
        self._last_line = 0.0

    def refused(self, problems: "Sequence[Problem]") -> None:
        for problem in problems:
            if self._file is not None:
                self._write(problem, self._file)
            if self._quiet:
                continue
            if self._shown < _PROBLEMS_SHOWN:
                self._shown += 1
                self._say(f"refused: {problem}")
            else:
                self._unshown += 1

    def advanced(self, summary: "Summary", bytes_done: int) -> None:
        now = time.monotonic()
        if self._quiet or now - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        self._say(f"{counted(summary.read, 'vCon')}, {size_of(bytes_done)} of {size_of(self._size)}")

    def conclude(self) -> None:
        """Tell of what was not shown."""
        if self._unshown:
            self._say(f"and {counted(self._unshown, 'more problem')}; --problems FILE writes them all")

    def _say(self, line: str) -> None:
        note(line)

    def _write(self, problem: "Problem", file: TextIO) -> None:
        import json

        try:
            print(json.dumps(problem.as_json(), ensure_ascii=False), file=file)
        except OSError as error:
            raise CommandFailed(f"cannot write {file.name}: {error.strerror}", cure="make room") from None


class _BarWatcher(_Watcher):
    """Moves a bar on a terminal; problems scroll by above it."""

    def __init__(self, size: int, file: TextIO | None, progress: "Progress") -> None:
        super().__init__(size, file)
        self._progress = progress
        self._task: TaskID = progress.add_task("import", total=size or None, stored="")

    def advanced(self, summary: "Summary", bytes_done: int) -> None:
        self._progress.update(self._task, completed=bytes_done, stored=counted(summary.read, "vCon"))

    def _say(self, line: str) -> None:
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)


def _print(summary: "Summary", sources: "Sources", seconds: float, *, dry_run: bool) -> None:
    rate = f", {summary.read / seconds:,.0f} a second" if seconds > 1 else ""
    doing = "Checked" if dry_run else "Read"
    what = f"{counted(summary.read, 'vCon')} from {counted(summary.files, 'file')}"
    typer.echo(f"{doing} {what} in {seconds:.1f} s{rate}")
    print_table(
        [
            ("usable" if dry_run else "created", f"{summary.created:,}", ""),
            ("replaced", f"{summary.replaced:,}", ""),
            ("skipped", f"{summary.skipped:,}", "another vCon with the uuid was there"),
            ("identical", f"{summary.identical:,}", "the same vCon was there"),
            ("refused", f"{summary.refused:,}", ""),
        ]
    )
    if sources.ignored:
        typer.echo(f"  {counted(sources.ignored, 'file')} of another kind left aside")
    report = summary.as_json()
    _print_counts("Refused because of", [(row["rule"], row["count"]) for row in report["refusals"]])
    _print_counts(
        "Names translated (places)",
        [(f"{row['from']} -> {row['to']}", row["count"]) for row in report["translated"]],
    )
    usable = summary.read - summary.refused
    if usable:
        typer.echo(f"{summary.conforming:,} of {usable:,} conform to the schema of their version")
    _print_counts(
        "Most frequent findings (vCons)",
        [(f"{row['rule']} at {row['path']}", row["vcons"]) for row in report["conformance"]["findings"]],
    )
    _print_counts("To know (vCons)", [(row["code"], row["vcons"]) for row in report["notices"]])


def _print_counts(title: str, counts: Sequence[tuple[str, int]]) -> None:
    if counts:
        typer.echo(title)
        width = max(len(f"{count:,}") for _, count in counts)
        print_table([(f"{count:>{width},}", name) for name, count in counts])
