"""What an export has beside its words is kept beside them: edits, quotes, files, tools and notices."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.imports.test_programs import come_in, said
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.sources import find_files

AT: Final = 1709632800000


def matrix(*contents: JsonObject) -> JsonObject:
    """A page of the API, newest first; Ann and Bob write in turn."""
    events = [
        {"type": "m.room.message", "sender": f"@{('ann', 'bob')[place % 2]}:x.example", "content": content}
        | {"origin_server_ts": AT + 1000 * place, "event_id": f"${place}", "room_id": "!r:x.example"}
        for place, content in enumerate(contents)
    ]
    return {"chunk": events[::-1]}


EDIT: Final = {
    "msgtype": "m.text",
    "body": "* At ten",
    "m.new_content": {"body": "At ten"},
    "m.relates_to": {"rel_type": "m.replace", "event_id": "$0"},
}
REPLY: Final = {
    "msgtype": "m.text",
    "body": "> <@ann:x.example> At nine\n> or so\n\nFine",
    "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}},
}
NINE: Final = {"msgtype": "m.text", "body": "At nine"}
PICTURE: Final = base64.b64encode(b"\xff\xd8 leaf").decode()
MMS: Final = (
    '<smses count="1"><mms date="1709632800000" msg_box="1" address="+491" sub="Roof" contact_name="Ann">'
    f'<parts><part ct="image/jpeg" cl="leaf.jpg" text="null" data="{PICTURE}" />'
    '<part ct="text/plain" cl="t.txt" text="Look" /></parts></mms></smses>'
)


def chatgpt(*messages: JsonObject) -> JsonObject:
    nodes = {
        str(place): {
            "id": str(place),
            "parent": str(place - 1) if place else None,
            "message": {"id": f"m{place}", "create_time": AT / 1000 + place, **message},
        }
        for place, message in enumerate(messages)
    }
    return {"title": "t", "create_time": 1, "current_node": str(len(nodes) - 1), "mapping": nodes}


USER: Final[JsonObject] = {
    "author": {"role": "user"},
    "content": {"content_type": "text", "parts": ["Paint a leaf"]},
}
QUOTE: Final[JsonObject] = {
    "author": {"role": "tool", "name": "browser"},
    "content": {
        "content_type": "tether_quote",
        "title": "Leaves",
        "url": "https://leaf.example",
        "text": "Green.",
    },
}
IMAGE: Final[JsonObject] = {
    "author": {"role": "tool", "name": "dalle"},
    "content": {
        "content_type": "multimodal_text",
        "parts": [
            {
                "content_type": "image_asset_pointer",
                "asset_pointer": "file-service://file-1",
                "metadata": {"dalle": {"prompt": "a green leaf"}},
            }
        ],
    },
}
HIDDEN: Final[JsonObject] = {
    "author": {"role": "user"},
    "content": {"content_type": "user_editable_context", "user_instructions": "Answer in verse"},
    "metadata": {"is_visually_hidden_from_conversation": True},
}


def claude(*contents: list[JsonObject]) -> JsonObject:
    messages = [
        {"uuid": str(place), "sender": ("human", "assistant")[place % 2], "text": "", "content": content}
        | {"created_at": f"2024-03-05T10:00:0{place}Z"}
        for place, content in enumerate(contents)
    ]
    return {"uuid": "k", "name": "Leaves", "created_at": "2024-03-05T10:00:00Z", "chat_messages": messages}


def slack_edit_of_another_day() -> list[JsonObject]:
    one = {"type": "message", "user": "U1", "text": "Rain?", "ts": "1709632800.000100"}
    edited = {"type": "message", "user": "U1", "text": "Snow tomorrow", "ts": "1709546400.000100"}
    change = {"type": "message", "subtype": "message_changed", "ts": "1709632900.000100", "message": edited}
    return [one, change]


def openwebui(*messages: JsonObject, shown: str) -> list[JsonObject]:
    by_id = {str(each["id"]): {"timestamp": AT // 1000, **each} for each in messages}
    line = [each for each in by_id.values() if each["id"] != "c"]
    history = {"currentId": shown, "messages": by_id}
    return [{"id": "w", "chat": {"title": "Oil", "messages": line, "history": history}}]


def librechat() -> JsonObject:
    call = {"name": "search", "args": '{"query": "olive"}', "output": "Three hits"}
    content = [
        {"type": "think", "think": "Hot pans smoke"},
        {"type": "tool_call", "tool_call": call},
        {"type": "text", "text": "Olive."},
    ]
    message = {
        "messageId": "a",
        "sender": "Agent",
        "text": "",
        "content": content,
        "createdAt": "2025-03-05T10:00:00Z",
    }
    return {"conversationId": "c", "title": "Oil", "messages": [message]}


def mail_in_parts() -> str:
    """Two texts with another mail between them, and the first text once more in HTML."""
    text = "Content-Type: text/plain\n\nSee the roof.\n"
    html = "Content-Type: text/html\n\n<p>See the roof.</p><p>Open in a browser</p>\n"
    inner = "Content-Type: message/rfc822\n\nFrom: c@c.example\nSubject: Ladder\n\nTake my ladder.\n"
    alternative = f"Content-Type: multipart/alternative; boundary=a\n\n--a\n{text}--a\n{html}--a--\n"
    last = "Content-Type: text/plain\n\nIt leaks.\n"
    return (
        "From: a@a.example\nSubject: Roof\nMessage-ID: <1@a>\nDate: Tue, 5 Mar 2024 10:00:00 +0000\n"
        f"Content-Type: multipart/mixed; boundary=b\n\n--b\n{alternative}--b\n{inner}--b\n{last}--b--\n"
    )


def teams() -> JsonObject:
    def message(name: str, html: str, kind: str, content: JsonObject) -> JsonObject:
        file = {"id": "f", "contentType": kind, "content": json.dumps(content)}
        return {
            "id": name,
            "messageType": "message",
            "createdDateTime": f"2024-03-05T10:0{name}:00Z",
            "from": {"user": {"id": "u", "displayName": "Bob"}},
            "body": {"contentType": "html", "content": f'<attachment id="f"></attachment>{html}'},
            "attachments": [file],
        }

    answered = {"messagePreview": "Is it tight?"}
    forwarded = {"originalMessageContent": "<p>Rain at noon</p>"}
    return {
        "value": [
            message("1", "<p>It leaks</p>", "messageReference", answered),
            message("2", "", "forwardedMessageReference", forwarded),
        ]
    }


def skype() -> JsonObject:
    marks = ("<legacyquote>[1709632800] Ann: </legacyquote>", "<legacyquote>\n\n&lt;&lt;&lt; </legacyquote>")
    quote = f"<quote>{marks[0]}Rain?{marks[1]}</quote>"
    message = {
        "id": "2",
        "displayName": "Bob",
        "originalarrivaltime": "2024-03-05T10:01:00Z",
        "from": "8:bob",
    }
    message |= {"messagetype": "RichText", "content": f"{quote}Yes"}
    return {"userId": "8:ann", "conversations": [{"id": "8:bob", "MessageList": [message]}]}


def mails() -> str:
    return (
        "From a Tue Mar  5 10:00:00 2024\nFrom: a@a.example\nSubject: Roof\nMessage-ID: <1@a.example>\n"
        "Date: Tue, 5 Mar 2024 10:00:00 +0000\n\nOne\n\n"
        "From a Tue Mar  5 10:01:00 2024\nFrom: b@a.example\nSubject: Cellar (was: Roof)\n"
        "Message-ID: <2@a.example>\nIn-Reply-To: <1@a.example>\nDate: Tue, 5 Mar 2024 10:01:00 +0000\n\nTwo\n"
    )


CASES: Final[dict[str, tuple[str, object, Sequence[str], Sequence[str]]]] = {
    "an edit in Matrix": ("m.json", matrix(NINE, REPLY, EDIT), ["At ten", "Fine"], ["At nine", "or so"]),
    "a picture in an MMS": ("sms.xml", MMS, ["Look\nRoof"], ["leaf.jpg"]),
    "a page that ChatGPT read": (
        "c.json",
        chatgpt(USER, QUOTE),
        ["Paint a leaf", "Green."],
        ["https://leaf.example"],
    ),
    "a picture that ChatGPT made": (
        "c.json",
        chatgpt(USER, IMAGE),
        ["Paint a leaf", "[image]"],
        ["a green leaf"],
    ),
    "a hidden message in ChatGPT": ("c.json", chatgpt(HIDDEN, USER), ["Paint a leaf"], ["Answer in verse"]),
    "a call without words in Claude": (
        "c.json",
        claude(
            [{"type": "text", "text": "Paint"}],
            [{"type": "tool_use", "name": "search", "input": {"query": "green leaf"}}],
            [{"type": "voice_note", "text": "And a stem"}],
        ),
        ["Paint", "And a stem"],
        ["green leaf"],
    ),
    "an edit of another day in Slack": (
        "d/2024-03-05.json",
        slack_edit_of_another_day(),
        ["Rain?"],
        ["Snow tomorrow"],
    ),
    "another answer in Open WebUI": (
        "w.json",
        openwebui(
            {"id": "a", "role": "user", "content": "Which oil?"},
            {
                "id": "b",
                "parentId": "a",
                "role": "assistant",
                "content": "",
                "error": {"content": "Out of memory"},
            },
            {"id": "c", "parentId": "a", "role": "assistant", "content": "Olive"},
            shown="b",
        ),
        ["Which oil?", "Out of memory"],
        ["Olive"],
    ),
    "thoughts and calls in LibreChat": ("l.json", librechat(), ["Olive."], ["Hot pans smoke", "Three hits"]),
    "a reaction in Zoom": (
        "meeting_saved_chat.txt",
        "10:00:00 From Ann to Everyone:\n\tRain?\n"
        '10:01:00 From Bob to Everyone:\n\tReacted to "Rain?" with 👍\n',
        ["Rain?"],
        ["Reacted to"],
    ),
    "a quoted message in Teams": ("t.json", teams(), ["It leaks", "Rain at noon"], ["Is it tight?"]),
    "a quoted message in Skype": ("s.json", skype(), ["Yes"], ["Rain?"]),
    "text around a file in a mail": (
        "m.eml",
        mail_in_parts(),
        ["See the roof.\n\nIt leaks."],
        ["message/rfc822"],
    ),
    "a task in a calendar": (
        "c.ics",
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nSUMMARY:Nails\nDESCRIPTION:Buy nails\nDUE:20240305T100000Z\n"
        "LOCATION:Shed\nEND:VTODO\nEND:VCALENDAR\n",
        ["Buy nails"],
        ["Shed"],
    ),
    "a new subject in a thread": ("m.mbox", mails(), ["One", "Two"], ["Cellar (was: Roof)"]),
}


ASKED: Final = "2024-03-05T10:00:00Z"
ANSWERED: Final = "2024-03-05T10:05:00Z"
TICKETS: Final[dict[str, JsonObject]] = {
    "the question is the ticket's": {
        "id": 20,
        "subject": "Router",
        "description_text": "My router is dead",
        "created_at": ASKED,
        "requester": {"id": 1, "name": "Mira"},
        "conversations": [
            {"id": 5, "body": "<p>Which model?</p>", "user_id": 2, "created_at": ANSWERED},
            {"id": 6, "body": "<p>The white one</p>", "user_id": 1, "created_at": ANSWERED},
        ],
    },
    "people stand in a list": {
        "ticket": {"id": 35, "subject": "Router", "created_at": ASKED},
        "comments": [
            {"id": 1, "author_id": 1, "body": "My router is dead", "created_at": ASKED},
            {"id": 2, "author_id": 2, "body": "Which model?", "created_at": ANSWERED},
            {"id": 3, "author_id": 1, "body": "The white one", "created_at": ANSWERED},
        ],
        "users": [{"id": 1, "name": "Mira"}, {"id": 2, "name": "Speaker 2"}],
    },
    "the first message has no time of its own": {
        "id": "47",
        "created_at": 1709632800,
        "source": {"body": "<p>My router is dead</p>", "author": {"id": "1", "name": "Mira"}},
        "parts": [
            {
                "body": "<p>Which model?</p>",
                "created_at": 1709633100,
                "author": {"id": "2", "name": "Speaker 2"},
            },
            {"body": "<p>The white one</p>", "created_at": 1709633100, "author": {"id": "1", "name": "Mira"}},
        ],
    },
}


@pytest.mark.parametrize("name", TICKETS)
def test_a_ticket_begins_with_its_question_and_names_people(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ticket.json"
    path.write_text(json.dumps(TICKETS[name]))

    (vcon,), problems = come_in(path)

    assert problems == []
    assert said(vcon) == [
        ("Mira", "My router is dead"),
        ("Speaker 2", "Which model?"),
        ("Mira", "The white one"),
    ]
    assert [turn["start"] for turn in vcon["dialog"]] == [ASKED, ANSWERED, ANSWERED]


@pytest.mark.parametrize("name", CASES)
def test_it_is_kept_beside_the_words(name: str, tmp_path: Path) -> None:
    file, content, words, beside = CASES[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))

    (vcon,), problems = come_in(path)

    assert problems == []
    assert [text for _, text in said(vcon)] == words
    kept = json.dumps(
        [*(turn.get("meta") for turn in vcon["dialog"]), vcon["attachments"]], ensure_ascii=False
    )
    assert [text for text in beside if text not in kept] == []


def test_the_content_of_a_picture_is_an_attachment(tmp_path: Path) -> None:
    path = tmp_path / "sms.xml"
    path.write_text(MMS)

    (vcon,), _ = come_in(path)

    (picture,) = (each for each in vcon["attachments"] if each["purpose"] == "file")
    assert (picture["filename"], picture["mediatype"], picture["encoding"]) == (
        "leaf.jpg",
        "image/jpeg",
        "base64url",
    )
    assert base64.urlsafe_b64decode(picture["body"] + "==") == b"\xff\xd8 leaf"


def test_people_beside_a_folder_of_slack_are_no_document(tmp_path: Path) -> None:
    day: JsonValue = slack_edit_of_another_day()
    for name, content in {"users.json": [{"id": "U1"}], "general/2024-03-05.json": day}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))

    found = find_files([str(tmp_path)])

    assert [Path(file.name).name for file in found.files] == ["2024-03-05.json"]
