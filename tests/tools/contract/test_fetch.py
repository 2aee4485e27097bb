"""vcon_fetch: the groups asked for and nothing else, within a budget measured to the byte."""

import json

import pytest

from tests.conftest import Ask, Call
from tests.tools.contract.conftest import Store, StoreFor
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json

GROUPS = [
    *("core", "parties", "summary", "transcript", "tags", "dealer"),
    *("counts", "events", "dialog", "analysis", "attachments"),
]
CORE = {"began_at", "id", "uuid", "created_at", "updated_at", "vcon_version", "subject"}

CONVERSATION: JsonObject = {
    "vcon": "0.4.0",
    "created_at": "2025-10-14T10:30:00+02:00",
    "subject": "Réfünd ‹日本› 💸 " * 50,
    "parties": [{"name": "Agent Smith", "role": "agent"}, {"name": "Jöhn", "tel": "+1-555-1234"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-10-14T10:30:00Z",
            "parties": 1,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "I want my money back",
        }
    ],
    "analysis": [
        {"type": "summary", "vendor": "acme", "encoding": "none", "body": "They want money.", "dialog": 0},
        {"type": "transcript", "vendor": "acme", "encoding": "json", "body": [{"speaker": "A", "text": "x"}]},
    ],
    "attachments": [
        {
            "purpose": "strolid_dealer",
            "start": "2025-10-14T10:30:00Z",
            "party": 0,
            "dialog": 0,
            "mediatype": "application/json",
            "encoding": "json",
            "body": '{"id": 815, "name": "Horse & Sons", "outboundPhoneNumber": "+15550001111", '
            '"team": {"id": 4, "name": "West"}}',
        }
    ],
}


@pytest.fixture
async def uuid(call: Call) -> str:
    created = await call("create_vcon", vcon_data=CONVERSATION, metadata={"tags": {"priority": 2}})
    assert created["success"], created
    found: str = created["uuid"]
    return found


async def one(call: Call, store: Store, document: JsonObject, *include: str) -> JsonObject:
    """The item of a vCon that is stored as it is."""
    (id_,) = await store([{"parties": [{"name": "A"}], **document}])
    answer = await call("vcon_fetch", id=id_, include=list(include))
    item: JsonObject = answer["item"]
    return item


def turn(party: int, body: str) -> JsonObject:
    return {"type": "text", "parties": [party], "mediatype": "text/plain", "encoding": "none", "body": body}


def analysis(type_: str, body: object, dialog: int = 0) -> JsonObject:
    return {"type": type_, "vendor": "v", "dialog": dialog, "encoding": "json", "body": body}


SAID: list[JsonObject] = [{"speaker": "Ann", "text": "My parcel is late."}]
TALK: list[JsonObject] = [
    {"speaker": "Ann", "text": "My parcel is late.", "start": 1, "end": 3},
    {"speaker": "Bob", "text": "It comes today.", "start": 8.5, "end": 10},
]
RECORDING: JsonObject = {"type": "recording", "start": "2025-10-14T10:00:00Z", "duration": 12}


@pytest.mark.parametrize(
    ("document", "transcript"),
    [
        (
            {"dialog": [turn(0, "My parcel is late."), {"type": "recording"}, turn(1, "It comes today.")]},
            {
                "source": "dialog",
                "text": "Ann: My parcel is late.\nBob: It comes today.",
                "total_turns": 3,
                "untranscribed": [1],
            },
        ),
        (
            {"analysis": [analysis("transcript", "My parcel is late."), analysis("diarized", SAID)]},
            {"source": "analysis", "type": "diarized", "text": "Ann: My parcel is late.", "total_turns": 1},
        ),
        (
            {"analysis": [analysis("transcript", "One."), analysis("transcript", "Two.", 1)]},
            {"source": "analysis", "type": "transcript", "text": "One.\nTwo.", "total_turns": 2},
        ),
        # what was said goes before what was made of it
        (
            {"dialog": [turn(1, "Hello")], "analysis": [analysis("transcript", "Hello")]},
            {"source": "dialog", "text": "Bob: Hello", "total_turns": 1},
        ),
        # a recording has the words of its transcript, and everything is in order of time
        (
            {
                "dialog": [
                    turn(1, "It arrived.") | {"start": "2025-10-14T12:00:00Z"},
                    RECORDING,
                    turn(1, "You there?") | {"start": "2025-10-14T10:00:05Z"},
                ],
                "analysis": [analysis("transcript", TALK, 1), analysis("transcript", "It arrived.")],
            },
            {
                "source": "both",
                "type": "transcript",
                "text": "Ann: My parcel is late.\nBob: You there?\nBob: It comes today.\nBob: It arrived.",
                "total_turns": 4,
            },
        ),
        # one that refers to no dialog is of the only one without words
        (
            {"dialog": [turn(0, "Hello"), RECORDING], "analysis": [analysis("transcript", TALK, 7)]},
            {
                "source": "both",
                "type": "transcript",
                "text": "Ann: Hello\nAnn: My parcel is late.\nBob: It comes today.",
                "total_turns": 3,
            },
        ),
        ({"analysis": [analysis("summary", "They talked.")]}, None),
    ],
)
async def test_a_transcript_is_what_was_said_once(
    call: Call, store: Store, document: JsonObject, transcript: JsonObject | None
) -> None:
    parties = [{"name": "Ann"}, {"name": "Bob"}]

    item = await one(call, store, {"parties": parties, **document}, "transcript")

    assert item["transcript"] == transcript
    assert not item.keys() & {"parties", "dialog", "analysis"}


