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
    """Reads generated/contract/<key>.json, without its example and sizes."""
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
_OF_A_SHAPE_ALONE: Final = ("example", "typical_bytes")


@cache
def _errors() -> JsonObject:
    """Return the description of each error code."""
    errors: JsonObject = _read_document(".", "contract")["errors"]
    return errors


def _read_contract(key: str) -> JsonObject:
    """Return a tool's document as it goes on the wire."""
    document = _read_document("contract", key)
    return {name: value for name, value in document.items() if name not in _OF_A_SHAPE_ALONE}


def _read_shape(key: str) -> JsonObject:
    """A tool's output schema with its first successful example, sizes and errors."""
    tool = _read_document("contract", key)
    errors = {code: _errors()[code] for code in tool["errors"]}
    return {
        "tool_name": key,
        **{name: tool[name] for name in _OF_A_SHAPE if name in tool},
        "schema": tool["outputSchema"],
        **{name: tool[name] for name in _OF_A_SHAPE_ALONE},
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
        read_contract=_read_contract,
        read_shape=_read_shape,
        resources=registry.RESOURCES,
        prompts=registry.PROMPTS,
        apps=registry.APPS,
        completions=registry.COMPLETIONS,
    )
