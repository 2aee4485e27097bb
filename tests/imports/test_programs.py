"""Exports of other programs come in as conversations: who said what, when, and nothing is lost."""

import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from tests.growth import grows_with_its_size
from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.preparing import Ready, Rejected, prepare_document
from vcontract.runtime.imports.programs.conversation import About, FileFormat, NotRead
from vcontract.runtime.imports.programs.format_registry import FORMATS, HEAD
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import Problem, SourceFile
from vcontract.runtime.store.vcons.preparation import PrepareContext

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KNOWLEDGE = PrepareContext.load()


def come_in(
    path: Path, mapping: FileFormat | None = None, *, conform: bool = True
) -> tuple[list[JsonObject], list[Problem]]:
    """The vCons that an import of the file stores, and what it refuses; all of them conform."""
    vcons: list[JsonObject] = []
    problems: list[Problem] = []
    for reading in Reader(mapping=mapping).read(SourceFile(path, str(path), path.stat().st_size)):
        prepared = prepare_document(reading, KNOWLEDGE, NOW)
        if isinstance(prepared, Ready):
            assert not conform or prepared.vcon.conformance.violations == (), path
            vcons.append(prepared.vcon.document)
        elif isinstance(prepared, Rejected):
            problems += prepared.problems
    return vcons, problems


def said(vcon: JsonObject) -> list[tuple[str, str]]:
    """Who said what, in order."""
    return [(vcon["parties"][turn["originator"]]["name"], turn["body"]) for turn in vcon["dialog"]]


def a_node(
    name: str, parent: str | None, role: str, text: str, **members: JsonValue
) -> tuple[str, JsonObject]:
    message: JsonObject = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_700_000_000.5,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {"model_slug": "gpt-x"} if role == "assistant" else {},
        **members,
    }
    return name, {"id": name, "message": message if text else None, "parent": parent, "children": []}


