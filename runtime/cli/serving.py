"""`vcontract serve`."""

import sys
from typing import Annotated, TypeAlias

import typer

from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.invocation import settings_of
from vcontract.runtime.cli.stores import run, store_failures, usage_failures

Toolsets: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="ID,ID", help="Toolsets to serve, or all; without it those on by default.", show_default=False
    ),
]


def serve(
    context: typer.Context,
    toolsets: Toolsets = None,
    tools: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME", help="Serve only these tools of the toolsets.", show_default=False),
    ] = None,
    exclude_tools: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Tools not to serve.", show_default=False)
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Serve no tool that writes; only ever narrows the settings.")
    ] = False,
    accept_upstream: Annotated[
        bool,
        typer.Option(
            "--accept-upstream",
            help="Also take calls as the server takes them that the vCon tools come from.",
        ),
    ] = False,
    no_output_schemas: Annotated[
        bool,
        typer.Option(
            "--no-output-schemas", help="List no output schemas, for clients that cannot read them."
        ),
    ] = False,
) -> None:
    """Serve the Model Context Protocol on standard input and output, for the client that starts this process.

    Each option goes before the setting of the same name (VCONTRACT_TOOLSETS, …).
    """
    given: dict[str, object] = {"toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools}
    given = {name: value for name, value in given.items() if value is not None}
    if read_only:
        given["read_only"] = True
    if accept_upstream:
        given["accept_upstream"] = True
    if no_output_schemas:
        given["output_schemas"] = False
    settings = settings_of(context, **given)
    if sys.stdin.isatty():
        note("Serving on standard input and output, where a client should be; Ctrl-C ends it.")

    from vcontract.runtime import app

    with store_failures(), usage_failures():
        run(app.serve(settings))
