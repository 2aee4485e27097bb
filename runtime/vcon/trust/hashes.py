"""Compute and check hashes of content."""

import hashlib
import hmac
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, objects
from vcontract.runtime.vcon.bodies import decode_base64url, encode_base64url

_ALGORITHMS: Final = {"sha512": hashlib.sha512, "sha256": hashlib.sha256}
_ARRAYS: Final = ("dialog", "analysis", "attachments")

Outcome = Literal["right", "wrong", "algorithm_not_known", "not_fetched", "no_content"]


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of checking the `content_hash` of one element."""

    path: str
    outcome: Outcome


def content_hash(content: bytes) -> str:
    """`sha512-` and base64url of the digest, without padding.

    Source: draft-ietf-vcon-vcon-core-04, content_hash.
    """
    return digests(content, ["sha512"])[0]


class Digests:
    """Hashes of streamed content by several algorithms."""

    def __init__(self, algorithms: Iterable[str]) -> None:
        self._hashing = {algorithm: _ALGORITHMS[algorithm]() for algorithm in algorithms}

    def add(self, piece: bytes) -> None:
        for hashing in self._hashing.values():
            hashing.update(piece)

    def made(self) -> list[str]:
        return [
            f"{algorithm}-{encode_base64url(hashing.digest())}"
            for algorithm, hashing in self._hashing.items()
        ]


def digests(content: bytes, algorithms: Iterable[str]) -> list[str]:
    """Hash the content with each of these algorithms."""
    made = Digests(algorithms)
    made.add(content)
    return made.made()


def hashed_elements(vcon: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the elements with a `content_hash`, each with its path."""
    for name in _ARRAYS:
        for index, element in objects(vcon.get(name)):
            if element.get("content_hash"):
                yield f"$.{name}[{index}]", element


def check(path: str, element: JsonObject, fetched: Collection[str] | None = None) -> Checked:
    """Check an element's `content_hash` against its inline content, or hashes of its URL's content."""
    known = algorithms_of(element)
    if not known:
        return Checked(path, "algorithm_not_known")
    if fetched is None:
        content = inline_content(element)
        if content is None:
            return Checked(path, "not_fetched" if isinstance(element.get("url"), str) else "no_content")
        fetched = digests(content, known)
    fits = any(hmac.compare_digest(made, given.rstrip("=")) for given in _given(element) for made in fetched)
    return Checked(path, "right" if fits else "wrong")


def algorithms_of(element: JsonObject) -> list[str]:
    """Supported algorithms of an element's hashes."""
    named = (given.partition("-")[0] for given in _given(element))
    return [name for name in dict.fromkeys(named) if name in _ALGORITHMS]


def with_hashes(vcon: JsonObject) -> JsonObject:
    """Add a `content_hash` to each element with inline content and none yet."""
    hashed: JsonObject = {
        name: [_hashed(element) for element in array(vcon[name])]
        for name in _ARRAYS
        if is_array(vcon.get(name))
    }
    return {**vcon, **hashed}


def inline_content(element: JsonObject) -> bytes | None:
    """Bytes of an inline body: decoded, its text, or its compact JSON; None without one."""
    body: JsonValue = element.get("body")
    if body is None:
        return None
    if not isinstance(body, str):
        return dump_json(body)
    return decode_base64url(body) if element.get("encoding") == "base64url" else body.encode()


def _given(element: JsonObject) -> list[str]:
    given: JsonValue = element.get("content_hash")
    return [one for one in (given if is_array(given) else [given]) if isinstance(one, str)]


def _hashed(element: JsonValue) -> JsonValue:
    if not is_object(element) or element.get("content_hash"):
        return element
    content = inline_content(element)
    return element if content is None else {**element, "content_hash": content_hash(content)}
