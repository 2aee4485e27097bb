"""Changes of the contract since a base, for the report."""

from collections import Counter
from dataclasses import dataclass

from vcontract.codegen.compat.findings import Cause
from vcontract.codegen.compat.report import outcome, witness_words
from vcontract.codegen.compat.rules import LEVELS, Level
from vcontract.codegen.compat.verdict import Verdict
from vcontract.codegen.documents import print_json


@dataclass(frozen=True, slots=True)
class Change:
    """One change, judged."""

    level: Level
    rule: str
    subjects: tuple[str, ...]
    """The tools that share it, or `resource <name>`, `prompt <name>`; none where all of the contract does."""
    place: str
    """What changed, in words."""
    meaning: str
    """What that means for who uses it."""
    before: str
    after: str
    shows: str
    """Caption of the document below; empty without one."""
    document: str
    accepted: str
    """Why it was accepted; empty when it was not."""
    lowered: str = ""
    """Why it is only a warning: the tool was experimental, or no more was promised."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Every change since a base, the most severe first, and the verdict."""

    base: str
    before: str
    """The version of the contract then."""
    passes: bool
    outcome: tuple[str, ...]
    """The verdict, a line each."""
    changes: tuple[Change, ...]

    @property
    def acceptances(self) -> str:
        """The lines for spec/compat.yaml that accept what is refused."""
        return "\n".join(line.strip() for line in self.outcome if line.startswith("  "))

    @property
    def counts(self) -> dict[Level, int]:
        found = Counter(change.level for change in self.changes)
        return {level: found[level] for level in LEVELS}

    def of(self, subject: str) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if subject in change.subjects)


def changes_of(verdict: Verdict) -> Changes:
    """The changes that a verdict is about, equal ones of several tools together."""
    changes = [_change(cause, verdict) for cause in verdict.causes]
    return Changes(
        base=verdict.base,
        before=verdict.before,
        passes=verdict.passes,
        outcome=tuple(outcome(verdict)),
        changes=tuple(sorted(changes, key=lambda change: LEVELS.index(change.level))),
    )


def _change(cause: Cause, verdict: Verdict) -> Change:
    finding = cause.first
    acceptance, witness = verdict.accepted.get(cause.fingerprint), finding.witness
    return Change(
        level=finding.level,
        rule=finding.rule.id,
        subjects=tuple(cause.subjects),
        place=finding.words + (f" ({cause.places})" if cause.places else ""),
        meaning=f"{finding.rule.purpose} {finding.rule.effect}",
        before=finding.before,
        after=finding.after,
        shows=witness_words(witness) if witness else "",
        document=print_json(witness).rstrip() if witness else "",
        accepted=acceptance.reason if acceptance else "",
        lowered=finding.lowered_because,
    )
