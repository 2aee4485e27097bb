"""Context of one call: its tenant, scopes, limits and the contract that the caller sees."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, TypedDict
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject

if TYPE_CHECKING:
    import asyncpg

Scope = Literal["read", "write", "admin"]
SCOPES: Final[tuple[Scope, ...]] = ("read", "write", "admin")
Progress = Callable[[float, float | None, str], Awaitable[None]]
Afterwards: TypeAlias = Callable[[], Awaitable[None]]
Transaction: TypeAlias = "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
"""A connection on which a transaction of the caller's tenant is open."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request: its tenant, and what it may do."""

    tenant: str
    scopes: frozenset[Scope]
    name: str = "local"
    """Names the token in logs, rate limits and the audit; never a secret."""
    connection: str | None = None
    """Identifies the connection: one per stdio process, one per MCP session over HTTP; None for single
    calls.
    """
    local: bool = False
    """Whether the caller is the user of this machine, through stdio or the command line."""
    only: frozenset[str] | None = None
    """Keys of the tools that this caller restricts itself to; None for all that its scopes allow."""
    purposes: frozenset[str] = frozenset()
    """Purposes beyond the server's own. Each one needs consent."""


class ServedToolset(TypedDict):
    """A toolset as a caller sees it."""

    id: str
    title: str
    enabled: bool
    tools: list[str]
    """Names of the tools that the caller may use."""


class ServedContract(Protocol):
    """The contract as this caller sees it: only the tools it may use, by their served names."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def digest(self) -> str:
        """`sha256:` and the hex digest of the tools, resources and prompts served, as canonical JSON."""
        ...

    @property
    def read_only(self) -> bool: ...

    @property
    def tools(self) -> Mapping[str, JsonObject]:
        """Served name to contract document (generated/contract/<tool>.json), in the order of tools/list."""
        ...

    @property
    def shapes(self) -> Mapping[str, JsonObject]:
        """Served name to the result of describe_response_shape."""
        ...

    @property
    def toolsets(self) -> list[ServedToolset]:
        """In the order of spec/toolsets.yaml."""
        ...

    @property
    def policy(self) -> JsonObject:
        """spec/policy.yaml, as data."""
        ...

    def canonical_name(self, name: str) -> str | None:
        """Return the served name that `name` (a name or an alias) refers to, or None."""
        ...

    def nearest_names(self, name: str) -> list[str]:
        """Up to five served names that look like `name`, the most similar first."""
        ...


class Embedding(Protocol):
    """Embeds the vCons that one call changes before the call ends."""

    async def claim(self, connection: Transaction, vcon: UUID, /) -> None:
        """Reserve a vCon's texts that need vectors, in the transaction that changes it."""
        ...

    async def embed(self) -> None:
        """Embed what was claimed, after the transaction has committed."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Context passed to every handler along with its parameters."""

    caller: Caller
    contract: ServedContract
    correlation_id: str
    report_progress: Progress | None = None
    transaction: "Transaction | None" = None
    """Transaction in which a call with an idempotency key must write, without committing. None for other
    calls.
    """

    afterwards: list[Afterwards] | None = None
    """After-commit callbacks of such a call."""

    embedding: Embedding | None = None
    """None if a worker embeds changes."""

    @property
    def tenant(self) -> str:
        return self.caller.tenant

    async def once_committed(self, do: Afterwards) -> None:
        """Run `do` after the call's transaction has committed, or immediately without a transaction."""
        if self.afterwards is None:
            await do()
        else:
            self.afterwards.append(do)
