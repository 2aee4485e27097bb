"""Coding sessions in the database: owners, states, checkpoints and handoffs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query

State = Literal["active", "ended", "abandoned"]

_STORED: Final = (
    *("id", "caller", "project", "state", "directory", "start_commit", "start_score", "connection", "host"),
    *("pid", "pid_started", "lock_digest", "sync", "started_at", "last_seen_at"),
)
"""Columns of a new session, named like its members."""
_TAKEN_OVER: Final = (
    *("connection", "host", "pid", "pid_started", "directory", "lock_digest", "sync", "last_seen_at"),
)
"""Columns that change when a session is resumed."""
_SESSIONS: Final = (
    f"select {', '.join(f's.{name}' for name in _STORED)}, p.name as project_name, p.root"  # noqa: S608
    " from vcontract.work_session s left join vcontract.project p on p.tenant = s.tenant and p.id = s.project"
)


@dataclass(frozen=True, slots=True)
class WorkSession:
    """One session. Without a project, it has no workspace."""

    id: UUID
    caller: str
    state: State
    project: UUID | None
    project_name: str
    root: str | None
    directory: str | None
    start_commit: str | None
    start_score: int | None
    connection: str | None
    host: str
    pid: int | None
    pid_started: float | None
    lock_digest: bytes | None
    sync: JsonObject | None
    started_at: datetime
    last_seen_at: datetime

    @classmethod
    def of_row(cls, row: asyncpg.Record) -> "WorkSession":
        values: JsonObject = dict(row)
        values["sync"] = None if row["sync"] is None else parse_json(row["sync"])
        values["project_name"] = row["project_name"] or ""
        return cls(**values)

    def columns(self, names: Iterable[str]) -> dict[str, object]:
        """Return the values of columns by name."""
        values: dict[str, object] = {name: getattr(self, name) for name in names}
        values["sync"] = None if self.sync is None else dump_json(self.sync).decode()
        return values


@dataclass(frozen=True, slots=True)
class Checkpoint:
    id: UUID
    at: datetime
    score: int
    commit: str | None


@dataclass(frozen=True, slots=True)
class PreviousSession:
    """The last ended session of a project. `handoff` is what it recorded then."""

    id: UUID
    ended_at: datetime
    state: State
    final_score: int | None
    handoff: JsonObject


async def get_session(connection: Connection, tenant: str, id_: UUID, caller: str) -> WorkSession | None:
    """Return the caller's session with this ID, in any state."""
    row = await connection.fetchrow(
        *named_query(
            f"{_SESSIONS} where s.tenant = :tenant and s.id = :id and s.caller = :caller",
            tenant=tenant,
            id=id_,
            caller=caller,
        )
    )
    return None if row is None else WorkSession.of_row(row)


async def active_sessions(connection: Connection, tenant: str, caller: str) -> list[WorkSession]:
    """Return the caller's active sessions, most recently used first."""
    rows = await connection.fetch(
        *named_query(
            f"{_SESSIONS} where s.tenant = :tenant and s.caller = :caller and s.state = 'active'"
            " order by s.last_seen_at desc, s.id desc",
            tenant=tenant,
            caller=caller,
        )
    )
    return [WorkSession.of_row(row) for row in rows]


async def lock_caller(connection: Connection, tenant: str, caller: str) -> None:
    """Lock the caller, so that two calls cannot begin sessions at once."""
    await connection.execute(
        *named_query(
            "select pg_advisory_xact_lock(hashtextextended(:lock, 0))",
            lock=f"vcontract.session/{tenant}/{caller}",
        )
    )


async def insert_session(connection: Connection, tenant: str, session: WorkSession) -> None:
    """Store a new session."""
    await connection.execute(
        *named_query(
            f"insert into vcontract.work_session (tenant, {', '.join(_STORED)})"  # noqa: S608
            f" values (:tenant, {', '.join(f':{name}' for name in _STORED)})",
            tenant=tenant,
            **session.columns(_STORED),
        )
    )


