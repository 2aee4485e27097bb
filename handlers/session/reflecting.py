"""Reflections: `store_reflection` and `reflection_stats`."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.generated.results.session import SessionReflectionStatsResult, SessionStoreReflectionResult
from vcontract.handlers.session.current import CurrentSessions
from vcontract.handlers.session.finding import find_session
from vcontract.handlers.session.workplace import Workplace, now
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import in_order
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.sessions import reflections, work
from vcontract.runtime.store.sessions.reflections import Reflection, Vectors
from vcontract.runtime.store.sessions.work import WorkSession
from vcontract.runtime.store.transcripts import memory_statistics
from vcontract.runtime.vcon.identity import new_uuid
from vcontract.runtime.vcon.times import format_time

MOST_TAGS: Final = 20

_LONGEST_TAG: Final = 50
_EMBEDDING_SECONDS: Final = 1.5
_SIGNS: Final = frozenset("_-.:/\u200d\ufe0f")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ReflectionTools:
    """The tools that keep what somebody wants remembered."""

    def __init__(
        self,
        database: Database,
        embeddings: Embeddings,
        workplace: Workplace,
        sessions: CurrentSessions,
    ) -> None:
        self._database = database
        self._embeddings = embeddings
        self._workplace = workplace
        self._sessions = sessions

    async def store_reflection(
        self, params: models.SessionStoreReflectionParams, ctx: ToolContext, /
    ) -> SessionStoreReflectionResult:
        content = _checked_content(params.content)
        tags = _checked_tags([] if params.tags is MISSING else params.tags)
        redactor = Redactor()
        if self._workplace.rules.redacts:
            content = redactor.text(content)
        start_root = await self._workplace.start_root(ctx) if ctx.caller.local else None
        vectors = await self._vectors(ctx, reflections.passages_to_embed(content))
        async with self._database.writing(ctx.tenant) as connection:
            session = await self._own_session(connection, ctx, start_root)
            project = None if session is None else session.project
            same = await reflections.find_same(connection, ctx.tenant, project, content)
            if same is not None:
                tags = list(dict.fromkeys([*same.tags, *tags]))[:MOST_TAGS]
                await reflections.set_tags(connection, ctx.tenant, same.id, tags)
                stored, embedded = same, await reflections.has_all_vectors(connection, ctx.tenant, same.id)
            else:
                at = now()
                stored = Reflection(new_uuid(None, at), content, tuple(tags), at)
                embedded = await reflections.insert_reflection(
                    connection,
                    ctx.tenant,
                    stored,
                    project,
                    None if session is None else session.id,
                    redactor.total,
                    vectors,
                )
            if session is not None:
                await work.touch(connection, ctx.tenant, session.id, now())
        answer: SessionStoreReflectionResult = {
            "success": True,
            "reflection_id": str(stored.id),
            "stored_at": format_time(stored.stored_at),
            "embedding_generated": embedded,
            "tags_applied": tags,
            "project": None if session is None or session.project is None else session.project_name,
        }
        if session is not None:
            answer["session_id"] = str(session.id)
        if same is not None:
            answer["duplicate"] = True
        if not embedded and self._sessions.model_state.status != "not_configured":
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
            "storage_size_mb": round(counted.bytes / 1_000_000, 1),
            "oldest_conversation": None if counted.oldest is None else format_time(counted.oldest),
            "most_recent": None if counted.newest is None else format_time(counted.newest),
        }
        if counted.is_estimate:
            answer["storage_size_is_estimate"] = True
        return in_order(SessionReflectionStatsResult, answer)

    async def _own_session(
        self, connection: Connection, ctx: ToolContext, start_root: str | None
    ) -> WorkSession | None:
        """The session that a reflection belongs to; none when several may be meant."""
        try:
            return await find_session(connection, ctx, self._sessions.held, None, start_root)
        except ValidationError:
            return None

    async def _vectors(self, ctx: ToolContext, texts: Sequence[str]) -> Vectors | None:
        """The texts' vectors, if they can be had in 1.5 s; otherwise the worker makes them."""
        if self._sessions.model_state.status == "not_configured":
            return None
        try:
            async with asyncio.timeout(_EMBEDDING_SECONDS):
                found = await self._embeddings.documents(ctx.tenant, texts)
        except (TimeoutError, ModelUnavailable, EmbeddingFailed):
            return None
        return None if found is None else Vectors(*found)


def _checked_content(content: str) -> str:
    """The text without white space around it.

    Raises: ValidationError.
    """
    text = content.strip()
    problem = None
    if not text:
        problem = "is empty but for white space"
    elif "\0" in text:
        problem = "holds U+0000, which cannot be stored"
    elif _SURROGATE.search(text):
        problem = "holds half of a character (a lone surrogate)"
    if problem is not None:
        raise ValidationError(
            f"content {problem}.", details={"parameter": "content", "reason": "bad_content"}
        )
    return text


def _checked_tags(given: Sequence[str]) -> list[str]:
    """The tags as they are stored, each once.

    Raises: ValidationError with every bad one.
    """
    tags: list[str] = []
    violations: list[JsonObject] = []
    for index, tag in enumerate(given):
        text = re.sub(r"\s+", "-", unicodedata.normalize("NFC", tag.strip()).lower())
        if not 1 <= len(text) <= _LONGEST_TAG:
            message = f"It has {len(text)} characters; 1 to {_LONGEST_TAG} are allowed."
        elif bad := [letter for letter in text if not _may_stand_in_tag(letter)]:
            message = f"{bad[0]!r} is not allowed: letters, digits, emoji and _ - . : / are."
        else:
            tags.append(text)
            continue
        violations.append({"path": f"$.tags[{index}]", "rule": "tag", "message": message})
    if violations:
        raise ValidationError(
            f"{violations[0]['path']}: {violations[0]['message']}",
            details={"parameter": "tags", "reason": "bad_tag", "violations": violations},
        )
    return list(dict.fromkeys(tags))


def _may_stand_in_tag(letter: str) -> bool:
    category = unicodedata.category(letter)
    is_skin_tone = "\U0001f3fb" <= letter <= "\U0001f3ff"
    return category[0] in "LMN" or category == "So" or is_skin_tone or letter in _SIGNS
