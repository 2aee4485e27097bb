"""Index stored vCons again after their words or turns are indexed in another way, as migrations list."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import DEPLOYMENT, Connection, Database
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.vcons.indexed_texts import (
    LABEL_OF_PART,
    KnownTexts,
    TurnRow,
    end_of_turns,
    index_turns,
    known_of_turns,
)
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.tables import TURN, vcon_query
from vcontract.runtime.text.languages import ENGLISH
from vcontract.runtime.text.tsvector import decode_strengths, encode_strengths, encode_tsvector
from vcontract.runtime.text.words import indexed_words, language_of_words
from vcontract.runtime.vcon.call_measures import CallMeasures, call_measures
from vcontract.runtime.vcon.spoken_turns import spoken_turns

_AT_ONCE: Final = 50
_STRONGEST: Final = "A"
_MEASURED: Final = ", ".join(f"{name} = :{name}::double precision" for name in CallMeasures._fields)


class _Changed(NamedTuple):
    """A passage whose words change: their number as found before, and now."""

    part: str
    element: int
    chunk: int
    gone: frozenset[str]
    new: frozenset[str]
    words: bytes


async def index_again(database: Database) -> None:
    """Index again what migrations have listed, of all tenants, until nothing is listed."""
    vcons = VconStore(database)
    while True:
        async with database.reading(DEPLOYMENT) as connection:
            tasks = await connection.fetch("select * from vcontract.word_tasks($1)", _AT_ONCE)
        if not tasks:
            return
        for task in tasks:
            async with database.writing(task["tenant"]) as connection:
                await _index_one(connection, vcons, task["tenant"], task["kind"], task["id"])


async def _index_one(connection: Connection, vcons: VconStore, tenant: str, kind: str, id_: UUID) -> None:
    """Give one record's passages, and what is found by them, their words of today."""
    done = await connection.fetchval(
        *named_query(
            "delete from vcontract.word_task where tenant = :tenant and kind = :kind and id = :id"
            " returning true",
            tenant=tenant,
            kind=kind,
            id=id_,
        )
    )
    if not done:
        return
    if kind == "turns":
        await _add_turns(connection, vcons, tenant, id_)
        return
    # writers lock this row before they change the passages
    words = await _locked(connection, tenant, kind, id_)
    rows = await connection.fetch(
        *named_query(
            "select part, element, chunk, content, tsvector_to_array(words) as lexemes"
            " from vcontract.passage where tenant = :tenant and kind = :kind and id = :id",
            tenant=tenant,
            kind=kind,
            id=id_,
        )
    )
    changed = await asyncio.to_thread(_changed, [tuple(row.values()) for row in rows])
    if not changed:
        return
    await connection.execute(
        *named_query(
            "update vcontract.passage p set words = g.words from unnest(:parts::text[],"
            " :elements::integer[], :chunks::integer[], :words::tsvector[]) g (part, element, chunk, words)"
            " where p.tenant = :tenant and p.kind = :kind and p.id = :id"
            " and p.part = g.part and p.element = g.element and p.chunk = g.chunk",
            tenant=tenant,
            kind=kind,
            id=id_,
            parts=[one.part for one in changed],
            elements=[one.element for one in changed],
            chunks=[one.chunk for one in changed],
            words=[one.words for one in changed],
        )
    )
    of_passage = {(one.part, one.element, one.chunk): one for one in changed}
    await _revise_document(connection, tenant, kind, id_, words, changed)
    if kind == "vcon":
        exchanges = await connection.fetch(
            "select x.id, p.part, p.element, p.chunk from vcontract.transcript_exchange x"
            " cross join lateral vcontract.passages_of(array[x.id], 'exchange') p"
            " where x.tenant = $1 and x.vcon = $2",
            tenant,
            id_,
        )
        held: dict[UUID, list[_Changed]] = {}
        for row in exchanges:
            if one := of_passage.get((row["part"], row["element"], row["chunk"])):
                held.setdefault(row["id"], []).append(one)
        for exchange, passages in held.items():
            held_by = await _locked(connection, tenant, "exchange", exchange)
            await _revise_document(connection, tenant, "exchange", exchange, held_by, passages)


async def _add_turns(connection: Connection, vcons: VconStore, tenant: str, uuid: UUID) -> None:
    """Store the turns of a vCon that was stored before turns were."""
    await connection.execute(
        *named_query(
            "select from vcontract.vcon where tenant = :tenant and uuid = :uuid for update",
            tenant=tenant,
            uuid=uuid,
        )
    )
    stored = await vcons.load(connection, tenant, [uuid])
    if not stored:
        return
    turns, measures = await asyncio.to_thread(_measured_turns, stored[0].document())
    rows = TURN.parameters([(uuid, turns)])
    await connection.execute(*vcon_query("add_turns", tenant=tenant, **rows))
    await connection.execute(
        *named_query(
            "update vcontract.search_document"  # noqa: S608  (names of columns)
            f" set turns_known = :known::smallint, turns_end = :end::double precision, {_MEASURED}"
            " where tenant = :tenant and kind = 'vcon' and id = :uuid",
            known=known_of_turns(turns),
            end=end_of_turns(turns),
            **measures._asdict(),
            tenant=tenant,
            uuid=uuid,
        )
    )


def _measured_turns(document: JsonObject) -> tuple[tuple[TurnRow, ...], CallMeasures]:
    turns = spoken_turns(document)
    return index_turns(turns, KnownTexts()), call_measures(document, turns)


async def _locked(connection: Connection, tenant: str, kind: str, id_: UUID) -> bytes | None:
    words: bytes | None = await connection.fetchval(
        *named_query(
            "select words from vcontract.search_document"
            " where tenant = :tenant and kind = :kind and id = :id for update",
            tenant=tenant,
            kind=kind,
            id=id_,
        )
    )
    return words


def _changed(rows: Sequence[tuple[str, int, int, str, list[str]]]) -> list[_Changed]:
    found: list[_Changed] = []
    for part, element, chunk, content, lexemes in rows:
        before = frozenset(lexemes)
        places = indexed_words(content, language=language_of_words(before) or ENGLISH)
        now = frozenset(places)
        if now != before:
            words = encode_tsvector(places)
            found.append(_Changed(part, element, chunk, before - now, now - before, words))
    return found


async def _revise_document(
    connection: Connection,
    tenant: str,
    kind: str,
    id_: UUID,
    words: bytes | None,
    changed: Sequence[_Changed],
) -> None:
    if words is None:
        return
    await connection.execute(
        *named_query(
            "update vcontract.search_document set words = :words"
            " where tenant = :tenant and kind = :kind and id = :id",
            tenant=tenant,
            kind=kind,
            id=id_,
            words=encode_strengths(_revised(decode_strengths(words), changed)),
        )
    )


def _revised(
    strengths: Mapping[str, tuple[str, int]], changed: Sequence[_Changed]
) -> dict[str, tuple[str, int]]:
    """Return what a record is found by once these passages have their words of today."""
    held = dict(strengths)
    gone = Counter(word for one in changed for word in one.gone)
    for word, count in gone.items():
        label, before = held.pop(word, (_STRONGEST, 0))
        if before > count:
            held[word] = label, before - count
    for one in changed:
        own = LABEL_OF_PART.get(one.part, _STRONGEST)
        for word in one.new:
            label, before = held.get(word, (own, 0))
            held[word] = min(label, own), before + 1
    return held
