"""Resolve, begin and update the session of a call, whether or not the store is available."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from vcontract.generated.errors import MemoryUnavailable, ValidationError
from vcontract.handlers.session.describing import quality_of, sync_document
from vcontract.handlers.session.handoffs import abandon_stale
from vcontract.handlers.session.session_lookup import (
    ConnectionSessions,
    SeveralSessions,
    find_session,
    holder_of,
    leftovers_of,
    no_active_session,
    resumable,
)
from vcontract.handlers.session.workplace import Workplace, now, subject_of
from vcontract.runtime.embedding.model import ModelState
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.sessions import projects, reflections
from vcontract.runtime.store.sessions import work as sessions
from vcontract.runtime.store.sessions.reflections import Reflection
from vcontract.runtime.store.sessions.work import Checkpoint, PreviousSession, WorkSession
from vcontract.runtime.vcon.identity import new_uuid
from vcontract.runtime.workspace.dependencies import Sync
from vcontract.runtime.workspace.git import printable
from vcontract.runtime.workspace.project_facts import ProjectFacts, project_name

_MAX_LINKS: Final = 20
_MAX_LEARNINGS: Final = 5
_SEEN_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class StoreState:
    """State of the store for a tenant at the beginning of a call; None means unknown."""

    reached: bool = False
    writable: bool = False
    version: str | None = None
    has_schema: bool = False
    conversations: int | None = None
    reflections: int | None = None
    backlog: int | None = None


DOWN: Final = StoreState()


@dataclass(frozen=True, slots=True)
class CurrentSession:
    """The session of a call, and the store's state."""

    session: WorkSession
    stored: bool
    state: StoreState
    checkpoints: Sequence[Checkpoint] = ()
    reflections: Sequence[Reflection] = ()
    open_items: Sequence[Reflection] = ()


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A begun or resumed session. Without the store, only this process knows it."""

    session: WorkSession
    stored: bool
    resumed: bool = False
    others: int = 0
    previous: PreviousSession | None = None
    learning: Sequence[Reflection] = ()
    open_items: Sequence[Reflection] = ()
    state: StoreState = DOWN


class CurrentSessions:
    """Begins, finds and updates callers' sessions."""

    def __init__(self, database: Database, embeddings: Embeddings, workplace: Workplace) -> None:
        self._database = database
        self._embeddings = embeddings
        self._workplace = workplace
        self.held = ConnectionSessions()

    @property
    def model_state(self) -> ModelState:
        """State of the embedding model, even if it was not needed yet."""
        if self._embeddings.recipe.provider == "none":
            return ModelState("not_configured", "the embedding provider is none")
        return self._embeddings.model.state

    async def current(
        self, ctx: ToolContext, session_id: str | None, *, refuses_several: bool = True
    ) -> CurrentSession | StoreState:
        """Return the intended session; without one, the store's state.

        Raises: ValidationError; MemoryUnavailable if the named session may only be in the store.
        """
        held = self.held.get(ctx)
        try:
            with reaching_store():
                async with self._database.reading(ctx.tenant) as connection:
                    state = await self._state(connection, ctx)
                    try:
                        session = await self._known(connection, ctx, session_id)
                    except SeveralSessions:
                        if refuses_several:
                            raise
                        session = None
                    if session is not None:
                        taken = await sessions.checkpoints(connection, ctx.tenant, session.id)
                        stored = await reflections.reflections_of(connection, ctx.tenant, session.id)
                        left_open = (
                            ()
                            if session.project is None
                            else await reflections.open_items(connection, ctx.tenant, session.project)
                        )
                        return CurrentSession(session, True, state, taken, stored, left_open)
        except StoreDown:
            if held is None or (session_id is not None and session_id != str(held[0].id)):
                if session_id is not None:
                    raise MemoryUnavailable(details={"reason": "unavailable", "retryable": True}) from None
                return DOWN
            return CurrentSession(held[0], False, DOWN)
        if held is not None and not held[1] and session_id is None:
            return CurrentSession(held[0], False, state)
        return state

    async def meant(self, ctx: ToolContext, session_id: str | None) -> CurrentSession:
        """Return the session that a call writes to.

        Raises: ValidationError if none or several match; MemoryUnavailable.
        """
        found = await self.current(ctx, session_id)
        if isinstance(found, CurrentSession):
            return found
        if not found.reached:
            raise MemoryUnavailable(
                "The store cannot be reached now, and this process knows of no session.",
                details={"reason": "unavailable", "retryable": True},
            )
        raise no_active_session(ctx, await self._active(ctx) or ())

    async def only(self, connection: Connection, ctx: ToolContext) -> WorkSession | None:
        """Return the session of a call that names none; None if several may be meant."""
        try:
            return await find_session(connection, ctx, self.held, None)
        except ValidationError:
            return None

    async def leftovers(self, ctx: ToolContext, current: WorkSession | None) -> list[WorkSession] | None:
        """Other sessions of the caller without a holder; None if the store is unavailable."""
        active = await self._active(ctx)
        return None if active is None else leftovers_of(active, ctx.caller.connection, current)

    async def _active(self, ctx: ToolContext) -> list[WorkSession] | None:
        try:
            with reaching_store():
                async with self._database.reading(ctx.tenant) as connection:
                    return await sessions.active_sessions(connection, ctx.tenant, subject_of(ctx))
        except StoreDown:
            return None

    async def note_use(self, ctx: ToolContext) -> None:
        """Record that this connection's session was used, at most once a minute."""
        held = self.held.get(ctx)
        if held is None or not held[1] or now() - held[0].last_seen_at < _SEEN_EVERY:
            return
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    await sessions.touch(connection, ctx.tenant, held[0].id, now())
        except StoreDown:
            return
        self.held.put(ctx, replace(held[0], last_seen_at=now()), stored=True)

    async def begin(
        self, ctx: ToolContext, facts: ProjectFacts | None, sync: Sync | None, related: Sequence[Path] = ()
    ) -> StartedSession:
        """Begin a session in a project, or resume the caller's session there."""
        at = now()
        session = _new_session(ctx, facts, sync, at)
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    begun = await self._begin(connection, ctx, session, related, at)
        except StoreDown:
            begun = StartedSession(session, stored=False)
        self.held.put(ctx, begun.session, stored=begun.stored)
        return begun

    async def keep(self, connection: Connection, ctx: ToolContext, session: WorkSession) -> None:
        """Store a session that was begun while the store was down, unless it exists."""
        if await sessions.get_session(connection, ctx.tenant, session.id, session.caller) is None:
            await _put_project(connection, ctx, session, (), now())
            await sessions.insert_session(connection, ctx.tenant, session)

    async def _known(
        self, connection: Connection, ctx: ToolContext, session_id: str | None
    ) -> WorkSession | None:
        held = self.held.get(ctx)
        if held is not None and not held[1] and session_id in (None, str(held[0].id)):
            return None  # this connection's session, begun while the store was down
        return await find_session(connection, ctx, self.held, session_id)

    async def _begin(
        self,
        connection: Connection,
        ctx: ToolContext,
        session: WorkSession,
        related: Sequence[Path],
        at: datetime,
    ) -> StartedSession:
        await sessions.lock_caller(connection, ctx.tenant, session.caller)
        await abandon_stale(connection, ctx.tenant, at)
        await _put_project(connection, ctx, session, related, at)
        active = await sessions.active_sessions(connection, ctx.tenant, session.caller)
        same = [other for other in active if other.project == session.project]
        resumed = resumable(ctx, same, at)
        if resumed is None:
            await sessions.insert_session(connection, ctx.tenant, session)
        else:
            session = replace(
                session,
                id=resumed.id,
                started_at=resumed.started_at,
                start_commit=resumed.start_commit,
                start_score=resumed.start_score,
            )
            await sessions.take_over(connection, ctx.tenant, session)
        previous: PreviousSession | None = None
        learning: Sequence[Reflection] = ()
        left_open: Sequence[Reflection] = ()
        if session.project is not None:
            previous = await sessions.previous_session(connection, ctx.tenant, session.project)
            learning = await reflections.learning_of_project(
                connection, ctx.tenant, session.project, _MAX_LEARNINGS
            )
            left_open = await reflections.open_items(connection, ctx.tenant, session.project)
        return StartedSession(
            session,
            stored=True,
            resumed=resumed is not None,
            others=sum(other.id != session.id for other in same),
            previous=previous,
            learning=learning,
            open_items=left_open,
            state=await self._state(connection, ctx),
        )

    async def _state(self, connection: Connection, ctx: ToolContext) -> StoreState:
        """Return the state of the store."""
        row = await connection.fetchrow(
            *named_query(
                "select current_setting('server_version') as version, not pg_is_in_recovery() as writable,"
                " to_regclass('vcontract.result_cache') is not null as has_schema,"
                " (select count(*) from vcontract.vcon where tenant = :tenant) as conversations,"
                " (select count(*) from vcontract.reflection where tenant = :tenant) as reflections",
                tenant=ctx.tenant,
            )
        )
        assert row is not None
        reach = await self._embeddings.store.reach(connection, ctx.tenant)
        values: JsonObject = dict(row)
        return StoreState(reached=True, backlog=reach.pending, **values)


