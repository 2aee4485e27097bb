"""Call tools from a command, and explain their errors to users."""

import asyncio
import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import settings_of
from vcontract.runtime.cli.open_store import (
    FAULTS,
    failures_of_store,
    placed_tenant,
    run,
    store_failures,
    usage_failures,
)
from vcontract.runtime.cli.short_ids import full_id

if TYPE_CHECKING:
    from vcontract.runtime.app import App
    from vcontract.runtime.frame.calls.dispatch import CallOutcome
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings

Result = TypeVar("Result")

MAX_PAGE_ITEMS = 100
_ID_ARGUMENTS: Final = frozenset({"id", "uuid", "vcon_uuid"})


class Tools:
    """Calls an application's tools as the local user of `tenant`."""

    def __init__(self, app: "App", tenant: str) -> None:
        self.database = app.database
        self.tenant = tenant
        self._dispatcher = app.dispatcher
        self._resources = app.resources
        self._caller = replace(app.caller, tenant=tenant)

    async def call(self, tool: str, arguments: "JsonObject") -> "CallOutcome":
        """Return what a client would receive. Raises: UnknownTool."""
        return await self._dispatcher.call(tool, arguments, self._caller)

    async def ask(self, tool: str, /, **arguments: object) -> "JsonObject":
        """The answer. Arguments that are None are not sent; the ID of a conversation may be its beginning.

        Raises: ToolFailed, for an error; CommandFailed, for an ID that is not found or not unique.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in _ID_ARGUMENTS.intersection(given):
            given[name] = await full_id(self.database, self.tenant, str(given[name]))
        outcome = await self.call(tool, given)
        if outcome.is_error:
            raise ToolFailed(outcome.structured)
        return outcome.structured

    async def read(self, resource: str) -> "JsonObject":
        """Read a resource without parameters. Raises: ResourceRefused."""
        from vcontract.runtime.frame.documents.json import parse_json

        document: JsonObject = parse_json(
            await self._resources.read_named(resource, {}, self._caller) or "{}"
        )
        return document

    async def pages(self, tool: str, most: int, /, **arguments: object) -> "AsyncIterator[JsonObject]":
        """Yield pages of results, until the end or `most` items."""
        cursor: str | None = None
        left = most
        while left > 0:
            answer = await self.ask(tool, limit=min(left, MAX_PAGE_ITEMS), cursor=cursor, **arguments)
            yield answer
            left -= len(answer["items"])
            cursor = answer["page"]["next_cursor"]
            if cursor is None:
                return


class ToolFailed(CommandFailed):
    """A tool's error, explained to users."""

    def __init__(self, answer: "JsonObject") -> None:
        from vcontract.runtime.frame.documents.json_values import error_of

        error = error_of(answer)
        self.error_code: str = error["code"]
        self.details: JsonObject = error["details"]
        suggestions: Sequence[str] = answer.get("suggestions") or ()
        code = ExitCode.USAGE if self.error_code in _WRONG_USAGE else ExitCode.FAILED
        message, cure = error["message"], self._cure() or " ".join(suggestions)
        if "correlation_id" in self.details and (fault := FAULTS.get(self.details["reason"])):
            (message, cure), code = fault, ExitCode.NO_STORE
        super().__init__(message, cure=cure, code=code)

    @property
    def suggestion(self) -> "JsonObject":
        """Arguments that the tool suggests instead."""
        from vcontract.runtime.frame.documents.json_values import members

        return members(self.details.get("suggestion"))

    def _cure(self) -> str:
        suggested = self.suggestion
        if "query" in suggested:
            return f"search for {shlex.quote(suggested['query'])}"
        if suggested.get("mode") == "metadata":
            return "search for a word, or run `vcontract list`"
        if "mode" in suggested:
            return f"add --mode {suggested['mode']}"
        code = "NOT_FOUND" if self.details.get("reason") == "malformed_uuid" else self.error_code
        return _CURES.get(code, "")


_WRONG_USAGE = frozenset({"INVALID_ARGUMENT", "VALIDATION_ERROR", "AMBIGUOUS_QUERY"})
_CURES: Mapping[str, str] = {
    "NOT_FOUND": "`vcontract list` and `vcontract search` show the IDs; --tenant names another tenant",
    "RESPONSE_TOO_LARGE": "choose fewer parts with --part, or get the whole with `vcontract export ID`",
    "REFERENCED": "add --placeholder to leave an empty element, or first change what refers to it",
    "PERMISSION_DENIED": "unset VCONTRACT_READ_ONLY to change the store",
    "INTERNAL": "set VCONTRACT_LOG_LEVEL=debug to see the log, and report it",
}


@asynccontextmanager
async def open_tools(settings: "Settings", tenant: str, log_level: str = "critical") -> AsyncGenerator[Tools]:
    """Open the tools that these settings serve. `log_level` applies unless the user set one.

    Raises: CommandFailed if the database is unusable or a setting has an unknown name.
    """
    from vcontract.runtime import app
    from vcontract.runtime.frame import logs

    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else log_level)
    with usage_failures():
        name, settings = await placed_tenant(settings, tenant)
        with failures_of_store(name), store_failures():
            built = await app.build(settings)
    with store_failures(), usage_failures():
        try:
            yield Tools(built, tenant)
        finally:
            await built.close()


def call_tools(
    context: typer.Context,
    tenant: str,
    work: Callable[[Tools], Awaitable[Result]],
    *toolsets: str,
    seconds: float | None = None,
) -> Result:
    """Run `work` with the tools of `toolsets`, regardless of the toolsets in settings.

    Raises: TimeoutError after `seconds`.
    """
    settings = settings_of(
        context,
        toolsets=toolsets or ("contract", "vcon"),
        tools=(),
        exclude_tools=(),
        accept_upstream=False,
        rate_limits=None,  # no rate limits for the local user
    )

    async def ask() -> Result:
        async with asyncio.timeout(seconds), open_tools(settings, tenant) as tools:
            return await work(tools)

    return run(ask())
