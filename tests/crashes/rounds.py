"""One round: clients write, something dies, and afterwards all that was acknowledged is there."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from tests.conftest import PATIENCE
from tests.crashes.deaths import DEATHS
from tests.crashes.ledger import RejectedWrite
from tests.crashes.writers import Conversations, Imports, Journal, Reflections, Versions, Writer
from tests.e2e.conftest import Wire
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

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
    async with serving(
        "--toolsets", "all", folder=folder, rate_limits="off", session_allowed_roots=str(scratch)
    ) as wire:
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
    async with serving("--toolsets", "all", folder=folder, rate_limits="off") as wire:
        wrong = await _wrong(wire, folder, writers)
    ledgers = [writer.ledger for writer in writers]
    return Outcome(
        _written(writers),
        sum(map(len, (ledger.pending for ledger in ledgers))),
        sum(map(len, (ledger.refusals for ledger in ledgers))),
        tuple(wrong),
    )


async def _keep_writing(writer: Writer, progress: asyncio.Event, over: asyncio.Event) -> None:
    with suppress(asyncio.CancelledError, ConnectionError):
        while not over.is_set():
            with suppress(RejectedWrite):
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
    owner = await asyncpg.connect(EmbeddedCluster(folder).url())
    try:
        wrong = [line for writer in writers for line in writer.ledger.lost(await writer.found(wire, owner))]
        found = await wire.call("vcon_search", mode="metadata", limit=1)
        if found["page"]["total"] != await owner.fetchval("select count(*) from vcontract.vcon"):
            wrong.append("the search counts other vCons than there are")
        if not (await wire.call("create_vcon", vcon_data={"parties": [{"name": "After"}]}))["success"]:
            wrong.append("nothing can be stored any more")
        if orphans := await owner.fetchval(ORPHANS):
            wrong.append(f"{orphans} rows belong to no vCon")
    finally:
        await owner.close()
    return wrong
