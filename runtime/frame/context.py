"""What one call knows about its caller: tenant, scopes, limits, and the contract served to it."""

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
"""A connection of the store on which a transaction of the caller's tenant is open."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the tenant whose rows exist for this call, and what the call may do."""

    tenant: str
    scopes: frozenset[Scope]
    name: str = "local"
    """Names the token in logs, rate limits and the audit; never a secret."""
    connection: str | None = None
    """Names the connection: one a process on stdio, one an MCP session over HTTP; None for single calls."""
    local: bool = False
    """Whether this is the user of the machine that the server runs on, through stdio or the command."""
    only: frozenset[str] | None = None
    """Keys of the tools that this caller confines itself to; None for all that its scopes allow."""
    purposes: frozenset[str] = frozenset()
    """What it wants conversations for, beside what the server is for; consent is asked for each."""


class ServedToolset(TypedDict):
    """What a caller reads of a toolset."""

    id: str
    title: str
    enabled: bool
    tools: list[str]
    """Names of those it may use."""


class ServedContract(Protocol):
    """The contract as this caller sees it: only the tools it may use, under the names it sees."""

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
        """Served name to what describe_response_shape returns of the tool."""
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
        """The served name that `name` (a name or an alias) refers to, or None."""
        ...

    def nearest_names(self, name: str) -> list[str]:
        """Up to five served names that look like `name`, the most similar first."""
        ...


class Embedding(Protocol):
    """Embeds the vCons that one call changes before the call ends."""

    async def claim(self, connection: Transaction, vcon: UUID, /) -> None:
        """Reserve what of a vCon waits for its vectors, within the transaction that changes it."""
        ...

    async def embed(self) -> None:
        """Embed what was claimed, once the transaction has committed."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Passed to every handler beside its parameters."""

    caller: Caller
    contract: ServedContract
    correlation_id: str
    report_progress: Progress | None = None
    transaction: "Transaction | None" = None
    """What a call under a key of its caller has to write in, and leave open; None for other calls."""

    afterwards: list[Afterwards] | None = None
    """What such a call leaves to be done when its transaction has committed."""

    embedding: Embedding | None = None
    """None where calls leave that to a worker."""

    @property
    def tenant(self) -> str:
        return self.caller.tenant

    async def once_committed(self, do: Afterwards) -> None:
        """Do what no write that is undone may do: now, or when the transaction of the call has committed."""
        if self.afterwards is None:
            await do()
        else:
            self.afterwards.append(do)
