"""The tool `status`: state of session, project and memory."""

import time
from collections.abc import Awaitable
from pathlib import Path

from pydantic import MISSING

from vcontract.generated.models import session as models
from vcontract.generated.results.session import (
    CheckResult,
    SessionStatusResult,
    SessionStatusResultPermissionsStatus,
)
from vcontract.handlers.session.current_session import CurrentSession, StoreState
from vcontract.handlers.session.describing import ability_checks, project_context
from vcontract.handlers.session.services import SessionTools
from vcontract.handlers.session.session_lookup import leftover_documents
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.workspace.git import printable
from vcontract.runtime.workspace.project_abilities import permissions
from vcontract.runtime.workspace.project_facts import ProjectFacts


class StatusTools(SessionTools):
    """The tool that reports the state of the session and the memory."""

    async def status(self, params: models.SessionStatusParams, ctx: ToolContext, /) -> SessionStatusResult:
        given = None if params.working_directory is MISSING else params.working_directory
        folder = None if given is None else self._workplace.folder(ctx, given)
        started = time.monotonic()
        named = None if params.session_id is MISSING else params.session_id
        found = await self._sessions.current(ctx, named, refuses_several=False)
        store_ms = _milliseconds(started)
        state = found if isinstance(found, StoreState) else found.state
        session = found.session if isinstance(found, CurrentSession) else None
        leftovers = await self._sessions.leftovers(ctx, session) if state.reached else None
        facts = await self._facts(ctx, found, folder)
        model = self._sessions.model_state
        is_available = model.status not in ("not_configured", "failed")
        answer: SessionStatusResult = {
            "success": True,
            "session_active": isinstance(found, CurrentSession),
            "session_id": str(found.session.id)
            if isinstance(found, CurrentSession) and found.stored
            else None,
            "project_context": project_context(facts),
            "available_tools": list(ctx.contract.tools),
            "memory_system_status": {
                "enabled": state.reached and state.has_schema,
                "conversations_stored": state.conversations,
                "embeddings_available": is_available,
                "reflections_stored": state.reflections,
                "embedding_backlog": state.backlog,
            },
            "permissions_status": self._permissions(ctx, facts, state),
            "health_checks": {
                "store": _store_check(state, store_ms),
                "schema": _schema_check(state),
                "embeddings": _check(is_available, model.status, 0),
                "git": await self._git_check(ctx, facts),
                "working_directory": _folder_check(facts),
            },
        }
        if leftovers is not None:
            answer["leftover_sessions"] = leftover_documents(ctx, leftovers)
        return in_order(SessionStatusResult, answer)

    async def _facts(
        self, ctx: ToolContext, found: CurrentSession | StoreState, folder: Path | None
    ) -> ProjectFacts | None:
        if folder is not None:
            return await self._workplace.look(ctx, folder)
        if isinstance(found, CurrentSession):
            return await self._workplace.look_at(ctx, found.session.directory)
        return await self._workplace.look(ctx, self._workplace.folder(ctx, None))

    def _permissions(
        self, ctx: ToolContext, facts: ProjectFacts | None, state: StoreState
    ) -> SessionStatusResultPermissionsStatus:
        root = None if facts is None else facts.workspace.root
        return {
            "checks": ability_checks(permissions(facts, state.writable)),
            "allowed_roots": [printable(path) for path in self._workplace.confinement(ctx).roots],
            "opt_ins": {
                "dependency_sync": root is not None
                and self._workplace.rules.syncs_dependencies(root, local=ctx.caller.local),
                "git_checkpoint": root is not None
                and self._workplace.rules.commits(root, local=ctx.caller.local),
            },
        }

    async def _git_check(self, ctx: ToolContext, facts: ProjectFacts | None) -> CheckResult:
        start = self._workplace.confinement(ctx).start or Path("/")
        folder = start if facts is None or facts.missing is not None else facts.workspace.directory
        version, milliseconds = await _timed(self._workplace.git.read(folder, "version"))
        if version is None:
            return _check(False, "no git on PATH", milliseconds)
        if facts is not None and facts.workspace.unread is not None:
            return _check(False, facts.workspace.unread.reason, milliseconds)
        return _check(True, version.decode("utf-8", "replace").strip(), milliseconds)


async def _timed(work: Awaitable[bytes | None]) -> tuple[bytes | None, int]:
    started = time.monotonic()
    return await work, _milliseconds(started)


def _milliseconds(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _store_check(state: StoreState, milliseconds: int) -> CheckResult:
    if not state.reached:
        return _check(False, "the store does not answer", milliseconds)
    return _check(True, f"PostgreSQL {state.version}{'' if state.writable else ', read only'}", milliseconds)


def _schema_check(state: StoreState) -> CheckResult:
    if not state.reached:
        return _check(False, "unknown: the store does not answer", 0)
    return _check(state.has_schema, "up to date" if state.has_schema else "out of date", 0)


def _folder_check(facts: ProjectFacts | None) -> CheckResult:
    if facts is None:
        return _check(True, "session without workspace", 0)
    return _check(facts.missing is None, facts.missing or printable(facts.workspace.directory), 0)


def _check(ok: bool, detail: str, milliseconds: int) -> CheckResult:
    return {"ok": ok, "detail": detail, "ms": milliseconds}
