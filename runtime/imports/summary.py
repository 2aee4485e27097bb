"""What an import did, counted."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeVar

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.imports.origin import Problem
from vcontract.runtime.store.vcons.preparation import PreparedVcon

_Key = TypeVar("_Key", str, tuple[str, str])
_INDEX = re.compile(r"\[\d+\]")
MOST_FINDINGS = 10
MOST_PROBLEMS = 100


@dataclass(slots=True)
class Summary:
    """Counts of an import, so far or at its end. Each document read is in exactly one of the five fates."""

    files: int = 0
    created: int = 0
    replaced: int = 0
    skipped: int = 0
    """Another vCon with its uuid was there, with other content, and stayed."""
    identical: int = 0
    """The same vCon was there."""
    refused: int = 0
    """Documents, and files that could not be read on, that did not come in."""
    conforming: int = 0
    """Of those not refused: valid against the schema of their version."""
    signed: int = 0
    """Of those not refused: came in signed form, which is kept beside them."""
    translated: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Legacy and current name; in how many places."""
    findings: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Rule and path without indices; in how many vCons."""
    notices: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Code, without `legacy_name`, and path without indices or nothing; in how many vCons."""
    refusals: Counter[str] = field(default_factory=Counter[str])
    """Rule of a document's first problem."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """The first `MOST_PROBLEMS`."""

    @property
    def read(self) -> int:
        return self.created + self.replaced + self.skipped + self.identical + self.refused

    def count(self, vcon: PreparedVcon) -> None:
        """Count what there is to report about a vCon that was not refused."""
        self.conforming += vcon.conformance.valid
        self.signed += vcon.signed_form is not None
        self.translated.update((rename.old, rename.new) for rename in vcon.renames)
        self.findings.update({(v.rule, _INDEX.sub("[*]", v.path)) for v in vcon.conformance.violations})
        self.notices.update(
            {(n.code, _INDEX.sub("[*]", n.path or "")) for n in vcon.notices if n.code != "legacy_name"}
        )

    def refuse(self, problems: tuple[Problem, ...]) -> None:
        """Count one document that did not come in."""
        self.refused += 1
        self.refusals[problems[0].rule] += 1
        self.problems += problems[: MOST_PROBLEMS - len(self.problems)]

    def as_json(self) -> JsonObject:
        """The counts as one object; the lists most frequent first."""
        return {
            "files": self.files,
            "read": self.read,
            "created": self.created,
            "replaced": self.replaced,
            "skipped": self.skipped,
            "identical": self.identical,
            "refused": self.refused,
            "signed": self.signed,
            "translated": [
                {"from": old, "to": new, "count": count} for (old, new), count in _most(self.translated)
            ],
            "conformance": {
                "valid": self.conforming,
                "findings": [
                    {"rule": rule, "path": path, "vcons": count}
                    for (rule, path), count in _most(self.findings, MOST_FINDINGS)
                ],
            },
            "notices": [
                {"code": code, **({"path": path} if path else {}), "vcons": count}
                for (code, path), count in _most(self.notices, MOST_FINDINGS)
            ],
            "refusals": [{"rule": rule, "count": count} for rule, count in _most(self.refusals)],
            "problems": [problem.as_json() for problem in self.problems],
        }


def _most(counts: Counter[_Key], limit: int | None = None) -> list[tuple[_Key, int]]:
    """The most frequent first; equal ones sorted, so that two runs print the same."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]
