"""Emits generated/docs/resources.md and prompts.md, the reference of resources and prompts."""

from collections.abc import Iterator

from vcontract.codegen.documents import print_json
from vcontract.codegen.emit.docs import member_rows
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract, Prompt, Resource
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    if contract.resources:
        resources = [_resource(resource) for resource in contract.resources]
        apps = [{"app": app, "tools": contract.tools_of(app)} for app in contract.apps]
        yield OutputFile("docs/resources.md", render("resources.md.jinja", resources=resources, apps=apps))
    if contract.prompts:
        prompts = [_prompt(prompt) for prompt in contract.prompts]
        yield OutputFile("docs/prompts.md", render("prompts.md.jinja", prompts=prompts))


def _resource(resource: Resource) -> dict[str, object]:
    content = resource.content
    return {
        "resource": resource,
        "parameters": list(member_rows(resource.params_schema)),
        "members": list(member_rows(content)),
        "example": print_json(resource.example.content).rstrip("\n") if resource.example else None,
    }


def _prompt(prompt: Prompt) -> dict[str, object]:
    return {
        "prompt": prompt,
        "steps": [step.say[0].replace("{", "`").replace("}", "`") for step in prompt.steps],
    }
