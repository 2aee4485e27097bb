"""`vcontract embed`: embed stored text now."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from vcontract.runtime.cli.console import counted, is_watched, note, print_json
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, resumable
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run_for_the_store

if TYPE_CHECKING:
    from vcontract.runtime.embedding.service import EmbeddingStatus
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.embeddings import Coverage, Waiting
    from vcontract.runtime.store.postgres.database import Database

_SECONDS_BETWEEN_LINES = 5.0

Watch = Callable[["Waiting"], None]


def embed(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Embed stored text now, to search it by meaning.

    A running server does this in the background. An interrupted run continues where it stopped.

    Exits with 1 if some text could not be embedded or no model is available, 3 if the database is
    unavailable.
    """
    settings = settings_of(context)
    progress = Progress()
    with resumable("embedded", progress.describe_progress), _watching(progress, quiet=as_json) as watch:
        left, coverage = run_for_the_store(_embed(settings, tenant, watch, quiet=as_json))
    if as_json:
        print_json(_report(tenant, progress, left, coverage))
    else:
        rate = f", {progress.rate:,.0f} a second" if progress.done and progress.seconds > 1 else ""
        typer.echo(f"Embedded {counted(progress.done, 'passage')} in {progress.seconds:.1f} s{rate}")
        typer.echo(describe_coverage(coverage))
    if left.failed:
        if not as_json:
            note(f"{counted(left.failed, 'passage')} could not be embedded and will be retried")
        raise typer.Exit(ExitCode.FAILED)


@dataclass(slots=True)
class Progress:
    """Progress and speed of embedding."""

    started: float = field(default_factory=time.monotonic)
    begun: float | None = None
    """When the first passage was embedded, after loading the model."""
    all: int = 0
    """Pending passages at the start."""
    left: int = 0
    taken: int = 0
    """Remaining passages that other processes embed."""

    def advanced(self, waiting: "Waiting") -> None:
        self.begun = self.begun or time.monotonic()
        self.all, self.left, self.taken = max(self.all, waiting.passages), waiting.passages, waiting.taken

    @property
    def done(self) -> int:
        return self.all - self.left

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Passages per second."""
        return self.done / max(time.monotonic() - (self.begun or self.started), 0.001)

    def describe_progress(self) -> str:
        """Progress for a user who interrupts."""
        done = f" after {counted(self.done, 'passage')} in {self.seconds:.1f} s"
        return f"{done}, {self.left:,} to go" if self.all else ""

    def line(self) -> str:
        """Progress for a user who waits."""
        line = f"{self.done:,} of {counted(self.all, 'passage')}"
        if self.done and self.left:
            line += f", {self.rate:,.0f} a second, about {_duration(self.left / self.rate)} to go"
        return f"{line}; another process has {self.taken:,} of them" if self.taken else line


def describe_coverage(coverage: "Coverage") -> str:
    """One line about coverage by meaning."""
    share = f"{coverage.embedded:,} of {counted(coverage.passages, 'passage')}"
    description = f"{share} embedded by {coverage.model}"
    if coverage.pending:
        description += f"; {coverage.pending:,} pending"
    if coverage.failed:
        description += f", of which {coverage.failed:,} failed and will be retried"
    return description


def describe_status(status: "EmbeddingStatus") -> str:
    """One line about coverage by meaning, and about the vectors of a new model."""
    line = describe_coverage(status.coverage)
    if status.building is None:
        return line
    passages = status.coverage.passages
    done = passages - min(status.stale, passages)
    return f"{line}; {done:,} of {passages:,} by {status.building}, which is searched when it has all"


def _report(tenant: str, progress: Progress, left: "Waiting", coverage: "Coverage") -> "JsonObject":
    return {
        "tenant": tenant,
        "seconds": round(progress.seconds, 3),
        "embedded_now": progress.done,
        "failed": left.failed,
        "model": coverage.model,
        "passages": coverage.passages,
        "embedded": coverage.embedded,
        "pending": coverage.pending,
        "coverage": round(coverage.share, 6),
    }


async def _embed(
    settings: "Settings", tenant: str, watch: Watch, *, quiet: bool
) -> "tuple[Waiting, Coverage]":
    """Embed, and return what is left and the coverage."""
    from vcontract.runtime.store.embeddings import EmbeddingStore

    async with open_store(settings, tenant) as database:
        async with database.reading(tenant) as connection:
            before = await EmbeddingStore().coverage(connection, tenant)
        if before.embedded and before.pending and not quiet:
            note(f"Continuing: {before.embedded:,} of {counted(before.passages, 'passage')} already embedded")
        return await drained(database, settings, tenant, watch)


async def drained(
    database: "Database", settings: "Settings", tenant: str, watch: Watch
) -> "tuple[Waiting, Coverage]":
    """Embed until nothing of the tenant is pending. Returns what is left and the coverage.

    Raises: CommandFailed if no model is usable.
    """
    from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
    from vcontract.runtime.embedding.service import Embeddings
    from vcontract.runtime.embedding.worker import EmbeddingWorker
    from vcontract.runtime.frame import logs

    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "error")
    embeddings = Embeddings(settings, database)
    try:
        await embeddings.model.ready(wait=None)
        left = await EmbeddingWorker(embeddings, database).drain(tenant, watch)
        async with database.reading(tenant) as connection:
            return left, await embeddings.store.coverage(connection, tenant)
    except ModelUnavailable as error:
        raise CommandFailed("no model can be used", cause=str(error), cure=error.cure) from error
    except EmbeddingFailed as error:
        raise CommandFailed(
            "the model does not embed", cause=str(error), cure="try again; what is embedded stays"
        ) from error
    finally:
        await embeddings.close()


@contextmanager
def _watching(progress: Progress, *, quiet: bool) -> Generator[Watch]:
    if quiet:
        yield progress.advanced
    elif is_watched():
        with _bar(progress) as watch:
            yield watch
    else:
        yield _Lines(progress).advanced


class _Lines:
    """Prints progress and remaining time occasionally."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._said = time.monotonic()

    def advanced(self, waiting: "Waiting") -> None:
        progress = self._progress
        progress.advanced(waiting)
        now = time.monotonic()
        if now < self._said + _SECONDS_BETWEEN_LINES or not progress.left:
            return
        self._said = now
        note(progress.line())


def _duration(seconds: float) -> str:
    """Format a remaining time: `40 s`, `12 min`, `3 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


@contextmanager
def _bar(progress: Progress) -> Generator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None)

        def watch(waiting: "Waiting") -> None:
            progress.advanced(waiting)
            bar.update(task, total=progress.all, completed=progress.done, description=progress.line())

        yield watch
