"""Ids of lived experience: text that sorts by time of making, and the uuid of the same 128 bits."""

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
"""The highest two bits of the first character are those beyond the 128 of a uuid."""
_RANDOM_BITS: Final = 80
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


class RecordIds:
    """Makes ids: 48 bits of milliseconds, 80 random ones, which count up within a millisecond."""

    def __init__(self) -> None:
        self._millisecond = -1
        self._random = 0

    def make(self, record_type: RecordType, now: datetime) -> str:
        """An id made at `now`."""
        millisecond = (now - _EPOCH) // _MILLISECOND
        if millisecond == self._millisecond:
            self._random += 1
        else:
            # the highest bit stays free, so that counting up never runs over
            self._millisecond, self._random = millisecond, secrets.randbits(_RANDOM_BITS - 1)
        return PREFIXES[record_type] + _encoded(millisecond << _RANDOM_BITS | self._random)


def type_of(id_: str) -> RecordType | None:
    """What kind of record an id is of, by its prefix; None for text that is no id of ours."""
    return next((type_ for type_, prefix in PREFIXES.items() if id_.startswith(prefix)), None)


def is_id(text: str) -> bool:
    """Whether a text is written as `make` writes ids."""
    return _ID.fullmatch(text) is not None


def known_type(id_: str) -> RecordType:
    """What kind of record an id is of that `make` gave.

    Raises: ValueError for text that is no id of ours.
    """
    type_ = type_of(id_)
    if type_ is None:
        raise ValueError(f"{id_!r} is no id of a record")
    return type_


def uid_of(id_: str) -> UUID:
    """The uuid under which the index has the record of an id that `make` gave."""
    number = 0
    for character in id_[4:]:
        number = number << 5 | _ALPHABET.index(character)
    return UUID(int=number)


def _encoded(number: int) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_CHARACTERS)))
