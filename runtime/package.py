"""The generated contract as the runtime takes it: registry, errors and documents."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

from pydantic import BaseModel

from vcontract.runtime.context import Scope, ToolContext
from vcontract.runtime.documents import JsonObject, JsonValue
from vcontract.runtime.envelope import Answer, Envelope
from vcontract.runtime.errors import ToolError


class ToolEntry(Protocol):
    """What the runtime needs of `generated.registry.Tool`."""

    @property
    def name(self) -> str: ...
    @property
    def toolset(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def envelope(self) -> Envelope: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def rate_class(self) -> str: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def budgeted(self) -> bool: ...
    @property
    def errors(self) -> frozenset[str]: ...
    @property
    def params(self) -> type[BaseModel]: ...
    @property
    def messages(self) -> tuple[tuple[str, str, str], ...]: ...
    @property
    def call(self) -> Callable[[Any, Any, ToolContext], Awaitable[Answer]]:
        """Calls the tool's method of the handlers; `Any`, because each tool has its own parameters."""
        ...


class ResourceEntry(Protocol):
    """What the runtime needs of `generated.registry.Resource`."""

    @property
    def name(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def uris(self) -> tuple[str, ...]: ...
    @property
    def read(self) -> Callable[[Any, Mapping[str, JsonValue], ToolContext], Awaitable[JsonObject]]:
        """Calls the resource's method of the readers."""
        ...


class PromptEntry(Protocol):
    """What the runtime needs of `generated.registry.Prompt`."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def toolset(self) -> str: ...


Complete = Callable[[Any, ToolContext, str, Mapping[str, str]], Awaitable[Sequence[str]]]
"""Calls the readers' method for values that begin with a text, beside other arguments that are given."""


class ToolsetEntry(Protocol):
    """What the runtime needs of `generated.registry.Toolset`."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def prefix(self) -> bool: ...
    @property
    def default_on(self) -> bool: ...
    @property
    def codes(self) -> Mapping[str, str]: ...


class IdentityEntry(Protocol):
    """What the runtime needs of `generated.registry.ServerIdentity`."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def instructions(self) -> str: ...
    @property
    def website(self) -> str: ...
    @property
    def icon(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ContractPackage:
    """Everything that was generated from one spec."""

    tools: Mapping[str, ToolEntry]
    """By the key of the registry, sorted by toolset and name."""
    toolsets: Sequence[ToolsetEntry]
    identity: IdentityEntry
    policy: JsonObject
    errors: Mapping[str, type[ToolError]]
    read_contract: Callable[[str], JsonObject]
    """The document generated/contract/<key>.json."""
    read_shape: Callable[[str], JsonObject]
    """The document generated/shapes/<key>.json."""
    resources: Mapping[str, ResourceEntry] = field(default_factory=dict[str, ResourceEntry])
    prompts: Mapping[str, PromptEntry] = field(default_factory=dict[str, PromptEntry])
    completions: Mapping[str, Complete] = field(default_factory=dict[str, Complete])
    """By source."""
    read_resource: Callable[[str], JsonObject] = lambda name: _read_document("resources", name)
    read_prompt: Callable[[str], JsonObject] = lambda name: _read_document("prompts", name)


def _read_document(folder: str, key: str) -> JsonObject:
    document: JsonObject = json.loads(
        files("vcontract.generated").joinpath(folder, f"{key}.json").read_bytes()
    )
    return document


def load_package() -> ContractPackage:
    """The contract that was generated into this installation."""
    from vcontract.generated import (  # generated models take their time: only a server needs them
        errors,
        registry,
    )

    return ContractPackage(
        tools=registry.TOOLS,
        toolsets=registry.TOOLSETS,
        identity=registry.SERVER,
        policy=dict(registry.POLICY),
        errors=errors.ERRORS,
        read_contract=lambda key: _read_document("contract", key),
        read_shape=lambda key: _read_document("shapes", key),
        resources=registry.RESOURCES,
        prompts=registry.PROMPTS,
        completions=registry.COMPLETIONS,
    )
