"""Summaries of imports: counts of vCons and transcripts, and their problems."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, Protocol, TypeAlias, TypeVar
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import objects
from vcontract.runtime.imports.programs.conversation import Account, is_date_guessed, source_of
from vcontract.runtime.imports.sources import Origin, Problem, printable
from vcontract.runtime.store.vcons.preparation import PreparedVcon

_Key = TypeVar("_Key", str, tuple[str, str])
_INDEX = re.compile(r"\[\d+\]")
Fate: TypeAlias = Literal[
    "refused",
    "skipped",
    "deleted",
    "left aside",
    "left out",
    "failed",
    "removed",
    "unrecognised",
    "warning",
]
"""Event reported to a watcher: why something was not imported, or not unchanged."""

MAX_LISTED_FINDINGS = 10
MAX_KEPT_PROBLEMS = 100
MAX_REPORTED_PROBLEMS = 20


@dataclass(slots=True)
class FileOutcome:
    """Result for one file."""

    formats: Counter[str] = field(default_factory=Counter[str])
    fates: Counter[str] = field(default_factory=Counter[str])
    messages: Counter[str] = field(default_factory=Counter[str])
    """What became of an export's messages: turns, kept, joined, left_out."""
    turns: int = 0
    people: set[str] = field(default_factory=set[str])
    begins: str | None = None
    ends: str | None = None
    dates_guessed: int = 0
    why: list[str] = field(default_factory=list[str])
    """First ten reasons why documents were not imported."""

    def add(self, fate: str, vcon: JsonObject | None, why: str | None) -> None:
        """Count one document, with its vCon if it is stored."""
        self.fates[fate] += 1
        if why is not None and len(self.why) < MAX_LISTED_FINDINGS:
            self.why.append(why)
        if vcon is None:
            return
        self.formats[source_of(vcon) or "vcon"] += 1
        self.dates_guessed += is_date_guessed(vcon)
        turns = [turn for _, turn in objects(vcon.get("dialog"))]
        self.turns += len(turns)
        self.people.update(
            name for _, party in objects(vcon.get("parties")) if isinstance(name := party.get("name"), str)
        )
        starts = [start for turn in turns if isinstance(start := turn.get("start"), str)]
        self.begins = min(filter(None, (self.begins, *starts)), default=None)
        self.ends = max(filter(None, (self.ends, *starts)), default=None)

    def as_json(self, file: str) -> JsonObject:
        """Return the result as an object without empty parts."""
        counts: JsonObject = {
            "file": file,
            "format": ", ".join(sorted(self.formats)),
            "conversations": self.formats.total(),
            "turns": self.turns,
            "people": len(self.people),
            "begins": self.begins,
            "ends": self.ends,
            "dates_guessed": self.dates_guessed,
            "messages": dict(self.messages),
            **self.fates,
            "why": self.why,
        }
        return {name: value for name, value in counts.items() if value}


