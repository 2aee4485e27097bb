"""create_vcon_from_template: every template makes a valid vCon, and says what does not fit."""

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib import resources

import jsonschema_rs
import pytest

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.spec_files import read_yaml, shipped_json, shipped_text
from vcontract.runtime.vcon.templates import Template

TEMPLATES = ["phone_call", "chat_conversation", "email_thread", "video_meeting", "custom"]
PARTIES: list[JsonObject] = [{"name": "Ada"}, {"name": "Ben", "tel": "tel:+15550001111"}, {}]
START = "2025-10-14T10:30:00Z"
HASH = "sha512-" + "A" * 86
URL = "https://recordings.example/1.wav"
RECORDING: JsonObject = {"recording_url": URL, "content_hash": HASH}

Made = Callable[..., Awaitable[JsonObject]]


@pytest.fixture
def made(call: Call) -> Made:
    """The stored vCon that a template makes of three parties."""

    async def made(template: str, **params: object) -> JsonObject:
        answer = await call(
            "create_vcon_from_template", template_name=template, parties=PARTIES, template_params=params
        )
        assert answer["success"], answer
        stored = await call("get_vcon", uuid=answer["uuid"])
        assert stored["vcon"] == answer["vcon"]
        assert stored["metadata"]["conformance"] == {"version": "0.5.0", "valid": True, "violation_count": 0}
        return {**stored, "conformance": answer["conformance"]}

    return made


@pytest.fixture
def refused(call: Call) -> Made:
    """The details of a template's refusal, after which nothing is stored."""

    async def refused(template: str, **params: object) -> JsonObject:
        answer = await call(
            "create_vcon_from_template", template_name=template, parties=PARTIES, template_params=params
        )
        assert answer["success"] is False
        assert answer["error_code"] == "VALIDATION_ERROR"
        assert (await call("vcon_search", mode="metadata"))["items"] == []
        details: JsonObject = answer["details"]
        return details

    return refused


@pytest.mark.parametrize(
    ("template", "subject", "dialogs"),
    [
        ("phone_call", "Phone call", 1),
        ("chat_conversation", "Chat", 0),
        ("email_thread", "E-mail thread", 0),
        ("video_meeting", "Video meeting", 1),
        ("custom", None, None),
    ],
)
async def test_a_template_without_parameters_makes_a_valid_vcon(
    made: Made, template: str, subject: str | None, dialogs: int | None
) -> None:
    stored = await made(template)

    vcon = stored["vcon"]
    assert stored["conformance"]["valid"] is True
    assert vcon["vcon"] == "0.5.0"
    assert vcon["parties"] == PARTIES
    assert vcon.get("subject") == subject
    assert ("dialog" in vcon) is (dialogs is not None)
    assert len(vcon.get("dialog", [])) == (dialogs or 0)


async def test_subject_and_metadata_are_stored(call: Call) -> None:
    answer = await call(
        "create_vcon_from_template",
        template_name="chat_conversation",
        subject="Yellow bike",
        parties=PARTIES,
        metadata={"filename": "a.json", "tags": {"department": "sales"}},
    )
    stored = await call("get_vcon", uuid=answer["uuid"])

    assert stored["vcon"]["subject"] == "Yellow bike"
    assert stored["metadata"]["filename"] == "a.json"
    assert stored["metadata"]["tags"] == {"department": "sales"}


async def test_a_phone_call_with_everything(made: Made) -> None:
    stored = await made(
        "phone_call",
        start=START,
        duration=61.5,
        originator=1,
        direction="inbound",
        session_id={"local": "a", "remote": "b"},
        **RECORDING,
    )

    assert stored["vcon"]["dialog"] == [
        {
            "type": "recording",
            "start": START,
            "parties": [0, 1, 2],
            "originator": 1,
            "duration": 61.5,
            "session_id": {"local": "a", "remote": "b"},
            "mediatype": "audio/x-wav",
            "url": URL,
            "content_hash": HASH,
        }
    ]
    assert stored["metadata"]["tags"] == {"direction": "inbound"}


async def test_a_recording_without_an_address_is_a_placeholder(made: Made) -> None:
    (dialog,) = (await made("phone_call", start=START))["vcon"]["dialog"]

    assert dialog == {"type": "recording", "start": START, "parties": [0, 1, 2], "originator": 0}


