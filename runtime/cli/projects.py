"""`vcontract project …`: link projects, so that a search of one includes the other."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, print_json, print_table
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_store, run

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Connection
    from vcontract.runtime.store.sessions.projects import Link, LinkKind, Project

project = typer.Typer(name="project", help="Link projects that belong together.", no_args_is_help=True)

_One = Annotated[str, typer.Argument(metavar="A", help="Name or root folder of a project.")]
_Other = Annotated[str, typer.Argument(metavar="B", help="Name or root folder of the other project.")]
_Kind = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="uses, extends, references or shares_code.", show_default=False),
]


@project.command()
@reporting
def link(
    context: typer.Context, one: _One, other: _Other, kind: _Kind = None, tenant: Tenant = DEFAULT_TENANT
) -> None:
    """Link two projects, so that a search of one includes the other.

    The default --kind is `uses`: A uses B.
    """
    chosen = _kind(kind) or "uses"
    first, second, is_new = run(_link(settings_of(context), tenant, one, other, chosen))
    typer.echo(f"{first.root} {chosen} {second.root}" + ("" if is_new else " (already linked)"))


@project.command()
@reporting
def unlink(
    context: typer.Context, one: _One, other: _Other, kind: _Kind = None, tenant: Tenant = DEFAULT_TENANT
) -> None:
    """Remove the links between two projects, of one kind or all.

    Exits with 1 if there is no such link.
    """
    removed = run(_unlink(settings_of(context), tenant, one, other, _kind(kind)))
    if not removed:
        raise CommandFailed(
            "these projects have no such link", cure="`vcontract project list` shows the links"
        )
    typer.echo(f"Removed {counted(removed, 'link')}.")


@project.command("list")
@reporting
def list_(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """List the projects that sessions worked in, and their links."""
    known, linked = run(_list(settings_of(context), tenant))
    if as_json:
        print_json(
            {
                "projects": [{"name": each.name, "root": each.root} for each in known],
                "links": [
                    {
                        "project": each.project.root,
                        "kind": each.kind,
                        "other": each.other.root,
                        "origin": each.origin,
                    }
                    for each in linked
                ],
            }
        )
        return
    if not known:
        typer.echo("No projects yet.")
    else:
        print_table([(each.name, each.root) for each in known], indent="")
    for each in linked:
        origin = " (from its manifest)" if each.origin == "manifest" else ""
        typer.echo(f"{each.project.root} {each.kind} {each.other.root}{origin}")


async def _link(
    settings: "Settings", tenant: str, one: str, other: str, kind: "LinkKind"
) -> "tuple[Project, Project, bool]":
    from vcontract.runtime.store.sessions import projects

    async with open_store(settings, tenant) as database, database.writing(tenant) as connection:
        first = await _the_project(connection, tenant, one)
        second = await _the_project(connection, tenant, other)
        if first.id == second.id:
            raise CommandFailed("a project cannot be linked to itself", code=ExitCode.USAGE)
        is_new = await projects.declare_link(connection, tenant, first.id, second.id, kind)
    return first, second, is_new


async def _unlink(settings: "Settings", tenant: str, one: str, other: str, kind: "LinkKind | None") -> int:
    from vcontract.runtime.store.sessions import projects

    async with open_store(settings, tenant) as database, database.writing(tenant) as connection:
        first = await _the_project(connection, tenant, one)
        second = await _the_project(connection, tenant, other)
        return await projects.remove_links(connection, tenant, first.id, second.id, kind)


async def _list(settings: "Settings", tenant: str) -> "tuple[list[Project], list[Link]]":
    from vcontract.runtime.store.sessions import projects

    async with open_store(settings, tenant) as database, database.reading(tenant) as connection:
        return await projects.all_projects(connection, tenant), await projects.links(connection, tenant)


async def _the_project(connection: "Connection", tenant: str, given: str) -> "Project":
    """Return the only project with a name or folder.

    Raises: CommandFailed if no project matches, or several have the name.
    """
    from vcontract.runtime.frame.documents.nearest_names import nearest_names
    from vcontract.runtime.store.sessions import projects

    found = await projects.find_projects(connection, tenant, given)
    if not found and (root := _folder(given)) is not None:
        found = await projects.find_projects(connection, tenant, root)
    if not found:
        names = [each.name for each in await projects.all_projects(connection, tenant)]
        near = nearest_names(given, names)
        shown = f"did you mean {' or '.join(near)}? " if near else ""
        raise CommandFailed(
            f"project {given!r} not found",
            cure=f"{shown}`vcontract project list` lists the projects; `init` in a folder adds one",
            code=ExitCode.USAGE,
        )
    if len(found) > 1:
        roots = ", ".join(each.root for each in found)
        raise CommandFailed(
            f"several projects are named {given!r}", cure=f"use the root folder: {roots}", code=ExitCode.USAGE
        )
    return found[0]


def _folder(given: str) -> str | None:
    return str(Path(os.path.realpath(given))) if os.path.isdir(given) else None


def _kind(given: str | None) -> "LinkKind | None":
    from vcontract.runtime.store.sessions.projects import LINK_KINDS

    for kind in LINK_KINDS:
        if given == kind:
            return kind
    if given is None:
        return None
    raise CommandFailed(
        f"unknown kind {given!r}", cure=f"choose from {', '.join(LINK_KINDS)}", code=ExitCode.USAGE
    )
