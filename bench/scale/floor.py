"""The floor: statements by hand over the same tables, which find the same with nothing around."""

from collections.abc import Callable

import asyncpg
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from bench.measure import Timing, measure
from bench.scale.vectors import Matrix
from bench.subject import Subject
from vcontract.runtime.text.words import lexeme

_NEAREST = """
    select id from vcontract.embedding where tenant = $1 and space = 1 and kind = 'vcon'
    order by vector::halfvec(384) <#> $2 limit 20"""
_EXACT = """
    select e.id from vcontract.tag t join vcontract.embedding e
        on e.space = 1 and e.tenant = t.tenant and e.kind = 'vcon' and e.id = t.vcon
    where t.tenant = $1 and t.key = $3 and left(t.value, 256) = $4
    order by e.vector <#> $2 limit 20"""
_RANKED = """
    select id from vcontract.search_document
    where tenant = $1 and kind = 'vcon' and words @@ $2::text::tsquery
    order by ts_rank(words, $2::text::tsquery) desc limit 20"""
_NEWEST = """
    select id from vcontract.search_document
    where tenant = $1 and kind = 'vcon' and words @@ $2::text::tsquery
    order by occurred_at desc limit 500"""
_LATEST = """
    select id from vcontract.search_document where tenant = $1 and kind = 'vcon'
    order by occurred_at desc, id desc limit 20"""


Statement = tuple[str, tuple[object, ...]]
"""And its values after the tenant."""


class Floor:
    """Measures statements by hand on one store, as the owner of its tables."""

    def __init__(self, subject: Subject, queries: Matrix, runs: int) -> None:
        self._subject = subject
        self._vectors = [HalfVector(query) for query in queries]
        self._runs = runs

    async def latest(self) -> Timing:
        """The newest twenty."""
        return await self._timed(lambda _: [(_LATEST, ())])

    async def words(self, text: str) -> Timing:
        """The twenty that rank best of those with all of several words, or the newest 500 with one."""
        return await self._timed(lambda _: [_of_words(text)])

    async def nearest(self, tag: tuple[str, str] | None) -> Timing:
        """The nearest twenty passages: by the index, or of all that a tag keeps."""
        return await self._timed(lambda number: [self._of_vector(number, tag)])

    async def both(self, text: str, tag: tuple[str, str] | None) -> Timing:
        """Words and nearest, one after the other."""
        return await self._timed(lambda number: [_of_words(text), self._of_vector(number, tag)])

    def _of_vector(self, number: int, tag: tuple[str, str] | None) -> Statement:
        return _EXACT if tag else _NEAREST, (self._vectors[number % len(self._vectors)], *(tag or ()))

    async def _timed(self, statements: Callable[[int], list[Statement]]) -> Timing:
        application = self._subject.application
        connection = await asyncpg.connect(application.database.owner_url)
        try:
            await register_vector(connection)
            await connection.execute("set jit = off; set plan_cache_mode = force_custom_plan")

            async def run(number: int) -> None:
                for statement, values in statements(number):
                    await connection.fetch(statement, application.caller.tenant, *values)

            return await measure(run, self._runs)
        finally:
            await connection.close()


def _of_words(text: str) -> Statement:
    lexemes = [lexeme(word) for word in text.split()]
    return _NEWEST if len(lexemes) == 1 else _RANKED, (" & ".join(lexemes),)
