"""Every message of an export is accounted for: a turn, kept beside the turns, joined to one, or left out."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from vcontract.runtime.imports.sources import Problem
from vcontract.runtime.imports.summary import Summary

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]


def telegram() -> str:
    common = {"date": "2024-03-05T10:00:00", "from": "Ann", "from_id": "user1"}
    return json.dumps(
        {
            "name": "Bob",
            "type": "personal_chat",
            "id": 7,
            "messages": [
                {**common, "id": 1, "type": "message", "text": "Rain?"},
                {"id": 2, "type": "service", "actor": "Bob", "action": "phone_call", "text": ""},
            ],
        }
    )


def slack() -> str:
    def message(second: int, text: str, **more: object) -> object:
        return {"type": "message", "user": "U1", "ts": f"170963280{second}.000100", "text": text, **more}

    edit = {"subtype": "message_changed", "message": message(0, "Rain today?")}
    gone = {"subtype": "message_deleted", "deleted_ts": "1709632802.000100", "ts": "1709632803.000100"}
    return json.dumps([message(0, "Rain?"), message(2, "No"), {"type": "message", **edit}, gone])


VTT: Final = """WEBVTT

00:00.000 --> 00:01.000
<v Ann>Rain?

00:01.000 --> 00:02.000
<v Ann>Today, I mean.

00:02.000 --> 00:03.000
<v Ann>
"""
WHATSAPP: Final = """05/03/2024, 10:00 - Bob created group "Garden"
05/03/2024, 10:01 - Ann: Rain?
"""
MAIL: Final = """From a Tue Mar  5 10:00:00 2024
From: a@a.example
Message-ID: <1@a>
Date: Tue, 5 Mar 2024 10:00:00 +0000

Rain?

From a Tue Mar  5 10:00:00 2024
From: a@a.example
Message-ID: <1@a>
Date: Tue, 5 Mar 2024 10:00:00 +0000

Rain?
"""
SOURCES: Final = {
    "result.json": (telegram(), {"turns": 1, "kept": 1}),
    "general/2024-03-05.json": (slack(), {"turns": 1, "joined": 1, "left_out": 2}),
    "call_2024-03-05.vtt": (VTT, {"turns": 1, "joined": 1, "left_out": 1}),
    "WhatsApp Chat with Ann.txt": (WHATSAPP, {"turns": 1, "kept": 1}),
    "box.mbox": (MAIL, {"turns": 1, "left_out": 1}),
}


@pytest.mark.parametrize("name", SOURCES)
async def test_each_message_of_an_export_is_counted_by_what_became_of_it(
    name: str, run_import: RunImport, tmp_path: Path
) -> None:
    text, counts = SOURCES[name]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)

    summary, _ = await run_import(path)

    assert {each: count for each, count in summary.messages.items() if count} == counts
    assert sum(summary.left_out.values()) == counts.get("left_out", 0)
