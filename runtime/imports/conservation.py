"""A net that knows no format: find texts of a source that are nowhere in what was stored of it."""

import re
from collections.abc import Collection, Iterable, Iterator
from html import unescape
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

_LETTER: Final = re.compile(r"[^\W\d_]")
_TAG: Final = re.compile(r"<[^<>]*>")
_SPACE: Final = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\ufeff\x00]+")


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

    Markup, references and white space do not count. `machinery` names members that a format does not keep.
    """
    kept = list(vcons)
    exact = {text for vcon in kept for _, text in texts_in(vcon)} | {
        name for vcon in kept for name in _names_in(vcon)
    }
    whole: str | None = None
    known: dict[str, bool] = {}
    for path, text in texts:
        if text in exact or not machinery_free(path, machinery):
            continue
        if text not in known:
            if whole is None:
                whole = "\n".join(_plain(each) for each in exact)
            known[text] = all(piece in whole for piece in _pieces(text))
        if not known[text]:
            yield path, text


def machinery_free(path: str, machinery: Collection[str]) -> bool:
    """Whether no member on a path is one that the format does not keep."""
    return not machinery or machinery_names(path).isdisjoint(machinery)


def machinery_names(path: str) -> set[str]:
    """Names of the members on a path."""
    return set(path.replace("[*]", "").split("."))


def _names_in(value: JsonValue) -> Iterator[str]:
    if is_array(value):
        for each in value:
            yield from _names_in(each)
    elif is_object(value):
        yield from value
        for each in value.values():
            yield from _names_in(each)


def _plain(text: str) -> str:
    """The text without markup, references and differences of white space."""
    return _SPACE.sub(" ", unescape(_TAG.sub(" ", text))).strip().casefold()


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text that have letters, as they are compared."""
    for line in _TAG.sub("\n", text).splitlines():
        if _LETTER.search(line) and (plain := _plain(line)):
            yield plain
