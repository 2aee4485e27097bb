"""Reflections in the database: what somebody wanted remembered, and how it is found."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record
from pgvector import HalfVector

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named, query
from vcontract.runtime.text.words import encode_strengths, encode_tsvector, indexed_words
from vcontract.runtime.vcon.chunks import chunks_of

KIND: Final = "reflection"
_REFLECTIONS: Final = "select id, content, tags, stored_at from vcontract.reflection"


@dataclass(frozen=True, slots=True)
class Reflection:
    """One stored text with its tags."""

    id: UUID
    content: str
    tags: tuple[str, ...]
    stored_at: datetime


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of a text's passages, in order, in one space."""

    space: int
    vectors: Sequence[HalfVector]


async def find_same(
    connection: Connection, tenant: str, project: UUID | None, content: str
) -> Reflection | None:
    """The reflection of the project with the same text; others wait until the transaction ends.

    Texts are the same when they differ in white space and Unicode form only.
    """
    digest = _digest(content)
    await connection.execute(
        *named(
            "select pg_advisory_xact_lock(hashtextextended(:lock, 0))",
            lock=f"vcontract.reflection/{tenant}/{project}/{digest.hex()}",
        )
    )
    row = await connection.fetchrow(
        *named(
            f"{_REFLECTIONS} where tenant = :tenant and digest = :digest"
            " and project is not distinct from :project",
            tenant=tenant,
            digest=digest,
            project=project,
        )
    )
    return None if row is None else _reflection(row)


async def insert_reflection(
    connection: Connection,
    tenant: str,
    reflection: Reflection,
    project: UUID | None,
    session: UUID | None,
    redactions: int,
    vectors: Vectors | None,
) -> bool:
    """Store a reflection and let it be found; whether its vectors were stored with it."""
    await connection.execute(
        *named(
            "insert into vcontract.reflection"
            " (tenant, id, project, session, content, digest, tags, redactions, stored_at)"
            " values (:tenant, :id, :project, :session, :content, :digest, :tags, :redactions, :stored_at)",
            tenant=tenant,
            id=reflection.id,
            project=project,
            session=session,
            content=reflection.content,
            digest=_digest(reflection.content),
            tags=reflection.tags,
            redactions=redactions,
            stored_at=reflection.stored_at,
        )
    )
    chunks = chunks_of(reflection.content)
    places = [indexed_words(chunk) for chunk in chunks]
    counts = Counter(word for words in places for word in words)
    has_vectors: bool = await connection.fetchval(
        *query(
            "index_reflection",
            tenant=tenant,
            id=reflection.id,
            stored_at=reflection.stored_at,
            words=encode_strengths({word: ("A", count) for word, count in counts.items()}),
            chunks=list(range(len(chunks))),
            contents=chunks,
            passage_words=[encode_tsvector(words) for words in places],
            space=None if vectors is None else vectors.space,
            vectors=[] if vectors is None else list(vectors.vectors),
        )
    )
    return has_vectors


async def set_tags(connection: Connection, tenant: str, id_: UUID, tags: Sequence[str]) -> None:
    """Give a reflection exactly these tags."""
    await connection.execute(
        *named(
            "update vcontract.reflection set tags = :tags where tenant = :tenant and id = :id",
            tenant=tenant,
            id=id_,
            tags=list(tags),
        )
    )


async def has_all_vectors(connection: Connection, tenant: str, id_: UUID) -> bool:
    """Whether every passage of a reflection has its vector in the searched space."""
    found: bool = await connection.fetchval(
        *named(
            "select exists (select from vcontract.embedding_space where state = 'active') and not exists ("
            " select from vcontract.passage p"
            " where p.tenant = :tenant and p.kind = 'reflection' and p.id = :id"
            " and not exists (select from vcontract.embedding e where e.tenant = :tenant and e.kind = p.kind"
            "  and e.id = p.id and e.part = p.part and e.element = p.element and e.chunk = p.chunk"
            "  and e.space = (select s.id from vcontract.embedding_space s where s.state = 'active')))",
            tenant=tenant,
            id=id_,
        )
    )
    return found


async def reflections_of(connection: Connection, tenant: str, session: UUID) -> Sequence[Reflection]:
    """What was stored in a session, oldest first."""
    rows = await connection.fetch(
        *named(
            f"{_REFLECTIONS} where tenant = :tenant and session = :session order by stored_at, id",
            tenant=tenant,
            session=session,
        )
    )
    return [_reflection(row) for row in rows]


def passages_to_embed(content: str) -> list[str]:
    """The texts whose vectors `insert_reflection` takes."""
    return chunks_of(content)


def _digest(content: str) -> bytes:
    return hashlib.sha256(" ".join(unicodedata.normalize("NFC", content).split()).encode()).digest()


def _reflection(row: Record) -> Reflection:
    return Reflection(row["id"], row["content"], tuple(row["tags"]), row["stored_at"])
