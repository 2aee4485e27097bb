"""What a release is made of says the same everywhere, and names only what is there."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from vcontract.runtime.cli.main import app
from vcontract.runtime.contract.package import load_package
from vcontract.runtime.documents.json import JsonObject

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def document(*parts: str) -> JsonObject:
    read: JsonObject = json.loads(ROOT.joinpath(*parts).read_text())
    return read


def test_a_release_has_one_version_and_one_description() -> None:
    server = document("server.json")
    manifests = [document("plugins", "mcpb", "manifest.json"), server, *server["packages"]]
    manifests.append(document("plugins", "claude-code", ".claude-plugin", "plugin.json"))

    assert {each["version"] for each in manifests} == {PROJECT["version"]}
    assert {each["description"] for each in manifests[:2]} == {PROJECT["description"]}
    assert len(server["description"]) <= 100, "the registry of servers takes no more"


def test_the_readme_names_the_server_as_the_registry_asks() -> None:
    assert f"mcp-name: {document('server.json')['name']} " in (ROOT / "README.md").read_text()


def commands() -> list[list[str]]:
    """Every way in which a manifest starts the program: the arguments after its name."""
    hooks = document("plugins", "claude-code", "hooks", "hooks.json")["hooks"]
    entry = document("plugins", "claude-code", ".mcp.json")["mcpServers"]["vcontract"]
    bundle = document("plugins", "mcpb", "manifest.json")["server"]["mcp_config"]["args"]
    package = document("server.json")["packages"][0]["packageArguments"]
    return [
        entry["args"],
        bundle[bundle.index("vcontract") + 1 :],
        [argument.get("value") or argument["name"] for argument in package],
        *(
            shlex.split(hook["command"])[1:]
            for event in hooks.values()
            for group in event
            for hook in group["hooks"]
        ),
    ]


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_what_a_manifest_starts_is_there(arguments: list[str]) -> None:
    commands = get_command(app)
    assert isinstance(commands, TyperGroup)
    options = {name for parameter in commands.commands[arguments[0]].params for name in parameter.opts}
    assert {part for part in arguments if part.startswith("--")} <= options


def test_the_entry_point_of_the_bundle_is_there() -> None:
    assert (ROOT / document("plugins", "mcpb", "manifest.json")["server"]["entry_point"]).is_file()


@pytest.mark.parametrize("path", sorted(PLUGINS.rglob("*.md")), ids=lambda path: path.name)
def test_texts_for_models_name_only_tools_that_are_there(path: Path) -> None:
    tools = load_package().tools.keys()
    named = set(re.findall(r"`((?:memory|session|bridge|vcon)_[a-z_]+)`", path.read_text()))
    assert named <= tools


def test_skills_and_agents_have_the_head_that_their_client_reads() -> None:
    texts = [*PLUGINS.glob("*/skills/*/SKILL.md"), *PLUGINS.glob("*/agents/*.md")]
    for path in texts:
        head = re.match(r"---\nname: ([a-z-]+)\ndescription: .{40,1000}\n---\n", path.read_text())
        assert head is not None, path
        assert head[1] in (path.stem, path.parent.name)
    assert len(texts) == 2
