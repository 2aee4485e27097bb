"""One round: clients write, something dies; then all that was acknowledged is there, and was told."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from tests.conftest import PATIENCE
from tests.crashes.deaths import DEATHS
from tests.crashes.ledger import Refused
from tests.crashes.writers import Conversations, Imports, Journal, Reflections, Versions, Writer
from tests.e2e.conftest import Wire
from tests.receiver import Receiver, receiving
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.inspect.deliveries import Deliveries
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons import webhooks
from vcontract.runtime.store.vcons.webhooks import Recipient
from vcontract.runtime.vcon.trust.webhooks import new_secret

Serving = Callable[..., AbstractAsyncContextManager[Wire]]

ORPHANS = """
    select count(*) from (
        select vcon from vcontract.party union all select vcon from vcontract.dialog
        union all select vcon from vcontract.analysis union all select vcon from vcontract.attachment
        union all select vcon from vcontract.tag union all select vcon from vcontract.dealer
        union all select id from vcontract.search_document where kind = 'vcon'
        union all select id from vcontract.passage where kind = 'vcon'
    ) derived (id) where id not in (select uuid from vcontract.vcon)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round showed."""

    acknowledged: int
    unanswered: int
    refused: int
    wrong: tuple[str, ...]
    """One line for each thing that is not as it was acknowledged."""


async def play(serving: Serving, folder: Path, scratch: Path, death: str, writes: int) -> Outcome:
    """Have every writer write to a server on `folder` until `death` meets it, and look what is there."""
    await asyncio.to_thread(scratch.mkdir, parents=True)
    with receiving() as receiver:
        return await _play(serving, folder, scratch, death, writes, receiver)


async def _play(
    serving: Serving, folder: Path, scratch: Path, death: str, writes: int, receiver: Receiver
) -> Outcome:
    given = {"folder": folder, "rate_limiting": "false", "webhook_hosts": "127.0.0.1"}
    async with serving("--toolsets", "all", session_allowed_roots=str(scratch), **given) as wire:
        to = await _subscribed(folder, receiver)
        imports = Imports(folder, scratch)
        writers: Sequence[Writer] = (
            Conversations(wire),
            Conversations(wire),
            Versions(wire),
            Journal(wire),
            Reflections(wire, scratch),
            imports,
        )
        progress, over = asyncio.Event(), asyncio.Event()
        running = [asyncio.create_task(_keep_writing(writer, progress, over)) for writer in writers]
        await _until(writers, progress, writes)
        await asyncio.to_thread(DEATHS[death], wire.process.pid, folder)
        if death not in ("server", "everything"):
            # the same server goes on, and its clients with it
            await _until(writers, progress, _written(writers) + writes)
        # a cancellation that meets an answer is lost in `wait_for` of Python 3.11, so it is not all we say
        over.set()
        for task in running:
            task.cancel()
        await asyncio.wait(running)
        await imports.stop()
    async with serving("--toolsets", "all", **given) as wire:
        wrong = [*await _wrong(wire, folder, writers), *await _untold(folder, to, receiver)]
    ledgers = [writer.ledger for writer in writers]
    return Outcome(
        _written(writers),
        sum(map(len, (ledger.pending for ledger in ledgers))),
        sum(map(len, (ledger.refusals for ledger in ledgers))),
        tuple(wrong),
    )


@asynccontextmanager
async def _as_owner(folder: Path) -> AsyncGenerator[OwnerConnection]:
    owner: OwnerConnection = await asyncpg.connect(EmbeddedCluster(folder).url())
    try:
        yield owner
    finally:
        await owner.close()


async def _subscribed(folder: Path, receiver: Receiver) -> Recipient:
    """A webhook that tells the receiver of everything that is written from now on."""
    to = Recipient("default", new_secret().hex()[:12], receiver.url, new_secret(), sends_vcon=False)
    async with _as_owner(folder) as owner, owner.transaction():
        await webhooks.add_webhook(owner, to, webhooks.EVENTS, {})
    return to


async def _untold(folder: Path, to: Recipient, receiver: Receiver) -> list[str]:
    """One line for each vCon of which the receiver was not told that it came or went, or was told wrongly."""
    async with _as_owner(folder) as owner:
        await webhooks.retry(owner, to.tenant, to.id)  # what died may have claimed it for a while
        database = await Database.open(Settings(data_dir=folder))
        try:
            async with asyncio.timeout(PATIENCE):
                while await webhooks.deliveries(owner, to.tenant, to.id, dead_only=False, most=1):
                    await Deliveries(database, to.tenant, ["127.0.0.1"]).deliver_once()
        finally:
            await database.close()
        rows = await owner.fetch(
            "select v.uuid::text from vcontract.vcon v join vcontract.webhook w on w.created_at < v.stored_at"
            " where w.id = $1",
            to.id,
        )
        await webhooks.remove_webhook(owner, to.tenant, to.id)
    there = {row["uuid"] for row in rows}
    told = {event: {vcon for each, vcon in receiver.told() if each == event} for event in webhooks.EVENTS}
    came, went = told["vcon.created"], told["vcon.deleted"]
    return [
        *(f"{vcon}: nobody was told that it came" for vcon in there - came),
        *(f"{vcon}: nobody was told that it went" for vcon in came - there - went),
        *(f"{vcon}: it was told to have gone" for vcon in there & went),
    ]


async def _keep_writing(writer: Writer, progress: asyncio.Event, over: asyncio.Event) -> None:
    with suppress(asyncio.CancelledError, ConnectionError):
        while not over.is_set():
            with suppress(Refused):
                await writer.write()
            progress.set()


async def _until(writers: Sequence[Writer], progress: asyncio.Event, writes: int) -> None:
    """Wait until so many writes were acknowledged."""
    async with asyncio.timeout(PATIENCE):
        while _written(writers) < writes:
            progress.clear()
            await progress.wait()


def _written(writers: Sequence[Writer]) -> int:
    return sum(writer.ledger.writes for writer in writers)


async def _wrong(wire: Wire, folder: Path, writers: Sequence[Writer]) -> list[str]:
    async with _as_owner(folder) as owner:
        wrong = [line for writer in writers for line in writer.ledger.lost(await writer.found(wire, owner))]
        found = await wire.call("vcon_search", mode="metadata", limit=1)
        if found["page"]["total"] != await owner.fetchval("select count(*) from vcontract.vcon"):
            wrong.append("the search counts other vCons than there are")
        if not (await wire.call("create_vcon", vcon_data={"parties": [{"name": "After"}]}))["success"]:
            wrong.append("nothing can be stored any more")
        if orphans := await owner.fetchval(ORPHANS):
            wrong.append(f"{orphans} rows belong to no vCon")
    return wrong
