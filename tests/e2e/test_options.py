"""What `vcontract serve` serves, by its options and settings."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Environment, command
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject

Serving = Callable[..., Any]

PACKAGE = load_package()
DEFAULT = {toolset.id for toolset in PACKAGE.toolsets if toolset.default_on}
TOOLS = [tool for tool in PACKAGE.tools.values() if tool.toolset in DEFAULT]
WRITES = {tool.name for tool in TOOLS if tool.scope == "write"}
READS = {tool.name for tool in TOOLS} - WRITES


async def listed(wire: Any) -> dict[str, JsonObject]:
    answer = await wire.request("tools/list")
    return {tool["name"]: tool for tool in answer["result"]["tools"]}


async def test_excluded_tools_are_unknown(serving: Serving) -> None:
    async with serving("--exclude-tools", "delete_vcon, vcon_fetch") as wire:
        tools = await listed(wire)
        refused = await wire.request("tools/call", {"name": "delete_vcon", "arguments": {}})

    assert set(tools) == (READS | WRITES) - {"delete_vcon", "vcon_fetch"}
    assert refused["error"]["code"] == -32602


async def test_only_the_named_tools_are_served_and_an_option_goes_before_its_setting(
    serving: Serving,
) -> None:
    async with serving("--tools", "get_vcon,create_vcon", tools="get_schema", toolsets="vcon") as wire:
        tools = await listed(wire)
        refused = await wire.request("tools/call", {"name": "get_schema", "arguments": {}})

    assert set(tools) == {"get_vcon", "create_vcon"}
    assert refused["error"]["code"] == -32602


async def test_read_only_serves_nothing_that_writes_whatever_else_is_asked(serving: Serving) -> None:
    async with serving(
        "--read-only", "--tools", "create_vcon,vcon_capabilities", "--toolsets", "all"
    ) as wire:
        tools = await listed(wire)
        written = await wire.call("create_vcon", vcon_data={"parties": [{"name": "A"}]})
        able = (await wire.call("vcon_capabilities"))["item"]

    assert set(tools) == {"vcon_capabilities"}
    assert written["error_code"] == "PERMISSION_DENIED"
    assert written["details"] == {"required_scope": "write", "reason": "read_only"}
    assert able["access"]["read_only"] is True
    assert "write" not in able["access"]["scopes"]


async def test_what_was_imported_for_a_tenant_is_read_by_a_server_of_that_tenant_alone(
    serving: Serving, own_store: Environment, tmp_path: Path
) -> None:
    (tmp_path / "call.json").write_text(
        '{"vcon": "0.4.0", "subject": "A boiler", "parties": [{"name": "Ann"}]}'
    )
    code, _, reported = await command(own_store, "import", str(tmp_path / "call.json"), "--tenant", "acme")
    assert code == 0, reported
    found: list[list[str]] = []

    for options in (("--tenant", "acme"), ()):
        folder = Path(own_store["VCONTRACT_DATA_DIR"])
        async with serving(*options, folder=folder, embedding_provider="none") as wire:
            items = (await wire.call("vcon_search", mode="metadata"))["items"]
        found.append([item["subject"] for item in items])

    assert found == [["A boiler"], []]


async def test_calls_over_the_rate_limit_are_refused_with_the_time_to_wait(serving: Serving) -> None:
    async with serving(rate_limits="search=2") as wire:
        searches = [await wire.call("vcon_search", mode="metadata", limit=1) for _ in range(3)]
        limits = (await wire.call("vcon_capabilities"))["item"]["rate_limits"]
        # refused arguments count, too: a client that errs in a loop is a client in a loop
        allowed: int = limits["create"]["limit"]
        creates = [await wire.call("create_vcon", vcon_data={}) for _ in range(allowed + 1)]

    assert [answer["ok"] for answer in searches] == [True, True, False]
    error = searches[2]["error"]
    assert error["code"] == "RATE_LIMIT_EXCEEDED"
    wait = error["details"].pop("retry_after_ms")
    assert error["details"] == {"class": "search", "limit": 2, "window_seconds": 60}
    assert 0 < wait <= 60_000
    codes = [answer["error_code"] for answer in creates]
    assert codes == ["VALIDATION_ERROR"] * allowed + ["RATE_LIMIT_EXCEEDED"]


@pytest.mark.parametrize(
    ("options", "settings", "named"),
    [
        (("--tools", "vcon_serch"), {}, "vcon_serch"),
        (("--nonsense",), {}, "--nonsense"),
        ((), {"log_level": "loud"}, "log_level"),
    ],
)
async def test_a_wrong_option_ends_the_command_with_its_name_and_nothing_on_stdout(
    serving: Serving, options: tuple[str, ...], settings: dict[str, str], named: str
) -> None:
    async with serving(*options, handshake=False, **settings) as wire:
        errors: bytes = await wire.leave()

    assert wire.process.returncode == 2
    assert wire.lines == []
    assert named.lower() in errors.decode().lower()
    assert b"Traceback" not in errors


async def test_a_data_directory_that_cannot_be_made_ends_the_command_with_the_cure(serving: Serving) -> None:
    async with serving(handshake=False, data_dir=os.devnull + "/x") as wire:
        errors: bytes = await wire.leave()

    assert wire.process.returncode == 3
    assert b"VCONTRACT_DATA_DIR" in errors
    assert b"Traceback" not in errors
