"""Describe each part of the contract as JSON, for the report and a running server."""

from collections.abc import Iterator
from dataclasses import asdict

from vcontract.codegen.compact_schema import read_by_model
from vcontract.codegen.documents import JsonObject, compact_json, print_entries
from vcontract.codegen.emit.docs import facts_of
from vcontract.codegen.lints.tools import model_tokens
from vcontract.codegen.member_docs import members_of
from vcontract.codegen.model import Contract, Example, Prompt, Resource, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.schemas import without_markers


def emit(contract: Contract) -> Iterator[OutputFile]:
    """One entry a line: who compares two versions sees which part changed."""
    first = [toolset.tools[0].key for toolset in contract.toolsets if toolset.tools]
    yield OutputFile("report.json", print_entries(_all(contract), 2, apart=first) + "\n")


def _all(contract: Contract) -> dict[str, JsonObject]:
    return {
        "toolsets": {
            toolset.id: {"title": toolset.title, "description": toolset.description}
            for toolset in contract.toolsets
        },
        "tools": {tool.key: entry_of_tool(tool) for tool in contract.tools},
        "resources": {resource.name: entry_of_resource(resource) for resource in contract.resources},
        "prompts": {prompt.name: entry_of_prompt(prompt) for prompt in contract.prompts},
        "errors": {
            error.code: {name: getattr(error, name) for name in ("code", "fault", "retryable", "message")}
            for error in contract.errors
        },
        "reasons": dict(contract.reasons),
    }


def entry_of_tool(tool: Tool) -> JsonObject:
    """Facts of a tool beside its own words, its errors and its schemas."""
    forms: list[JsonObject] = tool.output_schema["oneOf"][:-1]
    definitions: JsonObject = tool.output_schema.get("$defs", {})
    return {
        "toolset": tool.toolset,
        "facts": facts_of(tool),
        "tokens": model_tokens(compact_json(read_by_model(tool))),
        "answer_tokens": model_tokens(compact_json(without_markers(tool.output_schema))),
        "parameters": [asdict(member) for member in members_of(tool.input_schema)],
        "results": [[asdict(member) for member in members_of(form, definitions, levels=4)] for form in forms],
        "errors": list(tool.errors),
        "examples": [_example(example) for example in tool.examples],
    }


def _example(example: Example) -> JsonObject:
    error = example.error
    answer: JsonObject | None = example.response
    if error is not None:
        answer = {"code": error.code, **({"details": error.details} if error.details else {})}
    return {
        "name": example.name.replace("_", " "),
        "params": example.params,
        "answer": answer,
        "error": error.code if error else "",
    }


def entry_of_resource(resource: Resource) -> JsonObject:
    """Describe a resource."""
    example = resource.example
    return {
        **{name: getattr(resource, name) for name in ("name", "title", "description", "tool", "since")},
        "uris": list(resource.uris),
        "parameters": [asdict(member) for member in members_of(resource.params_schema)],
        "members": [asdict(member) for member in members_of(resource.content, levels=2)],
        "example": {"uri": example.uri, "content": example.content} if example else None,
    }


def entry_of_prompt(prompt: Prompt) -> JsonObject:
    """Describe a prompt."""
    return {
        **{name: getattr(prompt, name) for name in ("name", "title", "description", "toolset", "task")},
        "aliases": list(prompt.aliases),
        "arguments": [
            {"name": each.name, "description": each.description, "required": each.required}
            for each in prompt.arguments
        ],
        "steps": [
            words.replace("{", "`").replace("}", "`") for step in prompt.steps for words in step.say[:1]
        ],
    }
