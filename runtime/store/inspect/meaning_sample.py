"""Sample of conversations for a map, each as the mean of its passages' vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query

_MAX_PASSAGES: Final = 32
"""Maximum passages of a conversation; a longer one is represented by its beginning."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A conversation, its subject, and its mean vector in the searched space."""

    uuid: UUID
    subject: str | None
    vector: Sequence[float]


async def meanings(connection: Connection, tenant: str, most: int) -> list[Meaning]:
    """Return a stable sample of up to `most` vCons, without those that have no vector."""
    rows = await connection.fetch(*query("meaning_sample", tenant=tenant, most=most, passages=_MAX_PASSAGES))
    return [Meaning(row["uuid"], row["subject"], row["vector"]) for row in rows]


async def values_of(
    connection: Connection, tenant: str, key: str, vcons: Sequence[UUID]
) -> Mapping[UUID, str]:
    """Return the value of a tag for those vCons that have it."""
    rows = await connection.fetch(
        *named_query(
            "select vcon, value from vcontract.tag"
            " where tenant = :tenant and key = :key and vcon = any(:vcons::uuid[])",
            tenant=tenant,
            key=key,
            vcons=vcons,
        )
    )
    return {row["vcon"]: row["value"] for row in rows}
