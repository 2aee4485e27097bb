"""Store, find, change and delete reflections, and validate their text and tags."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from asyncpg import Record

from vcontract.runtime.store.embeddings import Vectors
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.text.tsvector import encode_strengths, encode_tsvector
from vcontract.runtime.text.words import indexed_texts
from vcontract.runtime.vcon.chunks import chunks_of

KIND: Final = "reflection"
MAX_REFLECTION_LENGTH: Final = 50_000
MAX_TAGS: Final = 20
OPEN_TAGS: Final = ("open", "todo", "next")
CLOSED_TAGS: Final = ("done", "closed")

_MAX_TAG_LENGTH: Final = 50
_TAG_SIGNS: Final = frozenset("_-.:/\u200d\ufe0f")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REFLECTIONS: Final = "select id, content, tags, stored_at from vcontract.reflection"


@dataclass(frozen=True, slots=True)
class Reflection:
    """One stored text with its tags."""

    id: UUID
    content: str
    tags: tuple[str, ...]
    stored_at: datetime


async def find_same(
    connection: Connection, tenant: str, project: UUID | None, content: str
) -> Reflection | None:
    """Find the project's reflection with the same text, ignoring white space and Unicode normalization.

    Holds a lock on the text until the transaction ends.
    """
    digest = _digest(content)
    await connection.execute(
        *named_query(
            "select pg_advisory_xact_lock(hashtextextended(:lock, 0))",
            lock=f"vcontract.reflection/{tenant}/{project}/{digest.hex()}",
        )
    )
    row = await connection.fetchrow(
        *named_query(
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
    """Store and index a reflection. Return whether its vectors were stored."""
    await connection.execute(
        *named_query(
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
    return await _index(connection, tenant, reflection, vectors)


async def find_reflection(connection: Connection, tenant: str, id_: UUID) -> Reflection | None:
    """The reflection with this id, or None."""
    row = await connection.fetchrow(
        *named_query(f"{_REFLECTIONS} where tenant = :tenant and id = :id", tenant=tenant, id=id_)
    )
    return None if row is None else _reflection(row)


async def lock_reflection(connection: Connection, tenant: str, id_: UUID) -> Reflection | None:
    """The reflection with this id, locked until the transaction ends, or None."""
    row = await connection.fetchrow(
        *named_query(f"{_REFLECTIONS} where tenant = :tenant and id = :id for update", tenant=tenant, id=id_)
    )
    return None if row is None else _reflection(row)


async def revise_reflection(
    connection: Connection, tenant: str, reflection: Reflection, redactions: int, vectors: Vectors | None
) -> tuple[bool, list[str]]:
    """Replace the text and tags of a reflection, and remove the old text from the database.

    Return whether the vectors were stored, and the handoff files on disk that may still quote the old text.
    """
    files = await _erase_copies(connection, tenant, reflection.id)
    await connection.execute(
        *named_query(
            "update vcontract.reflection set content = :content, digest = :digest, tags = :tags,"
            " redactions = :redactions where tenant = :tenant and id = :id",
            tenant=tenant,
            id=reflection.id,
            content=reflection.content,
            digest=_digest(reflection.content),
            tags=reflection.tags,
            redactions=redactions,
        )
    )
    return await _index(connection, tenant, reflection, vectors), files


async def delete_reflection(connection: Connection, tenant: str, id_: UUID) -> list[str] | None:
    """Delete a reflection and every copy of its text in the database.

    Return the handoff files on disk that may still quote it, or None if the reflection does not exist.
    """
    if await lock_reflection(connection, tenant, id_) is None:
        return None
    files = await _erase_copies(connection, tenant, id_)
    await connection.execute(
        *named_query(
            "delete from vcontract.reflection where tenant = :tenant and id = :id", tenant=tenant, id=id_
        )
    )
    return files


async def project_of(connection: Connection, tenant: str, id_: UUID) -> str | None:
    """Return the name of a reflection's project."""
    name: str | None = await connection.fetchval(
        *named_query(
            "select p.name from vcontract.reflection r join vcontract.project p"
            " on p.tenant = r.tenant and p.id = r.project where r.tenant = :tenant and r.id = :id",
            tenant=tenant,
            id=id_,
        )
    )
    return name


