"""Index bridge records for search: their passages and words."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from vcontract.runtime.store.bridge.ids import type_of, uid_of
from vcontract.runtime.store.bridge.records import KINDS, Composed, Quality, Record, Source
from vcontract.runtime.store.embeddings import Vectors
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query
from vcontract.runtime.text.tsvector import encode_strengths, encode_tsvector
from vcontract.runtime.text.words import indexed_texts
from vcontract.runtime.vcon.chunks import chunks_of


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a record's text; `part` names the text it belongs to."""

    part: str
    chunk: int
    content: str


def passages_of(record: Record) -> list[Passage]:
    """Return the searchable texts of a record: content, or summary, narrative and qualities."""
    if isinstance(record, Source):
        return list(passages(content=record.content))
    if isinstance(record, Composed):
        return list(passages(None, record.summary, record.narrative, record.qualities))
    return []


def passages(
    content: str | None = None,
    summary: str | None = None,
    narrative: str | None = None,
    qualities: Iterable[Quality] = (),
) -> Iterator[Passage]:
    """Yield the passages of the texts that a record may have."""
    for part, text in (("content", content), ("summary", summary), ("narrative", narrative)):
        if text is not None:
            yield from (Passage(part, number, chunk) for number, chunk in enumerate(chunks_of(text)))
    for position, quality in enumerate(qualities):
        yield Passage("quality", position, f"{quality.type}: {quality.manifestation}")


async def put(connection: Connection, tenant: str, record: Record, vectors: Vectors | None = None) -> None:
    """Index the record's current text. Unchanged passages keep their vectors.

    New passages get theirs from `vectors`; without one there, they wait to be embedded.
    """
    found = passages_of(record)
    places = indexed_texts([passage.content for passage in found])
    counts = Counter(word for words in places for word in words)
    when = record.when
    await connection.execute(
        *query(
            "index_bridge_record",
            tenant=tenant,
            kind=KINDS[record.type],
            id=uid_of(record.id),
            occurred_at=when.start if when is not None and when.start is not None else record.created,
            parts=[passage.part for passage in found],
            chunks=[passage.chunk for passage in found],
            contents=[passage.content for passage in found],
            passage_words=[encode_tsvector(words) for words in places],
            words=encode_strengths({word: ("A", count) for word, count in counts.items()}),
        )
    )
    if vectors is not None:
        given = [passage for passage in found if passage.content in vectors.by_text]
        await connection.execute(
            *query(
                "add_vectors",
                tenant=tenant,
                kind=KINDS[record.type],
                id=uid_of(record.id),
                space=vectors.space,
                parts=[passage.part for passage in given],
                chunks=[passage.chunk for passage in given],
                vectors=[vectors.by_text[passage.content] for passage in given],
            )
        )


async def count_unembedded(connection: Connection, tenant: str, ids: Collection[str] | None = None) -> int:
    """Count the records that cannot be found by meaning yet, of these IDs or of all."""
    uids = None if ids is None else [uid_of(id_) for id_ in ids]
    counted = query("unembedded_bridge_records", tenant=tenant, kinds=list(KINDS.values()), ids=uids)
    return int(await connection.fetchval(*counted))


async def remove(connection: Connection, tenant: str, ids: Collection[str]) -> None:
    """Remove records from the index."""
    for type_, kind in KINDS.items():
        if uids := [uid_of(id_) for id_ in ids if type_of(id_) == type_]:
            await connection.execute(*query("unindex", tenant=tenant, kind=kind, ids=uids))
