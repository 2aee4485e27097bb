"""Exports as programs write them today: branches, tools, voice, edits, threads, notices, large mailboxes."""

import gzip
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from tests.imports.test_programs import CHATGPT, CLAUDE, DISCORD, SLACK, USERS, come_in, said, written
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.merging import merged
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import Problem, RawDocument, SourceFile
from vcontract.runtime.imports.streams import Limits

LRM: Final = "\u200e"


def left(vcon: JsonObject, turn: int) -> JsonObject:
    """What the export says of a turn beyond its words."""
    kept: JsonObject = vcon["dialog"][turn].get("meta", {}).get("conversation_export", {})
    return kept


def whole(vcon: JsonObject) -> JsonObject:
    """What it says of the conversation beyond its turns."""
    bodies = [each["body"] for each in vcon["attachments"] if each["purpose"] == "conversation_export"]
    return bodies[0] if bodies else {}


def papers(vcon: JsonObject, purpose: str) -> list[tuple[str | None, JsonValue]]:
    return [
        (each.get("filename"), each["body"]) for each in vcon["attachments"] if each["purpose"] == purpose
    ]


WHATSAPP: Final = {
    "English, iOS": ("[3/5/24, 10:00:00\u202fAM] ", "attached: ", "This message was edited"),
    "English, Android": ("05/03/2024, 10:00 - ", "attached: ", "This message was edited"),
    "German, iOS": ("[05.03.24, 10:00:00] ", "Anhang: ", "Diese Nachricht wurde bearbeitet."),
    "Spanish, iOS, 12 hours": ("[5/3/24, 10:00:00 a.\u00a0m.] ", "adjunto: ", "Se editó este mensaje."),
    "Portuguese, iOS": ("[05/03/2024, 10:00:00] ", "anexado: ", "Mensagem editada"),
    "French, iOS": ("[05/03/2024, 10:00:00] ", "pièce jointe : ", "Ce message a été modifié"),
    "Italian, iOS": ("[05/03/24, 10:00:00] ", "allegato: ", "Questo messaggio è stato modificato"),
    "Dutch, iOS": ("[05-03-2024 10:00:00] ", "bijlage: ", "Dit bericht is bewerkt"),
    "Chinese, iOS": ("[2024/3/5 上午10:00:00] ", "附件：", "This message was edited"),
    "Thai, iOS": ("[5/3/2567 10:00:00] ", "attached: ", "This message was edited"),
}
"""Language and phone to how each begins a message, names a file beside a caption, and marks an edit."""


@pytest.mark.parametrize("phone", WHATSAPP)
def test_files_and_edits_of_whatsapp_are_known_in_each_language(phone: str, tmp_path: Path) -> None:
    start, attached, edited = WHATSAPP[phone]
    later = start.replace("10:00", "10:01")
    text = (
        f"{start}~\u202fAna: Así quedan {LRM}<{attached}00000056-PHOTO-2024-03-05.jpg>\n"
        f"{later}\u202a+55 11 91234-5678\u202c: See you <3 {LRM}<{edited}>\n"
        f"{later}Ana: Now <really>\n"
        # a number above 12 is the day, which decides their order
        f"{start.replace('5', '25', 1) if '3/5' not in start else start.replace('3/5', '3/25')}Ana: Bye\n"
    )

    (vcon,), problems = come_in(written(tmp_path, "Chat de WhatsApp con Ana.txt", text))

    assert (problems, vcon["subject"]) == ([], "Ana")
    assert said(vcon)[:3] == [
        ("Ana", f"Así quedan {LRM}<{attached}00000056-PHOTO-2024-03-05.jpg>".replace(LRM, "")),
        ("+55 11 91234-5678", "See you <3"),
        ("Ana", "Now <really>"),
    ]
    assert vcon["dialog"][0]["start"] == "2024-03-05T10:00:00Z"
    assert [left(vcon, turn).get("edited") for turn in (0, 1, 2)] == [None, True, None]
    assert [each["filename"] for each in vcon["attachments"] if "filename" in each] == [
        "00000056-PHOTO-2024-03-05.jpg"
    ]


