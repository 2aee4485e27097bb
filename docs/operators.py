"""docs/operators.txt: what operators and scripts rely on, one entry a line, made of the code itself.

`make generate` writes it, and the gate compares it: settings, commands with options and defaults, exit codes,
keys of `--json`, metrics, webhooks and paths.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer import Context
from typer.main import get_command

from docs.settings_page import default_of
from vcontract.runtime.cli.failures import ExitCode
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.calls.metrics import Metrics
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.vcons.webhooks import EVENTS
from vcontract.runtime.vcon.trust import webhooks

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "operators.txt"
COMMAND = "make generate"

_ROUTE = re.compile(r'\b(?:(?:Route|Mount)\(\s*|_REST_PREFIX\b[^\n]*= )"(/[^"]*)"')
_SERVED = ("runtime/frame/mcp/http.py", "runtime/app/http.py")


def listed() -> str:
    """Every entry, sorted: `kind name: value`."""
    entries = {
        **{f"setting VCONTRACT_{name.upper()}": default_of(name) for name in Settings.model_fields},
        **{f"exit code {code.value}": code.name.lower() for code in ExitCode},
        **dict(_commands(get_command(app), Context(get_command(app), info_name="vcontract"))),
        **{
            f"json key {key}": ""
            for file in sorted((ROOT / "runtime" / "cli").glob("*.py"))
            for key in _keys(file)
        },
        **dict(_metrics()),
        **{f"webhook event {event}": "" for event in EVENTS},
        **{f"webhook header {name}": "" for name in (webhooks.ID, webhooks.TIMESTAMP, webhooks.SIGNATURE)},
        **{
            f"path {path}": ""
            for file in _SERVED
            for path in _ROUTE.findall((ROOT / file).read_text("utf-8"))
        },
    }
    return "".join(f"{name}: {value}".rstrip() + "\n" for name, value in sorted(entries.items()))


def _commands(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """A command and all below it: its arguments and options, with their defaults."""
    if getattr(command, "hidden", False):
        return
    yield f"command {context.command_path}", ""
    position = 0
    for parameter in command.params:
        if "--help" not in parameter.opts:
            is_argument = parameter.param_type_name == "argument"
            position += is_argument
            names = position if is_argument else "/".join([*parameter.opts, *parameter.secondary_opts])
            default = "required" if parameter.required else _shown(parameter.default)
            yield f"{parameter.param_type_name} {context.command_path} {names}", default
    for name in getattr(command, "commands", ()):
        below = command.get_command(context, name)
        yield from _commands(below, Context(below, info_name=name, parent=context))


def _shown(value: object) -> str:
    if value is None or callable(value):
        return ""
    return " ".join(str(getattr(value, "value", value)).split())


def _keys(file: Path) -> Iterator[str]:
    """Keys of the objects that a module prints as JSON: in `print_json`, and in functions named documents."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        printed = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print_json"
        )
        document = isinstance(node, ast.FunctionDef) and node.name.endswith(("document", "as_json"))
        for inner in ast.walk(node) if printed or document else ():
            if isinstance(inner, ast.Dict):
                for key in inner.keys:
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield f"{file.stem} {key.value}"


def _metrics() -> Iterator[tuple[str, str]]:
    for name, metric in vars(Metrics()).items():
        if name != "_registry" and hasattr(metric, "describe"):
            for family in metric.describe():
                yield f"metric {family.name} {family.type}", ",".join(metric._labelnames)


def main() -> int:
    """Write the file; the exit status of the command."""
    FILE.write_text(listed(), encoding="utf-8")
    print(f"wrote {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