@pytest.mark.parametrize(
    ("turns", "shown"),
    [
        ("1", [1]),
        ("0-1", [0, 1]),
        (" 2 ,0 - 1", [0, 1, 2]),
        ("2-", [2, 3]),
        ("1-1, 1-2", [1, 2]),
        ("3-999999", [3]),
        ("50", []),
        ("", None),
    ],
)
async def test_turns_limits_the_transcript_to_turns_and_numbers_them(
    call: Call, store: Store, turns: str, shown: list[int] | None
) -> None:
    said = ["One.", "Two.", "Three.", "Four."]
    (id_,) = await store([{"parties": [{"name": "Ann"}], "dialog": [turn(0, text) for text in said]}])

    answer = await call("vcon_fetch", id=id_, include=["transcript"], turns=turns)

    item = answer["item"]
    transcript = item["transcript"]
    assert transcript["total_turns"] == answer["meta"].get("total_turns", 4) == 4
    if shown is None:
        assert "turns" not in item
    else:
        assert transcript["text"] == "\n".join(f"Ann: {said[number]}" for number in shown)
        assert item["turns"] == [
            {"turn": number, "speaker": "Ann", "dialog": number, "text": said[number]} for number in shown
        ]


async def test_turns_alone_are_read_as_lines_of_text(ask: Ask, store: Store) -> None:
    document = {
        "created_at": "2025-10-14T10:00:00Z",
        "subject": "The roof",
        "parties": [{"name": "Ann"}],
        "dialog": [
            turn(0, "One.") | {"start": "2025-10-14T10:00:00Z"},
            RECORDING | {"start": "2025-10-14T10:01:00Z"},
            turn(0, "Three.") | {"start": "2025-10-15T10:00:00Z"},
            turn(0, "Four.") | {"start": "2025-10-15T10:01:00Z"},
        ],
    }
    (id_,) = await store([document])

    alone = await ask("vcon_fetch", id=id_, turns="0,2-3")
    beyond = await ask("vcon_fetch", id=id_, turns="9-")
    silent = await ask("vcon_fetch", id=id_, include=["core"], turns="1")
    besides = await ask("vcon_fetch", id=id_, include=["tags"], turns="0")

    assert alone.text == (
        "Tue 2025-10-14 10:00 | The roof\n[0] Ann: One.\n… 1\n"
        "[2] (Wed 2025-10-15) Ann: Three.\n[3] Ann: Four.\n\n"
        "4 turns in all."
    )
    assert beyond.text == "No turn has these numbers; 4 turns in all, 0 to 3."
    assert [each["turn"] for each in alone.structured["item"]["turns"]] == [0, 2, 3]
    assert "transcript" not in alone.structured["item"]
    assert silent.structured["item"]["turns"][0]["instead"] in silent.text
    assert parse_json(besides.text) == besides.structured


async def test_some_turns_are_numbered_in_order_of_time_whatever_their_order_in_the_vcon(
    call: Call, store: Store
) -> None:
    late, early = turn(0, "Later.") | {"start": "2025-10-14T11:00:00Z"}, turn(0, "Earlier.")
    early["start"] = "2025-10-14T10:00:00Z"
    document = {"parties": [{"name": "Ann"}], "dialog": [late, early]}
    (id_,) = await store([document])

    answer = await call("vcon_fetch", id=id_, turns="0")

    assert answer["meta"]["total_turns"] == 2
    assert [(each["turn"], each["dialog"], each["text"]) for each in answer["item"]["turns"]] == [
        (0, 1, "Earlier.")
    ]


async def test_a_turn_without_words_is_counted_when_others_are_fetched(call: Call, store: Store) -> None:
    document = {"parties": [{"name": "Ann"}], "dialog": [turn(0, "One."), RECORDING, turn(0, "Three.")]}
    (id_,) = await store([document])

    answer = await call("vcon_fetch", id=id_, turns="2")

    assert answer["meta"]["total_turns"] == 3
    assert [each["text"] for each in answer["item"]["turns"]] == ["Three."]


async def test_each_turn_says_who_says_it_when_and_where_its_words_are(call: Call, store: Store) -> None:
    chat = turn(1, "Thanks") | {"start": "2025-10-14T10:01:00Z"}
    document = {
        "parties": [{"name": "Ann"}, {"tel": "+49301234"}],
        "dialog": [RECORDING, chat, {"type": "recording", "duration": 12}],
        "analysis": [analysis("summary", "Late."), analysis("transcript", TALK, 0)],
    }
    (id_,) = await store([document])

    answer = await call("vcon_fetch", id=id_, turns="1-")

    assert answer["meta"]["include"] == ["core"]
    assert answer["item"]["turns"] == [
        {
            "turn": 1,
            "speaker": "Bob",
            "at": "2025-10-14T10:00:08.500000Z",
            "dialog": 0,
            "analysis": 1,
            "text": "It comes today.",
        },
        {"turn": 2, "speaker": "+49301234", "at": "2025-10-14T10:01:00Z", "dialog": 1, "text": "Thanks"},
        {"turn": 3, "dialog": 2, "text": "", "instead": "recording, 12 s, without content"},
    ]


@pytest.mark.parametrize("turns", ["the last ten", "10-5", "-3", "1,,2", "1.5", "3;4", "1-2-3"])
async def test_turns_that_are_no_ranges_are_rejected_with_an_example(
    call: Call, uuid: str, turns: str
) -> None:
    answer = await call("vcon_fetch", id=uuid, turns=turns)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"]["value"] == turns
    assert answer["error"]["details"]["accepted"] == ["3, 10-16, 40-"]


@pytest.mark.parametrize("group", GROUPS)
async def test_a_single_group_emits_core_and_itself_and_nothing_else(
    call: Call, uuid: str, group: str
) -> None:
    answer = await call("vcon_fetch", id=uuid, include=[group])

    members = {"core": set[str](), "events": {"sessions", "events"}}.get(group, {group})
    assert answer["item"].keys() == CORE | members
    assert answer["meta"]["include"] == (["core"] if group == "core" else ["core", group])


async def test_all_groups_together_emit_all_of_them(call: Call, uuid: str) -> None:
    answer = await call("vcon_fetch", id=uuid, include=GROUPS)

    assert answer["item"].keys() == CORE | (set(GROUPS) - {"core"}) | {"sessions"}
    assert answer["meta"]["include"] == GROUPS