def test_notices_of_a_group_are_events_and_what_its_people_send_is_not(tmp_path: Path) -> None:
    text = (
        f"[05/03/2024, 10:00:00] Family: {LRM}Messages and calls are end-to-end encrypted.\n"
        f"{LRM}[05/03/2024, 10:00:01] Family: {LRM}Ann created this group\n"
        f"{LRM}[05/03/2024, 10:01:00] Ann: {LRM}image omitted\n"
        f"[05/03/2024, 10:02:00] Bo: Who is this?\n"
        f"{LRM}[05/03/2024, 10:03:00] Family: {LRM}Ann changed this group's icon\n"
    )

    (vcon,), _ = come_in(written(tmp_path, "_chat.txt", text))

    assert said(vcon) == [("Ann", "image omitted"), ("Bo", "Who is this?")]
    events = whole(vcon)["events"]
    assert [event.partition(" ")[2] for event in events] == [
        "Family: Messages and calls are end-to-end encrypted.",
        "Family: Ann created this group",
        "Family: Ann changed this group's icon",
    ]


def node(name: str, parent: str | None, role: str, content: JsonObject, **members: JsonValue) -> JsonObject:
    author: JsonObject = {"role": role, "name": members.pop("author_name", None), "metadata": {}}
    message: JsonObject = {"id": name, "author": author, "create_time": 1.7e9, "content": content, **members}
    return {name: {"id": name, "message": message, "parent": parent, "children": []}}


def spoken(text: str, asset: str, direction: str) -> JsonObject:
    transcription = {
        "content_type": "audio_transcription",
        "text": text,
        "direction": direction,
        "decoding_id": None,
    }
    pointer = {"content_type": asset, "asset_pointer": "sediment://file_1", "format": "wav"}
    return {"content_type": "multimodal_text", "parts": [transcription, pointer]}


def test_a_chat_with_chatgpt_has_its_voice_tools_reasoning_and_project(tmp_path: Path) -> None:
    mapping: JsonObject = {
        **node("a", None, "user", spoken("Is it warm?", "real_time_user_audio_video_asset_pointer", "in")),
        **node(
            "b",
            "a",
            "assistant",
            {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "It depends."}]},
        ),
        **node("c", "b", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 5s"}),
        **node(
            "d",
            "c",
            "assistant",
            {"content_type": "code", "language": "python", "text": "ask()"},
            recipient="python",
        ),
        **node("e", "d", "tool", {"content_type": "execution_output", "text": "21"}, author_name="python"),
        **node("f", "e", "assistant", spoken("21 degrees.", "audio_asset_pointer", "out"), recipient="all"),
        **node("g", "e", "assistant", {"content_type": "text", "parts": ["Quite."]}),
        **node(
            "h",
            "f",
            "user",
            {
                "content_type": "multimodal_text",
                "parts": [{"content_type": "image_asset_pointer"}, "And here?"],
            },
            metadata={"attachments": [{"name": "beach.png", "mime_type": "image/png"}]},
        ),
    }
    chat = {
        **CHATGPT,
        "mapping": mapping,
        "current_node": "h",
        "gizmo_id": "g-p-1",
        "conversation_template_id": "g-p-1",
        "voice": "juniper",
    }

    (vcon,), problems = come_in(written(tmp_path, "conversations.json", [chat]))

    assert problems == []
    assert said(vcon) == [
        ("user", "Is it warm?"),
        ("ChatGPT", "ask()"),
        ("python", "21"),
        ("ChatGPT", "21 degrees."),
        ("user", "[image]\n\nAnd here?"),
    ]
    names = [party["name"] for party in vcon["parties"]]
    assert vcon["dialog"][1]["parties"] == [names.index("ChatGPT"), names.index("python")]
    assert left(vcon, 1)["reasoning"] == ["It depends.", "Thought for 5s"]
    assert "reasoning" not in left(vcon, 3)
    assert [name for name, _ in papers(vcon, "file")] == ["beach.png"]
    reported = whole(vcon)
    assert (reported["gizmo_id"], reported["voice"], [*reported["other_branches"]]) == (
        "g-p-1",
        "juniper",
        ["g"],
    )


