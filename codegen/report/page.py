"""The page: one HTML file that asks the network for nothing."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from vcontract.codegen.documents import JsonObject, compact_json, print_json
from vcontract.codegen.emit.docs import facts_of
from vcontract.codegen.lints.tools import model_tokens
from vcontract.codegen.listing import read_by_model
from vcontract.codegen.members import Member, members_of
from vcontract.codegen.model import Contract, Example, Prompt, Resource, Tool
from vcontract.codegen.report.changes import Changes

TOO_MUCH: Final = 400
"""More model tokens than one tool should take."""

_TEMPLATES: Final = Path(__file__).resolve().parents[1] / "templates" / "report"


def page(contract: Contract, changes: Changes | None = None) -> str:
    """The HTML of `contract`, with what changed where that is known: a pure function of both."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters["code"] = _with_code
    environment.filters["number"] = lambda value: f"{value:,}"
    style, script = _text("report.css.jinja"), _text("report.js.jinja")
    tools = [_tool(contract, tool, changes) for tool in contract.tools]
    tokens = [int(str(tool["tokens"])) for tool in tools]
    return environment.get_template("report.html.jinja").render(
        contract=contract,
        changes=changes,
        toolsets=[
            {"toolset": toolset, "tools": [each for each in tools if each["toolset"] == toolset.id]}
            for toolset in contract.toolsets
            if toolset.tools
        ],
        by_cost=sorted(tools, key=lambda tool: -int(str(tool["tokens"]))),
        anchors=_anchors(contract),
        tokens=sum(tokens),
        average=round(sum(tokens) / len(tokens)) if tokens else 0,
        most=max(tokens, default=1),
        too_much=TOO_MUCH,
        resources=[_resource(resource, changes) for resource in contract.resources],
        prompts=[_prompt(prompt, changes) for prompt in contract.prompts],
        errors=[
            {
                "error": error,
                "tools": [tool.key for tool in contract.tools if error.code in tool.errors],
                "words": _words([error.code, error.message], list(members_of(error.details))),
            }
            for error in contract.errors
        ],
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def _anchors(contract: Contract) -> dict[str, str]:
    """What a change can be about, to its place on the page."""
    anchors = {tool.key: f"tool-{tool.key}" for tool in contract.tools}
    anchors |= {f"resource {each.name}": f"resource-{each.name}" for each in contract.resources}
    return anchors | {f"prompt {each.name}": f"prompt-{each.name}" for each in contract.prompts}


def _tool(contract: Contract, tool: Tool, changes: Changes | None) -> dict[str, object]:
    forms: list[JsonObject] = tool.output_schema["oneOf"][:-1]
    definitions: JsonObject = tool.output_schema.get("$defs", {})
    parameters = list(members_of(tool.input_schema))
    return {
        "tool": tool,
        "toolset": tool.toolset,
        "facts": facts_of(tool),
        "tokens": model_tokens(compact_json(read_by_model(tool))),
        "answer_tokens": model_tokens(compact_json(tool.output_schema)),
        "parameters": parameters,
        "results": [list(members_of(form, definitions, levels=4)) for form in forms],
        "errors": [contract.error(code) for code in tool.errors],
        "examples": [_example(example) for example in tool.examples],
        "input": print_json(tool.input_schema).rstrip(),
        "output": print_json(tool.output_schema).rstrip(),
        "changes": changes.of(tool.key) if changes else (),
        "words": _words([tool.key, tool.title, tool.description, *tool.aliases, *tool.errors], parameters),
    }


def _example(example: Example) -> dict[str, object]:
    error = example.error
    answer: JsonObject | None = example.response
    if error is not None:
        answer = {"code": error.code, **({"details": error.details} if error.details else {})}
    return {
        "name": example.name.replace("_", " "),
        "params": print_json(example.params).rstrip(),
        "answer": print_json(answer).rstrip(),
        "error": error.code if error else None,
    }


def _resource(resource: Resource, changes: Changes | None) -> dict[str, object]:
    parameters = list(members_of(resource.params_schema))
    return {
        "resource": resource,
        "parameters": parameters,
        "members": list(members_of(resource.content, levels=2)),
        "example": print_json(resource.example.content).rstrip() if resource.example else None,
        "changes": changes.of(f"resource {resource.name}") if changes else (),
        "words": _words([resource.name, resource.title, resource.description, *resource.uris], parameters),
    }


def _prompt(prompt: Prompt, changes: Changes | None) -> dict[str, object]:
    names = [argument.name for argument in prompt.arguments]
    steps = [words.replace("{", "`").replace("}", "`") for step in prompt.steps for words in step.say[:1]]
    return {
        "prompt": prompt,
        "steps": steps,
        "changes": changes.of(f"prompt {prompt.name}") if changes else (),
        "words": _words([prompt.name, prompt.title, prompt.description, *prompt.aliases, *names, *steps], ()),
    }


def _words(texts: Iterable[str], members: Sequence[Member]) -> str:
    """What the search of the page looks into."""
    return " ".join([*texts, *(member.path for member in members)]).lower()


def _with_code(text: str) -> Markup:
    """`text` as HTML, what stands in backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def _text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """How a content security policy names a text that may stand in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
