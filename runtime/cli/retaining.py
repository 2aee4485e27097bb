"""`vcontract retain`: delete conversations older than a number of days."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.auditing import command_caller
from vcontract.runtime.cli.console import counted, is_answered, print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run_for_the_store

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.vcons.retention import RetentionCounts


def retain(
    context: typer.Context,
    days: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Keep conversations of the last N days. Defaults to VCONTRACT_RETENTION_DAYS.",
            min=1,
            max=36_500,
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count them without deleting.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Permanently delete conversations older than N days.

    Keeps those under legal hold. Asks for confirmation. A server with VCONTRACT_RETENTION_DAYS does this by
    itself.
    """
    settings = settings_of(context)
    days_kept = days if days is not None else settings.retention_days
    if days_kept is None:
        raise CommandFailed(
            "--days is missing", cure="add --days N, or set VCONTRACT_RETENTION_DAYS", code=ExitCode.USAGE
        )
    if not (yes or dry_run or is_answered()):
        raise CommandFailed(
            "cannot ask for confirmation: standard input is not a terminal",
            cure="add --yes",
            code=ExitCode.USAGE,
        )
    before = datetime.now(UTC) - timedelta(days=days_kept)
    old = run_for_the_store(_count(settings, tenant, before))
    held = (
        f"; {counted(old.held, 'conversation')} under legal hold {'stays' if old.held == 1 else 'stay'}"
        if old.held
        else ""
    )
    if dry_run:
        if as_json:
            print_json({"tenant": tenant, "before": before.isoformat(), "due": old.due, "held": old.held})
        else:
            say(f"Would delete {counted(old.due, 'conversation')}{held}.")
        return
    if old.due and not yes:
        typer.confirm(
            f"Permanently delete {counted(old.due, 'conversation')} from before {before:%Y-%m-%d}?",
            abort=True,
            err=True,
        )
    deleted = run_for_the_store(_delete(settings, tenant, before)) if old.due else 0
    if as_json:
        print_json({"tenant": tenant, "before": before.isoformat(), "deleted": deleted, "held": old.held})
    else:
        say(f"Deleted {counted(deleted, 'conversation')}{held}.")


async def _count(settings: "Settings", tenant: str, before: datetime) -> "RetentionCounts":
    from vcontract.runtime.store.vcons.retention import count_expired

    async with open_store(settings, tenant) as database:
        return await count_expired(database, tenant, before)


async def _delete(settings: "Settings", tenant: str, before: datetime) -> int:
    from vcontract.runtime.store.vcons.retention import delete_expired

    deleted = 0
    async with open_store(settings, tenant) as database:
        while gone := await delete_expired(database, tenant, before, command_caller()):
            deleted += gone
    return deleted
