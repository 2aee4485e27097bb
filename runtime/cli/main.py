"""The `vcontract` command: options, commands and error handling."""

import errno
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Annotated

import typer
from typer.main import get_command

from vcontract.runtime.cli import (
    ask_command,
    auditing,
    backups,
    browsing,
    call_reports,
    calling,
    changing,
    connecting,
    converting,
    counting,
    databases,
    doctor,
    embedding,
    exporting,
    folder_watch,
    forgetting,
    importing,
    next_steps,
    people,
    projects,
    purging,
    redacting,
    reflections,
    retaining,
    searching,
    serving,
    showing,
    statistics,
    syncing,
    tenants,
    tokens,
    tools,
    trusting,
    versions,
    webhooks,
)
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import Invocation
from vcontract.runtime.cli.platform_check import Machine, platform_error
from vcontract.runtime.cli.usage import Commands

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}

app = typer.Typer(
    name="vcontract",
    cls=Commands,
    help="A store of conversations that a language model can query without guessing.",
    epilog="Exit codes: 0 done; 1 failed or not found; 2 wrong usage; 3 no database.",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    context: typer.Context,
    env_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings file. Environment variables take precedence.",
            show_default=False,
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and exit.", is_eager=True)
    ] = False,
) -> None:
    if version:
        versions.version()
        raise typer.Exit
    context.obj = Invocation(env_file)
    if context.invoked_subcommand is None:
        reporting(next_steps.begin)(context)


app.command()(reporting(serving.serve))
app.command("import", epilog="Example: vcontract import calls/ --tenant acme")(reporting(importing.import_))
app.command(epilog="Example: vcontract connect cursor --read-only")(reporting(connecting.connect))
app.command()(reporting(syncing.sync))
app.command(epilog="Example: vcontract watch ~/calls --tenant acme")(reporting(folder_watch.watch))
app.command()(reporting(forgetting.forget))
app.command()(reporting(browsing.browse))
app.command(epilog="Example: vcontract search refund --tag department=sales --since 2025-09-01")(
    reporting(searching.search)
)
app.command(epilog='Example: vcontract ask "what did the refund come to" --since 2025-09-01')(
    reporting(ask_command.ask)
)
app.command("list", epilog="Example: vcontract list --party whitfield")(reporting(searching.list_))
app.command(epilog="Example: vcontract show 01991608-3260-804b-a883-b1dc3f18cf9a --part analysis")(
    reporting(showing.show)
)
app.command()(reporting(searching.similar))
app.command()(reporting(statistics.stats))
app.command(epilog="Example: vcontract count month tag:department")(reporting(counting.count))
app.command(epilog="Example: vcontract tag 01991608-3260-804b-a883-b1dc3f18cf9a topic=refund")(
    reporting(changing.tag)
)
app.command()(reporting(changing.untag))
app.command(
    epilog="Example: vcontract redact 01991608-3260-804b-a883-b1dc3f18cf9a --rules cards,names --dry-run"
)(reporting(redacting.redact))
app.command()(reporting(changing.delete))
app.command(epilog="Example: vcontract retain --days 365 --dry-run")(reporting(retaining.retain))
app.command()(reporting(trusting.sign))
app.command()(reporting(trusting.verify))
app.command(epilog="Example: vcontract export --output calls.jsonl.gz")(reporting(exporting.export))
app.command(epilog="Example: vcontract convert calls/ --to 0.4.0 --output calls.jsonl")(
    reporting(converting.convert)
)
app.command()(reporting(embedding.embed))
app.command()(reporting(backups.backup))
app.command()(reporting(backups.restore))
app.command()(reporting(purging.purge))
app.command(epilog='Example: vcontract call vcon_search \'{"mode": "keyword", "query": "refund"}\'')(
    reporting(calling.call)
)
app.command()(reporting(tools.tools))
app.command()(reporting(auditing.audit))
app.command()(reporting(doctor.doctor))
app.add_typer(databases.db)
app.add_typer(people.people)
app.add_typer(projects.project)
app.add_typer(call_reports.report)
app.add_typer(tenants.tenant)
app.add_typer(tokens.token)
app.add_typer(webhooks.webhook)
app.add_typer(reflections.reflection)
app.command()(reporting(versions.version))


def main() -> None:
    """Run the command in the process's arguments. An unexpected error ends in one line."""
    sys.excepthook = _report_fault
    if sys.platform == "win32":
        _refuse(Machine.here())
    try:
        get_command(app)(_arguments(sys.argv[1:]), prog_name="vcontract")
    finally:
        _write_out()


def _arguments(given: list[str]) -> list[str]:
    """The arguments; `help COMMAND` means `COMMAND --help`."""
    return [*given[1:], "--help"] if given[:1] == ["help"] else given


def _refuse(machine: Machine) -> None:
    """Exit early on an unsupported machine."""
    if (problem := platform_error(machine)) is not None:
        CommandFailed(problem.message, cure=problem.cure).report()
        sys.exit(ExitCode.FAILED)


def _write_out() -> None:
    """Flush stdout; exit with 1 silently if its reader has closed it."""
    if sys.stdout is None or sys.stdout.closed:
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        # otherwise the interpreter flushes again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(ExitCode.FAILED)
        raise


def _report_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if os.environ.get("VCONTRACT_LOG_LEVEL", "").lower() == "debug":
        sys.__excepthook__(kind, error, trace)
        return
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        CommandFailed(f"cannot write: {error.strerror}", cure="free disk space").report()
        return
    CommandFailed(
        "internal error",
        cause=f"{kind.__name__}: {error}",
        cure="set VCONTRACT_LOG_LEVEL=debug for a traceback, and report it",
    ).report()
