"""The bench of LoCoMo: reading its public file, and comparing what tools return with the evidence."""

import json
from pathlib import Path

import pytest

from bench.locomo import Asked, convert, measure, read_questions, table_of
from bench.relevance.folders import store_folder
from bench.subject import open_subject
from vcontract.runtime.frame.documents.json import JsonObject

_CHAT: JsonObject = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I moved to Bergen in March."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kayak on a beach"},
    ],
    "session_2_date_time": "12:05 am on 9 June, 2023",
    "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "My sister got a goat."}],
    "session_3_date_time": "9:00 am on 1 July, 2023",
}
_FILE: list[JsonObject] = [
    {
        "sample_id": "conv-1",
        "conversation": _CHAT,
        "qa": [
            {"question": "Where did Ann move to?", "answer": "Bergen", "evidence": ["D1:1"], "category": 4},
            {
                "question": "What is red, and who got a goat?",
                "answer": "",
                "evidence": ["D1:02; D:2:1", "D7:9"],
                "category": 1,
            },
            {
                "question": "What did Ann's sister get?",
                "adversarial_answer": "a goat",
                "evidence": ["D2:1"],
                "category": 5,
            },
            {"question": "Is Bo kind?", "answer": "Perhaps", "evidence": [], "category": 3},
        ],
    }
]


async def test_the_public_file_is_asked_through_the_tools_within_each_chat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps(_FILE))

    unknown = convert(file, tmp_path)
    asked = read_questions(tmp_path)
    async with open_subject(tmp_path / "store") as subject:
        await store_folder(subject, tmp_path)
        figures = await measure(subject, asked[0])
        others = await measure(
            subject, Asked("Where did Ann move to?", "", {"tags": {"sample": "conv-2"}}, asked[0].evidence)
        )

    assert unknown == 1
    assert "1 of 4 questions have no evidence" in capsys.readouterr().err
    assert [(one.kind, sorted(turn for _, turn in one.evidence)) for one in asked] == [
        ("one turn", [0]),
        ("several turns", [0, 1]),
        ("never said", [0]),
    ]
    assert {figures[name] for name in figures} == {1.0}
    assert {others[name] for name in others} == {0.0}


def test_never_said_questions_are_left_out_of_the_mean_over_those_with_an_answer() -> None:
    one = Asked("a", "one turn", {}, frozenset())
    never_said = Asked("b", "never said", {}, frozenset())

    table = table_of([(one, {"likely": 1.0}), (never_said, {"likely": 0.0})])

    assert [[*column.cells] for column in table.columns] == [
        ["one turn", "never said", "all with an answer"],
        ["1", "1", "1"],
        ["1.000", "0.000", "1.000"],
    ]
