"""Describe a project: context, scores, and recommendations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.generated.results import session as results
from vcontract.runtime.embedding.model import ModelState
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.store.sessions.work import PreviousSession
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace import project_abilities
from vcontract.runtime.workspace.dependencies import Sync
from vcontract.runtime.workspace.git import UNDER_WAY, GitFacts, printable, shown
from vcontract.runtime.workspace.health import (
    Check,
    has_ci,
    has_docs,
    has_readme,
    has_tests,
    health_checks,
    health_score,
    weighted,
)
from vcontract.runtime.workspace.project_abilities import Ability
from vcontract.runtime.workspace.project_facts import ProjectFacts

MAX_RECOMMENDATIONS: Final = 5
_MAX_CONFLICTS: Final = 3

_ADVICE: Final = {
    "version_control": "Keep the project in git",
    "manifest": "Give the project a manifest that parses",
    "lockfile": "Lock the dependencies",
    "readme": "Write a README",
    "license": "Add a licence",
    "tests": "Add tests",
    "ci": "Set up CI",
    "docs": "Write documentation",
    "clean_tree": "Commit or stash what is changed",
    "branch": "Switch to a branch, or make one here",
}
_ABILITY_ADVICE: Final = {
    "directory_readable": "Make the working directory readable: its files cannot be read.",
    "directory_writable": "Make the working directory writable: no file can be written there.",
    "store_writable": "Bring the store back: it does not answer, or is read only.",
    "git": "Install git: it is not on PATH.",
    "package_manager": "Install the project's package manager: it is not on PATH.",
    "language_runtime": "Install the runtime of the project's language: it is not on PATH.",
}
_WEIGHTS: Final = {"project_health": 60, "permissions": 20, "tools_available": 20, "session": 20}
_URGENT: Final = ("clean_tree", "branch")
"""Checks whose advice comes first if git waits for the user."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Scores of a session; None for parts that do not apply."""

    parts: dict[str, int | None]

    @property
    def overall(self) -> int:
        applying = {name: value for name, value in self.parts.items() if value is not None}
        return weighted([(_WEIGHTS[name] * value / 100, _WEIGHTS[name]) for name, value in applying.items()])

    def document(self) -> results.QualityScore:
        document: results.QualityScore = {
            "overall": self.overall,
            "project_health": self.parts["project_health"] or 0,
            "permissions": self.parts["permissions"] or 0,
            "tools_available": self.parts["tools_available"] or 0,
        }
        if missing := [name for name, value in self.parts.items() if value is None and name != "session"]:
            document["not_applicable"] = missing
        if (session := self.parts["session"]) is not None:
            document["session"] = session
        return document


def quality_of(facts: ProjectFacts | None, store_writable: bool, amiss: int = 0) -> Quality:
    """Current scores; `amiss` is the number of problems in the session."""
    looked_at = facts is not None and facts.missing is None
    return Quality(
        {
            "project_health": health_score(health_checks(facts)) if facts is not None and looked_at else None,
            "permissions": project_abilities.score(project_abilities.permissions(facts, store_writable)),
            "tools_available": project_abilities.score(project_abilities.tools_of(facts)),
            "session": max(0, 100 - 50 * amiss) if amiss else None,
        }
    )


def project_context(facts: ProjectFacts | None) -> results.ProjectContext:
    """Build the project for init and status; empty without a workspace."""
    if facts is None:
        return {
            "name": "",
            "type": "unknown",
            "health_score": 0,
            "root": None,
            "working_directory": None,
            "structure_analysis": {
                "checks": [],
                "languages": [],
                "manifests": [],
                "managers": [],
                "has_readme": False,
                "has_tests": False,
                "has_docs": False,
                "has_ci": False,
                "git": None,
                "entries_scanned": 0,
                "truncated": False,
            },
        }
    checks = health_checks(facts)
    return {
        "name": facts.workspace.name,
        "type": facts.manifests.kind,
        "health_score": health_score(checks),
        "root": printable(facts.workspace.root),
        "working_directory": printable(facts.workspace.directory),
        "structure_analysis": {
            "checks": [_check(check) for check in checks],
            "languages": list(facts.manifests.languages),
            "manifests": shown(facts.manifests.files),
            "managers": [manager.program for manager in facts.manifests.managers],
            "has_readme": has_readme(facts),
            "has_tests": has_tests(facts),
            "has_docs": has_docs(facts),
            "has_ci": has_ci(facts),
            "git": None if facts.git is None else _git(facts, facts.git),
            "entries_scanned": facts.scan.entries,
            "truncated": facts.scan.truncated,
        },
    }


def sync_document(sync: Sync) -> results.DependencySync:
    return {
        "status": sync.status,
        "manager": sync.manager,
        "command": None if sync.command is None else " ".join(sync.command),
        "duration_ms": sync.milliseconds,
        "message": sync.message,
    }


