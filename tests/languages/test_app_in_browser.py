"""Views inside a chat in a real browser, in the frame of a host that a script plays."""

import json

import pytest

from tests.languages.conftest import InChromium
from vcontract.codegen.documents import JsonObject
from vcontract.runtime.pages.apps import render_app

HOSTILE = "<script>alert(1)</script><img src=http://elsewhere.example/x onerror=alert(2)>\u202eabc"
UUID = "01900000-0000-8000-8000-000000000001"
ITEM: JsonObject = {
    "id": UUID,
    "uuid": UUID,
    "created_at": "2024-01-01T10:00:00Z",
    "subject": f"Kettle {HOSTILE}",
    "parties": [{"name": "Ann", "role": "agent"}, {"name": HOSTILE}],
    "tags": {"mood": HOSTILE},
    "summary": [{"analysis_index": 0, "text": f"About a kettle. {HOSTILE}"}],
}
HIT: JsonObject = {
    "content_type": "dialog",
    "content_index": 2,
    "snippet": f"I want a <mark>refund</mark> {HOSTILE}",
    "score": 0.5,
}
FOUND: JsonObject = {
    "ok": True,
    "items": [{**ITEM, "match": {"strength": "strong", "hits": [HIT]}}],
    "page": {"next_cursor": "b3BhcXVl", "count": 1, "has_more": True, "total": 17},
}
FETCHED: JsonObject = {"ok": True, "item": {**ITEM, "transcript": {"source": "dialog", "text": "Ann: Yes."}}}
FURTHER: JsonObject = {
    "ok": True,
    "item": {"id": UUID, "turns": [{"turn": 1, "speaker": "Ann", "text": "Nothing more was said."}]},
    "meta": {"total_turns": 2},
}
SPOKEN: JsonObject = {
    "ok": True,
    "item": {**ITEM, "turns": [{"turn": 0, "speaker": "Ann", "text": f"No. {HOSTILE}"}]},
    "meta": {"total_turns": 2},
}
VCON: JsonObject = {
    "success": True,
    "vcon": {
        **{name: ITEM[name] for name in ("uuid", "created_at", "subject", "parties")},
        "dialog": [
            {"type": "text", "start": "2024-01-01T10:00:00Z", "parties": [0], "body": f"Yes. {HOSTILE}"}
        ],
    },
    "metadata": {"tags": {"mood": "glad"}},
}
BRIEF: JsonObject = {"ok": True, "item": ITEM}
LONG: JsonObject = {
    **VCON,
    "vcon": {
        **VCON["vcon"],
        "dialog": [{**VCON["vcon"]["dialog"][0], "body": f"Turn {number}."} for number in range(250)],
    },
}
COUNTED: JsonObject = {
    "ok": True,
    "item": {
        "nodes": [
            {"id": "role:agent", "type": "party_role", "label": f"agent {HOSTILE}", "count": 4},
            {"id": "tag:mood", "type": "tag_key", "label": "mood", "count": 2},
        ],
        "edges": [{"source": "role:agent", "target": "tag:mood", "strength": 1.0, "joint_count": 2}],
        "corpus": {"vcons": 5},
    },
}
RECALLED: JsonObject = {
    "ok": True,
    "items": [
        {
            "id": UUID,
            "kind": "conversation",
            "at": "2024-01-01T10:00:00Z",
            "subject": f"Kettle {HOSTILE}",
            "people": ["Ann", HOSTILE],
            "hits": 1,
            "turns": [
                {"turn": 2, "speaker": "Ann", "at": "2024-01-01T10:00:00Z", "text": f"42.50. {HOSTILE}"},
                {"part": "summary", "text": f"The refund is 42.50. {HOSTILE}"},
            ],
        }
    ],
    "page": {"next_cursor": "2", "count": 1, "has_more": True},
    "meta": {
        "answerable": "likely",
        "matching": 4,
        "hints": [{"reason": "value_not_seen", "message": f"No conversation matches speaker {HOSTILE}."}],
        "never_said": [f"zeppelin {HOSTILE}"],
    },
}
REFUSED: JsonObject = {"ok": False, "error": {"code": "NOT_FOUND", "message": f"There is none. {HOSTILE}"}}


@pytest.mark.parametrize(
    ("view", "answer", "follow", "shown"),
    [
        (
            "search",
            FOUND,
            "",
            ["1 of 17 conversations", "I want a refund", "Ann (agent), ", "strong", "Next page"],
        ),
        ("search", FOUND, "Kettle", ["Ann: Yes.", "About a kettle."]),
        (
            "evidence",
            RECALLED,
            "",
            [
                "An answer is likely here.",
                "No conversation matches speaker",
                "Said nowhere: zeppelin",
                "Turn 2",
                "The refund is 42.50.",
                "Next page",
            ],
        ),
        ("evidence", RECALLED, "Kettle", ["Ann: Yes.", "Back"]),
        ("conversation", FETCHED, "", ["Kettle", "Ann (agent)", "About a kettle.", "Ann: Yes."]),
        ("conversation", SPOKEN, "", ["No. <script>", "Further turns (1)"]),
        ("conversation", SPOKEN, "Further turns (1)", ["No. <script>", "Nothing more was said."]),
        ("conversation", VCON, "", ["Kettle", "mood=glad", "Yes. <script>"]),
        ("conversation", BRIEF, "What was said", ["Ann: Yes.", "Back"]),
        ("conversation", LONG, "", ["Turn 99.", "Further turns (150)"]),
        ("conversation", LONG, "Further turns (150)", ["Turn 0.", "Turn 199.", "Further turns (50)"]),
        ("conversation", REFUSED, "", ["There is none. <script>"]),
        ("graph", COUNTED, "", ["5 conversations", "Party role", "mood (2)"]),
    ],
    ids=[
        "hits",
        "a hit opened",
        "evidence",
        "evidence opened",
        "fetched",
        "spoken",
        "spoken further",
        "whole",
        "brief",
        "long",
        "longer",
        "refused",
        "counted",
    ],
)
def test_a_view_shows_what_the_host_tells_it_and_nothing_in_it_acts(
    in_chromium: InChromium, view: str, answer: JsonObject, follow: str, shown: list[str]
) -> None:
    asked = {
        "html": render_app(view),
        "input": {"mode": "keyword", "query": "refund"},
        "result": {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer},
        "answers": {
            "vcon_fetch": {
                "content": [{"type": "text", "text": json.dumps(FURTHER if answer is SPOKEN else FETCHED)}]
            }
        },
        "follow": follow,
    }

    seen: JsonObject = in_chromium("app.mjs", asked)
    assert (seen["messages"], seen["elsewhere"], seen["scripts"]) == ([], [], 0)
    assert [words for words in shown if words not in seen["second"]] == []
    assert "Turn 200." not in seen["second"]
    assert "\u202e" not in seen["first"] + seen["second"]
    methods = [message["method"] for message in seen["said"] if "method" in message]
    assert methods[:2] == ["ui/initialize", "ui/notifications/initialized"]
    assert "ui/notifications/size-changed" in methods
    calls = [message["params"] for message in seen["said"] if message.get("method") == "tools/call"]
    assert [(call["name"], call["arguments"]["id"]) for call in calls] == (
        [("vcon_fetch", UUID)] if follow in ("Kettle", "What was said", "Further turns (1)") else []
    )
