"""Project health: checks with points and weights, and the total score."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.workspace.git import UNDER_WAY
from vcontract.runtime.workspace.languages import is_test, language_of_manifest
from vcontract.runtime.workspace.project_facts import ProjectFacts

_LONG_README: Final = 1_500
_SHORT_README: Final = 200
_MAX_CHANGED: Final = 20
_CI_FILES: Final = frozenset(
    {".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".woodpecker.yml", "Jenkinsfile", "appveyor.yml"}
    | {"azure-pipelines.yml", "bitbucket-pipelines.yml", ".cirrus.yml", "cloudbuild.yaml"}
)
_CI_FOLDERS: Final = (
    *(".github/workflows", ".forgejo/workflows", ".circleci", ".buildkite", ".woodpecker", ".ci"),
)
_DOCS: Final = ("docs", "doc", "documentation")


@dataclass(frozen=True, slots=True)
class Check:
    """One applicable check: `points` of `weight`, and the facts behind them in a few words."""

    name: str
    weight: int
    points: float
    detail: str

    @property
    def lost(self) -> float:
        return self.weight - self.points


def rounded(value: float) -> int:
    """To the nearest integer, halves up."""
    return math.floor(value + 0.5)


def weighted(parts: Sequence[tuple[float, float]]) -> int:
    """Return 100 times the points of `(points, weight)` over the weights, rounded; 0 without any."""
    whole = sum(weight for _, weight in parts)
    return rounded(100 * sum(points for points, _ in parts) / whole) if whole else 0


def health_checks(facts: ProjectFacts) -> list[Check]:
    """Return the applicable checks in order; none if the project could not be read."""
    if facts.missing is not None:
        return []
    return [check for make in _CHECKS if (check := make(facts)) is not None]


def health_score(checks: Sequence[Check]) -> int:
    """Score from 0 to 100."""
    return weighted([(check.points, check.weight) for check in checks])


def has_readme(facts: ProjectFacts) -> bool:
    return _readme(facts) is not None


def has_tests(facts: ProjectFacts) -> bool:
    return any(is_test(path, language) for path in facts.scan.files for language in facts.manifests.languages)


def has_ci(facts: ProjectFacts) -> bool:
    return bool(_ci(facts))


def has_docs(facts: ProjectFacts) -> bool:
    return any(facts.scan.inside(folder) for folder in _DOCS)


def _version_control(facts: ProjectFacts) -> Check:
    workspace = facts.workspace
    if workspace.unread is not None:
        held, detail = False, workspace.unread.reason
    elif workspace.repository is None:
        held, detail = False, "no git work tree"
    elif facts.git is None:
        held, detail = False, "git cannot read the state of the work tree"
    else:
        held = facts.git.commit is not None
        detail = "in a git work tree" if held else "git work tree without a commit"
    return _all_or_none("version_control", 20, held, detail)


def _manifest(facts: ProjectFacts) -> Check | None:
    manifests = facts.manifests
    if not manifests.languages:
        return None
    if not manifests.files:
        return Check("manifest", 15, 0, f"no manifest for {' and '.join(manifests.languages)}")
    if manifests.unreadable:
        return Check("manifest", 15, 7.5, f"{manifests.unreadable[0]} does not parse")
    return Check("manifest", 15, 15, manifests.files[0])


def _lockfile(facts: ProjectFacts) -> Check | None:
    manifests = facts.manifests
    present = facts.scan.top()
    managers = [manager for manager in manifests.managers if manager.locks]
    # its only file is requirements.txt, both requirement and lock
    alone = [path for path in present if language_of_manifest(path)] == ["requirements.txt"]
    if not managers or not manifests.has_dependencies or alone:
        return None
    lacking = [manager for manager in managers if not any(lock in present for lock in manager.locks)]
    if lacking:
        return Check("lockfile", 10, 0, f"no {lacking[0].locks[0]} for {lacking[0].program}")
    found = [lock for manager in managers for lock in manager.locks if lock in present]
    return Check("lockfile", 10, 10, ", ".join(found))


def _readme_check(facts: ProjectFacts) -> Check:
    text = _readme(facts)
    if text is None:
        return Check("readme", 10, 0, "no README")
    length = len(text.strip())
    return Check(
        "readme", 10, 10 if length >= _SHORT_README else 5, f"README of {counted(length, 'character')}"
    )


def _license(facts: ProjectFacts) -> Check:
    begins = ("LICENSE", "LICENCE", "COPYING")
    names = [name for name in facts.scan.top() if name.upper().startswith(begins)]
    held = bool(names) or facts.manifests.has_license
    return _all_or_none(
        "license", 5, held, names[0] if names else "in the manifest" if held else "no licence"
    )


def _tests(facts: ProjectFacts) -> Check | None:
    if not facts.manifests.languages:
        return None
    held = has_tests(facts)
    return _all_or_none("tests", 15, held, "test files found" if held else "no test files")


def _ci_check(facts: ProjectFacts) -> Check | None:
    if facts.git is None:
        return None
    found = _ci(facts)
    return _all_or_none("ci", 10, bool(found), found[0] if found else "no CI configuration")


def _docs(facts: ProjectFacts) -> Check:
    folder = has_docs(facts)
    held = folder or len((_readme(facts) or "").strip()) >= _LONG_README
    detail = "a docs folder" if folder else "a long README" if held else "no docs folder, and no long README"
    return _all_or_none("docs", 5, held, detail)


def _clean_tree(facts: ProjectFacts) -> Check | None:
    if facts.git is None:
        return None
    if facts.git.unmerged:
        conflicts = f"conflicts in {counted(len(facts.git.unmerged), 'file')}"
        return Check("clean_tree", 10, 0, conflicts)
    if facts.git.state in UNDER_WAY:
        return Check("clean_tree", 10, 0, f"a {UNDER_WAY[facts.git.state]} is under way")
    changed = len(facts.git.changed)
    points = 10 * (1 - min(changed, _MAX_CHANGED) / _MAX_CHANGED)
    detail = f"{changed} of {facts.git.tracked} tracked files are changed"
    if changed and facts.git.committed_at is not None:
        detail += f"; last commit {ago(time.time() - facts.git.committed_at)} ago"
    return Check("clean_tree", 10, points, detail)


def _branch(facts: ProjectFacts) -> Check | None:
    """Check that HEAD is on a branch. Skipped while git waits for the user."""
    if facts.git is None or facts.git.state != "detached":
        return None
    return Check("branch", 10, 0, "HEAD is detached: what is committed now is on no branch")


_CHECKS: Final[tuple[Callable[[ProjectFacts], Check | None], ...]] = (
    _version_control,
    _manifest,
    _lockfile,
    _readme_check,
    _license,
    _tests,
    _ci_check,
    _docs,
    _clean_tree,
    _branch,
)


def ago(seconds: float) -> str:
    """Format a duration in its largest unit: `3 h`, `12 min`, `2 days`."""
    minutes = max(int(seconds // 60), 0)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 2_880 else f"{minutes // 1_440} days"


def _all_or_none(name: str, weight: int, held: bool, detail: str) -> Check:
    return Check(name, weight, weight if held else 0, detail)


def _readme(facts: ProjectFacts) -> str | None:
    names = [name for name in facts.scan.top() if name.casefold().partition(".")[0] == "readme"]
    texts = [text for name in names if (text := facts.scan.text(name)) is not None]
    return max(texts, key=len, default=None)


def _ci(facts: ProjectFacts) -> list[str]:
    single = [name for name in facts.scan.top() if name in _CI_FILES]
    return single + [path for folder in _CI_FOLDERS for path in facts.scan.inside(folder)]