def previous_document(previous: PreviousSession, open_items: Sequence[str]) -> results.PreviousSession:
    handoff = previous.handoff
    return {
        "session_id": str(previous.id),
        "ended_at": format_time(previous.ended_at),
        "state": previous.state,
        "final_quality_score": previous.final_score,
        "branch": handoff.get("branch"),
        "open_items": list(open_items),
        "learning": [entry["text"] for entry in handoff.get("learning", [])],
        "handoff_file_path": handoff.get("handoff_file_path"),
        "commits": handoff.get("subjects", []),
        "files_changed": handoff.get("files", []),
    }


def lost_points(facts: ProjectFacts | None) -> list[str]:
    """One sentence per check that lost points, most first, preceded by pending git operations."""
    return [loss.advice for loss in sorted(_lost_in_health(facts), key=_Loss.order)]


def recommendations(
    facts: ProjectFacts | None,
    store_writable: bool,
    model: ModelState,
    backlog: int | None,
    sync: Sync | None = None,
    amiss: Sequence[str] = (),
) -> list[str]:
    """Up to 5 recommendations: problems, largest score gains, a failed sync or model."""
    losses = [*_lost_in_health(facts), *_lost_abilities(facts, store_writable)]
    found = [*amiss, *(loss.advice for loss in sorted(losses, key=_Loss.order))]
    if facts is not None and facts.missing is not None:
        found.append(f"Name another folder: the working directory cannot be looked at, {facts.missing}.")
    if sync is not None and sync.status in ("failed", "timeout"):
        found.append(f"Bring the dependencies up to date by hand: {sync.manager} said {sync.status}.")
    if model.status == "failed" and backlog:
        found.append(
            f"Mend the embedding model ({model.cure}): {counted(backlog, 'passage')} without embedding."
        )
    return found[:MAX_RECOMMENDATIONS]


@dataclass(frozen=True, slots=True)
class _Loss:
    """Points missing in the overall score, and how to gain them."""

    points: float
    advice: str
    is_urgent: bool = False

    def order(self) -> tuple[bool, float]:
        return not self.is_urgent, -self.points


def _lost_in_health(facts: ProjectFacts | None) -> list[_Loss]:
    checks = [] if facts is None else health_checks(facts)
    git = None if facts is None else facts.git
    waits = git is not None and (bool(git.unmerged) or git.state in UNDER_WAY or git.state == "detached")
    share = _WEIGHTS["project_health"] / (sum(check.weight for check in checks) or 1)
    return [
        _Loss(check.lost * share, _advice(check, git), waits and check.name in _URGENT)
        for check in checks
        if check.lost > 0
    ]


def _lost_abilities(facts: ProjectFacts | None, store_writable: bool) -> list[_Loss]:
    """Missing permissions and tools. A repository that git cannot read already counts in health."""
    parts = {
        "permissions": project_abilities.permissions(facts, store_writable),
        "tools_available": project_abilities.tools_of(facts),
    }
    return [
        _Loss(
            _WEIGHTS[part] * ability.weight / sum(one.weight for one in held), _ABILITY_ADVICE[ability.name]
        )
        for part, held in parts.items()
        for ability in held
        if not ability.held and ability.name in _ABILITY_ADVICE
    ]


def _advice(check: Check, git: GitFacts | None) -> str:
    """Advice for a check; never a commit while git waits for the user."""
    if check.name == "clean_tree" and git is not None:
        what = UNDER_WAY.get(git.state)
        if git.unmerged:
            files = shown(git.unmerged[:_MAX_CONFLICTS])
            more = len(git.unmerged) - len(files)
            named = ", ".join(files) + (f" and {counted(more, 'more file')}" if more else "")
            return f"Resolve the conflicts in {named}" + (f", then finish the {what}." if what else ".")
        if what:
            return f"Finish or abort the {what} that is under way."
    is_short = check.name == "readme" and check.points > 0
    return f"{'Extend the README' if is_short else _ADVICE[check.name]}: {printable(check.detail)}."


def ability_checks(held: Sequence[Ability]) -> dict[str, bool]:
    return {ability.name: ability.held for ability in held}


def _check(check: Check) -> results.HealthCheck:
    return {
        "name": check.name,
        "weight": check.weight,
        "points": check.points,
        "detail": printable(check.detail),
    }


def _git(facts: ProjectFacts, git: GitFacts) -> results.GitState:
    return {
        "branch": git.branch,
        "commit": git.commit,
        "state": git.state,
        "changed_files": len(git.changed),
        "untracked_files": len(git.untracked),
        "worktree": printable(facts.workspace.seen),
    }
