"""Git checkpoints: commit the tracked changes once, or report why not."""

import asyncio
import contextlib
import fnmatch
import os
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.workspace.git import UNDER_WAY, Git, GitFacts, Repository, Unread, printable, shown

Status = Literal[
    "disabled", "not_a_repository", "nothing_to_commit", "refused", "failed", "timeout", "created"
]

TRAILER: Final = "Vcontract-Session"
_RETRY_SECONDS: Final = 0.1
_MAX_REASON: Final = 500
_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class GitCheckpoint:
    """Result of a checkpoint. `commit` and `files` describe a new commit; `branch` is where it was made."""

    status: Status
    reason: str | None = None
    commit: str | None = None
    branch: str | None = None
    files: int = 0

    @property
    def created(self) -> bool:
        return self.status == "created"


DISABLED: Final = GitCheckpoint("disabled", "VCONTRACT_SESSION_GIT_CHECKPOINT is off here")
LOCAL_ONLY: Final = GitCheckpoint("disabled", "a call over HTTP commits nothing")
NOT_A_REPOSITORY: Final = GitCheckpoint("not_a_repository", "there is no git repository here")


def refused(repository: Unread) -> GitCheckpoint:
    """Report a checkpoint in a repository that cannot be read."""
    return GitCheckpoint("refused", f"{repository.code}: {repository.reason}")


async def commit_checkpoint(
    git: Git, repository: Repository, subject: str, session: str, protected: Sequence[str], seconds: float
) -> GitCheckpoint:
    """Commit the tracked changes of a work tree: never `add`, hooks and signing respected, no push.

    If something prevents it, the reason is reported and nothing changes.
    """
    async with _alone(repository, seconds) as got_in:
        if not got_in:
            return GitCheckpoint("refused", "another session is making a checkpoint here")
        facts = await git.facts(repository)
        if facts is None:
            return GitCheckpoint("failed", "git could not read the state of the work tree")
        branch = facts.branch
        if reason := await _objection(git, repository, facts, protected):
            return GitCheckpoint("refused", reason, branch=branch)
        if not facts.changed:
            reason = "; ".join(["no tracked file is changed", *_left_alone(facts)])
            return GitCheckpoint("nothing_to_commit", reason, branch=branch)
        return await _commit(git, repository, facts, subject, session, protected)


async def _objection(
    git: Git, repository: Repository, facts: GitFacts, protected: Sequence[str]
) -> str | None:
    """Return why no commit may be made now, or None."""
    if facts.unmerged:
        return f"unmerged_paths: {counted(len(facts.unmerged), 'file')} with conflicts"
    if facts.state in UNDER_WAY:
        return f"{facts.state}: it is under way; finish it first"
    if facts.branch is None:
        return "detached_head: HEAD is on no branch"
    if (repository.git_dir / "index.lock").exists():
        return "index_lock: another git is at work, or one has died; see index.lock"
    if facts.staged:
        return f"staged_changes: {counted(facts.staged, 'file')} staged; somebody is preparing a commit"
    if pattern := _protecting(facts.branch, protected):
        return f"protected_branch: {facts.branch} is protected by {pattern}"
    for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if await git.read(repository.work_tree, "-c", "user.useConfigOnly=true", "var", name) is None:
            return "no_identity: git has no user.name and user.email here"
    return None


def _protecting(branch: str, protected: Sequence[str]) -> str | None:
    return next((pattern for pattern in protected if fnmatch.fnmatchcase(branch, pattern)), None)


