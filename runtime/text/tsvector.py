"""Encode and decode PostgreSQL's tsvector in its binary form."""

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

_LABELS_BY_BITS: Final = "DCBA"
_LABELS: Final = {label: bits << 14 for bits, label in enumerate(_LABELS_BY_BITS)}
MAX_POSITIONS: Final = 255
"""Maximum positions of one word in PostgreSQL's tsvector."""
_MAX_POSITION: Final = 16_383


def encode_tsvector(places: Mapping[str, Sequence[int]]) -> bytes:
    """Encode a tsvector with these lexemes and their ascending positions, without labels.

    Source: PostgreSQL, src/backend/utils/adt/tsvector.c, tsvectorrecv; it sorts the lexemes itself.
    """
    # most words of a passage occur in it once
    held = [_once(at[0]) if len(at) == 1 else _positions(at) for at in places.values()]
    entries = chain.from_iterable(zip(map(str.encode, places), held, strict=True))
    return struct.pack(">I", len(places)) + b"".join(entries)


def encode_strengths(strengths: Mapping[str, tuple[str, int]]) -> bytes:
    """Encode a tsvector that holds a label and a count per lexeme.

    The count is the number of positions (1, 2, 3 …), from 1 to 255. The positions themselves mean nothing.
    """
    held = map(_strength, strengths.values())
    entries = chain.from_iterable(zip(map(str.encode, strengths), held, strict=True))
    return struct.pack(">I", len(strengths)) + b"".join(entries)


def decode_strengths(encoded: bytes) -> dict[str, tuple[str, int]]:
    """Decode the result of `encode_strengths`, as the database returns it."""
    strengths: dict[str, tuple[str, int]] = {}
    at = struct.calcsize(">I")
    while at < len(encoded):
        end = encoded.index(b"\0", at)
        count, first = struct.unpack_from(">HH", encoded, end + 1)
        strengths[encoded[at:end].decode()] = _LABELS_BY_BITS[first >> 14], count
        at = end + 3 + 2 * count
    return strengths


@lru_cache(maxsize=4_096)
def _once(position: int) -> bytes:
    return _positions([position])


def _positions(positions: Sequence[int]) -> bytes:
    if positions[-1] > _MAX_POSITION:
        positions = sorted({min(at, _MAX_POSITION) for at in positions})
    return _counted(positions[:MAX_POSITIONS])


@lru_cache(maxsize=4_096)
def _strength(strength: tuple[str, int]) -> bytes:
    label, count = strength
    return _counted([_LABELS[label] | at for at in range(1, min(count, MAX_POSITIONS) + 1)])


def _counted(numbers: Sequence[int]) -> bytes:
    """Bytes after a lexeme: a zero terminator, the number of positions, and the positions."""
    return _layout(len(numbers)).pack(len(numbers), *numbers)


@lru_cache(maxsize=MAX_POSITIONS + 1)
def _layout(numbers: int) -> struct.Struct:
    return struct.Struct(f">xH{numbers}H")
