"""Reflections in the database: what somebody wanted remembered."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.store.database import Connection

KIND: Final = "reflection"


@dataclass(frozen=True, slots=True)
class Reflection:
    """One stored text with its tags."""

    id: UUID
    content: str
    tags: tuple[str, ...]
    stored_at: datetime


async def reflections_of(connection: Connection, tenant: str, session: UUID) -> Sequence[Reflection]:
    """What was stored in a session, oldest first."""
    rows = await connection.fetch(
        "select id, content, tags, stored_at from vcontract.reflection"
        " where tenant = $1 and session = $2 order by stored_at, id",
        tenant,
        session,
    )
    return [Reflection(row["id"], row["content"], tuple(row["tags"]), row["stored_at"]) for row in rows]
