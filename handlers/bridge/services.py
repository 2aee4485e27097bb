"""Services shared by the handlers of the `bridge` toolset."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from vcontract.handlers.bridge.records import Records
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.llm.endpoint import Endpoint
from vcontract.runtime.llm.model import LanguageModel
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.text.dates import TimeReader
from vcontract.runtime.workspace.confined_files import FileRoots


@dataclass(frozen=True, slots=True)
class BridgeServices:
    """The services of the toolset, made once a process."""

    records: Records
    times: TimeReader
    files: FileRoots
    llm: LlmSettings
    model: LanguageModel

    @classmethod
    def of(cls, services: Services) -> Self:
        settings = services.settings
        llm = LlmSettings.of(settings)
        return cls(
            Records(services.database, services.embeddings),
            TimeReader(settings.time_zone, settings.date_languages),
            FileRoots([Path(root) for root in settings.file_roots]),
            llm,
            Endpoint(llm),
        )


class BridgeTools(Tools):
    """Base class of the handlers of the toolset."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        own = services.shared(BridgeServices.of)
        self._records = own.records
        self._times = own.times
        self._files = own.files
        self._llm = own.llm
        self._model = own.model