async def _erase_copies(connection: Connection, tenant: str, id_: UUID) -> list[str]:
    """Remove a reflection's text from the index, cached answers and stored handoffs.

    Return the paths of these handoffs' files.
    """
    await connection.execute(*query("unindex", tenant=tenant, kind=KIND, ids=[id_]))
    rows = await connection.fetch(*query("forget_reflection", tenant=tenant, id=str(id_)))
    return [row["path"] for row in rows if row["path"]]


async def _index(
    connection: Connection, tenant: str, reflection: Reflection, vectors: Vectors | None
) -> bool:
    """Index a reflection. Return whether its vectors were stored."""
    chunks = chunks_of(reflection.content)
    places = indexed_texts(chunks)
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
            vectors=[] if vectors is None else [vectors.by_text[chunk] for chunk in chunks],
        )
    )
    return has_vectors


async def record_repeat(connection: Connection, tenant: str, id_: UUID, tags: Sequence[str]) -> None:
    """Count a repeated store of the same text, and replace the tags."""
    await connection.execute(
        *named_query(
            "update vcontract.reflection set tags = :tags, repeated = repeated + 1"
            " where tenant = :tenant and id = :id",
            tenant=tenant,
            id=id_,
            tags=list(tags),
        )
    )


async def has_all_vectors(connection: Connection, tenant: str, id_: UUID) -> bool:
    """Whether every passage of a reflection has a vector in the active embedding space.

    False if no space is active.
    """
    found: bool = await connection.fetchval(
        *named_query(
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
    """Return what a session stored, oldest first."""
    rows = await connection.fetch(
        *named_query(
            f"{_REFLECTIONS} where tenant = :tenant and session = :session order by stored_at, id",
            tenant=tenant,
            session=session,
        )
    )
    return [_reflection(row) for row in rows]


async def open_items(connection: Connection, tenant: str, project: UUID) -> Sequence[Reflection]:
    """Reflections of a project with an open tag and no closed tag, newest first."""
    rows = await connection.fetch(
        *named_query(
            f"{_REFLECTIONS} where tenant = :tenant and project = :project"
            " and tags && :open and not tags && :closed order by stored_at desc, id desc",
            tenant=tenant,
            project=project,
            open=list(OPEN_TAGS),
            closed=list(CLOSED_TAGS),
        )
    )
    return [_reflection(row) for row in rows]


async def learning_of_project(
    connection: Connection, tenant: str, project: UUID, most: int
) -> Sequence[Reflection]:
    """Reflections of a project, most relevant first. Recency, repetition and importance decide."""
    rows = await connection.fetch(*query("project_learning", tenant=tenant, project=project, most=most))
    return [_reflection(row) for row in rows]


def content_problem(text: str) -> str | None:
    """Reason why a stripped text cannot be stored, or None."""
    if not text:
        return "contains only white space"
    if len(text) > MAX_REFLECTION_LENGTH:
        return f"has {len(text)} characters; at most {MAX_REFLECTION_LENGTH} are allowed"
    if "\0" in text:
        return "holds U+0000, which cannot be stored"
    return "contains a lone surrogate" if _SURROGATE.search(text) else None


def normalize_tag(given: str) -> str:
    """Normalize a tag: NFC, lowercase, `-` for white space."""
    return re.sub(r"\s+", "-", unicodedata.normalize("NFC", given.strip()).lower())


def tag_problem(tag: str) -> str | None:
    """Reason why a normalized tag cannot be stored, or None."""
    if not 1 <= len(tag) <= _MAX_TAG_LENGTH:
        return f"It has {len(tag)} characters; 1 to {_MAX_TAG_LENGTH} are allowed."
    bad = next((letter for letter in tag if not _may_stand_in_tag(letter)), None)
    return None if bad is None else f"{bad!r} is not allowed: letters, digits, emoji and _ - . : / are."


def _may_stand_in_tag(letter: str) -> bool:
    category = unicodedata.category(letter)
    is_skin_tone = "\U0001f3fb" <= letter <= "\U0001f3ff"
    return category[0] in "LMN" or category == "So" or is_skin_tone or letter in _TAG_SIGNS


def passages_to_embed(content: str) -> list[str]:
    """Return the texts whose vectors `insert_reflection` accepts."""
    return chunks_of(content)


def _digest(content: str) -> bytes:
    return hashlib.sha256(" ".join(unicodedata.normalize("NFC", content).split()).encode()).digest()


def _reflection(row: Record) -> Reflection:
    return Reflection(row["id"], row["content"], tuple(row["tags"]), row["stored_at"])