async def test_the_groups_hold_what_was_put_in(call: Call, uuid: str) -> None:
    item = (await call("vcon_fetch", id=uuid, include=GROUPS))["item"]

    assert item["id"] == item["uuid"] == uuid
    assert item["vcon_version"] == "0.4.0"
    assert item["subject"] == CONVERSATION["subject"]
    assert item["created_at"] == "2025-10-14T08:30:00Z"
    assert item["updated_at"].endswith("Z")
    for name in ("parties", "dialog", "analysis"):
        assert item[name] == CONVERSATION[name]
    assert item["tags"] == {"priority": 2}
    lengths = {"parties": 2, "dialog": 1, "analysis": 2, "attachments": 2}
    assert lengths.items() <= item["counts"].items()
    assert len(item["attachments"]) == 2
    assert item["attachments"][0] == CONVERSATION["attachments"][0]
    assert item["summary"] == [
        {"analysis_index": 0, "type": "summary", "vendor": "acme", "dialog": 0, "text": "They want money."}
    ]
    assert item["dealer"] == {
        "id": "815",
        "name": "Horse & Sons",
        "outboundPhoneNumber": "+15550001111",
        "team": {"id": "4", "name": "West"},
        "source": "strolid_dealer",
    }


@pytest.mark.parametrize(
    ("arguments", "emitted"),
    [
        ({}, ["core", "parties", "summary"]),
        ({"include": []}, ["core", "parties", "summary"]),
        ({"include": ["tags", "parties", "tags", "core", "parties"]}, ["core", "parties", "tags"]),
        ({"include": ["counts", "dealer"]}, ["core", "dealer", "counts"]),
    ],
)
async def test_groups_come_in_any_order_doubles_are_ignored_and_none_is_the_default(
    call: Call, uuid: str, arguments: JsonObject, emitted: list[str]
) -> None:
    answer = await call("vcon_fetch", id=uuid, **arguments)

    assert answer["meta"]["include"] == emitted
    assert answer["item"].keys() == CORE | (set(emitted) - {"core"})


async def test_an_unknown_group_is_refused_with_the_known_ones(call: Call, uuid: str) -> None:
    answer = await call("vcon_fetch", id=uuid, include=["core", "cores", "tag"])

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"]["invalid_values"] == ["cores", "tag"]
    assert answer["error"]["details"]["accepted"] == GROUPS


@pytest.mark.parametrize("name", ["id", "uuid"])
async def test_a_vcon_is_fetched_by_either_name_in_any_case(call: Call, uuid: str, name: str) -> None:
    answer = await call("vcon_fetch", **{name: uuid.upper()})

    assert answer["item"]["id"] == uuid


async def test_id_and_uuid_together_must_be_equal(call: Call, uuid: str) -> None:
    other = "01939c3a-6f00-8abc-9def-0123456789ab"
    equal = await call("vcon_fetch", id=uuid, uuid=uuid.upper())
    different = await call("vcon_fetch", id=uuid, uuid=other)

    assert equal["ok"]
    assert different["error"]["code"] == "INVALID_ARGUMENT"
    assert different["error"]["details"]["parameter"] == "uuid"


async def test_one_of_id_and_uuid_is_needed(call: Call) -> None:
    answer = await call("vcon_fetch", include=["core"])

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"]["parameter"] == "id"


@pytest.mark.parametrize(
    "text",
    ["", " ", "1", "01939c3a6f008abc9def0123456789ab", "{01939c3a-6f00-8abc-9def-0123456789ab}", "a" * 36],
)
async def test_a_malformed_id_is_an_invalid_argument(call: Call, text: str) -> None:
    answer = await call("vcon_fetch", id=text)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert "id" in str(answer["error"]["details"])


async def test_an_unknown_id_is_not_found(call: Call) -> None:
    answer = await call("vcon_fetch", id="01939C3A-6f00-8abc-9def-0123456789ab")

    assert answer["error"]["code"] == "NOT_FOUND"
    assert answer["error"]["details"] == {"id": "01939c3a-6f00-8abc-9def-0123456789ab"}


async def test_response_bytes_are_the_bytes_of_the_text_and_the_exact_budget_succeeds(
    ask: Ask, uuid: str
) -> None:
    for include in ([], GROUPS, ["core", "dialog", "attachments"]):
        whole = await ask("vcon_fetch", id=uuid, include=include)
        size = whole.structured["meta"]["response_bytes"]
        # a budget of as many digits as the default one, so that the answer keeps its size
        shorter = len("250000") - len(str(size))

        exact = await ask("vcon_fetch", id=uuid, include=include, max_response_bytes=size - shorter)
        less = await ask("vcon_fetch", id=uuid, include=include, max_response_bytes=size - shorter - 1)

        assert size == len(whole.text.encode())
        assert not whole.text.isascii()
        assert exact.structured["meta"]["response_bytes"] == size - shorter == len(exact.text.encode())
        assert less.structured["error"]["code"] == "RESPONSE_TOO_LARGE"
        assert less.structured["error"]["details"]["response_bytes"] == size - shorter


async def test_a_large_vcon_is_refused_whole_and_the_suggestion_succeeds(ask: Ask, store: Store) -> None:
    sound = {"type": "recording", "parties": 0, "mediatype": "audio/wav", "encoding": "base64url"}
    dialog = [{**sound, "body": "A" * 1100} for _ in range(2800)]
    (uuid,) = await store([{"subject": "Long", "parties": [{"name": "A"}], "dialog": dialog}])

    refused = await ask("vcon_fetch", id=uuid, include=GROUPS, max_response_bytes=240_000)
    details = refused.structured["error"]["details"]
    suggestion, estimated = details["suggestion"], details["estimated_bytes"]
    followed = await ask("vcon_fetch", id=uuid, **suggestion)
    asked_again = await ask("vcon_fetch", id=uuid, include=GROUPS, max_response_bytes=10_000_000)

    assert details["response_bytes"] > 3_000_000
    assert refused.structured["error"]["code"] == "RESPONSE_TOO_LARGE"
    assert len(refused.text.encode()) < 1024
    assert details["approximate_bytes"].keys() == set(GROUPS)
    assert sum(details["approximate_bytes"].values()) <= details["response_bytes"]
    assert details["approximate_bytes"]["dialog"] > 2_900_000
    assert not followed.is_error
    assert followed.structured["meta"]["response_bytes"] <= estimated <= suggestion["max_response_bytes"]
    assert suggestion["max_response_bytes"] < estimated + 2_048
    assert followed.structured["meta"]["include"] == GROUPS
    assert len(asked_again.structured["item"]["dialog"]) == 2800


