"""Settings in the entries of MCP clients: those that `connect` writes, and what `doctor` compares."""

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args
from urllib.parse import parse_qs, urlsplit

from vcontract.runtime.cli.check_result import Check
from vcontract.runtime.cli.failures import CommandFailed, ExitCode

if TYPE_CHECKING:
    from vcontract.runtime.cli.connecting import Client
    from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
    from vcontract.runtime.settings.variables import Variables

_ENV_FILE: Final = "--env-file"
_OPTIONS: Final = (
    *("toolsets", "tools", "exclude_tools", "tenant", "purpose"),
    *("read_only", "accept_upstream"),
)
"""Settings that options of `serve` override."""
_FOLDER_LISTS: Final = (
    *("file_roots", "session_allowed_roots"),
    *("session_dependency_sync", "session_git_checkpoint"),
)


@dataclass(frozen=True, slots=True)
class EntrySettings:
    """Environment and options of an entry, so that the server starts with the settings in force here."""

    env: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Sequence[str] = ()
    """Options before `serve`: the settings file, if it holds secrets."""

    def describe(self) -> str:
        """Name the settings, for the user; "" if there are none."""
        names = [*self.env, *([f"those of {self.options[1]}"] if self.options else [])]
        return f"With the settings in force here: {', '.join(names)}." if names else ""


def settings_in_force(variables: "Variables", arguments: Sequence[str]) -> EntrySettings:
    """The settings in force here, for an entry that runs `serve` with these arguments.

    Paths become absolute, because a client starts the server in another folder. Secrets stay in their files.

    Raises: CommandFailed for a secret of the environment.
    """
    from vcontract.runtime.settings import PREFIX, Settings

    secrets = {f"{PREFIX}{name.upper()}" for name in Settings.secrets()}
    env: dict[str, str] = {}
    options: list[str] = []
    for name, text in variables.in_force().items():
        if name.removeprefix(PREFIX).lower() in _overridden(arguments):
            continue
        if name not in secrets or not _is_secret(name, text):
            env[name] = _absolute(name, text)
        elif name in variables.environment:
            raise CommandFailed(
                f"{name} is a secret, and the client's file is no place for it",
                cure=f"write it to a file that only you can read; set {name}_FILE to its path instead",
                code=ExitCode.USAGE,
            )
        else:
            options = [_ENV_FILE, str(variables.path.absolute())] if variables.path else []
    usual = os.path.expanduser("~/.local/share")
    if (
        os.environ.get("XDG_DATA_HOME", usual) != usual
        and not {f"{PREFIX}DATA_DIR", f"{PREFIX}DATABASE_URL"} & env.keys()
    ):
        # a client that is started from a menu does not have the shell's environment
        env[f"{PREFIX}DATA_DIR"] = str(Settings.load().data_dir)
    return EntrySettings(env, options)


def no_longer_set(client: "Client", server: str, settings: EntrySettings) -> list[str]:
    """Names of our settings in the present entry that the new one does not have."""
    from vcontract.runtime.frame.documents.json_values import members

    present = members(dict(_entries(client)).get(server, {}).get("env"))
    return sorted(name for name in present.keys() - settings.env.keys() if name.startswith("VCONTRACT_"))


def check_entries(variables: "Variables") -> Iterator[Check]:
    """Compare the entries of clients with the settings in force here."""
    from vcontract.runtime.cli.connecting import known_clients, usual_client

    same: list[str] = []
    for name in known_clients():
        client = usual_client(name)
        for server, entry in _entries(client):
            title = client.title if server == "vcontract" else f"{client.title} ({server})"
            if differences := _differences(variables, entry):
                yield Check(
                    "client",
                    "warning",
                    f"{title} starts the server with other settings than those in force here: "
                    + "; ".join(differences),
                    f"run `vcontract connect {name}{'' if server == 'vcontract' else f' --name {server}'}` "
                    "with the settings that it should have",
                )
            else:
                same.append(title)
    if same:
        yield Check("clients", "ok", f"{', '.join(same)}: with the settings in force here")


