"""Words: what a text is found by, and the binary forms that PostgreSQL reads."""

import tracemalloc
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vcontract.runtime.text.tsvector import decode_strengths, encode_strengths, encode_tsvector
from vcontract.runtime.text.words import (
    MAX_WORD_LENGTH,
    fold,
    indexed_words,
    lexeme,
    one_slip_apart,
    phone_words,
    places_of,
    spelling,
    stemmed,
    symbol_words,
    words,
)

SCRIPTS = "".join(
    [
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n.,;:!?'’-_@+#$%&/()\"\\",
        "áéñüßøåçÅİıſﬁ",
        "привет мир",
        "κόσμε",
        "日本語がギ中文",
        "ก่อนอยู่ไทย",
        "ﾃｽﾄｶﾞ",
        "हिन्दी",
        "עִברִית",
        "عَرَبِيّ ﷺ",
        "e\u0301o\u0308",
        "\u00ad\u2060\u200e\u202e\ufeff\u200b",
    ]
)
texts = st.text(alphabet=st.sampled_from(SCRIPTS), max_size=80)


@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        ("The refunds were refunded", ["the", "refund", "were", "refund"]),
        ("Café CAFÉ cafe\u0301 ｃａｆｅ", ["cafe"] * 4),
        ("re\u00adfund \u202brefund\u202c re\u2060funds\ufeff", ["refund"] * 3),
        ("bank\u200brefund", ["bank", "refund"]),
        ("don't O’Brien's", ["dont", "obrien"]),
        ("James's James", ["jame", "jame"]),
        ("he'll we’ll I'd've Ann'd hell", ["he", "we", "i", "ann", "hell"]),
        ("invoice_12 v1.2.3", ["invoic", "12", "v1", "2", "3"]),
        ("naïve-résumé", ["naiv", "resum"]),
        ("日本語", ["日", "本", "語"]),
        ("がぎ", ["か", "き"]),
        ("か\u3099き\u3099", ["か", "き"]),
        ("ﾃｽﾄ", ["テ", "ス", "ト"]),
        ("ก่อน", ["ก", "อ", "น"]),
        ("हिन्दी भाषा।", ["हिनदी", "भाषा"]),
        ("عَرَبِيّ", ["عربي"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("", []),
        ("... !? --", []),
    ],
)
def test_a_text_is_read_as_folded_stems_in_order(text: str, lexemes: list[str]) -> None:
    found = list(words(text))

    assert [word.lexeme for word in found] == lexemes
    assert [word.position for word in found] == list(range(1, len(found) + 1))


def test_a_word_spans_its_letters_and_their_marks() -> None:
    text = "say re\u0301sume\u0301, please"

    spans = [text[word.start : word.end] for word in words(text)]

    assert spans == ["say", "re\u0301sume\u0301", "please"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("order CUST-12345.", ["cust-12345"]),
        ("(a@b.co)", ["a@b.co"]),
        ("C++ and C#", ["c++", "c#"]),
        ("costs $40, 50%!", ["$40", "50%"]),
        ("#42 v1.2.3", ["#42", "v1.2.3"]),
        ("plain words, here!", []),
        ("re\u0301sume\u0301", []),
        ("don't", []),
        ("snake_case", ["snake_case"]),
        ('she said "(yes)", then left', []),
        ("a.\"b and rock'n'.roll", ['a."b', "rock'n'.roll"]),
        ("x-" + "y" * MAX_WORD_LENGTH, []),
    ],
)
def test_a_word_with_a_symbol_is_also_known_whole(text: str, whole: list[str]) -> None:
    assert [word.lexeme for word in symbol_words(text)] == whole


def test_a_symbol_word_stands_at_the_position_of_its_first_part() -> None:
    (whole,) = symbol_words("please see CUST-12345 again")

    assert whole.position == 3


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("call +1 (555) 123-4567 now", ["tel:1234567"]),
        ("tel:+15551234567", ["tel:1234567"]),
        ("555.123.4567", ["tel:1234567"]),
        ("1234567", ["tel:1234567"]),
        ("123456", []),
        ("abc1234567", []),
        ("1234567x", []),
        ("1234567890123456789", []),
    ],
)
def test_a_number_of_seven_to_fifteen_digits_compares_as_a_phone_number(
    text: str, numbers: list[str]
) -> None:
    assert [word.lexeme for word in phone_words(text)] == numbers


def test_a_run_longer_than_a_word_is_not_indexed_but_counts_as_a_position() -> None:
    text = f"before {'x' * (MAX_WORD_LENGTH + 1)} after"

    assert indexed_words(text) == {"befor": [1], "after": [3]}


@pytest.mark.parametrize("language", ["en", "fr"])
def test_runs_that_are_too_long_for_a_word_are_not_kept(language: str) -> None:
    tracemalloc.start()
    try:
        for number in range(20):
            indexed_words(chr(ord("a") + number) * 100_000, language=language)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept < 100_000


def test_every_letter_is_indexed_under_something() -> None:
    letters = "".join(chr(code) for code in range(0x20, 0x10000) if not 0xD800 <= code < 0xE000)

    assert all(word.lexeme for word in words(" ".join(letters)))


