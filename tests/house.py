"""What the house is made of: its files, its modules, and which module imports which."""

import ast
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_OURS = {".git", ".venv", ".vcontract", "build", "dist", "node_modules", "__pycache__"}


def files() -> Iterator[Path]:
    """Every file of the project: what git would see, without asking git."""
    for folder, below, names in os.walk(ROOT):
        below[:] = sorted(
            name
            for name in below
            if name not in NOT_OURS and not name.endswith(("_cache", ".egg-info", ".hypothesis"))
        )
        # in a work tree of its own, .git is a file
        yield from (Path(folder, name) for name in sorted(names) if name not in NOT_OURS)


def modules(folder: str) -> list[tuple[str, Path]]:
    """`(dotted name without vcontract, file)` of the folder's modules."""
    found = sorted((ROOT / folder).rglob("*.py"))
    return [
        (".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), file)
        for file in found
        if not NOT_OURS & set(file.parts)
    ]


def is_test(node: str) -> bool:
    """Whether `tests/folder/test_module.py` or `tests/folder/test_module.py::test_name` is there."""
    name, _, function = node.partition("::")
    file = ROOT / name
    if not file.is_file():
        return False
    return not function or function.partition("[")[0] in _functions(file)


@lru_cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def imports(source: str) -> Iterator[tuple[int, str]]:
    """`(line, dotted name without vcontract)` of each import of ours, wherever in the module it stands."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("vcontract."):
                yield getattr(node, "lineno", 0), name.removeprefix("vcontract.")
