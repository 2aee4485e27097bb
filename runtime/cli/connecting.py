"""`vcontract connect`: add this server to an MCP client's configuration file."""

import difflib
import os
import plistlib
import re
import shutil
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.client_entries import EntrySettings, no_longer_set, settings_in_force
from vcontract.runtime.cli.console import is_answered, note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import check_tenant_option, settings_of, variables_of
from vcontract.runtime.cli.open_store import usage_failures
from vcontract.runtime.cli.serving import Toolsets

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings.variables import Variables

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_RUNNERS: Final = {
    "/uv/archive-v": ("uvx",),
    "/pipx/.cache/": ("pipx", "run"),
    "/.cache/pipx/": ("pipx", "run"),
    "/Caches/pipx/": ("pipx", "run"),
}
"""Part of Python's path to the tool that runs cached environments."""
_SERVER: Final = "vcontract"
_BYTE_ORDER_MARK: Final = "\ufeff"
_TABLE: Final = re.compile(r"(?m)^\[")


@dataclass(frozen=True, slots=True)
class Client:
    """A client of clients.yaml."""

    title: str
    file: Path
    under: str
    form: str
    also: "JsonObject"
    then: str


def _names(incomplete: str) -> list[str]:
    return [name for name in known_clients() if name.startswith(incomplete)]


def connect(
    context: typer.Context,
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT",
            help="claude-desktop, claude-code, cursor, vscode, codex, gemini, windsurf or zed.",
            autocompletion=_names,
            show_default=False,
        ),
    ] = "",
    toolsets: Toolsets = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Do not serve tools that write.")] = False,
    tenant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help='Tenant (default: "default").',
            callback=check_tenant_option,
            show_default=False,
        ),
    ] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the server in the client.")] = _SERVER,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The client's configuration file, if it is not the usual one.",
            show_default=False,
        ),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the server from the client.")] = False,
    print_: Annotated[bool, typer.Option("--print", help="Print the entry without writing it.")] = False,
    service: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Print the service that runs `vcontract watch FOLDER`: for systemd, on macOS for launchd.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Add this server to an MCP client's configuration.

    Shows the change and asks before writing. Keeps all other entries, and a backup of the file. The entry
    contains the settings in force here, because the client does not have your shell's environment.
    """
    settings_of(context)  # check them
    variables = variables_of(context)
    if service is not None:
        _print_service(service, tenant, variables)
        return
    if not _NAME.fullmatch(name):
        raise CommandFailed(
            f"{name!r} cannot be the name of a server",
            cure="use letters, digits, - and _",
            code=ExitCode.USAGE,
        )
    _check_toolsets(toolsets)
    chosen = _client(client, file)
    options = [("--toolsets", toolsets), ("--tenant", tenant)]
    arguments = [part for option, value in options if value for part in (option, value)]
    arguments += ["--read-only"] if read_only else []
    settings = EntrySettings() if remove else settings_in_force(variables, arguments)
    entry = _entry(chosen, arguments, settings)
    if print_:
        typer.echo(_changed(chosen, "", name, entry).rstrip("\n"))
        if described := settings.describe():
            note(described)
        return
    before = _read(chosen.file)
    after = _changed(chosen, before, name, None if remove else entry)
    if after == before:
        typer.echo(f"{chosen.file} is already up to date.")
        return
    dropped = [] if remove else no_longer_set(chosen, name, settings)
    _show(chosen.file, before, after)
    if dropped:
        note(f"The new entry no longer sets {', '.join(dropped)}.")
    if not (yes or is_answered()):
        raise CommandFailed(
            f"cannot ask whether to write {chosen.file}: standard input is not a terminal",
            cure="add --yes",
            code=ExitCode.USAGE,
        )
    if not yes and not typer.confirm(f"Write {chosen.file}?"):
        note("Nothing was written.")
        raise typer.Exit(ExitCode.FAILED)
    kept = _write(chosen.file, before, after)
    typer.echo(f"Wrote {chosen.file}." + (f" As it was: {kept}" if kept else ""))
    if described := settings.describe():
        typer.echo(f"{described} When you change them, connect again.")
    if not remove:
        typer.echo(chosen.then)


_UNIT: Final = """\
[Unit]
Description=vcontract watch