CHATGPT: JsonObject = {
    "title": "A trip to Porto",
    "create_time": 1_700_000_000.0,
    "update_time": 1_700_000_100.0,
    "conversation_id": "c-1",
    "current_node": "d",
    "default_model_slug": "gpt-x",
    "mapping": dict(
        [
            a_node("a", None, "system", ""),
            a_node("b", "a", "user", "Where do we sleep in Porto?"),
            a_node("c", "b", "assistant", "In a tent, I suppose."),
            a_node("d", "b", "assistant", "Near the river.", recipient="all"),
        ]
    ),
}
CLAUDE: JsonObject = {
    "uuid": "11111111-2222-4333-8444-555555555555",
    "name": "Sourdough",
    "created_at": "2025-03-04T10:00:00.123456Z",
    "updated_at": "2025-03-04T10:05:00Z",
    "account": {"uuid": "a"},
    "chat_messages": [
        {
            "uuid": "m1",
            "text": "Why is my bread flat?",
            "content": [{"type": "text", "text": "Why is my bread flat?"}],
            "sender": "human",
            "created_at": "2025-03-04T10:00:00Z",
            "attachments": [{"file_name": "notes.txt", "extracted_content": "Two days in the fridge."}],
            "files": [{"file_name": "bread.jpg"}],
        },
        {
            "uuid": "m2",
            "text": "",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "text", "text": "Feed the starter."},
            ],
            "sender": "assistant",
            "created_at": "2025-03-04T10:01:00Z",
            "attachments": [],
            "files": [],
        },
    ],
}
SLACK: JsonValue = [
    {
        "type": "message",
        "user": "U1",
        "text": "The build is red, <@U2>",
        "ts": "1700000000.000100",
        "reactions": [{"name": "eyes"}],
    },
    {
        "type": "message",
        "user": "U2",
        "text": "On it",
        "ts": "1700000060.000200",
        "thread_ts": "1700000000.000100",
    },
    {
        "type": "message",
        "bot_id": "B1",
        "username": "CI",
        "text": "",
        "files": [{"name": "log.txt", "mimetype": "text/plain"}],
        "ts": "1700000070.000300",
    },
]
USERS: JsonValue = [{"id": "U1", "profile": {"real_name": "Ann Example"}}, {"id": "U2", "name": "bob"}]
DISCORD: JsonObject = {
    "guild": {"id": "1", "name": "Gardeners"},
    "channel": {"id": "2", "name": "tomatoes", "type": "GuildTextChat"},
    "messages": [
        {
            "id": "10",
            "type": "Default",
            "timestamp": "2024-05-01T08:00:00.1+00:00",
            "content": "Blight again",
            "author": {"id": "7", "name": "ann", "nickname": "Ann", "isBot": False},
            "attachments": [{"fileName": "leaf.png", "url": "https://a.example/leaf.png"}],
        },
        {
            "id": "11",
            "type": "Reply",
            "timestamp": "2024-05-01T08:05:00+00:00",
            "content": "Copper helps",
            "author": {"id": "8", "name": "helper", "isBot": True},
            "attachments": [],
            "reference": {"messageId": "10"},
        },
    ],
}
WHATSAPP = (
    "\u200e[13/02/2024, 21:05:10] Ann: \u200eMessages and calls are end-to-end encrypted.\r\n"
    "[13/02/2024, 21:06:00] Ann: Did you feed the cat?\r\nBoth cats?\r\n"
    "[14/02/2024, 07:00:01] Bob Bär: Yes\r\n[14/02/2024, 07:01:00] Ann added Cem\r\n"
)
ANDROID = "2/13/24, 9:05\u202fPM - Ann: Late\n2/14/24, 12:10\u202fAM - Bob: Later\n"
WHATSAPP_OF_PHONES: Final = {
    "English, Android, 12 hours": ("2/13/24, 9:05\u202fPM - ", "2/13/24, 9:06\u202fPM - "),
    "English, iOS, 12 hours": ("[2/13/24, 9:05:00\u202fPM] ", "\u200e[2/13/24, 9:06:00\u202fPM] "),
    "English, iOS, 24 hours": ("[13/02/2024, 21:05:00] ", "[13/02/2024, 21:06:00] "),
    "German, Android": ("13.02.24, 21:05 - ", "13.02.24, 21:06 - "),
    "German, iOS": ("[13.02.24, 21:05:00] ", "[13.02.24, 21:06:00] "),
    "Spanish, Android, 12 hours": ("13/2/24, 9:05\u00a0p.\u00a0m. - ", "13/2/24, 9:06 p. m. - "),
    "Spanish, iOS, 12 hours": ("[13/2/24, 9:05:00 p.\u00a0m.] ", "[13/2/24, 9:06:00 p. m.] "),
    "French, Android": ("13/02/2024 à 21:05 - ", "13/02/2024, 21:06 - "),
    "Portuguese, Android": ("13/02/2024 21:05 - ", "13/02/2024 21:06 - "),
    "Italian, Android": ("13/02/24, 21:05 - ", "13/02/24, 21:06 - "),
    "Dutch, Android": ("13-02-2024 21:05 - ", "13-02-2024 21:06 - "),
    "Finnish, Android": ("13.2.2024 klo 21.05 - ", "13.2.2024 klo 21.06 - "),
    "Finnish, iOS": ("[13.2.2024 klo 21.05.00] ", "[13.2.2024 klo 21.06.00] "),
    "German, iOS, 12 hours": ("[13.02.24, 9:05:00 PM] ", "[13.02.24, 9:06:00 PM] "),
    "Swedish, Android": ("2024-02-13 21:05 - ", "2024-02-13 21:06 - "),
    "Japanese, Android": ("2024/02/13 21:05 - ", "2024/02/13 21:06 - "),
    "Chinese, Android, 12 hours": ("2024/2/13 下午9:05 - ", "2024/2/13 下午9:06 - "),
    "Korean, Android": ("2024년 2월 13일 오후 9:05, ", "2024년 2월 13일 오후 9:06, "),
    "Korean, iOS": ("[2024. 2. 13. 오후 9:05:00] ", "[2024. 2. 13. 오후 9:06:00] "),
    "Arabic, Android": ("١٣/٢/٢٠٢٤، ٩:٠٥ م - ", "١٣/٢/٢٠٢٤، ٩:٠٦ م - "),
}
"""Language and phone to how each writes the beginning of two messages, a minute apart."""
SIGNAL = "[2023-01-02 10:00] Ann: Hello\n[2023-01-02 10:01] Me: Hi\n"
MAIL = b"""\
From: Ann Example <ann@a.example>
To: =?utf-8?q?B=C3=B6b?= <bob@b.example>
Cc: c@c.example
Subject: Invoice 12
Date: Tue, 05 Mar 2024 10:00:00 +0100
Message-ID: <1@a.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8

Here it is.
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename=i.pdf
Content-Transfer-Encoding: base64

JVBERg==
--b--
"""
ANSWER = b"""\
From: bob@b.example
To: ann@a.example
Subject: Re: Invoice 12
Date: Tue, 05 Mar 2024 11:00:00 +0100
Message-ID: <2@b.example>
In-Reply-To: <1@a.example>

Paid today.

On Tue, 5 Mar 2024 Ann Example wrote:
> Here it is.
"""
OTHER = b"""\
From: eve@e.example
To: ann@a.example
Subject: Lunch
Date: Wed, 06 Mar 2024 09:00:00 +0000

>From now on at one.
"""
MBOX = b"".join(b"From x@y Tue Mar  5 10:00:00 2024\n" + mail + b"\n" for mail in (MAIL, OTHER, ANSWER))
VTT = (
    "WEBVTT\n\n1\n00:00:01.000 --> 00:00:03.000\nAnn Example: Good morning.\n\n"
    "2\n00:00:03.500 --> 00:00:05.000\nAnn Example: Shall we begin?\n\n"
    "3\n00:00:06.000 --> 00:00:07.500\n<v Bob>Yes.</v>\n"
)
SRT = (
    "1\n00:00:01,000 --> 00:00:03,000\nGood morning.\n"
    "2\n00:01:03,500 --> 00:01:05,000\n<i>Shall we</i>\nbegin?\n"
)
SBV = "0:00:01.000,0:00:03.000\nGood morning.\n\n0:01:03.500,0:01:05.000\nBye.\n"
WHISPER: JsonObject = {
    "text": " Hello there. Bye.",
    "language": "en",
    "segments": [
        {"id": 0, "start": 0.0, "end": 1.5, "text": " Hello there.", "speaker": "SPEAKER_00"},
        {"id": 1, "start": 9.0, "end": 9.5, "text": " Bye.", "speaker": "SPEAKER_01"},
    ],
}
WHISPER_CPP: JsonObject = {
    "result": {"language": "en"},
    "transcription": [{"offsets": {"from": 0, "to": 1500}, "text": " Hello there."}],
}
DEEPGRAM: JsonObject = {
    "metadata": {"request_id": "r1", "created": "2024-05-01T08:00:00.000Z", "duration": 9.5},
    "results": {
        "channels": [
            {
                "alternatives": [
                    {
                        "transcript": "hello there",
                        "words": [
                            {
                                "word": "hello",
                                "punctuated_word": "Hello",
                                "start": 0.1,
                                "end": 0.4,
                                "speaker": 0,
                            },
                            {"word": "there", "start": 0.5, "end": 0.9, "speaker": 0},
                            {"word": "bye", "start": 5.0, "end": 5.4, "speaker": 1},
                        ],
                    }
                ]
            }
        ]
    },
}

