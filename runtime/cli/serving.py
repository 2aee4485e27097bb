"""`vcontract serve`: run the MCP server."""

import sys
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import check_tenant_option, settings_of
from vcontract.runtime.cli.open_store import run, store_failures, usage_failures

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings

_PORTS = 65_536
_MAX_WORKERS = 64
Toolsets: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="ID,ID", help="Toolsets to serve, or all. Defaults to VCONTRACT_TOOLSETS.", show_default=False
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
        str | None, typer.Option(metavar="NAME,NAME", help="Do not serve these tools.", show_default=False)
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Do not serve tools that write.")] = False,
    accept_upstream: Annotated[
        bool,
        typer.Option(
            "--accept-upstream",
            help="Also accept calls written for vcon-mcp (see docs/upstream.md).",
        ),
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve over HTTP instead of standard input and output.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(min=1, max=_MAX_WORKERS, metavar="N", help="Number of HTTP server processes."),
    ] = 1,
    tenant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help='Tenant to serve when clients have no token (default: "default").',
            callback=check_tenant_option,
            show_default=False,
        ),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="Withhold conversations if a party denies any of these purposes.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve MCP clients on standard input and output, or over HTTP.

    Clients start this command themselves; `vcontract connect` configures them. With --http, clients connect
    at /mcp, and the tools are also available as plain HTTP below /v1.

    Options take precedence over the settings of the same name (VCONTRACT_TOOLSETS, …).
    """
    given: dict[str, object] = {"toolsets": toolsets, "tools": tools, "exclude_tools": exclude_tools}
    given |= {"tenant": tenant, "purpose": purpose}
    given = {name: value for name, value in given.items() if value is not None}
    if read_only:
        given["read_only"] = True
    if accept_upstream:
        given["accept_upstream"] = True
    settings = settings_of(context, **given)
    if http is not None:
        _serve_http(settings, *_address(http), workers)
        return
    if workers > 1:
        raise CommandFailed(
            "--workers requires --http", cure="add --http HOST:PORT, or omit --workers", code=ExitCode.USAGE
        )
    if sys.stdin.isatty():
        note("Waiting for an MCP client on standard input. Press Ctrl-C to stop.")

    from vcontract.runtime import app

    with store_failures(), usage_failures():
        run(app.serve(settings))


def _serve_http(settings: "Settings", host: str, port: int, workers: int) -> None:
    from vcontract.runtime.app.http import serve_http
    from vcontract.runtime.app.token_requirement import NotServed

    shown = f"[{host}]" if ":" in host else host

    def announce() -> None:
        note(f"Serving at http://{shown}:{port}/mcp; press Ctrl-C to stop.")

    with store_failures(), usage_failures():
        try:
            run(serve_http(settings, host, port, workers, announce))
        except NotServed as error:
            raise CommandFailed(str(error), cure=error.cure, code=ExitCode.USAGE) from None


def _address(text: str) -> tuple[str, int]:
    """Parse `127.0.0.1:8000`, `[::1]:8000` or `:8000` (local only)."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < _PORTS:
        raise CommandFailed(
            f"--http {text!r} is not HOST:PORT",
            cure="for example: --http 127.0.0.1:8000",
            code=ExitCode.USAGE,
        )
    return host.strip("[]") or "127.0.0.1", int(port)