async def _commit(
    git: Git, repository: Repository, facts: GitFacts, subject: str, session: str, protected: Sequence[str]
) -> GitCheckpoint:
    finished = await git.commit(
        repository.work_tree, "--quiet", "-a", "-m", subject, "-m", f"{TRAILER}: {session}"
    )
    if finished.killed:
        # a git that receives TERM removes its lock; a killed one cannot
        with contextlib.suppress(OSError):
            (repository.git_dir / "index.lock").unlink()
    made = await _made(git, repository, facts.commit, session, has_ended_well=finished.succeeded)
    if made is not None:
        listed = await git.read(
            repository.work_tree,
            *("diff-tree", "--no-commit-id", "--name-only", "--root", "-r", "-z", made),
        )
        branch = await _branch(git, repository)
        reason = "; ".join([*_moved(facts.branch, branch, protected), *_left_alone(facts)])
        return GitCheckpoint("created", reason or None, made, branch, (listed or b"").count(b"\0"))
    if finished.timed_out:
        return GitCheckpoint("timeout", "git commit took too long and was ended", branch=facts.branch)
    if finished.succeeded:
        reason = "git commit went well, but HEAD is not at its commit: a hook may have moved it"
        return GitCheckpoint("failed", reason, branch=await _branch(git, repository))
    said = (finished.errors or finished.output).decode("utf-8", "replace").strip()[-_MAX_REASON:]
    return GitCheckpoint("failed", said or f"git commit ended with {finished.code}", branch=facts.branch)


async def _made(
    git: Git, repository: Repository, before: str | None, session: str, *, has_ended_well: bool
) -> str | None:
    """Return HEAD's commit if it is ours: a child of the previous one.

    It needs our trailer unless git succeeded, because a hook may have changed the message.
    """
    shown = await git.read(
        repository.work_tree, "log", "-1", "--no-show-signature", "--format=%H%x00%P%x00%B", "HEAD"
    )
    if shown is None:
        return None
    commit, _, rest = shown.decode("utf-8", "replace").partition("\0")
    parent, _, message = rest.partition("\0")
    is_next = commit != before and parent.strip() == (before or "")
    return commit if is_next and (has_ended_well or f"{TRAILER}: {session}" in message) else None


async def _branch(git: Git, repository: Repository) -> str | None:
    """Return the branch of HEAD."""
    name = await git.read(repository.work_tree, "symbolic-ref", "--quiet", "--short", "HEAD")
    return printable(os.fsdecode(name.removesuffix(b"\n"))) if name else None


def _left_alone(facts: GitFacts) -> list[str]:
    """Report the untracked files, which no checkpoint commits, the first ones by name."""
    if not facts.untracked:
        return []
    names = shown(facts.untracked[:_MAX_NAMED])
    if more := len(facts.untracked) - len(names):
        names.append(f"{more} more")
    count = counted(len(facts.untracked), "untracked file")
    return [f"{count} left alone (git add to include): {', '.join(names)}"]


def _moved(before: str | None, after: str | None, protected: Sequence[str]) -> list[str]:
    """Report a commit that is on another branch than intended."""
    if after == before:
        return []
    problem = f"branch_switched: a hook has switched from {before} to {after or 'no branch'}"
    pattern = None if after is None else _protecting(after, protected)
    return [problem if pattern is None else f"{problem}, which is protected by {pattern}"]


@asynccontextmanager
async def _alone(repository: Repository, seconds: float) -> AsyncGenerator[bool]:
    """Lock the repository against commits of other sessions. Yields False if another one is committing."""
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    descriptor = os.open(repository.common_dir, os.O_RDONLY)
    try:
        ends = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > ends:
                    yield False
                    return
            await asyncio.sleep(_RETRY_SECONDS)
        yield True
    finally:
        os.close(descriptor)


def subject_of(project: str, quality: int) -> str:
    """First line of a checkpoint's message. A project name that would break the line is left out."""
    name = "".join(letter if letter.isprintable() else "\ufffd" for letter in project)
    return f"checkpoint: {name} (quality {quality}/100)"


def is_allowed(setting: bool | tuple[Path, ...], root: Path) -> bool:
    """Whether a setting that is a switch or a list of roots is on for a project."""
    if isinstance(setting, bool):
        return setting
    return any(Path(os.path.realpath(path.expanduser())) == root for path in setting)
