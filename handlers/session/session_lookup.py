"""Find the session a call refers to, its holder, and sessions without one."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.generated.results.session import LeftoverSession
from vcontract.handlers.session.workplace import next_call, now, subject_of
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import work as sessions
from vcontract.runtime.store.sessions.work import WorkSession
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace.session_owner import Holder, this_process

_SILENT: Final = timedelta(minutes=15)
_MAX_CACHED_SESSIONS: Final = 10_000

ConnectionKey = tuple[str, str, str]


class ConnectionSessions:
    """The session that each connection of this process last began or resumed, even without a store."""

    def __init__(self) -> None:
        self._sessions: dict[ConnectionKey, tuple[WorkSession, bool]] = {}

    def put(self, ctx: ToolContext, session: WorkSession, *, stored: bool) -> None:
        if (place := _place(ctx)) is not None:
            if len(self._sessions) >= _MAX_CACHED_SESSIONS:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[place] = (session, stored)

    def get(self, ctx: ToolContext) -> tuple[WorkSession, bool] | None:
        """Return the session, and whether it is stored."""
        place = _place(ctx)
        return None if place is None else self._sessions.get(place)

    def drop(self, ctx: ToolContext, id_: UUID) -> None:
        found = self.get(ctx)
        if found is not None and found[0].id == id_ and (place := _place(ctx)) is not None:
            del self._sessions[place]


class SeveralSessions(ValidationError):
    """The call may refer to several sessions."""

    @classmethod
    def of(cls, candidates: Sequence[WorkSession]) -> "SeveralSessions":
        return cls(
            f"{len(candidates)} sessions are active and any may be meant; name one with session_id.",
            details={
                "parameter": "session_id",
                "reason": "several_sessions",
                "sessions": [_named(session) for session in candidates],
            },
        )


async def find_session(
    connection: Connection, ctx: ToolContext, held: ConnectionSessions, session_id: str | None
) -> WorkSession | None:
    """Find the active session: the named one, this connection's last, or the only free one.

    A session held by another live connection is only found by name.

    Raises: ValidationError for an ID of another caller; SeveralSessions.
    """
    if session_id is not None:
        named = await _named_session(connection, ctx, session_id)
        return named if named.state == "active" else None
    active = await sessions.active_sessions(connection, ctx.tenant, subject_of(ctx))
    bound = ctx.caller.connection
    mine = [session for session in active if bound is not None and session.connection == bound]
    if mine:
        last = held.get(ctx)
        return next((session for session in mine if last and session.id == last[0].id), mine[0])
    free = [session for session in active if not _held_elsewhere(session, bound, now())]
    if len(free) > 1:
        raise SeveralSessions.of(free)
    return free[0] if free else None


async def _named_session(connection: Connection, ctx: ToolContext, session_id: str) -> WorkSession:
    """Return the caller's session with an ID.

    Raises: ValidationError.
    """
    uuid = parse_uuid(session_id)
    found = uuid and await sessions.get_session(connection, ctx.tenant, uuid, subject_of(ctx))
    if not found:
        raise ValidationError(
            f'There is no session "{session_id[:64]}" of this caller.',
            details={"parameter": "session_id", "reason": "unknown_session", "value": session_id[:64]},
            suggestions=["Send a session_id that init returned, or none."],
        )
    return found


def holder_of(ctx: ToolContext) -> Holder:
    """The holder of a session begun by this call."""
    alone = ctx.caller.local and ctx.caller.connection is not None
    return this_process(ctx.caller.connection, alone=alone)


def resumable(ctx: ToolContext, same: Sequence[WorkSession], at: datetime) -> WorkSession | None:
    """The session that init resumes, of the caller's active ones in one project; own ones first.

    It must be our own, free, or silent for 15 minutes.
    """
    bound = ctx.caller.connection
    able = [
        session
        for session in same
        if not _held_elsewhere(session, bound, at) or at - session.last_seen_at >= _SILENT
    ]
    return min(able, key=lambda session: session.connection != bound, default=None)


def leftovers_of(
    active: Sequence[WorkSession], connection: str | None, current: WorkSession | None
) -> list[WorkSession]:
    """The caller's active sessions without a holder: the process ended, or they are silent."""
    at = now()
    return [
        session
        for session in active
        if (current is None or session.id != current.id)
        and (connection is None or session.connection != connection)
        and not _held_elsewhere(session, connection, at)
    ]


def leftover_documents(ctx: ToolContext, leftovers: Sequence[WorkSession]) -> list[LeftoverSession]:
    """Leftover sessions, each with the calls that resume and end it."""
    at = now()
    return [
        {
            "session_id": str(session.id),
            "project": session.project_name,
            "working_directory": session.directory,
            "started_at": format_time(session.started_at),
            "last_seen_at": format_time(session.last_seen_at),
            "silent_minutes": max(int((at - session.last_seen_at).total_seconds() // 60), 0),
            "go_on": None
            if session.directory is None
            else next_call(ctx, "init", working_directory=session.directory),
            "close": next_call(ctx, "end", session_id=str(session.id)),
        }
        for session in leftovers
    ]


def no_active_session(ctx: ToolContext, others: Sequence[WorkSession] = ()) -> ValidationError:
    """Build the error for a missing session; `others` can be named by session_id."""
    details: JsonObject = {"reason": "no_active_session"}
    suggestions = [f"Begin one with {next_call(ctx, 'init')['tool']} and its working_directory."]
    if others:
        details["sessions"] = [_named(session) for session in others]
        suggestions.append("Or name one of details.sessions with session_id: other connections use them.")
    return ValidationError("No active session.", details=details, suggestions=suggestions)


def _held_elsewhere(session: WorkSession, connection: str | None, at: datetime) -> bool:
    """Whether another live process or connection holds the session."""
    if session.connection is None or session.connection == connection:
        return False
    holder = Holder(session.connection, session.host, session.pid, session.pid_started)
    gone = holder.is_gone()
    return not gone if gone is not None else at - session.last_seen_at < _SILENT


def _named(session: WorkSession) -> JsonObject:
    """A session as in an error."""
    return {
        "session_id": str(session.id),
        "project": session.project_name,
        "working_directory": session.directory,
        "started_at": format_time(session.started_at),
        "last_seen_at": format_time(session.last_seen_at),
    }


def _place(ctx: ToolContext) -> ConnectionKey | None:
    connection = ctx.caller.connection
    return None if connection is None else (ctx.tenant, subject_of(ctx), connection)