def test_a_large_export_of_chatgpt_has_numbered_files(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(2):
            chats = [{**CHATGPT, "conversation_id": f"c-{number}"}]
            archive.writestr(f"conversations-{number:03}.json", json.dumps(chats))
        archive.writestr("user.json", '{"id": "u"}')
    (tmp_path / "unpacked").mkdir()
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")

    vcons, problems = come_in(path)

    assert (len(vcons), problems) == (2, [])


def test_the_projects_of_claude_come_in_beside_its_chats_and_grow_by_their_documents(tmp_path: Path) -> None:
    def export(*documents: str) -> list[JsonObject]:
        docs = [
            {"uuid": f"d{n}", "filename": f"{n}.md", "content": text, "created_at": f"2024-03-0{n}T10:00:00Z"}
            for n, text in enumerate(documents, start=5)
        ]
        project = {
            "uuid": "p",
            "name": "Bakery",
            "description": "",
            "prompt_template": "In grams.",
            "docs": docs,
        }
        with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
            archive.writestr("conversations.json", json.dumps([CLAUDE]))
            archive.writestr("users.json", "[]")
            archive.writestr("projects.json", json.dumps([{**project, "created_at": "2024-03-05T09:00:00Z"}]))
        vcons, problems = come_in(tmp_path / "export.zip")
        assert problems == []
        return vcons

    chat, older = export("500 g rye")
    _, newer = export("500 g rye", "1 kg wheat")

    assert said(chat)
    assert said(newer) == [("user", "In grams."), ("user", "5.md"), ("user", "6.md")]
    assert papers(newer, "file") == [("5.md", "500 g rye"), ("6.md", "1 kg wheat")]
    assert (grown := merged(older, newer)) is not None
    assert papers(grown, "file") == papers(newer, "file")


def test_a_chat_with_claude_has_its_artifacts_and_the_branch_that_was_shown(tmp_path: Path) -> None:
    def message(name: str, parent: str, sender: str, *content: JsonObject, text: str = "") -> JsonObject:
        return {
            "uuid": name,
            "parent_message_uuid": parent,
            "sender": sender,
            "text": text,
            "content": [*content],
            "created_at": "2025-03-04T10:00:00Z",
            "attachments": [],
            "files": [],
        }

    unknown = "```\nThis block is not supported on your current device yet.\n```"
    made = {
        "id": "scale",
        "type": "text/markdown",
        "title": "Scale",
        "command": "create",
        "content": "C major",
    }
    changed = {"id": "scale", "command": "update", "old_str": "C", "new_str": "D"}
    file = {"path": "/mnt/user-data/outputs/scale.py", "file_text": "print('C')"}
    chat = {
        **CLAUDE,
        "project": {"uuid": "p", "name": "Music"},
        "chat_messages": [
            message(
                "1", "00000000-0000-4000-8000-000000000000", "human", {"type": "text", "text": "A scale"}
            ),
            message("2", "1", "assistant", {"type": "text", "text": "Which?"}),
            message(
                "3",
                "1",
                "assistant",
                {"type": "thinking", "thinking": "Hm."},
                {"type": "tool_use", "name": "artifacts", "input": made},
                text=unknown,
            ),
            message(
                "4",
                "3",
                "assistant",
                {"type": "tool_use", "name": "artifacts", "input": changed},
                text=unknown,
            ),
            message(
                "5",
                "4",
                "assistant",
                {"type": "tool_use", "name": "create_file", "input": file},
                {"type": "text", "text": "Here."},
                text=f"{unknown}\n\nHere.",
            ),
        ],
    }

    (vcon,), problems = come_in(written(tmp_path, "conversations.json", [chat]))

    assert problems == []
    assert said(vcon) == [("user", "A scale"), ("Claude", ""), ("Claude", "Here.")]
    assert papers(vcon, "artifact") == [("Scale", "C major"), (file["path"], "print('C')")]
    assert [each["dialog"] for each in vcon["attachments"] if each["purpose"] == "artifact"] == [1, 2]
    assert left(vcon, 1)["content"][0]["thinking"] == "Hm."
    assert (whole(vcon)["project"]["name"], whole(vcon)["other_branches"][0]["uuid"]) == ("Music", "2")


def test_a_message_of_slack_without_a_time_stays_where_another_was_deleted(tmp_path: Path) -> None:
    messages: list[JsonValue] = [
        {"type": "message", "user": "U1", "text": "Seen", "ts": "1700000001.000100"},
        {"type": "message", "user": "U1", "text": "Gone", "ts": "1700000002.000100"},
        {"type": "message", "user": "U1", "text": "Without a time"},
        {
            "type": "message",
            "subtype": "message_deleted",
            "deleted_ts": "1700000002.000100",
            "ts": "1700000003.000100",
        },
    ]

    (vcon,), problems = come_in(written(tmp_path, "general/2023-11-14.json", messages))

    assert problems == []
    assert [text for _, text in said(vcon)] == ["Seen", "Without a time"]


def test_a_channel_of_slack_has_its_edits_threads_strangers_and_programs(tmp_path: Path) -> None:
    assert isinstance(SLACK, list)
    more: list[JsonValue] = [
        {
            "type": "message",
            "user": "U9",
            "team": "T9",
            "user_team": "T9",
            "source_team": "T9",
            "user_profile": {"real_name": "Cem of Example"},
            "text": "&lt;3 R&amp;D, see <https://a.example/log|the log> in <#C2|ops>, <!here>"
            " <mailto:a@b.example|a@b.example>",
            "ts": "1700000080.000100",
            "edited": {"user": "U9", "ts": "1700000090.000000"},
        },
        {
            "type": "message",
            "subtype": "message_changed",
            "ts": "1700000095.000100",
            "message": {
                "user": "U2",
                "text": "On it now",
                "ts": "1700000060.000200",
                "edited": {"user": "U2", "ts": "1700000095.000000"},
            },
        },
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B2",
            "username": "Issues",
            "text": "",
            "attachments": [
                {"fallback": "[1] Red", "title": "Red", "text": "The build, <@U1>"},
                {"fallback": "Closed"},
            ],
            "ts": "1700000099.000100",
        },
    ]
    written(tmp_path, "users.json", USERS)

    (vcon,), problems = come_in(written(tmp_path, "builds/2023-11-14.json", [*SLACK, *more]))

    assert problems == []
    assert said(vcon)[1:] == [
        ("bob", "On it now"),
        ("CI", ""),
        (
            "Cem of Example",
            "<3 R&D, see the log (https://a.example/log) in #ops, @here a@b.example",
        ),
        ("Issues", "Red\nThe build, @Ann Example\n\nClosed"),
    ]
    assert (left(vcon, 1)["thread_ts"], left(vcon, 1)["earlier"]) == ("1700000000.000100", ["On it"])
    assert left(vcon, 3)["edited"] == {"user": "U9", "ts": "1700000090.000000"}


