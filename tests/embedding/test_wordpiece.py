"""Word pieces are those of the library that the model was made with."""

from pathlib import Path
from unicodedata import category, ucd_3_2_0

import pytest
from tokenizers import BertWordPieceTokenizer

from vcontract.runtime.embedding.minilm import VOCABULARY
from vcontract.runtime.embedding.wordpiece import WordPieces

ROOT = Path(__file__).parents[2]
# what the library takes for a letter follows a Unicode of its own, without what came or changed later
LETTERS = [
    chr(code)
    for code in range(0x30000)
    if ucd_3_2_0.category(chr(code)) == category(chr(code)) not in ("Cn", "Cs")
]
TEXTS = {
    "the examples": [
        text[start : start + 900]
        for text in (path.read_text() for path in sorted((ROOT / "spec" / "examples").rglob("*.json")))
        for start in range(0, len(text), 900)
    ],
    "every letter between two": [
        " ".join(f"a{letter}b" for letter in LETTERS[start : start + 20])
        for start in range(0, len(LETTERS), 20)
    ],
    "what is read in a way of its own": [
        "",
        " \t\r\n\u2028\u3000 ",
        "[CLS] and [SEP], [MASK]ed, [unk], [PAD",
        "ΟΔΟΣ, ÉCOLE, e\u0301cole, İstanbul, straße, ẞ",
        "don't; a_b; 10%, $5 <=> €5, C++, a\x00b, a\u200bc, a\u0085d, \ufffd",
        "退款到账 and 한국어, 日本語のテキスト",
        "x" * 100 + " " + "x" * 101,
        "unaffable " * 200,
    ],
}


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_texts_have_the_pieces_that_the_library_gives_them(texts: list[str]) -> None:
    library = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)

    ours = WordPieces(VOCABULARY).pieces(texts)
    theirs = [encoding.ids for encoding in library.encode_batch(texts, add_special_tokens=False)]
    assert [text for text, one, other in zip(texts, ours, theirs, strict=True) if one != other] == []


def test_half_a_character_is_read_as_one_that_is_not_known() -> None:
    pieces = WordPieces(VOCABULARY).pieces
    assert pieces(["a \ud800 b"]) == pieces(["a ? b"])
