"""What people and models read keeps to our style."""

import pytest

from tests.prose import BANNED, BANNED_IN_CODE, findings, limits, sentences_against, words


@pytest.mark.parametrize("area", ["docs", "spec", "docstrings", "benchmarks"])
def test_an_area_has_no_more_findings_than_its_limit(area: str) -> None:
    assert len(findings(area)) <= limits()[area], f"python -m tests.prose {area}"


def test_the_pages_of_docs_have_no_more_words_than_their_limit() -> None:
    assert words() <= limits()["words"]


def test_long_sentences_and_phrases_that_readers_stumble_over_are_found() -> None:
    long = " ".join(["Word", *["word"] * 25])

    found = [
        why for _, why in sentences_against(f"A client is told so. Plain words. {long}. `whoever` is code.")
    ]

    assert found == ["“is told”: say who reports or returns it", "26 words, at most 25"]


def test_docstrings_that_begin_like_riddles_are_found() -> None:
    found = [
        why for _, why in sentences_against("What a call asks. Asks the store.", BANNED | BANNED_IN_CODE)
    ]

    assert found == ["“What a”: a noun phrase or an imperative"]
