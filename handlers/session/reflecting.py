"""The tools `store_reflection` and `reflection_stats`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.generated.results.session import SessionReflectionStatsResult, SessionStoreReflectionResult
from vcontract.handlers.session.services import SessionTools
from vcontract.handlers.session.workplace import now
from vcontract.runtime.embedding.immediate import vectors_of
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.store.embeddings import Vectors
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import reflections, work
from vcontract.runtime.store.sessions.reflections import (
    MAX_TAGS,
    Reflection,
    content_problem,
    normalize_tag,
    tag_problem,
)
from vcontract.runtime.store.sessions.work import WorkSession
from vcontract.runtime.store.transcripts import memory_statistics
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.vcon.identity import new_uuid, parse_uuid
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace.handoff import take_out


class ReflectingTools(SessionTools):
    """Tools that store reflections and count them."""

    async def store_reflection(
        self, params: models.SessionStoreReflectionParams, ctx: ToolContext, /
    ) -> SessionStoreReflectionResult:
        content = _checked_content(params.content)
        tags = None if params.tags is MISSING else _checked_tags(params.tags)
        replaced = None if params.replaces is MISSING else _read_id(params.replaces)
        redactor = Redactor()
        content = redactor.text(content)
        vectors = await vectors_of(self._embeddings, ctx.tenant, reflections.passages_to_embed(content))
        async with self._database.writing(ctx.tenant) as connection:
            session = await self._sessions.only(connection, ctx)
            given = _Given(content, tags, redactor.total, vectors)
            if replaced is None:
                stored = await _stored(connection, ctx.tenant, given, session)
            else:
                stored = await _replaced(connection, ctx.tenant, given, replaced)
            if session is not None:
                await work.touch(connection, ctx.tenant, session.id, now())
            await audit.record(
                connection,
                ctx.tenant,
                caller=ctx.caller.name,
                action="session_store_reflection",
                now=now(),
                detail={"id": str(stored.reflection.id), "replaced": replaced is not None},
            )
        for file in stored.files:
            await asyncio.to_thread(take_out, file, str(replaced))
        answer: SessionStoreReflectionResult = {
            "success": True,
            "reflection_id": str(stored.reflection.id),
            "stored_at": format_time(stored.reflection.stored_at),
            "embedding_generated": stored.has_vectors,
            "tags_applied": list(stored.reflection.tags),
            "project": stored.project,
        }
        if session is not None:
            answer["session_id"] = str(session.id)
        if stored.is_duplicate:
            answer["duplicate"] = True
        if replaced is not None:
            answer["replaced"] = True
        if not stored.has_vectors and self._sessions.model_state.status != "not_configured":
            answer["embedding_pending"] = True
        if redactor.total:
            answer["redactions"] = redactor.total
        return answer

    async def reflection_stats(
        self, params: models.SessionReflectionStatsParams, ctx: ToolContext, /
    ) -> SessionReflectionStatsResult:
        async with self._database.reading(ctx.tenant) as connection:
            counted = await memory_statistics.memory_statistics(connection, ctx.tenant)
            coverage = await self._embeddings.store.coverage(connection, ctx.tenant)
        share = coverage.embedded / coverage.passages if coverage.passages else 0.0
        answer: SessionReflectionStatsResult = {
            "success": True,
            "total_conversations": counted.conversations,
            "total_reflections": counted.reflections,
            "projects_tracked": counted.projects,
            "embedding_coverage": int(share * 1_000) / 10,
            "storage_size_mb": round(counted.bytes / 1_000_000, 6),
            "oldest_conversation": None if counted.oldest is None else format_time(counted.oldest),
            "most_recent": None if counted.newest is None else format_time(counted.newest),
        }
        return in_order(SessionReflectionStatsResult, answer)


@dataclass(frozen=True, slots=True)
class _Given:
    """A reflection to store; tags are None if not given."""

    content: str
    tags: Sequence[str] | None
    redactions: int
    vectors: Vectors | None


@dataclass(frozen=True, slots=True)
class _Stored:
    """The stored reflection; `files` may still contain replaced text."""

    reflection: Reflection
    project: str | None
    has_vectors: bool
    is_duplicate: bool = False
    files: Sequence[str] = ()


async def _stored(connection: Connection, tenant: str, given: _Given, session: WorkSession | None) -> _Stored:
    """Store a reflection, or add tags to an identical one in the project."""
    project = None if session is None else session.project
    name = None if session is None or project is None else session.project_name
    same = await reflections.find_same(connection, tenant, project, given.content)
    if same is not None:
        tags = tuple(dict.fromkeys([*same.tags, *(given.tags or ())]))[:MAX_TAGS]
        await reflections.record_repeat(connection, tenant, same.id, tags)
        has_vectors = await reflections.has_all_vectors(connection, tenant, same.id)
        return _Stored(replace(same, tags=tags), name, has_vectors, is_duplicate=True)
    at = now()
    reflection = Reflection(new_uuid(at), given.content, tuple(given.tags or ()), at)
    has_vectors = await reflections.insert_reflection(
        connection,
        tenant,
        reflection,
        project,
        None if session is None else session.id,
        given.redactions,
        given.vectors,
    )
    return _Stored(reflection, name, has_vectors)


async def _replaced(connection: Connection, tenant: str, given: _Given, id_: UUID) -> _Stored:
    """Replace the text of a reflection, and its tags if given.

    Raises: ValidationError if it does not exist.
    """
    before = await reflections.lock_reflection(connection, tenant, id_)
    if before is None:
        raise ValidationError(
            f"There is no reflection {id_} here.",
            details={"parameter": "replaces", "reason": "unknown_reflection", "value": str(id_)},
            suggestions=["Send the id of a search result whose source is reflection, or no id."],
        )
    tags = before.tags if given.tags is None else tuple(given.tags)
    after = replace(before, content=given.content, tags=tags)
    has_vectors, files = await reflections.revise_reflection(
        connection, tenant, after, given.redactions, given.vectors
    )
    return _Stored(after, await reflections.project_of(connection, tenant, id_), has_vectors, files=files)


def _read_id(text: str) -> UUID:
    """Parse an ID. Raises: ValidationError."""
    id_ = parse_uuid(text)
    if id_ is None:
        raise ValidationError(
            f'replaces "{text[:64]}" is no id of a reflection.',
            details={"parameter": "replaces", "reason": "malformed_uuid", "value": text[:64]},
        )
    return id_


def _checked_content(content: str) -> str:
    """Strip and validate the text.

    Raises: ValidationError.
    """
    text = content.strip()
    if (problem := content_problem(text)) is not None:
        raise ValidationError(
            f"content {problem}.", details={"parameter": "content", "reason": "bad_content"}
        )
    return text


def _checked_tags(given: Sequence[str]) -> list[str]:
    """Normalize the tags without duplicates.

    Raises: ValidationError with every invalid one.
    """
    tags = [normalize_tag(tag) for tag in given]
    violations: list[JsonObject] = [
        {"path": f"$.tags[{index}]", "rule": "tag", "message": problem}
        for index, tag in enumerate(tags)
        if (problem := tag_problem(tag)) is not None
    ]
    if violations:
        raise ValidationError(
            f"{violations[0]['path']}: {violations[0]['message']}",
            details={"parameter": "tags", "reason": "bad_tag", "violations": violations},
        )
    return list(dict.fromkeys(tags))
