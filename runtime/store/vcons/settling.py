"""Planner statistics during an import, updated once that is worthwhile."""

from typing import Final

from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.counts import fold_all

_MANY: Final = 100
"""New vCons of an import from which updating statistics is worthwhile."""
_FEW: Final = 200
"""Below this row count the planner's index choice is unreliable."""


class Settling:
    """Updates planner statistics during an import, once that is worthwhile."""

    def __init__(self, database: Database | None, tenant: str) -> None:
        self._database = database
        self._tenant = tenant
        self._is_due = False

    async def note(self, stored: int) -> None:
        """Report that this many vCons have been stored; early in a large import, update planner statistics.

        For an empty table every index looks equally good, and a connection keeps its plan. Each foreign key
        check would then scan the tenant's whole index.
        """
        if self._database is not None and not self._is_due and stored >= _MANY:
            self._is_due = True
            async with self._database.writing(self._tenant) as connection:
                await connection.execute(
                    "select vcontract.refresh_statistics() from pg_class"
                    " where oid = 'vcontract.vcon'::regclass and reltuples < $1",
                    _FEW,
                )

    async def end(self) -> None:
        """Report the end of the import. A large one folds counts and updates planner statistics."""
        if self._database is not None and self._is_due:
            await fold_all(self._database)
            async with self._database.writing(self._tenant) as connection:
                await connection.execute("select vcontract.refresh_statistics()")
