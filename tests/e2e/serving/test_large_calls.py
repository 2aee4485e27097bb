"""Large calls over stdio: each is answered, and can be cancelled."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.e2e.conftest import Serving, Wire
from tests.waiting import until
from vcontract.runtime.frame.documents.json import JsonObject

SIZE = 33_000_000
ELEMENTS = 30_000
TAKEN = "01939c3a-6f00-8abc-9def-0123456789ab"
ADA: JsonObject = {"name": "Ada"}
PADDING = "x" * (SIZE // ELEMENTS - 100)


def many(**members: object) -> list[JsonObject]:
    """Elements that fill a vCon, with little text to search."""
    return [{**members, "meta": {"number": number, "padding": PADDING}} for number in range(ELEMENTS)]


LARGE: dict[str, Callable[[], JsonObject]] = {
    "empty dialogs": lambda: {"dialog": [{}] * ELEMENTS},
    "dialogs": lambda: {"dialog": many(type="text", body="toast")},
    "analyses": lambda: {"analysis": many(type="summary", vendor="v", body="toast")},
    "attachments": lambda: {"attachments": many(purpose="note", body="toast")},
    "parties": lambda: {"parties": many(name="Ada", mailto="ada@example.com")},
    "tags": lambda: {"attachments": [{"purpose": "tags", "encoding": "json", "body": ["a:b"] * 500_000}]},
    "members": lambda: {f"x{number}": number for number in range(200_000)},
    "values": lambda: {
        "analysis": [{"type": "x", "vendor": "v", "encoding": "json", "body": [7] * 4_000_000}]
    },
}


@pytest.fixture(scope="module")
async def server(serving: Serving) -> AsyncIterator[Wire]:
    async with serving(rate_limits="off", embedding_provider="none") as wire:
        await wire.call("create_vcon", vcon_data={"uuid": TAKEN, "parties": [ADA]})
        yield wire


@pytest.mark.parametrize("kind", LARGE)
async def test_33_mb_of_anything_are_answered(server: Wire, kind: str) -> None:
    vcon = {"uuid": TAKEN, "parties": [ADA], **LARGE[kind]()}
    large = {"name": "create_vcon", "arguments": {"vcon_data": vcon, "validate_before_insert": False}}

    answer = await server.request("tools/call", large)

    assert answer["result"]["structuredContent"]["error_code"] in ("CONFLICT", "VALIDATION_ERROR")


async def test_a_large_vcon_is_read_and_changed_as_a_small_one_is(server: Wire) -> None:
    vcon: JsonObject = {"parties": [ADA], "dialog": [{}] * 25_000}
    created = await server.call("create_vcon", vcon_data=vcon, validate_before_insert=False)
    uuid = created["uuid"]

    read = await server.call("get_vcon", uuid=uuid)
    assert len(read["vcon"]["dialog"]) == 25_000
    resource = await server.request("resources/read", {"uri": f"vcon://v1/vcons/{uuid}"})
    assert len(resource["result"]["contents"][0]["text"]) > 75_000
    changed = await server.call("update_vcon", uuid=uuid, updates={"subject": "Tea"})
    assert changed["changed"] == ["subject"]
    light = await server.call("get_vcon", uuid=uuid, include_components=["parties"])
    assert light["vcon"]["subject"] == "Tea"
    assert (await server.call("delete_vcon", uuid=uuid, confirm=True))["deleted"]["dialog"] == 25_000


async def test_a_large_line_that_is_no_message_is_answered(server: Wire) -> None:
    number = server.send("tools/call", {"name": "no_such_tool", "arguments": {"a": [0] * 30_000}})
    assert (await server.answer(number))["error"]["code"] == -32602
    number = server.send("ping", {"a": [0] * 30_000})
    assert (await server.answer(number))["result"] == {}
    before = len(server.lines)
    server.write(b'{"jsonrpc":"2.0","id":"x","params":[' + b"0," * 30_000)
    await until(lambda: len(server.lines) > before)
    assert b'"id":"x","error":{"code":-32700' in server.lines[-1]


async def test_a_large_call_can_be_cancelled(server: Wire) -> None:
    vcon: JsonObject = {"parties": [ADA], "dialog": [{"type": "text", "body": "toast"}] * 100_000}
    arguments: JsonObject = {"vcon_data": vcon, "validate_before_insert": False}
    number = server.send("tools/call", {"name": "create_vcon", "arguments": arguments})
    server.notify("notifications/cancelled", {"requestId": number})

    after = server.send("ping", {"a": [0] * 30_000})
    assert (await server.answer(after))["result"] == {}
    assert not any(b'"id":%d,' % number in line for line in server.lines)
