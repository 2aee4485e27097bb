"""The watch over every call: what answers break of their published shapes, and why handlers failed."""

from typing import Any

import pytest

from tests.published import broken_promises_of_text
from vcontract.generated.registry import TOOLS
from vcontract.runtime.frame.calls.call import Call
from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher
from vcontract.runtime.frame.contract.catalogue import ServedTool


class Watch:
    """Observes calls of every dispatcher, except tools of contracts that tests make up."""

    def __init__(self) -> None:
        self.handlers_may_fail = False
        self._broken: list[str] = []
        self._causes: list[Exception] = []

    def over(self, patch: pytest.MonkeyPatch) -> None:
        """See what each dispatcher answers, and each exception that it answers with a fault."""
        answer, fail = Dispatcher._outcome, Dispatcher._fault_outcome  # pyright: ignore[reportPrivateUsage]

        async def answered(dispatcher: Dispatcher, call: Call) -> CallOutcome:
            outcome = await answer(dispatcher, call)
            self.answered(call.served, outcome)
            return outcome

        def failed(
            dispatcher: Dispatcher, call: Call, cause: Exception, reason: str, **how: Any
        ) -> CallOutcome:
            self.failed(call.served, cause, reason)
            return fail(dispatcher, call, cause, reason, **how)

        patch.setattr(Dispatcher, "_outcome", answered)
        patch.setattr(Dispatcher, "_fault_outcome", failed)

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
