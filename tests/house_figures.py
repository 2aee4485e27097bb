"""Codebase figures: complexity of functions, floors of rooms, and what a warm call passes through."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.house import ROOT, imports, modules

HAND_WRITTEN = ("codegen", "runtime", "handlers")
MAX_COMPLEXITY: Final = 20
TO_SPLIT: Final = frozenset(
    {
        "codegen/compat/samples.py:placed",
        "handlers/contract/items.py:add_groups",
        "runtime/cli/connecting.py:connect",
        "runtime/cli/importing.py:import_",
        "runtime/imports/merging.py:_by_id",
        "runtime/imports/merging.py:_by_time",
        "runtime/imports/merging.py:_joined",
        "runtime/imports/programs/captions.py:_of_blocks",
        "runtime/imports/programs/declared_formats.py:_documents",
        "runtime/imports/programs/declared_formats.py:conversation_of",
        "runtime/imports/programs/dialogues.py:_beginnings",
        "runtime/imports/programs/speakers.py:_accepted",
        "runtime/imports/programs/speakers.py:likeness",
        "runtime/text/snippets.py:found_spans",
        "runtime/vcon/html.py:_pieces",
    }
)
"""Functions above that, by file and name. The list may only become shorter."""


@dataclass(frozen=True, slots=True)
class CallPath:
    """What a warm call passes between the dispatcher and its answer: modules and Python calls of ours."""

    modules: int
    calls: int


CALL_PATHS: Final[Mapping[str, CallPath]] = {
    "a keyword vcon_search": CallPath(57, 758),
    "a vcon_fetch": CallPath(28, 180),
    "an import of one vCon": CallPath(65, 1453),
}
"""As they were last measured; a test keeps each from growing by more than a tenth."""


@cache
def complex_functions() -> tuple[str, ...]:
    """Functions and methods whose cyclomatic complexity is D or worse, more than 20."""
    return tuple(
        f"{file.relative_to(ROOT).as_posix()}:{node.name}"
        for folder in HAND_WRITTEN
        for _, file in modules(folder)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and complexity(node) > MAX_COMPLEXITY
    )


def complexity(function: ast.AST) -> int:
    """McCabe's number: one, and one more for each decision, comprehension and case of a match."""
    return 1 + sum(map(_decisions, ast.walk(function)))


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.Try():
            return len(node.handlers) + bool(node.orelse)
        case ast.Match():
            return len(node.cases)
        case ast.If() | ast.IfExp() | ast.Assert():
            return 1
        case _:
            return 0


def arrows_of_runtime() -> dict[str, set[str]]:
    """Each room of runtime, a folder or a module in it, and the other rooms that it imports."""
    arrows: dict[str, set[str]] = {}
    for module, file in modules("runtime"):
        _, _, within = module.partition(".")
        room = within.partition(".")[0]
        if room:
            imported = {name for _, name in imports(file.read_text(encoding="utf-8"))}
            others = {name.split(".")[1] for name in imported if name.startswith("runtime.")}
            arrows.setdefault(room, set()).update(others - {room})
    return arrows


def floors(arrows: dict[str, set[str]]) -> int:
    """The most rooms that stand one on another; rooms in a circle share a floor."""
    return max(floors_of(arrows).values())


def floors_of(arrows: dict[str, set[str]]) -> dict[str, int]:
    """Each room's floor, the lowest of which is 1."""
    below = {room: reached(room, arrows) for room in arrows}
    known: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in known:
            known[room] = 1 + max(
                (floor(lower) for lower in below[room] if room not in below[lower]), default=0
            )
        return known[room]

    return {room: floor(room) for room in arrows}


def reached(room: str, arrows: dict[str, set[str]]) -> set[str]:
    """Every room that one imports, itself or by others."""
    found: set[str] = set()
    following = [room]
    while following:
        new = arrows[following.pop()] - found
        found |= new
        following += new
    return found


def main() -> None:
    """Print the figures as a table."""
    ways = Table("the way of a warm call", "modules", "Python calls")
    for what, way in CALL_PATHS.items():
        ways.add_row(what, f"{way.modules:,}", f"{way.calls:,}")
    Console().print(ways)


if __name__ == "__main__":
    main()
