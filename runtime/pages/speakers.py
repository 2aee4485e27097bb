"""Who speaks: initials and a colour of their own."""

import re
from dataclasses import dataclass
from typing import Final
from zlib import crc32

_COLOURS: Final = 7
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who speaks in a conversation."""

    name: str
    initials: str
    colour: int
    """0 to 6; the same name has the same one everywhere."""

    @classmethod
    def of(cls, name: str) -> "Person":
        """The person of a name: "Dolores Whitfield" is DW."""
        words = _WORD.findall(name)
        initials = "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()
        return cls(name, initials or "#", crc32(name.encode()) % _COLOURS)
