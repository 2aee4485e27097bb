"""Find what to redact in a text: card and telephone numbers, addresses, names, given words and patterns."""

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import regex

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import members, objects
from vcontract.runtime.frame.documents.unicode_cleanup import normalized, normalized_with_offsets
from vcontract.runtime.text.patterns import Patterns
from vcontract.runtime.text.words import fold
from vcontract.runtime.text.written_forms import WrittenForms

Rule = Literal["cards", "numbers", "emails", "addresses", "names"]
Kind = Literal["card", "number", "email", "address", "name", "word", "pattern", "media"]

_MARK: Final = regex.compile(r"\[redacted: [a-z]+\]")
_DIGITS: Final = {
    word: str(digit)
    for digit, words in enumerate("zero|oh one two three four five six seven eight nine".split())
    for word in words.split("|")
}
_DIGIT: Final = rf"(?:\d|(?<!\p{{L}})(?:{'|'.join(_DIGITS)})(?!\p{{L}}))"
_ONE_DIGIT: Final = regex.compile(_DIGIT, regex.IGNORECASE)
_DIGIT_RUN: Final = regex.compile(rf"{_DIGIT}(?:[\s,.\p{{Pd}}_/()]{{0,3}}{_DIGIT}){{12,}}", regex.IGNORECASE)
_PHONE: Final = regex.compile(
    rf"(?<![\p{{L}}\d.])(?:\+|\(\+?)?{_DIGIT}(?:(?:,\s|[\s.\p{{Pd}}/()]){{0,3}}{_DIGIT}){{6,16}}(?![\p{{L}}\d])",
    regex.IGNORECASE,
)
_DATE: Final = regex.compile(r"\d{4}-\d{2}-\d{2}(?:\s\d{2})?|\d{1,2}[./-]\d{1,2}[./-]\d{4}")
_EMAIL: Final = regex.compile(
    r"(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]++(?:(?:@|%40)[\p{L}\p{N}.-]+\.\p{L}{2,}"
    r"|\s+at\s+[\p{L}\p{N}-]++(?:\s+dot\s+\p{L}+)+)",
    regex.IGNORECASE,
)
_STREETS: Final = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|sq|way|place|pl|terrace"
)
_ADDRESS: Final = regex.compile(
    rf"\b\d{{1,5}}[a-z]?\s+(?:[\p{{L}}'.]+\s+){{1,4}}?(?:{_STREETS})\b\.?"
    r"|\b\p{L}+(?:straße|strasse|str\.|weg|platz|allee|gasse)\s+\d{1,4}\s?[a-z]?\b"
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b"
    r"|\b(?-i:[A-Z]{2})\s+\d{5}(?:-\d{4})?\b"
    r"|\bP\.?\s?O\.?\s?Box\s+\d+",
    regex.IGNORECASE,
)
_TOKEN: Final = regex.compile(r"[\p{L}\p{M}]+|\p{N}+")
_NO_NAMES: Final = frozenset(
    "mr mrs ms miss dr prof sir agent customer caller callee client user assistant bot system speaker party"
    " anonymous unknown support the and de da di du van von der den del la le el al bin ibn".split()
)
"""Words in party names that identify nobody."""
_MAX_NAME_PARTS: Final = 4
_MAY_BE_SPLIT: Final[Mapping[Kind, int]] = {"word": 5, "name": 7}
"""Minimum letters of a word that spaces may split anywhere: `in a` is not Ina."""
_ENCODED: Final = regex.compile(r"[A-Za-z0-9+/_-]{12,}+={0,2}")


class SensitiveSpan(NamedTuple):
    """A span of a text to redact, and its kind."""

    start: int
    end: int
    kind: Kind


_Finder: TypeAlias = Callable[[str], Iterable[SensitiveSpan]]


@dataclass(frozen=True, slots=True)
class RedactionRequest:
    """A request to redact: rules, patterns, and words in any form."""

    rules: frozenset[Rule] = frozenset()
    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    aliases: tuple[JsonObject, ...] = ()
    """Parties with all other names, addresses and numbers of this vCon's parties."""


class Sensitive:
    """Finds `wanted` data of this vCon in texts. Raises: BadPattern."""

    def __init__(self, wanted: RedactionRequest, vcon: JsonObject) -> None:
        parties = [*(party for _, party in objects(vcon.get("parties"))), *wanted.aliases]
        by_rule: dict[Rule, list[_Finder]] = {
            "cards": [_cards],
            "numbers": [_phones, *_literally("number", _numbers_of(parties))],
            "emails": [
                _matching("email", _EMAIL),
                *_literally("email", _texts_of(parties, "mailto", "email")),
            ],
            "addresses": [_matching("address", _ADDRESS), *_literally("address", _addresses_of(parties))],
            "names": _literally("name", _names_of(parties)),
        }
        self._finders = _literally("word", wanted.words)
        self._patterns = Patterns(wanted.patterns)
        if wanted.patterns:
            self._finders.append(self._of_patterns)
        for rule, finders in by_rule.items():
            if rule in wanted.rules:
                self._finders += finders

    def close(self) -> None:
        """End what matches patterns."""
        self._patterns.close()

    def _of_patterns(self, text: str) -> Iterator[SensitiveSpan]:
        for start, end in self._patterns.find(text):
            yield SensitiveSpan(start, end, "pattern")

    def find(self, text: str) -> list[SensitiveSpan]:
        """Return matches in order, without overlaps. Existing redaction marks are skipped."""
        marks = [mark.span() for mark in _MARK.finditer(text)]
        found = [
            each
            for each in self._in_any_writing(text)
            if not any(s < each.end and each.start < e for s, e in marks)
        ]
        return _apart(found)

    def _in_any_writing(self, text: str) -> Iterator[SensitiveSpan]:
        """Yield matches in the text as written, and as displayed (it may be decomposed)."""
        yield from self._all(text)
        if (clear := normalized_with_offsets(text)) is not None:
            for start, end, kind in self._all(clear.text):
                yield SensitiveSpan(clear.starts[start], clear.ends[end - 1], kind)

    def _all(self, text: str) -> Iterator[SensitiveSpan]:
        for finder in self._finders:
            yield from finder(text)
        # base64 inside a text, such as parts of a token
        for encoded in _ENCODED.finditer(text):
            inner = _decoded(encoded[0])
            first = next((each for finder in self._finders for each in finder(inner)), None)
            if first is not None:
                yield SensitiveSpan(encoded.start(), encoded.end(), first.kind)


