"""Stored vCons written out: one, some, or all of a tenant, as they would be read in again."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol
from uuid import UUID

from vcontract.runtime.documents.json import dump_json
from vcontract.runtime.store.vcons.store import StoredVcon


class NoSuchVcon(LookupError):
    """A vCon asked for is not in the store."""


class Source(Protocol):
    """What an export needs of the store."""

    async def get(self, tenant: str, uuid: UUID, /) -> StoredVcon | None: ...

    def iterate(self, tenant: str, /) -> AsyncGenerator[StoredVcon]: ...


async def export_all(store: Source, tenant: str) -> AsyncGenerator[bytes]:
    """Every vCon of the tenant as of one moment, one line of JSON each, by `created_at` and uuid."""
    # closed here and now when the reader stops early: its transaction must not wait for a garbage collector
    vcons = store.iterate(tenant)
    async with aclosing(vcons):
        async for stored in vcons:
            yield dump_json(stored.document()) + b"\n"


async def export_some(
    store: Source, tenant: str, uuids: Sequence[UUID], *, pretty: bool = False
) -> AsyncGenerator[bytes]:
    """The vCons of these uuids in this order, one a line; `pretty` indents and takes several lines.

    Raises: NoSuchVcon.
    """
    for uuid in uuids:
        stored = await store.get(tenant, uuid)
        if stored is None:
            raise NoSuchVcon(str(uuid))
        document = stored.document()
        yield dump_json(document, indent=2 if pretty else None) + b"\n"
