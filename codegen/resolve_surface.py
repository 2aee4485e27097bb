"""Resolve the parts of the contract other than tools: resources, prompts and apps."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from vcontract.codegen.documents import JsonObject
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.model import (
    App,
    Prompt,
    PromptArgument,
    PromptStep,
    Resource,
    ResourceExample,
    ResourceParameter,
    Tool,
)
from vcontract.codegen.references import linked
from vcontract.codegen.schemas import packed

VARIABLE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A parameter in a URI, a tool in a step of a prompt."""


def resolve_resources(
    spec: Spec, tools: Mapping[str, Tool], shapes: dict[str, JsonObject]
) -> Iterator[Resource]:
    """Every resource of the spec, with the schema of its content. Raises: BrokenReferenceError, KeyError."""
    for document in spec.of_kind("resources"):
        for entry in document.data["resources"]:
            yield resolve_resource(spec, document, entry, tools[entry["tool"]], shapes)


def resolve_resource(
    spec: Spec, document: Document, entry: JsonObject, tool: Tool, shapes: dict[str, JsonObject]
) -> Resource:
    """The resource that `entry` of `document` declares. Raises: BrokenReferenceError, KeyError."""
    prefix: str = document.data["prefix"]
    content = linked(spec, document, entry["content"]) if "content" in entry else None
    example = entry.get("example")
    return Resource(
        name=entry["name"],
        toolset=tool.toolset,
        tool=tool.key,
        since=entry["since"],
        title=entry["title"],
        description=entry["description"],
        uris=tuple(prefix + path for path in entry["uris"]),
        parameters=tuple(
            _parameter(name, schema, entry["uris"]) for name, schema in entry.get("params", {}).items()
        ),
        content=packed(content, shapes) if content else item_schema(tool),
        content_form=content or tool.success_forms[0]["properties"]["item"],
        example=ResourceExample(prefix + example["uri"], example["content"]) if example else None,
    )


def resolve_prompts(spec: Spec) -> Iterator[Prompt]:
    """Every prompt of the spec."""
    for document in spec.of_kind("prompts"):
        for entry in document.data["prompts"]:
            yield Prompt(
                name=entry["name"],
                aliases=tuple(entry.get("aliases", [])),
                toolset=entry["toolset"],
                since=entry["since"],
                title=entry["title"],
                description=entry["description"],
                arguments=tuple(_argument(argument) for argument in entry["arguments"]),
                task=entry["task"],
                steps=tuple(_step(step) for step in entry["steps"]),
            )


def resolve_apps(spec: Spec) -> Iterator[App]:
    """Every app of the spec."""
    for document in spec.of_kind("apps"):
        for entry in document.data["apps"]:
            yield App(entry["name"], entry["uri"], entry["since"], entry["title"], entry["description"])


def item_schema(tool: Tool) -> JsonObject:
    """The item that a tool of the envelope `item` answers, one document. Raises: KeyError for others."""
    success: JsonObject = tool.output_schema["oneOf"][0]
    item: JsonObject = success["properties"]["item"]
    definitions = tool.output_schema.get("$defs")
    return {**item, "$defs": definitions} if definitions else item


def alternatives(step: JsonObject) -> tuple[str, ...]:
    """The ways to say a step of a prompt, the preferred one first."""
    say: str | list[str] = step["say"]
    return (say,) if isinstance(say, str) else tuple(say)


def _parameter(name: str, schema: JsonObject, uris: list[str]) -> ResourceParameter:
    return ResourceParameter(
        name=name,
        type=schema["type"],
        schema={keyword: value for keyword, value in schema.items() if keyword != "complete"},
        required=all(name in VARIABLE.findall(uri) for uri in uris),
        default=schema.get("default"),
        complete=schema.get("complete"),
    )


def _argument(entry: JsonObject) -> PromptArgument:
    return PromptArgument(
        name=entry["name"],
        description=entry["description"],
        required=entry.get("required", False),
        values=tuple(entry.get("values", [])),
        complete=entry.get("complete"),
    )


def _step(entry: JsonObject) -> PromptStep:
    return PromptStep(alternatives(entry), entry.get("when"), entry.get("optional", False))
