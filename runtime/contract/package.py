"""The generated contract as the runtime takes it: registry, errors and documents."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from vcontract.runtime.contract.registry import App, Complete, Prompt, Resource, ServerIdentity, Tool, Toolset
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.errors import ToolError


@dataclass(frozen=True, slots=True)
class ContractPackage:
    """Everything that was generated from one spec."""

    tools: Mapping[str, Tool[Any]]
    """By the key of the registry, sorted by toolset and name."""
    toolsets: Sequence[Toolset]
    identity: ServerIdentity
    policy: JsonObject
    errors: Mapping[str, type[ToolError]]
    read_contract: Callable[[str], JsonObject]
    """The document generated/contract/<key>.json."""
    read_shape: Callable[[str], JsonObject]
    """The document generated/shapes/<key>.json."""
    resources: Mapping[str, Resource[Any]] = field(default_factory=dict[str, Resource[Any]])
    prompts: Mapping[str, Prompt] = field(default_factory=dict[str, Prompt])
    apps: Mapping[str, App] = field(default_factory=dict[str, App])
    """By URI."""
    completions: Mapping[str, Complete[Any]] = field(default_factory=dict[str, Complete[Any]])
    """By source."""
    read_resource: Callable[[str], JsonObject] = lambda name: _read_document("resources", name)
    read_prompt: Callable[[str], JsonObject] = lambda name: _read_document("prompts", name)
    read_openapi: Callable[[], JsonObject] = lambda: _read_document(".", "openapi")


def _read_document(folder: str, key: str) -> JsonObject:
    document: JsonObject = json.loads(
        files("vcontract.generated").joinpath(folder, f"{key}.json").read_bytes()
    )
    return document


def load_package() -> ContractPackage:
    """The contract that was generated into this installation."""
    from vcontract.generated import errors, registry

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
        apps=registry.APPS,
        completions=registry.COMPLETIONS,
    )
