"""The `bridge` toolset: capture, frame and weave lived experience."""

from collections.abc import Callable
from datetime import datetime

from vcontract.generated.registry import BridgeHandlers
from vcontract.handlers.bridge.auto import AutoTools
from vcontract.handlers.bridge.capture import CaptureTools
from vcontract.handlers.bridge.enrich import EnrichTools
from vcontract.handlers.bridge.framing import FramingTools
from vcontract.handlers.bridge.records import Records
from vcontract.handlers.bridge.release import ReleaseTools
from vcontract.handlers.bridge.search import SearchTools
from vcontract.handlers.bridge.status import StatusTools
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.llm.model import LanguageModel
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.text.dates import TimeReader
from vcontract.runtime.workspace.confined_files import FileRoots


def bridge_handlers(
    database: Database,
    embeddings: Embeddings,
    zone: str,
    languages: tuple[str, ...],
    files: FileRoots,
    llm: LlmSettings,
    model: LanguageModel,
    clock: Callable[[], datetime] | None = None,
) -> BridgeHandlers:
    """Create the handlers of the toolset. Times are parsed in a zone and some languages."""
    times = TimeReader(zone, languages)
    records = Records(database, embeddings, clock)
    return BridgeHandlers(
        auto=AutoTools(records, llm, model),
        capture=CaptureTools(records, times, files, llm),
        enrich=EnrichTools(records, times),
        framing=FramingTools(records),
        release=ReleaseTools(records),
        search=SearchTools(records, embeddings, times),
        status=StatusTools(records, llm),
    )
