"""Compose one document of everything clients depend on, for the compatibility gate."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from vcontract.codegen.documents import JsonObject, JsonValue, digest_of, is_object, print_entries
from vcontract.codegen.emitters import emitters_of
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Example, Prompt, Resource, Tool, Toolset
from vcontract.codegen.resolve import resolve

_HINTS: Final = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


SURFACE: Final = "surface.json"
"""The generated file that holds the document, below generated/."""


def print_surface(surface: JsonObject) -> str:
    """One line an entry, so that changes of different entries merge."""
    return print_entries(surface, 2) + "\n"


def surface_of(spec: Spec) -> JsonObject:
    """Everything that clients of a sound spec depend on. Lists whose order says nothing are maps by name."""
    contract = resolve(spec)
    server = asdict(contract.server)
    return {
        "version": server.pop("version"),
        "server": server,
        "toolsets": {toolset.id: _toolset(toolset) for toolset in contract.toolsets},
        "policy": contract.policy,
        "errors": {
            error.code: {
                "fault": error.fault,
                "retryable": error.retryable,
                "message": error.message,
                "details": error.details,
            }
            for error in contract.errors
        },
        "reasons": dict(contract.reasons),
        "shapes": {name: digest_of(shape.schema) for name, shape in contract.shapes.items()},
        "tools": {tool.key: _tool(tool) for tool in contract.tools},
        "resource_prefix": "".join(document.data["prefix"] for document in spec.of_kind("resources")),
        "resources": {
            resource.name: {
                **_resource(resource, spec),
                "scope": contract.tool(resource.tool).scope,
            }
            for resource in contract.resources
        },
        "prompts": {prompt.name: _prompt(prompt) for prompt in contract.prompts},
        "apps": {app.name: {**asdict(app), "tools": list(contract.tools_of(app))} for app in contract.apps},
        "sizes": {tool: dict(size) for tool, size in contract.sizes.items()},
        **{
            name: part
            for emitter in emitters_of(spec.emitters)
            for name, part in emitter.surface(spec).items()
        },
    }


def _toolset(toolset: Toolset) -> JsonObject:
    return {
        "title": toolset.title,
        "description": toolset.description,
        "instructions": toolset.instructions,
        "prefix": toolset.prefix,
        "default": toolset.default_on,
        "style": toolset.style,
        "codes": dict(toolset.codes),
    }


def _tool(tool: Tool) -> JsonObject:
    return {
        "toolset": tool.toolset,
        "title": tool.title,
        "description": tool.description,
        "stability": tool.stability,
        "since": tool.since,
        "deprecated": asdict(tool.deprecated) if tool.deprecated else {},
        "aliases": list(tool.aliases),
        "scope": tool.scope,
        "rate_class": tool.rate_class,
        "promises": list(tool.promises),
        "envelope": tool.envelope,
        "has_text": tool.has_text,
        "annotations": {hint: getattr(tool.annotations, name) for hint, name in _HINTS.items()},
        "input": tool.input_schema,
        "unlisted": unlisted(tool.input_schema, tool.listed_schema),
        "output": tool.output_schema,
        "errors": list(tool.errors),
        **({"ui": tool.ui} if tool.ui else {}),
        "messages": {f"{words.at} {words.keyword}": words.message for words in tool.messages},
        "refuses": {
            f"{refusal.at} {'+'.join(refusal.having)}": {
                "message": refusal.message,
                "details": refusal.details,
                "suggestion": refusal.suggestion,
            }
            for refusal in tool.refuses
        },
        "examples": {example.name: _example(example) for example in tool.examples},
    }


def _example(example: Example) -> JsonObject:
    if example.error is None:
        return {"params": example.params, "response": example.response}
    details = {} if example.error.details is None else {"details": example.error.details}
    return {"params": example.params, "error": {"code": example.error.code, **details}}


def unlisted(schema: JsonObject, listed: JsonObject) -> list[str]:
    """The members of parameters that are accepted and not shown in tools/list."""
    shown = set(member_paths(listed))
    return [path for path in member_paths(schema) if path not in shown]


def member_paths(schema: JsonValue, prefix: str = "") -> Iterator[str]:
    """Every member of the parameters of an input schema, as `filters.tags` and `items[].id`."""
    if is_object(schema):
        for name, member in schema.get("properties", {}).items():
            yield prefix + name
            yield from member_paths(member, f"{prefix}{name}.")
        yield from member_paths(schema.get("items"), f"{prefix}[].")


def _resource(resource: Resource, spec: Spec) -> JsonObject:
    prefixes = [document.data["prefix"] for document in spec.of_kind("resources")]
    return {
        "tool": resource.tool,
        "since": resource.since,
        "title": resource.title,
        "description": resource.description,
        "uris": [uri.removeprefix(prefixes[0]) for uri in resource.uris],
        "params": resource.params_schema,
        "completions": {
            parameter.name: parameter.complete for parameter in resource.parameters if parameter.complete
        },
        "content": resource.content,
    }


def _prompt(prompt: Prompt) -> JsonObject:
    return {
        "aliases": list(prompt.aliases),
        "toolset": prompt.toolset,
        "since": prompt.since,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": {
            "type": "object",
            "properties": {
                argument.name: {
                    "type": "string",
                    "description": argument.description,
                    **({"enum": list(argument.values)} if argument.values else {}),
                }
                for argument in prompt.arguments
            },
            "required": [argument.name for argument in prompt.arguments if argument.required],
            "additionalProperties": False,
        },
        "completions": {
            argument.name: argument.complete for argument in prompt.arguments if argument.complete
        },
        "plan": "\n".join(
            [
                prompt.task,
                *(
                    " / ".join(step.say)
                    + (f" [when {step.when}]" if step.when else "")
                    + (" [optional]" if step.optional else "")
                    for step in prompt.steps
                ),
            ]
        ),
    }