async def test_a_call_that_nobody_took_is_incomplete(made: Made) -> None:
    (dialog,) = (await made("phone_call", start=START, disposition="no-answer"))["vcon"]["dialog"]

    assert dialog == {
        "type": "incomplete",
        "start": START,
        "parties": [0, 1, 2],
        "originator": 0,
        "disposition": "no-answer",
    }


async def test_a_tag_that_is_given_wins_over_the_direction(call: Call) -> None:
    answer = await call(
        "create_vcon_from_template",
        template_name="phone_call",
        parties=PARTIES,
        metadata={"tags": {"direction": "internal"}},
        template_params={"direction": "inbound"},
    )

    stored = await call("get_vcon", uuid=answer["uuid"])
    assert stored["metadata"]["tags"] == {"direction": "internal"}


async def test_the_writer_of_a_chat_message_comes_first(made: Made) -> None:
    messages = [{"from": 1, "text": "Hello?"}, {"from": 0, "text": "Hi", "at": "2025-10-14T10:31:00+02:00"}]

    stored = await made("chat_conversation", start=START, application="webchat", messages=messages)

    same: JsonObject = {
        "type": "text",
        "mediatype": "text/plain",
        "encoding": "none",
        "application": "webchat",
    }
    assert stored["vcon"]["dialog"] == [
        {**same, "start": START, "parties": [1, 0, 2], "body": "Hello?"},
        {**same, "start": "2025-10-14T10:31:00+02:00", "parties": [0, 1, 2], "body": "Hi"},
    ]


async def test_an_email_goes_from_to_and_cc(made: Made) -> None:
    messages = [
        {"from": 1, "to": [0], "cc": [2], "body": "When?", "date": START, "message_id": "<1@x>"},
        {
            "from": 0,
            "to": [1],
            "body": "Now.",
            "date": START,
            "message_id": "<2@x>",
            "in_reply_to": "<1@x>",
            "subject": "Re: When",
        },
    ]

    first, second = (await made("email_thread", messages=messages))["vcon"]["dialog"]

    assert (first["parties"], first["message_id"], first["start"]) == ([1, 0, 2], "<1@x>", START)
    assert "meta" not in first
    assert (second["parties"], second["body"]) == ([0, 1], "Now.")
    assert second["meta"] == {"in_reply_to": "<1@x>", "subject": "Re: When"}


async def test_a_meeting_knows_who_came_and_went_in_the_order_of_time(made: Made) -> None:
    attendance = [
        {"party": 0, "joined": "2025-10-14T10:30:00Z", "left": "2025-10-14T11:00:00Z"},
        {"party": 2, "joined": "2025-10-14T12:29:00+02:00"},
    ]

    stored = await made("video_meeting", organizer=2, attendance=attendance, start=START, **RECORDING)

    (dialog,) = stored["vcon"]["dialog"]
    assert (dialog["type"], dialog["originator"], dialog["mediatype"]) == ("recording", 2, "video/x-mp4")
    assert "party_history" not in dialog
    place = {"session": 0, "dialog": 0}
    assert stored["vcon"]["events"] == [
        {"type": "join", **place, "party": 2, "time": "2025-10-14T12:29:00+02:00"},
        {"type": "join", **place, "party": 0, "time": "2025-10-14T10:30:00Z"},
        {"type": "drop", **place, "party": 0, "time": "2025-10-14T11:00:00Z"},
    ]
    assert stored["vcon"]["sessions"] == [{"start": START, "parties": [0, 1, 2], "dialog": [0]}]
    assert "kept_from" not in stored["vcon"]


async def test_a_custom_vcon_has_exactly_what_is_given(made: Made) -> None:
    given: JsonObject = {
        "dialog": [{"type": "text", "start": START, "parties": 0, "body": "x", "encoding": "none"}],
        "analysis": [{"type": "summary", "vendor": "acme", "body": "x", "encoding": "none"}],
        "attachments": [{"purpose": "note", "start": START, "party": 0, "body": "x", "encoding": "none"}],
    }
    for element in (*given["dialog"], *given["analysis"], *given["attachments"]):
        element["mediatype"] = "text/plain"
    given["attachments"][0]["dialog"] = 0

    vcon = (await made("custom", fields={"x-crm": {"lead": 1}}, **given))["vcon"]

    assert vcon == {
        "vcon": "0.5.0",
        "uuid": vcon["uuid"],
        "created_at": vcon["created_at"],
        "parties": PARTIES,
        "sessions": [{"start": START, "parties": [0], "dialog": [0]}],
        "x-crm": {"lead": 1},
        **given,
    }


