"""generated/prompts/<name>.json: each prompt with its arguments and its plan."""

from collections.abc import Iterator

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.model import Contract, Prompt, PromptArgument, PromptStep
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    for prompt in contract.prompts:
        yield OutputFile(f"prompts/{prompt.name}.json", print_json(_document(prompt)))


def _document(prompt: Prompt) -> JsonObject:
    return {
        "name": prompt.name,
        "aliases": list(prompt.aliases),
        "toolset": prompt.toolset,
        "since": prompt.since,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [_argument(argument) for argument in prompt.arguments],
        "task": prompt.task,
        "steps": [_step(step) for step in prompt.steps],
    }


def _argument(argument: PromptArgument) -> JsonObject:
    document: JsonObject = {
        "name": argument.name,
        "description": argument.description,
        "required": argument.required,
    }
    if argument.values:
        document["values"] = list(argument.values)
    if argument.complete:
        document["complete"] = argument.complete
    return document


def _step(step: PromptStep) -> JsonObject:
    return {"say": list(step.say), "when": step.when, "optional": step.optional}
