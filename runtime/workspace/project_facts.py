"""Collect facts about the project around a working directory, read-only."""

import asyncio
import contextlib
import hashlib
import os
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vcontract.runtime.workspace.confinement import WORDS, Confinement, unusable
from vcontract.runtime.workspace.git import Git, GitFacts, Repository, Unread, printable
from vcontract.runtime.workspace.manifests import Manifests, read_manifests
from vcontract.runtime.workspace.scan import Scan, scan

_MAX_SCANNED: Final = 2_000


@dataclass(frozen=True, slots=True)
class Workspace:
    """A working directory and its project's root."""

    directory: Path
    root: Path
    repository: Repository | None
    unread: Unread | None = None
    """The repository, if it exists but cannot be read."""

    @property
    def name(self) -> str:
        """Base name of the root, NFC."""
        return project_name(self.root)

    @property
    def seen(self) -> Path:
        """The inspected folder: the session's work tree, or the directory itself."""
        return self.repository.work_tree if self.repository is not None else self.directory


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """State of a project at the time of inspection."""

    workspace: Workspace
    scan: Scan
    manifests: Manifests
    git: GitFacts | None
    missing: str | None = None
    """Why the directory could not be inspected, or None."""

    def lock_digest(self) -> bytes | None:
        """Digest of the package managers' lock files; None without any."""
        top = self.scan.top()
        present = [lock for manager in self.manifests.managers for lock in manager.locks if lock in top]
        if not present:
            return None
        texts = [f"{lock}\0{self.scan.text(lock)}" for lock in present]
        return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()

    def moved_at(self) -> float | None:
        """Time of the last commit or change, in seconds since 1970; None without git."""
        if self.git is None:
            return None
        paths = [self.workspace.seen / path for path in (*self.git.changed, *self.git.untracked)]
        times = [float(self.git.committed_at or 0)]
        for path in paths[:_MAX_SCANNED]:
            with contextlib.suppress(OSError):
                # the folder's time shows that a file was removed
                times.append((path if path.exists() else path.parent).lstat().st_mtime)
        return max(times)


def project_name(root: Path) -> str:
    """Project name: base name of its root, NFC; `/` for the root of the file system."""
    return unicodedata.normalize("NFC", printable(root.name)) or "/"


async def find_workspace(directory: Path, git: Git, confinement: Confinement) -> Workspace:
    """Find the project around a folder: the main work tree of its repository.

    If that is not allowed, it is the work tree of the folder; without a readable repository, the folder.
    """
    found = await git.repository(directory)
    if isinstance(found, Repository):
        found = _confined(found, directory, confinement)
    if isinstance(found, Repository):
        return Workspace(directory, found.main, found)
    return Workspace(directory, directory, None, found)


def _confined(repository: Repository, directory: Path, confinement: Confinement) -> Repository | Unread:
    """Restrict a repository to allowed folders, because its own settings may point anywhere."""
    folder = Path(os.path.realpath(directory))
    if repository.work_tree not in (folder, *folder.parents):
        return Unread("outside", "the git repository here has its work tree elsewhere")
    if not all(map(confinement.reaches, (repository.work_tree, repository.git_dir, repository.common_dir))):
        reason = "the git repository here lies outside the folders that sessions may work in"
        return Unread("outside", f"{reason}; the operator names more in VCONTRACT_SESSION_ALLOWED_ROOTS")
    return (
        repository if confinement.reaches(repository.main) else replace(repository, main=repository.work_tree)
    )


async def gather(workspace: Workspace, git: Git) -> ProjectFacts:
    """Inspect the project. What cannot be read is empty."""
    fault = unusable(workspace.directory)
    missing = fault and WORDS[fault]
    facts = None
    if missing is None and workspace.repository is not None:
        facts = await git.facts(workspace.repository)
    found, manifests = await asyncio.to_thread(_look, workspace.seen, facts.ignored if facts else ())
    return ProjectFacts(workspace, found, manifests, facts, missing)


def _look(folder: Path, ignored: tuple[str, ...]) -> tuple[Scan, Manifests]:
    found = scan(folder, ignored)
    return found, read_manifests(found)
