"""Types of the generated registry: tools, resources, prompts, toolsets and the server's identity."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from vcontract.runtime.frame.context import Scope, ToolContext
from vcontract.runtime.frame.envelope import Answer, Envelope

HandlersT = TypeVar("HandlersT")
"""The hand-written handlers of every toolset, each by its name."""

ReadersT = TypeVar("ReadersT")
"""The hand-written readers of every resource, by toolset."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[HandlersT]):
    """A tool in the registry; its wire form is in generated/contract."""

    name: str
    toolset: str
    title: str
    aliases: tuple[str, ...]
    stability: Literal["experimental", "beta", "stable"]
    envelope: Envelope
    scope: Scope
    rate_class: str
    read_only: bool
    budgeted: bool
    """Whether it accepts `max_response_bytes`. Responses with `meta` then state their size."""
    errors: frozenset[str]
    """Every error code that it can return."""
    params: type[BaseModel]
    call: Callable[[HandlersT, Any, ToolContext], Awaitable[Answer]]
    """Runs the handler on an instance of `params`."""
    messages: tuple[tuple[str, str, str], ...] = ()
    """Its own messages for violated input rules: (path, keyword, message).
    `[]` in the path matches any list entry; the keyword too_large is for a response over the budget.
    """
    refuses: tuple[tuple[str, tuple[str, ...], str, Mapping[str, Any], str], ...] = ()
    """Objects that belong to another tool: (path, members that identify one, message, details,
    suggestion).
    """


@dataclass(frozen=True, slots=True)
class Resource(Generic[ReadersT]):
    """A resource in the registry; its wire form is in generated/resources."""

    name: str
    toolset: str
    tool: str
    """Key of the tool whose callers may read it, and whose rate class it uses."""
    uris: tuple[str, ...]
    """URI templates; `{name}` is a parameter."""
    read: Callable[[ReadersT, Mapping[str, Any], ToolContext], Awaitable[Mapping[str, object]]]
    """Runs the handler with the parameters, after defaults are filled in."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in the registry; its plan is in generated/prompts."""

    name: str
    aliases: tuple[str, ...]
    toolset: str


@dataclass(frozen=True, slots=True)
class App:
    """A view of results inside a chat, for clients that support MCP Apps."""

    name: str
    uri: str
    title: str
    description: str
    tools: tuple[str, ...]
    """Keys of the tools whose results it shows."""


Complete: TypeAlias = Callable[[ReadersT, ToolContext, str, Mapping[str, str]], Awaitable[Sequence[str]]]
"""Finds values that begin with a text, given the other arguments."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """A group of tools that is enabled or disabled as a whole."""

    id: str
    title: str
    description: str
    prefix: bool
    """Whether its tools are named `<toolset>_<tool>` if other toolsets are served too."""
    default_on: bool
    style: Literal["item", "success"]
    """Form of its errors."""
    codes: Mapping[str, str]
    """Kind of fault outside the handler, to this toolset's error code for it."""
    instructions: str = ""
    """When to use it, one line each; tools are named by key."""


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """Name, version and icon that the server reports to clients."""

    name: str
    title: str
    version: str
    """Semantic version of the contract."""
    instructions: str
    website: str
    icon: str
    """SVG image as a data URI."""
