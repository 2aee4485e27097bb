"""Spellings of words in vCons: added when stored, deleted with the last vCon that has one."""

import asyncio
from collections.abc import Sequence, Set
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.vcons.preparation import PreparedVcon
from vcontract.runtime.text.words import lexeme, spellings, surfaces

_MAX_INLINE_LENGTH: Final = 100_000
"""Maximum characters to split on the event loop."""


async def learn_spellings(connection: Connection, tenant: str, prepared: Sequence[PreparedVcon]) -> None:
    """Store the spellings of vCons."""
    holders = {word: vcon.uuid for vcon in prepared for word in vcon.spellings}
    words = sorted(holders)  # sorted, to avoid deadlocks between writers
    await connection.execute(
        *named_query(
            "insert into vcontract.spelling (tenant, word, vcon)"
            " select :tenant, w.* from unnest(:words::text[], :vcons::uuid[]) w (word, vcon)"
            " where not exists ("
            "select from vcontract.spelling s where s.tenant = :tenant and s.word = w.word)"
            " on conflict do nothing",
            tenant=tenant,
            words=words,
            vcons=[holders[word] for word in words],
        ),
    )


async def forget_spellings(
    connection: Connection, uuid: UUID, texts: Sequence[str], kept: Set[str] = frozenset()
) -> None:
    """Delete spellings of texts that a vCon lost, except `kept` ones and those in another vCon.

    Must come last in a transaction.
    """
    is_long = sum(map(len, texts)) > _MAX_INLINE_LENGTH
    found = await asyncio.to_thread(_spellings_of, texts) if is_long else _spellings_of(texts)
    if words := sorted(found - kept):
        stems = [lexeme(word) for word in words]
        await connection.execute("select vcontract.forget_spellings($1, $2, $3)", uuid, words, stems)


def _spellings_of(texts: Sequence[str]) -> frozenset[str]:
    return spellings({word for text in texts for word in surfaces(text)})