def mark(kind: Kind) -> str:
    """Return the replacement for redacted text."""
    return f"[redacted: {kind}]"


def _apart(found: list[SensitiveSpan]) -> list[SensitiveSpan]:
    """Merge overlapping matches, with the kind of the longest."""
    apart: list[SensitiveSpan] = []
    for each in sorted(found):
        if apart and each.start < apart[-1].end:
            last = apart.pop()
            longest = max(last, each, key=lambda one: one.end - one.start)
            each = SensitiveSpan(last.start, max(last.end, each.end), longest.kind)
        apart.append(each)
    return apart


def _matching(kind: Kind, pattern: regex.Pattern) -> _Finder:
    def find(text: str) -> Iterator[SensitiveSpan]:
        for match in pattern.finditer(text):
            yield SensitiveSpan(match.start(), match.end(), kind)

    return find


def _literally(kind: Kind, texts: Iterable[str]) -> list[_Finder]:
    """Return a finder for these words in any form."""
    wanted = WrittenForms(texts, may_be_split=_MAY_BE_SPLIT.get(kind))

    def find(text: str) -> Iterator[SensitiveSpan]:
        for start, end in wanted.find(text):
            yield SensitiveSpan(start, end, kind)

    return [find] if wanted else []


def _texts_of(parties: Iterable[JsonObject], *names: str) -> Iterator[str]:
    for party in parties:
        for name in names:
            value = party.get(name)
            if isinstance(value, str) and value.strip():
                yield value.strip().removeprefix("mailto:").removeprefix("tel:")


def _names_of(parties: list[JsonObject]) -> Iterator[str]:
    """Yield full names, each part that identifies somebody, and parts in sequence such as `van Dijk`."""
    for name in _texts_of(parties, "name"):
        clear = normalized(name)
        parts = list(_TOKEN.finditer(clear))
        identifying = [
            at for at, part in enumerate(parts) if not part[0].isnumeric() and fold(part[0]) not in _NO_NAMES
        ]
        if identifying:
            yield name
        for at in identifying:
            if len(parts[at][0]) > 1:
                yield parts[at][0]
            for first in range(max(at - _MAX_NAME_PARTS, 0), at):
                yield clear[parts[first].start() : parts[at].end()]


def _numbers_of(parties: list[JsonObject]) -> Iterator[str]:
    """Yield numbers, and their national form."""
    for number in _texts_of(parties, "tel"):
        digits = "".join(character for character in number if character.isdecimal())
        yield digits
        if len(digits) > 7:
            yield digits[-7:]
            yield from (digits[country:] for country in (1, 2, 3) if len(digits) - country >= 7)


def _addresses_of(parties: list[JsonObject]) -> Iterator[str]:
    yield from _texts_of(parties, "gmlpos")
    for party in parties:
        values = map(str, members(party.get("civicaddress")).values())
        yield from (value for value in values if len(value) > 3)


def _phones(text: str) -> Iterator[SensitiveSpan]:
    for match in _PHONE.finditer(text):
        if not _DATE.match(match[0]):
            yield SensitiveSpan(match.start(), match.end(), "number")


def _cards(text: str) -> Iterator[SensitiveSpan]:
    """Find groups of 13 to 19 digits with a valid check digit of cards."""
    for run in _DIGIT_RUN.finditer(text):
        digits = list(_ONE_DIGIT.finditer(text, run.start(), run.end()))
        values = "".join(_DIGITS.get(digit[0].casefold()) or str(int(digit[0])) for digit in digits)
        start = 0
        while start + 13 <= len(digits):
            length = next((n for n in range(19, 12, -1) if _is_card(digits, values, start, n)), 0)
            if length:
                yield SensitiveSpan(digits[start].start(), digits[start + length - 1].end(), "card")
            start += length or 1


def _is_card(digits: list[regex.Match], values: str, start: int, length: int) -> bool:
    end = start + length
    if end > len(digits) or values[start] not in "23456":
        return False
    begins = start == 0 or digits[start - 1].end() < digits[start].start()
    ends = end == len(digits) or digits[end - 1].end() < digits[end].start()
    return begins and ends and _has_its_check_digit(values[start:end])


def _has_its_check_digit(digits: str) -> bool:
    """Check the Luhn digit. Source: ISO/IEC 7812-1, annex B."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _decoded(encoded: str) -> str:
    """Decode base64 text; empty if it is not."""
    bare = encoded.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        text = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if all(character.isprintable() or character.isspace() for character in text) else ""
