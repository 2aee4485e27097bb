"""Update planner statistics while an import stores many vCons."""

from typing import Final

from vcontract.runtime.store.vcons.store import VconStore

_MANY: Final = 100
"""New vCons of an import from which updating statistics is worthwhile."""


class Settling:
    """Updates planner statistics during an import, once that is worthwhile."""

    def __init__(self, store: VconStore | None, tenant: str) -> None:
        self._store = store
        self._tenant = tenant
        self._is_due = False

    async def note(self, stored: int) -> None:
        """Report that this many vCons have been stored."""
        if self._store is not None and not self._is_due and stored >= _MANY:
            self._is_due = True
            await self._store.settle_early(self._tenant)

    async def end(self) -> None:
        """Report the end of the import."""
        if self._store is not None and self._is_due:
            await self._store.settle(self._tenant)
