"""Messages without text: polls, places, cards, blocks, replies and notices, as each program writes them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    FileFormat,
    Format,
    ObjectFormat,
    converted,
)
from vcontract.runtime.imports.programs.format_registry import FORMATS, format_of_file

AT = datetime(2024, 4, 1, tzinfo=UTC)
ABOUT = About("export.json", AT)


def conversation(document: JsonObject, data: bytes, file: str) -> tuple[Conversation, Format]:
    """Read a document as the import does: as a file, or as an object."""
    source: Format | None = format_of_file(data[:65_536])
    if isinstance(source, FileFormat):
        (found,) = source.read(data, About(file, AT))
        return found, source
    source = next(one for one in FORMATS if isinstance(one, ObjectFormat) and one.is_of(document))
    return source.read(document, About(file, AT)), source


def read(document: Any, name: str, file: str = "export.json") -> Conversation:
    found, source = conversation(document, json.dumps(document).encode(), file)
    assert source.name == name
    assert converted(found, source, ABOUT).vcon is not None
    return found


def slack(**members: Any) -> Any:
    first = {
        "type": "message",
        "user": "U1",
        "user_profile": {"real_name": "Ann"},
        "text": "Hi",
        "ts": "1709632800.000100",
    }
    return [first, {"type": "message", "user": "U2", "ts": "1709632860.000200", **members}]


def telegram(**members: Any) -> Any:
    first = {
        "id": 1,
        "type": "message",
        "date": "2024-03-05T11:00:00",
        "from": "Ann",
        "from_id": "user1",
        "text": "Hi",
    }
    other = {
        "id": 2,
        "type": "message",
        "date": "2024-03-05T11:01:00",
        "from": "Ben",
        "from_id": "user2",
        "text": "",
    }
    return {"name": "Choir", "type": "private_group", "id": 3, "messages": [first, other | members]}


def teams(*messages: Any) -> Any:
    base = {"messageType": "message", "createdDateTime": "2024-03-05T10:00:00Z", "chatId": "19:c"}
    ann = {"user": {"id": "a", "displayName": "Ann"}}
    text = {"contentType": "html", "content": "<p>Hi</p>"}
    return {
        "value": [
            {"id": str(n), **base, "from": ann, "body": text, **one}
            for n, one in enumerate((dict[str, Any](), *messages))
        ]
    }


def discord(**members: Any) -> Any:
    author = {"id": "7", "name": "ann", "nickname": "Ann"}
    messages = [
        {
            "id": "1",
            "type": "Default",
            "timestamp": "2024-03-05T10:01:00+00:00",
            "content": "Hi",
            "author": author,
        },
        {
            "id": "2",
            "type": "Default",
            "timestamp": "2024-03-05T10:02:00+00:00",
            "content": "",
            "author": author,
            **members,
        },
    ]
    return {"guild": {"id": "1", "name": "G"}, "channel": {"id": "2", "name": "t"}, "messages": messages}


def matrix(**members: Any) -> Any:
    base = {
        "type": "m.room.message",
        "sender": "@ann:a",
        "origin_server_ts": 1709632800000,
        "room_id": "!r:a",
    }
    other = {**base, "event_id": "$2", "origin_server_ts": 1709632860000, **members}
    return {
        "room_name": "R",
        "messages": [{**base, "event_id": "$1", "content": {"msgtype": "m.text", "body": "Hi"}}, other],
    }


def messenger(**members: Any) -> Any:
    first = {"sender_name": "Ann", "timestamp_ms": 1709632800000, "content": "Hi"}
    other = {"sender_name": "Ben", "timestamp_ms": 1709632860000, **members}
    return {
        "participants": [{"name": "Ann"}, {"name": "Ben"}],
        "messages": [first, other],
        "title": "Ben",
        "thread_path": "inbox/b",
    }


CARD = json.dumps(
    {
        "type": "AdaptiveCard",
        "body": [
            {"type": "TextBlock", "text": "Budget is due"},
            {"type": "FactSet", "facts": [{"title": "Sum", "value": "41"}]},
        ],
    }
)
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "Database *orders* is down"}}
CONTEXT = {"type": "context", "elements": [{"type": "mrkdwn", "text": "severity 1"}]}
RICH = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "See "},
                {"type": "link", "url": "https://a.example", "text": "the plan"},
            ],
        },
        {
            "type": "rich_text_list",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]}],
        },
    ],
}


@pytest.mark.parametrize(
    ("name", "document", "said"),
    [
        (
            "slack",
            slack(text="", bot_id="B1", blocks=[SECTION, CONTEXT]),
            "Database *orders* is down\n\nseverity 1",
        ),
        (
            "slack",
            slack(
                text="Weekly",
                blocks=[{"type": "header", "text": {"type": "plain_text", "text": "Weekly"}}, SECTION],
            ),
            "Weekly\n\nDatabase *orders* is down",
        ),
        (
            "slack",
            slack(text="See <https://a.example|the plan>\n• one", blocks=[RICH]),
            "See the plan (https://a.example)\n• one",
        ),
        ("slack", slack(text="", blocks=[RICH]), "See the plan (https://a.example)\none"),
        (
            "slack",
            slack(text="Alert", attachments=[{"color": "red", "blocks": [SECTION]}]),
            "Alert\n\nDatabase *orders* is down",
        ),
        (
            "slack",
            slack(text="", attachments=[{"title": "Build", "fields": [{"title": "State", "value": "red"}]}]),
            "Build\nState\nred",
        ),
        ("slack", slack(text="", attachments=[{"fallback": "Only this"}]), "Only this"),
        (
            "telegram",
            telegram(
                poll={
                    "question": "When?",
                    "answers": [{"text": "Monday", "voters": 2}, {"text": "Friday", "voters": 0}],
                }
            ),
            "When?\nMonday\nFriday",
        ),
        (
            "telegram",
            telegram(contact_information={"first_name": "Cy", "last_name": "Doe", "phone_number": "+1 555"}),
            "Cy\nDoe\n+1 555",
        ),
        (
            "telegram",
            telegram(location_information={"latitude": 52.5, "longitude": 13.4}),
            "Location: 52.5, 13.4",
        ),
        (
            "telegram",
            telegram(
                place_name="Cafe",
                address="Main St 1",
                location_information={"latitude": 1.5, "longitude": 2.5},
            ),
            "Cafe\nMain St 1\nLocation: 1.5, 2.5",
        ),
        ("telegram", telegram(file="s.tgs", media_type="sticker", sticker_emoji="👍"), "👍"),
        ("telegram", telegram(todo_list={"title": "Buy", "answers": [{"text": "Milk"}]}), "Buy\nMilk"),
        (
            "teams-chat",
            teams(
                {
                    "body": {
                        "contentType": "html",
                        "content": '<p>Noon <emoji id="pizza" alt="🍕" title="Pizza"></emoji></p>',
                    }
                }
            ),
            "Noon 🍕",
        ),
        ("teams-chat", teams({"body": {"contentType": "html", "content": '<emoji alt="👍"></emoji>'}}), "👍"),
        (
            "teams-chat",
            teams(
                {
                    "body": {"contentType": "html", "content": '<attachment id="1"></attachment>'},
                    "attachments": [
                        {"id": "1", "contentType": "application/vnd.microsoft.card.adaptive", "content": CARD}
                    ],
                }
            ),
            "Budget is due\nSum\n41",
        ),
        (
            "teams-chat",
            teams({"subject": "Van", "body": {"contentType": "text", "content": "Who has it?"}}),
            "Who has it?\nVan",
        ),
        (
            "teams-chat",
            teams(
                {
                    "replies": [
                        {
                            "id": "9",
                            "messageType": "message",
                            "createdDateTime": "2024-03-05T10:05:00Z",
                            "from": {"user": {"id": "b", "displayName": "Ben"}},
                            "body": {"contentType": "html", "content": "<p>Behind the door</p>"},
                        }
                    ]
                }
            ),
            "Behind the door",
        ),
        (
            "discord",
            discord(
                embeds=[
                    {
                        "title": "Weather",
                        "fields": [{"name": "Low", "value": "-3"}],
                        "footer": {"text": "met"},
                    }
                ]
            ),
            "Weather\nLow: -3\nmet",
        ),
        (
            "discord",
            discord(content="Look", embeds=[{"description": "Frost tonight"}]),
            "Look\n\nFrost tonight",
        ),
        ("discord", discord(stickers=[{"id": "1", "name": "Wave"}]), "Wave"),
        (
            "discord",
            discord(forwardedMessage={"content": "Frost", "embeds": [{"title": "Map"}]}),
            "Frost\n\nMap",
        ),
        (
            "discord",
            discord(poll={"question": {"text": "When?"}, "answers": [{"text": "Monday"}]}),
            "When?\n\nMonday",
        ),
        ("matrix", matrix(type="m.sticker", content={"body": "Wave", "url": "mxc://x"}), "Wave"),
        (
            "matrix",
            matrix(
                type="org.matrix.msc3381.poll.start",
                content={
                    "org.matrix.msc3381.poll.start": {
                        "question": {"org.matrix.msc1767.text": "When?"},
                        "answers": [{"id": "1", "org.matrix.msc1767.text": "Monday"}],
                    }
                },
            ),
            "When?\nMonday",
        ),
        (
            "matrix",
            matrix(
                type="m.poll.start",
                content={
                    "m.poll": {
                        "question": {"m.text": [{"body": "When?"}]},
                        "answers": [{"m.text": [{"body": "Monday"}]}],
                    }
                },
            ),
            "When?\nMonday",
        ),
        (
            "messenger",
            messenger(share={"link": "https://a.example", "share_text": "A roof"}),
            "A roof\nhttps://a.example",
        ),
        ("messenger", messenger(sticker={"uri": "stickers/a.png"}), ""),
    ],
)
def test_what_a_person_would_read_is_the_turn(name: str, document: Any, said: str) -> None:
    found = read(document, name)

    assert found.turns[-1].text == said
    assert len(found.turns) == (3 if "replies" in json.dumps(document) else 2)


@pytest.mark.parametrize(
    ("name", "document", "notice"),
    [
        (
            "slack",
            slack(subtype="channel_join", text="<@U2> has joined the channel"),
            "U2 has joined the channel",
        ),
        ("slack", slack(subtype="channel_topic", text="set the channel topic: Roof"), "channel topic: Roof"),
        (
            "telegram",
            telegram(type="service", actor="Ann", action="phone_call", duration_seconds=12),
            "Ann phone call 12 s",
        ),
        (
            "telegram",
            telegram(type="service", actor="Ann", action="invite_members", members=["Cy", "Di"]),
            "Ann invite members Cy Di",
        ),
        (
            "telegram",
            telegram(type="service", actor="Ann", action="edit_group_title", title="Choir II"),
            "Ann edit group title Choir II",
        ),
        (
            "teams-chat",
            teams(
                {
                    "messageType": "systemEventMessage",
                    "from": None,
                    "body": {"contentType": "html", "content": "<systemEventMessage/>"},
                    "eventDetail": {
                        "@odata.type": "#microsoft.graph.chatRenamedEventMessageDetail",
                        "chatDisplayName": "Roof",
                        "initiator": {"user": {"displayName": "Ann"}},
                    },
                }
            ),
            "Ann chat renamed Roof",
        ),
        ("discord", discord(type="GuildMemberJoin", content="Joined the server."), "Ann: Joined the server."),
        (
            "discord",
            discord(type="Call", content="Started a call that lasted 2 minutes."),
            "Ann: Started a call",
        ),
        (
            "matrix",
            matrix(type="m.room.member", content={"membership": "join", "displayname": "Ann"}),
            "@ann:a m.room.member join Ann",
        ),
        ("matrix", matrix(type="m.room.name", content={"name": "Roof"}), "m.room.name Roof"),
        (
            "messenger",
            messenger(type="Call", content="Ben called you.", call_duration=9),
            "Ben called you. 9 s",
        ),
        *(
            ("messenger", messenger(content=content.encode().decode("latin-1")), content.strip())
            for content in (
                "Reacted ❤️ to your message ",
                "Ben reacted 😆 to your photo",
                "Hat mit 👍 auf deine Nachricht reagiert",
                "A réagi avec 😮 à votre message",
                "Liked a message",
            )
        ),
    ],
)
def test_a_notice_of_the_program_is_nobodys_words(name: str, document: Any, notice: str) -> None:
    found = read(document, name)

    assert [turn.text for turn in found.turns] == ["Hi"]
    (event,) = found.left["events"]
    assert notice in event
    assert found.account.kept["events"] == 1


def test_a_slack_day_that_begins_with_a_long_message_is_slack() -> None:
    for length in (25_000, 40_000, 90_000):
        message: JsonObject = {
            "type": "message",
            "user": "U1",
            "text": "ä" * length,
            "ts": "1709632800.000100",
        }

        assert len(read([message, *slack(text="Yes")], "slack", "logs/2024-03-05.json").turns) == 3


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("telegram", telegram(text="half \ud83d of it")),
        ("telegram", telegram(text="nul \0 here")),
        ("slack", slack(text="half \ud83d of it")),
        ("slack", slack(text="nul \0 here")),
        ("discord", discord(content="half \udc4d of it")),
        ("messenger", messenger(content="nul \0 here")),
        ("teams-chat", teams({"body": {"contentType": "text", "content": "half \ud83d of it"}})),
    ],
)
def test_one_odd_value_is_mended_with_a_notice(name: str, document: Any) -> None:
    found, source = conversation(document, json.dumps(document).encode(), "x.json")

    done = converted(found, source, ABOUT)

    assert done.vcon is not None
    assert "\ufffd" in done.vcon["dialog"][-1]["body"]
    assert list(done.account.notices) == ["replaced_characters"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("mat &#55357;&#56396;", "mat 👌"),
        ("mat &#xD83D;&#xDC4C;", "mat 👌"),
        ("half &#55357; pair", "half \ufffd pair"),
        ("a&#0;b&#11;c&#10;d", "a\ufffdb\ufffdc\nd"),
        ("a\x0bb", "a\ufffdb"),
    ],
)
def test_references_that_xml_does_not_allow_are_mended(body: str, said: str) -> None:
    sms = f'<sms address="1" date="1709632800000" type="1" body="{body}"/>'
    data = f'<?xml version="1.0"?><smses count="1">{sms}</smses>'
    source = format_of_file(data.encode())
    assert isinstance(source, FileFormat)

    (found,) = source.read(data.encode(), About("sms.xml", AT))

    assert found.turns[0].text == said
