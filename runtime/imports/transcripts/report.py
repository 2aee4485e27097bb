"""What an import of transcripts did, counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from vcontract.runtime.documents.json import JsonObject

Action: TypeAlias = Literal[
    "imported",
    "grown",
    "rewritten",
    "unchanged",
    "kept",
    "excluded",
    "removed",
    "deleted",
    "empty",
    "skipped",
    "unrecognised",
    "failed",
]

MEANINGS: Final[dict[Action, str]] = {
    "imported": "",
    "grown": "went on since they were imported",
    "rewritten": "changed from the beginning, imported anew",
    "unchanged": "",
    "kept": "shorter than what is archived; --force replaces",
    "excluded": "kept out by a marker or a glob",
    "removed": "imported earlier, now excluded",
    "deleted": "deleted here; import --force brings them back",
    "empty": "without any exchange",
    "skipped": "of another project, or older",
    "unrecognised": "no transcript that is known",
    "failed": "",
}


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file."""

    path: str
    action: Action
    vcon: str | None = None
    exchanges: int = 0
    malformed: int = 0
    redactions: int = 0
    unknown_types: Mapping[str, int] = field(default_factory=dict[str, int])
    reason: str | None = None
    """Why it failed or was left out."""
    warnings: tuple[str, ...] = ()

    def as_json(self) -> JsonObject:
        """The report, absent parts left out."""
        document: JsonObject = {"path": self.path, "action": self.action}
        if self.vcon is not None:
            document["vcon_uuid"] = self.vcon
        if self.reason is not None:
            document["reason"] = self.reason
        if self.warnings:
            document["warnings"] = list(self.warnings)
        return document


@dataclass(slots=True)
class TranscriptSummary:
    """The counts over all files; what failed, was removed, is unrecognised, or has a warning is named."""

    files: int = 0
    actions: Counter[Action] = field(default_factory=Counter[Action])
    exchanges: int = 0
    malformed: int = 0
    redactions: int = 0
    unknown_types: Counter[str] = field(default_factory=Counter[str])
    """Types of lines that are not known here, such as those of a newer program; they are archived only."""
    named: list[FileReport] = field(default_factory=list[FileReport])

    @property
    def failed(self) -> int:
        return self.actions["failed"]

    @property
    def stored(self) -> int:
        """How many files have put something into the store."""
        return sum(self.actions[action] for action in ("imported", "grown", "rewritten"))

    def add(self, report: FileReport) -> None:
        """Count one file."""
        self.files += 1
        self.actions[report.action] += 1
        self.exchanges += report.exchanges
        self.malformed += report.malformed
        self.redactions += report.redactions
        self.unknown_types.update(report.unknown_types)
        if report.action in ("failed", "removed", "unrecognised") or report.warnings:
            self.named.append(report)

    def as_json(self) -> JsonObject:
        """The counts as one object."""
        return {
            "files": self.files,
            **{action: self.actions[action] for action in MEANINGS},
            "exchanges": self.exchanges,
            "malformed_lines": self.malformed,
            "redactions": self.redactions,
            "unknown_types": dict(self.unknown_types.most_common()),
            "reports": [report.as_json() for report in self.named],
        }
