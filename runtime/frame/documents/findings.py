"""Findings about a vCon: schema violations, notices for its writer, and the report of both."""

from collections.abc import Iterable
from dataclasses import dataclass

Step = str | int
"""A member's name or an element's index."""

MAX_VIOLATIONS = 50
"""Maximum number of violations in a report; its count includes all of them."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation. `path` is like `$.dialog[0].parties[2]`; `rule` is a schema keyword or an ID of our
    own.
    """

    path: str
    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a writer should know that is not serious enough to reject the vCon."""

    code: str
    message: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Conformance:
    """Report of a vCon's conformance to the schema of its version."""

    version: str
    """Version of the schema used."""
    valid: bool
    violations: tuple[Violation, ...]
    """The first 50, in document order."""
    violation_count: int
    unsupported_critical: tuple[str, ...]
    """Names in `critical` that this server does not support."""


def path_of(steps: Iterable[Step]) -> str:
    """Format a path as `$.dialog[0].parties[2]`. Names that are not plain words are quoted in brackets."""
    return "$" + "".join(map(written_step, steps))


def written_step(step: Step) -> str:
    """Format one step of a path: `.dialog`, `[0]`, `['a name']`."""
    if isinstance(step, int):
        return f"[{step}]"
    if step.replace("-", "_").isidentifier():
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{_printable(escaped)}']"


def counted(number: object, noun: str) -> str:
    """Format a number and noun, as in `1 word` or `2000 words`. The number may be a bound from a schema."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: str, most: int = 60) -> str:
    """Quote the text: control characters are escaped, and it is cut to about `most` characters."""
    return '"' + _printable(text.replace('"', '\\"'), most) + '"'


def _printable(text: str, most: int = 80) -> str:
    shown = text if len(text) <= most else text[:most] + "…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown)
