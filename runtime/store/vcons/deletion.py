"""Deleting a vCon, with everything that is derived from it."""

from pathlib import Path
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.idempotency import forget_answers
from vcontract.runtime.store.queries import query
from vcontract.runtime.store.transcripts import rows as transcripts
from vcontract.runtime.store.vcons.holds import refuse_held
from vcontract.runtime.store.vcons.spellings import forget_spellings
from vcontract.runtime.store.vcons.webhooks import announce


async def delete_vcon(
    connection: Connection, tenant: str, uuid: UUID, *, leave_tombstone: bool = True
) -> Path | None:
    """Delete a vCon and everything derived from it.

    Returns a transcript's archived file, to delete after the commit. A tombstone prevents `sync` and
    `import` from restoring it. Raises: Held, which rolls back.
    """
    archived = await transcripts.forget(connection, tenant, uuid, leave_tombstone=leave_tombstone)
    await connection.execute(
        "select from vcontract.vcon where tenant = $1 and uuid = $2 for update", tenant, uuid
    )
    await refuse_held(connection, tenant, uuid)
    await announce(connection, tenant, "vcon.deleted", [uuid])
    await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=-1))
    texts = await connection.fetch(*query("clear_vcons", tenant=tenant, vcons=[uuid]))
    await connection.execute("delete from vcontract.vcon where tenant = $1 and uuid = $2", tenant, uuid)
    if leave_tombstone:
        await connection.execute(
            "insert into vcontract.vcon_tombstone (tenant, uuid, deleted_at) values ($1, $2, now())"
            " on conflict (tenant, uuid) do nothing",
            tenant,
            uuid,
        )
    await forget_answers(connection, tenant, [str(uuid)])
    await forget_spellings(connection, uuid, [row["content"] for row in texts])
    return archived
