"""What conversations mean, for a map: a sample of them, each as the mean of the vectors of its passages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named, query

_MAX_PASSAGES: Final = 32
"""Of a conversation; a longer one is told by its beginning."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A conversation, what it is about, and its place in the space that is searched."""

    uuid: UUID
    subject: str | None
    vector: Sequence[float]


async def meanings(connection: Connection, tenant: str, most: int) -> list[Meaning]:
    """Those of `most` vCons at most, the same ones each time; of vCons without a vector none."""
    rows = await connection.fetch(*query("meaning_sample", tenant=tenant, most=most, passages=_MAX_PASSAGES))
    return [Meaning(row["uuid"], row["subject"], row["vector"]) for row in rows]


async def values_of(
    connection: Connection, tenant: str, key: str, vcons: Sequence[UUID]
) -> Mapping[UUID, str]:
    """The value of a tag, of those of the vCons that have it."""
    rows = await connection.fetch(
        *named(
            "select vcon, value from vcontract.tag"
            " where tenant = :tenant and key = :key and vcon = any(:vcons::uuid[])",
            tenant=tenant,
            key=key,
            vcons=vcons,
        )
    )
    return {row["vcon"]: row["value"] for row in rows}
