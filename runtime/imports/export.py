"""Stored vCons written out: one, some, or all of a tenant."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol
from uuid import UUID

from vcontract.runtime.imports.formats import JSON_LINES, Format
from vcontract.runtime.store.vcons.store import StoredVcon


class NoSuchVcon(LookupError):
    """A vCon asked for is not in the store."""


class Source(Protocol):
    """What an export needs of the store."""

    async def get(self, tenant: str, uuid: UUID, /) -> StoredVcon | None: ...

    def iterate(self, tenant: str, /) -> AsyncGenerator[StoredVcon]: ...


async def export_all(store: Source, tenant: str, form: Format = JSON_LINES) -> AsyncGenerator[bytes]:
    """Every vCon of the tenant as of one moment, each as `form` writes it, by `created_at` and uuid."""
    # closed here and now when the reader stops early: its transaction must not wait for a garbage collector
    vcons = store.iterate(tenant)
    async with aclosing(vcons):
        async for stored in vcons:
            yield form.write(stored.document())


async def export_some(
    store: Source, tenant: str, uuids: Sequence[UUID], form: Format = JSON_LINES
) -> AsyncGenerator[bytes]:
    """The vCons of these uuids in this order, each as `form` writes it.

    Raises: NoSuchVcon.
    """
    for uuid in uuids:
        stored = await store.get(tenant, uuid)
        if stored is None:
            raise NoSuchVcon(str(uuid))
        yield form.write(stored.document())
