"""The tool `end`: end a session with a handoff."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import MISSING

from vcontract.generated.models import session as models
from vcontract.generated.results.session import SessionEndResult
from vcontract.handlers.session.current_session import CurrentSession
from vcontract.handlers.session.describing import quality_of
from vcontract.handlers.session.handoffs import (
    Handoff,
    abandon_stale,
    build_handoff,
    group_by_tag,
    render_handoff,
)
from vcontract.handlers.session.services import SessionTools
from vcontract.handlers.session.session_lookup import no_active_session
from vcontract.handlers.session.workplace import now
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.sessions import result_cache, work
from vcontract.runtime.workspace.git import Since, printable
from vcontract.runtime.workspace.handoff import Written, write_handoff
from vcontract.runtime.workspace.project_facts import ProjectFacts


@dataclass(frozen=True, slots=True)
class _Cleaned:
    """Counts of what was cleaned up in the store."""

    cache_entries: int = 0
    stale_sessions: int = 0
    went_well: bool = True


class EndingTools(SessionTools):
    """The tool `end`."""

    async def end(self, params: models.SessionEndParams, ctx: ToolContext, /) -> SessionEndResult:
        found = await self._sessions.meant(ctx, None if params.session_id is MISSING else params.session_id)
        facts = await self._workplace.look_at(ctx, found.session.directory)
        score = quality_of(facts, found.state.writable).overall
        at = now()
        record = await self._record(found, facts, score, at)
        is_kept = await self._keep_end(ctx, found, score, record, at)
        written = await self._write(facts, record, at)
        if is_kept and written.path is not None:
            await self._note_path(ctx, found, written.path)
        self._sessions.held.drop(ctx, found.session.id)
        cleaned = await self._clean_up(ctx, at)
        answer: SessionEndResult = {
            "success": True,
            "final_quality_score": score,
            "learning_captured": group_by_tag(found.reflections),
            "handoff_file_created": written.path is not None,
            "memory_persisted": is_kept,
            "cleanup_performed": cleaned.went_well,
            "cleanup": {
                "cache_entries": cleaned.cache_entries,
                "stale_sessions": cleaned.stale_sessions,
                "handoff_files": written.removed,
            },
        }
        if written.path is not None:
            answer["handoff_file_path"] = printable(written.path)
        if written.skipped is not None:
            answer["handoff_skipped"] = written.skipped
        return in_order(SessionEndResult, answer)

    async def _record(
        self, found: CurrentSession, facts: ProjectFacts | None, score: int, at: datetime
    ) -> Handoff:
        repository = None if facts is None else facts.workspace.repository
        since = Since()
        if repository is not None:
            since = await self._workplace.git.since(repository, found.session.start_commit)
        return build_handoff(
            found.session, facts, since, score, found.open_items, found.reflections, found.checkpoints, at
        )

    async def _keep_end(
        self, ctx: ToolContext, found: CurrentSession, score: int, record: Handoff, at: datetime
    ) -> bool:
        """Store the end. Returns False if the store is unavailable.

        Raises: ValidationError if another call has ended the session.
        """
        session = found.session
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    if not found.stored:
                        await self._sessions.keep(connection, ctx, session)
                    ended = await work.end_session(
                        connection, ctx.tenant, session.id, "ended", score, dict(record), at
                    )
        except StoreDown:
            return False
        if not ended:
            raise no_active_session(ctx)
        return True

    async def _write(self, facts: ProjectFacts | None, record: Handoff, at: datetime) -> Written:
        if facts is None:
            return Written(None, skipped="the session has no workspace")
        if facts.missing is not None:
            return Written(None, skipped=f"the working directory cannot be used: {facts.missing}")
        unread = facts.workspace.unread
        if unread is not None and unread.code == "no_work_tree":
            return Written(None, skipped=unread.reason)
        return await asyncio.to_thread(write_handoff, facts.workspace.root, render_handoff(record), at)

    async def _note_path(self, ctx: ToolContext, found: CurrentSession, path: Path) -> None:
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    await work.set_handoff_path(connection, ctx.tenant, found.session.id, printable(path))
        except StoreDown:
            return  # record and file exist; only the link between them is lost

    async def _clean_up(self, ctx: ToolContext, at: datetime) -> _Cleaned:
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    entries = await result_cache.remove_expired(connection, ctx.tenant, at)
                    stale = await abandon_stale(connection, ctx.tenant, at)
        except StoreDown:
            return _Cleaned(went_well=False)
        return _Cleaned(entries, stale)
