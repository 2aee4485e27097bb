"""Resolve the requested version of a vCon, and report its chain."""

from typing import Literal
from uuid import UUID

from vcontract.generated.results import vcon as results
from vcontract.handlers.vcon.responses import not_found
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.versions import chain_of
from vcontract.runtime.vcon.times import format_time


async def versions_of(
    database: Database, ctx: ToolContext, uuid: UUID, wanted: Literal["latest", "original"]
) -> tuple[UUID, results.GetVconResultVersions]:
    """Return the uuid of the requested version, and its chain.

    Raises: NotFound.
    """
    async with database.reading(ctx.tenant) as connection:
        chain = await chain_of(connection, ctx.tenant, uuid)
    if chain is None:
        raise not_found(uuid)
    given = chain.versions[-1 if wanted == "latest" else 0].uuid
    versions: results.GetVconResultVersions = {
        "asked": str(uuid),
        "given": str(given),
        "chain": [
            {
                "uuid": str(version.uuid),
                "relation": version.relation,
                "created_at": format_time(version.created_at),
            }
            for version in chain.versions
        ],
        "complete": chain.complete,
    }
    if chain.forked:
        versions["forked"] = True
    return given, versions
