"""The tool `search_by_file`: find edits of a file, then reads, then mentions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.generated.results.session import (
    MemoryResultMatchesEntry,
    SessionSearchByFileResult,
)
from vcontract.handlers.session.memory_search import (
    SOURCES,
    MemoryMatch,
    limit_per_conversation,
    requested_project,
    search_errors,
)
from vcontract.handlers.session.scopes import Scope, scope_of
from vcontract.handlers.session.services import SessionTools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search import memory_rows
from vcontract.runtime.store.search.listing import KindResults, ScoredItem
from vcontract.runtime.store.search.memory_rows import Remembered, ToolLine
from vcontract.runtime.text.query import parse_query

_SCORES: Final = {
    ("exact", True): 1.0,
    ("exact", False): 0.95,
    ("suffix", True): 0.9,
    ("suffix", False): 0.85,
    ("folder", True): 0.8,
    ("folder", False): 0.8,
}
_TEXT_SHARE: Final = 0.6
_EXCHANGE: Final = "exchange"
_REFLECTION: Final = "reflection"
_BY_PATTERN: Final = "glob"
"""A tool whose argument is a pattern, not a file."""
_WILDCARDS: Final = "*?"


@dataclass(slots=True)
class FoundRecord:
    """An exchange or a reflection with its matching paths."""

    kind: str
    id: UUID
    at: datetime
    score: float
    matches: list[MemoryResultMatchesEntry]


class FilesTools(SessionTools):
    """The tool `search_by_file`."""

    async def search_by_file(
        self, params: models.SessionSearchByFileParams, ctx: ToolContext, /
    ) -> SessionSearchByFileResult:
        path = normal_path(params.file_path)
        await self._sessions.note_use(ctx)
        with search_errors():
            async with self._database.reading(ctx.tenant) as connection:
                scope = await scope_of(
                    connection, ctx.tenant, requested_project(params.project), related=False
                )
                words = parse_query(f'"{_last(path)}"', literal=True)
                kinds = (_EXCHANGE, _REFLECTION)
                asked = await self._search.ask(connection, ctx.tenant, words, None, kinds=kinds)
                filters: JsonObject = {"scope": scope.filters} if scope.filters else {}
                likely: dict[str, KindResults] = {}
                found: dict[UUID, FoundRecord] = {}
                if not scope.is_unknown:
                    likely = {
                        kind: await self._search.listed(connection, kind, filters, asked) for kind in kinds
                    }
                    found = await self._found_by_path(connection, ctx.tenant, path, scope, likely)
                answer, references = await self._file_answer(
                    connection, ctx.tenant, path, found, scope, likely, params.limit
                )
        following = await self._lists.following(ctx, path, references, params.limit)
        if following is not None:
            answer["next"] = following
        return await self._cache.in_chunks(ctx, answer)

    async def _found_by_path(
        self,
        connection: Connection,
        tenant: str,
        path: str,
        scope: Scope,
        likely: Mapping[str, KindResults],
    ) -> dict[UUID, FoundRecord]:
        found: dict[UUID, FoundRecord] = {}
        for change in await memory_rows.changes_of(connection, tenant, path, scope.filters):
            names = [change.file.path, *filter(None, [change.file.relative_path])]
            kind = best_match(path, names)
            if kind is not None:
                match: MemoryResultMatchesEntry = {
                    "path": change.file.path,
                    "operation": change.file.operation,
                    "match": kind,
                }
                _add(found, change.exchange, change.at, _SCORES[kind, True], match)
        exchanges, reflections = (likely[kind].things for kind in (_EXCHANGE, _REFLECTION))
        lines = await memory_rows.tool_lines(connection, tenant, [thing.id for thing in exchanges])
        unread: list[ScoredItem] = []
        for hit in exchanges:
            read = list(_read_paths(lines.get(hit.id), path))
            for name, kind in read:
                match = {"path": name, "operation": "read", "match": kind}
                _add(found, hit.id, hit.occurred_at, _SCORES[kind, False], match)
            if not read and hit.id not in found:
                unread.append(hit)
        texts = await memory_rows.exchanges(connection, tenant, [hit.id for hit in unread])
        _add_mentions(found, _EXCHANGE, unread, texts, path)
        texts = await memory_rows.reflections(connection, tenant, [hit.id for hit in reflections])
        _add_mentions(found, _REFLECTION, reflections, texts, path)
        return found

    async def _file_answer(
        self,
        connection: Connection,
        tenant: str,
        path: str,
        found: dict[UUID, FoundRecord],
        scope: Scope,
        likely: Mapping[str, KindResults],
        limit: int,
    ) -> tuple[SessionSearchByFileResult, Sequence[MemoryMatch]]:
        ordered = sorted(found.values(), key=lambda one: (-one.score, -one.at.timestamp(), str(one.id)))
        by_path = any(match["match"] != "text" for one in ordered for match in one.matches)
        references = await limit_per_conversation(
            connection,
            tenant,
            [
                MemoryMatch(
                    one.kind,
                    one.id,
                    None,
                    one.at,
                    one.score,
                    _matched_by(one.matches),
                    matches=tuple(one.matches),
                )
                for one in ordered
            ],
        )
        answer: SessionSearchByFileResult = {
            "success": True,
            "results": await self._renderer.results(connection, tenant, references[:limit], likely),
            "total_found": len(references),
            "search_strategy": "path" if by_path else "text_fallback",
            "scope": scope.document(SOURCES),
        }
        if suggestions := scope.suggestions():
            answer["suggestions"] = suggestions
        elif not references and set(_WILDCARDS) & set(path):
            answer["suggestions"] = [f"file_path is no pattern: send {_before_wildcard(path)}."]
        return answer, references


def normal_path(requested_path: str) -> str:
    r"""Normalize a path: `/` for `\\`, no `.` segments. A trailing slash stays and means a folder.

    Raises: ValidationError.
    """
    text = requested_path.strip().replace("\\", "/")
    segments = [segment for segment in text.split("/") if segment not in ("", ".")]
    if not segments or "\0" in text:
        raise ValidationError(
            "file_path names no file or folder.",
            details={"parameter": "file_path", "reason": "no_path", "value": requested_path[:60]},
        )
    return ("/" if text.startswith("/") else "") + "/".join(segments) + ("/" if text.endswith("/") else "")


def best_match(requested_path: str, names: Iterable[str]) -> str | None:
    """How a file's names match a path by whole segments: exact, suffix, folder, or None."""
    kinds = {match_of(requested_path, name) for name in names}
    return next((kind for kind in ("exact", "suffix", "folder") if kind in kinds), None)


