"""Working sessions in the database: who has which, their checkpoints, and what they left behind."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import asyncpg

from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection

State = Literal["active", "ended", "abandoned"]

_COLUMNS: Final = (
    "s.id, s.caller, s.state, s.project, p.name as project_name, p.root, s.directory, s.start_commit,"
    " s.start_score, s.connection, s.host, s.pid, s.pid_started, s.lock_digest, s.sync, s.started_at,"
    " s.last_seen_at"
)
_FROM: Final = (
    " from vcontract.work_session s left join vcontract.project p on p.tenant = s.tenant and p.id = s.project"
)


@dataclass(frozen=True, slots=True)
class WorkSession:
    """One session; without a project it is one without workspace."""

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


@dataclass(frozen=True, slots=True)
class Checkpoint:
    id: UUID
    at: datetime
    score: int
    commit: str | None


@dataclass(frozen=True, slots=True)
class PreviousSession:
    """The last session of a project that is over; `handoff` is what was recorded then."""

    id: UUID
    ended_at: datetime
    state: State
    final_score: int | None
    handoff: JsonObject


async def get_session(connection: Connection, tenant: str, id_: UUID, caller: str) -> WorkSession | None:
    """The caller's session of this id, whatever its state."""
    row = await connection.fetchrow(
        f"select {_COLUMNS}{_FROM} where s.tenant = $1 and s.id = $2 and s.caller = $3", tenant, id_, caller
    )
    return None if row is None else WorkSession.of_row(row)


async def active_sessions(connection: Connection, tenant: str, caller: str) -> list[WorkSession]:
    """The caller's active sessions, those with the latest call first."""
    rows = await connection.fetch(
        f"select {_COLUMNS}{_FROM} where s.tenant = $1 and s.caller = $2 and s.state = 'active'"
        " order by s.last_seen_at desc, s.id desc",
        tenant,
        caller,
    )
    return [WorkSession.of_row(row) for row in rows]


async def lock_caller(connection: Connection, tenant: str, caller: str) -> None:
    """Let no two calls of one caller begin a session at once."""
    await connection.execute(
        "select pg_advisory_xact_lock(hashtextextended($1, 0))", f"vcontract.session/{tenant}/{caller}"
    )


async def insert_session(connection: Connection, tenant: str, session: WorkSession) -> None:
    """Store a new session."""
    await connection.execute(
        "insert into vcontract.work_session (tenant, id, caller, project, state, directory, start_commit,"
        " start_score, connection, host, pid, pid_started, lock_digest, sync, started_at, last_seen_at)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        tenant,
        session.id,
        session.caller,
        session.project,
        session.state,
        session.directory,
        session.start_commit,
        session.start_score,
        session.connection,
        session.host,
        session.pid,
        session.pid_started,
        session.lock_digest,
        None if session.sync is None else dump_json(session.sync).decode(),
        session.started_at,
        session.last_seen_at,
    )


async def take_over(connection: Connection, tenant: str, session: WorkSession) -> None:
    """Let a session that is resumed be held by who holds it in `session`, and be seen then."""
    await connection.execute(
        "update vcontract.work_session set connection = $3, host = $4, pid = $5, pid_started = $6,"
        " directory = $7, lock_digest = $8, sync = $9, last_seen_at = $10 where tenant = $1 and id = $2",
        tenant,
        session.id,
        session.connection,
        session.host,
        session.pid,
        session.pid_started,
        session.directory,
        session.lock_digest,
        None if session.sync is None else dump_json(session.sync).decode(),
        session.last_seen_at,
    )


async def touch(connection: Connection, tenant: str, id_: UUID, now: datetime) -> None:
    """Note that the session was used; written at most once a minute."""
    await connection.execute(
        "update vcontract.work_session set last_seen_at = $3"
        " where tenant = $1 and id = $2 and last_seen_at < $4",
        tenant,
        id_,
        now,
        now - timedelta(minutes=1),
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
    """End an active session with its handoff; False when it was not active any more."""
    done = await connection.execute(
        "update vcontract.work_session set state = $3, final_score = $4, handoff = $5, ended_at = $6,"
        " last_seen_at = greatest(last_seen_at, case when $3 = 'ended' then $6 else last_seen_at end)"
        " where tenant = $1 and id = $2 and state = 'active'",
        tenant,
        id_,
        state,
        score,
        dump_json(handoff).decode(),
        now,
    )
    return done.endswith(" 1")


async def stale_sessions(connection: Connection, tenant: str, before: datetime) -> list[WorkSession]:
    """The tenant's active sessions that nobody has used since `before`, locked until the transaction ends."""
    rows = await connection.fetch(
        f"select {_COLUMNS}{_FROM} where s.tenant = $1 and s.state = 'active' and s.last_seen_at < $2"
        " order by s.last_seen_at limit 100 for update of s skip locked",
        tenant,
        before,
    )
    return [WorkSession.of_row(row) for row in rows]


async def previous_session(connection: Connection, tenant: str, project: UUID) -> PreviousSession | None:
    """The session of the project that ended last."""
    row = await connection.fetchrow(
        "select id, ended_at, state, final_score, handoff from vcontract.work_session"
        " where tenant = $1 and project = $2 and ended_at is not null"
        " order by ended_at desc, id desc limit 1",
        tenant,
        project,
    )
    if row is None:
        return None
    handoff: JsonObject = parse_json(row["handoff"] or "{}")
    return PreviousSession(row["id"], row["ended_at"], row["state"], row["final_score"], handoff)


async def set_handoff_path(connection: Connection, tenant: str, id_: UUID, path: str) -> None:
    """Note where the handoff file of an ended session was written."""
    await connection.execute(
        "update vcontract.work_session"
        " set handoff = (handoff::jsonb || jsonb_build_object('handoff_file_path', $3::text))::json"
        " where tenant = $1 and id = $2 and handoff is not null",
        tenant,
        id_,
        path,
    )


async def insert_checkpoint(
    connection: Connection, tenant: str, session: UUID, checkpoint: Checkpoint
) -> None:
    await connection.execute(
        "insert into vcontract.session_checkpoint (tenant, session, id, at, score, commit)"
        " values ($1, $2, $3, $4, $5, $6)",
        tenant,
        session,
        checkpoint.id,
        checkpoint.at,
        checkpoint.score,
        checkpoint.commit,
    )


async def checkpoints(connection: Connection, tenant: str, session: UUID) -> Sequence[Checkpoint]:
    """The checkpoints of a session, oldest first."""
    rows = await connection.fetch(
        "select id, at, score, commit from vcontract.session_checkpoint"
        " where tenant = $1 and session = $2 order by at, id",
        tenant,
        session,
    )
    return [Checkpoint(**row) for row in rows]
