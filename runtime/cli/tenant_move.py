"""Moving a tenant from one store to another."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.failures import CommandFailed
from vcontract.runtime.cli.open_store import (
    failures_of_store,
    named_store,
    open_as_owner,
    open_store,
)

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings


async def move_to_store(settings: "Settings", name: str, to: str) -> "tuple[str, dict[str, int]]":
    """Move a tenant. Returns its former store and the copied rows by table.

    If it is in `to` already: `to` and no rows. Raises: CommandFailed.
    """
    from vcontract.runtime.settings import HOME_STORE
    from vcontract.runtime.store.postgres.tenant_moves import Immovable, Store, move_tenant, place_of
    from vcontract.runtime.store.vcons.audit import WHOLE_STORE

    async with AsyncExitStack() as stack:
        opened: dict[str, Store] = {}

        async def store(of: str) -> Store:
            if of not in opened:
                its = named_store(settings, name, of)
                with failures_of_store(of):
                    await stack.enter_async_context(open_store(its))
                    opened[of] = Store(of, await stack.enter_async_context(open_as_owner(its)))
            return opened[of]

        home, target = await store(HOME_STORE), await store(to)
        source = await place_of(home.connection, name) or HOME_STORE
        if source == to:  # already moved, unless an interrupted move still has to be finished
            source = await place_of(target.connection, name) or to
        if source == to:
            return source, {}
        try:
            moved = await move_tenant(name, home, await store(source), target)
        except Immovable as error:
            raise CommandFailed(f"{name} cannot be moved to {to}", cause=str(error)) from None
        entry = {"tenant": name, "from": source, "to": to, "rows": sum(moved.values())}
        await record_command(home.connection, WHOLE_STORE, "tenant move", entry)
        return source, moved
