"""What all tools of the `session` toolset share: the store, the rules, and who calls from where."""

import contextlib
import getpass
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vcontract.generated.errors import PermissionDenied, ProjectNotFound, SearchFailed
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.model import ModelState
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.faults import QUERY_ERRORS, classify
from vcontract.runtime.workspace.confinement import Confinement, NotAFolder, OutsideRoots
from vcontract.runtime.workspace.facts import ProjectFacts, find_workspace, gather
from vcontract.runtime.workspace.git import Git
from vcontract.runtime.workspace.rules import Rules


@dataclass(frozen=True, slots=True)
class StoreState:
    """How the store stands for a tenant at the beginning of a call; None stands for unknown."""

    reached: bool = False
    writable: bool = False
    version: str | None = None
    has_schema: bool = False
    conversations: int | None = None
    reflections: int | None = None
    backlog: int | None = None


DOWN = StoreState()


class SessionToolset:
    """The store, the rules and git, which every group of tools works with."""

    def __init__(self, database: Database, embeddings: Embeddings, rules: Rules) -> None:
        self._database = database
        self._embeddings = embeddings
        self._rules = rules
        self._git = Git(rules.git_seconds)

    def confinement(self, ctx: ToolContext) -> Confinement:
        return self._rules.local if ctx.caller.local else self._rules.remote

    @property
    def model_state(self) -> ModelState:
        """How the embedding model stands, whether or not it was needed yet."""
        if self._embeddings.recipe.provider == "none":
            return ModelState("not_configured", "the embedding provider is none")
        return self._embeddings.model.state

    def folder(self, ctx: ToolContext, given: str | None) -> Path | None:
        """The folder a caller means; without any the start directory, and None over HTTP.

        Raises: PermissionDenied; ProjectNotFound.
        """
        confinement = self.confinement(ctx)
        if given is None:
            if confinement.start is None:
                return None
            given = "."
        try:
            return confinement.folder(given)
        except OutsideRoots:
            raise PermissionDenied(
                "working_directory lies outside the folders that sessions may work in.",
                details={"parameter": "working_directory", "reason": "outside_allowed_roots"},
                suggestions=["The operator names more in VCONTRACT_SESSION_ALLOWED_ROOTS."],
            ) from None
        except NotAFolder as reason:
            raise ProjectNotFound(
                f"working_directory cannot be used: {reason}.",
                details={"parameter": "working_directory", "reason": str(reason)},
            ) from None

    async def look(self, ctx: ToolContext, folder: Path | None) -> ProjectFacts | None:
        """The project around a folder as it stands now."""
        if folder is None:
            return None
        return await gather(await find_workspace(folder, self._git, self.confinement(ctx)), self._git)

    async def _state(self, connection: Connection, ctx: ToolContext) -> StoreState:
        """How the store stands."""
        row = await connection.fetchrow(
            "select current_setting('server_version') as version, not pg_is_in_recovery() as writable,"
            " to_regclass('vcontract.result_cache') is not null as has_schema,"
            " (select count(*) from vcontract.vcon where tenant = $1) as conversations,"
            " (select count(*) from vcontract.reflection where tenant = $1) as reflections",
            ctx.tenant,
        )
        assert row is not None
        coverage = await self._embeddings.store.coverage(connection, ctx.tenant)
        return StoreState(reached=True, backlog=coverage.pending, **dict(row))


def subject_of(ctx: ToolContext) -> str:
    """Whose sessions a call sees: the authenticated subject, or the user of this machine."""
    if not ctx.caller.local:
        return ctx.caller.name
    try:
        return f"{ctx.caller.name}:{getpass.getuser()}"
    except (KeyError, OSError):
        return ctx.caller.name  # a user without a name


@contextlib.contextmanager
def searching() -> Generator[None]:
    """A query that fails though the store answers is told as a failed search.

    Raises: SearchFailed.
    """
    try:
        yield
    except QUERY_ERRORS as error:
        fault = classify(error)
        if fault is None or fault.reason != "internal":
            raise
        raise SearchFailed(details={"reason": "query", "retryable": False}) from error


def next_call(ctx: ToolContext, tool: str, **arguments: object) -> JsonObject:
    """A call to make next, of a tool by the name it is served under."""
    return {"tool": ctx.contract.canonical_name(f"session_{tool}") or tool, "arguments": arguments}


def now() -> datetime:
    return datetime.now(UTC)
