"""Dispatch: run a tool by name with its arguments and return the response to send."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic import ValidationError as ModelMismatch

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.budget import seal
from vcontract.runtime.frame.calls.call import (
    DONE,
    Call,
    Earlier,
    Requests,
    RequestScope,
    digest_of,
)
from vcontract.runtime.frame.calls.schemas import ToolSchemas, compiled, model_violations
from vcontract.runtime.frame.calls.upstream import CallForms, DeclaredCall
from vcontract.runtime.frame.context import Afterwards, Caller, Embedding, Progress, ToolContext
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.registry import Tool
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.documents.violations import unstorable_text
from vcontract.runtime.frame.envelope import Answer, Document, error_document
from vcontract.runtime.frame.errors import AnswerWithheld, OngoingOutage, ToolError

NoteRefusal: TypeAlias = Callable[[str, str, str, str], Awaitable[None]]
"""Records a rejection in the audit: tenant, caller, action and reason."""
CompleteIds: TypeAlias = Callable[[Tool[Any], BaseModel, ToolContext], Awaitable[BaseModel]]
"""Returns the parameters of a call with whole IDs in place of their beginnings."""


class UnknownTool(Exception):
    """No served tool has this name or alias. `because` gives the reason if it is known."""

    def __init__(self, name: str, nearest: list[str], because: str | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest
        self.because = because

    @property
    def meant(self) -> str | None:
        """Suggest the tools whose names end with this one, else the most similar one."""
        same = [each for each in self.nearest if each.endswith(f"_{self.name}")]
        part_of = next((name for name in self.nearest if self.name in name), None)
        return " or ".join(same) or nearest_name(self.name, self.nearest) or part_of


class _BrokenContract(Exception):
    """The response does not match the tool's published output schema."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """Response to one call. `text` is the compact JSON of `structured`, or the text of its document."""

    text: str
    structured: JsonObject
    is_error: bool
    outcome: str = DONE
    """`done`, or the code of the error."""
    missing_scope: str | None = None
    """The scope that the caller lacks, if nothing else prevents the call."""
    refusal: str | None = None
    """Why the caller may not make the call, for the audit."""


