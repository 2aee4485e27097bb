"""Format search results: text around the match, context, and how to read more."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from vcontract.generated.results.session import FoundFile, MemoryResult, MemoryResultMatchesEntry
from vcontract.handlers.session.memory_search import MemoryMatch, source_of
from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search import memory_rows
from vcontract.runtime.store.search.hits import rounded_down
from vcontract.runtime.store.search.listing import KindResults, as_items, dialog_texts
from vcontract.runtime.store.search.memory_rows import Remembered, ToolLine
from vcontract.runtime.text.excerpts import densest
from vcontract.runtime.text.query import Term
from vcontract.runtime.vcon.times import format_time

MAX_CONTENT_LENGTH: Final = 2_000
MAX_QUICK_CONTENT_LENGTH: Final = 500

_CUT: Final = "…"
_MAX_RESULT_BYTES: Final = 12_000
"""Maximum bytes of one result, so that it fits in a chunk."""
_TRACE: Final = "trace"
_MAX_FILES: Final = 20
_READING: Final = ("read", "view", "notebookread")
"""Prefixes of tools that read one file."""

Key = tuple[str, UUID, int | None]
PassageKey = tuple[str, str]
"""Part and passage that match best."""


class ResultRenderer:
    """Formats results."""

    async def results(
        self,
        connection: Connection,
        tenant: str,
        references: Sequence[MemoryMatch],
        found: Mapping[str, KindResults],
        *,
        most: int = MAX_CONTENT_LENGTH,
        with_files: bool = False,
    ) -> list[MemoryResult]:
        """Build a result for each reference in order, without those deleted since.

        `found` is what the query found of each kind, or nothing of it if the search was an earlier call.
        """
        known: dict[Key, Remembered] = {}
        places: dict[Key, PassageKey] = {}
        for kind in dict.fromkeys(reference.kind for reference in references):
            some = [reference for reference in references if reference.kind == kind]
            of_kind, matching = await self._of_kind(connection, tenant, kind, some, found[kind])
            known |= of_kind
            places |= matching
        files = await self._files(connection, tenant, references) if with_files else {}
        shown: list[MemoryResult] = []
        for reference in references:
            key = (reference.kind, reference.id, reference.element)
            if key in known:
                terms = found[reference.kind].asked.terms
                result = _result(reference, known[key], places.get(key), terms, most)
                if reference.matches:
                    result["matches"] = [_at_line(match, known[key]) for match in reference.matches]
                if with_files:
                    result["files"] = files.get(reference.id, [])
                shown.append(bounded(result))
        return shown

    async def _of_kind(
        self,
        connection: Connection,
        tenant: str,
        kind: str,
        references: Sequence[MemoryMatch],
        found: KindResults,
    ) -> tuple[dict[Key, Remembered], dict[Key, PassageKey]]:
        """Load records of a kind, and the passages of them that match best."""
        if kind == "dialog":
            places = [(one.id, one.element or 0) for one in references]
            spoken = await memory_rows.dialogs(connection, tenant, places)
            texts = await dialog_texts(connection, found, places)
            return (
                {(kind, *place): one for place, one in spoken.items()},
                {(kind, *place): ("dialog", text) for place, text in texts.items()},
            )
        ids = [reference.id for reference in references]
        load = memory_rows.exchanges if kind == "exchange" else memory_rows.reflections
        known = await load(connection, tenant, ids)
        best = {item.id: item.hits[0] for item in await as_items(connection, found, ids) if item.hits}
        return (
            {(kind, id_, None): one for id_, one in known.items()},
            {(kind, id_, None): (hit.part, hit.content) for id_, hit in best.items()},
        )

    async def _files(
        self, connection: Connection, tenant: str, references: Sequence[MemoryMatch]
    ) -> dict[UUID, list[FoundFile]]:
        """Files of exchanges: changed ones, then those read by tools."""
        exchanges = [reference.id for reference in references if reference.kind == "exchange"]
        changed = await memory_rows.files_of(connection, tenant, exchanges)
        lines = await memory_rows.tool_lines(connection, tenant, exchanges)
        return {id_: _files_of(changed.get(id_, ()), lines.get(id_)) for id_ in exchanges}


def _result(
    reference: MemoryMatch, known: Remembered, place: PassageKey | None, terms: Sequence[Term], most: int
) -> MemoryResult:
    result: MemoryResult = {
        "content": _content(known, place, terms, most),
        "project": known.project,
        "timestamp": format_time(reference.at),
        "similarity_score": min(rounded_down(reference.score, 3), 1.0),
        "context": known.context,
        "source": source_of(reference.kind),
        "kind": reference.kind,
        "id": str(reference.id if reference.kind == "reflection" else known.conversation),
        "matched_by": reference.matched_by,
    }
    if known.path is not None and known.lines is not None:
        result["path"] = known.path
        result["line_start"], result["line_end"] = known.lines
    if known.tags is not None:
        result["tags"] = list(known.tags)
    if reference.strength:
        result["strength"] = reference.strength
    if reference.more:
        result["more_in_conversation"] = reference.more
    return result


def _at_line(match: MemoryResultMatchesEntry, known: Remembered) -> MemoryResultMatchesEntry:
    return match if known.lines is None else {**match, "line": known.lines[0]}


def _content(known: Remembered, place: PassageKey | None, terms: Sequence[Term], most: int) -> str:
    """Text, or the part around the match that fits; with tool calls if they matched."""
    if place is None:
        return around(known.text, 0, most)
    part, content = place
    if part.startswith(_TRACE):
        tools = around(content, densest(content, terms, most // 4) or 0, most // 2)
        return f"{around(known.text, 0, most - len(tools) - 10)}\nTools: {tools}".strip()
    match = densest(content, terms, most // 2) or 0
    begin = known.text.find(content)
    if begin < 0:
        # for a dialog, or beyond the loaded part of a long turn, show the passage
        return around(content, match, most)
    return around(known.text, begin + match, most)


def around(text: str, at: int, most: int) -> str:
    """Cut `text` to `most` characters around offset `at`, with … at cuts."""
    if len(text) <= most:
        return text
    room = most - 2
    start = 0 if at < room // 2 else min(at - room // 4, len(text) - room)
    cut = text[start : start + room]
    return (_CUT if start else "") + cut.strip() + (_CUT if start + room < len(text) else "")


def bounded(result: MemoryResult) -> MemoryResult:
    """Shorten the longest texts of a result to at most 12,000 bytes."""
    while len(dump_json(dict(result))) > _MAX_RESULT_BYTES:
        if len(result["content"]) > 200:
            result["content"] = around(result["content"], 0, len(result["content"]) // 2)
        elif result["context"]:
            result["context"] = ""
        elif files := result.get("files"):
            result["files"] = files[: len(files) // 2]
        elif matches := result.get("matches"):
            result["matches"] = matches[: len(matches) // 2]
        else:
            return result
    return result


def _files_of(changed: Sequence[memory_rows.FoundFile], line: ToolLine | None) -> list[FoundFile]:
    operations = {file.path: file.operation for file in changed}
    for part in line.text.split("; ") if line is not None else ():
        tool, _, path = part.partition(" ")
        if path and tool.casefold().startswith(_READING):
            operations.setdefault(path, "read")
    return [{"path": path, "operation": done} for path, done in list(operations.items())[:_MAX_FILES]]
