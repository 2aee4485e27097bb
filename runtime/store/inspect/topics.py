"""What topics are made of: the mean vectors of conversations, and the words of some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query
from vcontract.runtime.text.languages import is_function_word
from vcontract.runtime.text.words import fold, is_stop_word, surfaces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_PASSAGES: Final = 16
"""Maximum passages of a conversation; a longer one is represented by its beginning."""
_MAX_CHARACTERS: Final = 600
_MIN_LETTERS: Final = 3
_AT_ONCE: Final = 2_000
_HEADER_BYTES: Final = 4
"""Dimensions and reserved bytes, before the numbers. Source: vector_send of pgvector."""


@dataclass(frozen=True, slots=True)
class Located:
    """A conversation that has a vector."""

    id: UUID
    began_at: datetime
    subject: str | None


@dataclass(slots=True)
class Vectors:
    """Conversations with their mean vectors, in the same order; and the number of those without."""

    located: list[Located]
    rows: "list[NDArray[np.float32]]"
    without: list[datetime]
    """When each conversation without a vector began."""


async def mean_vectors(connection: Connection, tenant: str, ids: Sequence[UUID]) -> Vectors:
    """Read the mean vectors of these vCons."""
    import numpy as np

    found = Vectors([], [], [])
    for start in range(0, len(ids), _AT_ONCE):
        chunk = list(ids[start : start + _AT_ONCE])
        for row in await connection.fetch(
            *query("topic_vectors", tenant=tenant, ids=chunk, passages=_MAX_PASSAGES)
        ):
            if row["mean"] is None:
                found.without.append(row["began_at"])
                continue
            found.located.append(Located(row["uuid"], row["began_at"], row["subject"]))
            found.rows.append(
                np.frombuffer(row["mean"], dtype=">f4", offset=_HEADER_BYTES).astype(np.float32)
            )
    return found


async def words_of(connection: Connection, tenant: str, ids: Sequence[UUID]) -> Mapping[UUID, frozenset[str]]:
    """The words of these vCons, folded, without function words, numbers and the names of their parties."""
    rows = await connection.fetch(
        *query("topic_words", tenant=tenant, ids=list(ids), passages=_MAX_PASSAGES, most=_MAX_CHARACTERS)
    )
    said: dict[UUID, set[str]] = {id_: set() for id_ in ids}
    names: dict[UUID, set[str]] = {id_: set() for id_ in ids}
    for row in rows:
        (names if row["is_name"] else said)[row["id"]].update(map(fold, surfaces(row["content"])))
    everybody = frozenset[str]().union(*names.values())
    return {id_: frozenset(filter(_says_something, words - everybody)) for id_, words in said.items()}


def _says_something(word: str) -> bool:
    return (
        len(word) >= _MIN_LETTERS and word.isalpha() and not is_stop_word(word) and not is_function_word(word)
    )
