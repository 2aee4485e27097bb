"""A request on its way: what calls and reads go through alike, and the errors that a call may end in."""

import hashlib
import secrets
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.budget import Adjustable, too_large_details
from vcontract.runtime.frame.calls.canonical import canonical
from vcontract.runtime.frame.calls.schemas import ToolSchemas
from vcontract.runtime.frame.calls.upstream import DeclaredCall
from vcontract.runtime.frame.context import Caller, Progress, ToolContext, Transaction
from vcontract.runtime.frame.contract.catalogue import Catalogue, ServedTool
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.ratelimit import RateClass, RateLimiter
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.frame.documents.violations import ArgumentViolation, argument_problem, suggestion_for
from vcontract.runtime.frame.errors import StoreFault, ToolError

Classify: TypeAlias = Callable[[BaseException], StoreFault | None]
OnBehalfOf: TypeAlias = Callable[[Caller], AbstractContextManager[None]]
"""What a caller is answered within."""

PARAMETER: Final = "request_key"
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


@dataclass(frozen=True, slots=True)
class Entrance:
    """What every request passes. `rate_limiter` None admits all; each is answered within `on_behalf_of`."""

    catalogue: Catalogue
    classify: Classify
    rate_limiter: RateLimiter | None = None
    meters: Sequence[Meter] = ()
    on_behalf_of: OnBehalfOf = lambda _: nullcontext()

    @contextmanager
    def opened(self, caller: Caller, progress: Progress | None = None) -> Generator[ToolContext]:
        """What the handler of a new request knows; lines logged inside carry the request's correlation id."""
        correlation_id = secrets.token_hex(8)
        contract = self.catalogue.seen_by(caller)
        with logs.correlation(correlation_id), self.on_behalf_of(caller):
            yield ToolContext(caller, contract, correlation_id, progress)

    def over_rate(self, caller: Caller, rate_class: str) -> OverRate | None:
        """Count a request, or say why it is refused."""
        if self.rate_limiter is None:
            return None
        retry_after_ms = self.rate_limiter.admit(caller, rate_class)
        return OverRate(self.rate_limiter.classes[rate_class], retry_after_ms) if retry_after_ms else None

    def tell(self, tool: str, context: ToolContext, started: float, outcome: str, size: int) -> Answered:
        """Tell the meters of what was answered; inside `opened`."""
        seconds, of_database = time.perf_counter() - started, logs.database_seconds()
        answered = Answered(tool, context.caller, context.correlation_id, outcome, seconds, of_database, size)
        for meter in self.meters:
            meter.count(answered)
        return answered


class Earlier(Protocol):
    """A call that was done under the key; see `runtime.store.postgres.idempotency`."""

    @property
    def arguments(self) -> bytes: ...
    @property
    def answer(self) -> str: ...
    @property
    def reading(self) -> str | None: ...


class Request(Protocol):
    """A call under a key, in the transaction that it has to write in."""

    @property
    def connection(self) -> Transaction: ...
    @property
    def earlier(self) -> Earlier | None: ...

    async def keep(self, answer: str, reading: str | None) -> None: ...


class Requests(Protocol):
    """Opens the transaction of a call under a key, alone under it; by tenant, tool, key and arguments."""

    def open(
        self, tenant: str, tool: str, key: str, arguments: bytes
    ) -> AbstractAsyncContextManager[Request]: ...


def key_of(arguments: JsonObject) -> str | None:
    """The key that a call has; a tool without keys refuses the parameter before this is asked."""
    key: str | None = arguments.get(PARAMETER)
    return key


def digest_of(arguments: JsonObject) -> bytes:
    """The same for the same arguments, whatever the key."""
    others = {name: value for name, value in arguments.items() if name != PARAMETER}
    return hashlib.sha256(canonical(others)).digest()


