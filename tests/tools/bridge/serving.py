"""The bridge served on its own under a clock that tests set."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

from vcontract.handlers.bridge import bridge_handlers
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.calls.call import Entrance
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.contract.catalogue import Catalogue
from vcontract.runtime.llm.endpoint import Endpoint
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.idempotency import Requests
from vcontract.runtime.workspace.confined_files import FileRoots

ZONE = "Europe/Berlin"
NOON = datetime(2026, 11, 18, 15, 30, tzinfo=ZoneInfo(ZONE))
"""What the clock shows unless a test sets it."""

Say = Callable[..., Awaitable[str]]
Make = Callable[..., Awaitable[str]]
Rows = Callable[[], Awaitable[dict[str, list[str]]]]
Mark = Callable[..., Awaitable[None]]


@dataclass(slots=True)
class Clock:
    """The time as tests want it."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass(slots=True)
class Server:
    """The bridge on its own, served as a client gets it."""

    database: Database
    embeddings: Embeddings
    catalogue: Catalogue
    clock: Clock
    worker: EmbeddingWorker

    def dispatcher(self, *, files: Sequence[Path] = (), llm: LlmSettings | None = None) -> Dispatcher:
        llm = llm or LlmSettings()
        bridge = bridge_handlers(
            self.database,
            self.embeddings,
            ZONE,
            ("en",),
            FileRoots(files),
            llm,
            Endpoint(llm),
            clock=self.clock,
        )
        return Dispatcher(
            Entrance(self.catalogue, classify),
            SimpleNamespace(bridge=bridge),
            requests=Requests(self.database),
        )