ZOOM = (
    "10:01:22 From Ann Example to Everyone:\r\n\tHello\r\n\tand welcome\r\n"
    "10:02:00 From Bob to Ann Example (Direct Message):\r\n\tI am late\r\n"
)
ZOOM_CLOUD = "00:00:04\tAnn Example:\tHello\n00:01:00\tBob:\tHi: there\n"
MEET = (
    "Weekly sync (2024-07-18 at 16:06 GMT-7) - Transcript\n\n"
    "Attendees\nAnn Example, Bob Bär\n\nTranscript\n\n"
    "This editable transcript was computer generated and might contain errors.\n\n00:00:00\n\n"
    "Ann Example: Shall we begin?\n\nBob Bär: Yes.\nAt once.\n\n00:05:00\n\nAnn Example: Bye\n\n"
    "Meeting ended after 00:05:19 \U0001f44b\n"
)
TEAMS = (
    "Budget-20260615_133555-Meeting Transcript\n15 June 2026, 03:35am\n27m 42s\n\n"
    "Ann Example started transcription\n"
    "Ann Example   0:03\nLet us begin.\nWith the budget.\n"
    "Bob Bär   1:02:07\nYes.\nAnn Example stopped transcription\n"
)
TEAMS_OF_OLD = "0:0:5.100 --> 0:0:8.250\nAnn Example\nLet us begin.\n0:1:8.5 --> 0:1:9.1\nBob\nYes.\n"
CALENDAR = b"""\
BEGIN:VCALENDAR
VERSION:2.0
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0130
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:e-1
SUMMARY:Roof\\, again
DESCRIPTION:The slates on the north
  side leak.\\nBring a ladder.
DTSTART;TZID=Customized Time Zone:20240305T100000
DTEND;TZID=Customized Time Zone:20240305T113000
RRULE:FREQ=WEEKLY;COUNT=3
LOCATION:Attic
ATTENDEE;CN="Bob Bar";ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED:mailto:bob@b.example
ATTENDEE;CUTYPE=ROOM;CN=Attic:mailto:attic@a.example
ORGANIZER;CN=Ann Example:mailto:ann@a.example
X-ODD;FOO=bar:kept
BEGIN:VALARM
TRIGGER:-PT15M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:e-2
SUMMARY:Holiday
DTSTART;VALUE=DATE:20240401
END:VEVENT
END:VCALENDAR
""".replace(b"\n", b"\r\n")
WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def a_word_document(text: str, *, cut: int = 0) -> bytes:
    """A document of Word with a paragraph for each line; the last characters of its main part missing."""
    paragraphs = "".join(
        f"<w:p><w:pPr><w:b/></w:pPr><w:r><w:t xml:space='preserve'>{line}</w:t></w:r></w:p>"
        for line in text.split("\n")
    )
    xml = f"<?xml version='1.0'?><w:document xmlns:w='{WORD}'><w:body>{paragraphs}</w:body></w:document>"
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", xml[: len(xml) - cut])
    return file.getvalue()


