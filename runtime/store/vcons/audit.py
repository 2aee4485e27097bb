"""Audit log: who did what, written in the transaction of the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.frame.logs import Log
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.errors import StoreUnavailable
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.vcon.identity import new_uuid

_LOG = Log("audit")
_FAILURES: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, StoreUnavailable, TimeoutError, OSError)

Outcome: TypeAlias = Literal["done", "refused"]

IMPORT_REPORT: Final = "import report"
"""Action of an entry with the summary of an import."""
_MAX_REPORTS: Final = 50

WHOLE_STORE: Final = ""
"""Tenant of entries about the store, which no tenant can read."""


class Refusals:
    """Records rejections in their own transactions, because a rejected call has none."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, tenant: str, caller: str, action: str, reason: str) -> None:
        """Record a rejection. If the store is unavailable, log it instead."""
        try:
            async with self._database.writing(tenant) as connection:
                await record_refusal(
                    connection, tenant, caller=caller, action=action, reason=reason, now=datetime.now(UTC)
                )
        except _FAILURES as error:
            _LOG.error("a refusal is missing in the audit", error, action=action, reason=reason)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry: an action or a rejection."""

    at: datetime
    tenant: str
    caller: str
    action: str
    """The tool, such as `create_vcon`, or the command, such as `tenant delete`."""
    outcome: Outcome
    vcon: UUID | None
    detail: JsonObject


async def record(
    connection: "Connection | OwnerConnection",
    tenant: str,
    *,
    caller: str,
    action: str,
    now: datetime,
    vcon: UUID | None = None,
    detail: JsonObject | None = None,
) -> None:
    """Record an action. `detail` holds names and counts, never conversation text."""
    await connection.execute(
        *named_query(
            "insert into vcontract.audit (tenant, id, at, caller, action, vcon, detail)"
            " values (:tenant, :id, :at, :caller, :action, :vcon, :detail)",
            tenant=tenant,
            id=new_uuid(now),
            at=now,
            caller=caller,
            action=action,
            vcon=vcon,
            detail=dump_json(detail).decode() if detail is not None else None,
        ),
    )


async def record_refusal(
    connection: Connection, tenant: str, *, caller: str, action: str, reason: str, now: datetime
) -> None:
    """Record a rejection, at most once a minute for equal ones, so that repetition fills no disk."""
    await connection.execute(
        *named_query(
            "insert into vcontract.audit (tenant, id, at, caller, action, outcome, detail)"
            " select :tenant, :id::uuid, :at, :caller, :action, 'refused',"
            "  json_build_object('reason', :reason::text)"
            " where not exists (select from vcontract.audit a where a.tenant = :tenant"
            "  and a.at > :at::timestamptz - interval '1 minute'"
            "  and a.caller = :caller and a.action = :action and a.outcome = 'refused')",
            tenant=tenant,
            id=new_uuid(now),
            at=now,
            caller=caller,
            action=action,
            reason=reason,
        ),
    )


async def lines(
    connection: OwnerConnection,
    *,
    tenant: str | None,
    since: datetime | None,
    action: str | None,
    outcome: Outcome | None,
    most: int,
) -> Sequence[AuditEntry]:
    """Return the newest matching entries, oldest first. For a tenant, includes those that name it."""
    rows = await connection.fetch(
        *named_query(
            "select at, tenant, caller, action, outcome, vcon, detail from vcontract.audit"
            " where (:tenant::text is null or tenant = :tenant"
            "  or (tenant = '' and detail ->> 'tenant' = :tenant))"
            " and (:since::timestamptz is null or at >= :since)"
            " and (:action::text is null or action = :action)"
            " and (:outcome::text is null or outcome = :outcome)"
            " order by at desc, id desc limit :most",
            tenant=tenant,
            since=since,
            action=action,
            outcome=outcome,
            most=most,
        )
    )
    return [_line(row) for row in reversed(rows)]


async def import_reports(connection: Connection, tenant: str) -> Sequence[AuditEntry]:
    """Return the summaries of the tenant's last imports by command, newest first.

    Empty for a caller with a purpose, because a summary counts what consent hides.
    """
    rows = await connection.fetch(
        *named_query(
            "select at, tenant, caller, action, outcome, vcon, detail from vcontract.audit"
            " where tenant = :tenant and action = :action and vcontract.current_purposes() is null"
            " order by at desc, id desc limit :most",
            tenant=tenant,
            action=IMPORT_REPORT,
            most=_MAX_REPORTS,
        )
    )
    return [_line(row) for row in rows]


def _line(row: asyncpg.Record) -> AuditEntry:
    detail: JsonObject = {} if row["detail"] is None else parse_json(row["detail"])
    at, tenant, caller, action, outcome, vcon, _ = row
    return AuditEntry(at, tenant, caller, action, outcome, vcon, detail)


async def keep(connection: OwnerConnection, days: int) -> None:
    """Delete entries older than a number of days."""
    await connection.execute("update vcontract.retention set days = $1 where what = 'audit'", days)
