"""Resolve prefixes of IDs, as git does for commits."""

from typing import TYPE_CHECKING, Final

from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.frame.documents.plain_text import one_line

if TYPE_CHECKING:
    from vcontract.runtime.store.postgres.database import Database
    from vcontract.runtime.store.vcons.id_prefixes import IdKind

_NAMES: Final = {"vcon": "conversation", "reflection": "reflection"}
_CURES: Final = {
    "vcon": "`vcontract list` and `vcontract search` show the IDs",
    "reflection": "searches and handoffs show IDs",
}
_MAX_CANDIDATES: Final = 10


async def full_id(database: "Database", tenant: str, text: str, kind: "IdKind" = "vcon") -> str:
    """Return the full ID with this prefix; other text is returned unchanged. Not for sessions.

    Raises: CommandFailed if no ID, or more than one, has the prefix.
    """
    from vcontract.runtime.store.vcons.id_prefixes import ids_beginning_with
    from vcontract.runtime.vcon.identity import digits_of

    digits = digits_of(text)
    if digits is None:
        return text
    async with database.reading(tenant) as connection:
        found = await ids_beginning_with(connection, tenant, digits, _MAX_CANDIDATES + 1, kind)
    if not found:
        raise CommandFailed(
            f"no {_NAMES[kind]} of tenant {tenant!r} has an ID that begins with {text}",
            cure=_CURES[kind],
        )
    if len(found) > 1:
        shown = [f"{each.id}  {each.began}  {one_line(each.subject)}".rstrip() for each in found]
        more = ["…"] if len(shown) > _MAX_CANDIDATES else []
        raise CommandFailed(
            f"more than one ID begins with {text}",
            cause="\n".join(shown[:_MAX_CANDIDATES] + more),
            cure="type more of the ID",
            code=ExitCode.USAGE,
        )
    return found[0].id
