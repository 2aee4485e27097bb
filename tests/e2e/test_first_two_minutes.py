"""A stranger's first two minutes: an export of one's own chats, a client, a question, an answer."""

import json
import zipfile
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.e2e.conftest import Environment, command
from vcontract.runtime.frame.documents.json import JsonObject

MESSAGES = {
    "a": ("user", "Which boiler did we settle on for the cottage?"),
    "b": ("assistant", "The Vaillant with the heat pump, because of the subsidy."),
}


def an_export(path: Path) -> Path:
    """What ChatGPT sends: a zip with one's chats, and things beside them."""
    nodes: JsonObject = {}
    for (name, (role, text)), parent in zip(MESSAGES.items(), (None, "a"), strict=True):
        message = {
            "id": name,
            "author": {"role": role},
            "create_time": 1_735_689_600,
            "content": {"content_type": "text", "parts": [text]},
        }
        nodes[name] = {"id": name, "parent": parent, "children": [], "message": message}
    chat = {
        "title": "Heating",
        "create_time": 1_735_689_600,
        "conversation_id": "c",
        "mapping": nodes,
        "current_node": "b",
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([chat]))
        archive.writestr("user.json", '{"id": "u"}')
    return path


async def test_ones_own_chats_are_asked_in_three_commands(no_store: Environment, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = {name: value for name, value in no_store.items() if name.startswith("VCONTRACT_")}
    environment = {"HOME": str(home), "PATH": "", **settings}  # and nothing else is there

    code, reported, trouble = await command(environment, "import", str(an_export(tmp_path / "export.zip")))
    assert (code, "created  1" in reported) == (0, True), trouble
    code, found, trouble = await command(environment, "search", "boiler", "cottage")
    assert (code, "Heating" in found) == (0, True), trouble
    code, reported, trouble = await command(environment, "connect", "cursor", "--read-only", "--yes")
    assert code == 0, trouble

    # as the client reads it
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["vcontract"]
    server = StdioServerParameters(command=entry["command"], args=entry["args"], env=environment)
    async with Client(server) as client:
        result = await client.call_tool("vcon_search", {"mode": "keyword", "query": "boiler subsidy"})
    assert result.structured_content is not None
    (item,) = result.structured_content["items"]
    assert item["subject"] == "Heating"