[Service]
{environment}ExecStart={command}
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target
"""
_LABEL: Final = "vcontract.watch"


def _print_service(folder: Path, tenant: str | None, variables: "Variables") -> None:
    """Print a systemd or launchd service that watches a folder, and where to put it (on stderr).

    Raises: CommandFailed.
    """
    if not folder.is_dir():
        raise CommandFailed(f"{str(folder)!r} is not a folder", cure="name a folder", code=ExitCode.USAGE)
    settings = settings_in_force(variables, ["--tenant"] if tenant else [])
    command = [*_command(Path(sys.executable)), *settings.options, "watch", str(folder.absolute())]
    command += ["--tenant", tenant] if tenant else []
    environment = dict(settings.env)
    if sys.platform == "darwin":
        service = {"Label": _LABEL, "ProgramArguments": command, "RunAtLoad": True, "KeepAlive": True}
        variables = {"EnvironmentVariables": environment} if environment else {}
        typer.echo(plistlib.dumps({**service, **variables}).decode().rstrip("\n"))
        place = f"~/Library/LaunchAgents/{_LABEL}.plist"
        note(f"Save it as {place}, then: launchctl bootstrap gui/$UID {place}")
        return
    unit = _UNIT.format(
        command=" ".join(_quoted(part.replace("$", "$$")) for part in command),
        environment="".join(
            f"Environment={_quoted(f'{name}={text}')}\n" for name, text in environment.items()
        ),
    )
    typer.echo(unit.rstrip("\n"))
    note("Save it as ~/.config/systemd/user/vcontract-watch.service, then:")
    note("systemctl --user enable --now vcontract-watch")


def _quoted(text: str) -> str:
    """Quote a value of a unit file. Source: systemd.syntax(7), "Quoting"; systemd.unit(5), "Specifiers"."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def offers(variables: "Variables", options: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """Return name, title, file and entry of each client, for a server with these options."""
    found = [(name, usual_client(name)) for name in known_clients()]
    try:
        settings = settings_in_force(variables, options)
    except CommandFailed as failure:
        return [(name, each.title, str(each.file), _sentences(failure)) for name, each in found]
    return [
        (name, each.title, str(each.file), _changed(each, "", _SERVER, _entry(each, options, settings)))
        for name, each in found
    ]


def accept(variables: "Variables", client: str, options: Sequence[str]) -> str:
    """Write the entry of a client. Returns a message. Raises: ValueError."""
    try:
        chosen = usual_client(client)
        settings = settings_in_force(variables, options)
        before = _read(chosen.file)
        after = _changed(chosen, before, _SERVER, _entry(chosen, options, settings))
        if after == before:
            return f"{chosen.file} is already up to date."
        kept = _write(chosen.file, before, after)
    except CommandFailed as failed:
        raise ValueError(_sentences(failed)) from failed
    done = [f"Wrote {chosen.file}.", *([f"As it was: {kept}."] if kept else [])]
    return " ".join(filter(None, [*done, settings.describe(), chosen.then]))


def _sentences(failed: CommandFailed) -> str:
    return ". ".join(filter(None, (failed.message, failed.cause, failed.cure)))


def _entry(client: Client, options: Sequence[str], settings: EntrySettings) -> "JsonObject":
    """The entry that runs `serve` with these options."""
    program, *before = _command(Path(sys.executable))
    entry = {"command": program, "args": [*before, *settings.options, "serve", *options], **client.also}
    return {**entry, "env": dict(settings.env)} if settings.env else entry


def _check_toolsets(toolsets: str | None) -> None:
    """Check the toolsets now, because the server's error would not be visible."""
    from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
    from vcontract.runtime.frame.contract.package import load_package

    with usage_failures():
        Catalogue(load_package(), Selection(toolsets=tuple((toolsets or "").split(",")) if toolsets else ()))


@cache
def known_clients() -> "JsonObject":
    """Clients of clients.yaml by name."""
    from vcontract.runtime.vcon.spec_files import read_yaml

    return read_yaml(files("vcontract.runtime.cli").joinpath("clients.yaml").read_text(encoding="utf-8"))


def usual_client(name: str) -> Client:
    """A client with its usual configuration file. Raises: CommandFailed for an unknown one."""
    return _client(name, None)


