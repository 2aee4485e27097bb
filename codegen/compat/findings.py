"""Findings of a comparison, grouped by cause."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.codegen.compat.rules import LEVELS, Level, Rule
from vcontract.codegen.documents import JsonObject, compact_json

_SUBJECTS: Final = {
    "tools": "",
    "resources": "resource ",
    "prompts": "prompt ",
    "templates": "template ",
    "vcon": "vCon ",
    "published": "",
    "interfaces": "",
}
"""Prefix of a subject's name, by part of the contract."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A single change of the contract."""

    rule: Rule
    level: Level
    """The rule's level, or lower for unstable tools and where no more was promised."""
    tool: str | None
    """Previous name of the tool, or `resource <name>` and the like; None if shared by all."""
    path: str
    words: str
    """The path in words."""
    before: str
    after: str
    witness: JsonObject | None = None
    """A document that only one side accepts: `name` and `arguments` of a call, `response`, or `document` of a
    vCon.
    """
    lowered_because: str = ""

    @property
    def fingerprint(self) -> str:
        """Identifies a change among others of the same place."""
        return _digest([self.rule.id, self.tool, self.path, self.before, self.after])


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings with one cause: the same change in every place that uses a shape, mixin or name."""

    findings: Sequence[Finding]

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def fingerprint(self) -> str:
        """Fingerprint of its findings. A further finding needs a new acceptance."""
        prints = sorted(finding.fingerprint for finding in self.findings)
        return prints[0] if len(prints) == 1 else _digest(prints)

    @property
    def named(self) -> tuple[str, str, str, str]:
        """Key of an acceptance: rule, tool, path and fingerprint."""
        return self.first.rule.id, str(self.first.tool), self.first.path, self.fingerprint

    @property
    def gravity(self) -> tuple[int, bool, int]:
        """Sorts the gravest first: its level, whether an entry is gone as a whole, how many places."""
        rule = self.first.rule
        is_gone = "removed" in rule.actions and rule.where.count("/") == 1
        return LEVELS.index(self.first.level), not is_gone, -len(self.findings)

    @property
    def subjects(self) -> list[str]:
        """Affected tools and other subjects; empty if all share it."""
        return list(dict.fromkeys(finding.tool for finding in self.findings if finding.tool))

    @property
    def places(self) -> str:
        """`6 places`, if there are several."""
        return f"{len(self.findings)} places" if len(self.findings) > 1 else ""


def causes_of(findings: Sequence[Finding]) -> list[Cause]:
    """Group equal changes of parts with one name, in order of first occurrence."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        part = finding.path.replace("[]", "").rpartition(".")[2] if "." in finding.path else ""
        change = finding.rule.id, finding.level, finding.before, finding.after
        alone = "" if finding.before or finding.after else finding.path
        entry = finding.tool or "" if finding.rule.actions in (("added",), ("removed",)) and not part else ""
        found.setdefault((*change, part, alone, entry), []).append(finding)
    return [Cause(members) for members in found.values()]


def subject_of(path: Sequence[str]) -> tuple[str | None, str]:
    """Split a path into the subject and the path inside it."""
    if len(path) > 1 and path[0] in _SUBJECTS:
        return _SUBJECTS[path[0]] + path[1], ".".join(path[2:]) or path[0].removesuffix("s")
    return None, ".".join(path)


def _digest(value: list[str | None] | list[str]) -> str:
    return hashlib.sha256(compact_json(value).encode()).hexdigest()[:12]