def match_of(requested_path: str, stored: str) -> str | None:
    """How a stored path matches the given one."""
    wanted, there = _segments(requested_path), _segments(stored)
    if not requested_path.endswith("/"):
        if wanted == there:
            return "exact"
        shorter, longer = sorted((wanted, there), key=len)
        if longer[-len(shorter) :] == shorter:
            return "suffix"
    holds = any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted)))
    return "folder" if holds else None


def mentions(text: str, path: str) -> str | None:
    """The path or its last two segments, if a text contains it as whole segments."""
    plain = path.rstrip("/")
    for name in dict.fromkeys((plain, "/".join(_segments(plain)[-2:]))):
        if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", text):
            return name
    return None


def _read_paths(line: ToolLine | None, path: str) -> Iterable[tuple[str, str]]:
    """Matching paths in a tool line (`Read src/a.py; Grep x`), and how they match."""
    for part in line.text.split("; ") if line is not None else ():
        tool, _, subject = part.partition(" ")
        if tool.casefold() == _BY_PATTERN or set(_WILDCARDS) & set(subject):
            continue
        names = [subject]
        if line is not None and line.folder and subject.startswith(line.folder.rstrip("/") + "/"):
            names.append(subject[len(line.folder.rstrip("/")) + 1 :])
        kind = best_match(path, names) if "/" in subject or "." in subject else None
        if kind is not None:
            yield subject, kind


def _add_mentions(
    found: dict[UUID, FoundRecord],
    kind: str,
    likely: Sequence[ScoredItem],
    texts: Mapping[UUID, Remembered],
    path: str,
) -> None:
    """Add the records whose text names the path."""
    for hit in likely:
        if hit.id in texts and (mentioned := mentions(texts[hit.id].text, path)):
            match: MemoryResultMatchesEntry = {"path": mentioned, "operation": "mention", "match": "text"}
            _add(found, hit.id, hit.occurred_at, _TEXT_SHARE * hit.text_score, match, kind=kind)


def _add(
    found: dict[UUID, FoundRecord],
    id_: UUID,
    at: datetime,
    score: float,
    match: MemoryResultMatchesEntry,
    *,
    kind: str = _EXCHANGE,
) -> None:
    one = found.setdefault(id_, FoundRecord(kind, id_, at, 0.0, []))
    one.score = max(one.score, score)
    if all(known["path"] != match["path"] for known in one.matches):
        one.matches.append(match)


def _before_wildcard(path: str) -> str:
    """Suggested replacement for a pattern: the folder before it, or the end of its file name."""
    plain = path[: min(path.find(sign) for sign in _WILDCARDS if sign in path)]
    folder = plain.rpartition("/")[0]
    return (
        f"the folder {folder}/" if folder else "a path, the end of one, or a folder with a slash at its end"
    )


def _segments(path: str) -> list[str]:
    return [segment for segment in path.replace("\\", "/").split("/") if segment not in ("", ".")]


def _last(path: str) -> str:
    return _segments(path)[-1]


def _matched_by(matches: Sequence[MemoryResultMatchesEntry]) -> str:
    return "text" if all(match["match"] == "text" for match in matches) else "path"
