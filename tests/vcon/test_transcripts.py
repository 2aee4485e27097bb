"""JSON bodies become text: transcripts as `Speaker: words`, anything else by its words."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.text import body_text

PARTIES: list[JsonObject] = [{"name": "Ada"}, {"name": "Bo"}, {}]

WTF = {
    "transcript": {"text": "Hello there. Hi.", "language": "en-US", "duration": 3.5, "confidence": 0.9},
    "segments": [
        {"id": 0, "start": 0, "end": 1, "text": "Hello", "confidence": 0.9, "speaker": 0},
        {"id": 1, "start": 1, "end": 2, "text": "there.", "confidence": 0.9, "speaker": 0},
        {"id": 2, "start": 2, "end": 3, "text": "Hi.", "confidence": 0.9, "speaker": "B"},
    ],
    "speakers": {"0": {"id": 0, "label": "Ada", "total_time": 2}},
    "metadata": {"provider": "whisper", "model": "large-v3", "created_at": "2025-01-01T00:00:00Z"},
}
DEEPGRAM_WORDS = [
    {"word": "hello", "punctuated_word": "Hello.", "start": 0.1, "speaker": 0},
    {"word": "how", "punctuated_word": "How", "start": 0.2, "speaker": 1},
    {"word": "goes", "punctuated_word": "goes?", "start": 0.3, "speaker": 1},
]
DEEPGRAM_PARAGRAPHS = {
    "transcript": "\nSpeaker 0: Hello.",
    "paragraphs": [
        {"sentences": [{"text": "Hello.", "start": 0}, {"text": "Are you there?"}], "speaker": 0},
        {"sentences": [{"text": "Yes."}], "speaker": 1},
    ],
}
MCP = {
    "session_id": "s-1",
    "protocol_version": "2024-11-05",
    "client": {"name": "desk", "version": "1.0"},
    "messages": [
        {
            "id": "m1",
            "party": 0,
            "role": "user",
            "timestamp": "2025-01-01T00:00:00Z",
            "content": [{"type": "text", "text": "Find the invoice."}],
        },
        {
            "id": "m2",
            "party": 2,
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "search_files", "input": {"query": "invoice 2024"}},
                {"type": "hologram", "data": "unknown"},
            ],
        },
        {
            "id": "m3",
            "role": "tool",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "found invoice.pdf"}],
                },
            ],
        },
        {"id": "m4", "role": "assistant", "content": "Here it is."},
    ],
}
MCP_TEXT = """Ada: Find the invoice.
assistant: search_files
invoice 2024
tool: found invoice.pdf
assistant: Here it is."""
TRACE_ENTRIES = [
    {"type": "user", "id": "e1", "content": "Fix the bug."},
    {"type": "reasoning", "content": "I think about it."},
    {"type": "assistant", "dialog": 1},
    {"type": "tool-call", "name": "run", "input": {"command": "make test"}, "call-id": "c1"},
    {"type": "tool-result", "output": "3 passed", "call-id": "c1"},
    {"type": "system-event", "content": "compacted"},
    {"type": "assistant", "content": [{"type": "text", "text": "Done."}]},
]
TRACE_TEXT = "user: Fix the bug.\nrun make test\n3 passed\nassistant: Done."

SHAPES: dict[str, tuple[Any, str]] = {
    "wtf": (WTF, "Ada: Hello there.\nB: Hi."),
    "wtf without segments": ({**WTF, "segments": []}, "Hello there. Hi."),
    "wtf with a summary": (
        {**WTF, "segments": [], "enrichments": {"summary": "A greeting."}},
        "Hello there. Hi.\nA greeting.",
    ),
    "deepgram utterances": (
        {
            "results": {
                "utterances": [
                    {"speaker": 0, "transcript": "Hello.", "id": "u1"},
                    {"speaker": 1, "transcript": "Hi."},
                ]
            }
        },
        "Speaker 0: Hello.\nSpeaker 1: Hi.",
    ),
    "deepgram channels": (
        {
            "metadata": {"request_id": "r"},
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {"transcript": "Left side.", "confidence": 0.9},
                            {"transcript": "Worse guess."},
                        ]
                    },
                    {"alternatives": [{"transcript": "Right side."}]},
                ]
            },
        },
        "Left side.\nRight side.",
    ),
    "deepgram words with speakers": (
        {
            "results": {
                "channels": [{"alternatives": [{"transcript": "hello how goes", "words": DEEPGRAM_WORDS}]}]
            }
        },
        "Speaker 0: Hello.\nSpeaker 1: How goes?",
    ),
    "bare alternative": (
        {"transcript": "Hello! Thank you for calling.", "confidence": 0.99, "detected_language": "en"},
        "Hello! Thank you for calling.",
    ),
    "bare alternative with paragraphs": (
        {"transcript": "hello", "words": [], "paragraphs": DEEPGRAM_PARAGRAPHS},
        "Speaker 0: Hello. Are you there?\nSpeaker 1: Yes.",
    ),
    "alternative with other words beside it": (
        {"transcript": "Hello.", "summary": "A greeting."},
        "Hello.\nA greeting.",
    ),
    "whisper": (
        {
            "text": " Hello there.",
            "language": "en",
            "segments": [{"id": 0, "text": " Hello", "tokens": [1]}, {"id": 1, "text": " there."}],
        },
        "Hello there.",
    ),
    "whisper with speakers": (
        {
            "text": "Hello there.",
            "segments": [
                {"text": "Hello", "speaker": "SPEAKER_00"},
                {"text": "there.", "speaker": "SPEAKER_01"},
            ],
        },
        "SPEAKER_00: Hello\nSPEAKER_01: there.",
    ),
    "whole text beside utterances and words": (
        {
            "id": "t1",
            "text": "Hi. Hello.",
            "utterances": [{"speaker": "A", "text": "Hi."}, {"speaker": "B", "text": "Hello."}],
            "words": [{"text": "Hi.", "speaker": "A", "start": 0}],
            "summary": "A greeting.",
        },
        "A: Hi.\nB: Hello.\nA greeting.",
    ),
    "text beside a transcript": ({"transcript": "Hello.", "text": "Hi."}, "Hello.\nHi."),
    "speakers without words": (
        {"text": "Hello.", "segments": [{"speaker": 0}]},
        "Hello.",
    ),
    "object with a text": ({"text": "Hello.", "label": "greeting"}, "Hello.\ngreeting"),
    "whisper without its whole text": ({"text": "", "segments": [{"text": "Hello"}]}, "Hello"),
    "turns by speaker and message": (
        [{"speaker": "Agent", "message": "Hi."}, {"speaker": "Customer", "message": "Hello."}],
        "Agent: Hi.\nCustomer: Hello.",
    ),
    "turns by party": (
        [
            {"parties": 1, "text": "Hi.", "start": 0.5},
            {"parties": [0, 1], "text": "Hello."},
            {"party": 2, "text": "Who?"},
        ],
        "Bo: Hi.\nAda: Hello.\nParty 2: Who?",
    ),
    "turns by role and content": (
        [
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
        ],
        "user: Hi.\nassistant: Hello.",
    ),
    "turns by name and transcript": ([{"name": "Cy", "transcript": "Hm.", "duration": 2}], "Cy: Hm."),
    "turns with times only": ([{"start": 0, "text": "Hi."}, {"start": 1, "text": "Hello."}], "Hi. Hello."),
    "turns inside an object": (
        {"call_id": 7, "conversation": [{"speaker": 1, "message": "Hi."}], "note": "Short call."},
        "7\nSpeaker 1: Hi.\nShort call.",
    ),
    "mcp session": (MCP, MCP_TEXT),
    "agent trace": ({"session-trace": {"entries": TRACE_ENTRIES}}, TRACE_TEXT),
    "agent trace under session": ({"version": "1.0", "session": {"entries": TRACE_ENTRIES}}, TRACE_TEXT),
    "anything else": (
        {"sentiment": "very positive", "score": 0.93, "topics": ["billing", {"label": "refund"}], "ok": True},
        "very positive\nbilling\nrefund",
    ),
}


FORMS: dict[str, Callable[[Any], JsonObject]] = {
    "native": lambda body: {"body": body, "encoding": "json"},
    "native, said to be a string": lambda body: {"body": body, "encoding": "none"},
    "native, nothing said": lambda body: {"body": body},
    "text": lambda body: {"body": json.dumps(body), "encoding": "json"},
    "text, said to be a string": lambda body: {"body": json.dumps(body), "encoding": "none"},
    "text, by its mediatype": lambda body: {"body": f"  {json.dumps(body)}", "mediatype": "application/json"},
}


@sweep(("shape", "form"), product(SHAPES, FORMS))
def test_shape_becomes_this_text_in_every_form(shape: str, form: str) -> None:
    body, text = SHAPES[shape]

    assert body_text(FORMS[form](body), PARTIES) == text


def test_names_of_members_and_measures_are_not_text() -> None:
    text = body_text({"body": WTF}) + body_text({"body": {"confidence": {"confidence": 1}, "list": [1, 2]}})

    assert "confidence" not in text
    assert "0.9" not in text


SILENT = [
    {"id": "invoice-7"},
    {"uuid": "7"},
    {"request_id": "req_0123456789abcdef"},
    {"ref": "01928e10-193e-8231-b9a2-279e0d16bc46"},
    {"link": "https://example.com/a?b=c"},
    {"file": "s3://bucket/key.wav"},
    {"sum": "sha512-abcdefghijklmnopqrstuvwxyz"},
    {"sum": "d41d8cd98f00b204e9800998ecf8427e"},
    {"key": "AKfycbx3kQ9dZ1mN0pQrStUvWxYz"},
    {"at": "2025-10-14T10:30:00Z"},
    {"at": "2025-10-14 10:30:00"},
    {"day": "2025-10-14"},
    {"begin": "00:01:02.500"},
    {"signature": "short"},
    {"id": 7},
    {"confidence": 0.9, "start": 3, "duration_ms": 1200, "created_at": 1760437800},
    {"embedding": [0.12, 0.5, 3] * 7, "share": 0.123456, "exact": True},
    {"language": "en"},
    {"blank": "  "},
]
HEARD = [
    {"customer_id": "CUST-12345"},
    {"order": "A-77"},
    {"phone": "+15551234567"},
    {"mail": "a@b.co"},
    {"extension": "2212"},
    {"code": "C++"},
    {"note": "see https://example.com/a today"},
    {"word": "internationalization-of-everything"},
]


@pytest.mark.parametrize("body", SILENT)
def test_ids_addresses_hashes_and_times_are_not_text(body: JsonObject) -> None:
    assert body_text({"body": body}) == ""


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"order_id": 998877665}', "998877665"),
        (
            '{"total": 49.90, "items": [12, 7.5], "big": 12345678901234567890123}',
            "49.90\n12\n7.5\n12345678901234567890123",
        ),
    ],
)
def test_numbers_people_look_for_are_text_as_they_were_written(body: str, text: str) -> None:
    assert body_text({"body": body, "encoding": "json"}) == text


@pytest.mark.parametrize("body", HEARD)
def test_what_strings_people_look_for_is_text(body: JsonObject) -> None:
    assert body_text({"body": body}) == next(iter(body.values()))