def _entries(client: "Client") -> Iterator[tuple[str, "JsonObject"]]:
    """Servers of a client's file that run this program; none if the file cannot be read."""
    from vcontract.runtime.cli.jsonc import without_comments
    from vcontract.runtime.frame.documents.json_values import is_object

    try:
        text = client.file.read_text(encoding="utf-8-sig")
        read = without_comments(text) if client.form == "json" else text
        document: JsonValue = json.loads(read) if client.form == "json" else tomllib.loads(read)
    except (OSError, ValueError, RecursionError):
        return
    servers = document.get(client.under) if is_object(document) else None
    for name, entry in (servers if is_object(servers) else {}).items():
        if not is_object(entry):
            continue
        words = _words(entry)
        before = words[: words.index("serve")] if "serve" in words else []
        if any(Path(word).name == "vcontract" for word in before):
            yield name, entry


def _words(entry: "JsonObject") -> list[str]:
    from vcontract.runtime.frame.documents.json_values import array

    return [str(entry.get("command")), *map(str, array(entry.get("args")))]


def _differences(here: "Variables", entry: "JsonObject") -> list[str]:
    """What differs between the settings here and those of an entry, without values of secrets."""
    from vcontract.runtime.frame.documents.json_values import members
    from vcontract.runtime.settings import PREFIX, Settings
    from vcontract.runtime.settings.variables import UnreadableEnvFile, Variables

    words = _words(entry)
    named = words[words.index(_ENV_FILE) + 1] if _ENV_FILE in words[:-1] else None
    given = {name: str(text) for name, text in members(entry.get("env")).items()}
    try:
        there = Variables.read(Path(named) if named else None, given)
    except (FileNotFoundError, UnreadableEnvFile) as error:
        return [str(error)]
    differences = [str(each).rstrip(".") for each in there.unknown()]
    one, other = _comparable(there), _comparable(here)
    data_dir = f"{PREFIX}DATA_DIR"
    default = str(Settings.model_validate({}).data_dir)
    if f"{PREFIX}DATABASE_URL" not in one.keys() | other.keys():
        one.setdefault(data_dir, default)
        other.setdefault(data_dir, default)
    secret = {f"{PREFIX}{name.upper()}" for name in Settings.secrets()}
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) == other.get(name) or name.removeprefix(PREFIX).lower() in _overridden(words):
            continue
        if name in secret and name in one and name in other:
            differences.append(f"another {name}")
        elif name in one:
            shown = name if name in secret else f"{name}={one[name]}"
            differences.append(shown + (f" instead of {other[name]}" if name in other else ", not set here"))
        else:
            differences.append(f"without {name if name in secret else f'{name}={other[name]}'}")
    return differences


def _comparable(variables: "Variables") -> dict[str, str]:
    """Settings in force by name, with absolute paths and the contents of files with secrets."""
    from vcontract.runtime.settings import PREFIX, Settings

    files = {f"{PREFIX}{name.upper()}_FILE" for name in Settings.secrets()}
    compared: dict[str, str] = {}
    for name, text in variables.in_force().items():
        if name not in files:
            compared[name] = _absolute(name, text)
            continue
        try:
            compared[name.removesuffix("_FILE")] = Path(text).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            compared[name.removesuffix("_FILE")] = f"unreadable: {text}"
    return compared


def _overridden(arguments: Sequence[str]) -> set[str]:
    """Settings that options among the arguments of `serve` override."""
    given = {argument.partition("=")[0] for argument in arguments}
    return {name for name in _OPTIONS if f"--{name.replace('_', '-')}" in given}


def _is_secret(name: str, text: str) -> bool:
    """Whether a value of a secret setting really holds one: an address without a password does not."""
    if not name.endswith("DATABASE_URL"):
        return True
    try:
        parts = urlsplit(text)
    except ValueError:
        return True
    return parts.password is not None or any("password" in key for key in parse_qs(parts.query))


def _absolute(name: str, text: str) -> str:
    """A setting's text with absolute paths, where it names files or folders."""
    from vcontract.runtime.settings import PREFIX, Settings

    setting = name.removeprefix(PREFIX).lower()
    if setting.endswith("_file"):
        return os.path.abspath(text)
    kind = Settings.model_fields[setting].annotation
    if kind is Path or Path in get_args(kind):
        return os.path.abspath(os.path.expanduser(text))
    if setting in _FOLDER_LISTS:
        return ",".join(map(_absolute_folder, text.split(",")))
    return text


def _absolute_folder(text: str) -> str:
    """A part of a list of folders; switches such as `true` stay."""
    part = text.strip()
    is_relative = "/" in part or part.startswith(".")
    return os.path.abspath(part) if is_relative and part[0] not in "~/" else part
