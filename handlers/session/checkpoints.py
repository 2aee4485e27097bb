"""The tool `checkpoint`: assess a session, and commit if allowed."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import MISSING

from vcontract.generated.models import session as models
from vcontract.generated.results.session import (
    SessionCheckpointResult,
    SessionCheckpointResultWorkflowInsights,
)
from vcontract.handlers.session.current_session import CurrentSession
from vcontract.handlers.session.describing import Quality, quality_of, recommendations
from vcontract.handlers.session.services import SessionTools
from vcontract.handlers.session.workplace import now
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.sessions import work
from vcontract.runtime.store.sessions.work import Checkpoint
from vcontract.runtime.vcon.identity import new_uuid
from vcontract.runtime.workspace.checkpoints import (
    DISABLED,
    LOCAL_ONLY,
    NOT_A_REPOSITORY,
    GitCheckpoint,
    commit_checkpoint,
    refused,
    subject_of,
)
from vcontract.runtime.workspace.git import Since
from vcontract.runtime.workspace.project_facts import ProjectFacts, gather

_MANY_CHANGED = 20
_MANY_UNTRACKED = 50
_LONG_MINUTES = 45
_CHECKPOINTS_WITHOUT_LEARNING = 3
_LARGE_BACKLOG = 1_000
_DEEP_FALL = -10
_MAX_REASON_LENGTH = 200


class CheckpointsTools(SessionTools):
    """The tool `checkpoint`."""

    async def checkpoint(
        self, params: models.SessionCheckpointParams, ctx: ToolContext, /
    ) -> SessionCheckpointResult:
        found = await self._sessions.meant(ctx, None if params.session_id is MISSING else params.session_id)
        facts = await self._workplace.look_at(ctx, found.session.directory)
        quality = quality_of(facts, found.state.writable)
        git = await self._commit(ctx, found, facts, quality)
        if git.created and facts is not None:
            facts = await gather(facts.workspace, self._workplace.git)
        since = await self._since(found, facts)
        at = now()
        amiss = amiss_of(found, facts, git, at)
        quality = quality_of(facts, found.state.writable, len(amiss)) if amiss else quality
        taken = Checkpoint(new_uuid(at), at, quality.overall, git.commit)
        is_kept = await self._keep_checkpoint(ctx, found, taken)
        insights = insights_of(found, facts, since, taken)
        return {
            "success": True,
            "quality_score": quality.document(),
            "recommendations": recommendations(
                facts,
                found.state.writable,
                self._sessions.model_state,
                found.state.backlog,
                amiss=amiss,
            ),
            "git_checkpoint_created": git.created,
            "git": {
                "status": git.status,
                "reason": git.reason,
                "commit": git.commit,
                "branch": git.branch,
                "files": git.files,
            },
            "optimization_suggestions": suggestions_of(insights),
            "workflow_insights": insights,
            "session_id": str(found.session.id) if found.stored or is_kept else None,
            "checkpoint_id": str(taken.id) if is_kept else None,
            "working_directory": found.session.directory,
        }

    async def _commit(
        self, ctx: ToolContext, found: CurrentSession, facts: ProjectFacts | None, quality: Quality
    ) -> GitCheckpoint:
        if facts is None or not self._workplace.rules.commits(facts.workspace.root, local=ctx.caller.local):
            return DISABLED if ctx.caller.local else LOCAL_ONLY
        repository = facts.workspace.repository
        if repository is None:
            unread = facts.workspace.unread
            return NOT_A_REPOSITORY if unread is None else refused(unread)
        return await commit_checkpoint(
            self._workplace.git,
            repository,
            subject_of(facts.workspace.name, quality.overall),
            str(found.session.id),
            self._workplace.rules.protected_branches,
            self._workplace.rules.git_seconds,
        )

    async def _since(self, found: CurrentSession, facts: ProjectFacts | None) -> Since:
        repository = None if facts is None else facts.workspace.repository
        if repository is None:
            return Since()
        return await self._workplace.git.since(repository, found.session.start_commit)

    async def _keep_checkpoint(self, ctx: ToolContext, found: CurrentSession, taken: Checkpoint) -> bool:
        """Store the checkpoint, and the session if it was not stored yet. Returns whether that succeeded."""
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    if not found.stored:
                        await self._sessions.keep(connection, ctx, found.session)
                    await work.insert_checkpoint(connection, ctx.tenant, found.session.id, taken)
                    await work.touch(connection, ctx.tenant, found.session.id, taken.at)
        except StoreDown:
            return False
        self._sessions.held.put(ctx, found.session, stored=True)
        return True


def amiss_of(
    found: CurrentSession, facts: ProjectFacts | None, git: GitCheckpoint, at: datetime
) -> list[str]:
    """Problems of the session, each with advice."""
    problems: list[str] = []
    if git.status in ("failed", "timeout"):
        said = " ".join((git.reason or "").split())
        problems.append(f"Mend what keeps git from committing: {said[:_MAX_REASON_LENGTH]}")
    before = found.checkpoints[-1].at if found.checkpoints else None
    moved = None if facts is None else facts.moved_at()
    if before is None or moved is None or _minutes(before, at) <= _LONG_MINUTES:
        return problems
    if moved <= before.timestamp() and all(kept.stored_at <= before for kept in found.reflections):
        problems.append(
            "Say what holds the work up, or end the session: nothing was changed, committed or learned"
            f" in the {_minutes(before, at)} minutes since the last checkpoint."
        )
    return problems


def insights_of(
    found: CurrentSession, facts: ProjectFacts | None, since: Since, taken: Checkpoint
) -> SessionCheckpointResultWorkflowInsights:
    """Session metrics; None for unknown ones."""
    git = None if facts is None else facts.git
    before = found.checkpoints[-1] if found.checkpoints else None
    last_score = before.score if before is not None else found.session.start_score
    return {
        "session_minutes": _minutes(found.session.started_at, taken.at),
        "minutes_since_checkpoint": None if before is None else _minutes(before.at, taken.at),
        "checkpoints": len(found.checkpoints) + 1 if found.stored else None,
        "commits_since_start": since.commits,
        "changed_files": None if git is None else len(git.changed),
        "untracked_files": None if git is None else len(git.untracked),
        "lines_added": since.lines_added,
        "lines_removed": since.lines_removed,
        "score_change": None if last_score is None else taken.score - last_score,
        "reflections_stored": len(found.reflections) if found.stored and found.state.reached else None,
        "embedding_backlog": found.state.backlog,
    }


def suggestions_of(insights: SessionCheckpointResultWorkflowInsights) -> list[str]:
    """Suggestions from the metrics; unknown ones suggest nothing."""
    changed, untracked = insights["changed_files"] or 0, insights["untracked_files"] or 0
    since = insights["minutes_since_checkpoint"]
    minutes = (insights["session_minutes"] if since is None else since) or 0
    suggestions: Sequence[tuple[bool, str]] = (
        (changed >= _MANY_CHANGED, f"Commit in smaller steps: {changed} tracked files are changed."),
        (
            untracked >= _MANY_UNTRACKED,
            f"Add or ignore files: git does not know {untracked} of them.",
        ),
        (
            minutes > _LONG_MINUTES,
            f"Take checkpoints more often: {minutes} minutes since "
            f"{'the session began' if since is None else 'the last one'}.",
        ),
        (
            (insights["checkpoints"] or 0) >= _CHECKPOINTS_WITHOUT_LEARNING
            and insights["reflections_stored"] == 0,
            f"Store what was learned: {insights['checkpoints']} checkpoints without a reflection.",
        ),
        (
            (insights["embedding_backlog"] or 0) > _LARGE_BACKLOG,
            f"Run vcontract embed: {insights['embedding_backlog']} passages not embedded yet.",
        ),
        (
            (insights["score_change"] or 0) <= _DEEP_FALL,
            f"See the recommendations: the score fell by {-(insights['score_change'] or 0)}.",
        ),
    )
    return [text for applies, text in suggestions if applies]


def _minutes(start: datetime, end: datetime) -> int:
    return max(int((end - start).total_seconds() // 60), 0)