@dataclass(slots=True)
class Summary:
    """Counts of an import. Each document is counted in exactly one of six results."""

    noun: ClassVar = "vCon"
    files: int = 0
    created: int = 0
    replaced: int = 0
    skipped: int = 0
    """Documents whose uuid was already stored with different content."""
    lost: int = 0
    """Skipped documents with text that the stored vCon does not have."""
    identical: int = 0
    """Documents already stored."""
    deleted: int = 0
    """Documents deleted here and not restored."""
    refused: int = 0
    """Rejected documents, and files that could not be read further."""
    conforming: int = 0
    """Accepted documents that are valid against the schema of their version."""
    signed: int = 0
    """Accepted documents in signed form, which is stored with them."""
    translated: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Number of places by legacy and current name."""
    findings: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Number of vCons by rule and path without indexes."""
    notices: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Number of vCons by code, without `legacy_name`, and path without indexes."""
    kept_out: list[tuple[Fate, Problem]] = field(default_factory=list[tuple[Fate, Problem]])
    """The first `MAX_KEPT_PROBLEMS` valid documents that were not imported, and skipped files."""
    refusals: Counter[str] = field(default_factory=Counter[str])
    """Number by rule of a document's first problem."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """The first `MAX_KEPT_PROBLEMS`."""
    of_files: dict[str, FileOutcome] | None = None
    """Results by file name; None unless requested."""
    silent: int = 0
    """Conversations of exports without turns: all that they have is kept elsewhere or left out."""
    messages: Counter[str] = field(default_factory=Counter[str])
    """Messages of exports by what became of them: turns, kept, joined, left_out."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Messages that are not stored, by the reason."""

    def account(self, origin: Origin, account: Account) -> tuple[Problem, ...]:
        """Count the messages of one conversation. Returns a problem for each reason to leave some out."""
        counts = {
            "turns": account.turns,
            "kept": account.kept.total(),
            "joined": account.joined,
            "left_out": account.left_out.total(),
        }
        self.messages.update(counts)
        self.left_out.update(account.left_out)
        found = tuple(
            Problem(origin, "left_out", f"{_counted(count)} left out: {why}")
            for why, count in account.left_out.items()
        )
        if self.of_files is not None:
            of_file = self.of_files.setdefault(origin.file, FileOutcome())
            of_file.messages.update(counts)
            of_file.why += [each.message for each in found][: MAX_LISTED_FINDINGS - len(of_file.why)]
        return found

    def note(self, origin: Origin, fate: str, vcon: JsonObject | None = None, why: str | None = None) -> None:
        """Record the result of one document of a file, if requested."""
        if self.of_files is not None:
            self.of_files.setdefault(origin.file, FileOutcome()).add(fate, vcon, why)

    @property
    def read(self) -> int:
        stored = self.created + self.replaced + self.identical
        return stored + self.skipped + self.deleted + self.refused + self.silent

    def count(self, vcon: PreparedVcon) -> None:
        """Count what is reported about an accepted vCon."""
        self.conforming += vcon.conformance.valid
        self.signed += vcon.signed_form is not None
        self.translated.update((rename.old, rename.new) for rename in vcon.renames)
        self.findings.update({(v.rule, _INDEX.sub("[*]", v.path)) for v in vcon.conformance.violations})
        self.notices.update(
            {(n.code, _INDEX.sub("[*]", n.path or "")) for n in vcon.notices if n.code != "legacy_name"}
        )

    def refuse(self, problems: tuple[Problem, ...]) -> None:
        """Count one rejected document."""
        self.refused += 1
        self.note(problems[0].origin, "refused", why=problems[0].message)
        self.refusals[problems[0].rule] += 1
        self.problems += problems[: MAX_KEPT_PROBLEMS - len(self.problems)]

    def leave_deleted(self, origin: Origin, uuid: UUID) -> None:
        """Count a vCon that was deleted here."""
        self.deleted += 1
        message = f"was deleted or redacted here; --force restores it ({uuid})"
        self.keep_out("deleted", Problem(origin, "deleted", message, "$.uuid"))

    def keep_out(self, fate: Fate, problem: Problem) -> None:
        """Record why a document or file was skipped."""
        self.skipped += fate == "skipped"
        self.note(problem.origin, fate, why=problem.message)
        if len(self.kept_out) < MAX_KEPT_PROBLEMS:
            self.kept_out.append((fate, problem))

    def as_json(self) -> JsonObject:
        """Return the counts as an object, lists sorted by frequency."""
        return {
            "files": self.files,
            "read": self.read,
            "created": self.created,
            "replaced": self.replaced,
            "skipped": self.skipped,
            "lost": self.lost,
            "identical": self.identical,
            "deleted": self.deleted,
            "refused": self.refused,
            "silent": self.silent,
            "messages": dict(self.messages),
            "left_out": [{"why": why, "messages": count} for why, count in _most(self.left_out)],
            "signed": self.signed,
            "translated": [
                {"from": old, "to": new, "count": count} for (old, new), count in _most(self.translated)
            ],
            "conformance": {
                "valid": self.conforming,
                "findings": [
                    {"rule": rule, "path": path, "vcons": count}
                    for (rule, path), count in _most(self.findings, MAX_LISTED_FINDINGS)
                ],
            },
            "notices": [
                {"code": code, **({"path": path} if path else {}), "vcons": count}
                for (code, path), count in _most(self.notices, MAX_LISTED_FINDINGS)
            ],
            "refusals": [{"rule": rule, "count": count} for rule, count in _most(self.refusals)],
            "problems": [problem.as_json() for problem in self.problems],
            "kept_out": [{"fate": fate, **problem.as_json()} for fate, problem in self.kept_out],
        }

    def report(self) -> JsonObject:
        """Return the part stored after an import: counts, rules and first files, without content."""
        counted = ("files", "read", "created", "replaced", "skipped", "identical", "refused")
        return {
            **{name: getattr(self, name) for name in counted},
            "messages": dict(self.messages),
            "left_out": [
                {"why": why, "messages": count} for why, count in _most(self.left_out, MAX_LISTED_FINDINGS)
            ],
            "conforming": self.conforming,
            "refusals": [
                {"rule": rule, "count": count} for rule, count in _most(self.refusals, MAX_LISTED_FINDINGS)
            ],
            "first_refused": [
                {"file": problem.origin.file, "rule": problem.rule}
                for problem in self.problems[:MAX_REPORTED_PROBLEMS]
            ],
        }


