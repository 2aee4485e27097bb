"""What is embedded of a passage, in which batches, and what becomes of the vectors."""

import numpy as np
import pytest

from vcontract.runtime.embedding.embedder import EmbeddingFailed
from vcontract.runtime.embedding.sources import MAX_TEXT_LENGTH, PassageTexts, texts_to_embed
from vcontract.runtime.embedding.transformer import batches_by_length
from vcontract.runtime.embedding.vectors import half_vectors, mean_direction, unit_rows
from vcontract.runtime.store.embeddings import PassageToEmbed


def turn(element: int, content: str, speaker: str | None = None, part: str = "dialog") -> PassageToEmbed:
    return PassageToEmbed(part, element, 0, content, speaker)


def test_a_turn_stands_alone_and_with_the_speakers_around_it() -> None:
    texts = texts_to_embed(
        [turn(0, "Hello.", "Ada"), turn(1, "Hi, what is it?", "Omar"), turn(2, "A refund.", "Ada")]
    )

    assert texts == [
        PassageTexts("Hello.", "Ada: Hello.\nOmar: Hi, what is it?"),
        PassageTexts("Hi, what is it?", "Ada: Hello.\nOmar: Hi, what is it?\nAda: A refund."),
        PassageTexts("A refund.", "Omar: Hi, what is it?\nAda: A refund."),
    ]


@pytest.mark.parametrize("part", ["subject", "analysis", "attachment"])
def test_what_is_no_turn_stands_for_itself(part: str) -> None:
    texts = texts_to_embed([turn(0, "One.", part=part), turn(1, "Two.", "Ada"), turn(2, "Three.", part=part)])

    assert [text.window for text in texts] == [None, None, None]
    assert texts[0].own == "One."


def test_a_speaker_is_not_named_twice() -> None:
    text, _ = texts_to_embed([turn(0, "Ada: Hello.\nOmar: Hi.", "Ada"), turn(1, "Bye.", "Omar")])

    assert text.window == "Ada: Hello.\nOmar: Hi.\nOmar: Bye."


def test_a_window_holds_the_turn_whole_and_of_its_neighbours_what_fits() -> None:
    before, after = "first words " * 80 + "end", "begin " + "last words " * 80
    texts = texts_to_embed([turn(0, before), turn(1, "The turn itself."), turn(2, after)])

    window = texts[1].window
    assert window is not None
    assert len(window) <= MAX_TEXT_LENGTH + 2
    head, middle, tail = window.split("\n")
    assert before.endswith(head)
    assert middle == "The turn itself."
    assert after.startswith(tail)
    assert min(len(head), len(tail)) > 400


def test_a_turn_that_fills_the_model_has_no_window() -> None:
    texts = texts_to_embed([turn(0, "short"), turn(1, "long " * 199)])

    assert texts[1].window is None


def test_batches_hold_every_text_once_and_little_padding() -> None:
    lengths = [1 + (number * 37) % 256 for number in range(300)] + [5_000]

    batches = list(batches_by_length(lengths, 1_024))

    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        padded = len(batch) * max(lengths[place] for place in batch)
        assert padded <= 1_024 or len(batch) == 1
    assert len(batches) < 60


def test_rows_come_to_unit_length() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 2]], np.float32), 2, 2)

    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 1]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0, 3.0]], "shape"),
        ([[1.0, float("nan")]], "not finite"),
        ([[float("inf"), 1.0]], "not finite"),
        ([[0.0, 0.0]], "zeros"),
    ],
)
def test_rows_that_are_no_directions_are_refused(rows: list[list[float]], message: str) -> None:
    with pytest.raises(EmbeddingFailed, match=message):
        unit_rows(np.array(rows, np.float32), 1, 2)


@pytest.mark.parametrize(
    ("other", "expected"), [([0, 1], [0.8**0.5, 0.2**0.5]), ([1, 0], [1, 0]), ([-1, 0], [1, 0])]
)
def test_of_two_directions_the_first_counts_twice(other: list[float], expected: list[float]) -> None:
    mean = mean_direction(np.array([1, 0], np.float32), np.array(other, np.float32))

    assert mean.tolist() == pytest.approx(expected)


def test_half_vectors_have_the_form_that_the_database_reads() -> None:
    (vector,) = half_vectors(np.array([[1, -2]], np.float32))

    assert vector.to_binary() == b"\x00\x02\x00\x00\x3c\x00\xc0\x00"
    assert vector.to_numpy().tolist() == [1, -2]
