"""What a release is made of says the same everywhere, and names only what is there."""

import json
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from docs import conf
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
MAX_TOOL_NAME_LENGTH = 64
"""Models are called with names of tools up to this many characters."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def document(*parts: str) -> JsonObject:
    read: JsonObject = json.loads(ROOT.joinpath(*parts).read_text())
    return read


PLUGIN_MANIFESTS = [document(*path.parts) for path in sorted(PLUGINS.glob("*/.claude-plugin/plugin.json"))]


def test_a_release_has_one_version_and_one_description() -> None:
    server = document("server.json")
    manifests = [document("plugins", "mcpb", "manifest.json"), server, *server["packages"]]
    manifests += PLUGIN_MANIFESTS

    assert {each["version"] for each in manifests} == {PROJECT["version"]}
    assert {each["description"] for each in manifests[:2]} == {PROJECT["description"]}
    assert len(server["description"]) <= 100, "the registry of servers takes no more"


def test_a_release_has_one_home() -> None:
    home: str = PROJECT["urls"]["Repository"]
    owner, name = home.removeprefix("https://github.com/").split("/")
    server, bundle = document("server.json"), document("plugins", "mcpb", "manifest.json")

    named = [server["repository"]["url"], bundle["repository"]["url"]]
    named += [manifest[member] for manifest in PLUGIN_MANIFESTS for member in ("homepage", "repository")]
    assert set(named) == {home}
    assert server["name"] == f"io.github.{owner}/{name}"
    assert PROJECT["urls"]["Documentation"] == f"https://{owner}.github.io/{name}/" == conf.html_baseurl
    assert all(url.startswith(home) for key, url in PROJECT["urls"].items() if key != "Documentation")
    assert load_package().identity.website == conf.html_baseurl
    assert f"claude plugin marketplace add {owner}/{name}" in (PLUGINS / "README.md").read_text()


def test_the_marketplace_offers_each_plugin_as_it_says_of_itself() -> None:
    offered = document(".claude-plugin", "marketplace.json")["plugins"]
    said = {each["name"]: each["description"] for each in PLUGIN_MANIFESTS}
    assert {each["name"]: each["description"] for each in offered} == said
    assert all((ROOT / each["source"] / ".claude-plugin" / "plugin.json").is_file() for each in offered)


def test_the_readme_names_the_server_as_the_registry_asks() -> None:
    assert f"mcp-name: {document('server.json')['name']} " in (ROOT / "README.md").read_text()


def commands() -> list[list[str]]:
    """Every way in which a manifest starts the program: the arguments after its name."""
    entries = [json.loads(path.read_text())["mcpServers"].values() for path in PLUGINS.glob("*/.mcp.json")]
    hooks = "".join(path.read_text() for path in PLUGINS.glob("*/hooks/hooks.json"))
    bundle = document("plugins", "mcpb", "manifest.json")["server"]["mcp_config"]["args"]
    package = document("server.json")["packages"][0]["packageArguments"]
    return [
        *(entry["args"] for servers in entries for entry in servers),
        bundle[bundle.index("vcontract") + 1 :],
        [argument.get("value") or argument["name"] for argument in package],
        *(found.split() for found in re.findall(r"\bvcontract ([a-z -]+[a-z])", hooks)),
    ]


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_what_a_manifest_starts_is_there(arguments: list[str]) -> None:
    commands = get_command(app)
    assert isinstance(commands, TyperGroup)
    options = {
        name
        for parameter in commands.commands[arguments[0]].params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {part for part in arguments if part.startswith("--")} <= options


def test_a_bundle_and_a_registry_offer_to_serve_without_writing() -> None:
    bundle = document("plugins", "mcpb", "manifest.json")
    package = document("server.json")["packages"][0]
    variables = {*bundle["server"]["mcp_config"]["env"]} | {
        each["name"] for each in package["environmentVariables"]
    }

    assert {name.removeprefix("VCONTRACT_").lower() for name in variables} <= Settings.model_fields.keys()
    assert bundle["server"]["mcp_config"]["env"] == {"VCONTRACT_READ_ONLY": "${user_config.read_only}"}
    assert bundle["user_config"]["read_only"]["type"] == "boolean"
    assert "VCONTRACT_READ_ONLY" in {each["name"] for each in package["environmentVariables"]}


def served_names(arguments: list[str]) -> set[str]:
    """The tools that `serve` lists with these arguments, for every toolset where the user chooses."""
    package, given = load_package(), dict(pairwise(arguments)).get("--toolsets", "")
    every = [toolset.id for toolset in package.toolsets]
    chosen = (
        [(each,) for each in [*every, "all"]]
        if given.startswith("${")
        else [tuple(filter(None, given.split(",")))]
    )
    return {tool.name for toolsets in chosen for tool in Catalogue(package, Selection(toolsets)).served}


def clients_names() -> dict[str, set[str]]:
    """By what starts the server: its tools as Claude Code names them, in and outside a plugin."""
    names: dict[str, set[str]] = {}
    for path in sorted(PLUGINS.glob("*/.mcp.json")):
        plugin: str = document(*path.parent.parts, ".claude-plugin", "plugin.json")["name"]
        for server, entry in json.loads(path.read_text())["mcpServers"].items():
            prefixes = f"mcp__plugin_{plugin}_{server}__", f"mcp__{server}__"
            tools = served_names(entry["args"])
            names[f"{plugin} {server}"] = {prefix + tool for prefix in prefixes for tool in tools}
    bundle = document("plugins", "mcpb", "manifest.json")
    of_bundle = served_names(bundle["server"]["mcp_config"]["args"])
    names["mcpb"] = {f"mcp__{bundle['name']}__{tool}" for tool in of_bundle}
    names["connect"] = {f"mcp__vcontract__{tool}" for tool in served_names(["--toolsets", "all"])}
    return names


@pytest.mark.parametrize(("starts", "names"), clients_names().items())
def test_no_tool_has_a_longer_name_in_a_client_than_its_model_takes(starts: str, names: set[str]) -> None:
    assert names
    assert {name: len(name) for name in names if len(name) > MAX_TOOL_NAME_LENGTH} == {}, starts


def test_the_entry_point_and_the_icon_of_the_bundle_are_there() -> None:
    bundle = document("plugins", "mcpb", "manifest.json")
    assert (ROOT / bundle["server"]["entry_point"]).is_file()
    assert (PLUGINS / "mcpb" / bundle["icon"]).is_file()


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