class Dispatcher:
    """Runs tool calls. Its only state: compiled schemas and the counts of the rate limiter.

    `handlers` is `generated.registry.Handlers`. Without `call_forms`, no call is rewritten. Without
    `requests`, a call with an idempotency key fails.
    """

    def __init__(
        self,
        scope: RequestScope,
        handlers: object,
        *,
        call_forms: CallForms | None = None,
        requests: Requests | None = None,
        refusals: NoteRefusal | None = None,
        complete_ids: CompleteIds | None = None,
    ) -> None:
        self._scope = scope
        self._catalogue = scope.catalogue
        self._handlers = handlers
        self._call_forms = call_forms
        self._requests = requests
        self._refusals = refusals
        self._complete_ids = complete_ids
        package = scope.catalogue.package
        self._policy = Policy.read(package.policy)
        self._schemas_of = compiled(package.read_contract)
        self._log = logs.Log("dispatch")
        self._embedding: Callable[[str], Embedding] | None = None
        self._delegate_to: Callable[[Caller], Awaitable[Dispatcher | None]] | None = None

    def embed_changes(self, embedding: Callable[[str], Embedding]) -> None:
        """Embed what a tenant's later calls change, before each call ends."""
        self._embedding = embedding

    def delegate(self, to: "Callable[[Caller], Awaitable[Dispatcher | None]]") -> None:
        """Use the dispatcher that `to` returns for a caller. If it returns None, use this one."""
        self._delegate_to = to

    async def call(
        self, name: str, arguments: JsonObject | None, caller: Caller, progress: Progress | None = None
    ) -> CallOutcome:
        """Run the tool with this `name` or alias and return its result or error in its envelope.

        Raises: UnknownTool; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        if self._delegate_to is not None and (other := await self._delegate_to(caller)) is not None:
            return await other.call(name, arguments, caller, progress)
        declared = self._declared(name, arguments or {})
        served = self._catalogue.find(declared.tool)
        if served is None or (caller.only is not None and served.key not in caller.only):
            because = self._call_forms.not_served.get(name) if self._call_forms else None
            because = because or self._catalogue.where_it_is(name)
            raise UnknownTool(name, self._catalogue.seen_by(caller).nearest_names(name), because)
        schemas = self._schemas_of(served.key)
        if declared.input_schema is not None:
            contract = self._catalogue.package.read_contract(served.key)
            schemas = ToolSchemas({**contract, "inputSchema": declared.input_schema})
        declared = replace(declared, arguments=schemas.given(declared.arguments))
        with self._scope.opened(caller, progress) as context:
            call = Call(served, schemas, context, declared, self._catalogue.package.errors)
            started = time.perf_counter()
            outcome = await self._outcome(call)
            answered = self._scope.report_answered(
                served.key, context, started, outcome.outcome, len(outcome.text)
            )
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
            if outcome.refusal is not None and self._refusals is not None:
                await self._refusals(caller.tenant, caller.name, served.key, outcome.refusal)
        if outcome.is_error or not declared.reshapes:
            return outcome
        reshaped = declared.reshaped(outcome.structured)
        if reshaped is None:
            return outcome
        return CallOutcome(dump_json(reshaped).decode("utf-8"), reshaped, is_error=False)

    def listed(self, tools: Mapping[str, JsonObject]) -> list[JsonObject]:
        """Return the tools that a caller may use, by name, as tools/list shows them."""
        return list(tools.values()) if self._call_forms is None else self._call_forms.listed(tools)

    def _declared(self, name: str, arguments: JsonObject) -> DeclaredCall:
        """Return the call as it is if it is valid, else rewritten into the declared form."""
        call = DeclaredCall(name, arguments)
        if self._call_forms is None:
            return call
        served = self._catalogue.find(name)
        if served is not None:
            schemas = self._schemas_of(served.key)
            if schemas.take(schemas.given(arguments)):
                return self._call_forms.unchanged(served.key, arguments)
        return self._call_forms.rewrite(name if served is None else served.key, arguments) or call

    async def _outcome(self, call: Call) -> CallOutcome:
        """Raises: asyncio.CancelledError. Nothing else."""
        try:
            call.check_allowed()
            if over := self._scope.over_rate(call.context.caller, call.served.tool.rate_class):
                raise call.over_rate(over)
            return await self._answer(call)
        except ToolError as error:
            return self._refuse(call, error)
        except Exception as error:
            return self._fail(call, error)

    async def _answer(self, call: Call) -> CallOutcome:
        params = self._parse(call, call.declared.arguments)
        if self._complete_ids is not None:
            params = await self._complete_ids(call.served.tool, params, call.context)
        embedding = None
        if self._embedding is not None and not call.served.tool.read_only:
            embedding = self._embedding(call.context.tenant)
            call = replace(call, context=replace(call.context, embedding=embedding))
        if call.request_key is None:
            outcome = await self._done(call, params, call.context)
        else:
            outcome = await self._done_once(call, call.request_key, params)
        if embedding is not None:
            try:
                await embedding.embed()
            except Exception as error:  # the change is committed; a worker embeds it later
                self._log.error("changes_not_embedded", error, tool=call.served.name)
        return outcome

    async def _done(self, call: Call, params: BaseModel, context: ToolContext) -> CallOutcome:
        result = await call.served.tool.call(self._handlers, params, context)
        return self._success_outcome(call, result, params)

    async def _done_once(self, call: Call, key: str, params: BaseModel) -> CallOutcome:
        """Run the call once for its key, or return the outcome of the earlier call."""
        if self._requests is None:
            raise LookupError("there is no store for the keys of calls")
        context, digest = call.context, digest_of(call.declared.arguments)
        afterwards: list[Afterwards] = []
        try:
            async with self._requests.open(context.tenant, call.served.key, key, digest) as request:
                if request.earlier is not None:
                    return self._done_before(call, key, digest, request.earlier)
                within = replace(context, transaction=request.connection, afterwards=afterwards)
                outcome = await self._done(call, params, within)
                asked, answer = (
                    dump_json(part).decode("utf-8") for part in (call.declared.arguments, outcome.structured)
                )
                await request.keep(asked, answer, None if answer == outcome.text else outcome.text)
        except AnswerWithheld:
            raise call.answer_withheld(key) from None
        for do in afterwards:
            await do()
        return outcome

    def _done_before(self, call: Call, key: str, digest: bytes, earlier: Earlier) -> CallOutcome:
        if earlier.arguments != digest:
            raise call.key_reused(key)
        document: JsonObject = parse_json(earlier.answer)
        self._check(call, document)
        return CallOutcome(earlier.reading or earlier.answer, document, is_error=False)

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

    def _success_outcome(self, call: Call, result: Answer, params: BaseModel) -> CallOutcome:
        tool = call.served.tool
        if isinstance(result, Document) and not tool.budgeted:
            return self._document_outcome(call, result)
        facts, reading = (result.facts, result.text) if isinstance(result, Document) else (result, None)
        document: JsonObject = dict(facts)
        if call.declared.gains:
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

    def _document_outcome(self, call: Call, result: Document[Any]) -> CallOutcome:
        """Build the outcome of a document: text and facts. The budget covers both, because a client may show
        both.
        """
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

    def _refuse(self, call: Call, error: ToolError) -> CallOutcome:
        """Build the outcome of an error that a handler or this module raised, in the tool's envelope."""
        if error.code not in call.served.tool.errors:
            self._log.error("error_not_declared", error, tool=call.served.name, code=error.code)
            return self._fault_outcome(call, error, "internal")
        is_known = error.expected or isinstance(error.__cause__, OngoingOutage)
        if error.fault == "server" and not is_known:
            self._log.error("tool_error", error, tool=call.served.name, code=error.code)
        return self._error_outcome(call, error)

    def _fail(self, call: Call, error: Exception) -> CallOutcome:
        """Build the outcome of an unexpected exception.

        The log gets it in full; the caller gets only an ID. Two causes are reported as the caller's: text
        that the database cannot store, and an exceeded quota of the tenant.
        """
        fault = self._scope.classify(error)
        if fault is not None and fault.reason == "quota_exceeded":
            return self._refuse(call, call.beyond_quota(fault.details or {}))
        if fault is not None and fault.reason == "unstorable_text":
            violation = unstorable_text(call.declared.arguments)
            if violation is not None:
                return self._refuse(call, call.invalid_arguments([violation]))
        reason = fault.reason if fault is not None else "internal"
        if not isinstance(error, _BrokenContract):
            self._log.error("call_failed", error, tool=call.served.name, reason=reason)
        return self._fault_outcome(call, error, reason, retryable=fault is not None and fault.retryable)

    def _fault_outcome(
        self, call: Call, cause: Exception, reason: str, *, retryable: bool = False
    ) -> CallOutcome:
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
        return CallOutcome(text, document, True, error.code, _missing_scope(error), _refusal(call, error))


def _missing_scope(error: ToolError) -> str | None:
    details = error.details or {}
    needed = details.get("required_scope")
    return needed if isinstance(needed, str) and "reason" not in details else None


def _refusal(call: Call, error: ToolError) -> str | None:
    """Return the reason for the audit if the error denies permission, else None."""
    if error.code != call.served.toolset.codes["permission_denied"]:
        return None
    details = error.details or {}
    return str(details.get("reason") or f"needs scope {details.get('required_scope')}")


def _budget_of(params: Any, default: int) -> int:
    """Return the call's `max_response_bytes`, or its default if the model has none."""
    given = getattr(params, "max_response_bytes", default)
    return given if isinstance(given, int) else default
