"""What a rule of compatibility is: a kind of change with a level, a purpose, and what it does to whom."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Level: TypeAlias = Literal["ERR", "WARN", "INFO"]
Direction: TypeAlias = Literal["input", "output", "tool", "resource", "prompt", "contract"]

LEVELS: Final[tuple[Level, ...]] = ("ERR", "WARN", "INFO")
"""From what blocks to what is only listed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of change. Input is what callers send, output what they read."""

    id: str
    level: Level
    direction: Direction
    kind: str
    action: str
    purpose: str
    """What has changed."""
    effect: str
    """What that does, and to whom."""
    read_by_model: bool = False
    """Whether it changes only words: listed by itself, under "What the model reads"."""
    alone: str = ""
    """Why it has no mirror, in the other direction or for the opposite action; empty when it has both."""


def level_for(rule: Rule, stability: str, tool: str = "the tool") -> tuple[Level, str]:
    """The level of a finding about a tool that was so stable, and why it is not the rule's, if it is not."""
    if rule.level != "ERR" or stability == "stable":
        return rule.level, ""
    return "WARN", f"{tool} was {stability}, and only stable tools are held to ERR"


def both(
    kind: str,
    action: str,
    levels: tuple[Level, Level],
    purpose: str,
    callers: str,
    readers: str,
    alone: tuple[str, str] = ("", ""),
) -> tuple[Rule, Rule]:
    """A rule of inputs and its mirror for outputs; of a pair, the first is for inputs."""
    return (
        one("input", kind, action, levels[0], f"{purpose}.", callers, alone[0]),
        one("output", kind, action, levels[1], f"{purpose}.", readers, alone[1]),
    )


def one(
    direction: Direction,
    kind: str,
    action: str,
    level: Level,
    purpose: str,
    effect: str,
    alone: str = "",
    read_by_model: bool = False,
) -> Rule:
    name = f"{direction}-{kind}-{action}".replace(" ", "-")
    return Rule(name, level, direction, kind, action, purpose, effect, read_by_model, alone)