def _client(name: str, file: Path | None) -> Client:
    known = known_clients()
    if name not in known:
        raise CommandFailed(
            f"unknown client {name!r}" if name else "missing CLIENT",
            cure=f"choose from {', '.join(sorted(known))}; for others, paste what "
            "`vcontract connect claude-desktop --print` shows",
            code=ExitCode.USAGE,
        )
    declared = known[name]
    usual = declared["file"].get("any") or declared["file"].get(sys.platform) or declared["file"]["linux"]
    path = file or Path(os.path.expandvars(usual))
    return Client(
        declared["title"],
        path.expanduser(),
        declared["under"],
        declared["form"],
        declared.get("also", {}),
        declared["then"],
    )


def _command(python: Path) -> list[str]:
    """Command that starts this program by absolute path, because clients have no shell PATH.

    Temporary environments of `uvx` and `pipx run` are started through these tools again.
    """
    runner = next((found for mark, found in _RUNNERS.items() if mark in python.as_posix()), None)
    if runner is not None and (path := shutil.which(runner[0])) is not None:
        return [path, *runner[1:], "vcontract"]
    beside = python.parent / "vcontract"
    return [str(beside if beside.is_file() else Path(sys.argv[0]).absolute())]


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()  # keep line endings
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(
            f"{path} cannot be read",
            cause=str(error),
            cure="check its permissions, or name another file with --file",
        ) from None


def _changed(client: Client, text: str, name: str, entry: "JsonObject | None") -> str:
    """Return the file's text with the entry, or without it if it is None."""
    try:
        change = _json if client.form == "json" else _toml
        mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        return mark + change(client, text.removeprefix(mark), name, entry)
    except ValueError as error:
        raise CommandFailed(
            f"{client.file} cannot be changed: it is not {client.form.upper()} of the expected form",
            cause=str(error),
            cure="correct the file, or paste what --print shows",
        ) from None


def _json(client: Client, text: str, name: str, entry: "JsonObject | None") -> str:
    """Change JSON. Raises: ValueError unless the text is a JSON object, with or without comments."""
    from vcontract.runtime.cli.jsonc import with_member

    return with_member(text, client.under, name, entry)


def _toml(client: Client, text: str, name: str, entry: "JsonObject | None") -> str:
    """Change TOML. Raises: ValueError if the text is invalid, or has the entry in another form."""
    tomllib.loads(text)
    header = re.compile(rf"""(?m)^\[{client.under}\.(?:{name}|"{name}")(?:\.[^\]]+)?\][^\n]*\n""")
    while (found := header.search(text)) is not None:
        following = _TABLE.search(text, found.end())
        text = text[: found.start()] + (text[following.start() :] if following else "")
    if entry is not None:
        text = (text.rstrip("\n") + "\n\n" if text.strip() else "") + _table(f"{client.under}.{name}", entry)
    read = tomllib.loads(text).get(client.under, {}).get(name)
    if read != entry:
        raise ValueError(f"{client.under}.{name} is already there in another form")
    return text


def _table(name: str, entry: "JsonObject") -> str:
    """Write an entry as a table; objects in it become tables below. Strings and lists are as in JSON."""
    import json

    from vcontract.runtime.frame.documents.json_values import is_object

    rows = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in entry.items()
        if not is_object(value)
    )
    below = [_table(f"{name}.{key}", value) for key, value in entry.items() if is_object(value)]
    return "\n".join([f"[{name}]\n{rows}", *below])


def _show(path: Path, before: str, after: str) -> None:
    for line in difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(path), str(path), n=0, lineterm=""
    ):
        typer.echo(line)


def _write(path: Path, before: str, after: str) -> Path | None:
    """Replace the file atomically. Returns the backup's path; None if the file is new."""
    kept = path.with_name(f"{path.name}.before-{datetime.now():%Y%m%d-%H%M%S}") if before else None
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        if kept is not None:
            kept.write_text(before, encoding="utf-8")
            kept.chmod(0o600)
        beside.write_text(after, encoding="utf-8")
        beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o600)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise CommandFailed(
            f"{path} cannot be written",
            cause=error.strerror or str(error),
            cure="check the permissions of its folder",
        ) from None
    return kept
