"""The handlers of every tool and resource, each module imported on the first call that needs it.

A type checker reports here what a hand-written class lacks of its protocol.

Made from spec.
Do not edit; run: make generate
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vcontract.generated.protocols import (
        BridgeAutoTools,
        BridgeCaptureTools,
        BridgeEnrichTools,
        BridgeFramingTools,
        BridgeReleaseTools,
        BridgeSearchTools,
        BridgeStatusTools,
        ContractCountsTools,
        ContractDescribingTools,
        ContractFetchTools,
        ContractRecallTools,
        ContractResources,
        ContractSearchTools,
        MemoryReadingTools,
        MemorySearchingTools,
        SessionCheckpointsTools,
        SessionChunksTools,
        SessionEndingTools,
        SessionFilesTools,
        SessionReflectingTools,
        SessionSearchingTools,
        SessionStartingTools,
        SessionStatusTools,
        VconAddingTools,
        VconCoreTools,
        VconDatabaseTools,
        VconMeaningTools,
        VconMoreCountingTools,
        VconMoreElementsTools,
        VconMoreLegalHoldsTools,
        VconMoreRedactionTools,
        VconMoreRelationsTools,
        VconMoreTopicsTools,
        VconMoreTrustTools,
        VconReferenceTools,
        VconResources,
        VconSearchingTools,
        VconTagsTools,
        VconTemplatesTools,
    )
    from vcontract.handlers.services import Services


class Handlers:
    """The handlers of every toolset, by group."""

    def __init__(self, services: "Services") -> None:
        self.contract: ContractHandlers = ContractHandlers(services)
        self.vcon: VconHandlers = VconHandlers(services)
        self.bridge: BridgeHandlers = BridgeHandlers(services)
        self.memory: MemoryHandlers = MemoryHandlers(services)
        self.session: SessionHandlers = SessionHandlers(services)
        self.vcon_more: VconMoreHandlers = VconMoreHandlers(services)


class ContractHandlers:
    """The handlers of the `contract` toolset, by group: handlers/contract/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def counts(self) -> "ContractCountsTools":
        from vcontract.handlers.contract.counts import CountsTools

        return self._services.shared(CountsTools)

    @property
    def describing(self) -> "ContractDescribingTools":
        from vcontract.handlers.contract.describing import DescribingTools

        return self._services.shared(DescribingTools)

    @property
    def fetch(self) -> "ContractFetchTools":
        from vcontract.handlers.contract.fetch import FetchTools

        return self._services.shared(FetchTools)

    @property
    def recall(self) -> "ContractRecallTools":
        from vcontract.handlers.contract.recall import RecallTools

        return self._services.shared(RecallTools)

    @property
    def search(self) -> "ContractSearchTools":
        from vcontract.handlers.contract.search import SearchTools

        return self._services.shared(SearchTools)


class VconHandlers:
    """The handlers of the `vcon` toolset, by group: handlers/vcon/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def adding(self) -> "VconAddingTools":
        from vcontract.handlers.vcon.adding import AddingTools

        return self._services.shared(AddingTools)

    @property
    def core(self) -> "VconCoreTools":
        from vcontract.handlers.vcon.core import CoreTools

        return self._services.shared(CoreTools)

    @property
    def database(self) -> "VconDatabaseTools":
        from vcontract.handlers.vcon.database import DatabaseTools

        return self._services.shared(DatabaseTools)

    @property
    def meaning(self) -> "VconMeaningTools":
        from vcontract.handlers.vcon.meaning import MeaningTools

        return self._services.shared(MeaningTools)

    @property
    def reference(self) -> "VconReferenceTools":
        from vcontract.handlers.vcon.reference import ReferenceTools

        return self._services.shared(ReferenceTools)

    @property
    def searching(self) -> "VconSearchingTools":
        from vcontract.handlers.vcon.searching import SearchingTools

        return self._services.shared(SearchingTools)

    @property
    def tags(self) -> "VconTagsTools":
        from vcontract.handlers.vcon.tags import TagsTools

        return self._services.shared(TagsTools)

    @property
    def templates(self) -> "VconTemplatesTools":
        from vcontract.handlers.vcon.templates import TemplatesTools

        return self._services.shared(TemplatesTools)


class BridgeHandlers:
    """The handlers of the `bridge` toolset, by group: handlers/bridge/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def auto(self) -> "BridgeAutoTools":
        from vcontract.handlers.bridge.auto import AutoTools

        return self._services.shared(AutoTools)

    @property
    def capture(self) -> "BridgeCaptureTools":
        from vcontract.handlers.bridge.capture import CaptureTools

        return self._services.shared(CaptureTools)

    @property
    def enrich(self) -> "BridgeEnrichTools":
        from vcontract.handlers.bridge.enrich import EnrichTools

        return self._services.shared(EnrichTools)

    @property
    def framing(self) -> "BridgeFramingTools":
        from vcontract.handlers.bridge.framing import FramingTools

        return self._services.shared(FramingTools)

    @property
    def release(self) -> "BridgeReleaseTools":
        from vcontract.handlers.bridge.release import ReleaseTools

        return self._services.shared(ReleaseTools)

    @property
    def search(self) -> "BridgeSearchTools":
        from vcontract.handlers.bridge.search import SearchTools

        return self._services.shared(SearchTools)

    @property
    def status(self) -> "BridgeStatusTools":
        from vcontract.handlers.bridge.status import StatusTools

        return self._services.shared(StatusTools)


