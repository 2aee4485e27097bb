"""vCons in another version: what becomes of transfers and party events, and the exact way back."""

from copy import deepcopy
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.spec_files import shipped_yaml
from vcontract.runtime.vcon.version_migration import KEPT, migrate_version

pytestmark = pytest.mark.unit

AT: Final = "2026-11-02T09:00:00Z"
LATER: Final = "2026-11-02T09:02:00Z"
SCHEMAS: Final = VconSchemas.load()


def without_kept(vcon: JsonObject) -> JsonObject:
    return {name: value for name, value in vcon.items() if name != KEPT}


def transferred(**transfer: object) -> JsonObject:
    """Three calls, and in their midst the transfer that ties them together."""
    parties = [{"name": "Hugh"}, {"name": "Sofia"}, {"name": "Bashir"}]
    recording = {"type": "recording", "start": AT, "duration": 60}
    return {
        "vcon": "0.4.0",
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "created_at": AT,
        "parties": parties,
        "dialog": [
            {**recording, "parties": [0, 1]},
            {"type": "transfer", "transferee": 0, "transferor": 1, "transfer_target": 2, **transfer},
            {**recording, "start": LATER, "parties": [0, 2]},
        ],
        "analysis": [
            {"type": "summary", "vendor": "x", "dialog": [0, 1, 2], "body": "s", "encoding": "none"}
        ],
        "attachments": [{"start": AT, "party": 0, "dialog": 2}],
    }


def test_a_transfer_becomes_an_event_and_every_index_follows() -> None:
    before = transferred(start=LATER, original=0, target_dialog=2, reason="line fault")

    up = migrate_version(before, "0.5.0")

    assert SCHEMAS.all_violations(up.vcon) == []
    assert [each["type"] for each in up.vcon["dialog"]] == ["recording", "recording"]
    assert up.vcon["analysis"][0]["dialog"] == [0, 1]
    assert up.vcon["attachments"][0]["dialog"] == 1
    (event,) = up.vcon["events"]
    assert {
        name: event[name] for name in ("type", "time", "party", "transferee", "transfer_target", "reason")
    } == {
        "type": "blind-transfer",
        "time": LATER,
        "party": 1,
        "transferee": 0,
        "transfer_target": 2,
        "reason": "line fault",
    }
    assert up.vcon["sessions"][event["session"]]["dialog"] == [0]
    assert up.vcon["sessions"][event["target_session"]]["dialog"] == [1]
    assert [notice.code for notice in up.notices] == [
        "reference_dropped",
        "session_inferred",
        "event_converted",
    ]
    assert migrate_version(up.vcon, "0.4.0").vcon == before


def test_a_consultation_is_an_event_of_its_own() -> None:
    before = transferred(start=LATER, original=0, consultation=2, target_dialog=-1)

    up = migrate_version(before, "0.5.0")

    assert [event["type"] for event in up.vcon["events"]] == ["consultation-start", "consultative-transfer"]
    assert SCHEMAS.all_violations(up.vcon) == []
    assert "session_placeholder" in {notice.code for notice in up.notices}


def test_what_a_transfer_does_not_say_is_inferred_and_reported() -> None:
    before = transferred()
    del before["dialog"][1]["transfer_target"]

    up = migrate_version(before, "0.5.0")

    assert SCHEMAS.all_violations(up.vcon) == []
    assert up.vcon["parties"][3] == {}
    assert {"party_placeholder", "session_placeholder", "time_inferred"} <= {each.code for each in up.notices}
    assert migrate_version(up.vcon, "0.4.0").vcon == before