@pytest.mark.parametrize("include", [None, ["transcript"], ["tags"]])
async def test_of_too_many_turns_the_first_that_fit_are_suggested(
    ask: Ask, store: Store, include: list[str] | None
) -> None:
    said = {"type": "text", "parties": 0, "mediatype": "text/plain", "encoding": "none"}
    dialog = [
        {**said, "start": f"2025-10-14T10:{number:02}:00Z", "body": f"Turn {number}: " + "é" * 200}
        for number in range(30)
    ]
    (uuid,) = await store([{"parties": [{"name": "A"}], "dialog": dialog}])
    asked = {"id": uuid, "turns": "2, 4-9, 12-", **({} if include is None else {"include": include})}

    whole = await ask("vcon_fetch", **asked)
    budget = whole.structured["meta"]["response_bytes"] // 2
    refused = await ask("vcon_fetch", **asked, max_response_bytes=budget)
    details = refused.structured["error"]["details"]
    followed = await ask("vcon_fetch", **asked | details["suggestion"], max_response_bytes=budget)

    assert refused.structured["error"]["code"] == "RESPONSE_TOO_LARGE"
    assert details["suggestion"].keys() == {"turns"}
    assert details["suggestion"]["turns"].startswith("2, 4-9, 12-")
    numbers = [turn["turn"] for turn in followed.structured["item"]["turns"]]
    assert numbers == [turn["turn"] for turn in whole.structured["item"]["turns"]][: len(numbers)]
    assert followed.structured["meta"]["response_bytes"] <= details["estimated_bytes"] <= budget


@pytest.mark.parametrize("include", [["transcript"], ["parties", "transcript", "tags"]])
async def test_of_a_whole_transcript_the_first_turns_that_fit_are_suggested(
    ask: Ask, store: Store, include: list[str]
) -> None:
    dialog = [
        turn(number % 2, f"Turn {number}: " + "é" * (number * 7 % 200))
        | {"start": f"2025-10-14T10:{number:02}:00Z"}
        for number in range(40)
    ]
    (uuid,) = await store([{"parties": [{"name": "Ann"}, {"name": "Bo"}], "dialog": dialog}])

    whole = await ask("vcon_fetch", id=uuid, include=include)
    budget = whole.structured["meta"]["response_bytes"] // 2
    refused = await ask("vcon_fetch", id=uuid, include=include, max_response_bytes=budget)
    details = refused.structured["error"]["details"]
    followed = await ask(
        "vcon_fetch", id=uuid, include=include, max_response_bytes=budget, **details["suggestion"]
    )

    assert details["suggestion"].keys() == {"turns"}
    shown = followed.structured["item"]["turns"]
    assert [each["turn"] for each in shown] == [*range(len(shown))]
    assert len(shown) > 1
    assert followed.structured["meta"]["response_bytes"] <= details["estimated_bytes"] <= budget


async def test_when_not_even_core_fits_the_suggestion_is_a_larger_budget(ask: Ask, store: Store) -> None:
    (uuid,) = await store([{"subject": "s" * 5000, "parties": [{"name": "A"}]}])

    refused = await ask("vcon_fetch", id=uuid, max_response_bytes=1024)
    details = refused.structured["error"]["details"]
    suggestion, estimated = details["suggestion"], details["estimated_bytes"]
    followed = await ask("vcon_fetch", id=uuid, **suggestion)

    assert refused.structured["error"]["code"] == "RESPONSE_TOO_LARGE"
    assert suggestion["max_response_bytes"] >= estimated > 5000
    assert not followed.is_error
    assert followed.structured["meta"]["response_bytes"] <= estimated


@pytest.mark.parametrize("budget", [1023, 0, -1, 10_000_001, 2048.5, "many"])
async def test_a_budget_out_of_bounds_is_an_invalid_argument(call: Call, uuid: str, budget: object) -> None:
    answer = await call("vcon_fetch", id=uuid, max_response_bytes=budget)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert "max_response_bytes" in answer["error"]["message"]


async def test_an_attachment_put_in_with_a_type_comes_out_with_a_purpose(call: Call) -> None:
    given: JsonObject = {"type": "invoice", "body": "12 EUR", "encoding": "none"}
    created = await call(
        "create_vcon",
        vcon_data={"parties": [{"name": "A"}], "attachments": [given]},
        validate_before_insert=False,
    )

    fetched = await call("vcon_fetch", id=created["uuid"], include=["attachments"])
    stored = await call("get_vcon", uuid=created["uuid"])

    assert fetched["item"]["attachments"] == [{"purpose": "invoice", "body": "12 EUR", "encoding": "none"}]
    assert stored["vcon"]["attachments"] == [given]


@pytest.mark.parametrize(
    ("given", "emitted"),
    [
        ({"purpose": "invoice"}, {"purpose": "invoice"}),
        ({"purpose": "invoice", "type": "invoice"}, {"purpose": "invoice"}),
        ({"purpose": "invoice", "type": "pdf"}, {"purpose": "invoice", "type": "pdf"}),
        ({"purpose": 7, "type": "pdf"}, {"purpose": "pdf"}),
        ({"type": None}, {"type": None}),
        ({"filename": "a.pdf"}, {"filename": "a.pdf"}),
    ],
)
async def test_the_type_of_an_attachment_stays_only_where_it_differs_from_its_purpose(
    call: Call, store: Store, given: JsonObject, emitted: JsonObject
) -> None:
    item = await one(call, store, {"attachments": [given]}, "attachments")

    assert item["attachments"] == [emitted]


