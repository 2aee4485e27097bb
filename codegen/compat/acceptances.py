"""Breaks that are wanted: the entries of spec/compat.yaml."""

from dataclasses import dataclass

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.compat.state import ACCEPTANCES
from vcontract.codegen.load import read_document


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One break that passes when the version rose."""

    rule: str
    tool: str
    path: str
    fingerprint: str
    reason: str

    def accepts(self, finding: Finding) -> bool:
        """Whether this is the break meant; the reason and the version are for others to judge."""
        named = finding.rule.id, finding.tool, finding.path, finding.fingerprint
        return (self.rule, self.tool, self.path, self.fingerprint) == named


def read_acceptances(text: str) -> dict[Acceptance, int]:
    """Every acceptance in the text of a spec/compat.yaml, with its line. Raises: SpecError."""
    if not text:
        return {}
    document = read_document(ACCEPTANCES, text)
    return {
        Acceptance(**entry): document.line(("acceptances", index))
        for index, entry in enumerate(document.data["acceptances"])
    }
