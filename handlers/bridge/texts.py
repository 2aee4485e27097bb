"""Validate texts of records (size, single line, one emoji), and shorten texts for display."""

import unicodedata
from collections.abc import Iterable
from typing import Final

import regex

from vcontract.generated.errors import ValidationError
from vcontract.runtime.frame.documents.json import JsonObject

MAX_TEXT_BYTES: Final = {"content": 100_000, "narrative": 40_000, "manifestation": 1_000}
"""Maximum UTF-8 bytes; the spec limits characters to the same number."""
MAX_TEXT_LENGTH: Final = {"experiencer": 120, "summary": 200, "contentType": 64, "when": 200}
MAX_IDS: Final = 50
MAX_QUALITIES: Final = 20
SNIPPET: Final = 80
"""Maximum characters of a snippet, without the dots."""

_LINE_ENDS: Final = "\t\n\r"
_SEPARATORS: Final = ("Zl", "Zp")
_EMOJI: Final = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3")
_GRAPHEME: Final = regex.compile(r"\X")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_MIN_SUMMARY_WORDS: Final = 5
_MAX_SUMMARY_WORDS: Final = 7


class Problems:
    """Collects all problems of a call's arguments."""

    def __init__(self) -> None:
        self._violations: list[JsonObject] = []

    def add(self, path: str, rule: str, message: str) -> None:
        self._violations.append({"path": path, "rule": rule, "message": message})

    def check_text(self, path: str, field: str, text: str) -> None:
        """Check a text for a field."""
        for rule, message in text_problems(field, text):
            self.add(path, rule, message)

    def check_emoji(self, path: str, text: str) -> None:
        if not is_emoji(text):
            self.add(path, "emoji", f'"{text[:20]}" is not a single emoji, such as 🤔, 🇩🇪 or 1️⃣.')

    def refuse(self, *suggestions: str) -> None:
        """Raise all collected problems. Raises: ValidationError if there are any."""
        if not self._violations:
            return
        first = self._violations[0]
        more = len(self._violations) - 1
        raise ValidationError(
            f"{first['path']}: {first['message']}" + (f" And {more} more." if more else ""),
            details={"reason": first["rule"], "violations": self._violations},
            suggestions=suggestions,
        )


def invalid(path: str, rule: str, message: str, *suggestions: str) -> ValidationError:
    """Build the error for one problem."""
    return ValidationError(
        message,
        details={"reason": rule, "violations": [{"path": path, "rule": rule, "message": message}]},
        suggestions=suggestions,
    )


def text_problems(field: str, text: str) -> Iterable[tuple[str, str]]:
    """Problems of a text in a field: rule and message."""
    if not text.strip():
        yield "blank", f"{field} is blank; it needs at least one character that is no space."
    size = len(text.encode())
    if size > MAX_TEXT_BYTES.get(field, size):
        yield "too_long", f"{field} has {size} bytes of UTF-8; at most {MAX_TEXT_BYTES[field]} are stored."
    if len(text) > MAX_TEXT_LENGTH.get(field, len(text)):
        yield "too_long", f"{field} has {len(text)} characters; at most {MAX_TEXT_LENGTH[field]} are stored."
    forbidden = next((c for c in text if _is_control(c)), None)
    if forbidden is not None:
        yield (
            "control_character",
            f"{field} holds the control character U+{ord(forbidden):04X}; leave it out.",
        )
    if field in MAX_TEXT_LENGTH and not is_single_line(text):
        yield "single_line", f"{field} is a single line; it holds a line or paragraph separator."


def is_single_line(text: str) -> bool:
    return not any(c in "\n\r\v\f\x1c\x1d\x1e\x85" or unicodedata.category(c) in _SEPARATORS for c in text)


def is_emoji(text: str) -> bool:
    """Whether the text is one emoji (one grapheme cluster)."""
    return _GRAPHEME.fullmatch(text) is not None and _EMOJI.match(text) is not None


def summary_words(summary: str) -> int | None:
    """Number of words if it is not 5 to 7, else None; None for scripts without spaces."""
    words = len(summary.split())
    if _UNSPACED.search(summary) or _MIN_SUMMARY_WORDS <= words <= _MAX_SUMMARY_WORDS:
        return None
    return words


def snippet(text: str, most: int = SNIPPET) -> str:
    """Beginning of a text on one line, cut at a word, with `...`."""
    line = " ".join(text[: 8 * most].split()) if len(text) > 8 * most else " ".join(text.split())
    if len(line) <= most and len(text) <= 8 * most:
        return line
    if len(line) <= most:
        return line + "..."
    cut = line[: most + 1].rpartition(" ")[0] or line[:most]
    return cut + "..."


def _is_control(character: str) -> bool:
    return character not in _LINE_ENDS and unicodedata.category(character) == "Cc"
