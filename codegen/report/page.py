"""HTML page of the report, self-contained without network access."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.member_docs import members_of
from vcontract.codegen.model import Contract, Prompt, Resource, Tool
from vcontract.codegen.report.changes import Changes
from vcontract.codegen.report.entries import entry_of_prompt, entry_of_resource, entry_of_tool

TOO_MUCH: Final = 400
"""More model tokens than one tool should take."""

_TEMPLATES: Final = Path(__file__).resolve().parents[1] / "templates" / "report"
_SHARED: Final = Path(__file__).resolve().parents[2] / "runtime" / "pages" / "templates"
"""Assets shared with the page of a running server."""


def page(contract: Contract, changes: Changes | None = None) -> str:
    """The HTML of `contract`, with what changed where that is known: a pure function of both."""
    environment = Environment(
        loader=FileSystemLoader((_TEMPLATES, _SHARED)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters["printed"] = lambda value: print_json(value).rstrip()
    environment.filters["number"] = lambda value: f"{value:,}"
    style, script = _text("report.css.jinja"), _text("report.js.jinja")
    tools = [_tool(contract, tool, changes) for tool in contract.tools]
    tokens = [tool["tokens"] for tool in tools]
    return environment.get_template("report.html.jinja").render(
        contract=contract,
        changes=changes,
        toolsets=[
            {"toolset": toolset, "tools": [each for each in tools if each["toolset"] == toolset.id]}
            for toolset in contract.toolsets
            if toolset.tools
        ],
        by_cost=sorted(tools, key=lambda tool: -tool["tokens"]),
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
                "words": _words(
                    [error.code, error.message], [asdict(member) for member in members_of(error.details)]
                ),
            }
            for error in contract.errors
        ],
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def _anchors(contract: Contract) -> dict[str, str]:
    """Anchor on the page of each subject of a change."""
    anchors = {tool.key: f"tool-{tool.key}" for tool in contract.tools}
    anchors |= {f"resource {each.name}": f"resource-{each.name}" for each in contract.resources}
    return anchors | {f"prompt {each.name}": f"prompt-{each.name}" for each in contract.prompts}


def _tool(contract: Contract, tool: Tool, changes: Changes | None) -> JsonObject:
    entry = entry_of_tool(tool)
    return entry | {
        "tool": tool,
        "errors": [contract.error(code) for code in tool.errors],
        "changes": changes.of(tool.key) if changes else (),
        "words": _words(
            [tool.key, tool.title, tool.description, *tool.aliases, *tool.errors], entry["parameters"]
        ),
    }


def _resource(resource: Resource, changes: Changes | None) -> JsonObject:
    entry = entry_of_resource(resource)
    return entry | {
        "toolset": resource.toolset,
        "changes": changes.of(f"resource {resource.name}") if changes else (),
        "words": _words(
            [resource.name, resource.title, resource.description, *resource.uris], entry["parameters"]
        ),
    }


def _prompt(prompt: Prompt, changes: Changes | None) -> JsonObject:
    entry = entry_of_prompt(prompt)
    names = [argument.name for argument in prompt.arguments]
    return entry | {
        "changes": changes.of(f"prompt {prompt.name}") if changes else (),
        "words": _words(
            [prompt.name, prompt.title, prompt.description, *prompt.aliases, *names, *entry["steps"]], ()
        ),
    }


def _words(texts: Iterable[str], members: Sequence[JsonObject]) -> str:
    """Text that the page's search covers."""
    return " ".join([*texts, *(member["path"] for member in members)]).lower()


def _text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """How a content security policy names a text that the page may contain."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