EXPORTS: dict[str, tuple[str, JsonValue | str | bytes, str | None, list[tuple[str, str]]]] = {
    "chatgpt": (
        "conversations.json",
        [CHATGPT],
        "A trip to Porto",
        [("user", "Where do we sleep in Porto?"), ("ChatGPT", "Near the river.")],
    ),
    "claude": (
        "conversations.json",
        [CLAUDE],
        "Sourdough",
        [("user", "Why is my bread flat?"), ("Claude", "Feed the starter.")],
    ),
    "slack": (
        "builds/2023-11-14.json",
        SLACK,
        "#builds 2023-11-14",
        [("U1", "The build is red, @U2"), ("U2", "On it"), ("CI", "")],
    ),
    "discord": (
        "d.json",
        DISCORD,
        "Gardeners #tomatoes",
        [("Ann", "Blight again"), ("helper", "Copper helps")],
    ),
    "whatsapp": (
        "_chat.txt",
        WHATSAPP,
        None,
        [
            ("Ann", "Did you feed the cat?\nBoth cats?"),
            ("Bob Bär", "Yes"),
        ],
    ),
    "whatsapp of a phone elsewhere": (
        "WhatsApp Chat with Bob.txt",
        ANDROID,
        "Bob",
        [("Ann", "Late"), ("Bob", "Later")],
    ),
    "signal": ("chat.txt", SIGNAL, "chat", [("Ann", "Hello"), ("Me", "Hi")]),
    "mail": ("m.eml", MAIL.replace(b"\n", b"\r\n"), "Invoice 12", [("Ann Example", "Here it is.")]),
    "vtt": (
        "Standup.vtt",
        VTT,
        "Standup",
        [("Ann Example", "Good morning. Shall we begin?"), ("Bob", "Yes.")],
    ),
    "srt": ("a.srt", SRT, "a", [("Speaker", "Good morning."), ("Speaker", "Shall we begin?")]),
    "sbv": ("a.sbv", SBV, "a", [("Speaker", "Good morning."), ("Speaker", "Bye.")]),
    "zoom": (
        "2024-03-05 09.59.00 Standup 1/meeting_saved_chat.txt",
        ZOOM,
        "meeting_saved_chat",
        [("Ann Example", "Hello\nand welcome"), ("Bob", "I am late")],
    ),
    "zoom in the cloud": (
        "GMT20240305-095900_RecordingnewChat.txt",
        ZOOM_CLOUD,
        "GMT20240305-095900_RecordingnewChat",
        [("Ann Example", "Hello"), ("Bob", "Hi: there")],
    ),
    "meet": (
        "Weekly.txt",
        MEET,
        "Weekly sync (2024-07-18 at 16:06 GMT-7)",
        [("Ann Example", "Shall we begin?"), ("Bob Bär", "Yes.\nAt once."), ("Ann Example", "Bye")],
    ),
    "meet in word": (
        "Weekly.docx",
        a_word_document(MEET),
        "Weekly sync (2024-07-18 at 16:06 GMT-7)",
        [("Ann Example", "Shall we begin?"), ("Bob Bär", "Yes.\nAt once."), ("Ann Example", "Bye")],
    ),
    "teams": (
        "Budget.docx",
        a_word_document(TEAMS),
        "Budget",
        [("Ann Example", "Let us begin. With the budget."), ("Bob Bär", "Yes.")],
    ),
    "teams of old": (
        "Budget.docx",
        a_word_document(TEAMS_OF_OLD),
        "Budget",
        [("Ann Example", "Let us begin."), ("Bob", "Yes.")],
    ),
    "whisper": ("a.json", WHISPER, "a", [("SPEAKER_00", "Hello there."), ("SPEAKER_01", "Bye.")]),
    "whisper.cpp": ("a.json", WHISPER_CPP, "a", [("Speaker", "Hello there.")]),
    "deepgram": ("a.json", DEEPGRAM, "a", [("Speaker 0", "Hello there"), ("Speaker 1", "bye")]),
}