def _counted(messages: int) -> str:
    return "1 message" if messages == 1 else f"{messages:,} messages"


def _most(counts: Counter[_Key], limit: int | None = None) -> list[tuple[_Key, int]]:
    """Sort by frequency, then by key, so that the result is deterministic."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]


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
    "grown": "continued since their import",
    "rewritten": "changed from the beginning; imported again",
    "unchanged": "",
    "kept": "shorter than the archived copy; --force replaces it",
    "excluded": "matched a marker or a glob",
    "removed": "imported earlier, now excluded",
    "deleted": "deleted here; import --force restores them",
    "empty": "without an exchange",
    "skipped": "other project, or older",
    "unrecognised": "not a known session format",
    "failed": "",
}


_WARNINGS: Final = {
    "rewritten": "the file changed since its import; imported again",
    "source_shrank": "the file is shorter than what was imported",
    "identity_clash": "another file has the same session; both are kept",
}


@dataclass(frozen=True, slots=True)
class FileReport:
    """Result for one transcript file."""

    path: str
    action: Action
    vcon: str | None = None
    exchanges: int = 0
    malformed: int = 0
    redactions: int = 0
    unknown_types: Mapping[str, int] = field(default_factory=dict[str, int])
    reason: str | None = None
    """Why it failed or was skipped."""
    warnings: tuple[str, ...] = ()

    def problem_lines(self) -> Iterator[tuple[Fate, Problem]]:
        """Report lines for a file that was not imported: the reason, and each warning."""
        origin = Origin(printable(self.path))
        if self.action in ("failed", "removed", "unrecognised"):
            yield self.action, Problem(origin, "", self.reason or MEANINGS[self.action])
        for warning in self.warnings:
            yield "warning", Problem(origin, warning, _WARNINGS[warning])

    def as_json(self) -> JsonObject:
        """Return the report without absent parts."""
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
    """Counts over all transcript files, with names of those that failed, were removed or have warnings."""

    noun: ClassVar = "transcript file"
    files: int = 0
    actions: Counter[Action] = field(default_factory=Counter[Action])
    exchanges: int = 0
    malformed: int = 0
    redactions: int = 0
    unknown_types: Counter[str] = field(default_factory=Counter[str])
    """Unknown types of lines, such as those of a newer program; they are only archived."""
    named: list[FileReport] = field(default_factory=list[FileReport])

    @property
    def read(self) -> int:
        return self.files

    @property
    def failed(self) -> int:
        return self.actions["failed"]

    @property
    def stored(self) -> int:
        """Number of files that added something to the store."""
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

    def include(self, other: "TranscriptSummary") -> None:
        """Add the counts of another run; of the named files, the first."""
        self.files += other.files
        self.actions.update(other.actions)
        self.exchanges += other.exchanges
        self.malformed += other.malformed
        self.redactions += other.redactions
        self.unknown_types.update(other.unknown_types)
        self.named += other.named[: MAX_KEPT_PROBLEMS - len(self.named)]

    def report(self) -> JsonObject:
        """Return the part stored after an import: counts without content."""
        acted: JsonObject = {action: count for action, count in sorted(self.actions.items()) if count}
        return {"files": self.files, **acted, "exchanges": self.exchanges}

    def as_json(self) -> JsonObject:
        """Return the counts as an object."""
        return {
            "files": self.files,
            **{action: self.actions[action] for action in MEANINGS},
            "exchanges": self.exchanges,
            "malformed_lines": self.malformed,
            "redactions": self.redactions,
            "unknown_types": dict(self.unknown_types.most_common()),
            "reports": [report.as_json() for report in self.named],
        }


class Watcher(Protocol):
    """Receives the progress of an import, in the event loop's thread."""

    def met(self, fate: Fate, problems: Sequence[Problem]) -> None:
        """A document or file was not imported, or not unchanged."""
        ...

    def advanced(self, summary: Summary | TranscriptSummary, bytes_done: int) -> None:
        """Progress was made."""
        ...
