"""Dispatch: the one way of a call from its name and arguments to the object that is sent."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel
from pydantic import ValidationError as ModelMismatch

from vcontract.runtime import logs
from vcontract.runtime.calls.budget import seal
from vcontract.runtime.calls.call import Call
from vcontract.runtime.calls.pipeline import (
    DONE,
    Answered,
    Classify,
    Fault,
    Meter,
    OnBehalfOf,
    Pipeline,
    nobody_in_particular,
)
from vcontract.runtime.calls.requests import Earlier, Requests, digest_of
from vcontract.runtime.calls.schemas import ToolSchemas, compiled, model_violations
from vcontract.runtime.calls.upstream import CallForms, DeclaredCall
from vcontract.runtime.context import Afterwards, Caller, Embedding, Progress, ToolContext
from vcontract.runtime.contract.catalogue import Catalogue, ServedTool
from vcontract.runtime.contract.policy import Policy
from vcontract.runtime.contract.ratelimit import Limiter
from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.documents.nearest import nearest_name
from vcontract.runtime.documents.violations import unstorable_text
from vcontract.runtime.envelope import Answer, Document, error_document
from vcontract.runtime.errors import StandingFault, ToolError


class Observer(Protocol):
    """Observes each call: its response, and what the client does not see."""

    def answered(self, served: ServedTool, outcome: "CallOutcome") -> None: ...

    def failed(self, served: ServedTool, cause: Exception, reason: str) -> None:
        """The call is answered with a fault for `reason`, because of what the log has of `cause`."""
        ...


NoteRefusal: TypeAlias = Callable[[str, str, str, str], Awaitable[None]]
"""Notes what a caller was refused: of tenant, caller, action and reason."""


class UnknownTool(Exception):
    """No served tool has this name or alias; `because` says why, where that is known."""

    def __init__(self, name: str, nearest: list[str], because: str | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest
        self.because = because

    @property
    def meant(self) -> str | None:
        """The tools whose names end with this one, else the one that was most likely meant."""
        same = [each for each in self.nearest if each.endswith(f"_{self.name}")]
        part_of = next((name for name in self.nearest if self.name in name), None)
        return " or ".join(same) or nearest_name(self.name, self.nearest) or part_of


class _BrokenContract(Exception):
    """The answer does not fit the tool's published output schema."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What is sent for one call: `text` is the compact JSON of `structured`, or the document of its facts."""

    text: str
    structured: JsonObject
    is_error: bool
    outcome: str = DONE
    """`done`, or the code of the error."""
    missing_scope: str | None = None
    """The scope that the call needs, where that is all that its caller lacks."""


