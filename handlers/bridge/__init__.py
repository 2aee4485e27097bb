"""The `bridge` toolset: lived experience, captured, framed and woven."""

from vcontract.handlers.bridge.auto import AutoTools
from vcontract.handlers.bridge.capture import CaptureTools
from vcontract.handlers.bridge.enrich import EnrichTools
from vcontract.handlers.bridge.framing import FramingTools
from vcontract.handlers.bridge.release import ReleaseTools
from vcontract.handlers.bridge.search import SearchTools
from vcontract.handlers.bridge.status import StatusTools


class Bridge(AutoTools, CaptureTools, EnrichTools, FramingTools, ReleaseTools, SearchTools, StatusTools):
    """Implements `generated.protocols.BridgeTools`, one base class a group of tools."""
