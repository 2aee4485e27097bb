"""The bridge served on its own under a clock that tests set."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.services import isolated_services
from vcontract.generated.handlers import Handlers
from vcontract.handlers.bridge.records import Records
from vcontract.handlers.bridge.services import BridgeServices
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.contract.catalogue import Catalogue
from vcontract.runtime.llm.endpoint import Endpoint
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.idempotency import Requests
from vcontract.runtime.text.dates import TimeReader
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
        services = isolated_services(self.database, self.embeddings)
        services.provide(
            BridgeServices.of,
            BridgeServices(
                Records(self.database, self.embeddings, self.clock),
                TimeReader(ZONE, ("en",)),
                FileRoots(files),
                llm,
                Endpoint(llm),
            ),
        )
        return Dispatcher(
            RequestScope(self.catalogue, classify),
            Handlers(services),
            requests=Requests(self.database),
        )
