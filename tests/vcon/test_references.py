"""Indices that point at other elements: their range, their target's type, and the shape of session ids."""

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import reference_violations

Wanted = list[tuple[str, str]]
OUT = "index_out_of_range"

CASES: list[tuple[JsonObject, Wanted]] = [
    ({"dialog": [{"parties": 2}]}, [("$.dialog[0].parties", OUT)]),
    ({"dialog": [{"parties": [0, 2]}]}, [("$.dialog[0].parties[1]", OUT)]),
    ({"dialog": [{"parties": [0, None, [1, 2]]}]}, [("$.dialog[0].parties[2][1]", OUT)]),
    ({"dialog": [{"parties": [2.0]}]}, [("$.dialog[0].parties[0]", OUT)]),
    ({"dialog": [{"parties": [-1, 0.5, True, "2"]}]}, []),
    ({"dialog": [{"originator": 2}]}, [("$.dialog[0].originator", OUT)]),
    (
        {"dialog": [{"party_history": [{"party": 0}, {"party": 2}]}]},
        [("$.dialog[0].party_history[1].party", OUT)],
    ),
    ({"dialog": [{"transferee": 2}]}, [("$.dialog[0].transferee", OUT)]),
    ({"dialog": [{"transferor": 2}]}, [("$.dialog[0].transferor", OUT)]),
    ({"dialog": [{"transfer_target": 2}]}, [("$.dialog[0].transfer_target", OUT)]),
    ({"dialog": [{"original": 1}]}, [("$.dialog[0].original", OUT)]),
    ({"dialog": [{"consultation": 1}]}, [("$.dialog[0].consultation", OUT)]),
    ({"dialog": [{"target_dialog": 1}]}, [("$.dialog[0].target_dialog", OUT)]),
    ({"dialog": [{"recordings": [1]}]}, [("$.dialog[0].recordings[0]", OUT)]),
    ({"dialog": [{"recording_set": 1}]}, [("$.dialog[0].recording_set", OUT)]),
    ({"attachments": [{"party": 2}]}, [("$.attachments[0].party", OUT)]),
    ({"attachments": [{"dialog": 0}]}, [("$.attachments[0].dialog", OUT)]),
    ({"analysis": [{"dialog": 0}]}, [("$.analysis[0].dialog", OUT)]),
    ({"analysis": [{"dialog": [0, 1]}], "dialog": [{}]}, [("$.analysis[0].dialog[1]", OUT)]),
    ({"analysis": [{"attachment": [0, 1]}], "attachments": [{}]}, [("$.analysis[0].attachment[1]", OUT)]),
    ({"dialog": [{"recordings": [0]}]}, [("$.dialog[0].recordings[0]", "wrong_target_type")]),
    ({"dialog": [{"recordings": [1]}, {"type": "recording"}]}, []),
    (
        {"dialog": [{"recording_set": 1}, {"type": "text"}]},
        [("$.dialog[0].recording_set", "wrong_target_type")],
    ),
    ({"dialog": [{"recording_set": 1}, {"type": "recording-set"}]}, []),
    ({"dialog": [{"session_id": {"local": "a"}, "parties": [0, 1]}]}, []),
    ({"dialog": [{"session_id": [{}, {}], "parties": [0, 1]}]}, []),
    ({"dialog": [{"session_id": [{}, [{}]], "parties": [None, [1]]}]}, []),
    ({"dialog": [{"session_id": [{}], "parties": [0, 1]}]}, [("$.dialog[0].session_id", "shape_mismatch")]),
    (
        {"dialog": [{"session_id": [{}, {}], "parties": [0, [1]]}]},
        [("$.dialog[0].session_id", "shape_mismatch")],
    ),
    ({"dialog": [{"session_id": [{}], "parties": 0}]}, [("$.dialog[0].session_id", "shape_mismatch")]),
    ({"dialog": [{"session_id": [{}]}]}, [("$.dialog[0].session_id", "shape_mismatch")]),
    ({"dialog": None, "analysis": "text", "attachments": [None]}, []),
]


@pytest.mark.parametrize(("members", "wanted"), CASES)
def test_references_have_exactly_these_violations(members: JsonObject, wanted: Wanted) -> None:
    document: JsonObject = {"parties": [{}, {}], **members}

    assert [(v.path, v.rule) for v in reference_violations(document)] == wanted


@pytest.mark.parametrize(("length", "allowed"), [(0, "none"), (1, "only 0"), (3, "0 to 2")])
def test_out_of_range_message_tells_the_length_and_what_is_allowed(length: int, allowed: str) -> None:
    document: JsonObject = {"parties": [{}] * length, "dialog": [{"originator": 9}]}

    (violation,) = reference_violations(document)

    assert (
        violation.message == f"9 is out of range: the length of parties is {length}, so allowed: {allowed}."
    )
