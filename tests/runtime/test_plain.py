"""Plain text: nothing that steers a terminal, reorders what it shows or hides in it."""

import sys
import unicodedata

import pytest

from vcontract.runtime.frame.documents.plain_text import one_line, plain

SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
"""Those of category Cf that are drawn themselves, or say how hieroglyphs are put together."""


def test_every_invisible_format_character_is_written_out() -> None:
    formats = {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"}

    assert {code for code in formats if plain(f"pay{chr(code)}pal") == f"pay{chr(code)}pal"} <= SEEN


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay\u200bpal \u202egnp.exe", "pay\\u200bpal \\u202egnp.exe"),
        ("a\u200db \u200dc", "a\\u200db \\u200dc"),
        # joiners that a script or an emoji needs, each once
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\u0645\u200c\u200c\u062e", "\u0645\u200c\\u200c\u062e"),
        ("\u0d9a\u0dca\u200d\u0dbb", "\u0d9a\u0dca\u200d\u0dbb"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
        ("\U0001f3f3\ufe0f\u200dx", "\U0001f3f3\ufe0f\\u200dx"),
    ],
)
def test_text_is_shown_with_what_is_hidden_in_it(text: str, shown: str) -> None:
    assert (plain(text), one_line(f" {text}\n")) == (shown, shown)
