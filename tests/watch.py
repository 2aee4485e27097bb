"""The watch over every call: what answers break of their published shapes, and why handlers failed."""

from tests.published import broken_promises_of_text
from vcontract.generated.registry import TOOLS
from vcontract.runtime.calls.dispatch import CallOutcome
from vcontract.runtime.contract.catalogue import ServedTool


class Watch:
    """The observer of every dispatcher; the tools of contracts that tests make up are left aside."""

    def __init__(self) -> None:
        self.handlers_may_fail = False
        self._broken: list[str] = []
        self._causes: list[Exception] = []

    def answered(self, served: ServedTool, outcome: CallOutcome) -> None:
        if _is_published(served):
            self._broken += broken_promises_of_text(
                served.key, outcome.structured, outcome.text, is_error=outcome.is_error
            )

    def failed(self, served: ServedTool, cause: Exception, reason: str) -> None:
        if reason == "internal" and _is_published(served) and not self.handlers_may_fail:
            self._causes.append(cause)

    def report(self) -> None:
        """Raises: what was seen since the last report; a handler's own exception first."""
        causes, self._causes = self._causes, []
        broken, self._broken = self._broken, []
        for cause in causes:
            raise cause
        assert broken == []


def _is_published(served: ServedTool) -> bool:
    return TOOLS.get(served.key) is served.tool
