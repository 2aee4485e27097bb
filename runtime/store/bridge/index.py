"""Lived experience in the shared index: the passages of each record, and its words."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from vcontract.runtime.store.bridge.ids import type_of, uid_of
from vcontract.runtime.store.bridge.records import KINDS, Composed, Record, Source
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query
from vcontract.runtime.text.words import encode_strengths, encode_tsvector, indexed_texts
from vcontract.runtime.vcon.chunks import chunks_of


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a record's text; `part` says what of the record it is."""

    part: str
    chunk: int
    content: str


def passages_of(record: Record) -> list[Passage]:
    """What of a record is found: its content, or summary, narrative and qualities."""
    return list(_passages(record))


async def put(connection: Connection, tenant: str, record: Record) -> None:
    """Let the record be found by its text as it is now; what did not change keeps its vectors."""
    passages = passages_of(record)
    places = indexed_texts([passage.content for passage in passages])
    counts = Counter(word for words in places for word in words)
    when = record.when
    await connection.execute(
        *query(
            "index_bridge_record",
            tenant=tenant,
            kind=KINDS[record.type],
            id=uid_of(record.id),
            occurred_at=when.start if when is not None and when.start is not None else record.created,
            parts=[passage.part for passage in passages],
            chunks=[passage.chunk for passage in passages],
            contents=[passage.content for passage in passages],
            passage_words=[encode_tsvector(words) for words in places],
            words=encode_strengths({word: ("A", count) for word, count in counts.items()}),
        )
    )


async def remove(connection: Connection, tenant: str, ids: Collection[str]) -> None:
    """Let the records of these ids not be found any more."""
    for type_, kind in KINDS.items():
        if uids := [uid_of(id_) for id_ in ids if type_of(id_) == type_]:
            await connection.execute(*query("unindex", tenant=tenant, kind=kind, ids=uids))


def _passages(record: Record) -> Iterator[Passage]:
    if isinstance(record, Source):
        yield from _chunked("content", record.content)
    elif isinstance(record, Composed):
        yield from _chunked("summary", record.summary)
        if record.narrative is not None:
            yield from _chunked("narrative", record.narrative)
        for position, quality in enumerate(record.qualities):
            yield Passage("quality", position, f"{quality.type}: {quality.manifestation}")


def _chunked(part: str, text: str) -> Iterator[Passage]:
    return (Passage(part, number, chunk) for number, chunk in enumerate(chunks_of(text)))
