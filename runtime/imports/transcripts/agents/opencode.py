"""OpenCode: an SQLite database since version 1.2, before that a document for each session, message and part.

Source: anomalyco/opencode, packages/opencode/src: session/session.sql.ts, session/message-v2.ts, storage.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson
from vcontract.runtime.frame.documents.json_values import is_object, members, objects
from vcontract.runtime.imports.transcripts.agents.declaration import (
    ConvertedProgram,
    MessageStep,
    NoteStep,
    ReasoningStep,
    RecordedSession,
    Step,
    ToolCallStep,
    ToolResultStep,
    UnexpectedFormat,
    home,
    iso,
    nanoseconds,
    text,
)
from vcontract.runtime.imports.transcripts.agents.documents import beside, document_of
from vcontract.runtime.imports.transcripts.agents.sqlite import MARK, holds, opened
from vcontract.runtime.imports.transcripts.content import placeholder
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.imports.transcripts.lines import lenient_json
from vcontract.runtime.imports.transcripts.model import API_ERROR, COMPACT_SUMMARY

_ABOVE: Final = 3
"""Levels between a session's document and the program's folder: storage/session/<project>."""
_SESSIONS: Final = """
    select id, (select count(*) from message where session_id = session.id),
        max(time_updated, coalesce((select max(time_updated) from message where session_id = session.id), 0),
            coalesce((select max(time_updated) from part where session_id = session.id), 0))
    from session order by time_created, id
