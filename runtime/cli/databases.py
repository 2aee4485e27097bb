"""`vcontract db …`: prepare a database, show its schema's status, and migrate it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import note, print_json, print_table
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import AsJson, settings_of
from vcontract.runtime.cli.open_store import open_as_owner, refuse_pooler, run, store_failures

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.schema_status import SchemaStatus


db = typer.Typer(name="db", help="Manage the database schema.", no_args_is_help=True)


@db.command()
@reporting
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show which migrations are applied and which are pending.

    Exits with 1 if the schema is not up to date.
    """
    found = run(_status(settings_of(context)))
    if as_json:
        print_json(
            {
                "current": found.is_current,
                "applied": [
                    {"version": row.version, "name": row.name, "applied_at": row.applied_at.isoformat()}
                    for row in found.applied
                ],
                "pending": [{"version": item.version, "name": item.name} for item in found.pending],
                "functions": {
                    "applied": [
                        {"name": row.file_name, "applied_at": row.applied_at.isoformat()}
                        for row in found.functions
                        if row.file_name not in found.pending_functions
                    ],
                    "pending": list(found.pending_functions),
                },
                "problems": list(found.problems),
            }
        )
    else:
        _print_status(found)
    if not found.is_current:
        raise typer.Exit(ExitCode.FAILED)


@db.command()
@reporting
def migrate(context: typer.Context, as_json: AsJson = False) -> None:
    """Update the database schema to this version."""
    settings = settings_of(context)
    refuse_pooler(settings, "vcontract db migrate")
    done = run(_migrate(settings))
    if as_json:
        print_json(
            {
                "applied": [{"version": item.version, "name": item.name} for item in done.pending],
                "functions": list(done.pending_functions),
            }
        )
    elif not done.lacking:
        typer.echo("The schema is up to date.")
    else:
        typer.echo("Applied:")
        print_table([(name,) for name in done.lacking])


@db.command("plan")
@reporting
def plan_(
    context: typer.Context,
    owner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Login that owns the store (default: <prefix>_owner).", show_default=False
        ),
    ] = None,
    login: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Login of the server (default: <prefix>_login).", show_default=False
        ),
    ] = None,
    database: Annotated[str, typer.Option(metavar="NAME", help="Name of the database.")] = "vcontract",
) -> None:
    """Print the SQL that a superuser runs once before `db migrate`.

    Connects to nothing and changes nothing.
    """
    from vcontract.runtime.store.postgres.roles import Roles
    from vcontract.runtime.store.postgres.superuser_setup import plan

    roles = Roles(settings_of(context).role_prefix)
    try:
        typer.echo(plan(roles, database=database, owner=owner, login=login), nl=False)
    except ValueError as error:
        raise CommandFailed(str(error), cure="choose another name", code=ExitCode.USAGE) from None


@db.command()
@reporting
def upgrade(
    context: typer.Context,
    programs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the older PostgreSQL that created the database.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Upgrade the embedded database to the bundled PostgreSQL.

    Keeps the old database beside the new one.
    """
    from vcontract.runtime.store.postgres.upgrade import needs_upgrade
    from vcontract.runtime.store.postgres.upgrade import upgrade as upgraded

    settings = settings_of(context)
    if settings.database_url is not None:
        raise CommandFailed(
            "this upgrades the embedded database, and VCONTRACT_DATABASE_URL names another",
            cure="upgrade that server by its own means, or `backup` from it and `restore` into a new one",
            code=ExitCode.USAGE,
        )
    if needs_upgrade(settings.data_dir) is None:
        typer.echo("Nothing to upgrade.")
        return
    with store_failures():
        done = run(upgraded(settings.data_dir, programs))
    typer.echo(f"Upgraded from PostgreSQL {done.former}: {done.rows:,} rows.")
    note(f"The old database is kept in {done.kept}; remove it when you no longer need it.")


async def _status(settings: "Settings") -> "SchemaStatus":
    from vcontract.runtime.store.postgres.schema_status import schema_status

    async with open_as_owner(settings) as connection:
        return await schema_status(connection)


async def _migrate(settings: "Settings") -> "SchemaStatus":
    from vcontract.runtime.store.postgres import migrations
    from vcontract.runtime.store.postgres.roles import Roles

    async with open_as_owner(settings) as connection:
        return await migrations.migrate(connection, roles=Roles.of(settings))


def _print_status(found: "SchemaStatus") -> None:
    rows = [
        (f"{row.version:04d}_{row.name}", f"applied {row.applied_at:%Y-%m-%d %H:%M}") for row in found.applied
    ]
    rows += [(f"{item.version:04d}_{item.name}", "pending") for item in found.pending]
    rows += [
        (row.file_name, f"applied {row.applied_at:%Y-%m-%d %H:%M}")
        for row in found.functions
        if row.file_name not in found.pending_functions
    ]
    rows += [(name, "pending") for name in found.pending_functions]
    if rows:
        print_table(rows, indent="")
    for problem in found.problems:
        typer.echo(f"problem: {problem}")
    if found.is_current:
        typer.echo("The schema is up to date.")
    elif not found.problems:
        typer.echo("The schema is out of date; run: vcontract db migrate")
