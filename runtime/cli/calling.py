"""`vcontract call`: call one tool."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.completing import tool_names
from vcontract.runtime.cli.console import is_read_by_a_person, print_json
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant, settings_of
from vcontract.runtime.cli.open_store import run
from vcontract.runtime.cli.serving import Toolsets
from vcontract.runtime.cli.tool_client import open_tools
from vcontract.runtime.frame.documents.plain_text import plain

if TYPE_CHECKING:
    from vcontract.runtime.frame.calls.dispatch import CallOutcome
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings


def call(
    context: typer.Context,
    tool: Annotated[
        str,
        typer.Argument(
            metavar="TOOL",
            help="The tool's name; `vcontract tools` lists them.",
            autocompletion=tool_names,
        ),
    ],
    arguments: Annotated[
        str,
        typer.Argument(metavar="JSON", help="Its arguments as one JSON object; - reads standard input."),
    ] = "{}",
    toolsets: Toolsets = None,
    tenant: Tenant = DEFAULT_TENANT,
    compact: Annotated[
        bool, typer.Option("--compact", help="Print exactly what a client would receive.")
    ] = False,
) -> None:
    """Call one tool as an MCP client would and print the result.

    Exits with 1 if the tool returns an error.
    """
    parsed = _parse(sys.stdin.buffer.read() if arguments == "-" else arguments.encode())
    settings = settings_of(context, **({} if toolsets is None else {"toolsets": toolsets}))
    outcome = run(_call(settings, tool, parsed, tenant))
    if compact:
        typer.echo(plain(outcome.text) if is_read_by_a_person() else outcome.text)
    else:
        print_json(outcome.structured)
    if outcome.is_error:
        raise typer.Exit(ExitCode.FAILED)


def _parse(text: bytes) -> "JsonObject":
    from vcontract.runtime.frame.documents.json import MalformedJson, parse_json

    try:
        arguments = parse_json(text)
    except MalformedJson as error:
        raise CommandFailed(
            "the arguments are not JSON", cause=str(error), cure=_QUOTING, code=ExitCode.USAGE
        ) from None
    if not isinstance(arguments, dict):
        raise CommandFailed("the arguments are JSON, but no object", cure=_QUOTING, code=ExitCode.USAGE)
    return arguments  # pyright: ignore[reportUnknownVariableType]


async def _call(settings: "Settings", tool: str, arguments: "JsonObject", tenant: str) -> "CallOutcome":
    from vcontract.runtime.frame.calls.dispatch import UnknownTool

    async with open_tools(settings, tenant, "error") as tools:
        try:
            return await tools.call(tool, arguments)
        except UnknownTool as error:
            raise CommandFailed(
                f"unknown tool {tool!r} among those served",
                cure=error.because or _nearest(error.nearest),
                code=ExitCode.USAGE,
            ) from None


def _nearest(nearest: Sequence[str]) -> str:
    near = f"did you mean {' or '.join(nearest)}? " if nearest else ""
    return f"{near}`vcontract tools` lists all, --toolsets all serves all"


_QUOTING = 'in a shell write them in single quotes: \'{"query": "refund"}\''
