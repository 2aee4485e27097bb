"""Load details of memory search results: exchanges, dialogs and reflections."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query

MAX_PROMPT_LENGTH: Final = 300
_MAX_TURN_LENGTH: Final = 20_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file changed in an exchange."""

    path: str
    relative_path: str | None
    operation: str


@dataclass(frozen=True, slots=True)
class Remembered:
    """One result with the text to show."""

    text: str
    """The whole exchange or reflection; empty for a dialog, whose passage is shown instead."""
    project: str
    context: str
    conversation: UUID
    tags: tuple[str, ...] | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None


class Origin(NamedTuple):
    """Origin of an exchange. A tuple, because a search creates thousands."""

    vcon: UUID
    digest: bytes | None
    """Equal for exchanges with the same text; None if they have none."""
    started_at: datetime
    age: tuple[datetime, datetime, str]
    """Sort key of conversations, oldest first; among those that began together, the one that ended first."""


async def origins_of(connection: Connection, tenant: str, exchanges: Collection[UUID]) -> dict[UUID, Origin]:
    """Load the origin of each exchange."""
    rows = await connection.fetch(
        *named_query(
            "select x.id, x.vcon, x.digest, x.started_at, t.started_at as began, t.ended_at, t.archive_path"
            " from vcontract.transcript_exchange x"
            " join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon"
            " where x.tenant = :tenant and x.id = any(:ids)",
            tenant=tenant,
            ids=list(exchanges),
        )
    )
    return {
        row["id"]: Origin(
            row["vcon"],
            row["digest"],
            row["started_at"],
            (row["began"], row["ended_at"], row["archive_path"]),
        )
        for row in rows
    }


async def exchanges(connection: Connection, tenant: str, ids: Collection[UUID]) -> dict[UUID, Remembered]:
    """Load exchanges as text, `User: …` and `Assistant: …`, with surrounding prompts."""
    rows = await connection.fetch(
        *query(
            "remembered_exchanges",
            tenant=tenant,
            ids=list(ids),
            most_of_turn=_MAX_TURN_LENGTH,
            most_of_prompt=MAX_PROMPT_LENGTH,
        )
    )
    return {
        row["id"]: Remembered(
            text=row["text"] or "",
            project="" if row["project"] == "unknown" else row["project"],
            context="\n".join(part for part in (row["before"], row["after"]) if part),
            conversation=row["vcon"],
            path=row["archive_path"],
            lines=(row["line_start"], row["line_end"]),
        )
        for row in rows
    }


async def dialogs(
    connection: Connection, tenant: str, places: Sequence[tuple[UUID, int]]
) -> dict[tuple[UUID, int], Remembered]:
    """Load dialogs of other vCons with surrounding turns."""
    rows = await connection.fetch(
        *query(
            "remembered_dialogs",
            tenant=tenant,
            vcons=[place[0] for place in places],
            indexes=[place[1] for place in places],
            most_of_prompt=MAX_PROMPT_LENGTH,
        )
    )
    return {
        (row["vcon"], row["index"]): Remembered(
            text="",
            project=row["project"] or "",
            context="\n".join(part for part in (row["before"], row["after"]) if part),
            conversation=row["vcon"],
        )
        for row in rows
    }


async def reflections(connection: Connection, tenant: str, ids: Collection[UUID]) -> dict[UUID, Remembered]:
    """Load reflections with project and date of their session."""
    rows = await connection.fetch(
        "select r.id, r.content, r.tags, r.stored_at, p.name, s.started_at from vcontract.reflection r"
        " left join vcontract.project p on p.tenant = r.tenant and p.id = r.project"
        " left join vcontract.work_session s on s.tenant = r.tenant and s.id = r.session"
        " where r.tenant = $1 and r.id = any($2)",
        tenant,
        list(ids),
    )
    return {
        row["id"]: Remembered(
            text=row["content"],
            project=row["name"] or "",
            context=_session_of(row["name"], row["started_at"]),
            conversation=row["id"],
            tags=tuple(row["tags"]),
        )
        for row in rows
    }


async def files_of(
    connection: Connection, tenant: str, exchange_ids: Collection[UUID]
) -> dict[UUID, list[FoundFile]]:
    """Load the files that each exchange changed, sorted by path."""
    rows = await connection.fetch(
        "select x.id, f.path, f.relative_path, f.operation from vcontract.transcript_exchange x"
        " join vcontract.transcript_file f"
        "  on f.tenant = x.tenant and f.vcon = x.vcon and f.exchange = x.number"
        " where x.tenant = $1 and x.id = any($2) order by x.id, f.path",
        tenant,
        list(exchange_ids),
    )
    found: dict[UUID, list[FoundFile]] = {}
    for row in rows:
        file = FoundFile(row["path"], row["relative_path"], row["operation"])
        found.setdefault(row["id"], []).append(file)
    return found


async def in_projects(
    connection: Connection, tenant: str, scope: JsonObject, ids: Mapping[str, Collection[UUID]]
) -> set[UUID]:
    """Return the records of the projects of `scope`, among these of each kind.

    `scope` is in the form of vcontract.search_conditions.
    """
    rows = await connection.fetch(
        *query(
            "remembered_in_projects",
            tenant=tenant,
            **{f"{kind}s": list(ids.get(kind, ())) for kind in ("exchange", "reflection", "dialog")},
            **scope,
        )
    )
    return {row["id"] for row in rows}


@dataclass(frozen=True, slots=True)
class ToolLine:
    """An exchange's tool calls in one line, `Read src/a.py; Bash pytest`, and its location."""

    text: str
    folder: str | None


async def tool_lines(connection: Connection, tenant: str, ids: Collection[UUID]) -> dict[UUID, ToolLine]:
    """Load the tool line of each exchange that has one."""
    rows = await connection.fetch(
        "select x.id, t.cwd, string_agg(p.content, '; ' order by p.chunk) as line"
        " from vcontract.transcript_exchange x"
        " join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon"
        " join vcontract.passage p"
        "  on p.tenant = x.tenant and p.kind = 'vcon' and p.id = x.vcon and p.part = 'trace'"
        "  and p.element = x.number"
        " where x.tenant = $1 and x.id = any($2) group by x.id, t.cwd",
        tenant,
        list(ids),
    )
    return {row["id"]: ToolLine(row["line"], row["cwd"]) for row in rows}


@dataclass(frozen=True, slots=True)
class FileChange:
    """An exchange that changed a file with a matching path."""

    exchange: UUID
    at: datetime
    file: FoundFile


async def changes_of(connection: Connection, tenant: str, path: str, filters: JsonObject) -> list[FileChange]:
    """Find changes of files whose path contains `path` as whole segments or ends with it, newest first."""
    rows = await connection.fetch(
        *query(
            "file_changes",
            tenant=tenant,
            segments=f"/{path.strip('/')}/",
            path="/" + path.strip("/"),
            last=path.strip("/").rpartition("/")[2],
            only_of_projects="names" in filters,
            names=filters.get("names", []),
            roots=filters.get("roots", []),
        )
    )
    return [
        FileChange(
            row["id"], row["started_at"], FoundFile(row["path"], row["relative_path"], row["operation"])
        )
        for row in rows
    ]


def _session_of(project: str | None, started_at: datetime | None) -> str:
    date = "" if started_at is None else f"{started_at:%Y-%m-%d}"
    return ", ".join(part for part in (project or "", date) if part)