@pytest.mark.parametrize("phone", WHATSAPP_OF_PHONES)
def test_a_whatsapp_chat_of_any_phone_comes_in(phone: str, tmp_path: Path) -> None:
    first, second = WHATSAPP_OF_PHONES[phone]
    colon = " : " if phone == "Korean, Android" else ": "
    event = "" if phone == "Korean, Android" else f"{second}Ann changed the group name to “Cats: all”\n"
    text = (
        f"{first}Ann{colon}\u200eIMG-20240213-WA0001.jpg (file attached)\n"
        f"{event}{second}Bob Bär{colon}\u200e<attached: 00000002-AUDIO.opus>\n"
        f"{second}Ann{colon}Both?\nSure: both.\n"
    )

    vcons, problems = come_in(written(tmp_path, "_chat.txt", text))

    assert problems == []
    assert said(vcons[0]) == [
        ("Ann", "IMG-20240213-WA0001.jpg (file attached)"),
        ("Bob Bär", "<attached: 00000002-AUDIO.opus>"),
        ("Ann", "Both?\nSure: both."),
    ]
    assert [turn["start"] for turn in vcons[0]["dialog"]] == [
        "2024-02-13T21:05:00Z",
        "2024-02-13T21:06:00Z",
        "2024-02-13T21:06:00Z",
    ]
    assert [each["filename"] for each in vcons[0]["attachments"] if "filename" in each] == [
        "IMG-20240213-WA0001.jpg",
        "00000002-AUDIO.opus",
    ]