def test_a_channel_of_discord_has_what_is_passed_on_and_what_is_embedded(tmp_path: Path) -> None:
    first = DISCORD["messages"][0]
    more: list[JsonValue] = [
        {**first, "id": "12", "content": "", "attachments": [], "forwardedMessage": {"content": "Frost!"}},
        {
            **first,
            "id": "13",
            "content": "",
            "attachments": [],
            "embeds": [{"title": "Weather", "description": "-3 degrees", "fields": []}],
        },
    ]

    (vcon,), problems = come_in(
        written(tmp_path, "d.json", {**DISCORD, "messages": [*DISCORD["messages"], *more]})
    )

    assert problems == []
    assert [text for _, text in said(vcon)[2:]] == ["Frost!", "Weather\n-3 degrees"]


def a_mail(
    number: int,
    *,
    answers: int | None = None,
    is_named: bool = True,
    text: str = "Hello",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    head = {
        "From": f"Ann <ann{number}@a.example>",
        "Subject": f"Re: Mail {number if answers is None else answers}",
        "Date": f"Tue, 5 Mar 2024 10:{number % 60:02}:00 +0000",
        **({"Message-ID": f"<{number}@a.example>"} if is_named else {}),
        **({} if answers is None else {"In-Reply-To": f"<{answers}@a.example>"}),
        **headers,
    }
    lines = "".join(f"{name}: {value}\n" for name, value in head.items())
    return f"From - Tue Mar  5 10:00:00 2024\n{lines}\n{text}\n\n".encode()


def read(path: Path, limits: Limits) -> tuple[list[JsonObject], list[Problem]]:
    """The vCons of a file, and what is wrong with it."""
    vcons: list[JsonObject] = []
    problems: list[Problem] = []
    for reading in Reader(limits).read(SourceFile(path, str(path), path.stat().st_size)):
        if isinstance(reading, Problem):
            problems.append(reading)
        elif isinstance(reading, RawDocument):
            vcons.append(json.loads(reading.text))
    return vcons, problems


@pytest.mark.parametrize("packed", ["", "gz", "zip", "utf-8 with a mark"])
def test_a_mailbox_of_any_size_is_read_thread_by_thread(packed: str, tmp_path: Path) -> None:
    # given a mailbox longer than what is read of anything in which no document ends
    text = "x" * 70 + "\n>From here on, in 2024, it goes on.\n"
    box = b"".join(
        a_mail(number, answers=number % 10 if number >= 10 else None, text=f"{text}{'y' * 6_000}")
        for number in range(100)
    )
    path = tmp_path / "all.mbox"
    match packed:
        case "gz":
            path.write_bytes(gzip.compress(box))
        case "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("Takeout/Mail/All mail.mbox", box)
        case "":
            path.write_bytes(box)
        case _:
            path.write_bytes(b"\xef\xbb\xbf" + box)

    vcons, problems = read(path, Limits(document_bytes=100_000, silence=400_000))

    assert len(box) > 600_000
    assert problems == []
    assert [len(vcon["dialog"]) for vcon in vcons] == [10] * 10
    assert [vcon["subject"] for vcon in vcons] == [f"Mail {number}" for number in range(10)]
    assert "\nFrom here on, in 2024, it goes on.\n" in vcons[0]["dialog"][0]["body"]


def test_a_mail_that_lies_in_a_mailbox_twice_counts_once_and_two_without_id_are_two(tmp_path: Path) -> None:
    box = [a_mail(1), a_mail(2), a_mail(1), a_mail(3, is_named=False), a_mail(4, is_named=False)]

    vcons, problems = come_in(written(tmp_path, "a.mbox", b"".join(box)))
    (alone,), _ = come_in(written(tmp_path, "b.mbox", a_mail(4, is_named=False)))

    assert problems == []
    assert [len(vcon["dialog"]) for vcon in vcons] == [1, 1, 1, 1]
    assert len({vcon["uuid"] for vcon in vcons}) == 4
    assert alone["uuid"] == vcons[3]["uuid"]


def test_what_is_attached_to_a_thread_is_kept_as_far_as_a_vcon_has_room(tmp_path: Path) -> None:
    body = "A" * 8_000_000  # 6 MB of bytes in base64
    attached = {
        "Content-Type": "application/pdf",
        "Content-Disposition": "attachment; filename=plan.pdf",
        "Content-Transfer-Encoding": "base64",
    }
    box = [a_mail(number, answers=0 if number else None, text=body, headers=attached) for number in range(4)]

    (vcon,), problems = come_in(written(tmp_path, "a.mbox", b"".join(box)))

    assert problems == []
    kept = [each["encoding"] for each in vcon["attachments"] if each["purpose"] == "attachment"]
    assert kept == ["base64url", "base64url", "base64url", "json"]
    assert papers(vcon, "attachment")[3] == ("plan.pdf", {"left_out": "too large", "bytes": 6_000_000})


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("Weekly sync (2024-03-05 at 10_00 GMT-8).sbv", "2024-03-05T18:00:01Z"),
        ("Standup-20240305_100000-Meeting Recording.vtt", "2024-03-05T10:00:01Z"),
        ("Weekly sync - 2024_03_05 10_00 CET - Recording.vtt", "2024-03-05T10:00:01Z"),
        ("[Ann]_102-0123_20240305100000(123).vtt", "2024-03-05T10:00:01Z"),
        ("out-5551234-101-20240305-100000-1709632800.12.vtt", "2024-03-05T10:00:01Z"),
        ("abc_analysis_2024-03-05T10_00_00Z.vtt", "2024-03-05T10:00:01Z"),
        ("AUDIO-2024-03-05-10-00-00.vtt", "2024-03-05T10:00:01Z"),
        ("rec-2024-03-05-10h00m00.vtt", "2024-03-05T10:00:01Z"),
    ],
)
def test_recordings_have_the_dates_that_vendors_write_into_names(
    name: str, date: str, tmp_path: Path
) -> None:
    cue = (
        "0:00:01.000,0:00:02.000\nHi\n" if name.endswith("sbv") else "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"
    )

    (vcon,), problems = come_in(written(tmp_path, name, cue))

    assert (problems, vcon["dialog"][0]["start"]) == ([], date)
