"""The tool `init`: begin a session on a project folder, or resume the caller's active one there."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import MISSING

from vcontract.generated.models import session as models
from vcontract.generated.results.session import SessionInitResult
from vcontract.handlers.session.describing import (
    previous_document,
    project_context,
    recommendations,
    sync_document,
)
from vcontract.handlers.session.handoffs import learned_documents, open_item_texts
from vcontract.handlers.session.services import SessionTools
from vcontract.handlers.session.session_lookup import leftover_documents, resumable
from vcontract.handlers.session.workplace import now, subject_of
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.sessions import projects, work
from vcontract.runtime.workspace.dependencies import DISABLED, Sync, sync_dependencies
from vcontract.runtime.workspace.git import printable
from vcontract.runtime.workspace.manifests import local_dependencies
from vcontract.runtime.workspace.project_abilities import permissions
from vcontract.runtime.workspace.project_facts import ProjectFacts, find_workspace


class StartingTools(SessionTools):
    """The tool `init`."""

    async def init(self, params: models.SessionInitParams, ctx: ToolContext, /) -> SessionInitResult:
        given = None if params.working_directory is MISSING else params.working_directory
        facts = await self._workplace.look(ctx, self._workplace.folder(ctx, given))
        sync = await self._sync(ctx, facts)
        begun = await self._sessions.begin(ctx, facts, sync, await self._related(ctx, facts))
        previous = (
            None
            if begun.previous is None
            else previous_document(begun.previous, open_item_texts(begun.open_items))
        )
        if previous is not None and not _is_there(previous["handoff_file_path"]):
            previous["handoff_file_path"] = None
        held = permissions(facts, begun.stored)
        leftovers = await self._sessions.leftovers(ctx, begun.session) if begun.stored else None
        answer: SessionInitResult = {
            "success": True,
            "session_id": str(begun.session.id) if begun.stored else None,
            "resumed": begun.resumed,
            "other_active_sessions": begun.others,
            "project_context": project_context(facts),
            "dependencies_synced": sync.succeeded,
            "dependency_sync": sync_document(sync),
            "memory_initialized": begun.stored,
            "permissions_setup": all(ability.held for ability in held),
            "recommendations": recommendations(
                facts,
                begun.stored and begun.state.writable,
                self._sessions.model_state,
                begun.state.backlog,
                sync=sync,
            ),
            "previous_session": previous,
        }
        if leftovers is not None:
            answer["leftover_sessions"] = leftover_documents(ctx, leftovers)
        if begun.stored:
            answer["learning"] = learned_documents(begun.learning)
        return in_order(SessionInitResult, answer)

    async def _sync(self, ctx: ToolContext, facts: ProjectFacts | None) -> Sync:
        """Install dependencies, if enabled and not already done by the resumed session."""
        if facts is None or not self._workplace.rules.syncs_dependencies(
            facts.workspace.root, local=ctx.caller.local
        ):
            return DISABLED
        done = await self._done_before(ctx, facts)
        return done or await sync_dependencies(facts, self._workplace.rules.dependency_seconds)

    async def _done_before(self, ctx: ToolContext, facts: ProjectFacts) -> Sync | None:
        """Result of the resumed session's installation for the same lock file, if it succeeded."""
        digest = facts.lock_digest()
        project = projects.project_id(ctx.tenant, printable(facts.workspace.root))
        try:
            with reaching_store():
                async with self._database.reading(ctx.tenant) as connection:
                    active = await work.active_sessions(connection, ctx.tenant, subject_of(ctx))
        except StoreDown:
            return None
        same = [session for session in active if session.project == project]
        session = resumable(ctx, same, now())
        if session is None or digest is None or session.lock_digest != digest:
            return None
        return _read_sync(session.sync)

    async def _related(self, ctx: ToolContext, facts: ProjectFacts | None) -> Sequence[Path]:
        """Roots of the projects that are path dependencies."""
        if facts is None:
            return ()
        confinement = self._workplace.confinement(ctx)
        folders = local_dependencies(facts.workspace.seen, facts.manifests, confinement)
        roots = [
            (await find_workspace(folder, self._workplace.git, confinement)).root for folder in folders[:20]
        ]
        return [root for root in dict.fromkeys(roots) if root != facts.workspace.root]


def _read_sync(document: JsonObject | None) -> Sync | None:
    if document is None or document["status"] != "ok":
        return None
    command = tuple(str(document["command"]).split(" "))
    return Sync("ok", document["manager"], command, document["duration_ms"], document["message"])


def _is_there(path: str | None) -> bool:
    try:
        return path is not None and Path(path).exists()
    except OSError:
        return False
