"""Findings about a vCon: violations of its schema, notices for its writer, and the report of both."""

from collections.abc import Iterable
from dataclasses import dataclass

Step = str | int
"""A member's name or an element's index."""

MAX_VIOLATIONS = 50
"""A conformance report lists no more than these; its count has them all."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One fault: `path` like `$.dialog[0].parties[2]`; `rule` a schema keyword or an id of our own."""

    path: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the writer should know although nothing is wrong enough to refuse."""

    code: str
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Conformance:
    """How a vCon stands against the schema of its version."""

    version: str
    """The schema checked against."""
    valid: bool
    violations: tuple[Violation, ...]
    """The first 50, in the order of the document."""
    violation_count: int
    unsupported_critical: tuple[str, ...]
    """Names in `critical` that this reader does not support."""


def path_of(steps: Iterable[Step]) -> str:
    """The path in the form `$.dialog[0].parties[2]`; a name that is no plain word is quoted in brackets."""
    return "$" + "".join(map(written_step, steps))


def written_step(step: Step) -> str:
    """One step of a path: `.dialog`, `[0]`, `['a name']`."""
    if isinstance(step, int):
        return f"[{step}]"
    if step.replace("-", "_").isidentifier():
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{_printable(escaped)}']"


def counted(number: object, noun: str) -> str:
    """`1 word`, `2000 words`; the number as a schema writes it, for it may be a bound of one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: str, most: int = 60) -> str:
    """The text in double quotes, control characters escaped, cut to about `most` characters."""
    return '"' + _printable(text.replace('"', '\\"'), most) + '"'


def _printable(text: str, most: int = 80) -> str:
    shown = text if len(text) <= most else text[:most] + "…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown)
