"""Git as a session reads it: where a folder's repository is and how it stands; nothing is changed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from vcontract.runtime.workspace.git_guard import run_guarded
from vcontract.runtime.workspace.processes import Finished, run

State = Literal[
    "clean", "changed", "merge", "rebase", "cherry_pick", "revert", "bisect", "detached", "no_commit"
]

_TRUSTING: Final = "git config --global --add safe.directory"
"""The cure that git prints, in every language, for a repository that somebody else owns."""
_TO_BE_ADDED: Final = ".A"
"""The marks of a file of which only the name is staged."""
_MAX_SUBJECTS: Final = 50
UNDER_WAY: Final[dict[State, str]] = {
    "merge": "merge",
    "rebase": "rebase",
    "cherry_pick": "cherry-pick",
    "revert": "revert",
    "bisect": "bisect",
}
"""States in which git waits for somebody to go on, and how they are called."""
_UNDER_WAY: Final[tuple[tuple[str, State], ...]] = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry_pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository around a folder. `main` is the work tree it was made with, `work_tree` the one around."""

    work_tree: Path
    main: Path
    git_dir: Path
    """Of the work tree; `common_dir` is that of all of them."""
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Unread:
    """A repository that is there, and that is not read."""

    code: Literal["dubious_ownership", "no_work_tree", "outside", "not_its_own"]
    reason: str
    """What is wrong, and what cures it."""


@dataclass(frozen=True, slots=True)
class GitFacts:
    """A work tree as it stands."""

    branch: str | None
    """None when HEAD is detached."""
    commit: str | None
    """None before the first one."""
    committed_at: int | None
    """When that was, in seconds since 1970."""
    state: State
    changed: tuple[str, ...]
    """Tracked files that differ from the last commit, staged or not."""
    untracked: tuple[str, ...]
    ignored: tuple[str, ...]
    """Files and folders below the work tree that git ignores."""
    staged: int
    unmerged: tuple[str, ...]
    """Files with conflicts."""
    tracked: int


@dataclass(frozen=True, slots=True)
class Since:
    """What has happened since a commit; lines count those not yet committed, too."""

    commits: int | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    subjects: tuple[str, ...] = ()
    """The short hashes and first lines of the newest commits."""
    files: tuple[str, ...] = ()
    """What differs."""


