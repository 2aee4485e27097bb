"""Recognize identifiers in queries (uuid, e-mail address, phone number, code), and strip punctuation."""

import re
from typing import Final, Literal

from vcontract.runtime.text.words import LOCAL_NUMBER_DIGITS, words
from vcontract.runtime.vcon.identity import parse_uuid

IdentifierKind = Literal["uuid", "email", "phone", "code"]

DIGITS: Final = re.compile(r"\d")
_EMAIL: Final = re.compile(r"[^\s@]++@(?P<domain>[^\s@]++)")
PHONE: Final = re.compile(r"(tel:)?\+?[\d\s().\-/]+", re.IGNORECASE)
_ID: Final = re.compile(r"(?:(?:vcon_?)?(?:uu)?id|vcon)[:=]\s*", re.IGNORECASE)
"""Prefix of a uuid to look up."""
AROUND: Final = "\"'‘’.,;:!?()[]{}"
_HAS_WORD: Final = re.compile(r"[^\W_]")
_SENTENCE_END: Final = ".,;:!?…"
_BRACKETS: Final = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_MAX_LAYERS: Final = 20
_QUOTES: Final = "'`\"’‘"


def without_punctuation(text: str) -> str:
    """Strip punctuation around a word."""
    return text.strip().strip(AROUND)


def uuid_of(text: str) -> str | None:
    """Return the uuid if the text is only one, alone or after `id:`; else None."""
    bare = without_id_label(text)
    return None if parse_uuid(bare) is None else bare


def without_id_label(text: str) -> str:
    """Strip `id:` before an ID, and punctuation around it."""
    return without_punctuation(_ID.sub("", text.strip(), count=1))


def identifier_kind(text: str) -> IdentifierKind | None:
    """Return the kind of identifier if the text is only one. A word with a digit is a code."""
    bare = without_punctuation(text)
    if uuid_of(text) is not None:
        return "uuid"
    if (address := _EMAIL.fullmatch(bare)) and "." in address["domain"][1:-1]:
        return "email"
    if PHONE.fullmatch(bare) and len(DIGITS.findall(bare)) >= LOCAL_NUMBER_DIGITS:
        return "phone"
    if len(bare.split()) == 1 and DIGITS.search(bare) and any(True for _ in words(bare)):
        return "code"
    return None


def bare(token: str) -> str:
    """Strip the punctuation of the sentence around a token, unless nothing else remains."""
    if not _HAS_WORD.search(token):
        return token
    found = token
    for _ in range(_MAX_LAYERS):
        before = found
        found = found.rstrip(_SENTENCE_END)
        for opening, closing in _BRACKETS:
            if found.startswith(opening) and (closing not in found or found.endswith(closing)):
                found = found[1:].removesuffix(closing)
            elif found.endswith(closing) and opening not in found:
                found = found[:-1]
        if len(found) > 2 and found[0] == found[-1] and found[0] in _QUOTES:
            found = found[1:-1]
        if found == before:
            break
    return found