def test_party_history_becomes_events_and_goes_back() -> None:
    before = transferred(start=LATER, original=0, target_dialog=2)
    history = [
        {"party": 0, "time": AT, "event": "join"},
        {"party": 0, "time": LATER, "event": "keydown", "button": "5"},
        {"party": 0, "time": LATER, "event": "sneeze"},
    ]
    before["dialog"][2]["party_history"] = history

    up = migrate_version(before, "0.5.0")

    events = [(event["type"], event.get("dialog")) for event in up.vcon["events"]]
    assert events == [("join", 1), ("keydown", 1), ("blind-transfer", None)]
    assert "event_not_converted" in {notice.code for notice in up.notices}
    assert SCHEMAS.all_violations(up.vcon) == []
    assert migrate_version(up.vcon, "0.4.0").vcon == before


def test_a_vcon_that_was_changed_after_the_migration_keeps_its_changes_on_the_way_back() -> None:
    up = migrate_version(transferred(start=LATER, original=0, target_dialog=2), "0.5.0").vcon
    changed = deepcopy(up)
    changed["subject"] = "Changed since"
    changed["events"].append({"type": "hold", "time": AT, "session": 0, "party": 0})

    down = migrate_version(changed, "0.4.0")

    assert down.vcon["subject"] == "Changed since"
    assert [each["type"] for each in down.vcon["dialog"]] == ["recording", "recording", "transfer"]
    assert down.vcon["dialog"][0]["party_history"] == [{"event": "hold", "time": AT, "party": 0}]
    assert "dialog_inferred" in {notice.code for notice in down.notices}


def test_what_was_said_is_never_in_what_is_kept_for_the_way_back() -> None:
    call = transferred(start=LATER, original=0, target_dialog=2)
    call["dialog"][0] |= {"body": "Sv59rQ", "encoding": "base64url", "mediatype": "audio/x-wav"}
    call["dialog"][2]["party_history"] = [{"party": 0, "time": AT, "event": "hold"}]

    up = migrate_version(call, "0.5.0").vcon
    changed = {**up, "subject": "Another subject"}

    assert "Sv59rQ" not in str(up[KEPT])
    assert "Sv59rQ" not in str(migrate_version(changed, "0.4.0").vcon.get(KEPT))
    assert migrate_version(changed, "0.4.0").vcon == {**call, "subject": "Another subject"}


@pytest.mark.parametrize(
    "kept",
    [
        {"transfers": {"0": {"type": "transfer"}, "9": {}}},
        {"transfers": {"x": 1}, "party_history": [], "references": 3, "parties": "2", "order": [1]},
        {"members": {"uuid": "other"}, "order": {"a": 1}},
    ],
)
def test_what_was_kept_for_another_vcon_is_not_used(kept: JsonObject) -> None:
    up = migrate_version(transferred(start=LATER, original=0, target_dialog=2), "0.5.0").vcon

    down = migrate_version({**up, KEPT: {"0.4.0": kept}}, "0.4.0")

    assert SCHEMAS.all_violations(down.vcon) == []
    assert down.vcon["uuid"] == up["uuid"]
    assert [each["type"] for each in down.vcon["dialog"]] == ["recording", "recording", "transfer"]


def test_a_key_press_without_a_button_stays_out_of_the_events() -> None:
    before = transferred(start=LATER, original=0, target_dialog=2)
    before["dialog"][0]["party_history"] = [{"party": 0, "time": AT, "event": "keydown"}]

    up = migrate_version(before, "0.5.0")

    assert SCHEMAS.all_violations(up.vcon) == []
    assert next((each.code, each.path) for each in up.notices) == (
        "event_not_converted",
        "$.dialog[0].party_history[0]",
    )
    assert migrate_version(up.vcon, "0.4.0").vcon == before


@pytest.mark.parametrize("version", ["0.3.0", "0.0.2", None])
def test_an_older_version_is_renamed_with_a_notice(version: str | None) -> None:
    named = {} if version is None else {"vcon": version}

    migrated = migrate_version({**named, "parties": [{"name": "Ann"}]}, "0.4.0")

    assert migrated.vcon == {"parties": [{"name": "Ann"}], "vcon": "0.4.0"}
    assert [(notice.code, notice.path) for notice in migrated.notices] == [("version_renamed", "$.vcon")]