async def test_must_support_comes_out_as_critical(call: Call) -> None:
    created = await call(
        "create_vcon",
        vcon_data={"parties": [{"name": "A"}], "must_support": ["cc"], "appended": {"uuid": "x"}},
        validate_before_insert=False,
    )

    item = (await call("vcon_fetch", id=created["uuid"], include=["core"]))["item"]

    assert item["critical"] == ["cc"]
    assert item["amended"] == {"uuid": "x"}
    assert "must_support" not in str(item)
    assert "appended" not in str(item)


async def test_further_members_are_named_and_not_shown(call: Call, store: Store) -> None:
    item = await one(
        call,
        store,
        {"zeta": {"secret": 1}, "must_support": ["a"], "critical": ["cc"], "extensions": ["cc"], "alpha": 2},
        "core",
    )

    # must_support came beside the current name, so it is one of the unknown members
    assert sorted(item["other_members"]) == ["alpha", "must_support", "zeta"]
    assert item["critical"] == ["cc"]
    assert "secret" not in str(item)


async def test_a_member_of_another_type_than_published_is_named_among_the_others(
    call: Call, store: Store
) -> None:
    item = await one(call, store, {"redacted": {"uuid": "x"}, "group": [], "meta": {}}, "core")

    assert item["redacted"] == {"uuid": "x"}
    assert sorted(item["other_members"]) == ["group", "meta"]


async def test_absent_arrays_are_empty_and_nothing_is_null_but_dealer_and_transcript(
    call: Call, store: Store
) -> None:
    item = await one(call, store, {}, *GROUPS)

    assert item["parties"] == [{"name": "A"}]
    assert item["dialog"] == item["analysis"] == item["attachments"] == item["summary"] == []
    assert item["tags"] == {}
    assert item["dealer"] is None
    lengths = {"parties": 1, "dialog": 0, "analysis": 0, "attachments": 0}
    assert item["counts"] == {**lengths, "turns": 0, "words": 0, "speakers": []}
    assert [name for name, value in item.items() if value is None] == ["transcript", "dealer"]


def dealer_attachment(purpose: str, body: object, **members: object) -> JsonObject:
    return {"purpose": purpose, "body": body, **members}


@pytest.mark.parametrize(
    ("attachments", "expected"),
    [
        (
            [dealer_attachment("bria_call_ended", {"dealerId": "77", "dealerName": "Iron Horse"})],
            ("77", "Iron Horse", "bria_call_ended"),
        ),
        (
            [
                dealer_attachment("bria_call_ended", {"dealerId": 1, "dealerName": "Later in the table"}),
                dealer_attachment("strolid_dealer", '{"id": 2, "name": "First"}', encoding="json"),
            ],
            ("2", "First", "strolid_dealer"),
        ),
        (
            [
                dealer_attachment("strolid_dealer", '{"id": 815, "name": ', encoding="json"),
                dealer_attachment("strolid_dealer", {"id": "816"}),
            ],
            ("816", None, "strolid_dealer"),
        ),
        (
            [
                dealer_attachment("strolid_dealer", '{"broken', encoding="json"),
                dealer_attachment("bria_call_ended", '{"dealerId": 9}', encoding="json"),
            ],
            ("9", None, "bria_call_ended"),
        ),
        (
            [{"type": "strolid_dealer", "body": {"id": 5.0, "name": "Old style"}}],
            ("5", "Old style", "strolid_dealer"),
        ),
        ([dealer_attachment("strolid_dealer", '{"broken', encoding="json")], None),
        ([dealer_attachment("strolid_dealer", [1, 2])], None),
        ([dealer_attachment("strolid_dealer", {"id": ""})], None),
        ([dealer_attachment("strolid_dealer", {"id": True})], None),
        ([dealer_attachment("other_dealer", {"id": "1"})], None),
    ],
)
async def test_the_dealer_is_read_from_the_first_usable_attachment_of_a_known_purpose(
    call: Call,
    store: Store,
    attachments: list[JsonObject],
    expected: tuple[str, str | None, str] | None,
) -> None:
    item = await one(call, store, {"attachments": attachments}, "dealer")

    if expected is None:
        assert item["dealer"] is None
    else:
        dealer = item["dealer"]
        assert (dealer["id"], dealer.get("name"), dealer["source"]) == expected
        assert dealer["team"] is None


async def test_a_broken_dealer_body_is_a_warning_when_it_is_written(call: Call) -> None:
    created = await call(
        "create_vcon",
        vcon_data={
            "parties": [{"name": "A"}],
            "attachments": [dealer_attachment("strolid_dealer", '{"id": ', encoding="json")],
        },
        validate_before_insert=False,
    )

    assert [(warning["code"], warning["path"]) for warning in created["warnings"]] == [
        ("dealer_ignored", "$.attachments[0].body")
    ]


@pytest.mark.parametrize(
    ("analysis", "text"),
    [
        ({"encoding": "none", "body": "Plain words."}, "Plain words."),
        ({"body": "No encoding."}, "No encoding."),
        ({"encoding": "json", "body": {"summary": "Inside an object."}}, "Inside an object."),
        ({"encoding": "json", "body": json.dumps({"text": "Inside JSON text."})}, "Inside JSON text."),
        ({"encoding": "json", "body": json.dumps("A JSON string.")}, "A JSON string."),
        (
            {"encoding": "base64url", "mediatype": "text/plain", "body": "RGVjb2RlZC4"},
            "Decoded.",
        ),
        ({"mediatype": "text/html", "body": "<p>Without <b>tags</b>.</p>"}, "Without tags."),
        ({}, ""),
        ({"body": None}, ""),
        ({"encoding": "none", "body": "long " * 20_000}, "long " * 20_000),
    ],
)
async def test_a_summary_is_text_whatever_the_shape_of_its_body(
    call: Call, store: Store, analysis: JsonObject, text: str
) -> None:
    document: JsonObject = {
        "analysis": [{"type": "transcript", "vendor": "v"}, {"type": "Summary", "vendor": "acme", **analysis}]
    }

    item = await one(call, store, document, "summary")

    assert [(entry["analysis_index"], entry["type"], entry["vendor"]) for entry in item["summary"]] == [
        (1, "Summary", "acme")
    ]
    assert item["summary"][0]["text"].strip() == text.strip()


