"""Transcripts of found exchanges: details to show, and where to start reading."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.vcon.text import body_text


class FoundExchange(NamedTuple):
    """An exchange with details of its conversation. A tuple, because a search creates thousands."""

    id: UUID
    vcon: UUID
    number: int
    line_start: int
    line_end: int
    started_at: datetime
    digest: bytes | None
    """Equal for exchanges with the same text; None if they have none."""
    path: str
    project: str
    session: str
    harness: str
    git_branch: str | None
    summary: str
    exchanges: int
    conversation_started_at: datetime
    conversation_ended_at: datetime

    @property
    def age(self) -> tuple[datetime, datetime, str]:
        """Sort key of conversations, oldest first; among those that began together, the one that ended
        first.
        """
        return self.conversation_started_at, self.conversation_ended_at, self.path


async def exchanges_of(
    connection: Connection, tenant: str, ids: Collection[UUID]
) -> dict[UUID, FoundExchange]:
    """Load the exchanges with these IDs."""
    rows = await connection.fetch(
        *named_query(
            "select x.id, x.vcon, x.number, x.line_start, x.line_end, x.started_at, x.digest, t.archive_path,"
            " t.project, t.session, t.harness, t.git_branch, t.summary, t.exchanges, t.started_at, t.ended_at"
            " from vcontract.transcript_exchange x"
            " join vcontract.transcript t on t.tenant = :tenant and t.vcon = x.vcon"
            " where x.tenant = :tenant and x.id = any(:ids)",
            tenant=tenant,
            ids=list(ids),
        ),
    )
    return {row["id"]: FoundExchange._make(row) for row in rows}


async def lines_of(
    connection: Connection, tenant: str, dialogs: Collection[tuple[UUID, int]]
) -> dict[tuple[UUID, int], int]:
    """Return the first transcript line of each dialog."""
    rows = await connection.fetch(
        *named_query(
            "select d.vcon, d.index, (d.doc #>> '{meta,transcript,lines,0}')::integer as line"
            " from vcontract.dialog d join unnest(:vcons::uuid[], :indexes::integer[]) as w (vcon, index)"
            " on w.vcon = d.vcon and w.index = d.index where d.tenant = :tenant",
            tenant=tenant,
            vcons=[dialog[0] for dialog in dialogs],
            indexes=[dialog[1] for dialog in dialogs],
        ),
    )
    return {(row["vcon"], row["index"]): row["line"] for row in rows if row["line"] is not None}


async def newest_summaries(connection: Connection, tenant: str, vcons: Collection[UUID]) -> dict[UUID, str]:
    """Return the newest summary analysis of each vCon that has one."""
    rows = await connection.fetch(
        *named_query(
            "select distinct on (vcon) vcon, doc from vcontract.analysis"
            " where tenant = :tenant and vcon = any(:vcons) and type = 'summary' order by vcon, index desc",
            tenant=tenant,
            vcons=list(vcons),
        ),
    )
    texts = {row["vcon"]: " ".join(body_text(parse_json(row["doc"])).split()) for row in rows}
    return {vcon: text for vcon, text in texts.items() if text}


async def count(connection: Connection, tenant: str) -> int:
    """Count the transcripts, without those of sub-agents."""
    number: int = await connection.fetchval(
        *named_query(
            "select count(*) from vcontract.transcript where tenant = :tenant and not sidechain",
            tenant=tenant,
        ),
    )
    return number


class Beginning(NamedTuple):
    """Start of an exchange."""

    line: int
    number: int
    at: datetime | None
    """None at the start of a file, before its first exchange."""


async def exchange_at(connection: Connection, tenant: str, vcon: UUID, line: int) -> Beginning:
    """Return the start of the exchange with this line, or of the lines before all exchanges."""
    row = await connection.fetchrow(
        *named_query(
            "select line_start, number, started_at from vcontract.transcript_exchange"
            " where tenant = :tenant and vcon = :vcon and number > 1 and line_start <= :line"
            " order by line_start desc limit 1",
            tenant=tenant,
            vcon=vcon,
            line=line,
        ),
    )
    return Beginning(1, 1, None) if row is None else Beginning(*row)


class SubAgent(NamedTuple):
    """Transcript of a sub-agent, which has its own file."""

    path: str
    summary: str
    exchanges: int
    started_at: datetime


async def sub_agents_of(
    connection: Connection, tenant: str, harness: str, session: str, until: datetime
) -> list[SubAgent]:
    """Return the sub-agents that a session started until a time, in order."""
    rows = await connection.fetch(
        *named_query(
            "select archive_path, summary, exchanges, started_at from vcontract.transcript"
            " where tenant = :tenant and harness = :harness and session = :session and agent is not null"
            " and started_at <= :until order by started_at, archive_path",
            tenant=tenant,
            harness=harness,
            session=session,
            until=until,
        ),
    )
    return [SubAgent._make(row) for row in rows]
