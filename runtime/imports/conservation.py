"""A net that knows no format: find texts of a source that are nowhere in what was stored of it."""

import re
from collections.abc import Collection, Iterable, Iterator
from html import unescape
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object, objects

_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W_]+")
_TAG: Final = re.compile(r"</?[A-Za-z!][^<>@]*>")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.,]+.*)?|P(?:T|\d).*|[\d.]+m?s")
_MACHINERY: Final = re.compile(
    r"(?i).*(?:id|ids|guid|hash|etag|type|role|status|kind|sender|languages?|language_?code|locale)"
)
"""Names of members whose one-word values are no words of anybody: IDs, types, roles and languages."""
_MIN_LENGTH: Final = 6
"""Letters from which a text may also be a part of another one; shorter ones must be words of it."""


def texts_in(value: JsonValue, path: str = "$") -> Iterator[tuple[str, str]]:
    """Every text with a letter below a value, and its JSON path without indexes."""
    waiting: list[tuple[str, JsonValue]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if _LETTER.search(value):
                yield path, value
        elif is_array(value):
            waiting += [(f"{path}[*]", each) for each in reversed(value)]
        elif is_object(value):
            waiting += [(f"{path}.{name}", each) for name, each in reversed(value.items())]


def missing_texts(document: JsonObject, stored: JsonObject) -> list[tuple[str, str]]:
    """Texts of a document that are nowhere in another one, with their paths."""
    return list(not_kept(texts_in(document), [stored]))


def not_kept(
    texts: Iterable[tuple[str, str]], vcons: Iterable[JsonValue], machinery: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the texts that are in none of the vCons, with their paths.

    Only letters and digits are compared, so markup, references and white space do not count. `machinery`
    names members that a format does not keep; times, IDs and types are machinery everywhere.
    """
    kept = Kept(text for vcon in vcons for text in (*_bodies(vcon), *_texts_and_names(vcon)))
    for path, text in texts:
        names = path.replace("[*]", "").split(".")
        if set(names).isdisjoint(machinery) and not is_machinery(names[-1], text) and not kept.has(text):
            yield path, text


class Kept:
    """Texts that are stored, to find those that are not."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)
        self._exact = set(self._texts)
        self._whole = ""
        self._words: set[str] = set()
        self._known: dict[str, bool] = {}

    def has_exactly(self, text: str) -> bool:
        """Whether a text is stored as it is."""
        return text in self._exact

    def has(self, text: str) -> bool:
        """Whether a text is stored, however its words are separated or marked up."""
        if text in self._exact:
            return True
        if text not in self._known:
            if not self._whole:
                found = [_words(each) for each in self._texts]
                self._whole = "".join(map("".join, found))
                self._words = {word for each in found for word in each}
            own = _words(text)
            joined = "".join(own)
            self._known[text] = (
                self._words.issuperset(own)
                if len(own) == 1 or len(joined) < _MIN_LENGTH
                else joined in self._whole
            ) or (len(own) == 1 and len(joined) >= _MIN_LENGTH and joined in self._whole)
        return self._known[text]


def is_machinery(name: str, text: str) -> bool:
    """Whether the text of a member is nobody's words: an ID, type or time, or without letters."""
    if not _LETTER.search(text):
        return True
    is_id = " " not in text and _MACHINERY.fullmatch(name) is not None
    return is_id or _TIME.fullmatch(text) is not None


def _bodies(vcon: JsonValue) -> Iterator[str]:
    """Bodies of the dialog in order: a source may also have the words of all turns as one text."""
    for _, turn in objects(vcon.get("dialog") if is_object(vcon) else None):
        if isinstance(body := turn.get("body"), str):
            yield body


def _texts_and_names(value: JsonValue) -> Iterator[str]:
    """All texts of a vCon in order, and the names of its members."""
    if isinstance(value, str):
        yield value
    elif is_array(value):
        for each in value:
            yield from _texts_and_names(each)
    elif is_object(value):
        for name, each in value.items():
            yield name
            yield from _texts_and_names(each)


def _words(text: str) -> list[str]:
    text = _TAG.sub(" ", text) if "<" in text else text
    return _WORD.findall((unescape(text) if "&" in text else text).casefold())
