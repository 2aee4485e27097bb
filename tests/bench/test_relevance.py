"""Relevance sets: their form, and the figures that are made of ranks."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from bench.relevance.form import OWN_SET, Quality, read_set
from vcontract.runtime.documents.json import JsonObject


def test_our_own_set_is_well_formed_and_asks_about_every_conversation() -> None:
    own = read_set(OWN_SET)

    assert {question.conversation for question in own.questions} == {one.id for one in own.conversations}
    assert len(own.questions) >= 50


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"conversation": "nowhere"}, "there is no conversation 'nowhere'"),
        ({"turns": [2]}, "'a' has turns 0 to 1"),
        ({"turns": []}, "questions.0.turns"),
        ({"answer": "x"}, "questions.0.answer"),
    ],
)
def test_a_mistake_in_a_set_is_named(tmp_path: Path, change: JsonObject, said: str) -> None:
    turns = [{"speaker": "Ann", "text": "Hello"}, {"speaker": "Bob", "text": "Hi"}]
    file = tmp_path / "set.json"
    file.write_text(
        json.dumps(
            {
                "conversations": [{"id": "a", "turns": turns}],
                "questions": [{"question": "who greets?", "conversation": "a", "turns": [0], **change}],
            }
        )
    )

    with pytest.raises(ValidationError, match=said):
        read_set(file)


def test_quality_counts_ranks_to_ten() -> None:
    quality = Quality.of([1, 2, 6, 11, None])

    assert (quality.recall_at_5, quality.recall_at_10) == (0.4, 0.6)
    assert quality.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 5)