class Git:
    """Reads repositories with the git on PATH; every call ends after `seconds`.

    No program runs that a repository names but in `commit`. Plumbing is asked where there is some: unlike
    `log` and `diff` it verifies no signature, converts no text and writes no index.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def repository(self, folder: Path) -> Repository | Unread | None:
        """The repository around `folder`; None when there is none, or no git that can read it."""
        try:
            finished = await self._run(folder, "rev-parse", "--is-inside-git-dir", "--show-toplevel")
        except OSError:
            return None  # no git, or the folder has gone
        is_inside, _, rest = finished.output.partition(b"\n")
        if is_inside == b"true":
            return Unread("no_work_tree", "the folder is the inside of a git repository, not a work tree")
        top = _path(rest)
        if not finished.succeeded or top is None:
            return _unread(finished.errors)  # a git that hangs does so once
        git_dir = await self._path(folder, "--absolute-git-dir")
        common = await self._path(folder, "--path-format=absolute", "--git-common-dir")
        if git_dir is None or common is None:
            return None
        owner = _owner(git_dir, common)
        if owner not in (None, _real(top)) and not await self.read(
            folder, "config", "--get", "core.worktree"
        ):
            return Unread(
                "not_its_own",
                f"the .git here leads to the repository of {owner}, whose history a commit would change; "
                "remove it, or, if that work tree was moved here: git worktree repair",
            )
        main = top if git_dir == common else await self._main_work_tree(folder, top)
        return Repository(top, main, git_dir, common)

    async def facts(self, repository: Repository) -> GitFacts | None:
        """How the work tree stands; None when git cannot say, in time or at all."""
        folder = repository.work_tree
        status = await self.read(
            folder,
            "status",
            *("--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignored=matching"),
            *("--ignore-submodules=dirty", "--no-renames"),
        )
        tracked = await self.read(folder, "ls-files", "-z")
        if status is None or tracked is None:
            return None
        head, entries = _read_status(status)
        if "oid" not in head:
            return None  # more was said than is kept, and its beginning is lost
        commit = None if head.get("oid") in (None, "(initial)") else head["oid"]
        branch = None if head.get("head") in (None, "(detached)") else printable(head["head"])
        committed = await self._committed_at(folder) if commit else None
        changed = [path for kind, _, path in entries if kind in "12u"]
        return GitFacts(
            branch=branch,
            commit=commit,
            committed_at=committed,
            state=_state(repository.git_dir, branch, commit, bool(changed)),
            changed=tuple(changed),
            untracked=tuple(path for kind, _, path in entries if kind == "?"),
            ignored=tuple(path for kind, _, path in entries if kind == "!"),
            staged=sum(
                kind in "12" and (marks[:1] != "." or marks == _TO_BE_ADDED) for kind, marks, _ in entries
            ),
            unmerged=tuple(path for kind, _, path in entries if kind == "u"),
            tracked=tracked.count(b"\0"),
        )

    async def since(self, repository: Repository, commit: str | None) -> Since:
        """What has happened since `commit`; unknown where it is None or not there any more."""
        if commit is None:
            return Since()
        folder = repository.work_tree
        commits = await self.read(folder, "rev-list", "--count", f"{commit}..HEAD", "--")
        lines = await self.read(
            folder, "diff-index", "--numstat", "-z", "--ignore-submodules=dirty", "--no-renames", commit, "--"
        )
        if commits is None or lines is None:
            return Since()
        # of a binary file git says "-"
        rows = [row.split(b"\t", 2) for row in lines.split(b"\0") if row.count(b"\t") >= 2]
        added, removed = (sum(int(row[at]) for row in rows if row[at].isdigit()) for at in (0, 1))
        told = await self.read(
            folder, "rev-list", f"--max-count={_MAX_SUBJECTS}", "--format=%x00%h %s", f"{commit}..HEAD", "--"
        )
        subjects = [line[1:] for line in (told or b"").split(b"\n") if line.startswith(b"\0")]
        return Since(
            int(commits),
            added,
            removed,
            tuple(subject.decode("utf-8", "replace") for subject in subjects),
            tuple(os.fsdecode(row[2]) for row in rows),
        )

    async def read(self, folder: Path, *arguments: str) -> bytes | None:
        """What a reading command prints; None when it fails or takes too long."""
        try:
            finished = await self._run(folder, *arguments)
        except OSError:
            return None  # no git, or the folder has gone
        return finished.output if finished.succeeded else None

    async def commit(self, folder: Path, *arguments: str) -> Finished:
        """Commit as somebody at the keyboard would: with the hooks, filters and signing of the repository.

        Raises: OSError when there is no git, or no folder.
        """
        command = ["git", "commit", *arguments]
        return await run(command, folder, self._seconds, environment={"GIT_TERMINAL_PROMPT": "0"})

    async def _run(self, folder: Path, *arguments: str) -> Finished:
        return await run_guarded(folder, arguments, self._seconds)

    async def _committed_at(self, folder: Path) -> int | None:
        """When HEAD was committed."""
        listed = await self.read(folder, "rev-list", "--max-count=1", "--timestamp", "HEAD", "--")
        seconds = (listed or b"").partition(b" ")[0]
        return int(seconds) if seconds.isdigit() else None

    async def _path(self, folder: Path, *arguments: str) -> Path | None:
        return _path(await self.read(folder, "rev-parse", *arguments) or b"")

    async def _main_work_tree(self, folder: Path, top: Path) -> Path:
        """The first work tree of the list, unless it is none: that of a bare repository, or of a module."""
        output = await self.read(folder, "worktree", "list", "--porcelain", "-z") or b""
        first = output.split(b"\0\0")[0].split(b"\0")
        path = Path(os.fsdecode(first[0].removeprefix(b"worktree ")))
        return path if b"bare" not in first and (path / ".git").is_dir() else top


def _path(output: bytes) -> Path | None:
    """The path that git printed; None when it is nothing."""
    return Path(os.fsdecode(output.removesuffix(b"\n"))) if output.strip() else None


def _owner(git_dir: Path, common_dir: Path) -> Path | None:
    """The work tree that a repository was made with, as it says itself; None when it does not.

    Source: gitrepository-layout(5), worktrees/<id>/gitdir.
    """
    if git_dir == common_dir:
        return _real(git_dir.parent) if git_dir.name == ".git" else None
    try:
        pointer = os.fsdecode((git_dir / "gitdir").read_bytes()).strip()
    except OSError:
        return None
    return _real(git_dir.joinpath(pointer).parent)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _unread(errors: bytes) -> Unread | None:
    """What git says of a repository that it does not trust; None when it says something else."""
    lines = errors.decode("utf-8", "replace").splitlines()
    cure = next((line.strip() for line in lines if _TRUSTING in line), None)
    if cure is None:
        return None
    reason = f"somebody else owns the git repository here, so git does not read it; to trust it: {cure}"
    return Unread("dubious_ownership", reason)


def _read_status(output: bytes) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """The headers, and `(kind, marks, path)` of each entry: 1 changed, u unmerged, ? new, ! ignored.

    Source: git-status(1), "Porcelain Format Version 2".
    """
    head: dict[str, str] = {}
    entries: list[tuple[str, str, str]] = []
    for record in output.split(b"\0"):
        line = os.fsdecode(record)
        kind, _, rest = line.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            head[name.removeprefix("branch.")] = value
        elif kind in ("?", "!"):
            entries.append((kind, "", rest))
        elif kind in ("1", "u"):
            fields = rest.split(" ", 7 if kind == "1" else 9)
            entries.append((kind, fields[0], fields[-1]))
    return head, entries


def _state(git_dir: Path, branch: str | None, commit: str | None, changed: bool) -> State:
    for name, state in _UNDER_WAY:
        if (git_dir / name).exists():
            return state
    if (sequence := _sequence(git_dir)) is not None:
        return sequence
    if commit is None:
        return "no_commit"
    if branch is None:
        return "detached"
    return "changed" if changed else "clean"


def _sequence(git_dir: Path) -> State | None:
    """What is under way between two of several commits that are picked or reverted."""
    try:
        steps = (git_dir / "sequencer" / "todo").read_bytes()
    except OSError:
        return None
    return "revert" if steps.startswith(b"revert") else "cherry_pick"


def shown(paths: Sequence[str]) -> list[str]:
    """Paths as text: what is not UTF-8 is U+FFFD."""
    return [printable(path) for path in paths]


def printable(path: str | Path) -> str:
    """A path as text; a byte that is not UTF-8 is U+FFFD, an undecodable name breaks nothing."""
    return os.fsencode(path).decode("utf-8", "replace")
