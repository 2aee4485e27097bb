"""`vcontract reflection …`: show, correct and delete reflections of sessions."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import note, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run
from vcontract.runtime.cli.short_ids import full_id

if TYPE_CHECKING:
    from uuid import UUID

    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Connection, Database
    from vcontract.runtime.store.sessions.reflections import Reflection

reflection = typer.Typer(
    name="reflection", help="Show, edit or delete reflections of sessions.", no_args_is_help=True
)

_Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="ID of the reflection, or its first 4 digits; searches show it."),
]


@reflection.command()
@reporting
def show(context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT) -> None:
    """Print the whole text of a reflection.

    Exits with 1 if the reflection is not found.
    """
    say(run(_show(settings_of(context), tenant, _checked(id_))).content)


@reflection.command()
@reporting
def edit(
    context: typer.Context,
    id_: _Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; - reads standard input.")],
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Replace its tags with this one. Repeatable.", show_default=False),
    ] = None,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Replace the text of a reflection.

    The old text is permanently deleted. Secrets are redacted, as the session tool `store_reflection` does.
    Exits with 1 if the reflection is not found.
    """
    from vcontract.runtime.store.sessions.reflections import content_problem, normalize_tag, tag_problem

    content = (sys.stdin.read() if text == "-" else text).strip()
    if (problem := content_problem(content)) is not None:
        raise CommandFailed(
            f"the text {problem}",
            cure="give a text, or - and the text on standard input",
            code=ExitCode.USAGE,
        )
    tags = None if tag is None else list(dict.fromkeys(map(normalize_tag, tag)))
    for one in tags or ():
        if (problem := tag_problem(one)) is not None:
            raise CommandFailed(f"--tag {one!r}: {problem}", code=ExitCode.USAGE)
    _print_stale_files(run(_edit(settings_of(context), tenant, _checked(id_), content, tags)))
    typer.echo(f"Edited {id_}. Run `vcontract embed` to search it by meaning; a running server does it, too.")


@reflection.command()
@reporting
def delete(context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT) -> None:
    """Delete a reflection, its index and its entry in handoffs.

    Exits with 1 if the reflection is not found.
    """
    _print_stale_files(run(_delete(settings_of(context), tenant, _checked(id_))))
    typer.echo(f"Deleted {id_}.")


async def _show(settings: "Settings", tenant: str, given: str) -> "Reflection":
    from vcontract.runtime.store.sessions import reflections

    async with open_store(settings, tenant) as database:
        id_ = await _uuid(database, tenant, given)
        async with database.reading(tenant) as connection:
            found = await reflections.find_reflection(connection, tenant, id_)
    if found is None:
        raise _unknown(id_)
    return found


async def _edit(
    settings: "Settings", tenant: str, given: str, content: str, tags: Sequence[str] | None
) -> list[str]:
    """Edit a reflection. Returns handoff files that may contain the old text."""
    from dataclasses import replace

    from vcontract.runtime.imports.transcripts.redaction import Redactor
    from vcontract.runtime.store.sessions import reflections

    redactor = Redactor()
    content = redactor.text(content)
    async with _changing(settings, tenant, given) as (connection, id_):
        before = await reflections.lock_reflection(connection, tenant, id_)
        if before is None:
            raise _unknown(id_)
        after = replace(before, content=content, tags=before.tags if tags is None else tuple(tags))
        _, files = await reflections.revise_reflection(connection, tenant, after, redactor.total, None)
        await record_command(connection, tenant, "reflection edit", {"id": str(id_)})
    return _left(files, id_)


async def _delete(settings: "Settings", tenant: str, given: str) -> list[str]:
    """Delete a reflection. Returns handoff files that may contain it."""
    from vcontract.runtime.store.sessions import reflections

    async with _changing(settings, tenant, given) as (connection, id_):
        files = await reflections.delete_reflection(connection, tenant, id_)
        if files is not None:
            await record_command(connection, tenant, "reflection delete", {"id": str(id_)})
    if files is None:
        raise _unknown(id_)
    return _left(files, id_)


def _left(files: Sequence[str], id_: "UUID") -> list[str]:
    """Handoff files from which the reflection could not be removed."""
    from vcontract.runtime.workspace.handoff import take_out

    return [file for file in files if not take_out(file, str(id_))]


def _print_stale_files(files: Sequence[str]) -> None:
    for file in files:
        note(f"{file} may still contain it and cannot be written; delete that file")


def _checked(text: str) -> str:
    """Check that the text is an ID or a prefix of one. Raises: CommandFailed."""
    from vcontract.runtime.vcon.identity import digits_of, parse_uuid

    if parse_uuid(text) is None and digits_of(text) is None:
        raise CommandFailed(
            f'"{text[:64]}" is not the ID of a reflection',
            cure="searches and handoffs show IDs",
            code=ExitCode.USAGE,
        )
    return text


async def _uuid(database: "Database", tenant: str, given: str) -> "UUID":
    from uuid import UUID

    return UUID(await full_id(database, tenant, given, "reflection"))


@asynccontextmanager
async def _changing(
    settings: "Settings", tenant: str, given: str
) -> "AsyncGenerator[tuple[Connection, UUID]]":
    """One transaction, and the ID of the reflection that it changes."""
    async with open_store(settings, tenant) as database:
        id_ = await _uuid(database, tenant, given)
        async with database.writing(tenant) as connection:
            yield connection, id_


def _unknown(id_: "UUID") -> CommandFailed:
    return CommandFailed(
        f"reflection {id_} not found", cure="searches and handoffs show IDs; --tenant names another tenant"
    )
