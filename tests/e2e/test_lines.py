"""Lines of any kind on stdin: none ends the server or leaves it mute.

The lines are the same each time; `make fuzz` makes others, of the seed that it prints.
"""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

from tests.conftest import PATIENCE
from tests.effort import SEED, examples
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

Wire = Any
Serving = Callable[..., Any]

LINES = examples(3_000)

IDS = [
    *("7", "-1", "0", "1e400", "NaN", "Infinity", "1.5", "2.0", "true", "false", "null", "[]", "{}", "[1]"),
    *('""', '"a b"', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\xff"', '"7"'),
    *("9" * 19, "9" * 400, "9" * 5_000, f'"{"9" * 5_000}"', '"' + "x" * 5_000 + '"', "[" * 500 + "]" * 500),
]
METHODS = [
    *('"ping"', '"ping"', '"tools/call"', '"resources/read"', '"prompts/get"', '"completion/complete"'),
    *('"notifications/cancelled"', '"notifications/progress"', '"notifications/initialized"', '"nothing"'),
    *('""', "5", "null", "[]", '"\\ud800"', '"logging/setLevel"', '"initialize"', '"' + "m" * 3_000 + '"'),
]
PARAMS = [
    *("{}", "[]", "null", '"x"', "7", "{", "", "[" * 300 + "]" * 300, "[" * 3_000 + "]" * 3_000),
    *('{"requestId": []}', '{"requestId": {}}', '{"requestId": null}', '{"requestId": "\\ud800"}'),
    *('{"requestId": 1e400}', '{"requestId": "gone"}', '{"progressToken": [], "progress": "x"}'),
    *('{"_meta": {"progressToken": {}}}', '{"_meta": []}', '{"_meta": {"progressToken": true}}'),
    *(
        '{"name": "describe_response_shape"}',
        '{"name": 5}',
        '{"name": "vcon_fetch", "arguments": {"id": NaN}}',
    ),
    *('{"name": "vcon_fetch", "arguments": {"id": "\\ud800"}}', '{"name": "get_tag", "arguments": []}'),
    *('{"name": "\\u0000"}', '{"uri": "vcon://v1/%ff"}', '{"uri": "\\u0000"}', '{"uri": []}'),
    *('{"protocolVersion": 5}', '{"name": "vcon_fetch", "arguments": {"id": "caf\xe9"}}'),
]
MEMBERS = ['"jsonrpc": "2.0"', '"jsonrpc": "1.0"', '"result": {}', '"error": {}', '"id": 1', '"x": [[]]', ""]


def lines(rng: random.Random) -> list[bytes]:
    """Messages with members that are right or wrong, whole or spoilt; a line has no line break."""
    return [spoilt(message(rng, number), rng).replace(b"\n", b"") for number in range(LINES)]


def message(rng: random.Random, number: int) -> bytes:
    id_ = rng.choice(IDS) if rng.random() < 0.5 else f'"request {number}"'
    parts = ['"jsonrpc": "2.0"', f'"id": {id_}', f'"method": {rng.choice(METHODS)}']
    if rng.random() < 0.6:
        parts.append(f'"params": {rng.choice(PARAMS)}')
    if rng.random() < 0.2:
        parts[rng.randrange(len(parts))] = rng.choice(MEMBERS)
    if rng.random() < 0.3:
        rng.shuffle(parts)
    return ("{" + ", ".join(parts) + "}").encode("latin-1")


def spoilt(line: bytes, rng: random.Random) -> bytes:
    """The line, or one with bytes of it changed, or other bytes in its place."""
    kind = rng.random()
    if kind < 0.65:
        return line
    if kind < 0.7:
        return rng.randbytes(rng.randrange(200))
    changed = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(changed))
        changed[place : place + rng.randrange(3)] = rng.choice(
            [b"", b"\0", b"\xff", b'"', b"{", b"\r", b"\xe2\x80\xa8"]
        )
        changed = changed or bytearray(b"{")
    return bytes(changed)


def request_in(line: bytes) -> JsonValue:
    """The id of a well-formed request; None when the line is none."""
    try:
        text = line.decode()
        document: JsonObject = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()
        well_formed = document["jsonrpc"] == "2.0" and isinstance(document["method"], str)
        params = document.get("params")
        id_ = document["id"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    if not well_formed or isinstance(id_, bool) or not isinstance(params, dict | None):
        return None
    return id_ if isinstance(id_, str | int) else None


async def test_no_line_ends_the_server_or_leaves_it_mute(serving: Serving) -> None:
    sent = lines(random.Random(SEED))  # noqa: S311 - guards no secret
    requests = {id_ for id_ in map(request_in, sent) if id_ is not None}
    assert len(requests) > LINES / 10

    async with serving(rate_limits="off") as wire:
        for line in sent:
            wire.write(line)
            await wire.process.stdin.drain()
        await wire.request("ping")
        async with asyncio.timeout(PATIENCE):
            while not requests <= (answered := {json.loads(line).get("id") for line in wire.lines}):
                missing = requests - answered
                assert (await wire.request("ping"))["result"] == {}, (SEED, missing)
        await wire.leave()

    assert wire.process.returncode == 0, SEED
    for line in wire.lines:
        answer = json.loads(line)
        assert answer["jsonrpc"] == "2.0", SEED
        assert "id" in answer or answer["method"] == "notifications/message", SEED
