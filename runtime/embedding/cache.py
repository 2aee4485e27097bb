"""Cache of recent vectors, so that a growing conversation is not embedded anew at each turn."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

REMEMBERED: Final = 4_096
"""Maximum number of vectors: about 6 MB at 384 dimensions."""


class VectorCache:
    """Least recently used cache of vectors by text."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._rows: OrderedDict[bytes, Matrix] = OrderedDict()

    def known(self, texts: Sequence[str]) -> "dict[str, Matrix]":
        """Return the cached vectors of these texts."""
        found: dict[str, Matrix] = {}
        for text in texts:
            key = _key(text)
            if key in self._rows:
                self._rows.move_to_end(key)
                found[text] = self._rows[key]
        return found

    def remember(self, vectors: "Mapping[str, Matrix]") -> None:
        """Add the vectors, and evict the least recently used ones."""
        for text, row in vectors.items():
            self._rows[_key(text)] = row
        while len(self._rows) > self._most:
            self._rows.popitem(last=False)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
