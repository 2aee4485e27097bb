"""Rules of vCon 0.5.0: sessions, events, and what they replace, each fault with its place."""

from typing import Any, Final

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import VconSchemas, schema_version

pytestmark = pytest.mark.unit

AT: Final = "2026-11-02T09:00:00Z"
MEMBERS: Final = ("dialog", "button", "transferee", "transfer_target", "consultation", "target_session")
# The applicability table of the draft: M must, O optional, X must not.
APPLICABILITY: Final = {
    **dict.fromkeys(("join", "drop", "hold", "unhold", "mute", "unmute"), "O X X X X X"),
    **dict.fromkeys(("keydown", "keyup"), "O M X X X X"),
    "consultation-start": "X X M M M X",
    "blind-transfer": "X X M M X M",
    "consultative-transfer": "X X M M M M",
    "transfer-abandoned": "X X M O O X",
}
VALUES: Final[JsonObject] = {
    "dialog": 0,
    "button": "5",
    "transferee": 0,
    "transfer_target": 2,
    "consultation": 1,
    "target_session": 2,
}


@pytest.fixture(scope="module")
def schemas() -> VconSchemas:
    return VconSchemas.load()


def call(**members: Any) -> JsonObject:
    """A call of three parties with an original call, a consultation and a target call."""
    return {
        "vcon": "0.5.0",
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "created_at": AT,
        "parties": [{"name": "Ines"}, {"name": "Tom"}, {}],
        "sessions": [
            {"start": AT, "duration": 90, "parties": [0, 1], "dialog": [0]},
            {"parties": [1, 2], "sessions": [{"session": 0, "type": "peer"}]},
            {},
        ],
        "dialog": [{"type": "recording", "start": AT, "parties": [0, 1]}],
        **members,
    }


def event(kind: str, **members: Any) -> JsonObject:
    return {"type": kind, "time": AT, "session": 0, "party": 1, **members}


def found(schemas: VconSchemas, vcon: JsonObject) -> list[tuple[str, str]]:
    return [(each.path, each.rule) for each in schemas.all_violations(vcon)]


@pytest.mark.parametrize("kind", APPLICABILITY)
def test_an_event_has_what_its_type_needs_and_nothing_that_it_forbids(
    schemas: VconSchemas, kind: str
) -> None:
    rules = dict(zip(MEMBERS, APPLICABILITY[kind].split(), strict=True))
    must = {name: VALUES[name] for name, rule in rules.items() if rule == "M"}
    may = {name: VALUES[name] for name, rule in rules.items() if rule != "X"}

    assert found(schemas, call(events=[event(kind, **must)])) == []
    assert found(schemas, call(events=[event(kind, **may)])) == []
    for name, rule in rules.items():
        if rule == "M":
            less = {other: value for other, value in must.items() if other != name}
            assert found(schemas, call(events=[event(kind, **less)])) == [(f"$.events[0].{name}", "required")]
        if rule == "X":
            more = must | {name: VALUES[name]}
            assert found(schemas, call(events=[event(kind, **more)])) == [
                (f"$.events[0].{name}", "not_allowed")
            ]


@pytest.mark.parametrize(
    ("vcon", "expected"),
    [
        (call(), []),
        (call(sessions=[{}], events=[event("join")]), []),
        (call(dialog=[], sessions=[]), []),
        (call(parties=[], dialog=[], sessions=[{"start": AT}]), []),
        (call(redacted_from={"type": "pii"}), []),
        (call(amended_from={"uuid": "01928e10-193e-8231-b9a2-279e0d16bc47"}), []),
        (call(sessions=[]), [("$.sessions", "minItems")]),
        ({name: value for name, value in call().items() if name != "sessions"}, [("$.sessions", "required")]),
        (call(dialog=[], sessions=[], events=[]), []),
        (call(events=[event("wave")]), [("$.events[0].type", "enum")]),
        (call(events=[{"type": "hold", "time": AT, "party": 1}]), [("$.events[0].session", "required")]),
        (call(events=[event("hold", time="soon")]), [("$.events[0].time", "format")]),
        (call(events=[event("hold", party=3)]), [("$.events[0].party", "index_out_of_range")]),
        (call(events=[event("hold", session=3)]), [("$.events[0].session", "index_out_of_range")]),
        (call(events=[event("hold", dialog=1)]), [("$.events[0].dialog", "index_out_of_range")]),
        (
            call(events=[event("blind-transfer", transferee=0, transfer_target=9, target_session=8)]),
            [
                ("$.events[0].transfer_target", "index_out_of_range"),
                ("$.events[0].target_session", "index_out_of_range"),
            ],
        ),
        (call(sessions=[{"dialog": [0, 4]}]), [("$.sessions[0].dialog[1]", "index_out_of_range")]),
        (call(sessions=[{"parties": [5]}]), [("$.sessions[0].parties[0]", "index_out_of_range")]),
        (
            call(sessions=[{"sessions": [{"session": 1}]}]),
            [("$.sessions[0].sessions[0].session", "index_out_of_range")],
        ),
        (
            call(sessions=[{"sessions": [{"type": "child"}]}]),
            [("$.sessions[0].sessions[0].session", "required")],
        ),
        (call(sessions=[{"duration": -1}]), [("$.sessions[0].duration", "minimum")]),
        (call(sessions={}), [("$.sessions", "type")]),
        (call(redacted={"type": "pii"}), [("$.redacted", "not_allowed")]),
        (call(amended={}), [("$.amended", "not_allowed")]),
        (call(redacted_from={}), [("$.redacted_from.type", "required")]),
        (
            call(
                redacted_from={"type": "pii"}, amended_from={"uuid": "01928e10-193e-8231-b9a2-279e0d16bc47"}
            ),
            [("$.amended_from", "not_allowed")],
        ),
        (call(dialog=[{"type": "transfer"}]), [("$.dialog[0].type", "enum")]),
        (
            call(dialog=[{"type": "recording", "party_history": []}]),
            [("$.dialog[0].party_history", "not_allowed")],
        ),
    ],
)
def test_each_mistake_is_found_at_its_place(
    schemas: VconSchemas, vcon: JsonObject, expected: list[tuple[str, str]]
) -> None:
    assert found(schemas, vcon) == expected


@pytest.mark.parametrize(
    ("head", "version"),
    [
        ({"vcon": "0.5.0"}, "0.5.0"),
        ({"vcon": "0.4.0", "sessions": [{"start": AT}]}, "0.4.0"),
        ({"subject": "Rent"}, "0.4.0"),
        ({"sessions": [{"start": AT}]}, "0.5.0"),
        ({"redacted_from": {"type": "pii"}}, "0.5.0"),
        ({"vcon": "0.6.0"}, "0.5.0"),
        ({"vcon": "1.0"}, "0.5.0"),
        ({"vcon": "0.0.3"}, "0.4.0"),
    ],
)
def test_a_vcon_is_checked_as_the_version_that_it_names(head: JsonObject, version: str) -> None:
    assert schema_version(head) == version


def test_a_newer_version_is_said_to_be_checked_against_the_newest_known(schemas: VconSchemas) -> None:
    (violation,) = schemas.all_violations(call(vcon="0.6.0"))

    assert violation.path == "$.vcon"
    assert violation.message == (
        '"0.6.0" is newer than 0.5.0, the newest of 0.3.0, 0.4.0, 0.5.0; it was checked against that.'
    )
