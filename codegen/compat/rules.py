"""Compatibility rules from rules.md: which changes are allowed where, and their effects."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Final, Literal, NamedTuple, TypeAlias, cast

Level: TypeAlias = Literal["ERR", "WARN", "INFO"]
Direction: TypeAlias = Literal["input", "output"]
Path: TypeAlias = tuple[str, ...]

LEVELS: Final[tuple[Level, ...]] = ("ERR", "WARN", "INFO")
"""From blocking to informational."""

_CELLS: Final = 6

_SPECIAL: Final = ("edited", "renamed", "refusing", "replaced")
"""Actions on whole entries, only where a rule names them."""

RULES_FILE: Final = FilePath(__file__).with_name("rules.md")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for one kind of change."""

    id: str
    level: Level
    purpose: str
    """What changed."""
    effect: str
    """The effect, and on whom."""
    where: str = ""
    """Paths it applies to: `*` is any name, `**` any number of steps, `{a,b}` either; empty in schemas."""
    actions: tuple[str, ...] = ()
    """added, removed, changed, reordered; raised and lowered for ordered values; true and false."""
    read_by_model: bool = False
    """Whether only text changed; listed under "What the model reads"."""

    @property
    def kind(self) -> str:
        """Its ID without the direction."""
        return self.id.partition("-")[2]

    def fits(self, path: Path, action: str) -> bool:
        known = action in self.actions or ("any" in self.actions and action not in _SPECIAL)
        return known and _fits(self.where, path)


def _fits(where: str, path: Path) -> bool:
    return bool(_pattern(where).fullmatch("\0".join(path)))


@cache
def _pattern(where: str) -> re.Pattern[str]:
    steps = where.translate({ord("{"): "(?:", ord(","): "|", ord("}"): ")"})
    steps = steps.replace("/**", "//").replace("*", "[^\0]*")
    return re.compile(steps.replace("//", "(?:\0.*)?").replace("/", "\0"), re.DOTALL)


class SchemaWay(NamedTuple):
    """Direction in which documents pass through a schema, and its name."""

    where: str
    direction: Direction
    root: str
    """Name of the whole document in findings."""
    cap: str = ""
    """Why breaks are at most a WARN, if so."""


SCHEMAS: Final = (
    SchemaWay("tools/*/input", "input", "input"),
    SchemaWay("tools/*/output", "output", "output"),
    SchemaWay("errors/*/details", "output", "details", "it is not among the members that the error requires"),
    SchemaWay("resources/*/params", "input", "variables"),
    SchemaWay("resources/*/content", "output", "content"),
    SchemaWay("prompts/*/arguments", "input", "arguments"),
    SchemaWay("vcon/*", "input", "document"),
    SchemaWay("vcon/*", "output", "document", "readers of vCons meet what others stored"),
    SchemaWay("templates/*/params", "input", "params"),
    SchemaWay("upstream/tools/*/params", "input", "params", "only servers that accept such calls take it"),
)


def _read() -> Iterator[Rule]:
    for line in RULES_FILE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == _CELLS and cells[1] in (*LEVELS, "words"):
            name, level, where, actions, purpose, effect = cells
            words = level == "words"
            severity = "INFO" if words else cast("Level", level)
            way, _, kinds = name.rstrip("}").partition("{")
            for kind in kinds.split(","):
                yield Rule(way + kind, severity, purpose, effect, where, tuple(actions.split()), words)


RULES: Final = {rule.id: rule for rule in _read()}
"""All rules by ID, in matching order."""

UNKNOWN: Final = Rule("unclassified", "WARN", "No rule knows this leaf.", "A person must judge it.")


def rule_at(path: Path, action: str, rules: Sequence[Rule] = tuple(RULES.values())) -> Rule | None:
    """Return the rule for an action on the leaf at `path`."""
    return next((rule for rule in rules if rule.where and rule.fits(path, action)), None)


def schemas_at(path: Path) -> list[SchemaWay]:
    """Directions of the schema at `path`; empty if there is no schema."""
    return [way for way in SCHEMAS if _fits(way.where, path)]
