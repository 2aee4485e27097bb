"""The generated contract for the runtime: registry, errors and documents."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from vcontract.runtime.frame.contract.registry import (
    App,
    Complete,
    Prompt,
    Resource,
    ServerIdentity,
    Tool,
    Toolset,
)
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.errors import ToolError


@dataclass(frozen=True, slots=True)
class ContractPackage:
    """Everything generated from one spec."""

    tools: Mapping[str, Tool[Any]]
    """Tools by registry key, sorted by toolset and name."""
    toolsets: Sequence[Toolset]
    identity: ServerIdentity
    policy: JsonObject
    errors: Mapping[str, type[ToolError]]
    read_contract: Callable[[str], JsonObject]
    """Reads the document generated/contract/<key>.json."""
    read_shape: Callable[[str], JsonObject]
    """Returns a tool's full result of describe_response_shape."""
    resources: Mapping[str, Resource[Any]] = field(default_factory=dict[str, Resource[Any]])
    prompts: Mapping[str, Prompt] = field(default_factory=dict[str, Prompt])
    apps: Mapping[str, App] = field(default_factory=dict[str, App])
    """Views by URI."""
    completions: Mapping[str, Complete[Any]] = field(default_factory=dict[str, Complete[Any]])
    """Completions by source."""
    read_resource: Callable[[str], JsonObject] = lambda name: _read_document("resources", name)
    read_prompt: Callable[[str], JsonObject] = lambda name: _read_document("prompts", name)
    read_openapi: Callable[[], JsonObject] = lambda: _read_document(".", "openapi")


def _read_document(folder: str, key: str) -> JsonObject:
    document: JsonObject = json.loads(
        files("vcontract.generated").joinpath(folder, f"{key}.json").read_bytes()
    )
    return document


_OF_A_SHAPE: Final = ("toolset", "title", "envelope", "text", "stability")


@cache
def _shared() -> tuple[JsonObject, JsonObject]:
    """Return what all tools share, and the sizes of their responses."""
    return _read_document(".", "contract"), _read_document(".", "sizes")


def _read_shape(key: str) -> JsonObject:
    """A tool's output schema with its first successful example, sizes and errors."""
    tool, (shared, sizes) = _read_document("contract", key), _shared()
    errors = {code: shared["errors"][code] for code in tool["errors"]}
    return {
        "tool_name": key,
        **{
            name: tool[name] for name in ("toolset", "title", "envelope", "text", "stability") if name in tool
        },
        "schema": tool["outputSchema"],
        "example": next(each["response"] for each in shared["examples"][key] if "response" in each),
        "typical_bytes": sizes[key],
        "errors": [
            {
                "code": code,
                "retryable": error["retryable"],
                "message": error["message"],
                "details_schema": error["details"],
            }
            for code, error in errors.items()
        ],
    }


def load_package() -> ContractPackage:
    """Load the contract of this installation."""
    from vcontract.generated import errors, registry

    return ContractPackage(
        tools=registry.TOOLS,
        toolsets=registry.TOOLSETS,
        identity=registry.SERVER,
        policy=dict(registry.POLICY),
        errors=errors.ERRORS,
        read_contract=lambda key: _read_document("contract", key),
        read_shape=_read_shape,
        resources=registry.RESOURCES,
        prompts=registry.PROMPTS,
        apps=registry.APPS,
        completions=registry.COMPLETIONS,
    )
