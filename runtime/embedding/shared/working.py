"""The process that embeds stored text in the background: `python -m …shared.working`, kept by the shared one.

It gives way to every other process. Its standard input gives its order as a line of JSON; what comes later
wakes the worker, and its end is the sign to end. On its standard output it tells how its model stands, a line
of JSON at each change.
"""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vcontract.runtime.documents.json import JsonObject
    from vcontract.runtime.embedding.worker import EmbeddingWorker
    from vcontract.runtime.settings import Settings

NICENESS: Final = 10
"""A tenth of what another process gets that wants the processor, too.

At 19 a busy machine would starve it, even while it has a row locked that a call waits for.
"""
_OTHER_NAMES: Final = frozenset(
    {
        *("data_dir", "database_url", "database_pooled", "role_prefix", "statement_timeout_ms", "log_level"),
        *("webhook_hosts", "purpose", "consent_required"),
    }
)
_CONNECTIONS: Final = 3
"""One for webhooks, beside those of embedding."""
_NO_TENANT: Final = "default"
_SECONDS_BETWEEN_LOOKS: Final = 1.0
_MOST_READ: Final = 4096
_RESTING_SECONDS: Final = 60.0
"""A model that has had nothing to embed for so long is let go of."""


def order_of(settings: "Settings", looks_every: float) -> "JsonObject":
    """What the process is told to do for a server of these settings, in JSON."""
    names = {name for name in type(settings).model_fields if name.startswith("embedding_")} | _OTHER_NAMES
    told = settings.model_dump(mode="json", include=names - {"embedding_api_key"})
    url, path = settings.database_url, settings.embedding_path
    shown = {
        **told,
        "data_dir": str(settings.data_dir.expanduser().absolute()),
        "database_url": None if url is None else url.get_secret_value(),
        "embedding_path": None if path is None else str(path.absolute()),
        "embedding_shared": False,
        "pool_size": _CONNECTIONS,
    }
    return {"settings": shown, "looks_every": looks_every}


def main() -> None:
    """Embed, and tell webhooks of changes, until the standard input ends."""
    from vcontract.runtime.documents.json import parse_json
    from vcontract.runtime.settings import Settings

    order = parse_json(sys.stdin.buffer.readline())
    asyncio.run(_work(Settings.model_validate(order["settings"]), order["looks_every"]))


def _give_way() -> None:
    """Let others go first from now on; what is loaded and opened by then did not take long."""
    os.nice(NICENESS)
    # where Linux groups processes by session, niceness counts within the group, and this is the group's
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS), encoding="ascii")


async def _work(settings: "Settings", looks_every: float) -> None:
    from vcontract.runtime import logs
    from vcontract.runtime.embedding.service import Embeddings
    from vcontract.runtime.embedding.worker import EmbeddingWorker
    from vcontract.runtime.store.inspect.deliveries import Deliveries
    from vcontract.runtime.store.postgres.database import Database

    logs.configure(settings.log_level)
    over = asyncio.Event()
    async with contextlib.AsyncExitStack() as closing:
        database = await Database.open(settings)
        closing.push_async_callback(database.close)
        embeddings = Embeddings(settings, database)
        closing.push_async_callback(embeddings.close)
        worker = EmbeddingWorker(embeddings, database, looks_every)
        closing.push_async_callback(worker.stop)
        deliveries = Deliveries(database, _NO_TENANT, settings.webhook_hosts)
        closing.push_async_callback(deliveries.stop)
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _heed, worker, over)
        _give_way()
        worker.start()
        deliveries.start()
        told = embeddings.model.state
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _SECONDS_BETWEEN_LOOKS)
            await embeddings.model.rest(_RESTING_SECONDS)
            if embeddings.model.state != told:
                told = embeddings.model.state
                print(json.dumps(asdict(told)), flush=True)


def _heed(worker: "EmbeddingWorker", over: asyncio.Event) -> None:
    """Wake the worker for what has come, or end when nothing can come any more."""
    if os.read(sys.stdin.fileno(), _MOST_READ):
        worker.wake()
    else:
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        over.set()


if __name__ == "__main__":
    main()