async def test_a_summary_of_turns_names_the_speakers_that_are_parties(call: Call, store: Store) -> None:
    turns = [{"party": 0, "text": "Hello."}, {"party": 1, "text": "Good-bye."}]
    document: JsonObject = {
        "parties": [{"name": "Ada"}, {"name": "Bob"}],
        "analysis": [
            {
                "type": "summary",
                "vendor": "acme",
                "product": "p",
                "schema": "s",
                "dialog": [0, 2],
                "encoding": "json",
                "body": turns,
            }
        ],
    }

    (entry,) = (await one(call, store, document, "summary"))["summary"]

    assert (entry["product"], entry["schema"], entry["dialog"]) == ("p", "s", [0, 2])
    assert "Ada: Hello." in entry["text"]
    assert "Bob: Good-bye." in entry["text"]


async def test_what_a_client_put_into_a_vcon_comes_back_unchanged_inside_its_groups(
    call: Call, store: Store
) -> None:
    odd: JsonObject = {
        "type": "text",
        "parties": [0],
        "body": '{"a": 1}',
        "big": 12345678901234567890,
        "none": None,
        "Ünïcode": "\u2028 </script>",
        "nested": {"deep": [[], {}, 0.1]},
    }

    item = await one(call, store, {"dialog": [odd]}, "dialog")

    assert item["dialog"] == [odd]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_the_first_and_the_last_moment_that_there_is_are_dates_like_any_other(
    call: Call, store: Store, moment: str
) -> None:
    (stored,) = await store([{"parties": [{}], "created_at": moment}])

    fetched = await call("vcon_fetch", id=stored, include=["core"])
    listed = await call("vcon_search", mode="metadata")

    assert fetched["item"]["created_at"] == moment
    assert [item["created_at"] for item in listed["items"]] == [moment]


async def test_the_counts_say_who_speaks_most_and_which_conversation_is_the_longest(
    call: Call, store: Store
) -> None:
    parties = [{"name": "Ann"}, {"name": "Bob"}]
    chat: JsonObject = {
        "created_at": "2025-10-14T10:30:00Z",
        "parties": parties,
        "dialog": [
            {"type": "text", "parties": party, "body": body, "duration": 2}
            for party, body in ((0, "Hello Bob."), (1, "Hello Ann, how are you?"), (0, "Well."))
        ],
    }
    segments = [
        {"speaker": "Ann", "text": "Good morning.", "start": 0, "end": 1.5},
        {"speaker": "Bob", "text": "Is that the shop?", "start": 2, "end": 4},
        {"speaker": "Ann", "text": "It is.", "start": 4, "end": 5},
    ]
    recorded: JsonObject = {
        "created_at": "2025-10-14T11:30:00Z",
        "parties": parties,
        "dialog": [
            {"type": "recording", "parties": [0, 1], "duration": 61.5, "url": "https://x.example/a.wav"}
        ],
        "analysis": [
            {"type": "transcript", "vendor": "x", "dialog": 0, "encoding": "json", "body": segments}
        ],
    }
    uuids = await store([chat, recorded])

    listed = await call("vcon_search", mode="metadata", include=["counts"])
    fetched = await call("vcon_fetch", id=uuids[0], include=["counts"])

    counts = {item["id"]: item["counts"] for item in listed["items"]}
    assert fetched["item"]["counts"] == counts[uuids[0]]
    in_chat, in_call = ({**counts[uuid]} for uuid in uuids)
    assert [(each["turns"], each["words"], each["duration_seconds"]) for each in (in_chat, in_call)] == [
        (3, 8, 6),
        (3, 8, 61.5),
    ]
    assert in_chat["speakers"] == [
        {"speaker": "Bob", "turns": 1, "words": 5, "seconds": 2},
        {"speaker": "Ann", "turns": 2, "words": 3, "seconds": 4},
    ]
    assert in_call["speakers"] == [
        {"speaker": "Ann", "turns": 2, "words": 4, "seconds": 2.5},
        {"speaker": "Bob", "turns": 1, "words": 4, "seconds": 2},
    ]
    assert "dialog" not in fetched["item"]


@pytest.mark.parametrize(
    ("arguments", "group"),
    [
        ({"include": ["core", "transcript"]}, "transcript"),
        ({"turns": "0-"}, "turns"),
        ({"include": ["core", "dialog", "transcript"]}, "dialog"),
    ],
)
async def test_an_answer_without_a_limit_fits_a_client_and_says_how_to_get_the_rest(
    call: Call, ask: Ask, arguments: JsonObject, group: str
) -> None:
    (turn,) = CONVERSATION["dialog"]
    turns = [
        {**turn, "body": f"{number} is a turn of the usual length, as people say."} for number in range(1500)
    ]
    created = await call("create_vcon", vcon_data={**CONVERSATION, "dialog": turns, "analysis": []})
    id_ = created["uuid"]

    answer = await ask("vcon_fetch", id=id_, **arguments)

    assert len(answer.text) + len(json.dumps(answer.structured)) * ("turns" in arguments) < 75_000
    item, left_out = answer.structured["item"], answer.structured["meta"]["left_out"]
    assert group in {each["group"] for each in left_out}
    said: list[str] = []
    for each in left_out:
        wanted = {"max_response_bytes": 10_000_000, **each["arguments"]}
        rest = (await call("vcon_fetch", id=id_, **wanted))["item"]
        if each["group"] == "dialog":
            assert len(rest["dialog"]) == 1500
        else:
            said += [turn["text"] for turn in rest["turns"]]
    shown = [turn["text"] for turn in item.get("turns", ())] or item["transcript"]["text"].splitlines()
    assert len(shown) > 200
    assert len([*shown, *said]) == 1500
    whole = await call("vcon_fetch", id=id_, max_response_bytes=10_000_000, **arguments)
    assert "left_out" not in whole["meta"]


