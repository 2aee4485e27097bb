"""The descriptions and options in docs/cli.md, made of the commands themselves.

`make generate` writes them below the heading of each command; the rest is written by hand.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer import Context
from typer.main import get_command

from vcontract.runtime.cli.main import app

PAGE = Path(__file__).with_name("cli.md")
COMMAND = "make generate"

_SECTION = re.compile(
    r"^(## `(?P<name>[a-z ]+)`\n\n<!-- command -->\n).*?(<!-- end -->)", re.DOTALL | re.MULTILINE
)


def with_options(page: str) -> str:
    """The page with the description and options of each command that has a section."""
    commands = dict(_commands(get_command(app), Context(get_command(app), info_name="vcontract")))
    return _SECTION.sub(lambda section: section[1] + commands[section["name"]] + section[3], page)


def _commands(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """A command and all below it: what one types, and its description in Markdown."""
    yield context.command_path, _description(command, context)
    for name in getattr(command, "commands", ()):
        below = command.get_command(context, name)
        yield from _commands(below, Context(below, info_name=name, parent=context))


def _description(command: Any, context: Any) -> str:
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [
        f"| `{names.strip()}` | {text} |".replace("\n", " ")
        for names, text in filter(None, records)
        if "--help" not in names
    ]
    table = "\n| | |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""
    return f"\n{command.help}\n{table}\n"


def main() -> int:
    """Write the page; the exit status of the command."""
    PAGE.write_text(with_options(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
