"""The verdict on a comparison: what is accepted, what is refused, and which acceptances are of no use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vcontract.codegen.compat.acceptances import Acceptance, read_acceptances
from vcontract.codegen.compat.comparison import compare
from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.compat.state import State
from vcontract.codegen.compat.versions import allows_breaks, next_breaking, version_of


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
    accepted: Mapping[str, Acceptance]
    """Fingerprint to the acceptance of the break, whether or not the version allows it."""
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
    def refused(self) -> list[Finding]:
        """The breaks that block: not accepted, or accepted without a version that allows them."""
        return [
            finding
            for finding in self.findings
            if finding.level == "ERR"
            and not (self.version_allows_breaks and finding.fingerprint in self.accepted)
        ]

    @property
    def passes(self) -> bool:
        return not self.refused and not self.idle


def judge(base: str, before: State, after: State, last_released: str | None) -> Verdict:
    """Compare two states and weigh the breaks against the acceptances of the later one.

    An acceptance that the earlier state has already was judged when it was added, and may match nothing.
    Raises: SpecError, when the acceptances cannot be read.
    """
    findings = compare(before, after)
    breaks = [finding for finding in findings if finding.level == "ERR"]
    acceptances, earlier = read_acceptances(after.acceptances), read_acceptances(before.acceptances)
    accepted = {
        finding.fingerprint: acceptance
        for acceptance in acceptances
        for finding in breaks
        if acceptance.accepts(finding)
    }
    used = set(accepted.values())
    return Verdict(
        base=base,
        before=before.version,
        after=after.version,
        promised=min(filter(None, (before.version, last_released)), key=version_of),
        findings=findings,
        accepted=accepted,
        idle={one: line for one, line in acceptances.items() if one not in used and one not in earlier},
    )