@pytest.mark.parametrize(
    ("surface", "known"),
    [
        ("Refund", "refund"),
        ("Café", "cafe"),
        ("ab", None),
        ("x" * 33, None),
        ("v12", None),
        ("日本語", "日本語"),
    ],
)
def test_only_plain_words_of_some_length_are_spellings(surface: str, known: str | None) -> None:
    assert spelling(surface) == known


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("recieve", "receive", True),
        ("refnd", "refund", True),
        ("refuund", "refund", True),
        ("refind", "refund", True),
        ("refund", "refund", False),
        ("refund", "refunds", True),
        ("aa", "aaa", True),
        ("abab", "baba", False),
        ("rfeudn", "refund", False),
        ("refuse", "refund", False),
        ("", "a", True),
        ("", "ab", False),
    ],
)
def test_one_slip_of_the_pen(one: str, other: str, apart: bool) -> None:
    assert one_slip_apart(one, other) is one_slip_apart(other, one) is apart


@pytest.mark.parametrize("text", ["𝐇𝐄𝐋𝐋𝐎", "ℌello", "ＨＥＬＬＯ", "𝓗ÉLLO", "h\u0301ello"])
def test_letters_in_a_style_of_their_own_fold_to_plain_ones(text: str) -> None:
    assert fold(text) == "hello"


def test_folding_a_character_twice_is_folding_it_once() -> None:
    assert [c for c in map(chr, range(0x20000)) if fold(fold(c)) != fold(c)] == []


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(texts)
@example("ό’D")
@example("AAό’0")
def test_composed_and_decomposed_text_have_the_same_words(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)

    assert indexed_words(composed) == indexed_words(decomposed)


@given(texts)
def test_positions_rise_and_every_word_of_a_text_is_indexed_at_its_own(text: str) -> None:
    places = indexed_words(text)

    assert all(found == sorted(set(found)) for found in places.values())
    assert all(word.position in places[word.lexeme] for word in (*words(text), *symbol_words(text)))


async def _read_back(database_url: str, encoded: bytes) -> dict[str, tuple[list[int], list[str]]]:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.set_type_codec(
            "tsvector", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary"
        )
        rows = await connection.fetch("select lexeme, positions, weights from unnest($1::tsvector)", encoded)
    finally:
        await connection.close()
    return {row["lexeme"]: (row["positions"], row["weights"]) for row in rows}


async def test_postgresql_reads_the_positions_that_were_encoded(database_url: str) -> None:
    text = "ก่อน C++ don't 'quoted' back\\slash résumé 日本語 ﷺ tel 555-123-4567 C++"
    places = indexed_words(text)

    read = await _read_back(database_url, encode_tsvector(places))

    assert {word: positions for word, (positions, _) in read.items()} == places


async def test_postgresql_reads_the_labels_and_counts_that_were_encoded(database_url: str) -> None:
    strengths = {"subject": ("A", 1), "spoken": ("B", 3), "filed": ("C", 254), "often": ("B", 999)}

    read = await _read_back(database_url, encode_strengths(strengths))

    labels = {word: set(weights) for word, (_, weights) in read.items()}
    counts = {word: len(positions) for word, (positions, _) in read.items()}
    assert labels == {"subject": {"A"}, "spoken": {"B"}, "filed": {"C"}, "often": {"B"}}
    assert counts == {"subject": 1, "spoken": 3, "filed": 254, "often": 255}
    assert decode_strengths(encode_strengths(strengths)) == {
        word: (min(labels[word]), counts[word]) for word in strengths
    }


@pytest.mark.parametrize(
    "places",
    [
        {"w": list(range(1, 400))},
        {"w": [16_382, 16_383, 16_384, 99_999]},
        {"w": [99_999]},
    ],
)
async def test_positions_beyond_what_postgresql_holds_are_cut(
    database_url: str, places: dict[str, list[int]]
) -> None:
    read = await _read_back(database_url, encode_tsvector(places))

    expected = sorted({min(at, 16_383) for at in places["w"]})[:255]
    assert read["w"][0] == expected


async def test_a_word_that_folds_to_many_characters_still_fits_a_lexeme(database_url: str) -> None:
    places = indexed_words("ﷺ" * MAX_WORD_LENGTH)

    read = await _read_back(database_url, encode_tsvector(places))

    assert read.keys() == places.keys() == {lexeme("ﷺ" * MAX_WORD_LENGTH)}


@pytest.mark.parametrize(
    ("word", "language", "written"),
    [("lopen", "nl", "gelopen"), ("assurance", "fr", "l'assurance"), ("Übungen", "de", "ubung")],
)
def test_a_word_is_found_where_its_other_form_stands(word: str, language: str, written: str) -> None:
    text = f"before {written} after"

    (place,) = places_of({stemmed(word, language)}, text, [language])

    assert text[slice(*place)] == written


def test_words_are_told_by_several_threads_at_once() -> None:
    texts = [
        f"{stem}ings{number} {stem}ational{suffix}"
        for stem in ("relat", "oper", "gener", "condit")
        for number in range(40)
        for suffix in ("ly", "ism", "ize", "ness", "ing")
    ]
    whole = " ".join(f"{text} {'abcdefgh'[place % 8]}{text}ational" for place, text in enumerate(texts))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(indexed_words, [f"{'klmn'[turn % 4]} {whole}" for turn in range(8)]))

    assert all(set(places) - {"k", "l", "m", "n"} == set(found[0]) - {"k", "l", "m", "n"} for places in found)


@given(st.text("ab1_ .,;:!?\"()'@$+-\n", max_size=40))
@example("a.'b")
@example("(a).\"'b c")
def test_symbols_in_ascii_are_found_as_beside_other_letters(text: str) -> None:
    assert list(symbol_words(text)) == list(symbol_words(f"{text} é"))
