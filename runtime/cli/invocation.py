"""Common options of all commands: settings, environment file and tenant."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.settings.variables import Variables

_CHECKED = "vcontract.names_checked"
_TENANT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}")


@dataclass(frozen=True, slots=True)
class Invocation:
    """Options before the command's name."""

    env_file: Path | None = None


def invocation_of(context: typer.Context) -> Invocation:
    """Return the options before the command's name."""
    return context.find_object(Invocation) or Invocation()


def variables_of(context: typer.Context) -> "Variables":
    """Read the VCONTRACT_ variables of the environment and of --env-file. Raises: CommandFailed."""
    from vcontract.runtime.settings.variables import UnreadableEnvFile, Variables

    try:
        return Variables.read(invocation_of(context).env_file)
    except FileNotFoundError as error:
        raise CommandFailed(str(error), code=ExitCode.USAGE) from None
    except UnreadableEnvFile as error:
        raise CommandFailed(
            str(error), cure="correct it; docs/settings.md lists the settings", code=ExitCode.USAGE
        ) from None


def report_unknown(variables: "Variables") -> None:
    """Name the variables that are no settings, on stderr.

    Raises: CommandFailed if one was probably meant to restrict what is served, done or kept.
    """
    for each in variables.unknown():
        if each.is_restriction:
            raise CommandFailed(
                str(each),
                cause="without it, more may be served, done or kept than you asked for",
                cure="correct or unset it; docs/settings.md lists the settings",
                code=ExitCode.USAGE,
            )
        note(f"{each} Correct or unset it; docs/settings.md lists all.")


def settings_of(context: typer.Context, **given: object) -> "Settings":
    """Load settings: `given` options take precedence over the environment, and that over --env-file.

    Names variables that are no settings, once a command.

    Raises: CommandFailed.
    """
    if not context.meta.setdefault(_CHECKED, False):
        context.meta[_CHECKED] = True
        report_unknown(variables_of(context))
    return unchecked_settings(context, **given)


def unchecked_settings(context: typer.Context, **given: object) -> "Settings":
    """Load settings without a look at variables that are no settings. Raises: CommandFailed."""
    from pydantic import ValidationError

    from vcontract.runtime.settings import Settings

    variables_of(context)  # the file can be read
    try:
        return Settings.load(invocation_of(context).env_file, **given)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise CommandFailed(
            "the settings cannot be used",
            cause="; ".join(_describe(str(item["loc"][0]), item["msg"], item["input"]) for item in found),
            cure="correct or unset these settings",
            code=ExitCode.USAGE,
        ) from None


def _describe(name: str, message: str, value: object) -> str:
    from pydantic import SecretStr

    from vcontract.runtime.settings import Settings

    if (ours := message.removeprefix("Value error, ")) != message:
        return f"VCONTRACT_{name.upper()}: {ours}"
    is_secret = Settings.model_fields[name].annotation == SecretStr | None
    shown = "" if is_secret else f", and it is {value!r}"
    return f"VCONTRACT_{name.upper()}: {message[:1].lower()}{message[1:]}{shown}"


def check_tenant_option(name: str | None) -> str | None:
    """Check a tenant name, if given. Raises: typer.BadParameter."""
    if name is not None and not _TENANT.fullmatch(name):
        raise typer.BadParameter(
            f"{name!r} is not a valid tenant name: use up to 63 lowercase letters, digits, '_', '.' and '-', "
            "beginning with a letter or digit."
        )
    return name


Tenant: TypeAlias = Annotated[
    str,
    typer.Option(
        "--tenant",
        metavar="NAME",
        help='Tenant (default: "default").',
        callback=check_tenant_option,
        show_default=False,
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

DEFAULT_TENANT = "default"
