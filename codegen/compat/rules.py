"""The rules of compatibility, read from rules.md: which leaf may change how, and what that does to whom."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path as FilePath
from typing import Final, Literal, TypeAlias, cast

Level: TypeAlias = Literal["ERR", "WARN", "INFO"]
Direction: TypeAlias = Literal["input", "output"]
Path: TypeAlias = tuple[str, ...]

LEVELS: Final[tuple[Level, ...]] = ("ERR", "WARN", "INFO")
"""From what blocks to what is only listed."""

_CELLS: Final = 6

RULES_FILE: Final = FilePath(__file__).with_name("rules.md")


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change, and how bad it is."""

    id: str
    level: Level
    purpose: str
    """What changed."""
    effect: str
    """What that does, and to whom."""
    where: str = ""
    """The leaves it is about: `*` is any name, `**` any way down; empty for rules inside schemas."""
    actions: tuple[str, ...] = ()
    """added, removed, changed, reordered; raised and lowered of numbers and ranks; true and false."""
    read_by_model: bool = False
    """Whether only words changed: listed by itself, under "What the model reads"."""

    def fits(self, path: Path, action: str) -> bool:
        return ("any" in self.actions or action in self.actions) and _fits(_split(self.where), path)

    def at(self, level: Level) -> "Rule":
        return replace(self, level=level)


@cache
def _split(where: str) -> Path:
    return tuple(where.split("/"))


def _fits(pattern: Path, path: Path) -> bool:
    if pattern[-1:] == ("**",):
        return len(path) >= len(pattern) - 1 and _fits(pattern[:-1], path[: len(pattern) - 1])
    return len(pattern) == len(path) and all(
        one in ("*", name) for one, name in zip(pattern, path, strict=True)
    )


SCHEMAS: Final[Sequence[tuple[str, Direction, str, str]]] = (
    ("tools/*/input", "input", "input", ""),
    ("tools/*/output", "output", "output", ""),
    ("errors/*/details", "output", "details", "it is not among the members that the error requires"),
    ("resources/*/params", "input", "variables", ""),
    ("resources/*/content", "output", "content", ""),
    ("prompts/*/arguments", "input", "arguments", ""),
    ("vcon/*", "input", "document", ""),
    (
        "vcon/*",
        "output",
        "document",
        "readers of vCons meet what others stored, whatever this version accepts",
    ),
    ("templates/*/params", "input", "params", ""),
    ("upstream/tools/*/params", "input", "params", "only servers that accept the forms of another take it"),
)
"""Where JSON Schemas stand: the way documents go through them, what their root is called in findings, and
why breaks there are no more than a WARN, if so."""


def _read() -> Iterator[Rule]:
    for line in RULES_FILE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == _CELLS and cells[1] in (*LEVELS, "words"):
            name, level, where, actions, purpose, effect = cells
            words = level == "words"
            severity = "INFO" if words else cast("Level", level)
            yield Rule(name, severity, purpose, effect, where, tuple(actions.split()), words)


RULES: Final = {rule.id: rule for rule in _read()}
"""Every rule by id, in the order in which they are asked."""

UNKNOWN: Final = Rule("unclassified", "WARN", "No rule knows this leaf.", "A person must judge it.")


def rule_at(path: Path, action: str, rules: Sequence[Rule] = tuple(RULES.values())) -> Rule | None:
    """The rule for what happened to the leaf at `path`."""
    return next((rule for rule in rules if rule.where and rule.fits(path, action)), None)


def schemas_at(path: Path) -> list[tuple[Direction, str, str]]:
    """The ways in which a schema stands at `path`; none where none does."""
    return [(way, root, because) for where, way, root, because in SCHEMAS if _fits(_split(where), path)]
