"""Languages other than English in a tenant's texts."""

import time
from collections.abc import Sequence
from typing import Final

from vcontract.runtime.store.postgres.consent import caller_purposes
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.text.languages import STEMMED_BESIDES_ENGLISH
from vcontract.runtime.text.query import quote_lexeme
from vcontract.runtime.text.words import language_mark

_SECONDS: Final = 10.0
_MAX_CACHED: Final = 10_000
ANY_LANGUAGE: Final = f"{quote_lexeme(language_mark(''))}:*"
"""A word of every record with text in another language than English. Most tenants have none."""


class SpokenLanguages:
    """Languages of each tenant, cached for 10 seconds. Queries are looked up in them, too.

    A tenant's first language is noticed at once, a further one within 10 seconds.
    """

    def __init__(self) -> None:
        self._known: dict[
            tuple[str, tuple[str, ...] | None, tuple[str, ...]], tuple[float, tuple[str, ...]]
        ] = {}

    def known(self, tenant: str, kinds: Sequence[str]) -> tuple[str, ...] | None:
        """Languages of these kinds' records; None if they have to be read, if any has `ANY_LANGUAGE`."""
        until, languages = self._known.get((tenant, caller_purposes(), tuple(sorted(kinds))), (0.0, ()))
        return languages if until > time.monotonic() else None

    async def read(self, connection: Connection, tenant: str, kinds: Sequence[str]) -> tuple[str, ...]:
        """Read the languages of records of these kinds, of which some has `ANY_LANGUAGE`."""
        marks = [quote_lexeme(language_mark(language)) for language in STEMMED_BESIDES_ENGLISH]
        found = await _having(connection, kinds, marks)
        languages = tuple(
            language for language, having in zip(STEMMED_BESIDES_ENGLISH, found, strict=True) if having
        )
        if len(self._known) > _MAX_CACHED:
            self._known.clear()
        what = (tenant, caller_purposes(), tuple(sorted(kinds)))
        self._known[what] = (time.monotonic() + _SECONDS, languages)
        return languages


async def counts_by_language(connection: Connection, kinds: Sequence[str], at_most: int) -> dict[str, int]:
    """Count records of these kinds with a part in each language other than English, most first."""
    counts = await _having(
        connection, kinds, [quote_lexeme(language_mark(one)) for one in STEMMED_BESIDES_ENGLISH], at_most
    )
    found = sorted(zip(counts, STEMMED_BESIDES_ENGLISH, strict=True), reverse=True)
    return {language: count for count, language in found if count}


async def _having(
    connection: Connection, kinds: Sequence[str], words: Sequence[str], at_most: int = 1
) -> list[int]:
    """Count records with each of the words, up to `at_most`."""
    found: list[int] = await connection.fetchval(
        "select vcontract.count_things($1, $2, $3)", list(kinds), list(words), at_most
    )
    return found
