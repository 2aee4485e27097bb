"""Chunks: small enough, cut where people pause, and no phrase of twenty words is ever cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vcontract.runtime.vcon.chunks import MAX_CHUNK_CHARACTERS, PHRASE_WORDS, chunks_of

TURNS = [
    f"{'Agent' if turn % 2 else 'Customer'}: This is turn {turn} of our call. It has two sentences, mostly."
    for turn in range(60)
]


def split(text: str) -> list[str]:
    return [" ".join(chunk.split()) for chunk in chunks_of(text)]


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_blank_text_has_no_chunks(text: str) -> None:
    assert chunks_of(text) == []


def test_short_text_is_one_chunk_without_the_blanks_at_its_ends() -> None:
    assert chunks_of("  Hello.\nHi. \n") == ["Hello.\nHi."]
    assert chunks_of("x" * MAX_CHUNK_CHARACTERS) == ["x" * MAX_CHUNK_CHARACTERS]


def test_chunks_begin_and_end_at_turns() -> None:
    chunks = chunks_of("\n".join(TURNS))

    assert len(chunks) == 5
    assert all(len(chunk) <= MAX_CHUNK_CHARACTERS for chunk in chunks)
    assert all(chunk.splitlines()[0] in TURNS and chunk.splitlines()[-1] in TURNS for chunk in chunks)


def test_chunks_begin_and_end_at_sentences_when_there_are_no_turns() -> None:
    chunks = chunks_of(" ".join(turn.partition(": ")[2] for turn in TURNS))

    assert all(chunk.startswith(("This", "It")) and chunk.endswith(".") for chunk in chunks)


def test_chunks_repeat_no_more_than_they_need() -> None:
    text = "\n".join(TURNS)

    repeated = sum(map(len, chunks_of(text))) / len(text)

    assert repeated < 1.35


def test_text_in_a_script_without_blanks_is_cut_with_overlap() -> None:
    text = "会議は来週の火曜日に延期されました。資料を送ってください。" * 100

    chunks = chunks_of(text)

    assert all(len(chunk) <= MAX_CHUNK_CHARACTERS for chunk in chunks)
    assert all(any(text[at : at + 100] in chunk for chunk in chunks) for at in range(0, len(text) - 100, 7))


def test_one_endless_word_is_cut_and_nothing_is_lost() -> None:
    chunks = chunks_of("x" * 30_000)

    assert len(chunks) > 1
    assert sum(map(len, chunks)) >= 30_000


words = st.text(
    alphabet=st.characters(
        codec="utf-8", exclude_categories=("Z", "C", "Lo"), exclude_characters="\x1c\x1d\x1e\x1f\x85"
    ),
    min_size=1,
    max_size=60,
)
blanks = st.sampled_from([" ", " ", " ", "  ", "\n", "\n\n", ". ", "! ", "\t"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(words, blanks), min_size=1, max_size=60), st.integers(1, 12))
def test_every_phrase_of_twenty_words_stands_whole_in_one_chunk(
    pieces: list[tuple[str, str]], times: int
) -> None:
    text = "".join(word + blank for word, blank in pieces * times)

    chunks = [f" {chunk} " for chunk in split(text)]

    spoken = text.split()
    phrases = [spoken[at : at + PHRASE_WORDS] for at in range(max(1, len(spoken) - PHRASE_WORDS + 1))]
    assert all(any(f" {' '.join(phrase)} " in chunk for chunk in chunks) for phrase in phrases)


@settings(deadline=None)
@given(st.text(alphabet="ab .\n", min_size=1_200, max_size=6_000))
def test_chunks_are_pieces_of_the_text_in_order_and_reach_its_end(text: str) -> None:
    chunks = chunks_of(text)

    places = [text.find(chunk) for chunk in chunks]
    assert -1 not in places
    assert all(len(chunk) <= MAX_CHUNK_CHARACTERS + 200 for chunk in chunks)
    assert not chunks or text.rstrip().endswith(chunks[-1])
