"""The verdict on a comparison: what is accepted, what is refused, and which version breaks need."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.codegen.compat.compare import compare
from vcontract.codegen.compat.findings import Cause, Finding, causes_of
from vcontract.codegen.compat.state import ACCEPTANCES, NoStateError, State
from vcontract.codegen.load import read_document

RELEASED: Final = "spec/released"
"""Where the released contracts lie, a file a version."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One cause whose breaks pass when the version rose: an entry of spec/compat.yaml."""

    rule: str
    tool: str
    path: str
    """Its first place."""
    fingerprint: str
    reason: str

    def accepts(self, cause: Cause) -> bool:
        """Whether these are the breaks meant; the reason and the version are for others to judge."""
        first = cause.first
        named = first.rule.id, str(first.tool), first.path, cause.fingerprint
        return (self.rule, self.tool, self.path, self.fingerprint) == named


@dataclass(frozen=True, slots=True)
class Verdict:
    base: str
    """What was compared with, as the caller named it."""
    before: str
    """The version of the base."""
    after: str
    """The version of the spec."""
    promised: str
    """The version whose promises count: the last released one, or the base's when that is lower."""
    findings: Sequence[Finding]
    causes: Sequence[Cause]
    accepted: Mapping[str, Acceptance]
    """Fingerprint of a cause to what accepts it, whether or not the version allows it."""
    idle: Mapping[Acceptance, int]
    """Acceptances that match no break, each with its line."""

    @property
    def version_allows_breaks(self) -> bool:
        return allows_breaks(self.promised, self.after)

    @property
    def wanted_version(self) -> str:
        """The lowest version under which the breaks can be accepted."""
        return next_breaking(self.promised)

    @property
    def refused(self) -> list[Cause]:
        """The breaks that block: not accepted, or accepted without a version that allows them."""
        return [
            cause
            for cause in self.causes
            if cause.first.level == "ERR"
            and not (self.version_allows_breaks and cause.fingerprint in self.accepted)
        ]

    @property
    def passes(self) -> bool:
        return not self.refused and not self.idle


def judge(base: str, before: State, after: State, last_released: str | None) -> Verdict:
    """Compare two contracts and weigh the breaks against the acceptances of the later one.

    An acceptance that the earlier one has already was judged when it was added, and may match nothing.
    Raises: SpecError, when the acceptances cannot be read.
    """
    findings = compare(before.surface, after.surface)
    causes = causes_of(findings)
    breaks = [cause for cause in causes if cause.first.level == "ERR"]
    acceptances, earlier = read_acceptances(after.acceptances), read_acceptances(before.acceptances)
    accepted = {
        cause.fingerprint: acceptance
        for acceptance in acceptances
        for cause in breaks
        if acceptance.accepts(cause)
    }
    used = set(accepted.values())
    return Verdict(
        base=base,
        before=before.version,
        after=after.version,
        promised=min(filter(None, (before.version, last_released)), key=version_of),
        findings=findings,
        causes=causes,
        accepted=accepted,
        idle={one: line for one, line in acceptances.items() if one not in used and one not in earlier},
    )


def read_acceptances(text: str) -> dict[Acceptance, int]:
    """Every acceptance in the text of a spec/compat.yaml, with its line. Raises: SpecError."""
    if not text:
        return {}
    document = read_document(ACCEPTANCES, text)
    return {
        Acceptance(**{**entry, "tool": str(entry["tool"])}): document.line(("acceptances", index))
        for index, entry in enumerate(document.data["acceptances"])
    }


def version_of(text: str) -> tuple[int, int, int]:
    """`1.2.3` as numbers. Raises: ValueError."""
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch


def allows_breaks(before: str, after: str) -> bool:
    """Whether `after` may break what `before` promised: while major is 0, the minor version counts as it."""
    return version_of(after) >= version_of(next_breaking(before))


def next_breaking(version: str) -> str:
    """The lowest version that may break what `version` promised."""
    major, minor, _ = version_of(version)
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def released_versions(root: Path) -> list[str]:
    """Every released version below `root`, the lowest first. Raises: NoStateError."""
    folder = root / RELEASED
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    for name in names:
        if not re.fullmatch(r"\d+\.\d+\.\d+\.json", name):
            raise NoStateError(f"{RELEASED}/{name} is not named for a version, such as 1.2.0.json; remove it")
    return sorted((name.removesuffix(".json") for name in names), key=version_of)


def released_file(version: str) -> str:
    """The path of a released contract below the root."""
    return f"{RELEASED}/{version}.json"