async def test_short_answers_leave_nothing_out(call: Call, uuid: str) -> None:
    assert "left_out" not in (await call("vcon_fetch", id=uuid, include=GROUPS))["meta"]


async def test_arguments_in_text_answer_as_they_would_as_json(call: Call, uuid: str) -> None:
    as_json = await call("vcon_fetch", id=uuid, include=["core", "tags"])

    assert await call("vcon_fetch", id=uuid, include='["core", "tags"]') == as_json
    found = await call(
        "vcon_search", query="money", mode="keyword", filters='{"tags": {"priority": 2}}', limit="3"
    )
    assert found["ok"], found
    assert [each["id"] for each in found["items"]] == [uuid], found


HELD: JsonObject = {
    "created_at": "2026-11-02T09:00:00Z",
    "parties": [{"name": "Ines"}, {"name": "Tom"}, {"name": "Mara"}],
    "analysis": [],
    "attachments": [],
}
HELD_TURNS = [
    {"type": "text", "start": f"2026-11-02T09:0{minute}:00Z", "parties": minute % 2, "body": words}
    | {"mediatype": "text/plain", "encoding": "none"}
    for minute, words in enumerate(("My line is dead.", "One moment.", "Still there?"))
]
IN_050: JsonObject = {
    **HELD,
    "vcon": "0.5.0",
    "sessions": [{"dialog": [0, 1, 2], "parties": [0, 1]}, {}],
    "dialog": HELD_TURNS,
    "events": [
        {"type": "unhold", "time": "2026-11-02T09:01:50Z", "session": 0, "party": 0},
        {"type": "hold", "time": "2026-11-02T09:01:10Z", "session": 0, "party": 0},
        {
            "type": "blind-transfer",
            "time": "2026-11-02T09:03:00Z",
            "session": 0,
            "party": 1,
            "transferee": 0,
            "transfer_target": 2,
            "target_session": 1,
        },
    ],
}
IN_040: JsonObject = {
    **HELD,
    "vcon": "0.4.0",
    "dialog": [
        HELD_TURNS[0],
        {
            **HELD_TURNS[1],
            "party_history": [
                {"party": 0, "event": "hold", "time": "2026-11-02T09:01:10Z"},
                {"party": 0, "event": "unhold", "time": "2026-11-02T09:01:50Z"},
            ],
        },
        HELD_TURNS[2],
        {
            "type": "transfer",
            "start": "2026-11-02T09:03:00Z",
            "transferor": 1,
            "transferee": 0,
            "transfer_target": 2,
            "original": 1,
            "target_dialog": 2,
        },
    ],
}


@pytest.mark.parametrize("vcon", [IN_050, IN_040], ids=["0.5.0", "0.4.0"])
async def test_holds_and_transfers_are_shown_between_turns_and_listed_in_order_of_time(
    call: Call, vcon: JsonObject
) -> None:
    created = await call("create_vcon", vcon_data=vcon)

    item = (await call("vcon_fetch", id=created["uuid"], include=["transcript", "events"]))["item"]

    assert item["transcript"]["text"].splitlines() == [
        "Ines: My line is dead.",
        "Tom: One moment.",
        "(Ines is put on hold)",
        "(Ines is taken off hold)",
        "Ines: Still there?",
        "(Tom transfers Ines to Mara)",
    ]
    assert [(each["type"], each["text"], each["party"]) for each in item["events"]] == [
        ("hold", "Ines is put on hold", 0),
        ("unhold", "Ines is taken off hold", 0),
        ("blind-transfer", "Tom transfers Ines to Mara", 1),
    ]
    assert item["events"][2]["transfer_target"] == 2
    assert item["sessions"] == vcon.get("sessions", [])


async def test_tool_calls_of_an_agent_follow_the_turn_that_made_them_also_in_a_cut_transcript(
    call: Call,
) -> None:
    def said(line: int, speaker: int, text: str) -> JsonObject:
        where: JsonObject = {"exchange": 1, "lines": [line, line]}
        turn: JsonObject = {"type": "text", "start": f"2026-11-02T09:00:{line:02}Z", "originator": speaker}
        return {**turn, "parties": [0, 1], "body": text, "meta": {"transcript": where}}

    def called(line: int, name: str, given: JsonObject) -> JsonObject:
        return {
            "type": "tool-call",
            "name": name,
            "input": given,
            "call-id": name,
            "line": line,
            "exchange": 1,
        }

    entries: list[JsonValue] = [
        called(3, "Grep", {"pattern": "strftime"}),
        called(4, "Bash", {"command": "pytest " + 100 * "x"}),
        called(4, "Read", {"path": "src/" + 300 * "x"}),
    ]
    trace: JsonObject = {
        "type": "agent_trace",
        "vendor": "x",
        "product": "y",
        "encoding": "json",
        "dialog": 0,
    }
    created = await call(
        "create_vcon",
        vcon_data={
            "parties": [{"name": "Ann"}, {"name": "Agent"}],
            "dialog": [said(1, 0, "Where?"), said(2, 1, "I look."), said(5, 1, "Line 48. " * 9_000)],
            "analysis": [trace | {"body": {"session": {"entries": entries}}}],
        },
    )

    lines = [
        (await call("vcon_fetch", id=created["uuid"], include=["transcript"], **budget))["item"][
            "transcript"
        ]["text"].splitlines()
        for budget in ({}, {"max_response_bytes": 200_000})
    ]

    for text in lines:
        assert text[:2] == ["Ann: Where?", "Agent: I look."]
        assert text[2].startswith("(calls Grep strftime; Bash pytest xxx")
        assert text[2].endswith("x…)")
        assert len(text[2]) == 300 + len("(calls )")
    assert [len(text) for text in lines] == [3, 4]


