"""Bodies of stored elements, read in parts: a recording may be longer than any answer."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named

ElementArray: TypeAlias = Literal["dialog", "analysis", "attachments"]

_TABLES: Final[dict[ElementArray, str]] = {
    "dialog": "dialog",
    "analysis": "analysis",
    "attachments": "attachment",
}


@dataclass(frozen=True, slots=True)
class BodyPart:
    """Some characters of a body, and what is said of the whole."""

    text: str
    length: int
    """Characters of the whole body; JSON text where it is no text."""
    mediatype: str | None
    encoding: str | None


async def read_part(
    connection: Connection, tenant: str, vcon: UUID, array: ElementArray, index: int, offset: int, most: int
) -> BodyPart | None:
    """At most so many characters of a body from `offset` on; None where there is no body."""
    # one pass over a document that may have tens of megabytes
    columns = "json_to_record(doc) as found (body text, mediatype text, encoding text)"
    row = await connection.fetchrow(
        *named(
            "select substr(body, :offset::integer + 1, :most) as text, length(body) as length, mediatype,"  # noqa: S608  (names of tables)
            f" encoding from vcontract.{_TABLES[array]}, {columns}"
            " where tenant = :tenant and vcon = :vcon and index = :index and body is not null",
            tenant=tenant,
            vcon=vcon,
            index=min(index, _LARGEST),
            offset=min(offset, _LARGEST - 1),
            most=most,
        )
    )
    return None if row is None else BodyPart(**row)


_LARGEST: Final = 2**31 - 1
"""PostgreSQL counts places and characters in integers of this size."""