async def take_over(connection: Connection, tenant: str, session: WorkSession) -> None:
    """Transfer a resumed session to the holder in `session`, and mark it as seen."""
    changes = ", ".join(f"{name} = :{name}" for name in _TAKEN_OVER)
    await connection.execute(
        *named_query(
            f"update vcontract.work_session set {changes} where tenant = :tenant and id = :id",  # noqa: S608
            tenant=tenant,
            id=session.id,
            **session.columns(_TAKEN_OVER),
        )
    )


async def touch(connection: Connection, tenant: str, id_: UUID, now: datetime) -> None:
    """Record that the session was used, at most once a minute."""
    await connection.execute(
        *named_query(
            "update vcontract.work_session set last_seen_at = :now"
            " where tenant = :tenant and id = :id and last_seen_at < :before",
            tenant=tenant,
            id=id_,
            now=now,
            before=now - timedelta(minutes=1),
        )
    )


async def end_session(
    connection: Connection,
    tenant: str,
    id_: UUID,
    state: State,
    score: int | None,
    handoff: JsonObject,
    now: datetime,
) -> bool:
    """End an active session with its handoff. Returns False if it was no longer active."""
    done = await connection.execute(
        *named_query(
            "update vcontract.work_session"
            " set state = :state, final_score = :score, handoff = :handoff, ended_at = :now, last_seen_at"
            "  = greatest(last_seen_at, case when :state = 'ended' then :now else last_seen_at end)"
            " where tenant = :tenant and id = :id and state = 'active'",
            tenant=tenant,
            id=id_,
            state=state,
            score=score,
            handoff=dump_json(handoff).decode(),
            now=now,
        )
    )
    return done.endswith(" 1")


async def stale_sessions(connection: Connection, tenant: str, before: datetime) -> list[WorkSession]:
    """Return and lock active sessions that were not used since `before`."""
    rows = await connection.fetch(
        *named_query(
            f"{_SESSIONS} where s.tenant = :tenant and s.state = 'active' and s.last_seen_at < :before"
            " order by s.last_seen_at limit 100 for update of s skip locked",
            tenant=tenant,
            before=before,
        )
    )
    return [WorkSession.of_row(row) for row in rows]


async def previous_session(connection: Connection, tenant: str, project: UUID) -> PreviousSession | None:
    """Return the project's session that ended last."""
    row = await connection.fetchrow(
        *named_query(
            "select id, ended_at, state, final_score, handoff from vcontract.work_session"
            " where tenant = :tenant and project = :project and ended_at is not null"
            " order by ended_at desc, id desc limit 1",
            tenant=tenant,
            project=project,
        )
    )
    if row is None:
        return None
    handoff: JsonObject = parse_json(row["handoff"] or "{}")
    return PreviousSession(row["id"], row["ended_at"], row["state"], row["final_score"], handoff)


async def set_handoff_path(connection: Connection, tenant: str, id_: UUID, path: str) -> None:
    """Record the path of an ended session's handoff file."""
    await connection.execute(
        *named_query(
            "update vcontract.work_session"
            " set handoff = (handoff::jsonb || jsonb_build_object('handoff_file_path', :path::text))::json"
            " where tenant = :tenant and id = :id and handoff is not null",
            tenant=tenant,
            id=id_,
            path=path,
        )
    )


async def insert_checkpoint(
    connection: Connection, tenant: str, session: UUID, checkpoint: Checkpoint
) -> None:
    await connection.execute(
        *named_query(
            "insert into vcontract.session_checkpoint (tenant, session, id, at, score, commit)"
            " values (:tenant, :session, :id, :at, :score, :commit)",
            tenant=tenant,
            session=session,
            id=checkpoint.id,
            at=checkpoint.at,
            score=checkpoint.score,
            commit=checkpoint.commit,
        )
    )


async def checkpoints(connection: Connection, tenant: str, session: UUID) -> Sequence[Checkpoint]:
    """Return the checkpoints of a session, oldest first."""
    rows = await connection.fetch(
        *named_query(
            "select id, at, score, commit from vcontract.session_checkpoint"
            " where tenant = :tenant and session = :session order by at, id",
            tenant=tenant,
            session=session,
        )
    )
    return [Checkpoint(**row) for row in rows]
