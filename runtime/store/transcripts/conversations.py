"""Conversations: what is shown of the transcripts whose exchanges were found, and where reading begins."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named
from vcontract.runtime.vcon.text import body_text


class FoundExchange(NamedTuple):
    """An exchange with what is shown of its conversation; a tuple, because a search makes thousands."""

    id: UUID
    vcon: UUID
    number: int
    line_start: int
    line_end: int
    started_at: datetime
    digest: bytes | None
    """Equal for exchanges in which the same is said; None when that is nothing."""
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
        """Sorts conversations, the oldest first; of two that began together the one that went on less."""
        return self.conversation_started_at, self.conversation_ended_at, self.path


async def exchanges_of(
    connection: Connection, tenant: str, ids: Collection[UUID]
) -> dict[UUID, FoundExchange]:
    """The exchanges with these ids."""
    rows = await connection.fetch(
        *named(
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
    """The first line, in its transcript, of each dialog of a vCon."""
    rows = await connection.fetch(
        *named(
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
    """The text of the newest analysis of type `summary` of each vCon that has one."""
    rows = await connection.fetch(
        *named(
            "select distinct on (vcon) vcon, doc from vcontract.analysis"
            " where tenant = :tenant and vcon = any(:vcons) and type = 'summary' order by vcon, index desc",
            tenant=tenant,
            vcons=list(vcons),
        ),
    )
    texts = {row["vcon"]: " ".join(body_text(parse_json(row["doc"])).split()) for row in rows}
    return {vcon: text for vcon, text in texts.items() if text}


async def count(connection: Connection, tenant: str) -> int:
    """How many transcripts there are, without those of sub-agents."""
    number: int = await connection.fetchval(
        *named(
            "select count(*) from vcontract.transcript where tenant = :tenant and not sidechain",
            tenant=tenant,
        ),
    )
    return number


class Beginning(NamedTuple):
    """Where an exchange begins."""

    line: int
    number: int
    at: datetime | None
    """None where a file begins, and with it the first exchange."""


async def exchange_at(connection: Connection, tenant: str, vcon: UUID, line: int) -> Beginning:
    """The beginning of the exchange that holds a line, or of what is before all of them."""
    row = await connection.fetchrow(
        *named(
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
    """The transcript of a sub-agent, which has a file of its own."""

    path: str
    summary: str
    exchanges: int
    started_at: datetime


async def sub_agents_of(
    connection: Connection, tenant: str, harness: str, session: str, until: datetime
) -> list[SubAgent]:
    """The sub-agents that a session began until a moment, in their order."""
    rows = await connection.fetch(
        *named(
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