def as_bytes(content: JsonValue | str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    return content.encode() if isinstance(content, str) else json.dumps(content, ensure_ascii=False).encode()


def written(folder: Path, name: str, content: JsonValue | str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(content))
    return path


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_becomes_a_conversation(name: str, tmp_path: Path) -> None:
    file, content, subject, turns = EXPORTS[name]
    path = written(tmp_path, file, content)
    (vcon,), problems = come_in(path)
    (again,), _ = come_in(path)

    assert problems == []
    assert (said(vcon), vcon.get("subject")) == (turns, subject)
    assert again == vcon, "brought in again it is the same"


def test_a_mail_box_becomes_its_threads_with_what_is_quoted_told_apart(tmp_path: Path) -> None:
    (invoice, lunch), problems = come_in(written(tmp_path, "a.mbox", MBOX))

    assert problems == []
    assert (invoice["subject"], said(invoice)) == (
        "Invoice 12",
        [("Ann Example", "Here it is."), ("Böb", "Paid today.")],
    )
    assert invoice["parties"][1] == {"name": "Böb", "type": "person", "mailto": "bob@b.example"}
    assert invoice["dialog"][0]["parties"] == [0, 1, 2]
    assert invoice["dialog"][1]["parties"] == [1, 0]
    assert invoice["dialog"][1]["message_id"] == "<2@b.example>"
    assert "> Here it is." in invoice["dialog"][1]["meta"]["conversation_export"]["quoted"]
    assert [
        (paper["filename"], paper["body"]) for paper in invoice["attachments"] if "filename" in paper
    ] == [("i.pdf", "JVBERg")]
    assert said(lunch)[0][1] == "From now on at one."


def test_a_zip_of_slack_tells_the_names_and_channels(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {
            "users.json": USERS,
            "channels.json": [{"id": "C1", "name": "builds"}],
            "builds/2023-11-14.json": SLACK,
        }.items():
            archive.writestr(name, as_bytes(content))
    (vcon,), problems = come_in(path)

    assert problems == []
    assert vcon["subject"] == "#builds 2023-11-14"
    assert said(vcon)[:2] == [("Ann Example", "The build is red, @bob"), ("bob", "On it")]
    assert vcon["dialog"][0]["meta"]["conversation_export"]["reactions"] == [{"name": "eyes"}]


def test_a_zip_of_chatgpt_holds_conversations_and_things_beside(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {
            "conversations.json": [CHATGPT, {**CHATGPT, "conversation_id": "c-2"}],
            "user.json": {"id": "x"},
            "message_feedback.json": [],
            "chat.html": "<html>",
        }.items():
            archive.writestr(name, as_bytes(content))
    vcons, problems = come_in(path)
    assert (len(vcons), len({vcon["uuid"] for vcon in vcons}), problems) == (2, 2, [])


def test_what_the_format_does_not_name_is_kept(tmp_path: Path) -> None:
    def left(vcon: JsonObject) -> JsonValue:
        return next(
            paper["body"] for paper in vcon["attachments"] if paper["purpose"] == "conversation_export"
        )

    chatgpt, claude, discord = (
        come_in(written(tmp_path, f"{number}.json", [{**document, "new_member": {"deep": [1.50]}}]))[0][0]
        for number, document in enumerate((CHATGPT, CLAUDE, DISCORD))
    )
    assert all(left(vcon)["new_member"] == {"deep": [1.5]} for vcon in (chatgpt, claude, discord))
    assert "In a tent, I suppose." in json.dumps(left(chatgpt)["other_branches"])
    assert [paper["body"] for paper in claude["attachments"] if paper["purpose"] == "file"] == [
        "Two days in the fridge.",
        {"file_name": "bread.jpg"},
    ]
    assert claude["dialog"][1]["meta"]["conversation_export"]["content"][0]["thinking"] == "Hm."
    assert discord["dialog"][1]["meta"]["conversation_export"]["answers"] == "10"
    assert "source:discord" in discord["attachments"][0]["body"]


def test_a_meeting_has_its_times(tmp_path: Path) -> None:
    def starts(name: str) -> list[str]:
        file, content, _, _ = EXPORTS[name]
        return [turn["start"] for turn in come_in(written(tmp_path / name, file, content))[0][0]["dialog"]]

    assert starts("zoom") == ["2024-03-05T10:01:22Z", "2024-03-05T10:02:00Z"]
    assert starts("zoom in the cloud") == ["2024-03-05T09:59:04Z", "2024-03-05T10:00:00Z"]
    assert starts("meet") == ["2024-07-18T23:06:00Z", "2024-07-18T23:06:00Z", "2024-07-18T23:11:00Z"]
    assert starts("teams") == ["2026-06-15T03:35:03Z", "2026-06-15T04:37:07Z"]


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2026-07-07_call-1021.vtt", "2026-07-07T00:00:01Z"),
        ("20260707-143005.vtt", "2026-07-07T14:30:06Z"),
        ("20260707-1021.vtt", "2026-07-07T00:00:01Z"),
        ("call 2026-07-07 14.30.vtt", "2026-07-07T14:30:01Z"),
        ("2026-07-07T14-30-05Z.vtt", "2026-07-07T14:30:06Z"),
        ("Call 2026-07-07 at 14.30.05.vtt", "2026-07-07T14:30:06Z"),
        ("07.07.2026.vtt", "2026-07-07T00:00:01Z"),
        ("2026_07_07 99.99.vtt", "2026-07-07T00:00:01Z"),
        ("2026-07-07/1021.vtt", "2026-07-07T00:00:01Z"),
        ("GMT20240305-100000_Recording.transcript.vtt", "2024-03-05T10:00:01Z"),
        ("2024-03-05 11.00.00 Standup 123/captions.vtt", "2024-03-05T11:00:01Z"),
        ("2026-02-30.vtt", None),
        ("+12025550100.vtt", None),
        ("call-1021.vtt", None),
    ],
)
def test_a_recording_has_the_date_in_its_name_or_else_that_of_its_file(
    name: str, date: str | None, tmp_path: Path
) -> None:
    path = written(tmp_path, name, "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))

    ((vcon,), problems) = come_in(path)

    assert problems == []
    assert vcon["dialog"][0]["start"] == (date or "2023-11-14T22:13:21Z")
    assert any("date_guessed" in json.dumps(each) for each in vcon["attachments"]) == (date is None)


def test_what_was_written_to_one_person_alone_is_for_that_person(tmp_path: Path) -> None:
    (vcon,), _ = come_in(written(tmp_path, "chat.txt", ZOOM + "00:00:10 From Cem to Everyone: Night\n"))
    assert [turn["parties"] for turn in vcon["dialog"]] == [[0, 1, 2], [1, 0], [2, 0, 1]]
    assert vcon["dialog"][0]["start"] < vcon["dialog"][2]["start"], "the clock has passed midnight"


def test_events_of_a_calendar_are_who_meets_whom(tmp_path: Path) -> None:
    (roof, holiday), problems = come_in(written(tmp_path, "invite.ics", CALENDAR))

    assert problems == []
    assert (roof["subject"], said(roof)) == (
        "Roof, again",
        [("Ann Example", "The slates on the north side leak.\nBring a ladder.")],
    )
    assert (roof["created_at"], roof["dialog"][0]["duration"]) == ("2024-03-05T08:30:00Z", 5400)
    assert [
        (party["name"], party["mailto"], party["role"], party.get("type")) for party in roof["parties"]
    ] == [
        ("Ann Example", "ann@a.example", "organizer", "person"),
        ("Bob Bar", "bob@b.example", "attendee", "person"),
        ("Attic", "attic@a.example", "attendee", None),
    ]
    assert roof["parties"][1]["meta"]["conversation_export"]["partstat"] == "ACCEPTED"
    left = roof["attachments"][-1]["body"]
    assert (left["rrule"], left["x-odd"]) == ("FREQ=WEEKLY;COUNT=3", {"value": "kept", "FOO": "bar"})
    assert left["dtstart"] == {"value": "20240305T100000", "TZID": "Customized Time Zone"}
    assert (left["components"][0]["trigger"], left["calendar"]["method"]) == ("-PT15M", "REQUEST")
    assert (holiday["created_at"], said(holiday)) == ("2024-04-01T00:00:00Z", [("Calendar", "Holiday")])


def test_zones_of_one_calendar_are_not_those_of_another(tmp_path: Path) -> None:
    other = CALENDAR.replace(b"+0130", b"+0500")
    starts = [
        come_in(written(tmp_path, name, data))[0][0]["created_at"]
        for name, data in (("a.ics", CALENDAR), ("b.ics", other), ("c.ics", CALENDAR))
    ]
    assert starts == ["2024-03-05T08:30:00Z", "2024-03-05T05:00:00Z", "2024-03-05T08:30:00Z"]


@pytest.mark.parametrize(
    ("name", "data", "read", "rule"),
    [
        ("a.ics", CALENDAR[: CALENDAR.index(b"UID:e-2")], 1, "export"),
        (
            "a.ics",
            CALENDAR.replace(b"RRULE:FREQ=WEEKLY;COUNT=3", b"RRULE:FREQ=NEVER\r\nno property"),
            2,
            None,
        ),
        ("a.docx", a_word_document(TEAMS, cut=80), 1, "damaged"),
        ("a.docx", a_word_document(TEAMS)[:300], 0, "damaged"),
        ("a.docx", a_word_document("Minutes of a meeting\nWe met."), 0, "unknown_kind"),
    ],
    ids=[
        "a calendar breaks off",
        "an odd property",
        "a document breaks off",
        "its zip breaks off",
        "minutes",
    ],
)
def test_of_a_damaged_file_what_can_be_read_comes_in_and_the_rest_is_told(
    name: str, data: bytes, read: int, rule: str | None, tmp_path: Path
) -> None:
    vcons, problems = come_in(written(tmp_path, name, data))
    assert (len(vcons), [problem.rule for problem in problems]) == (read, [rule] if rule else [])


def an_archive_with(new: bytes, old: bytes) -> bytes:
    """Of captions and an export, with these bytes in the place of those."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("abc", "")
        archive.writestr("ä.vtt", VTT)
        archive.writestr("c.json", as_bytes(CLAUDE))
    data = file.getvalue()
    assert old in data
    return data.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "read", "reported"),
    [
        (b"\3\0\0\0\0\0\0\0\0\0\0\0\x80\1", b"\0\0\3\0\0\0\0\0\0\0\0\0\x80\1", 2, []),
        ("ä".encode(), b"\xff\xfe", 0, ["is a damaged or incomplete zip archive"]),
        (b"PK\3\4\x14\0\0\x08", b"PK\3\4\x14\0\0\0", 1, ["cannot be unpacked"]),
    ],
    ids=["a member without a name", "a name that is not UTF-8", "a member with two names"],
)
def test_a_damaged_name_in_an_archive_stops_nothing_else(
    old: bytes, new: bytes, read: int, reported: list[str], tmp_path: Path
) -> None:
    vcons, problems = come_in(written(tmp_path, "a.zip", an_archive_with(new, old)))
    assert len(vcons) == read
    assert [problem.message.partition(":")[0] for problem in problems] == reported


def test_what_an_export_says_that_no_vcon_may_hold_is_put_right(tmp_path: Path) -> None:
    backwards = {"word": "hello", "start": 5.0, "end": 1.0, "speaker": 0}
    heard = {**DEEPGRAM, "results": {"channels": [{"alternatives": [{"words": [backwards]}]}]}}
    (spoken,), _ = come_in(written(tmp_path, "d.json", heard))
    file: JsonObject = {"name": "log", "mimetype": "no type"}
    (chat,), _ = come_in(written(tmp_path, "s/a.json", [{**SLACK[0], "files": [file]}]))

    assert spoken["dialog"][0]["duration"] == 0
    assert [each["mediatype"] for each in chat["attachments"] if each.get("filename") == "log"] == [
        "application/octet-stream"
    ]


def test_what_a_calendar_has_that_is_not_understood_is_kept(tmp_path: Path) -> None:
    odd = CALENDAR.replace(b"RRULE:FREQ=WEEKLY;COUNT=3", b"RRULE:FREQ=NEVER\r\nno property")
    (roof, _), _ = come_in(written(tmp_path, "a.ics", odd))
    left = roof["attachments"][-1]["body"]
    assert left["rrule"] == "FREQ=NEVER"
    assert "no property" in json.dumps(left["not_understood"])


def test_a_word_document_that_declares_entities_is_not_expanded(tmp_path: Path) -> None:
    xml = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><a>&b;</a>"
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", xml)
    vcons, problems = come_in(tmp_path / "a.docx")
    assert (vcons, [problem.rule for problem in problems]) == ([], ["damaged"])
    assert "declares a document type" in problems[0].message


DAMAGED: dict[str, tuple[str, JsonValue | bytes, str]] = {
    "mapping": (
        "c.json",
        [{**CHATGPT, "mapping": {"a": 1}, "current_node": None}],
        "holds other things than messages",
    ),
    "no messages": ("c.json", [{**CHATGPT, "mapping": {}}], "in which nobody says anything"),
    "no words": ("c.json", [{**CLAUDE, "chat_messages": [1, {}]}], "in which nobody says anything"),
    "cut off": ("s.json", as_bytes(SLACK)[:-40], "not JSON"),
    "no cues": ("v.vtt", b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n", "in which nobody says anything"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_export_is_refused_with_its_reason(damage: str, tmp_path: Path) -> None:
    name, content, reason = DAMAGED[damage]
    vcons, problems = come_in(written(tmp_path, name, content))
    assert vcons == []
    assert [problem.rule for problem in problems] == ["export"]
    assert reason in problems[0].message


def test_a_bad_conversation_of_an_export_stops_no_other(tmp_path: Path) -> None:
    vcons, problems = come_in(written(tmp_path, "conversations.json", [{**CHATGPT, "mapping": {}}, CHATGPT]))
    assert (len(vcons), [str(problem.origin).endswith("(element 0)") for problem in problems]) == (1, [True])


@sweep(
    ("name", "cut"),
    product(["mail", "vtt", "srt", "whatsapp", "signal", "zoom", "meet"], [1, 2, 3, 5, 8]),
)
def test_a_text_that_breaks_off_gives_what_came_before(name: str, cut: int, tmp_path: Path) -> None:
    file, content, _, _ = EXPORTS[name]
    data = as_bytes(content)
    _, problems = come_in(written(tmp_path, file, data[: len(data) * cut // 9]))
    assert {problem.rule for problem in problems} <= {"export", "malformed_json", "unknown_kind"}


READERS: list[tuple[FileFormat, list[str]]] = [
    (each, parts)
    for each in FORMATS
    if isinstance(each, FileFormat)
    for parts in [
        {
            "slack": ['[{"ts":"1700000000.000100","text":"', "<@U", "\n"],
            "chat": ["[1/2/24, 9:05] a: b\n", "[1/2/24, ", "a:", " "],
            "mail": [
                "From a 2024\n",
                "a: b\n",
                "> a\n",
                "References: <a@b>\n",
                "<a@b> ",
                "On a wrote:\n",
                "\n",
                "Re: ",
            ],
            "icalendar": ["BEGIN:VEVENT\nEND:VEVENT\n", "BEGIN:VCALENDAR\n", "X-A;B=c:d\n", "\n "],
            "zoom-chat": ["10:00:00 From a to b: c\n", "10:00:00 From " + "a to " * 30, "00:00:01\ta:\tb\n"],
            "teams": ["a  0:01\nb\n", "a  " * 100 + "\n", "0:0:1.1 --> 0:0:2.2\na\n"],
            "meet": ["a: b\n", "a: b\nc\n", "a (", "00:00:00\n"],
            "captions": ["00:01.000 --> 00:02.000\n", "<v a", "a: ", "1\n", "\n\n", "<"],
            "irc": ["[00:00:00] <a> b\n", "2024-03-05 10:00:00\ta\tb\n", "[00:00:00] <", "\n"],
            "irssi": ["--- Log opened Tue Mar 05 10:00:00 2024\n10:00 <a> b\n", "10:00 <", "--- "],
            "gemini-html": [
                '<title>Gemini<div class="content-cell body-1">a<br>1.1.2026 10:00:00<br>b</div>',
                *('<div content-cell body-1">', "<div content-cell ", "</div> ", "a<br>"),
            ],
            "markdown": ["**a:** b\n", "**a", "**a:** b\n\nc\n", "# a\n"],
            "otter": ["a  0:01\nb\n", "a ", "a" * 61, "0:01"],
            "sms-backup": ["<smses ><sms address='a' body='b'/>", "<a>", "&#10;"],
        }.get(each.name, ['{"type":"message"}\n', '[{"messages":'])
    ]
]


@sweep(
    ("source", "part"),
    [(source, part) for source, parts in READERS for part in parts],
    ids=lambda each: getattr(each, "name", each),
)
def test_the_time_for_a_file_grows_with_its_size(source: FileFormat, part: str) -> None:
    def reads(size: int) -> Callable[[], object]:
        data = (part * (size // len(part))).encode()

        def read() -> object:
            with suppress(NotRead):
                source.is_of(data[:HEAD])
                return list(source.read(data, About("a", NOW)))
            return None

        return read

    assert grows_with_its_size(reads)
