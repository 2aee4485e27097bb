"""The types of what the generated registry lists: tools, resources, prompts, toolsets, the server itself."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from vcontract.runtime.frame.context import Scope, ToolContext
from vcontract.runtime.frame.envelope import Answer, Envelope

HandlersT = TypeVar("HandlersT")
"""The hand-written half of every toolset, each under its name."""

ReadersT = TypeVar("ReadersT")
"""The hand-written half of every resource, by toolset."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[HandlersT]):
    """What the server knows of one tool; its wire form is in generated/contract."""

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
    """Whether it takes `max_response_bytes`; its answers carry their size where their envelope has `meta`."""
    errors: frozenset[str]
    """Every code it may answer with."""
    params: type[BaseModel]
    call: Callable[[HandlersT, Any, ToolContext], Awaitable[Answer]]
    """Runs the handler on an instance of `params`."""
    messages: tuple[tuple[str, str, str], ...] = ()
    """Its own words for a violated input rule: (path, keyword, message);
    `[]` in the path is any entry of a list, and the keyword too_large an answer over the budget."""
    refuses: tuple[tuple[str, tuple[str, ...], str, Mapping[str, Any], str], ...] = ()
    """Objects that it takes for something else: (path, members by which one is known, message, details,
    suggestion)."""


@dataclass(frozen=True, slots=True)
class Resource(Generic[ReadersT]):
    """What the server knows of one resource; its wire form is in generated/resources."""

    name: str
    toolset: str
    tool: str
    """The key of the tool whose callers may read it, in whose rate class."""
    uris: tuple[str, ...]
    """`{name}` stands for a parameter."""
    read: Callable[[ReadersT, Mapping[str, Any], ToolContext], Awaitable[Mapping[str, object]]]
    """Runs the handler on the parameters, defaults filled in."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the server knows of one prompt; its plan is in generated/prompts."""

    name: str
    aliases: tuple[str, ...]
    toolset: str


@dataclass(frozen=True, slots=True)
class App:
    """A view of answers inside a chat, for clients that know such views."""

    name: str
    uri: str
    title: str
    description: str
    tools: tuple[str, ...]
    """The keys of the tools whose answers it shows."""


Complete: TypeAlias = Callable[[ReadersT, ToolContext, str, Mapping[str, str]], Awaitable[Sequence[str]]]
"""Finds the values that begin with a text, beside the other arguments that are given."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """A group of tools that is served or left out as one."""

    id: str
    title: str
    description: str
    prefix: bool
    """Whether its tools are named `<toolset>_<tool>` beside those of other toolsets."""
    default_on: bool
    style: Literal["item", "success"]
    """The form of its errors."""
    codes: Mapping[str, str]
    """Kind of fault met before or after the handler, to the code this toolset has for it."""
    instructions: str = ""
    """When to use it, line by line; tools by their keys."""


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """How the server introduces itself."""

    name: str
    title: str
    version: str
    """Semantic version of the contract."""
    instructions: str
    website: str
    icon: str
    """An SVG image as a data URI."""
