"""What is measured: an application over a store of its own, and calls of it."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp.client.stdio import StdioServerParameters

from vcontract.runtime import app
from vcontract.runtime.embedding.worker import LOCK
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

COMMAND = Path(sys.executable).with_name("vcontract")
LOCK_SECONDS = 30.0


class CallFailed(Exception):
    """A call that is measured answered an error; the message holds the call and the answer."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An application on an embedded store that nobody else uses."""

    data_dir: Path
    application: app.App

    async def call(self, tool: str, arguments: JsonObject) -> JsonObject:
        """The answer of one call in process.

        Raises: CallFailed.
        """
        outcome = await self.application.dispatcher.call(tool, arguments, self.application.caller)
        if outcome.is_error:
            raise CallFailed(f"{tool} {str(arguments)[:300]}: {outcome.text[:1000]}")
        return outcome.structured

    async def run(self, tool: str, arguments: JsonObject) -> None:
        """The same call, its answer left as text, as a transport would send it.

        Raises: CallFailed.
        """
        outcome = await self.application.dispatcher.call(tool, arguments, self.application.caller)
        if outcome.is_error:
            raise CallFailed(f"{tool} {str(arguments)[:300]}: {outcome.text[:1000]}")

    def environment(self) -> dict[str, str]:
        """The environment of processes that share the store."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("VCONTRACT_")}
        return {
            **ours,
            "VCONTRACT_DATA_DIR": str(self.data_dir),
            "VCONTRACT_RATE_LIMITS": "off",
            "VCONTRACT_LOG_LEVEL": "warning",
        }

    @asynccontextmanager
    async def embedding_held(self) -> AsyncGenerator[None]:
        """Nothing is embedded in the background meanwhile: the turn to do so is taken."""
        connection = await self.application.database.connect(LOCK_SECONDS)
        try:
            await connection.fetchval("select pg_advisory_lock(hashtext($1))", LOCK)
            yield
        finally:
            await connection.close()

    def server(self) -> StdioServerParameters:
        """How a client starts our server on this store."""
        return StdioServerParameters(command=str(COMMAND), args=["serve"], env=self.environment())


@asynccontextmanager
async def open_subject(
    data_dir: Path, toolsets: tuple[str, ...] = (), *, connections: int = 1
) -> AsyncGenerator[Subject]:
    """The application on the store in `data_dir`, made if need be; without toolsets the default ones."""
    settings = Settings(
        data_dir=data_dir,
        database_url=None,
        pool_size=connections,
        rate_limits=None,
        log_level="warning",
        toolsets=toolsets,
    )
    application = await app.build(settings)
    try:
        yield Subject(data_dir, application)
    finally:
        await application.close()
