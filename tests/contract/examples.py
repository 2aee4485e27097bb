"""The examples of calls that the tools of the spec declare."""

from functools import cache
from importlib import resources
from typing import Any

from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.contract.registry import Tool
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.spec_files import read_yaml

PACKAGE = load_package()


@cache
def examples() -> tuple[tuple[str, JsonObject], ...]:
    """`(tool, example)` of every tool of the spec."""
    found: list[tuple[str, JsonObject]] = []
    folder = resources.files("vcontract.spec").joinpath("tools")
    for toolset in sorted(folder.iterdir(), key=lambda entry: entry.name):
        for file in sorted(toolset.iterdir(), key=lambda entry: entry.name):
            tool = read_yaml(file.read_text(encoding="utf-8"))
            key = next(key for key, entry in PACKAGE.tools.items() if _is(entry, tool))
            found += [(key, example) for example in tool["examples"]]
    return tuple(found)


def _is(entry: Tool[Any], tool: JsonObject) -> bool:
    return (entry.toolset, entry.name) == (tool["toolset"], tool["name"])