TALKS: list[JsonObject] = [
    {
        "created_at": f"2025-10-{day}T10:00:00Z",
        "subject": subject,
        "parties": [{"name": "Ann"}],
        "dialog": [turn(0, text) | {"start": f"2025-10-{day}T10:00:00Z"} for text in said],
    }
    for day, subject, said in (
        (14, "The roof", ["One.", "Two.", "Three.", "Four."]),
        (15, "The well", ["Dry.", "Wet."]),
    )
]


async def test_several_vcons_are_read_in_the_order_asked_for_each_with_its_own_turns(
    ask: Ask, store: Store
) -> None:
    roof, well = await store(TALKS)

    answer = await ask("vcon_fetch", vcons=[{"id": well}, {"id": roof[:30], "turns": "1,3-"}])
    one_default = await ask("vcon_fetch", vcons=[{"id": well}, {"id": roof, "turns": "9"}], turns="1")

    assert answer.text == (
        f"Wed 2025-10-15 10:00 | The well | {well}\n[0] Ann: Dry.\n[1] Ann: Wet.\n\n"
        f"Tue 2025-10-14 10:00 | The roof | {roof[:30]}\n[1] Ann: Two.\n… 2\n[3] Ann: Four."
    )
    item = answer.structured["item"]
    assert (item["id"], item["subject"], answer.structured["meta"]["total_turns"]) == (well, "The well", 2)
    assert [(each["id"], each["total_turns"]) for each in item["others"]] == [(roof, 4)]
    assert [each["turn"] for each in item["others"][0]["turns"]] == [1, 3]
    assert answer.structured["meta"].keys().isdisjoint({"not_found", "left_out"})
    assert "[1] Ann: Wet." in one_default.text
    assert "Dry." not in one_default.text
    assert f"{roof}\n[turns] No such turn; it has 4." in one_default.text


async def test_ids_that_are_not_found_are_named_one_by_one_and_the_others_are_read(
    ask: Ask, store: Store, store_for: StoreFor
) -> None:
    roof, *_ = await store(TALKS)
    (of_another,) = await store_for("somebody-else", TALKS[:1])
    twins = ["0193aaaa-1111-8000-8000-000000000001", "0193aaaa-1111-8000-8000-000000000002"]
    await store([{**TALKS[1], "uuid": uuid} for uuid in twins])
    unknown = "ffffffff-0000-8000-8000-000000000000"

    ids = [unknown, "0193aaaa", roof, "the roof", of_another, "ffffffff"]
    answer = await ask("vcon_fetch", vcons=[{"id": id_} for id_ in ids])
    none = await ask("vcon_fetch", vcons=[{"id": unknown}, {"id": "the roof"}])

    assert answer.structured["item"]["id"] == roof
    assert answer.structured["meta"]["not_found"] == [
        {"id": unknown, "reason": "not_found"},
        {"id": "0193aaaa", "reason": "ambiguous_id", "accepted": twins},
        {"id": "the roof", "reason": "malformed_uuid"},
        {"id": of_another, "reason": "not_found"},
        {"id": "ffffffff", "reason": "not_found"},
    ]
    assert answer.text.endswith(
        f"Not found: {unknown}, 0193aaaa (several ids begin with it),"
        f" the roof (no id), {of_another}, ffffffff."
    )
    assert none.structured["error"]["code"] == "NOT_FOUND"
    assert none.structured["error"]["details"]["ids"] == [unknown, "the roof"]


async def test_several_vcons_share_one_budget_and_the_rest_is_read_with_the_arguments_named(
    ask: Ask, store: Store
) -> None:
    long = {**TALKS[0], "dialog": [turn(0, f"{number} " + "word " * 60) for number in range(200)]}
    one, short, other = await store([long, TALKS[1], long])

    seen: dict[str, list[int]] = {one: [], short: [], other: []}
    arguments: JsonObject = {"vcons": [{"id": one[:30]}, {"id": short}, {"id": other}]}
    sizes: list[int] = []
    while arguments:
        answer = await ask("vcon_fetch", **arguments)
        item, meta = answer.structured["item"], answer.structured["meta"]
        for each in (item, *item["others"]):
            seen[each["id"]] += [of["turn"] for of in each["turns"]]
        sizes.append(len(answer.text.encode()))
        arguments = meta["left_out"][0]["arguments"] if "left_out" in meta else {}
        assert ("Left out for size: " in answer.text) == bool(arguments)

    assert seen == {one: [*range(200)], short: [0, 1], other: [*range(200)]}
    assert len(sizes) > 1
    assert max(sizes) < 70_000


async def test_several_vcons_fit_into_the_budget_of_the_call(ask: Ask, store: Store) -> None:
    long = {**TALKS[0], "dialog": [turn(0, f"{number} " + "word " * 60) for number in range(200)]}
    ids = await store([long, long, long])

    answer = await ask("vcon_fetch", vcons=[{"id": id_} for id_ in ids], max_response_bytes=8_000)

    meta = answer.structured["meta"]
    assert meta["response_bytes"] <= 8_000
    assert [each["id"] for each in meta["left_out"][0]["arguments"]["vcons"]] == ids


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"id": "0193aaaa-1111-8000-8000-000000000001"}, "id"),
        ({"include": ["dialog"]}, "include"),
        ({"turns": "the last ten"}, "turns"),
    ],
)
async def test_what_several_vcons_cannot_have_is_refused(
    call: Call, store: Store, arguments: JsonObject, parameter: str
) -> None:
    ids = await store(TALKS)

    answer = await call("vcon_fetch", vcons=[{"id": id_} for id_ in ids], **arguments)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"]["parameter"] == parameter
