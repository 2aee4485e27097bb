"""Help and usage errors: list commands in groups, and explain invalid values."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperGroup

from vcontract.runtime.cli.bash import answering_bash

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_COMPLETION: Final = ("install_completion", "show_completion")
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_CHOICES = re.compile(r"'.*' is not one of ((?:'[^']*'(?:, )?)+)\.", re.DOTALL)


GROUPS: Final[Mapping[str, tuple[Sequence[str], str]]] = {
    "Import": (("import", "sync", "watch"), "files, sessions, folders"),
    "Use": (("connect", "serve", "browse"), "MCP clients, the web UI"),
    "Find": (("ask", "search", "similar", "list", "show"), "answers, conversations"),
    "Count": (("stats", "count", "report"), "totals, groups, calls"),
    "Change": (("tag", "untag", "redact", "sign", "verify"), "conversations"),
    "Delete": (("delete", "forget", "retain", "purge"), "some, sessions, old, all"),
    "Keep": (("export", "convert", "backup", "restore"), "conversations, the store"),
    "Maintain": (("embed", "doctor", "db", "version"), "vectors, checks, schema"),
    "Names": (("people", "project", "reflection"), "of people and projects"),
    "Team": (("tenant", "token", "webhook", "audit"), "quotas, access, events"),
    "Develop": (("tools", "call"), "the served tools"),
}
"""Groups of commands with their descriptions, in help order."""


class Commands(TyperGroup):
    """Root command that lists commands in groups and explains invalid values."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            _take_no_value(found, ctx)
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands by group, one line each, on one screen of 80 columns."""
        names = {title: ", ".join(commands) for title, (commands, _) in GROUPS.items()}
        width = max(map(len, names.values()))
        with formatter.section("Commands (vcontract COMMAND --help explains one)"):
            formatter.write_dl(
                [(title, f"{names[title]:<{width}} {about}") for title, (_, about) in GROUPS.items()]
            )

    def get_params(self, ctx: Any) -> Any:
        found: Any = super().get_params(ctx)
        _name_no_value(found)
        for parameter in found:
            if parameter.name in _COMPLETION:
                parameter.hidden = True
        return found

    def _main_shell_completion(self, *given: Any, **more: Any) -> None:
        with answering_bash():
            super()._main_shell_completion(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            from pydantic import ValidationError

            if not isinstance(error.__cause__, ValidationError):
                raise
            error.message = _explained(error.__cause__.errors(include_url=False)[0])
            raise


def _take_no_value(command: Any, ctx: Any) -> None:
    """Simplify the help of a command and its subcommands.

    Types of arguments and flags are hidden. Paragraphs wrap at the terminal's width.
    """
    _name_no_value(command.get_params(ctx))
    if command.help:
        command.help = _LINE_BREAK.sub(" ", inspect.cleandoc(command.help))
    for below in getattr(command, "commands", {}).values():
        _take_no_value(below, ctx)


def _name_no_value(parameters: Any) -> None:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
        elif parameter.param_type_name == "argument":
            parameter.display_type_rich = _no_type


def _no_type(ctx: Any) -> str:
    return ""


def _explained(found: "ErrorDetails") -> str:
    """Explain an invalid value: what is allowed, and what was probably meant."""
    given, bounds = found["input"], found.get("ctx", {})
    match found["type"]:
        case "int_parsing":
            return f"{given!r} is not a whole number."
        case "greater_than_equal":
            return f"{given} is less than the minimum, {bounds['ge']}."
        case "less_than_equal":
            return f"{given} is more than the maximum, {bounds['le']}."
        case _:
            return _of_choices(str(given), found["msg"].removeprefix("Value error, "))


def _of_choices(given: str, message: str) -> str:
    from vcontract.runtime.frame.documents.nearest_names import nearest_names

    if (choices := _CHOICES.fullmatch(message)) is None:
        return message
    names = re.findall(r"'([^']*)'", choices[1])
    near = nearest_names(given, names, most=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{given!r} is not one of {', '.join(names)}.{meant}"
