"""Resources: read one by URI, and complete the values of its variables."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.call import DONE, OverRate, RequestScope
from vcontract.runtime.frame.calls.schemas import compiled
from vcontract.runtime.frame.calls.uris import UriSpace, UriTemplate
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import CallerContract
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.registry import App, Resource
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.violations import argument_problem
from vcontract.runtime.frame.errors import ToolError

MAX_COMPLETIONS = 100
"""Maximum number of completions at once, as the protocol requires."""

_COMPLETION_RATE_CLASS = "other"
_INTEGER = re.compile(r"-?[0-9]{1,18}")

Sent = TypeVar("Sent")
CompleteUriIds: TypeAlias = Callable[[Mapping[str, str], ToolContext], Awaitable[Mapping[str, str]]]
"""Returns the values of a URI with whole IDs in place of their beginnings."""
Kind = Literal["invalid", "limited", "failed"]
KINDS: Final[tuple[Kind, ...]] = ("invalid", "limited", "failed")


class ResourceRefused(Exception):
    """A read that fails: a message, the same as data, and whose fault it is."""

    def __init__(self, kind: Kind, message: str, data: JsonObject) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Completion:
    """Values suggested for one argument."""

    values: Sequence[str]
    has_more: bool


class ResourceReader:
    """Reads resources. `readers` is `generated.registry.Readers`."""

    def __init__(
        self,
        scope: RequestScope,
        readers: object,
        *,
        draw: Callable[[str], str] | None = None,
        complete_ids: CompleteUriIds | None = None,
    ) -> None:
        """Create a reader. `draw` returns the HTML of a view inside a chat, by its name."""
        self._scope = scope
        self._catalogue = scope.catalogue
        self._package = scope.catalogue.package
        self._readers = readers
        self._draw = draw
        self._complete_ids = complete_ids
        self._limit = Policy.read(self._package.policy).result_limit_bytes
        self._spaces: WeakKeyDictionary[CallerContract, UriSpace] = WeakKeyDictionary()
        self._schemas_of = compiled(lambda name: _contract(self._package.read_resource(name)))
        self._log = logs.Log("resources")
        self._delegate_to: Callable[[Caller], Awaitable[ResourceReader | None]] | None = None

    def delegate(self, to: "Callable[[Caller], Awaitable[ResourceReader | None]]") -> None:
        """Use the reader that `to` returns for a caller. If it returns None, use this one."""
        self._delegate_to = to

    async def read(self, uri: str, caller: Caller) -> str:
        """Return the JSON text of the resource at `uri`.

        Raises: ResourceRefused; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        contract = self._catalogue.seen_by(caller)
        found = self._space(contract).find(uri)
        if found is None:
            raise _unknown(uri, self._space(contract).nearest(uri))
        template, values = found
        return await self._read(template.resource, values, caller)

    async def read_named(self, name: str, values: Mapping[str, str], caller: Caller) -> str | None:
        """Return the JSON text of the resource `name` with these values, or None if this caller has no such
        resource.

        Raises: ResourceRefused; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        document = self._catalogue.seen_by(caller).resources.get(name)
        if document is None:
            return None
        known: JsonObject = document["paramsSchema"]["properties"]
        unknown = next((each for each in values if each not in known), None)
        if unknown is not None:
            raise ResourceRefused(
                "invalid",
                f'There is no parameter "{unknown[:60]}"; there is {", ".join(known) or "none"}.',
                {"parameter": unknown[:60], "reason": "unknown_parameter", "accepted": list(known)},
            )
        return await self._read(name, values, caller)

    async def view(self, app: App, caller: Caller) -> str:
        """Return the HTML of a view. The caller must have one of its tools.

        Raises: ResourceRefused; asyncio.CancelledError when the caller cancelled. Nothing else.
        """
        tool = next(tool for tool in app.tools if tool in self._catalogue.seen_by(caller).names)

        async def drawn(_: ToolContext) -> str:
            if self._draw is None:
                raise RuntimeError(f"nothing draws the view {app.name}")
            return await asyncio.to_thread(self._draw, app.name)

        return await self._told(app.name, tool, drawn, caller)

    async def _read(self, name: str, values: Mapping[str, str], caller: Caller) -> str:
        if self._delegate_to is not None and (other := await self._delegate_to(caller)) is not None:
            return await other._read(name, values, caller)
        resource = self._package.resources[name]
        if unreadable := next((each for each, value in values.items() if "\0" in value), None):
            raise ResourceRefused(
                "invalid",
                f"{unreadable} contains U+0000, which nothing stored contains; leave it out.",
                {"parameter": unreadable, "reason": "nul_character"},
            )
        return await self._told(
            resource.name, resource.tool, partial(self._content, resource, values), caller
        )

    async def _told(
        self, name: str, tool: str, content: Callable[[ToolContext], Awaitable[str]], caller: Caller
    ) -> str:
        """Read the content, and count it in the rate class of its tool."""
        with self._scope.opened(caller) as context:
            started = time.perf_counter()
            try:
                rate_class = self._package.tools[tool].rate_class
                text = await self._answered(context, rate_class, partial(content, context), resource=name)
            except ResourceRefused as refused:
                self._scope.report_answered(tool, context, started, refused.kind, 0)
                raise
            self._scope.report_answered(tool, context, started, DONE, len(text))
            return text

    async def complete(
        self, source: str, beginning: str, given: Mapping[str, str], caller: Caller
    ) -> Completion:
        """Return up to 100 values of `source` that begin with `beginning`.

        Raises: ResourceRefused; asyncio.CancelledError.
        """
        if self._delegate_to is not None and (other := await self._delegate_to(caller)) is not None:
            return await other.complete(source, beginning, given, caller)
        with self._scope.opened(caller) as context:
            values = await self._answered(
                context,
                _COMPLETION_RATE_CLASS,
                partial(self._completed, source, beginning, given, context),
                source=source,
            )
        return Completion(values[:MAX_COMPLETIONS], len(values) > MAX_COMPLETIONS)

    async def _completed(
        self, source: str, beginning: str, given: Mapping[str, str], context: ToolContext
    ) -> Sequence[str]:
        try:
            given = await self._whole_ids(given, context)
        except ToolError:
            return []
        return await self._package.completions[source](self._readers, context, beginning, given)

    async def _answered(
        self, context: ToolContext, rate_class: str, work: Callable[[], Awaitable[Sent]], **where: str
    ) -> Sent:
        """Return the result of `work`. Raises: ResourceRefused; asyncio.CancelledError. Nothing else."""
        try:
            if over := self._scope.over_rate(context.caller, rate_class):
                raise _over_rate(over)
            return await work()
        except ResourceRefused:
            raise
        except ToolError as error:
            if "source" in where:  # not a parameter that a client named
                self._fail(context, where, error)
            raise _refused(error) from None
        except Exception as error:
            self._fail(context, where, error)

    def template(self, uri: str, caller: Caller) -> JsonObject:
        """Return the document of the resource with this template. Raises: ResourceRefused."""
        contract = self._catalogue.seen_by(caller)
        for document in contract.resources.values():
            if any(form["uri"] == uri for form in document["uris"]):
                return document
        raise _unknown(uri, self._space(contract).nearest(uri))

    def _space(self, contract: CallerContract) -> UriSpace:
        if contract not in self._spaces:
            self._spaces[contract] = UriSpace(
                UriTemplate(form["uri"], name)
                for name, document in contract.resources.items()
                for form in document["uris"]
            )
        return self._spaces[contract]

    async def _content(self, resource: Resource[Any], values: Mapping[str, str], context: ToolContext) -> str:
        params = self._params(resource, await self._whole_ids(values, context))
        return self._sealed(resource, await resource.read(self._readers, params, context))

    async def _whole_ids(self, values: Mapping[str, str], context: ToolContext) -> Mapping[str, str]:
        return values if self._complete_ids is None else await self._complete_ids(values, context)

    def _params(self, resource: Resource[Any], values: Mapping[str, str]) -> JsonObject:
        """Convert the parameters to their types and fill in defaults. Raises: ResourceRefused."""
        schemas = self._schemas_of(resource.name)
        properties: JsonObject = schemas.input_schema["properties"]
        params: JsonObject = {
            name: _typed(values[name], schema["type"]) if name in values else schema["default"]
            for name, schema in properties.items()
            if name in values or "default" in schema
        }
        violations, more = schemas.argument_violations(params)
        if violations:
            problem = argument_problem(violations, more=more)
            raise ResourceRefused("invalid", f"{problem.message}.", problem.details)
        return params

    def _sealed(self, resource: Resource[Any], content: Mapping[str, object]) -> str:
        rules = self._schemas_of(resource.name).output_violations(content)
        if rules:
            raise RuntimeError(f"{resource.name} does not fit its content schema: {rules}")
        text = dump_json(content)
        if len(text) > self._limit:
            raise ResourceRefused(
                "invalid",
                f"The content is {len(text)} bytes; at most {self._limit} are sent. Read a part of it.",
                {"reason": "result_too_large", "bytes": len(text), "limit_bytes": self._limit},
            )
        return text.decode("utf-8")

    def _fail(self, context: ToolContext, where: Mapping[str, str], error: Exception) -> NoReturn:
        """Report an unexpected exception: in full in the log, only as an ID to the client."""
        fault = None if isinstance(error, ToolError) else self._scope.classify(error)
        self._log.error("resource_failed", error, **where)
        again = fault is not None and fault.retryable
        message = "The store is busy or away; try again" if again else "The server failed"
        raise ResourceRefused(
            "failed",
            f"{message}. Its log says why under correlation id {context.correlation_id}.",
            {"retryable": again, "correlation_id": context.correlation_id},
        ) from None


def _contract(document: JsonObject) -> JsonObject:
    """Return a resource's schemas under the names that a tool's schemas have."""
    return {"inputSchema": document["paramsSchema"], "outputSchema": document["contentSchema"]}


def _typed(text: str, type_: str) -> JsonValue:
    """Convert a segment to its type. Text that is not an integer stays text, so that the schema rejects
    it.
    """
    return int(text) if type_ == "integer" and _INTEGER.fullmatch(text) else text


def _unknown(uri: str, nearest: list[str]) -> ResourceRefused:
    return ResourceRefused(
        "invalid",
        f'There is no resource "{uri[:200]}" here. The nearest: {", ".join(nearest) or "none"}.',
        {"uri": uri[:200], "reason": "unknown_resource", "nearest": nearest},
    )


def _over_rate(over: OverRate) -> ResourceRefused:
    return ResourceRefused(
        "limited",
        over.message("request"),
        {"class": over.rule.name, "limit": over.rule.limit, "retry_after_ms": over.retry_after_ms},
    )


def _refused(error: ToolError) -> ResourceRefused:
    """Convert a handler's error to an error of the protocol."""
    data: JsonObject = {"code": error.code, **(error.details or {})}
    if error.suggestions:
        data["suggestions"] = list(error.suggestions)
    kind: Kind = "invalid" if error.fault == "client" else "failed"
    return ResourceRefused(kind, error.message, data)