_FAULT_MESSAGES: Final[Mapping[str, str]] = {
    "unavailable": "The store cannot be reached now; try again in a moment. Correlation id {id}.",
    "disk_full": "The disk of the database is full: nothing can be stored, and reading may fail too, until "
    "whoever runs the server makes room. Correlation id {id}.",
    "read_only": "The database takes no writes: it is a standby, or it or its disk was set read-only; what "
    "it holds can be read. Correlation id {id}.",
    "timeout": "The store took too long and was stopped; ask for less or try again. Correlation id {id}.",
    "serialization": "Another write came first and nothing was changed; try again. Correlation id {id}.",
    "outcome_unknown": "The store was lost while it finished this call, and whether anything was changed "
    "is not known: {advice}. Correlation id {id}.",
    "internal": "The server failed; its log says why under correlation id {id}.",
}
_KINDS: Final[Mapping[str, str]] = dict.fromkeys(("disk_full", "read_only", "outcome_unknown"), "unavailable")
"""The kind of error that stands for a reason, where that has none of its own."""
_TOO_LARGE: Final = "too_large"
"""Stands for the keyword in a tool's words on how an answer gets smaller."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call on its way; each method named for a fault makes the error that the toolset has for it."""

    served: ServedTool
    schemas: ToolSchemas
    context: ToolContext
    declared: DeclaredCall
    """The call as it was declared; what it was before, when it was rewritten."""
    errors: Mapping[str, type[ToolError]]
    """By code, those of the contract."""

    @property
    def request_key(self) -> str | None:
        return key_of(self.declared.arguments)

    @property
    def is_repeatable(self) -> bool:
        """Whether a second call leaves what the first one does."""
        return self.schemas.idempotent or self.request_key is not None

    def check_allowed(self) -> None:
        """Pass for a caller that may make this call. Raises: ToolError."""
        required, scopes = self.served.tool.scope, self.context.caller.scopes
        if self.served.withheld:
            raise self._error(
                "permission_denied",
                f"{self.served.name} changes data, and this server is read-only.",
                {"required_scope": required, "reason": "read_only"},
            )
        if required not in scopes:
            raise self._error(
                "permission_denied",
                f"{self.served.name} needs scope {required}; this caller has "
                f"{', '.join(sorted(scopes)) or 'none'}.",
                {"required_scope": required},
            )

    def over_rate(self, over: OverRate) -> ToolError:
        details: JsonObject = {
            "class": over.rule.name,
            "limit": over.rule.limit,
            "window_seconds": over.rule.window_seconds,
            "retry_after_ms": over.retry_after_ms,
        }
        return self._error("rate_limited", over.message("call"), details)

    def beyond_quota(self, quota: JsonObject) -> ToolError:
        what = "vCons" if quota["quota"] == "vcons" else "bytes"
        return self._error(
            "permission_denied",
            f"{quota['allowed']:,} {what} may be stored here, {quota['used']:,} are, and this call adds "
            f"{quota['adds']:,}; nothing was stored.",
            {"reason": "quota_exceeded", **quota},
            ("Delete what is not needed any more, or ask whoever runs the server for a larger quota.",),
        )

    def key_reused(self, key: str) -> ToolError:
        return self._error(
            "invalid_arguments",
            f'{PARAMETER} "{key}" was used for a call of {self.served.name} with other arguments, '
            "so nothing was done.",
            {"parameter": PARAMETER, "reason": "request_key_reused"},
            ("Send a new key for a new call; send the same arguments to repeat the former one.",),
        )

    def refused_outright(self) -> ToolError | None:
        """The error for arguments that are refused as what they are, whatever else is wrong with them."""
        for at, having, message, details, suggestion in self.served.tool.refuses:
            if members(_value_at(self.declared.arguments, at)).keys() >= set(having):
                return self._error("invalid_arguments", message, dict(details), (suggestion,))
        return None

    def invalid_arguments(self, violations: list[ArgumentViolation], *, more: bool = False) -> ToolError:
        """The error that lists these violations; with `more` if there may be others."""
        arguments, fits = self.declared.arguments, self.schemas.take
        suggestion = {} if more else suggestion_for(violations, arguments, fits)
        problem = argument_problem(violations, more=more, suggestion=suggestion)
        first = violations[0]
        own_words = (
            message
            for at, keyword, message in self.served.tool.messages
            if (at, keyword) == (first.pattern, first.rule)
        )
        message = next(own_words, None)
        if message is None:
            return self._error("invalid_arguments", problem.message, problem.details, problem.suggestions)
        # a tool's own words need not say what is allowed
        suggestions = (*problem.suggestions, problem.message)
        return self._error("invalid_arguments", message, problem.details, suggestions)

    def too_large(self, document: JsonObject, size: int, limit: int, policy: Policy) -> ToolError:
        """The error for an answer of more bytes than its limit; within a budget with arguments that fit."""
        if not self.served.tool.budgeted:
            return self._error(
                "too_large",
                f"The answer is {size} bytes; at most {limit} are sent. Ask for less.",
                {"reason": "result_too_large", "response_bytes": size, "max_response_bytes": limit},
            )
        adjustable = Adjustable.of(self.schemas.input_schema)
        details = too_large_details(document, size, limit, policy, adjustable)
        message = f"The answer is {size} bytes, the budget {limit}."
        if "suggestion" not in details:
            return self._error("too_large", message, details)
        if self.served.tool.envelope in ("item", "page"):
            return self._error("too_large", f"{message} Send the suggestion, it fits.", details)
        return self._error(
            "too_large", message, details, ("Send the arguments of details.suggestion; they fit.",)
        )

    def document_over_budget(self, size: int, budget: int) -> ToolError:
        """The error for a text and facts of more bytes together than the budget, in the tool's words."""
        return self._error(
            "too_large",
            f"The answer is {size} bytes; at most {budget} are sent. Ask for less.",
            {"reason": "response_too_large", "bytes": size, "budget": budget},
            tuple(words for _, keyword, words in self.served.tool.messages if keyword == _TOO_LARGE),
        )

    def fault(self, reason: str, *, retryable: bool = False) -> ToolError:
        """The error for what nobody meant, with nothing of it but a reason and an id for the log."""
        known = reason if reason in _FAULT_MESSAGES else "internal"
        id_ = self.context.correlation_id
        details: JsonObject = {"reason": known, "retryable": retryable, "correlation_id": id_}
        if known == "outcome_unknown":
            details |= {"outcome": "unknown", "retryable": self.is_repeatable}
        message = _FAULT_MESSAGES[known].format(id=id_, advice=self._advice)
        return self._error(_KINDS.get(known, known), message, details)

    @property
    def _advice(self) -> str:
        """What to do when nobody knows whether the call did anything."""
        if self.is_repeatable:
            return "call again, which does no harm"
        if PARAMETER in self.schemas.input_schema["properties"]:
            return f"look before you call again; a call with a {PARAMETER} may be sent again without harm"
        return "look before you call again"

    def _error(
        self, kind: str, message: str, details: JsonObject, suggestions: tuple[str, ...] = ()
    ) -> ToolError:
        """The toolset's own error for a kind of fault that every toolset has."""
        error_class = self.errors[self.served.toolset.codes[kind]]
        return error_class(message, details=details, suggestions=suggestions)


def _value_at(arguments: JsonObject, at: str) -> JsonValue:
    """What stands at a place such as $.vcon_data; None where nothing does."""
    value: JsonValue = arguments
    for name in at.split(".")[1:]:
        value = members(value).get(name)
    return value