def test_what_0_4_0_has_no_place_for_is_kept_and_comes_back() -> None:
    call: JsonObject = {
        "vcon": "0.5.0",
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "created_at": AT,
        "parties": [{}, {}, {}],
        "sessions": [
            {"dialog": [0], "parties": [0, 1, 2]},
            {"sessions": [{"session": 0, "type": "breakout"}]},
        ],
        "dialog": [{"type": "recording", "start": AT, "parties": 0}],
        "events": [
            {"type": "transfer-abandoned", "time": LATER, "session": 0, "party": 1, "transferee": 0},
            {"type": "hold", "time": LATER, "session": 0, "party": 0},
        ],
        "redacted_from": {"type": "pii"},
    }

    down = migrate_version(call, "0.4.0")

    assert SCHEMAS.all_violations(down.vcon) == []
    assert down.vcon["redacted"] == {"type": "pii"}
    assert down.vcon["dialog"][0]["party_history"][0]["event"] == "hold"
    assert {"event_kept_aside", "kept_aside"} <= {notice.code for notice in down.notices}
    assert migrate_version(down.vcon, "0.5.0").vcon == call


@pytest.mark.parametrize(
    "name", ["call_transfer", "phone_call", "chat", "email", "video", "voicemail", "telehealth"]
)
def test_an_example_goes_there_and_back(name: str) -> None:
    vcon: JsonObject = shipped_yaml("examples", f"{name}.yaml")["vcon"]

    up = migrate_version(vcon, "0.5.0")

    assert SCHEMAS.all_violations(up.vcon) == []
    assert without_kept(migrate_version(up.vcon, "0.4.0").vcon) == vcon


TIMES: Final = st.sampled_from([AT, LATER, "2026-11-02T09:01:00+02:00"])
EVENTS: Final = st.fixed_dictionaries(
    {
        "party": st.integers(0, 2),
        "time": TIMES,
        "event": st.sampled_from(["join", "drop", "hold", "unhold", "mute"]),
    }
)
RECORDINGS: Final = st.fixed_dictionaries(
    {
        "type": st.just("recording"),
        "start": TIMES,
        "parties": st.lists(st.integers(0, 2), min_size=1, max_size=3),
    },
    optional={"party_history": st.lists(EVENTS, max_size=3), "duration": st.integers(0, 600)},
)


@st.composite
def calls(draw: st.DrawFn) -> JsonObject:
    dialog: list[JsonObject] = draw(st.lists(RECORDINGS, min_size=1, max_size=4))
    index = st.integers(0, len(dialog) - 1)
    for _ in range(draw(st.integers(0, 2))):
        transfer: JsonObject = {
            "type": "transfer",
            "transferee": 0,
            "transferor": 1,
            "transfer_target": 2,
            "original": draw(index),
        }
        dialog.insert(len(dialog), transfer | {"target_dialog": draw(index)})
    index = st.integers(0, len(dialog) - 1)
    several = st.one_of(index, st.lists(index, max_size=4))
    analysis = [
        {"type": "summary", "vendor": "x", "body": "s", "encoding": "none", "dialog": draw(several)}
        for _ in range(draw(st.integers(0, 2)))
    ]
    attachments = [{"start": AT, "party": 0, "dialog": each} for each in draw(st.lists(index, max_size=2))]
    return {**transferred(), "dialog": dialog, "analysis": analysis, "attachments": attachments}


@given(calls())
def test_any_call_is_valid_in_0_5_0_and_equal_on_the_way_back(call: JsonObject) -> None:
    up = migrate_version(call, "0.5.0").vcon

    assert SCHEMAS.all_violations(up) == []
    assert len(array(up["dialog"])) == sum(each["type"] != "transfer" for each in call["dialog"])
    assert without_kept(migrate_version(up, "0.4.0").vcon) == call
