"""Kills stores of a deployment under writers, and moves tenants under them: `python -m tests.crashes.stores`.

One program writes for many tenants into three PostgreSQL of its own. Each round something happens to one of
them, and afterwards everything that was acknowledged is in the one store where its tenant is.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg
from pydantic import SecretStr

from tests.own_server import OwnServer
from tests.waiting import until
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenant_moves import Store, move_tenant, place_of

LOGIN: Final = "serving"
STORES: Final = (HOME_STORE, "east", "west")
MAY_BE_TOLD: Final = frozenset({"unavailable", "outcome_unknown"})
_PAUSE_SECONDS: Final = 0.02
_TIMES: Final = 10


class Deployment:
    """Servers by the names of their stores, with a migrated store on each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.servers = {name: OwnServer(folder / name, {"fsync": "on"}) for name in STORES}

    async def start(self) -> None:
        for server in self.servers.values():
            await asyncio.to_thread(server.start)
            connection: OwnerConnection = await asyncpg.connect(server.superuser_url)
            try:
                await migrate(connection)
                await connection.execute(
                    f"create role {LOGIN} login;grant vcontract_server to {LOGIN} with inherit true, set true"
                )
            finally:
                await connection.close()

    def url(self, name: str) -> str:
        return self.servers[name].cluster.url("postgres", user=LOGIN)

    @property
    def settings(self) -> Settings:
        return Settings(
            database_url=SecretStr(self.url(HOME_STORE)),
            database_urls=SecretStr(" ".join(f"{name}={self.url(name)}" for name in STORES[1:])),
            data_dir=self.folder / "data",
            embedding_provider="none",
            rate_limits=None,
            pool_size=16,
        )

    async def store(self, name: str) -> Store:
        return Store(name, await asyncpg.connect(self.servers[name].superuser_url))

    async def move(self, tenant: str, to: str) -> None:
        """As `vcontract tenant move` does it."""
        home = await self.store(HOME_STORE)
        source = await self.store(await place_of(home.connection, tenant) or HOME_STORE)
        target = await self.store(to)
        try:
            await move_tenant(tenant, home, source, target)
        finally:
            for store in (home, source, target):
                await store.connection.close()

    def kill(self, name: str) -> None:
        """Kill the postmaster, as the kernel does when memory ends."""
        pid = int((self.servers[name].cluster.data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGKILL)

    async def start_again(self, name: str) -> None:
        await asyncio.to_thread(self.servers[name].start)

    async def crash(self, name: str) -> None:
        """Kill the postmaster and start it again at once."""
        self.kill(name)
        await self.start_again(name)

    def stop(self) -> None:
        for server in self.servers.values():
            server.stop()


@dataclass(slots=True)
class Ledger:
    """What the writers received."""

    acknowledged: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Reasons of errors."""

    @property
    def stored(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    @property
    def errors(self) -> int:
        return sum(self.reasons.values())


async def write(app: App, tenant: str, ledger: Ledger, over: asyncio.Event) -> None:
    """Store one conversation after the other."""
    caller = Caller(tenant, frozenset({"read", "write"}))
    while not over.is_set():
        vcon = {"parties": [{"name": "Ann"}], "subject": uuid.uuid4().hex}
        outcome = await app.dispatcher.call("create_vcon", {"vcon_data": vcon}, caller)
        if outcome.is_error:
            details: JsonObject = (
                outcome.structured.get("details") or outcome.structured["error"].get("details") or {}
            )
            ledger.reasons[str(details.get("reason", outcome.outcome))] += 1
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            ledger.acknowledged.setdefault(tenant, set()).add(outcome.structured["uuid"])


Happening = Callable[[Deployment, Sequence[str], Ledger], Awaitable[None]]


async def _store_dies(deployment: Deployment, _tenants: Sequence[str], _ledger: Ledger) -> None:
    await deployment.crash("east")


async def _home_dies(deployment: Deployment, _tenants: Sequence[str], _ledger: Ledger) -> None:
    await deployment.crash(HOME_STORE)


async def _store_is_away(deployment: Deployment, tenants: Sequence[str], ledger: Ledger) -> None:
    """Until its tenants were refused, and those of the other stores have stored as many times."""
    deployment.kill("east")
    stored, errors = ledger.stored, ledger.errors
    enough = _TIMES * len(tenants)
    await until(lambda: min(ledger.stored - stored, ledger.errors - errors) >= enough)
    await deployment.start_again("east")


async def _tenants_move(deployment: Deployment, tenants: Sequence[str], _ledger: Ledger) -> None:
    """One of each store goes to the next, and back."""
    for by in (1, 0):
        for number, tenant in enumerate(tenants[: len(STORES)]):
            await deployment.move(tenant, STORES[(number + by) % len(STORES)])


async def _mover_dies(deployment: Deployment, tenants: Sequence[str], _ledger: Ledger) -> None:
    """The store that a tenant comes from is killed while it moves, and the move is done again."""
    moving = asyncio.create_task(deployment.move(tenants[1], "west"))
    await asyncio.sleep(_PAUSE_SECONDS)
    await deployment.crash("east")
    await asyncio.wait([moving])
    if moving.exception() is not None:
        await deployment.move(tenants[1], "west")
    await deployment.move(tenants[1], "east")


HAPPENINGS: Final[Mapping[str, Happening]] = {
    "store dies": _store_dies,
    "store away": _store_is_away,
    "tenants move": _tenants_move,
    "home dies": _home_dies,
    "mover dies": _mover_dies,
}


async def wrong(deployment: Deployment, ledger: Ledger) -> list[str]:
    """One line for each thing that is not as it was acknowledged."""
    lines = [f"an error says {reason}" for reason in ledger.reasons if reason not in MAY_BE_TOLD]
    found: dict[str, dict[str, set[str]]] = {}
    for name in STORES:
        store = await deployment.store(name)
        for row in await store.connection.fetch("select tenant, uuid::text as uuid from vcontract.vcon"):
            found.setdefault(row["tenant"], {}).setdefault(name, set()).add(row["uuid"])
        await store.connection.close()
    for tenant, uuids in ledger.acknowledged.items():
        places = found.get(tenant, {})
        if len(places) != 1:
            lines.append(f"{tenant} is in {sorted(places)}")
        if lost := uuids - set[str]().union(*places.values()):
            lines.append(f"{tenant} lacks {len(lost)} of {len(uuids)}")
    return lines


async def play(deployment: Deployment, happenings: Sequence[str], writers: int, seconds: float) -> list[str]:
    """Have writers write for as many tenants while one thing after the other happens; what is wrong then."""
    tenants = [f"t{number}" for number in range(writers)]
    for number, tenant in enumerate(tenants):
        if (place := STORES[number % len(STORES)]) != HOME_STORE:
            await deployment.move(tenant, place)
    ledger, over = Ledger(), asyncio.Event()
    app = await build(deployment.settings)
    try:
        writing = [asyncio.create_task(write(app, tenant, ledger, over)) for tenant in tenants]
        for happening in happenings:
            before, errors = ledger.stored, ledger.errors
            began = time.monotonic()
            await asyncio.sleep(seconds)
            await HAPPENINGS[happening](deployment, tenants, ledger)
            await asyncio.sleep(seconds)
            took = time.monotonic() - began
            stored, reported = ledger.stored - before, ledger.errors - errors
            print(f"{happening:13} {stored:6} acknowledged, {reported:5} errors, {took:5.1f} s", flush=True)
        over.set()
        await asyncio.gather(*writing)
    finally:
        await app.close()
    print(f"{ledger.stored} acknowledged, errors {dict(ledger.reasons)}", flush=True)
    return await wrong(deployment, ledger)


async def main() -> int:
    """The exit status: 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=3.0, help="before and after what happens")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vcontract-stores-") as folder:
        deployment = Deployment(Path(folder))
        await deployment.start()
        try:
            lines = await play(deployment, [*HAPPENINGS] * given.rounds, given.writers, given.seconds)
        finally:
            await asyncio.to_thread(deployment.stop)
    print(*lines, f"{len(lines)} wrong", sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