async def _put_project(
    connection: Connection, ctx: ToolContext, session: WorkSession, related: Sequence[Path], at: datetime
) -> None:
    if session.project is None or session.root is None:
        return
    await projects.put_project(connection, ctx.tenant, session.root, session.project_name, at)
    others = [
        await projects.put_project(connection, ctx.tenant, printable(path), project_name(path), at)
        for path in related[:_MAX_LINKS]
    ]
    await projects.set_manifest_links(connection, ctx.tenant, session.project, [other.id for other in others])


def _new_session(
    ctx: ToolContext, facts: ProjectFacts | None, sync: Sync | None, at: datetime
) -> WorkSession:
    holder = holder_of(ctx)
    root = None if facts is None else printable(facts.workspace.root)
    return WorkSession(
        id=new_uuid(at),
        caller=subject_of(ctx),
        state="active",
        project=None if root is None else projects.project_id(ctx.tenant, root),
        project_name="" if facts is None else facts.workspace.name,
        root=root,
        directory=None if facts is None else printable(facts.workspace.directory),
        start_commit=None if facts is None or facts.git is None else facts.git.commit,
        start_score=quality_of(facts, store_writable=True).overall,
        connection=holder.connection,
        host=holder.host,
        pid=holder.pid,
        pid_started=holder.pid_started,
        lock_digest=None if facts is None else facts.lock_digest(),
        sync=None if sync is None else dict(sync_document(sync)),
        started_at=at,
        last_seen_at=at,
    )
