"""Read a folder's git repository: where it is and its state. Only `Git.commit` changes anything."""

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
"""The fix that git prints, in every language, for a repository of another owner."""
_TO_BE_ADDED: Final = ".A"
"""Marks of a file with only its name staged (intent to add)."""
_MAX_SUBJECTS: Final = 50
UNDER_WAY: Final[dict[State, str]] = {
    "merge": "merge",
    "rebase": "rebase",
    "cherry_pick": "cherry-pick",
    "revert": "revert",
    "bisect": "bisect",
}
"""States in which git waits for the user to continue, and their names."""
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
    """A repository around a folder. `main` is its original work tree, `work_tree` the current one."""

    work_tree: Path
    main: Path
    git_dir: Path
    """Git directory of the work tree; `common_dir` is shared by all of them."""
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Unread:
    """An existing repository that cannot be read."""

    code: Literal["dubious_ownership", "no_work_tree", "outside", "not_its_own"]
    reason: str
    """The problem, and how to fix it."""


@dataclass(frozen=True, slots=True)
class GitFacts:
    """State of a work tree."""

    branch: str | None
    """None if HEAD is detached."""
    commit: str | None
    """None before the first commit."""
    committed_at: int | None
    """Time of that commit, in seconds since 1970."""
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
    """Changes since a commit. Line counts include uncommitted changes."""

    commits: int | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    subjects: tuple[str, ...] = ()
    """Short hashes and first lines of the newest commits."""
    files: tuple[str, ...] = ()
    """Files that differ."""


class Git:
    """Reads repositories with the git on PATH; every call ends after `seconds`.

    Only `commit` runs programs that a repository names. Plumbing commands are used where they exist: unlike
    `log` and `diff`, they verify no signature, convert no text and write no index.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def repository(self, folder: Path) -> Repository | Unread | None:
        """Find the repository around `folder`. None outside a repository, or without a usable git."""
        try:
            finished = await self._run(folder, "rev-parse", "--is-inside-git-dir", "--show-toplevel")
        except OSError:
            return None  # no git, or the folder is gone
        is_inside, _, rest = finished.output.partition(b"\n")
        if is_inside == b"true":
            return Unread("no_work_tree", "the folder is the inside of a git repository, not a work tree")
        top = _path(rest)
        if not finished.succeeded or top is None:
            return _unread(finished.errors)  # do not retry with a git that hangs
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
        """Read the state of the work tree; None if git fails or times out."""
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
            return None  # the output was too long, so its beginning is lost
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
        """Return changes since `commit`. Unknown if it is None or no longer exists."""
        if commit is None:
            return Since()
        folder = repository.work_tree
        commits = await self.read(folder, "rev-list", "--count", f"{commit}..HEAD", "--")
        lines = await self.read(
            folder, "diff-index", "--numstat", "-z", "--ignore-submodules=dirty", "--no-renames", commit, "--"
        )
        if commits is None or lines is None:
            return Since()
        # for binary files git prints "-"
        rows = [row.split(b"\t", 2) for row in lines.split(b"\0") if row.count(b"\t") >= 2]
        added, removed = (sum(int(row[at]) for row in rows if row[at].isdigit()) for at in (0, 1))
        log = await self.read(
            folder, "rev-list", f"--max-count={_MAX_SUBJECTS}", "--format=%x00%h %s", f"{commit}..HEAD", "--"
        )
        subjects = [line[1:] for line in (log or b"").split(b"\n") if line.startswith(b"\0")]
        return Since(
            int(commits),
            added,
            removed,
            tuple(subject.decode("utf-8", "replace") for subject in subjects),
            tuple(os.fsdecode(row[2]) for row in rows),
        )

    async def read(self, folder: Path, *arguments: str) -> bytes | None:
        """Return the output of a reading command; None if it fails or times out."""
        try:
            finished = await self._run(folder, *arguments)
        except OSError:
            return None  # no git, or the folder is gone
        return finished.output if finished.succeeded else None

    async def commit(self, folder: Path, *arguments: str) -> Finished:
        """Commit as a user would, with the repository's hooks, filters and signing.

        Raises: OSError if there is no git, or no folder.
        """
        command = ["git", "commit", *arguments]
        return await run(command, folder, self._seconds, environment={"GIT_TERMINAL_PROMPT": "0"})

    async def _run(self, folder: Path, *arguments: str) -> Finished:
        return await run_guarded(folder, arguments, self._seconds)

    async def _committed_at(self, folder: Path) -> int | None:
        """Commit time of HEAD."""
        listed = await self.read(folder, "rev-list", "--max-count=1", "--timestamp", "HEAD", "--")
        seconds = (listed or b"").partition(b" ")[0]
        return int(seconds) if seconds.isdigit() else None

    async def _path(self, folder: Path, *arguments: str) -> Path | None:
        return _path(await self.read(folder, "rev-parse", *arguments) or b"")

    async def _main_work_tree(self, folder: Path, top: Path) -> Path:
        """Return the first listed work tree, unless the repository is bare or a submodule."""
        output = await self.read(folder, "worktree", "list", "--porcelain", "-z") or b""
        first = output.split(b"\0\0")[0].split(b"\0")
        path = Path(os.fsdecode(first[0].removeprefix(b"worktree ")))
        return path if b"bare" not in first and (path / ".git").is_dir() else top


def _path(output: bytes) -> Path | None:
    """Return the path that git printed, or None."""
    return Path(os.fsdecode(output.removesuffix(b"\n"))) if output.strip() else None


def _owner(git_dir: Path, common_dir: Path) -> Path | None:
    """Return the work tree in which a repository was created, from its own files, or None.

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
    """Parse git's message about an untrusted repository; None for any other message."""
    lines = errors.decode("utf-8", "replace").splitlines()
    cure = next((line.strip() for line in lines if _TRUSTING in line), None)
    if cure is None:
        return None
    reason = f"somebody else owns the git repository here, so git does not read it; to trust it: {cure}"
    return Unread("dubious_ownership", reason)


def _read_status(output: bytes) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """Parse the headers, and `(kind, marks, path)` of each entry: 1 changed, u unmerged, ? new, ! ignored.

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
    """Return the operation in progress between two of several commits being picked or reverted."""
    try:
        steps = (git_dir / "sequencer" / "todo").read_bytes()
    except OSError:
        return None
    return "revert" if steps.startswith(b"revert") else "cherry_pick"


def shown(paths: Sequence[str]) -> list[str]:
    """Decode paths; invalid UTF-8 becomes U+FFFD."""
    return [printable(path) for path in paths]


def printable(path: str | Path) -> str:
    """Decode a path; invalid UTF-8 becomes U+FFFD, so no name causes an error."""
    return os.fsencode(path).decode("utf-8", "replace")
