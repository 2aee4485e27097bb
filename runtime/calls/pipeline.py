"""The pipeline: what every request, a call, a read or a completion, goes through, and how it may end."""

import secrets
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, TypeVar

from vcontract.runtime import logs
from vcontract.runtime.context import Caller, Progress, ToolContext
from vcontract.runtime.contract.catalogue import Catalogue
from vcontract.runtime.contract.ratelimit import Limiter, RateClass
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.errors import ToolError

Sent = TypeVar("Sent")


class Fault(Protocol):
    """What `runtime.store.postgres.faults.classify` returns for an exception of the store."""

    @property
    def reason(self) -> str: ...
    @property
    def retryable(self) -> bool: ...
    @property
    def details(self) -> JsonObject | None: ...


Classify = Callable[[BaseException], Fault | None]


DONE: Final = "done"
"""The outcome of a call or a read that is answered with no error."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call or a read that was answered: names and numbers, no text."""

    tool: str
    """The key of the tool, or of that which a resource stands for."""
    caller: Caller
    correlation_id: str
    outcome: str
    """`done`, the code of a tool's error, or the kind of refusal of a read."""
    seconds: float
    database_seconds: float
    """So long it had a transaction open, or waited for a connection."""
    bytes: int
    """Of the answer."""


class Meter(Protocol):
    """Is told of each call and read once it is answered."""

    def count(self, answered: Answered) -> None: ...


class Refusal(Exception):
    """Raised for a request that is refused, in the words that its client reads: nothing is to be added."""


@dataclass(frozen=True, slots=True)
class OverRate:
    """A request beyond what its class of rate admits."""

    rule: RateClass
    retry_after_ms: int

    def message(self, repeat: str) -> str:
        return (
            f"More than {self.rule.limit} calls of class {self.rule.name} in {self.rule.window_seconds} "
            f"seconds; wait {self.retry_after_ms} ms, then repeat the {repeat}."
        )


OnBehalfOf: TypeAlias = Callable[[Caller], AbstractContextManager[None]]
"""What a caller is answered within."""


def nobody_in_particular(caller: Caller) -> AbstractContextManager[None]:
    """Where nothing that is read depends on who asks but the tenant."""
    return nullcontext()


class Pipeline:
    """Answers requests. Holds no state but the rate limiter's counts; `rate_limiter` None admits all."""

    def __init__(
        self,
        catalogue: Catalogue,
        classify: Classify,
        rate_limiter: Limiter | None,
        meters: Sequence[Meter] = (),
        on_behalf_of: OnBehalfOf = nobody_in_particular,
    ) -> None:
        self._catalogue = catalogue
        self._classify = classify
        self._rate_limiter = rate_limiter
        self._meters = meters
        self._on_behalf_of = on_behalf_of

    @contextmanager
    def opened(self, caller: Caller, progress: Progress | None = None) -> Generator[ToolContext]:
        """What the handler of a new request knows; lines logged inside carry the request's correlation id."""
        correlation_id = secrets.token_hex(8)
        contract = self._catalogue.seen_by(caller)
        with logs.correlation(correlation_id), self._on_behalf_of(caller):
            yield ToolContext(caller, contract, correlation_id, progress)

    def tell(self, answered: Answered) -> None:
        """Tell the meters of what was answered."""
        for meter in self._meters:
            meter.count(answered)

    async def answer(
        self,
        context: ToolContext,
        rate_class: str,
        work: Callable[[], Awaitable[Sent]],
        *,
        over_rate: Callable[[OverRate], ToolError | Refusal],
        refused: Callable[[ToolError], Sent],
        failed: Callable[[Exception, Fault | None], Sent],
        authorise: Callable[[], None] | None = None,
    ) -> Sent:
        """What is sent for a request: what `work` makes of it, or what its envelope says of a failure.

        `work` checks what came with the request, runs its handler and wraps the answer. `authorise` raises a
        ToolError for a caller without permission, who is then not counted. `refused` reports an expected
        error, `failed` an unexpected one, with what that says of the store; both may raise.

        Raises: Refusal; asyncio.CancelledError. Nothing else.
        """
        try:
            if authorise is not None:
                authorise()
            if over := await self._over_rate(context.caller, rate_class):
                raise over_rate(over)
            return await work()
        except Refusal:
            raise
        except ToolError as error:
            return refused(error)
        except Exception as error:
            return failed(error, self._classify(error))

    async def _over_rate(self, caller: Caller, rate_class: str) -> OverRate | None:
        if self._rate_limiter is None:
            return None
        retry_after_ms = await self._rate_limiter.admit(caller, rate_class)
        return OverRate(self._rate_limiter.classes[rate_class], retry_after_ms) if retry_after_ms else None
