"""One request in progress: what tool calls and reads share, and the errors that a call can end with."""

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
from vcontract.runtime.frame.documents.search_modes import mode_takes
from vcontract.runtime.frame.documents.violations import ArgumentViolation, argument_problem, suggestion_for
from vcontract.runtime.frame.errors import StoreFault, ToolError

Classify: TypeAlias = Callable[[BaseException], StoreFault | None]
OnBehalfOf: TypeAlias = Callable[[Caller], AbstractContextManager[None]]
"""Context manager in which a caller's request runs."""

PARAMETER: Final = "request_key"
DONE: Final = "done"
"""Outcome of a call or read that succeeded."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Summary of a finished call or read, for meters: names and numbers, no text."""

    tool: str
    """Key of the tool, or of the tool that a resource belongs to."""
    caller: Caller
    correlation_id: str
    outcome: str
    """`done`, the code of a tool error, or the reason why a read was rejected."""
    seconds: float
    database_seconds: float
    """Time spent in transactions and waiting for connections."""
    bytes: int
    """Size of the response."""


class Meter(Protocol):
    """Receives a summary of each finished call and read."""

    def count(self, answered: Answered) -> None: ...


@dataclass(frozen=True, slots=True)
class OverRate:
    """Rejection of a request over its rate limit."""

    rule: RateClass
    retry_after_ms: int

    def message(self, repeat: str) -> str:
        return (
            f"More than {self.rule.limit} calls of class {self.rule.name} in {self.rule.window_seconds} "
            f"seconds; wait {self.retry_after_ms} ms, then repeat the {repeat}."
        )


@dataclass(frozen=True, slots=True)
class RequestScope:
    """Common steps of every request: rate limit, context, correlation ID, meters.

    Without a `rate_limiter`, all requests are admitted. Each one runs inside `on_behalf_of`.
    """

    catalogue: Catalogue
    classify: Classify
    rate_limiter: RateLimiter | None = None
    meters: Sequence[Meter] = ()
    on_behalf_of: OnBehalfOf = lambda _: nullcontext()

    @contextmanager
    def opened(self, caller: Caller, progress: Progress | None = None) -> Generator[ToolContext]:
        """Open the context of a new request. Lines logged inside carry its correlation ID."""
        correlation_id = secrets.token_hex(8)
        contract = self.catalogue.seen_by(caller)
        with logs.correlation(correlation_id), self.on_behalf_of(caller):
            yield ToolContext(caller, contract, correlation_id, progress)

    def over_rate(self, caller: Caller, rate_class: str) -> OverRate | None:
        """Count a request. Return the rejection if it is over its rate limit."""
        if self.rate_limiter is None:
            return None
        retry_after_ms = self.rate_limiter.admit(caller, rate_class)
        return OverRate(self.rate_limiter.classes[rate_class], retry_after_ms) if retry_after_ms else None

    def report_answered(
        self, tool: str, context: ToolContext, started: float, outcome: str, size: int
    ) -> Answered:
        """Report a finished request to the meters. Call this inside `opened`."""
        seconds, of_database = time.perf_counter() - started, logs.database_seconds()
        answered = Answered(tool, context.caller, context.correlation_id, outcome, seconds, of_database, size)
        for meter in self.meters:
            meter.count(answered)
        return answered


class Earlier(Protocol):
    """An earlier call that completed under the same key; see `runtime.store.postgres.idempotency`."""

    @property
    def arguments(self) -> bytes: ...
    @property
    def answer(self) -> str: ...
    @property
    def reading(self) -> str | None: ...


class Request(Protocol):
    """A call with an idempotency key, and the transaction in which it must write."""

    @property
    def connection(self) -> Transaction: ...
    @property
    def earlier(self) -> Earlier | None: ...

    async def keep(self, asked: str, answer: str, reading: str | None) -> None: ...


class Requests(Protocol):
    """Opens a transaction for a call with an idempotency key.

    Only one call at a time runs for the same tenant, tool and key. `open` raises: AnswerWithheld.
    """

    def open(
        self, tenant: str, tool: str, key: str, arguments: bytes
    ) -> AbstractAsyncContextManager[Request]: ...


def key_of(arguments: JsonObject) -> str | None:
    """Return the idempotency key of a call. Tools without keys have already rejected the parameter."""
    key: str | None = arguments.get(PARAMETER)
    return key


def digest_of(arguments: JsonObject) -> bytes:
    """Hash arguments without the idempotency key, so that equal arguments have equal digests."""
    others = {name: value for name, value in arguments.items() if name != PARAMETER}
    return hashlib.sha256(canonical(others)).digest()


