"""What goes over the wire: stdout is protocol only, bad lines do no harm, and the list never changes."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonObject

Wire = Any
Serving = Callable[..., Any]

SECRET = "Rumpelstiltskin"  # noqa: S105 - a word of a conversation


async def test_two_servers_list_the_same_bytes_and_share_one_database(serving: Serving) -> None:
    lists: list[bytes] = []
    digests: list[str] = []
    async with serving() as first, serving() as second:
        for wire in (first, second):
            number = wire.send("tools/list")
            await wire.answer(number)
            lists += [line for line in wire.lines if json.loads(line).get("id") == number]
            digests.append((await wire.call("vcon_capabilities"))["item"]["contract"]["digest"])
        created = await first.call("create_vcon", vcon_data={"parties": [{"name": "A"}]})
        fetched = await second.call("vcon_fetch", id=created["uuid"])

    assert lists[0] == lists[1]
    assert len(lists) == 2
    assert len(lists[0]) > 10_000
    assert digests[0] == digests[1]
    assert fetched["item"]["id"] == created["uuid"]


async def test_stdout_is_json_rpc_only_and_stderr_is_json_lines_without_what_was_said(
    serving: Serving,
) -> None:
    word = f"w{uuid.uuid4().hex}"
    async with serving(log_level="debug", rate_limits="search=3") as wire:
        created = await wire.call(
            "create_vcon",
            vcon_data={
                "subject": f"{SECRET} {word}",
                "parties": [{"name": SECRET, "tel": "+1-555-765-4321"}],
                "dialog": [{"type": SECRET, "body": SECRET}],
                SECRET: SECRET,
            },
            metadata={"tags": {SECRET: SECRET}},
            validate_before_insert=False,
        )
        assert created["success"], created
        refused = await wire.call("create_vcon", vcon_data={"parties": [{"name": SECRET}], "vcon": SECRET})
        assert not refused["success"]
        await wire.call("vcon_fetch", id=created["uuid"], include=["core", "dialog"])
        await wire.call("vcon_fetch", id=SECRET, include=[SECRET])
        for query in (SECRET, f"{SECRET} -{SECRET}", f'"{SECRET}', f"{SECRET}s", SECRET):
            answer = await wire.call("vcon_search", mode="keyword", query=query, filters={"subject": SECRET})
        assert answer["error"]["code"] == "RATE_LIMIT_EXCEEDED"
        await wire.request("tools/call", {"name": SECRET, "arguments": {SECRET: SECRET}})
        await wire.request("tools/call", {"name": "vcon_fetch", "arguments": [SECRET]})
        await wire.request(SECRET, {SECRET: SECRET})
        await wire.request("prompts/get", {"name": SECRET})
        await wire.request("resources/read", {"uri": f"file:///{SECRET}"})
        wire.write(f'{{"{SECRET}": '.encode())
        wire.write(json.dumps({"jsonrpc": "2.0", "id": 77, "method": 5, "params": SECRET}).encode())
        wire.notify("notifications/cancelled", {"requestId": SECRET, "reason": SECRET})
        wire.notify(f"notifications/{SECRET}", {SECRET: SECRET})
        await wire.call("vcon_capabilities")
        errors = await wire.leave()

    assert wire.process.returncode == 0
    for line in wire.lines:
        message: JsonObject = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert line.endswith(b"}\n")
        assert ("result" in message) is not ("error" in message)
    logged = [json.loads(line) for line in errors.splitlines()]
    assert all({"time", "level", "logger", "event"} <= entry.keys() for entry in logged)
    calls = [entry for entry in logged if entry["event"] == "call"]
    assert {entry["tool"] for entry in calls} == {
        "create_vcon",
        "vcon_fetch",
        "vcon_search",
        "vcon_capabilities",
    }
    assert all(entry["correlation_id"] for entry in calls)
    assert SECRET.lower() not in errors.decode().lower()
    assert word not in errors.decode()
    assert "4321" not in errors.decode()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"no json",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"',
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe\x00",
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": null, "method": null}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b'{"jsonrpc": "2.0", "id": 5000, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 5000, "error": {"code": 1, "message": "x"}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99999}}',
    ],
)
async def test_a_bad_line_does_no_harm(wire: Wire, line: bytes) -> None:
    wire.write(line)

    assert (await wire.call("vcon_capabilities"))["ok"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 5},
        {"name": "vcon_capabilities", "arguments": []},
        {"name": "vcon_capabilities", "arguments": "x"},
        {"name": None, "arguments": {}},
        {"name": "", "arguments": {}},
        {"name": "x" * 10_000, "arguments": {}},
        {"name": "vcon_search; drop table", "arguments": {}},
    ],
)
async def test_a_call_that_is_none_is_an_error_of_the_protocol(wire: Wire, params: JsonObject) -> None:
    answer = await wire.request("tools/call", params)

    assert answer["error"]["code"] == -32602
    assert (await wire.call("vcon_capabilities"))["ok"]


@pytest.mark.parametrize("arguments", [None, {}])
async def test_arguments_may_be_left_out(wire: Wire, arguments: JsonObject | None) -> None:
    params: JsonObject = {"name": "vcon_capabilities"} | (
        {} if arguments is None else {"arguments": arguments}
    )

    answer = await wire.request("tools/call", params)

    assert answer["result"]["isError"] is False


@pytest.mark.parametrize("cursor", ["2", "b3BhcXVl", ""])
async def test_an_unknown_cursor_of_the_list_is_an_error_of_the_protocol(wire: Wire, cursor: str) -> None:
    answer = await wire.request("tools/list", {"cursor": cursor})

    assert answer["error"]["code"] == -32602


async def test_numbers_and_text_arrive_exactly_as_they_were_sent(wire: Wire) -> None:
    id_ = str(uuid.uuid4())
    odd: JsonObject = {
        "name": "Zoë \u2028\u2029 💸 \\u0041 </script>",
        "big": 123456789012345678901234567890,
        "small": 1e-7,
        "negative": -0.5,
        "empty": {},
        "none": None,
        "deep": [[[["x"]]]],
    }
    vcon = {"uuid": id_, "parties": [odd]}

    created = await wire.call("create_vcon", vcon_data=vcon, validate_before_insert=False)
    got = await wire.call("get_vcon", uuid=id_)

    assert created["success"], created
    assert got["vcon"]["parties"] == [odd]


@pytest.mark.parametrize("name", ["Zoë", "\\u005ao"], ids=["plain", "escaped"])
async def test_numbers_come_back_in_the_characters_they_were_sent_in(wire: Wire, name: str) -> None:
    numbers = "[1.50,1e5,1e-400,-0,3.141592653589793238462643383279,12345678901234567890]"
    vcon = f'{{"parties": [{{"name": "{name}", "meta": {numbers}}}]}}'
    arguments = f'{{"vcon_data": {vcon}, "validate_before_insert": false}}'
    number = wire.reserve()
    wire.write(
        f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call",'
        f' "params": {{"name": "create_vcon", "arguments": {arguments}}}}}'.encode()
    )
    created = (await wire.answer(number))["result"]["structuredContent"]
    assert created["success"], created

    got = await wire.request("tools/call", {"name": "get_vcon", "arguments": {"uuid": created["uuid"]}})

    assert f'"meta":{numbers}' in got["result"]["content"][0]["text"]


async def test_a_vcon_of_some_megabytes_goes_in_and_out(wire: Wire) -> None:
    sound = {"type": "recording", "start": "2025-01-01T00:00:00Z", "parties": 0, "duration": 1}
    dialog = [{**sound, "mediatype": "audio/x-wav", "encoding": "base64url", "body": "A" * 4_000_000}]
    created = await wire.call("create_vcon", vcon_data={"parties": [{"name": "A"}], "dialog": dialog})

    got = await wire.call("get_vcon", uuid=created["uuid"])

    assert got["vcon"]["dialog"] == dialog
