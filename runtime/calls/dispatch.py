"""Dispatch: the one way of a call from its name and arguments to the object that is sent."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from pydantic import BaseModel
from pydantic import ValidationError as ModelMismatch

from vcontract.runtime import logs
from vcontract.runtime.calls.budget import Adjustable, seal, too_large_details
from vcontract.runtime.calls.pipeline import Classify, Fault, OverRate, Pipeline
from vcontract.runtime.calls.requests import PARAMETER, Requests, digest_of, key_of
from vcontract.runtime.calls.schemas import ToolSchemas, compiled, model_violations
from vcontract.runtime.calls.upstream import CallForms, DeclaredCall
from vcontract.runtime.context import Caller, Progress, ToolContext
from vcontract.runtime.contract.catalogue import Catalogue, ServedTool
from vcontract.runtime.contract.policy import Policy
from vcontract.runtime.contract.ratelimit import RateLimiter
from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.documents.violations import ArgumentViolation, argument_problem, unstorable_text
from vcontract.runtime.envelope import Answer, Document, error_document
from vcontract.runtime.errors import StandingFault, ToolError

_FAULT_MESSAGES: Mapping[str, str] = {
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
_KINDS: Mapping[str, str] = dict.fromkeys(("disk_full", "read_only", "outcome_unknown"), "unavailable")
"""The kind of error that stands for a reason, where that has none of its own."""


_MAKES_SMALLER: Mapping[str, str] = {
    "limit": "Send a lower limit.",
    "includeContext": "Leave out includeContext.",
}
"""What to do for a smaller answer, by the parameter that a tool has for it."""


EarlyCheck = Callable[[JsonObject], None]
"""Raises the tool's error for arguments that its schema would refuse for a reason that misleads."""


class Observer(Protocol):
    """Is told of each call what its client is told, and what it is not."""

    def answered(self, served: ServedTool, outcome: "CallOutcome") -> None: ...

    def failed(self, served: ServedTool, cause: Exception, reason: str) -> None:
        """The call is answered with a fault for `reason`, because of what the log has of `cause`."""
        ...


class Refusals(Protocol):
    """Where it is noted what callers were refused."""

    async def note(self, tenant: str, caller: str, action: str, reason: str, /) -> None: ...


class UnknownTool(Exception):
    """No served tool has this name or alias."""

    def __init__(self, name: str, nearest: list[str]) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest


class _BrokenContract(Exception):
    """The answer does not fit the tool's published output schema."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What is sent for one call: `text` is the compact JSON of `structured`, or the document of its facts."""

    text: str
    structured: JsonObject
    is_error: bool


@dataclass(frozen=True, slots=True)
class _Call:
    """One call on its way."""

    served: ServedTool
    schemas: ToolSchemas
    context: ToolContext
    declared: DeclaredCall
    """The call as it was declared; what it was before, when it was rewritten."""

    @property
    def codes(self) -> Mapping[str, str]:
        return self.served.toolset.codes

    @property
    def request_key(self) -> str | None:
        return key_of(self.declared.arguments)

    @property
    def is_repeatable(self) -> bool:
        """Whether a second call leaves what the first one does."""
        return self.schemas.idempotent or self.request_key is not None

    @property
    def advice(self) -> str:
        """What to do when nobody knows whether the call did anything."""
        if self.is_repeatable:
            return "call again, which does no harm"
        if PARAMETER in self.schemas.input_schema["properties"]:
            return f"look before you call again; a call with a {PARAMETER} may be sent again without harm"
        return "look before you call again"


