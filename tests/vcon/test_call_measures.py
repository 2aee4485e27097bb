"""Measures of calls whose truth is evident: what a call does not tell is unknown, not zero."""

from datetime import timedelta

import pytest

from tests.vcon.said_calls import BEGAN, Line, chat, recording, segments
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.call_measures import UNMEASURED, CallMeasures, call_measures
from vcontract.runtime.vcon.spoken_turns import spoken_turns

pytestmark = pytest.mark.unit

HELLO: Line = (0, 0, 5, "Hello, this call is recorded.")
ASKS: Line = (1, 8, 20, "I want my money back.")
CUTS_IN: Line = (0, 26, 4, "One moment.")
WHOLE: JsonObject = {"start": BEGAN.isoformat(), "duration": 60}
TALK = CallMeasures(60, 29, 60 - 5 - 22, 20, 1)


def at(seconds: float) -> str:
    return (BEGAN + timedelta(seconds=seconds)).isoformat()


def events(*kinds: tuple[str, float, int]) -> JsonObject:
    return {"events": [{"type": kind, "time": at(when), "party": who} for kind, when, who in kinds]}


def history(*kinds: tuple[str, float, int]) -> JsonObject:
    happened = [{"event": kind, "time": at(when), "party": who} for kind, when, who in kinds]
    return recording("", segments(HELLO, ASKS, CUTS_IN), **WHOLE, party_history=happened)


SPOKEN = recording("", segments(HELLO, ASKS, CUTS_IN), **WHOLE)
TRANSFER: JsonObject = {"type": "transfer", "start": at(70), "transferee": 1, "transferor": 0}
CASES: list[tuple[str, JsonObject, CallMeasures]] = [
    ("a recording", SPOKEN, TALK),
    (
        "a chat lasts to the end of its last turn",
        chat("", [HELLO, ASKS, CUTS_IN]),
        TALK._replace(handle_seconds=30, silence_seconds=3),
    ),
    (
        "of a chat without lengths nothing is known",
        chat("", [(0, 0, 0, "Hello."), (1, 9, 0, "Hi.")]),
        UNMEASURED,
    ),
    ("one turn without a length", chat("", [HELLO, (1, 8, 0, "Hi."), CUTS_IN]), CallMeasures(30)),
    ("without words", recording("", None, **WHOLE), CallMeasures(60)),
    ("without times of turns", recording("", segments(HELLO, timed=False), **WHOLE), CallMeasures(60)),
    ("without length", recording("", None, start=at(0)), UNMEASURED),
    (
        "turns tell the end of a recording",
        recording("", segments(HELLO, CUTS_IN), start=at(0)),
        CallMeasures(30, 9, 21, 5, 0),
    ),
    (
        "without speakers overlaps are unknown",
        recording("", {"segments": [{"start": 0, "end": 5, "text": "Hello."}]}, **WHOLE),
        CallMeasures(60, 5, 55, 5),
    ),
    ("one speaker does not overlap", chat("", [HELLO, (0, 3, 5, "And hi.")]), CallMeasures(8, 10, 0, 5, 0)),
    ("events without holds", SPOKEN | events(("join", 0, 1)), TALK._replace(hold_seconds=0, transfers=0)),
    ("an empty list of events", SPOKEN | events(), TALK._replace(hold_seconds=0, transfers=0)),
    (
        "two holds, one while another is",
        SPOKEN
        | events(
            ("hold", 10, 1),
            ("hold", 15, 0),
            ("unhold", 20, 1),
            ("unhold", 25, 0),
            ("hold", 40, 1),
            ("unhold", 42, 1),
        ),
        TALK._replace(hold_seconds=17, transfers=0),
    ),
    ("a hold that never ends", SPOKEN | events(("hold", 50, 1)), TALK._replace(hold_seconds=10, transfers=0)),
    (
        "a hold that never ends in a call whose end is unknown",
        recording("", None, start=at(0)) | events(("hold", 50, 1)),
        CallMeasures(transfers=0),
    ),
    (
        "a hold without a time",
        SPOKEN | {"events": [{"type": "hold", "party": 1}]},
        TALK._replace(transfers=0),
    ),
    ("an end of a hold alone", SPOKEN | events(("unhold", 50, 1)), TALK._replace(transfers=0)),
    (
        "history of parties",
        history(("hold", 10, 1), ("unhold", 14, 1)),
        TALK._replace(hold_seconds=4, transfers=0),
    ),
    (
        "transfers of 0.5.0",
        SPOKEN
        | events(("blind-transfer", 20, 0), ("consultative-transfer", 30, 0), ("transfer-abandoned", 40, 0)),
        TALK._replace(hold_seconds=0, transfers=2),
    ),
    (
        "a dialog of a transfer",
        SPOKEN | {"dialog": [*SPOKEN["dialog"], TRANSFER]},
        TALK._replace(hold_seconds=0, transfers=1),
    ),
    (
        "a second recording without words",
        SPOKEN
        | {
            "dialog": [
                *SPOKEN["dialog"],
                {"type": "recording", "start": at(70), "duration": 30, "url": "https://calls.example/2.wav"},
            ]
        },
        CallMeasures(100),
    ),
    ("a length beyond any number", recording("", None, start=at(0), duration=10**400), UNMEASURED),
    ("nothing", {"parties": []}, UNMEASURED),
]


@pytest.mark.parametrize(("vcon", "measures"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_call_is_measured_and_what_it_does_not_tell_is_unknown(
    vcon: JsonObject, measures: CallMeasures
) -> None:
    assert call_measures(vcon, spoken_turns(vcon)) == measures
