"""Leftover sessions: those that are still active though nobody holds them any more."""

from collections.abc import Sequence
from datetime import datetime

from vcontract.handlers.session.base import next_call, now
from vcontract.handlers.session.finding import held_elsewhere, named
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.sessions.work import WorkSession


def leftovers_of(
    active: Sequence[WorkSession], connection: str | None, current: WorkSession | None
) -> list[WorkSession]:
    """Of a caller's active sessions those that nobody holds: their processes have ended, or fell silent."""
    at = now()
    return [
        session
        for session in active
        if (current is None or session.id != current.id)
        and (connection is None or session.connection != connection)
        and not held_elsewhere(session, connection, at)
    ]


def leftover_members(ctx: ToolContext, leftovers: Sequence[WorkSession] | None) -> JsonObject:
    """Leftover sessions as a member of an answer, which has none where they are not known."""
    if leftovers is None:
        return {}
    at = now()
    return {"leftover_sessions": [_document(ctx, session, at) for session in leftovers]}


def _document(ctx: ToolContext, session: WorkSession, at: datetime) -> JsonObject:
    """A session with the call that goes on with it and the one that ends it."""
    folder = session.directory
    return {
        **named(session),
        "working_directory": folder,
        "silent_minutes": max(int((at - session.last_seen_at).total_seconds() // 60), 0),
        "go_on": None if folder is None else next_call(ctx, "init", working_directory=folder),
        "close": next_call(ctx, "end", session_id=str(session.id)),
    }