class Dispatcher:
    """Answers calls. Holds no state but compiled schemas and the rate limiter's counts.

    `handlers` is `generated.registry.Handlers`; `rate_limiter` None admits every call; `call_forms` None
    rewrites none; without `requests` a call under a key fails. What only reads runs within `reading`, and
    each call within `on_behalf_of` its caller.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        handlers: object,
        *,
        classify: Classify,
        rate_limiter: Limiter | None = None,
        call_forms: CallForms | None = None,
        observer: Observer | None = None,
        requests: Requests | None = None,
        refusals: NoteRefusal | None = None,
        meters: Sequence[Meter] = (),
        reading: Callable[[], AbstractContextManager[None]] = nullcontext,
        on_behalf_of: OnBehalfOf = nobody_in_particular,
    ) -> None:
        self._catalogue = catalogue
        self._reading = reading
        self._pipeline = Pipeline(catalogue, classify, rate_limiter, meters, on_behalf_of)
        self._handlers = handlers
        self._call_forms = call_forms
        self._observer = observer
        self._requests = requests
        self._refusals = refusals
        self._policy = Policy.read(catalogue.package.policy)
        self._schemas_of = compiled(catalogue.package.read_contract)
        self._log = logs.Log("dispatch")
        self._embedding: Callable[[str], Embedding] | None = None
        self._sent_to: Callable[[Caller], Awaitable[Dispatcher | None]] | None = None

    def embed_changes(self, embedding: Callable[[str], Embedding]) -> None:
        """Embed what each later call of a tenant changes before the call ends."""
        self._embedding = embedding

    def send(self, to: "Callable[[Caller], Awaitable[Dispatcher | None]]") -> None:
        """Have another dispatcher answer the callers for whom `to` names one."""
        self._sent_to = to

    async def call(
        self, name: str, arguments: JsonObject | None, caller: Caller, progress: Progress | None = None
    ) -> CallOutcome:
        """Run the tool with this `name` or alias and return its result or error, in its envelope.

        Raises: UnknownTool; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        if self._sent_to is not None and (other := await self._sent_to(caller)) is not None:
            return await other.call(name, arguments, caller, progress)
        declared = self._declared(name, arguments or {})
        served = self._catalogue.find(declared.tool)
        if served is None or (caller.only is not None and served.key not in caller.only):
            because = self._call_forms.not_served.get(name) if self._call_forms else None
            raise UnknownTool(name, self._catalogue.seen_by(caller).nearest_names(name), because)
        schemas = self._schemas_of(served.key)
        if declared.input_schema is not None:
            contract = self._catalogue.package.read_contract(served.key)
            schemas = ToolSchemas({**contract, "inputSchema": declared.input_schema})
        declared = replace(declared, arguments=schemas.given(declared.arguments))
        with self._pipeline.opened(caller, progress) as context:
            call = Call(served, schemas, context, declared, self._catalogue.package.errors)
            refusals: list[ToolError] = []
            started = time.perf_counter()
            outcome = await self._pipeline.answer(
                context,
                served.tool.rate_class,
                partial(self._answer, call),
                authorise=partial(self._authorise, call),
                over_rate=call.over_rate,
                refused=partial(self._refuse, call, refusals),
                failed=partial(self._fail, call, refusals),
            )
            answered = Answered(
                served.key,
                caller,
                context.correlation_id,
                outcome.outcome,
                time.perf_counter() - started,
                logs.database_seconds(),
                len(outcome.text),
            )
            self._pipeline.tell(answered)
            self._log.debug(
                "call",
                tool=served.name,
                caller=caller.name,
                tenant=caller.tenant,
                milliseconds=round(answered.seconds * 1000, 2),
                database_milliseconds=round(answered.database_seconds * 1000, 2),
                bytes=answered.bytes,
                is_error=outcome.is_error,
            )
            for error in refusals:
                await self._note_refusal(call, error)
        if self._observer is not None:
            self._observer.answered(served, outcome)
        reshaped = None if outcome.is_error else declared.reshaped(outcome.structured)
        if reshaped is None:
            return outcome
        return CallOutcome(dump_json(reshaped).decode("utf-8"), reshaped, is_error=False)

    def listed(self, tools: Mapping[str, JsonObject]) -> list[JsonObject]:
        """The documents that tools/list shows for the tools that a caller may use, by name."""
        return list(tools.values()) if self._call_forms is None else self._call_forms.listed(tools)

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

    async def _answer(self, call: Call) -> CallOutcome:
        params = self._parse(call, call.declared.arguments)
        if self._embedding is None or call.served.tool.read_only:
            return await self._answer_to(call, params)
        embedding = self._embedding(call.context.tenant)
        call = replace(call, context=replace(call.context, embedding=embedding))
        outcome = await self._answer_to(call, params)
        try:
            await embedding.embed()
        except Exception as error:  # what was written stays written; a worker embeds it later
            self._log.error("changes_not_embedded", error, tool=call.served.name)
        return outcome

    async def _answer_to(self, call: Call, params: BaseModel) -> CallOutcome:
        if call.request_key is None:
            return await self._done(call, params, call.context)
        return await self._done_once(call, call.request_key, params)

    async def _done(self, call: Call, params: BaseModel, context: ToolContext) -> CallOutcome:
        with self._reading() if call.served.tool.read_only else nullcontext():
            result = await call.served.tool.call(self._handlers, params, context)
        return self._send(call, result, params)

    async def _done_once(self, call: Call, key: str, params: BaseModel) -> CallOutcome:
        """The outcome of the first call under the key, which is this one or an earlier one."""
        if self._requests is None:
            raise LookupError("there is no store for the keys of calls")
        context, digest = call.context, digest_of(call.declared.arguments)
        afterwards: list[Afterwards] = []
        async with self._requests.open(context.tenant, call.served.key, key, digest) as request:
            if request.earlier is not None:
                return self._done_before(call, key, digest, request.earlier)
            within = replace(context, transaction=request.connection, afterwards=afterwards)
            outcome = await self._done(call, params, within)
            answer = dump_json(outcome.structured).decode("utf-8")
            await request.keep(answer, None if answer == outcome.text else outcome.text)
        for do in afterwards:
            await do()
        return outcome

    def _done_before(self, call: Call, key: str, digest: bytes, earlier: Earlier) -> CallOutcome:
        if earlier.arguments != digest:
            raise call.key_reused(key)
        document: JsonObject = parse_json(earlier.answer)
        self._check(call, document)
        return CallOutcome(earlier.reading or earlier.answer, document, is_error=False)

    def _authorise(self, call: Call) -> None:
        if error := call.not_allowed():
            raise error

    def _parse(self, call: Call, arguments: JsonObject) -> BaseModel:
        if refused := call.refused_outright():
            raise refused
        violations, more = call.schemas.argument_violations(arguments)
        if violations:
            raise call.invalid_arguments(violations, more=more)
        try:
            return call.served.tool.params.model_validate(arguments)
        except ModelMismatch as mismatch:
            self._log.warning("arguments_fit_schema_but_not_model", tool=call.served.name)
            violations, more = model_violations(mismatch)
            raise call.invalid_arguments(violations, more=more) from None

    def _send(self, call: Call, result: Answer, params: BaseModel) -> CallOutcome:
        tool = call.served.tool
        if isinstance(result, Document) and not tool.budgeted:
            return self._send_document(call, result)
        facts, reading = (result.facts, result.text) if isinstance(result, Document) else (result, None)
        document: JsonObject = dict(facts)
        document |= call.declared.gained(document)
        limit = self._policy.result_limit_bytes
        if tool.budgeted:
            limit = _budget_of(params, self._policy.byte_budget.default)
        is_sealed = tool.budgeted and tool.envelope in ("item", "page")
        text = seal(document, limit) if is_sealed else dump_json(document)
        self._check(call, document)
        if len(text) > limit:
            raise call.too_large(document, len(text), limit, self._policy)
        return CallOutcome(reading or text.decode("utf-8"), document, is_error=False)

    def _send_document(self, call: Call, result: Document[Any]) -> CallOutcome:
        """The text and its facts; the budget holds for both together, because a client may show both."""
        document: JsonObject = dict(result.facts)
        self._check(call, document)
        facts = dump_json(document)
        text = facts if result.text is None else result.text.encode("utf-8")
        size, budget = len(text) + len(facts), self._policy.byte_budget.default
        if size > budget:
            raise call.document_over_budget(size, budget)
        return CallOutcome(text.decode("utf-8"), document, is_error=False)

    def _check(self, call: Call, document: JsonObject) -> None:
        rules = call.schemas.output_violations(document)
        if rules:
            self._log.error("answer_breaks_contract", tool=call.served.name, rules=rules)
            raise _BrokenContract(", ".join(rules))

    async def _note_refusal(self, call: Call, error: ToolError) -> None:
        details = error.details or {}
        reason = str(details.get("reason") or f"needs scope {details.get('required_scope')}")
        if self._refusals is not None:
            caller = call.context.caller
            await self._refusals(caller.tenant, caller.name, call.served.key, reason)

    def _refuse(self, call: Call, refusals: list[ToolError], error: ToolError) -> CallOutcome:
        """The error that a handler or this module raised, as the tool's envelope has it.

        What the caller may not do is also put with the `refusals`.
        """
        tool = call.served.tool
        if error.code == call.served.toolset.codes["permission_denied"]:
            refusals.append(error)
        if error.code not in tool.errors:
            self._log.error("error_not_declared", error, tool=call.served.name, code=error.code)
            return self._fault_outcome(call, error, "internal")
        is_known = error.expected or isinstance(error.__cause__, StandingFault)
        if error.fault == "server" and not is_known:
            self._log.error("tool_error", error, tool=call.served.name, code=error.code)
        return self._error_outcome(call, error)

    def _fail(
        self, call: Call, refusals: list[ToolError], error: Exception, fault: Fault | None
    ) -> CallOutcome:
        """An exception that no handler meant: logged in full, answered with nothing of it but an id.

        But for a text that the database cannot take, which came with the arguments, and for what is beyond
        the quota of the tenant.
        """
        if fault is not None and fault.reason == "quota_exceeded":
            return self._refuse(call, refusals, call.beyond_quota(fault.details or {}))
        if fault is not None and fault.reason == "unstorable_text":
            violation = unstorable_text(call.declared.arguments)
            if violation is not None:
                return self._refuse(call, refusals, call.invalid_arguments([violation]))
        reason = fault.reason if fault is not None else "internal"
        if not isinstance(error, _BrokenContract):
            self._log.error("call_failed", error, tool=call.served.name, reason=reason)
        return self._fault_outcome(call, error, reason, retryable=fault is not None and fault.retryable)

    def _fault_outcome(
        self, call: Call, cause: Exception, reason: str, *, retryable: bool = False
    ) -> CallOutcome:
        if self._observer is not None:
            self._observer.failed(call.served, cause, reason)
        error = call.fault(reason, retryable=retryable)
        document = error_document(call.served.tool.envelope, error)
        rules = call.schemas.output_violations(document)
        if rules:
            self._log.error("error_breaks_contract", tool=call.served.name, code=error.code, rules=rules)
        return CallOutcome(dump_json(document).decode("utf-8"), document, is_error=True, outcome=error.code)

    def _error_outcome(self, call: Call, error: ToolError) -> CallOutcome:
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
        return CallOutcome(text, document, True, error.code, _missing_scope(error))


def _missing_scope(error: ToolError) -> str | None:
    details = error.details or {}
    needed = details.get("required_scope")
    return needed if isinstance(needed, str) and "reason" not in details else None


def _budget_of(params: Any, default: int) -> int:
    """The call's `max_response_bytes`; its default where the model leaves it open."""
    given = getattr(params, "max_response_bytes", default)
    return given if isinstance(given, int) else default