class Dispatcher:
    """Answers calls. Holds no state but compiled schemas and the rate limiter's counts.

    `handlers` is `generated.registry.Handlers`; `rate_limiter` None admits every call; `call_forms` None
    rewrites none; `early_checks`, by the key of a tool, look at its arguments before its schema does; without
    `requests` a call under a key fails.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        handlers: object,
        *,
        classify: Classify,
        rate_limiter: RateLimiter | None = None,
        call_forms: CallForms | None = None,
        early_checks: Mapping[str, EarlyCheck] = MappingProxyType({}),
        observer: Observer | None = None,
        requests: Requests | None = None,
        refusals: Refusals | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._pipeline = Pipeline(catalogue, classify, rate_limiter)
        self._handlers = handlers
        self._call_forms = call_forms
        self._early_checks = early_checks
        self._observer = observer
        self._requests = requests
        self._refusals = refusals
        self._policy = Policy.read(catalogue.package.policy)
        self._schemas_of = compiled(catalogue.package.read_contract)
        self._log = logs.Log("dispatch")

    async def call(
        self, name: str, arguments: JsonObject | None, caller: Caller, progress: Progress | None = None
    ) -> CallOutcome:
        """Run the tool that `name` stands for and answer its result or its error, both in its envelope.

        Raises: UnknownTool; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        declared = self._declared(name, arguments or {})
        served = self._catalogue.find(declared.tool)
        if served is None or (caller.only is not None and served.key not in caller.only):
            raise UnknownTool(name, self._catalogue.seen_by(caller).nearest_names(name))
        schemas = self._schemas_of(served.key)
        declared = replace(declared, arguments=schemas.given(declared.arguments))
        with self._pipeline.opened(caller, progress) as context:
            call = _Call(served, schemas, context, declared)
            refusals: list[ToolError] = []
            started = time.perf_counter()
            outcome = await self._pipeline.answer(
                context,
                served.tool.rate_class,
                partial(self._answer, call),
                authorise=partial(self._authorise, call),
                over_rate=partial(self._over_rate, call),
                refused=partial(self._refuse, call, refusals),
                failed=partial(self._fail, call),
            )
            self._log.debug(
                "call",
                tool=served.name,
                caller=caller.name,
                tenant=caller.tenant,
                milliseconds=round((time.perf_counter() - started) * 1000, 2),
                bytes=len(outcome.text),
                is_error=outcome.is_error,
            )
            for error in refusals:
                await self._note_refusal(call, error)
        if self._observer is not None:
            self._observer.answered(served, outcome)
        return outcome

    def _declared(self, name: str, arguments: JsonObject) -> DeclaredCall:
        """The call as it is, or rewritten when it is not valid as it is."""
        call = DeclaredCall(name, arguments)
        if self._call_forms is None:
            return call
        served = self._catalogue.find(name)
        if served is not None:
            schemas = self._schemas_of(served.key)
            if schemas.take(schemas.given(arguments)):
                return self._call_forms.unchanged(served.key, arguments)
        return self._call_forms.rewrite(name if served is None else served.key, arguments) or call

    async def _answer(self, call: _Call) -> CallOutcome:
        params = self._parse(call, call.declared.arguments)
        if call.request_key is None:
            return await self._done(call, params, call.context)
        return await self._done_once(call, call.request_key, params)

    async def _done(self, call: _Call, params: BaseModel, context: ToolContext) -> CallOutcome:
        result = await call.served.tool.call(self._handlers, params, context)
        return self._send(call, result, params)

    async def _done_once(self, call: _Call, key: str, params: BaseModel) -> CallOutcome:
        """The outcome of the first call under the key, which is this one or an earlier one."""
        if self._requests is None:
            raise LookupError("there is no store for the keys of calls")
        context, digest = call.context, digest_of(call.declared.arguments)
        async with self._requests.open(context.tenant, call.served.key, key, digest) as request:
            earlier = request.earlier
            if earlier is None:
                outcome = await self._done(call, params, replace(context, transaction=request.connection))
                answer = dump_json(outcome.structured).decode("utf-8")
                await request.keep(answer, None if answer == outcome.text else outcome.text)
                return outcome
        if earlier.arguments != digest:
            raise self._key_reused(call, key)
        document: JsonObject = parse_json(earlier.answer)
        self._check(call, document)
        return CallOutcome(earlier.reading or earlier.answer, document, is_error=False)

    def _key_reused(self, call: _Call, key: str) -> ToolError:
        return self._error(
            call,
            "invalid_arguments",
            f'{PARAMETER} "{key}" was used for a call of {call.served.name} with other arguments, '
            "so nothing was done.",
            {"parameter": PARAMETER, "reason": "request_key_reused"},
            ("Send a new key for a new call; send the same arguments to repeat the former one.",),
        )

    def _authorise(self, call: _Call) -> None:
        required = call.served.tool.scope
        if call.served.withheld:
            raise self._error(
                call,
                "permission_denied",
                f"{call.served.name} changes data, and this server is read-only.",
                {"required_scope": required, "reason": "read_only"},
            )
        if required not in call.context.caller.scopes:
            raise self._error(
                call,
                "permission_denied",
                f"{call.served.name} needs scope {required}; this caller has "
                f"{', '.join(sorted(call.context.caller.scopes)) or 'none'}.",
                {"required_scope": required},
            )

    def _over_rate(self, call: _Call, over: OverRate) -> ToolError:
        details: JsonObject = {
            "class": over.rule.name,
            "limit": over.rule.limit,
            "window_seconds": over.rule.window_seconds,
            "retry_after_ms": over.retry_after_ms,
        }
        return self._error(call, "rate_limited", over.message("call"), details)

    def _parse(self, call: _Call, arguments: JsonObject) -> BaseModel:
        if check := self._early_checks.get(call.served.key):
            check(arguments)
        violations, more = call.schemas.argument_violations(arguments)
        if violations:
            raise self._invalid_arguments(call, violations, more=more)
        try:
            return call.served.tool.params.model_validate(arguments)
        except ModelMismatch as mismatch:
            self._log.warning("arguments_fit_schema_but_not_model", tool=call.served.name)
            violations, more = model_violations(mismatch)
            raise self._invalid_arguments(call, violations, more=more) from None

    def _invalid_arguments(
        self, call: _Call, violations: list[ArgumentViolation], *, more: bool = False
    ) -> ToolError:
        problem = argument_problem(violations, more=more)
        first = violations[0]
        own_words = (
            message
            for at, keyword, message in call.served.tool.messages
            if (at, keyword) == (first.pattern, first.rule)
        )
        message = next(own_words, None)
        if message is None:
            return self._error(
                call, "invalid_arguments", problem.message, problem.details, problem.suggestions
            )
        # a tool's own words need not say what is allowed
        suggestions = (*problem.suggestions, problem.message)
        return self._error(call, "invalid_arguments", message, problem.details, suggestions)

    def _send(self, call: _Call, result: Answer, params: BaseModel) -> CallOutcome:
        if isinstance(result, Document):
            return self._send_document(call, result)
        document: JsonObject = dict(result)
        document |= call.declared.gained(document)
        limit = self._policy.result_limit_bytes
        if call.served.tool.budgeted:
            limit = _budget_of(params, self._policy.byte_budget.default)
            text = seal(document, limit)
        else:
            text = dump_json(document)
        self._check(call, document)
        if len(text) > limit:
            raise self._too_large(call, document, len(text), limit)
        return CallOutcome(text.decode("utf-8"), document, is_error=False)

    def _send_document(self, call: _Call, result: Document[Any]) -> CallOutcome:
        """The text and its facts; the budget holds for both together, because a client may show both."""
        document: JsonObject = dict(result.facts)
        self._check(call, document)
        facts = dump_json(document)
        text = facts if result.text is None else result.text.encode("utf-8")
        size, budget = len(text) + len(facts), self._policy.byte_budget.default
        if size > budget:
            raise self._error(
                call,
                "too_large",
                f"The answer is {size} bytes; at most {budget} are sent. Ask for less.",
                {"reason": "response_too_large", "bytes": size, "budget": budget},
                tuple(
                    text
                    for name, text in _MAKES_SMALLER.items()
                    if name in call.schemas.input_schema["properties"]
                ),
            )
        return CallOutcome(text.decode("utf-8"), document, is_error=False)

    def _check(self, call: _Call, document: JsonObject) -> None:
        rules = call.schemas.output_violations(document)
        if rules:
            self._log.error("answer_breaks_contract", tool=call.served.name, rules=rules)
            raise _BrokenContract(", ".join(rules))

    def _too_large(self, call: _Call, document: JsonObject, size: int, limit: int) -> ToolError:
        if call.served.tool.budgeted:
            details = too_large_details(document, self._policy, Adjustable.of(call.schemas.input_schema))
            message = f"The answer is {size} bytes, the budget {limit}."
            if "suggestion" in details:
                message += " Send the suggestion, it fits."
            return self._error(call, "too_large", message, details)
        return self._error(
            call,
            "too_large",
            f"The answer is {size} bytes; at most {limit} are sent. Ask for less.",
            {"reason": "result_too_large", "response_bytes": size, "max_response_bytes": limit},
        )

    def _error(
        self,
        call: _Call,
        kind: str,
        message: str,
        details: JsonObject,
        suggestions: tuple[str, ...] = (),
    ) -> ToolError:
        """The toolset's own error for a kind of fault that every toolset has."""
        error_class = self._catalogue.package.errors[call.codes[kind]]
        return error_class(message, details=details, suggestions=suggestions)

    async def _note_refusal(self, call: _Call, error: ToolError) -> None:
        details = error.details or {}
        reason = str(details.get("reason") or f"needs scope {details.get('required_scope')}")
        if self._refusals is not None:
            caller = call.context.caller
            await self._refusals.note(caller.tenant, caller.name, call.served.key, reason)

    def _refuse(self, call: _Call, refusals: list[ToolError], error: ToolError) -> CallOutcome:
        """The error that a handler or this module raised, as the tool's envelope has it.

        What the caller may not do is also put with the `refusals`.
        """
        tool = call.served.tool
        if error.code == call.codes["permission_denied"]:
            refusals.append(error)
        if error.code not in tool.errors:
            self._log.error("error_not_declared", error, tool=call.served.name, code=error.code)
            return self._fault_outcome(call, error, "internal")
        is_known = error.expected or isinstance(error.__cause__, StandingFault)
        if error.fault == "server" and not is_known:
            self._log.error("tool_error", error, tool=call.served.name, code=error.code)
        return self._error_outcome(call, error)

    def _fail(self, call: _Call, error: Exception, fault: Fault | None) -> CallOutcome:
        """An exception that no handler meant: logged in full, answered with nothing of it but an id.

        But for a text that the database cannot take: that came with the arguments.
        """
        if fault is not None and fault.reason == "unstorable_text":
            violation = unstorable_text(call.declared.arguments)
            if violation is not None:
                return self._refuse(call, [], self._invalid_arguments(call, [violation]))
        reason = fault.reason if fault is not None else "internal"
        if not isinstance(error, _BrokenContract):
            self._log.error("call_failed", error, tool=call.served.name, reason=reason)
        return self._fault_outcome(call, error, reason, retryable=fault is not None and fault.retryable)

    def _fault_outcome(
        self, call: _Call, cause: Exception, reason: str, *, retryable: bool = False
    ) -> CallOutcome:
        if self._observer is not None:
            self._observer.failed(call.served, cause, reason)
        known = reason if reason in _FAULT_MESSAGES else "internal"
        details: JsonObject = {
            "reason": known,
            "retryable": retryable,
            "correlation_id": call.context.correlation_id,
        }
        if known == "outcome_unknown":
            details |= {"outcome": "unknown", "retryable": call.is_repeatable}
        error = self._error(
            call,
            _KINDS.get(known, known),
            _FAULT_MESSAGES[known].format(id=call.context.correlation_id, advice=call.advice),
            details,
        )
        document = error_document(call.served.tool.envelope, error)
        rules = call.schemas.output_violations(document)
        if rules:
            self._log.error("error_breaks_contract", tool=call.served.name, code=error.code, rules=rules)
        return CallOutcome(dump_json(document).decode("utf-8"), document, is_error=True)

    def _error_outcome(self, call: _Call, error: ToolError) -> CallOutcome:
        document = error_document(call.served.tool.envelope, error)
        try:
            text = dump_json(document).decode("utf-8")
            rules = call.schemas.output_violations(document)
        except ValueError as unprintable:
            self._log.error("error_breaks_contract", unprintable, tool=call.served.name, code=error.code)
            return self._fault_outcome(call, unprintable, "internal")
        if rules:
            self._log.error("error_breaks_contract", tool=call.served.name, code=error.code, rules=rules)
            return self._fault_outcome(call, error, "internal")
        return CallOutcome(text, document, is_error=True)


def _budget_of(params: Any, default: int) -> int:
    """The call's `max_response_bytes`; its default where the model leaves it open."""
    given = getattr(params, "max_response_bytes", default)
    return given if isinstance(given, int) else default
