"""Serve the web page to one visitor of this machine, or to every visitor with a token."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import replace

from starlette.types import ASGIApp

from vcontract.runtime.app import App, build
from vcontract.runtime.app.answering import NotAnswered, stream_answer
from vcontract.runtime.frame.calls.dispatch import UnknownTool
from vcontract.runtime.frame.calls.resources import ResourceRefused
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.frame.mcp import http
from vcontract.runtime.frame.mcp.access_policy import Identify, IdentityUnavailable
from vcontract.runtime.frame.mcp.bodies import BufferedBodies
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.pages.application import application
from vcontract.runtime.pages.auth import OneVisitor, ReadFailed, Visitor, Written
from vcontract.runtime.pages.local_machine import LocalMachine
from vcontract.runtime.settings import Settings

HOST = "127.0.0.1"


async def browse(
    settings: Settings, tenant: str, port: int, announce: Callable[[str], None], machine: LocalMachine | None
) -> None:
    """Serve the page to one visitor of this machine until SIGTERM or SIGINT.

    `announce` receives the address. Port 0 selects any free port. The `machine` is closed at the end.

    Raises: what `build` raises; OSError if the port is taken.
    """
    with contextlib.closing(http.listen(HOST, port)) as listening:
        port = listening.getsockname()[1]
        app = await build(settings)
        try:
            caller = replace(app.caller, tenant=tenant)
            keeper = OneVisitor(replace(visitor(app, caller), answer=answer_writer(app, caller, settings)))
            names = {f"{HOST}:{port}", f"localhost:{port}"}
            announce(f"http://{HOST}:{port}/enter?token={keeper.token}")
            await http.serve_http(application(keeper, names.__contains__, machine=machine), listening)
        finally:
            if machine is not None:
                await machine.close()
            await app.close()


def page_behind_tokens(
    app: App, identify: Identify, admits_host: Callable[[str | None], bool], held: BufferedBodies
) -> ASGIApp:
    """The page as an application, for visitors with a token."""
    return application(Bearers(app, identify), admits_host, held)


def visitor(app: App, caller: Caller) -> Visitor:
    """Return a visitor that calls tools and reads resources as this caller."""

    async def ask(tool: str, arguments: JsonObject) -> tuple[JsonObject, bool]:
        try:
            outcome = await app.dispatcher.call(tool, arguments, caller)
        except UnknownTool as unknown:
            raise LookupError(f"There is no tool {tool} here.") from unknown
        return outcome.structured, outcome.is_error

    async def read(name: str, values: Mapping[str, str]) -> JsonObject:
        try:
            text = await app.resources.read_named(name, values, caller)
        except ResourceRefused as refused:
            raise ReadFailed(refused.message) from refused
        if text is None:
            raise ReadFailed(f"Your token does not permit reading {name}, which this view requires.")
        return members(parse_json(text))

    seen = app.catalogue.seen_by(caller)
    return Visitor(ask, seen.tools, read, seen.resources.keys(), seen.prompts.keys())


def answer_writer(
    app: App, caller: Caller, settings: Settings
) -> Callable[[str], AsyncGenerator[Written]] | None:
    """Return a function that streams an answer of the configured language model; None without a model."""
    llm = LlmSettings.of(settings)

    async def answer(question: str) -> AsyncGenerator[Written]:
        found = await app.dispatcher.call("vcon_recall", {"query": question}, caller)
        if found.is_error:
            raise ReadFailed(found.text)
        try:
            async with contextlib.aclosing(
                stream_answer(llm, question, found.text, found.structured)
            ) as sentences:
                async for one in sentences:
                    yield Written(one.text, one.sources)
        except NotAnswered as error:
            raise ReadFailed(f"{error}. {error.cure[:1].upper()}{error.cure[1:]}.") from error

    return answer if llm.configured else None


class Bearers:
    """Admits every visitor with a token, and shows what the token allows."""

    asks = True

    def __init__(self, app: App, identify: Identify) -> None:
        self._app = app
        self._identify = identify

    async def admit(self, token: str) -> str | None:
        """The token itself, which the browser is to send."""
        return token if token and await self._caller(token) is not None else None

    async def visitor(self, kept: str) -> Visitor | None:
        caller = await self._caller(kept)
        return None if caller is None else visitor(self._app, caller)

    async def _caller(self, token: str) -> Caller | None:
        """Return the caller of a token. Nobody is admitted while the store is unavailable."""
        try:
            return (await self._identify([token])).get(token)
        except IdentityUnavailable:
            return None
