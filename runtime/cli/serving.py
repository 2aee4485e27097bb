"""`vcontract serve`."""

import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import check_tenant_option, settings_of
from vcontract.runtime.cli.stores import run, store_failures, usage_failures

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings

_PORTS = 65_536
_MOST_WORKERS = 64
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
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve clients over HTTP there, not the one on standard input and output.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=_MOST_WORKERS, metavar="N", help="Processes that serve over HTTP, on one store."
        ),
    ] = 1,
    tenant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose conversations to serve, without tokens that say it.",
            callback=check_tenant_option,
            show_default="default",
        ),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="What conversations are wanted for: those without consent to it are not answered.",
            show_default=False,
        ),
    ] = None,
    no_output_schemas: Annotated[
        bool,
        typer.Option(
            "--no-output-schemas", help="List no output schemas, for clients that cannot read them."
        ),
    ] = False,
) -> None:
    """Serve the Model Context Protocol on standard input and output, for the client that starts this process.

    With --http it is served to many clients at /mcp, and the tools as plain HTTP below /v1.

    Each option goes before the setting of the same name (VCONTRACT_TOOLSETS, …).
    """
    given: dict[str, object] = {"toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools}
    given |= {"tenant": tenant, "purpose": purpose}
    given = {name: value for name, value in given.items() if value is not None}
    if read_only:
        given["read_only"] = True
    if accept_upstream:
        given["accept_upstream"] = True
    if no_output_schemas:
        given["output_schemas"] = False
    settings = settings_of(context, **given)
    if http is not None:
        _serve_http(settings, *_address(http), workers)
        return
    if workers > 1:
        raise CommandFailed(
            "--workers is for HTTP", cure="say also --http HOST:PORT, or leave it out", code=ExitCode.USAGE
        )
    if sys.stdin.isatty():
        note("Serving on standard input and output, where a client should be; Ctrl-C ends it.")

    from vcontract.runtime import app

    with store_failures(), usage_failures():
        run(app.serve(settings))


def _serve_http(settings: "Settings", host: str, port: int, workers: int) -> None:
    from vcontract.runtime.app.admission import NotServed
    from vcontract.runtime.app.http import serve_http

    shown = f"[{host}]" if ":" in host else host

    def announce() -> None:
        note(f"Serving at http://{shown}:{port}/mcp; press Ctrl-C to stop.")

    with store_failures(), usage_failures():
        try:
            run(serve_http(settings, host, port, workers, announce))
        except NotServed as error:
            raise CommandFailed(str(error), cure=error.cure, code=ExitCode.USAGE) from None


def _address(text: str) -> tuple[str, int]:
    """`127.0.0.1:8000`, `[::1]:8000` or `:8000`, which is of this machine alone."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < _PORTS:
        raise CommandFailed(
            f"--http {text!r} is no HOST:PORT", cure="say for example 127.0.0.1:8000", code=ExitCode.USAGE
        )
    return host.strip("[]") or "127.0.0.1", int(port)
