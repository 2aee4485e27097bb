"""The words for causes of errors: those that the code says are declared, and those declared are said.

That no answer of any test has another one is watched by tests/published.py.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.published import reasons

ROOT = Path(__file__).parents[2]
SOURCES = [file for room in ("handlers", "runtime") for file in sorted((ROOT / room).rglob("*.py"))]
ALIAS_ENDS = "Reason"
"""An alias of literals whose name ends so lists reasons."""
OUTSIDE = {ROOT / "runtime" / "imports", ROOT / "runtime" / "cli"}
"""What they report is no answer of a tool."""


def texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def said(tree: ast.AST) -> Iterator[str]:
    """The texts that stand under `reason` in a dictionary, and those of an alias for reasons."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(value, ast.Constant) and "reason" in texts(key or value):
                    yield from texts(value)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id.endswith(ALIAS_ENDS) for target in targets):
                yield from texts(node.value)


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in SOURCES}


def test_each_reason_that_the_code_says_is_declared(trees: dict[Path, ast.Module]) -> None:
    undeclared = {
        (reason, file.relative_to(ROOT).as_posix())
        for file, tree in trees.items()
        if not OUTSIDE & set(file.parents)
        for reason in said(tree)
        if reason not in reasons()
    }

    assert undeclared == set(), "declare each under reasons in spec/errors.yaml, or say a word that is there"


def test_each_declared_reason_is_said(trees: dict[Path, ast.Module]) -> None:
    written = {text for tree in trees.values() for text in texts(tree)}

    assert reasons() - written == set(), "nothing says these any more: take them out of spec/errors.yaml"
