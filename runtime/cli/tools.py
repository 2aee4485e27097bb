"""`vcontract tools`: show the contract, without a server."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.completing import tool_names
from vcontract.runtime.cli.console import print_json, print_table
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import AsJson

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


def tools(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="TOOL", help="Show this tool in full.", autocompletion=tool_names, show_default=False
        ),
    ] = None,
    toolset: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the tools of this toolset.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the tools, or show one in full."""
    contract = load_contract()
    if name is not None:
        tool = find_tool(contract, name)
        if as_json:
            print_json(tool)
        else:
            _show(tool)
        return
    chosen = [tool for tool in contract.values() if toolset in (None, tool["toolset"])]
    if not chosen:
        known = ", ".join(sorted({tool["toolset"] for tool in contract.values()}))
        raise CommandFailed(f"unknown toolset {toolset!r}", cure=f"choose from {known}", code=ExitCode.USAGE)
    if as_json:
        print_json(
            [
                {key: tool[key] for key in ("name", "toolset", "title", "scope", "stability")}
                for tool in chosen
            ]
        )
    else:
        print_table(
            [(tool["name"], tool["toolset"], tool["scope"], tool["title"]) for tool in chosen], indent=""
        )


def load_contract() -> "Mapping[str, JsonObject]":
    """Return every tool's contract by name, in the server's order."""
    from vcontract.runtime.frame.contract.package import load_package

    package = load_package()
    return {key: package.read_contract(key) for key in package.tools}


def find_tool(contract: "Mapping[str, JsonObject]", name: str) -> "JsonObject":
    """Find a tool by name or alias.

    Raises: CommandFailed with similar names.
    """
    from vcontract.runtime.frame.documents.nearest_names import nearest_names

    by_name = {alias: tool for tool in contract.values() for alias in tool["aliases"]} | dict(contract)
    if name in by_name:
        return by_name[name]
    near = nearest_names(name, by_name, most=3)
    raise CommandFailed(
        f"unknown tool {name!r}",
        cure=(f"did you mean {' or '.join(near)}? " if near else "") + "`vcontract tools` lists them",
        code=ExitCode.USAGE,
    )


def _show(tool: "JsonObject") -> None:
    typer.echo(f"{tool['name']}: {tool['title']} (toolset {tool['toolset']}, scope {tool['scope']})\n")
    typer.echo(tool["description"] + "\n")
    properties: JsonObject = tool["inputSchema"].get("properties", {})
    required = tool["inputSchema"].get("required", [])
    if properties:
        typer.echo("Parameters")
        print_table(
            [
                (name, _type_of(schema), _default_of(schema, name in required), _first_sentence(schema))
                for name, schema in properties.items()
            ]
        )
        typer.echo()
    typer.echo(f"Errors: {', '.join(tool['errors'])}")
    if tool["aliases"]:
        typer.echo(f"Also called: {', '.join(tool['aliases'])}")
    typer.echo("Add --json for the schemas.")


def _type_of(schema: "JsonObject") -> str:
    found: JsonValue = schema.get("type", "any")
    if found == "array":
        return f"array of {_type_of(schema['items'])}" if "items" in schema else "array"
    return found if isinstance(found, str) else " or ".join(found)


def _default_of(schema: "JsonObject", is_required: bool) -> str:
    if is_required:
        return "required"
    return f"= {json.dumps(schema['default'])}" if "default" in schema else ""


def _first_sentence(schema: "JsonObject") -> str:
    return str(schema.get("description", "")).partition(". ")[0].rstrip(".")