_FAULT_MESSAGES: Final[Mapping[str, str]] = {
    "unavailable": "The store cannot be reached now; try again in a moment. Correlation id {id}.",
    "disk_full": "The disk of the database is full: nothing can be stored until the operator frees disk "
    "space; what is stored can be read. Correlation id {id}.",
    "read_only": "The database takes no writes: it is a standby, or it or its disk was set read-only; what "
    "it holds can be read. Correlation id {id}.",
    "timeout": "The store took too long and was stopped; ask for less or try again. Correlation id {id}.",
    "serialization": "Another write came first and nothing was changed; try again. Correlation id {id}.",
    "outcome_unknown": "The store was lost while it finished this call, and whether anything was changed "
    "is not known: {advice}. Correlation id {id}.",
    "internal": "The server failed; its log says why under correlation id {id}.",
}
_KINDS: Final[Mapping[str, str]] = dict.fromkeys(("disk_full", "read_only", "outcome_unknown"), "unavailable")
"""Fault reason to the kind of error that reports it, where it has none of its own."""
_TOO_LARGE: Final = "too_large"
"""Keyword under which a tool declares its own message for a response that is too large."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call in progress. Each method named for a fault builds the toolset's error for it."""

    served: ServedTool
    schemas: ToolSchemas
    context: ToolContext
    declared: DeclaredCall
    """The call in its declared form, also if the caller used another form."""
    errors: Mapping[str, type[ToolError]]
    """Errors of the contract by code."""

    @property
    def request_key(self) -> str | None:
        return key_of(self.declared.arguments)

    @property
    def is_repeatable(self) -> bool:
        """Whether the call can safely be retried."""
        return self.schemas.idempotent or self.request_key is not None

    def check_allowed(self) -> None:
        """Check that the caller may make this call. Raises: ToolError."""
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

    def answer_withheld(self, key: str) -> ToolError:
        return self._error(
            "invalid_arguments",
            f'{PARAMETER} "{key}" was used for a call of {self.served.name}, whose answer names what is not '
            "answered for this purpose any more; nothing was done.",
            {"parameter": PARAMETER, "reason": "request_key_withheld"},
            ("Send a new key for a new call.",),
        )

    def refused_outright(self) -> ToolError | None:
        """Return the error for arguments that the tool takes for something else, whatever else is wrong with
        them.
        """
        for at, having, message, details, suggestion in self.served.tool.refuses:
            if members(_value_at(self.declared.arguments, at)).keys() >= set(having):
                return self._error("invalid_arguments", message, dict(details), (suggestion,))
        return None

    def invalid_arguments(self, violations: list[ArgumentViolation], *, more: bool = False) -> ToolError:
        """Build the error that lists these violations. `more` says that others may exist."""
        modes: Mapping[str, JsonObject] = self.context.contract.policy.get("search_modes", {})

        choices = {"mode": modes} if modes else {}

        def fits(arguments: JsonObject) -> bool:
            return self.schemas.take(arguments) and mode_takes(modes, arguments)

        suggestion = {} if more else suggestion_for(violations, self.declared.arguments, fits, choices)
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
        # a tool's own message may not list the accepted values
        suggestions = (*problem.suggestions, problem.message)
        return self._error("invalid_arguments", message, problem.details, suggestions)

    def too_large(self, document: JsonObject, size: int, limit: int, policy: Policy) -> ToolError:
        """Build the error for a response over its limit. With a byte budget, it suggests arguments that
        fit.
        """
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
        """Build the error for a text and facts that together exceed the budget, in the tool's own words."""
        return self._error(
            "too_large",
            f"The answer is {size} bytes; at most {budget} are sent. Ask for less.",
            {"reason": "response_too_large", "bytes": size, "budget": budget},
            tuple(words for _, keyword, words in self.served.tool.messages if keyword == _TOO_LARGE),
        )

    def fault(self, reason: str, *, retryable: bool = False) -> ToolError:
        """Build the error for an unexpected fault. It reveals only a reason and an ID for the log."""
        known = reason if reason in _FAULT_MESSAGES else "internal"
        id_ = self.context.correlation_id
        details: JsonObject = {"reason": known, "retryable": retryable, "correlation_id": id_}
        if known == "outcome_unknown":
            details |= {"outcome": "unknown", "retryable": self.is_repeatable}
        message = _FAULT_MESSAGES[known].format(id=id_, advice=self._advice)
        return self._error(_KINDS.get(known, known), message, details)

    @property
    def _advice(self) -> str:
        """Advise what to do if it is unknown whether the call took effect."""
        if self.is_repeatable:
            return "call again, which does no harm"
        if PARAMETER in self.schemas.input_schema["properties"]:
            return f"look before you call again; a call with a {PARAMETER} may be sent again without harm"
        return "look before you call again"

    def _error(
        self, kind: str, message: str, details: JsonObject, suggestions: tuple[str, ...] = ()
    ) -> ToolError:
        """Build the toolset's own error for a kind of fault that every toolset has."""
        error_class = self.errors[self.served.toolset.codes[kind]]
        return error_class(message, details=details, suggestions=suggestions)


def _value_at(arguments: JsonObject, at: str) -> JsonValue:
    """Return the value at a path such as `$.vcon_data`, or None."""
    value: JsonValue = arguments
    for name in at.split(".")[1:]:
        value = members(value).get(name)
    return value
