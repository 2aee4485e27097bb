"""`vcontract browse`: serve the web page to the local user."""

import contextlib
import os
import tempfile
import webbrowser
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from vcontract.runtime.cli.connecting import accept, offers
from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant, invocation_of, settings_of, variables_of
from vcontract.runtime.cli.open_store import run, store_failures, usage_failures
from vcontract.runtime.cli.operator_actions import Operator

_NEEDED = ("contract", "vcon", "bridge", "vcon_more")
"""Toolsets that the page needs."""


def browse(
    context: typer.Context,
    port: Annotated[
        int,
        typer.Option(metavar="PORT", min=0, max=65_535, help="Port to listen on; 0 picks a free one."),
    ] = 0,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Do not show forms that change anything.")
    ] = False,
    toolsets: Annotated[
        str | None,
        typer.Option(metavar="ID,ID", help="Additional toolsets to try, or all.", show_default=False),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Open the web UI (local only).

    The link that it prints works once, in one browser. Press Ctrl-C to stop.
    """
    named = [name.strip() for name in (toolsets or "").split(",") if name.strip()]
    given: dict[str, object] = {
        "toolsets": named if "all" in named else [*dict.fromkeys((*_NEEDED, *named))],
        "tools": (),
        "exclude_tools": (),
        "rate_limits": None,  # no rate limits for the local user
    }
    if read_only:
        given["read_only"] = True
    settings = settings_of(context, **given)
    from vcontract.runtime.app.web_ui import browse as show
    from vcontract.runtime.frame import logs
    from vcontract.runtime.imports.transcripts.session_folders import known_session_locations
    from vcontract.runtime.pages.local_machine import Clients, LocalMachine

    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "error")
    machine = None
    if not settings.read_only:
        variables = variables_of(context)
        clients = Clients(partial(offers, variables), partial(accept, variables))
        operator = Operator(settings, tenant)
        env_file = invocation_of(context).env_file
        places = known_session_locations({**os.environ, "PWD": os.getcwd()})
        programs = list(dict.fromkeys(place.program.title for place in places))
        machine = LocalMachine(tenant, env_file, clients, operator, settings.data_dir, programs)
    with contextlib.ExitStack() as ending, store_failures(), usage_failures():

        def announce(address: str) -> None:
            typer.echo(address)
            note("This link works once, in one browser. Press Ctrl-C to stop.")
            if not no_open:
                _open(address, ending)

        try:
            run(show(settings, tenant, port, announce, machine))
        except OSError as error:
            raise CommandFailed(
                f"cannot listen on port {port}: {error.strerror or error}",
                cure="omit --port, or choose another port",
                code=ExitCode.USAGE,
            ) from None


def _open(address: str, ending: contextlib.ExitStack) -> None:
    """Open the browser through a private file, because command lines are visible to other users."""
    folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="vcontract-")))
    file = folder / "open.html"
    file.touch(0o600)
    file.write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8"
    )
    webbrowser.open(file.as_uri())
