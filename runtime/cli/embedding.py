"""`vcontract embed`."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from vcontract.runtime.cli.console import counted, is_watched, note, print_json
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, resumable
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.stores import open_store, run

if TYPE_CHECKING:
    from vcontract.runtime.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.embeddings import Coverage, Waiting
    from vcontract.runtime.store.postgres.database import Database

_SECONDS_BETWEEN_LINES = 5.0
_LEAST_SECONDS = 2.0

Watch = Callable[["Waiting"], None]


def embed(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Embed stored text now, so that it can be found by meaning; serve does the same in the background.

    Interrupted, it goes on from there when it is run again. Exit code 0 when everything is embedded, 1 when
    some text could not be or there is no usable model, 3 when the database cannot be reached.
    """
    settings = settings_of(context)
    started = time.monotonic()
    with resumable("embedded"), _watching(quiet=as_json) as watch:
        first, left, coverage = run(_embed(settings, tenant, watch))
    seconds = time.monotonic() - started
    embedded = first - left.passages
    if as_json:
        print_json(_report(tenant, seconds, embedded, left, coverage))
    else:
        rate = f", {embedded / seconds:,.0f} a second" if embedded and seconds > 1 else ""
        typer.echo(f"Embedded {counted(embedded, 'passage')} in {seconds:.1f} s{rate}")
        typer.echo(describe_coverage(coverage))
    if left.failed:
        if not as_json:
            note(f"{counted(left.failed, 'passage')} could not be embedded and will be tried again")
        raise typer.Exit(ExitCode.FAILED)


def describe_coverage(coverage: "Coverage") -> str:
    """One line about what can be found by meaning."""
    share = f"{coverage.embedded:,} of {counted(coverage.passages, 'passage')}"
    told = f"{share} can be found by meaning, by {coverage.model}"
    if coverage.pending:
        told += f"; {coverage.pending:,} pending"
    if coverage.failed:
        told += f", of which {coverage.failed:,} failed and will be tried again"
    return told


def _report(
    tenant: str, seconds: float, embedded: int, left: "Waiting", coverage: "Coverage"
) -> "JsonObject":
    return {
        "tenant": tenant,
        "seconds": round(seconds, 3),
        "embedded_now": embedded,
        "failed": left.failed,
        "model": coverage.model,
        "passages": coverage.passages,
        "embedded": coverage.embedded,
        "pending": coverage.pending,
        "coverage": round(coverage.share, 6),
    }


async def _embed(settings: "Settings", tenant: str, watch: Watch) -> "tuple[int, Waiting, Coverage]":
    """How many passages waited at first, what is left of them, and the coverage after."""
    seen: list[int] = []

    def note_first(waiting: "Waiting") -> None:
        seen.append(waiting.passages)
        watch(waiting)

    async with open_store(settings) as database:
        left, coverage = await drained(database, settings, tenant, note_first)
    return max(seen), left, coverage


async def drained(
    database: "Database", settings: "Settings", tenant: str, watch: Watch
) -> "tuple[Waiting, Coverage]":
    """Embed until nothing of the tenant waits any more; what is left, and the coverage after.

    Raises: CommandFailed when there is no usable model.
    """
    from vcontract.runtime import logs
    from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
    from vcontract.runtime.embedding.service import Embeddings
    from vcontract.runtime.embedding.worker import EmbeddingWorker

    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "error")
    # in this process, which somebody waits for: the shared one gives way to all others
    embeddings = Embeddings(settings.model_copy(update={"embedding_shared": False}), database)
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
def _watching(*, quiet: bool) -> Generator[Watch]:
    if quiet:
        yield lambda _: None
    elif is_watched():
        with _bar() as watch:
            yield watch
    else:
        yield _Lines().advanced


class _Lines:
    """Says now and then what is done and how long the rest should take."""

    def __init__(self) -> None:
        self._started = self._said = time.monotonic()
        self._first: int | None = None

    def advanced(self, waiting: "Waiting") -> None:
        now = time.monotonic()
        if self._first is None:
            self._first, self._started = waiting.passages, now
        if now < self._said + _SECONDS_BETWEEN_LINES or not waiting.passages:
            return
        self._said = now
        done = self._first - waiting.passages
        left = f"{counted(waiting.passages, 'passage')} to go"
        if done > 0 and now > self._started + _LEAST_SECONDS:
            left += f", about {_duration(waiting.passages * (now - self._started) / done)}"
        note(left)


def _duration(seconds: float) -> str:
    """A time to wait in words: `40 s`, `12 min`, `3 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


@contextmanager
def _bar() -> Generator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("passages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("embed", total=None)
        most = 0

        def watch(waiting: "Waiting") -> None:
            nonlocal most
            most = max(most, waiting.passages)
            progress.update(task, total=most, completed=most - waiting.passages)

        yield watch