OF_ONE_VERSION: list[tuple[JsonObject, str]] = [
    ({"dialog": [{"type": "recording", "party_history": []}]}, "0.4.0"),
    ({"dialog": [{"type": "transfer", "original": 0}]}, "0.4.0"),
    ({"fields": {"sessions": [{"start": START}]}}, "0.5.0"),
    ({"fields": {"amended_from": {"uuid": "01928e10-193e-8231-b9a2-279e0d16bc46"}}}, "0.5.0"),
    ({"fields": {"amended": {"uuid": "01928e10-193e-8231-b9a2-279e0d16bc46"}}}, "0.4.0"),
]


@pytest.mark.parametrize(("given", "version"), OF_ONE_VERSION)
async def test_a_custom_vcon_is_of_the_version_that_has_its_members(
    call: Call, given: JsonObject, version: str
) -> None:
    answer = await call(
        "create_vcon_from_template", template_name="custom", parties=PARTIES, template_params=given
    )

    assert (answer["vcon"]["vcon"], answer["conformance"]["valid"]) == (version, True)
    assert answer["vcon"].get("dialog", []) == given.get("dialog", [])
    assert given.get("fields", {}).items() <= answer["vcon"].items()


@pytest.mark.unit
def test_the_version_of_a_template_can_be_0_4_0() -> None:
    attendance = [{"party": 0, "joined": START}]
    now = datetime(2025, 1, 1, tzinfo=UTC)

    vcon, _ = Template.load("video_meeting").make(PARTIES, {"attendance": attendance}, None, now, "0.4.0")

    assert vcon["vcon"] == "0.4.0"
    assert vcon["dialog"][0]["party_history"] == [{"party": 0, "time": START, "event": "join"}]


async def test_a_date_is_written_as_the_vcon_needs_it(made: Made) -> None:
    (dialog,) = (await made("phone_call", start="2025-10-14 10:30"))["vcon"]["dialog"]

    assert dialog["start"] == START


@pytest.mark.parametrize("template", TEMPLATES)
async def test_one_party_is_refused(call: Call, template: str) -> None:
    answer = await call("create_vcon_from_template", template_name=template, parties=[{"name": "Ada"}])

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"]["parameter"] == "parties"


@pytest.mark.parametrize("template", TEMPLATES)
async def test_an_unknown_parameter_names_the_known_ones(refused: Made, template: str) -> None:
    details = await refused(template, colour="red")

    assert details["parameter"] == "template_params.colour"
    assert details["reason"] == "unknown_parameter"
    assert details["accepted"] == list(Template.load(template).params)


@pytest.mark.parametrize(
    ("template", "params", "parameter", "reason"),
    [
        ("phone_call", {"originator": 3}, "template_params.originator", "party_out_of_range"),
        ("video_meeting", {"organizer": 3}, "template_params.organizer", "party_out_of_range"),
        (
            "chat_conversation",
            {"messages": [{"from": 3, "text": ""}]},
            "messages[0].from",
            "party_out_of_range",
        ),
        (
            "email_thread",
            {"messages": [{"from": 0, "to": [1, 3], "body": ""}]},
            "[0].to[1]",
            "party_out_of_range",
        ),
        ("phone_call", {"originator": -1}, "template_params.originator", "out_of_range"),
        ("phone_call", {"duration": -1}, "template_params.duration", "out_of_range"),
        ("phone_call", {"start": "yesterday"}, "template_params.start", "bad_date"),
        ("phone_call", {"start": "2025-02-30"}, "template_params.start", "bad_date"),
        ("phone_call", {"direction": "sideways"}, "template_params.direction", "unknown_value"),
        ("phone_call", {"disposition": "asleep"}, "template_params.disposition", "unknown_value"),
        ("phone_call", {"recording_url": URL}, "template_params.content_hash", "together"),
        ("phone_call", {"content_hash": HASH}, "template_params.recording_url", "together"),
        ("phone_call", {**RECORDING, "recording_url": "http://a.example"}, "recording_url", "malformed"),
        ("phone_call", {**RECORDING, "content_hash": "md5"}, "content_hash", "malformed"),
        ("phone_call", {"disposition": "busy", "mediatype": "a/b"}, "template_params.mediatype", "apart"),
        ("chat_conversation", {"messages": [{"from": 0}]}, "messages[0].text", "missing"),
        (
            "chat_conversation",
            {"messages": [{"from": 0, "text": "", "to": 1}]},
            "messages[0].to",
            "unknown_parameter",
        ),
        ("video_meeting", {"attendance": [{"party": 0, "joined": "noon"}]}, "[0].joined", "bad_date"),
        ("custom", {"fields": {"uuid": "x"}}, "template_params.fields.uuid", "not_a_field"),
        ("custom", {"fields": {"dialog": []}}, "template_params.fields.dialog", "not_a_field"),
    ],
)
async def test_a_parameter_that_does_not_fit_is_named(
    refused: Made, template: str, params: JsonObject, parameter: str, reason: str
) -> None:
    details = await refused(template, **params)

    assert details["parameter"].endswith(parameter)
    assert details["reason"] == reason


