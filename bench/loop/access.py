"""The kinds of access that a model may have to the conversations."""

import json
import os
import shlex
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from bench.loop.material import Workplace
from bench.subject import COMMAND
from vcontract.runtime.frame.documents.json import JsonObject

CALLS: Final = "calls"
ACCESSES: Final = ("recall", "contract", "text", CALLS)
"""Every tool of the toolset `contract`; the same without `vcon_recall`; shell commands over text files; and
every tool over vCons."""
SHELL: Final = "sh"
_COMMANDS: Final = frozenset("cat cut grep head ls sed sort tail uniq wc".split())
_UNSAFE: Final = ("-i", "--in-place", "-o/", "--output")
_TEXT_GREETING: Final = (
    'Tool sh: {"command": "..."} runs a command in a folder of conversations, a text file each, whose first'
    " line has date, subject and people; each further line is a turn. Allowed, also in a pipe: "
    + ", ".join(sorted(_COMMANDS))
    + ". Paths are relative to the folder."
)


class Access(Protocol):
    """What a model may call."""

    async def greeting(self) -> str:
        """What the model reads before its first call: instructions and tools."""
        ...

    async def call(self, tool: str, arguments: JsonObject) -> str:
        """The text that a call returns; an error is text as well."""
        ...


@asynccontextmanager
async def open_access(name: str, place: Workplace) -> AsyncGenerator[Access]:
    """One of `ACCESSES`, over the material of a workplace."""
    if name == "text":
        yield TextAccess(place.text)
        return
    ours = {key: value for key, value in os.environ.items() if not key.startswith("VCONTRACT_")}
    environment = {
        **ours,
        "VCONTRACT_DATA_DIR": str(place.store),
        "VCONTRACT_LOG_LEVEL": "error",
        "VCONTRACT_RATE_LIMITS": "off",
        "VCONTRACT_EXCLUDE_TOOLS": "vcon_recall" if name == "contract" else "",
    }
    toolsets = "contract,vcon,vcon_more" if name == CALLS else "contract"
    server = StdioServerParameters(
        command=str(COMMAND), args=["serve", "--toolsets", toolsets], env=environment
    )
    async with Client(server) as client:
        yield McpAccess(client)


class McpAccess:
    """The tools of a server, called as any client calls them."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def greeting(self) -> str:
        """The server's instructions, and a line for each tool."""
        tools = (await self._client.list_tools()).tools
        shown = [
            {"name": one.name, "description": one.description, "inputSchema": one.input_schema}
            for one in tools
        ]
        lines = (json.dumps(one, ensure_ascii=False) for one in shown)
        return "\n".join([self._client.instructions or "", *lines])

    async def call(self, tool: str, arguments: JsonObject) -> str:
        """The text blocks of the result, or the error of a tool that is not served."""
        try:
            result = await self._client.call_tool(tool, arguments)
        except MCPError as error:
            return str(error)
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


class TextAccess:
    """Commands that read text files below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def greeting(self) -> str:
        """How commands are run."""
        return _TEXT_GREETING

    async def call(self, tool: str, arguments: JsonObject) -> str:
        """What the command prints, or why it is not run."""
        command = arguments.get("command")
        if tool != SHELL or not isinstance(command, str):
            return _TEXT_GREETING
        try:
            stages = _stages(command)
        except ValueError as error:
            return f"{error}. {_TEXT_GREETING}"
        return self._run(stages)

    def _run(self, stages: list[list[str]]) -> str:
        output, said = b"", b""
        for stage in stages:
            done = subprocess.run(  # noqa: S603  (one of the commands above, reading below the folder)
                stage, input=output, cwd=self._folder, capture_output=True, check=False
            )
            output, said = done.stdout, said + done.stderr
        return (output + said).decode("utf-8", "replace").rstrip("\n")


def _stages(command: str) -> list[list[str]]:
    """The commands of a pipe, each with its arguments. Wildcards are those of `grep -r --include`.

    Raises: ValueError, for what is not allowed.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split = True
    stages: list[list[str]] = [[]]
    for token in lexer:
        if token == "|":  # noqa: S105  (no password)
            stages.append([])
        elif token and set(token) <= set("|;&<>"):
            raise ValueError(f"{token} is not allowed")
        else:
            stages[-1].append(token)
    for stage in stages:
        if not stage or stage[0] not in _COMMANDS:
            raise ValueError(f"{stage[0] if stage else 'an empty command'} is not allowed")
        for word in stage[1:]:
            if word.startswith(("/", *_UNSAFE)) or ".." in Path(word).parts:
                raise ValueError(f"{word} is not allowed")
        if stage[0] == "sed":
            stage.insert(1, "--sandbox")
    return stages
