"""IDs of bridge records: text that sorts by creation time, and the uuid of the same 128 bits."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias
from uuid import UUID

RecordType: TypeAlias = Literal["source", "moment", "scene"]

PREFIXES: Final[dict[RecordType, str]] = {"source": "src_", "moment": "mom_", "scene": "sce_"}
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32."""
_CHARACTERS: Final = 26
_ID: Final = re.compile(f"(?:{'|'.join(PREFIXES.values())})[0-7][{_ALPHABET}]{{{_CHARACTERS - 1}}}")
"""The two highest bits of the first character exceed the 128 bits of a uuid."""
_RANDOM_BITS: Final = 80
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


class RecordIds:
    """Generates IDs: 48 bits of milliseconds and 80 random bits, incremented within a millisecond."""

    def __init__(self) -> None:
        self._millisecond = -1
        self._random = 0

    def make(self, record_type: RecordType, now: datetime) -> str:
        """Return an ID created at `now`."""
        millisecond = (now - _EPOCH) // _MILLISECOND
        if millisecond == self._millisecond:
            self._random += 1
        else:
            # the highest bit stays free, so that increments never overflow
            self._millisecond, self._random = millisecond, secrets.randbits(_RANDOM_BITS - 1)
        return PREFIXES[record_type] + _encoded(millisecond << _RANDOM_BITS | self._random)


def type_of(id_: str) -> RecordType | None:
    """Return the record type of an ID by its prefix; None for text that is not an ID."""
    return next((type_ for type_, prefix in PREFIXES.items() if id_.startswith(prefix)), None)


def is_id(text: str) -> bool:
    """Whether a text has the form of an ID."""
    return _ID.fullmatch(text) is not None


def known_type(id_: str) -> RecordType:
    """Return the record type of an ID.

    Raises: ValueError for text that is not an ID.
    """
    type_ = type_of(id_)
    if type_ is None:
        raise ValueError(f"{id_!r} is no id of a record")
    return type_


def uid_of(id_: str) -> UUID:
    """Return the uuid of an ID, by which the index has its record."""
    number = 0
    for character in id_[4:]:
        number = number << 5 | _ALPHABET.index(character)
    return UUID(int=number)


def _encoded(number: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_CHARACTERS)))
