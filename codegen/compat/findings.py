"""What the comparison found: changes under their rules, those of one cause together."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.codegen.compat.rules import Level, Rule
from vcontract.codegen.documents import JsonObject, compact_json

_SUBJECTS: Final = {
    "tools": "",
    "resources": "resource ",
    "prompts": "prompt ",
    "templates": "template ",
    "vcon": "vCon ",
}
"""Prefix of a subject's name, by part of the contract."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One change of the contract."""

    rule: Rule
    level: Level
    """The rule's, or less for a tool that is not stable and where no more was promised."""
    tool: str | None
    """The tool by its name before, or `resource <name>` and the like; None for what all share."""
    path: str
    words: str
    """The path as a person says it."""
    before: str
    after: str
    witness: JsonObject | None = None
    """What only one side of the comparison takes: `name`, and the `arguments` of a call, the `response` of an
    answer, or the `document` of a vCon."""
    lowered_because: str = ""

    @property
    def fingerprint(self) -> str:
        """Tells this change of a place from another change of the same place."""
        return _digest([self.rule.id, self.tool, self.path, self.before, self.after])


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings of one cause: the same change at every place that shares a shape, a mixin or a name."""

    findings: Sequence[Finding]

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def fingerprint(self) -> str:
        """That of its finding, or of all of them: when there is one more, it is to be accepted anew."""
        prints = sorted(finding.fingerprint for finding in self.findings)
        return prints[0] if len(prints) == 1 else _digest(prints)

    @property
    def named(self) -> tuple[str, str, str, str]:
        """What an acceptance says of it: rule, tool, path and fingerprint."""
        return self.first.rule.id, str(self.first.tool), self.first.path, self.fingerprint

    @property
    def subjects(self) -> list[str]:
        """The tools and others that it is about, each once; none where it is about what all share."""
        return list(dict.fromkeys(finding.tool for finding in self.findings if finding.tool))

    @property
    def places(self) -> str:
        """`6 places`, when there are several."""
        return f"{len(self.findings)} places" if len(self.findings) > 1 else ""


def causes_of(findings: Sequence[Finding]) -> list[Cause]:
    """Equal changes of parts of one name together, in the order of the first of each."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        part = finding.path.replace("[]", "").rpartition(".")[2] if "." in finding.path else ""
        change = finding.rule.id, finding.level, finding.before, finding.after
        alone = "" if finding.before or finding.after else finding.path
        entry = finding.tool or "" if finding.rule.actions in (("added",), ("removed",)) and not part else ""
        found.setdefault((*change, part, alone, entry), []).append(finding)
    return [Cause(members) for members in found.values()]


def subject_of(path: Sequence[str]) -> tuple[str | None, str]:
    """What a leaf of the contract belongs to, and its path within."""
    if len(path) > 1 and path[0] in _SUBJECTS:
        return _SUBJECTS[path[0]] + path[1], ".".join(path[2:]) or path[0].removesuffix("s")
    return None, ".".join(path)


def _digest(value: list[str | None] | list[str]) -> str:
    return hashlib.sha256(compact_json(value).encode()).hexdigest()[:12]
