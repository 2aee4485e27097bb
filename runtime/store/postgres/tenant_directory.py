"""Find the store of each tenant, from the home store's directory."""

import time
from typing import Final

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store

_KNOWN_SECONDS: Final = 1.0
"""How long an entry is cached. A store that a tenant has left rejects it, so stale entries are safe."""
_MAX_CACHED: Final = 10_000


class TenantDirectory:
    """Cached entries of the home store."""

    def __init__(self, home: Database) -> None:
        self._home = home
        self._known: dict[str, tuple[str | None, float]] = {}

    async def of(self, tenant: str) -> str | None:
        """Return the name of a tenant's store; None for the home store. Uses cached entries if that is
        unavailable.
        """
        place: str | None
        place, until = self._known.get(tenant, (None, 0.0))
        if time.monotonic() < until:
            return place
        try:
            with reaching_store():
                place = await store_named(self._home, tenant)
        except StoreDown:
            return place
        if len(self._known) >= _MAX_CACHED:
            self._known.clear()
        self._known[tenant] = place, time.monotonic() + _KNOWN_SECONDS
        return place


async def store_named(home: Database, tenant: str) -> str | None:
    """Return the name of a tenant's store; None for the home store."""
    async with home.reading(DEPLOYMENT) as connection:
        name: str | None = await connection.fetchval("select vcontract.store_of($1)", tenant)
    return name
