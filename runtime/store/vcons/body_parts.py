"""Read large stored elements in parts: a recording may be longer than any response."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query

ElementArray: TypeAlias = Literal["dialog", "analysis", "attachments"]

ELEMENT_ARRAYS: Final[Mapping[str, ElementArray]] = {name: name for name in get_args(ElementArray)}
_TABLES: Final[dict[ElementArray, str]] = {
    "dialog": "dialog",
    "analysis": "analysis",
    "attachments": "attachment",
}


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A substring of a body, with facts about the whole."""

    text: str
    length: int
    """Length of the whole body in characters; of its JSON text if it is not a string."""
    mediatype: str | None
    encoding: str | None


async def read_part(
    connection: Connection, tenant: str, vcon: UUID, array: ElementArray, index: int, offset: int, most: int
) -> BodyPart | None:
    """Return up to this many characters of a body from `offset`; None if there is no body."""
    # one pass over a document of possibly tens of megabytes
    columns = "json_to_record(doc) as found (body text, mediatype text, encoding text)"
    row = await connection.fetchrow(
        *named_query(
            "select substr(body, :offset::integer + 1, :most) as text, length(body) as length, mediatype,"  # noqa: S608  (names of tables)
            f" encoding from vcontract.{_TABLES[array]}, {columns}"
            " where tenant = :tenant and vcon = :vcon and index = :index and body is not null",
            tenant=tenant,
            vcon=vcon,
            index=min(index, _MAX_INTEGER),
            offset=min(offset, _MAX_INTEGER - 1),
            most=most,
        )
    )
    return None if row is None else BodyPart(**row)


async def read_elements(
    connection: Connection, tenant: str, vcon: UUID, array: ElementArray, first: int, most: int
) -> list[JsonObject]:
    """Return up to this many elements from index `first`.

    Long bodies are cut, or left out where a part is useless. Other long members are left out.
    """
    rows = await connection.fetch(
        *named_query(
            "select case when length(doc::text) <= :whole then doc else ("  # noqa: S608  (names of tables)
            "  select json_object_agg(m.key,"
            "   case m.key when 'body' then to_json(left(m.value #>> '{}', :whole)) else m.value end)"
            "  from json_each(doc) m where case m.key"
            "   when 'body' then doc ->> 'encoding' is distinct from 'base64url'"
            "   else length(m.value::text) <= :member end"
            f" ) end as doc from vcontract.{_TABLES[array]}"
            " where tenant = :tenant and vcon = :vcon and index >= :first order by index limit :most",
            tenant=tenant,
            vcon=vcon,
            first=min(first, _MAX_INTEGER),
            most=most,
            whole=_MAX_WHOLE_ELEMENT_LENGTH,
            member=_MAX_MEMBER_LENGTH,
        )
    )
    return [parse_json(row["doc"]) for row in rows]


_MAX_WHOLE_ELEMENT_LENGTH: Final = 16_000
_MAX_MEMBER_LENGTH: Final = 1_000
"""Characters of JSON."""
_MAX_INTEGER: Final = 2**31 - 1
"""Maximum of PostgreSQL's integer type, for offsets and lengths."""
