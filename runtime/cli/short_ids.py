"""Resolve prefixes of conversation IDs, as git does for commits."""

from typing import TYPE_CHECKING, Final

from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.frame.documents.plain_text import one_line

if TYPE_CHECKING:
    from vcontract.runtime.store.postgres.database import Database

_MAX_CANDIDATES: Final = 10


async def full_id(database: "Database", tenant: str, text: str) -> str:
    """Return the full ID with this prefix; other text is returned unchanged.

    Raises: CommandFailed if no ID, or more than one, has the prefix.
    """
    from vcontract.runtime.store.vcons.id_prefixes import digits_of, ids_beginning_with

    digits = digits_of(text)
    if digits is None:
        return text
    async with database.reading(tenant) as connection:
        found = await ids_beginning_with(connection, tenant, digits, _MAX_CANDIDATES + 1)
    if not found:
        raise CommandFailed(
            f"no conversation of tenant {tenant!r} has an ID that begins with {text}",
            cure="`vcontract list` and `vcontract search` show the IDs",
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
