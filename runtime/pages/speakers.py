"""Speakers: initials and a colour for each."""

import re
from dataclasses import dataclass
from typing import Final
from zlib import crc32

_COLOURS: Final = 7
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker of a conversation."""

    name: str
    initials: str
    colour: int
    """0 to 6, always the same for a name."""

    @classmethod
    def of(cls, name: str) -> "Person":
        """Create from a name: "Dolores Whitfield" is DW."""
        words = _WORD.findall(name)
        initials = "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()
        return cls(name, initials or "#", crc32(name.encode()) % _COLOURS)
