"""The audit: who changed what, written in the transaction of the change."""

from datetime import datetime
from uuid import UUID

from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named
from vcontract.runtime.vcon.identity import new_uuid


async def record(
    connection: Connection,
    tenant: str,
    *,
    caller: str,
    action: str,
    now: datetime,
    vcon: UUID | None = None,
    detail: JsonObject | None = None,
) -> None:
    """Note a change. `detail` holds names and counts, never text of a conversation."""
    await connection.execute(
        *named(
            "insert into vcontract.audit (tenant, id, at, caller, action, vcon, detail)"
            " values (:tenant, :id, :at, :caller, :action, :vcon, :detail)",
            tenant=tenant,
            id=new_uuid(None, now),
            at=now,
            caller=caller,
            action=action,
            vcon=vcon,
            detail=dump_json(detail).decode() if detail is not None else None,
        ),
    )