class MemoryHandlers:
    """The handlers of the `memory` toolset, by group: handlers/memory/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def reading(self) -> "MemoryReadingTools":
        from vcontract.handlers.memory.reading import ReadingTools

        return self._services.shared(ReadingTools)

    @property
    def searching(self) -> "MemorySearchingTools":
        from vcontract.handlers.memory.searching import SearchingTools

        return self._services.shared(SearchingTools)


class SessionHandlers:
    """The handlers of the `session` toolset, by group: handlers/session/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def checkpoints(self) -> "SessionCheckpointsTools":
        from vcontract.handlers.session.checkpoints import CheckpointsTools

        return self._services.shared(CheckpointsTools)

    @property
    def chunks(self) -> "SessionChunksTools":
        from vcontract.handlers.session.chunks import ChunksTools

        return self._services.shared(ChunksTools)

    @property
    def ending(self) -> "SessionEndingTools":
        from vcontract.handlers.session.ending import EndingTools

        return self._services.shared(EndingTools)

    @property
    def files(self) -> "SessionFilesTools":
        from vcontract.handlers.session.files import FilesTools

        return self._services.shared(FilesTools)

    @property
    def reflecting(self) -> "SessionReflectingTools":
        from vcontract.handlers.session.reflecting import ReflectingTools

        return self._services.shared(ReflectingTools)

    @property
    def searching(self) -> "SessionSearchingTools":
        from vcontract.handlers.session.searching import SearchingTools

        return self._services.shared(SearchingTools)

    @property
    def starting(self) -> "SessionStartingTools":
        from vcontract.handlers.session.starting import StartingTools

        return self._services.shared(StartingTools)

    @property
    def status(self) -> "SessionStatusTools":
        from vcontract.handlers.session.status import StatusTools

        return self._services.shared(StatusTools)


class VconMoreHandlers:
    """The handlers of the `vcon_more` toolset, by group: handlers/vcon_more/<group>.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def counting(self) -> "VconMoreCountingTools":
        from vcontract.handlers.vcon_more.counting import CountingTools

        return self._services.shared(CountingTools)

    @property
    def elements(self) -> "VconMoreElementsTools":
        from vcontract.handlers.vcon_more.elements import ElementsTools

        return self._services.shared(ElementsTools)

    @property
    def legal_holds(self) -> "VconMoreLegalHoldsTools":
        from vcontract.handlers.vcon_more.legal_holds import LegalHoldsTools

        return self._services.shared(LegalHoldsTools)

    @property
    def redaction(self) -> "VconMoreRedactionTools":
        from vcontract.handlers.vcon_more.redaction import RedactionTools

        return self._services.shared(RedactionTools)

    @property
    def relations(self) -> "VconMoreRelationsTools":
        from vcontract.handlers.vcon_more.relations import RelationsTools

        return self._services.shared(RelationsTools)

    @property
    def topics(self) -> "VconMoreTopicsTools":
        from vcontract.handlers.vcon_more.topics import TopicsTools

        return self._services.shared(TopicsTools)

    @property
    def trust(self) -> "VconMoreTrustTools":
        from vcontract.handlers.vcon_more.trust import TrustTools

        return self._services.shared(TrustTools)


class Readers:
    """The handlers of every resource, by toolset: `ResourceReader` in handlers/<toolset>/resources.py."""

    def __init__(self, services: "Services") -> None:
        self._services = services

    @property
    def contract(self) -> "ContractResources":
        from vcontract.handlers.contract.resources import ResourceReader

        return self._services.shared(ResourceReader)

    @property
    def vcon(self) -> "VconResources":
        from vcontract.handlers.vcon.resources import ResourceReader

        return self._services.shared(ResourceReader)