@pytest.mark.parametrize(
    ("template", "params", "path"),
    [
        ("custom", {"dialog": [{"type": "shout"}]}, "$.template_params.dialog[0].type"),
        ("custom", {"analysis": [{"type": "summary"}]}, "$.template_params.analysis[0].vendor"),
        ("custom", {"fields": {"extensions": "cc"}}, "$.template_params.fields.extensions"),
        ("custom", {"fields": {"x": "a\0b"}}, "$.template_params.fields.x"),
        ("phone_call", {"session_id": {"local": 5}}, "$.template_params.session_id.local"),
        ("chat_conversation", {"messages": [{"from": 0, "text": "a\0b"}]}, "$.template_params.body"),
    ],
)
async def test_what_would_not_be_valid_is_refused_with_its_place(
    refused: Made, template: str, params: JsonObject, path: str
) -> None:
    details = await refused(template, **params)

    assert path in [violation["path"] for violation in details["violations"]]


async def test_a_party_that_would_not_be_valid_is_refused_with_its_place(call: Call) -> None:
    answer = await call(
        "create_vcon_from_template", template_name="phone_call", parties=[{"name": "Ada"}, {"tel": 5}]
    )

    assert [violation["path"] for violation in answer["details"]["violations"]] == ["$.parties[1].tel"]


async def test_a_tag_that_cannot_be_one_is_refused_with_its_place(call: Call) -> None:
    answer = await call(
        "create_vcon_from_template",
        template_name="phone_call",
        parties=PARTIES,
        metadata={"tags": {"a:b": "c"}},
    )

    assert answer["details"]["violations"][0]["path"].startswith("$.metadata.tags")


async def test_a_made_vcon_is_found_by_its_words(call: Call, made: Made) -> None:
    stored = await made("chat_conversation", messages=[{"from": 0, "text": "xylophone repair"}])

    found = await call("vcon_search", mode="keyword", query="xylophone")

    assert [item["uuid"] for item in found["items"]] == [stored["vcon"]["uuid"]]


@pytest.mark.parametrize("file", sorted(f"{name}.yaml" for name in TEMPLATES))
def test_a_template_file_fits_its_schema_and_refers_to_its_own_parameters(file: str) -> None:
    text = shipped_text("templates", file)
    schema = shipped_json("meta", "template.schema.json")

    entry = read_yaml(text)

    jsonschema_rs.validator_for(schema).validate(json.loads(json.dumps(entry)))
    assert text.startswith("# yaml-language-server: $schema=../meta/template.schema.json\n")
    assert f"{entry['name']}.yaml" == file
    groups = [*entry.get("together", []), *entry.get("apart", []), entry.get("tags", [])]
    assert {name for group in groups for name in group} <= set(entry["params"])
    jsonschema_rs.Draft202012Validator({"properties": entry["params"]})


def test_there_is_a_template_file_for_each_name() -> None:
    folder = resources.files("vcontract.spec").joinpath("templates")

    assert sorted(file.name for file in folder.iterdir()) == sorted(f"{name}.yaml" for name in TEMPLATES)