"""
_SESSION: Final = "select * from session where id = ?"
_MESSAGES: Final = "select id, data from message where session_id = ? order by time_created, id"
_PARTS: Final = "select message_id, id, data from part where session_id = ? order by message_id, id"


def _places(environment: Mapping[str, str]) -> list[Path]:
    folder = home(environment, "XDG_DATA_HOME", "~/.local/share") / "opencode"
    return [folder / "opencode.db", folder / "storage" / "session"]


def _is_of(path: Path, head: bytes) -> bool:
    if head.startswith(MARK):
        return holds(path, "session", "message", "part")
    folders = path.absolute().parents
    is_kept = len(folders) > _ABOVE and folders[1].name == "session"
    return is_kept and path.name.startswith("ses_") and path.suffix == ".json" and head.lstrip()[:1] == b"{"


def _sessions(path: Path) -> Iterator[FileState]:
    """Sessions of a database; that of a document unless it was migrated to a database."""
    path = path.absolute()
    if path.suffix == ".json":
        if not _has(path.parents[_ABOVE] / "opencode.db", path.stem):
            newest = max((each.stat() for each in _written(path)), key=lambda stat: stat.st_mtime_ns)
            pieces = sum(1 for _ in _written(path))
            yield FileState(path, pieces, newest.st_mtime_ns, is_unpacked=True)
        return
    modified = file_state(path).mtime_ns
    with opened(path) as connection:
        rows = connection.execute(_SESSIONS).fetchall()
    for session, count, updated in rows:
        when = nanoseconds(updated, modified)
        yield FileState(path, int(count), when, str(session), is_unpacked=True)


def _has(database: Path, session: str) -> bool:
    """Whether a session was migrated to the database."""
    if not database.is_file():
        return False
    try:
        with opened(database) as connection:
            return connection.execute("select 1 from session where id = ?", (session,)).fetchone() is not None
    except OSError:
        return False


def _written(path: Path) -> Iterator[Path]:
    """Documents of a session: its own, and those of its messages and parts."""
    yield path
    storage = path.parents[2]
    for message in sorted((storage / "message" / path.stem).glob("*.json")):
        yield message
        yield from sorted((storage / "part" / message.stem).glob("*.json"))


def _read(state: FileState) -> RecordedSession:
    if state.part is None:
        return _read_documents(state.path)
    with opened(state.path) as connection:
        cursor = connection.execute(_SESSION, (state.part,))
        row = cursor.fetchone()
        if row is None:
            raise UnexpectedFormat(f"has no session {state.part} any more")
        about: JsonObject = {
            name: cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
            for (name, *_), cell in zip(cursor.description, row, strict=True)
        }
        parts: dict[str, list[JsonObject]] = {}
        unread: list[JsonObject | bytes] = []
        for message, own, data in connection.execute(_PARTS, (state.part,)):
            part = _object(data)
            if part is None:
                unread.append(str(data).encode())
            else:
                parts.setdefault(str(message), []).append({"id": own, **part})
        records: list[JsonObject | bytes] = []
        for own, data in connection.execute(_MESSAGES, (state.part,)):
            info = _object(data)
            given: JsonValue = [*parts.get(str(own), [])]
            records.append(
                str(data).encode() if info is None else {"info": {"id": own, **info}, "parts": given}
            )
    return _kept(about, [*records, *unread], iso(about.get("time_created")), about.get("parent_id"))


def _object(data: object) -> JsonObject | None:
    try:
        value = lenient_json(str(data))
    except MalformedJson:
        return None
    return value if is_object(value) else None


def _read_documents(path: Path) -> RecordedSession:
    document, _ = document_of(path)
    about = members(document)
    storage = path.absolute().parents[2]
    records: list[JsonObject | bytes] = []
    for message in sorted((storage / "message" / path.stem).glob("*.json")):
        info = beside(message)
        parts = [beside(part) for part in sorted((storage / "part" / message.stem).glob("*.json"))]
        if not is_object(info):
            records.append(message.read_bytes())
            continue
        whole: JsonValue = [part for part in parts if is_object(part)]
        records.append({"info": info, "parts": whole})
        records += [b"a part that cannot be read" for part in parts if not is_object(part)]
    return _kept(about, records, iso(members(about.get("time")).get("created")), about.get("parentID"))


def _kept(
    about: JsonObject, records: list[JsonObject | bytes], began: str | None, parent: JsonValue
) -> RecordedSession:
    own = text(about.get("id"))
    return RecordedSession(
        text(parent) or own,
        records,
        cwd=text(about.get("directory")) or None,
        began=began,
        agent=own if text(parent) else None,
        title=text(about.get("title")) or None,
        version=text(about.get("version")) or None,
        left=about,
    )


def _steps(record: JsonObject) -> Iterator[Step]:
    info = members(record.get("info"))
    at, own = iso(members(info.get("time")).get("created")), text(info.get("id")) or None
    parts = [part for _, part in objects(record.get("parts"))]
    if info.get("role") == "user":
        yield from _prompt(parts, at, own)
    else:
        for part in parts:
            yield from _part(part, info, at, own)
    error = members(info.get("error"))
    if error:
        message = text(members(error.get("data")).get("message"))
        yield NoteStep(API_ERROR, ": ".join(filter(None, (text(error.get("name")), message))), at)


def _prompt(parts: list[JsonObject], at: str | None, own: str | None) -> Iterator[Step]:
    typed: list[str] = []
    for part in parts:
        match part.get("type"):
            case "text" if part.get("synthetic") is True or part.get("ignored") is True:
                yield NoteStep("synthetic", text(part.get("text")), at)
            case "text":
                typed.append(text(part.get("text")))
            case "file" if text(part.get("mime")).startswith("text/"):
                pass  # its content is repeated in a synthetic text
            case "file":
                typed.append(placeholder({"type": "file", "media_type": part.get("mime")}))
            case "subtask":
                typed.append(text(part.get("prompt")))
            case "compaction":
                yield NoteStep("compaction", "", at)
            case _:
                pass
    yield MessageStep("user", "\n".join(typed), at, own)


def _part(part: JsonObject, info: JsonObject, at: str | None, own: str | None) -> Iterator[Step]:
    when = iso(members(part.get("time")).get("start")) or at
    said = text(part.get("text"))
    match part.get("type"):
        case "text" if info.get("summary") is True:
            yield NoteStep(COMPACT_SUMMARY, said, when)
        case "text" if part.get("synthetic") is True:
            yield NoteStep("synthetic", said, when)
        case "text":
            yield MessageStep("agent", said, when, own, text(info.get("modelID")) or None)
        case "reasoning":
            yield ReasoningStep(said, when)
        case "tool":
            yield _call(part, at)
        case "retry":
            error = members(members(part.get("error")).get("data"))
            yield NoteStep(API_ERROR, text(error.get("message")), at)
        case _:
            pass


def _call(part: JsonObject, at: str | None) -> ToolCallStep:
    state = members(part.get("state"))
    time = members(state.get("time"))
    own = text(part.get("callID")) or text(part.get("id"))
    gave = None
    if state.get("status") in ("completed", "error"):
        failed = state.get("status") == "error"
        output: JsonValue = state.get("error") if failed else state.get("output")
        gave = ToolResultStep(own, output, failed, iso(time.get("end")))
    return ToolCallStep(own, text(part.get("tool")), state.get("input"), iso(time.get("start")) or at, gave)


OPENCODE: Final = ConvertedProgram(
    "opencode",
    "OpenCode",
    _places,
    ("opencode*.db", "ses_*.json"),
    _is_of,
    _read,
    _steps,
    _sessions,
)
