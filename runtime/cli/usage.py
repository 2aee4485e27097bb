"""What is wrong with the value of an argument or option: what is allowed, and what was most likely meant."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperGroup

from vcontract.runtime.cli.bash import answering_bash

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MOST_OF_A_LINE = 64
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_CHOICES = re.compile(r"'.*' is not one of ((?:'[^']*'(?:, )?)+)\.", re.DOTALL)


GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "Begin": ("import", "sync", "watch", "connect", "serve", "browse"),
    "Find": ("ask", "search", "list", "show", "similar", "stats", "count"),
    "Change": ("tag", "untag", "element", "redact", "sign", "verify", "delete", "forget", "retain", "people"),
    "Keep": ("export", "backup", "restore", "embed", "doctor", "purge"),
    "Agents": ("project", "reflection"),
    "Run a server": ("tenant", "token", "webhook", "audit", "db"),
    "Develop": ("tools", "call", "version"),
}
"""The commands as help lists them; each is in one group."""


class Commands(TyperGroup):
    """The command with all below it, which says what is wrong with a value in words of ours."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            _take_no_value(found, ctx)
        return found

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str(_MOST_OF_A_LINE))
                        for name in names
                    ]
                )

    def get_params(self, ctx: Any) -> Any:
        found = super().get_params(ctx)
        _name_no_value(found)
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
            error.message = _told(error.__cause__.errors(include_url=False)[0])
            raise


def _take_no_value(command: Any, ctx: Any) -> None:
    """Keep the help of a command and its subcommands plain.

    Shows no type of arguments and flags. Paragraphs wrap at the width of the terminal, not as in the source.
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


def _told(found: "ErrorDetails") -> str:
    """What a value is not, and what it might be."""
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
    from vcontract.runtime.documents.nearest import nearest_names

    if (choices := _CHOICES.fullmatch(message)) is None:
        return message
    names = re.findall(r"'([^']*)'", choices[1])
    near = nearest_names(given, names, most=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{given!r} is not one of {', '.join(names)}.{meant}"
