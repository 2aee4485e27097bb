"""Read Cursor: an SQLite database for all sessions, and JSON lines for some.

Source: there is no official documentation. Facts are from michaeldhood/chatrxiv,
docs/cursor/storage-reference.md, and from pppp606/cursor-efficiency, docs/vscdbRelation.md. Files below
~/.cursor/projects/*/agent-transcripts are described by programs that read them.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson
from vcontract.runtime.frame.documents.json_values import array, is_object, members, objects
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
from vcontract.runtime.imports.transcripts.agents.documents import beside, bytes_of, output_of, path_of
from vcontract.runtime.imports.transcripts.agents.sqlite import MARK, holds, opened, tables_of
from vcontract.runtime.imports.transcripts.content import blocks_of, output_text, placeholder
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.imports.transcripts.lines import Line, lenient_json

_TRANSCRIPT: Final = re.compile(rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{')
_DATABASE: Final = "state.vscdb"
_COMPOSER: Final = "composerData:"
_VALUE: Final = "select value from cursorDiskKV where key = ?"
_COMPOSERS: Final = (
    "select key, value from cursorDiskKV where key >= 'composerData:' and key < 'composerData;'"
)
_SECRETS: Final = ("blobEncryptionKey", "speculativeSummarizationEncryptionKey")
_USER: Final = 1
_QUERY: Final = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_FAILED: Final = ("error", "cancelled", "rejected")


def _of_user(environment: Mapping[str, str]) -> Path:
    """The program's settings folder."""
    if sys.platform == "darwin":
        return Path("~/Library/Application Support/Cursor/User").expanduser()
    if sys.platform == "win32":
        return home(environment, "APPDATA", "~/AppData/Roaming") / "Cursor" / "User"
    return home(environment, "XDG_CONFIG_HOME", "~/.config") / "Cursor" / "User"


def _places(environment: Mapping[str, str]) -> list[Path]:
    projects = Path("~/.cursor/projects").expanduser()
    return [_of_user(environment) / "globalStorage" / _DATABASE, projects]


def _is_of(path: Path, head: bytes) -> bool:
    if head.startswith(MARK):
        return holds(path, "cursorDiskKV")
    return _TRANSCRIPT.match(head) is not None


def _sessions(path: Path) -> Iterator[FileState]:
    """Sessions of a database; that of a JSON lines file only if the database lacks it."""
    state = file_state(path)
    if path.suffix == ".jsonl":
        if not _is_in_database(path.stem):
            yield FileState(state.path, state.size, state.mtime_ns, is_unpacked=True)
        return
    folders = _folders(path.parents[1] / "workspaceStorage" if len(path.parents) > 1 else path)
    with opened(path) as connection:
        for key, value in connection.execute(_COMPOSERS):
            about = _object(value)
            own = str(key).removeprefix(_COMPOSER)
            if about is None or not (count := len(_headers(about)) or len(_inline(about))):
                continue
            at: JsonValue = about.get("lastUpdatedAt") or about.get("createdAt")
            updated = nanoseconds(at, state.mtime_ns)
            yield FileState(state.path, count, updated, own, is_unpacked=True, cwd=folders.get(own))


def _is_in_database(session: str) -> bool:
    path = _of_user(os.environ) / "globalStorage" / _DATABASE
    try:
        with opened(path) as connection:
            row = connection.execute(_VALUE, (f"{_COMPOSER}{session}",)).fetchone()
    except OSError:
        return False
    about = _object(row[0]) if row else None
    return about is not None and bool(_headers(about) or _inline(about))


def _folders(workspaces: Path) -> dict[str, str]:
    """Folder of each session, from the workspace databases."""
    folders: dict[str, str] = {}
    for place in sorted(workspaces.glob(f"*/{_DATABASE}")):
        folder = path_of(members(beside(place.with_name("workspace.json"))).get("folder"))
        if folder is None:
            continue
        try:
            with opened(place) as connection:
                row = connection.execute(
                    "select value from ItemTable where key = 'composer.composerData'"
                ).fetchone()
        except OSError:
            continue
        listed = (_object(row[0]) if row else None) or {}
        for _, each in objects(listed.get("allComposers")):
            folders[text(each.get("composerId"))] = folder
    return folders


def _object(value: object) -> JsonObject | None:
    try:
        parsed = lenient_json(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))
    except MalformedJson:
        return None
    return parsed if is_object(parsed) else None


def _headers(about: JsonObject) -> list[str]:
    return [
        own
        for _, each in objects(about.get("fullConversationHeadersOnly"))
        if (own := text(each.get("bubbleId")))
    ]


def _inline(about: JsonObject) -> list[JsonObject]:
    """Inline messages of a session from an older version."""
    listed = [each for _, each in objects(about.get("conversation"))]
    return listed or [each for each in members(about.get("conversationMap")).values() if is_object(each)]


def _read(state: FileState) -> RecordedSession:
    if state.part is None:
        return _read_transcript(state.path)
    with opened(state.path) as connection:
        if "cursorDiskKV" not in tables_of(connection):
            raise UnexpectedFormat("holds no session")
        row = connection.execute(_VALUE, (f"{_COMPOSER}{state.part}",)).fetchone()
        about = _object(row[0]) if row else None
        if about is None:
            raise UnexpectedFormat(f"has no session {state.part} that can be read")
        records: list[JsonObject | bytes] = []
        for own in _headers(about):
            found = connection.execute(_VALUE, (f"bubbleId:{state.part}:{own}",)).fetchone()
            bubble = _object(found[0]) if found else None
            records.append(b"a message that cannot be read" if bubble is None else _told(bubble))
    records = records or [_told(bubble) for bubble in _inline(about)]
    first = next((each for each in records if not isinstance(each, bytes)), None)
    uris = array(members(first).get("workspaceUris"))
    identified = members(members(about.get("workspaceIdentifier")).get("uri"))
    left = {
        name: value
        for name, value in _told(about).items()
        if name not in (*_SECRETS, "fullConversationHeadersOnly", "conversation", "conversationMap")
    }
    return RecordedSession(
        state.part,
        records,
        cwd=state.cwd or text(identified.get("fsPath")) or path_of(uris[0] if uris else None),
        began=iso(about.get("createdAt")),
        model=text(members(about.get("modelConfig")).get("modelName")) or None,
        title=text(about.get("name")) or None,
        branch=text(about.get("createdOnBranch")) or None,
        left=left,
    )


def _told(document: JsonObject) -> JsonObject:
    """Non-empty members; most members of a message are empty."""
    return {name: value for name, value in document.items() if value not in (None, [], {}, "", False)}


def _read_transcript(path: Path) -> RecordedSession:
    records: list[JsonObject | bytes] = []
    for number, raw in enumerate(bytes_of(path).split(b"\n"), start=1):
        line = Line(number, raw)
        if not line.is_blank:
            records.append(line.record() or raw)
    is_called = path.parent.name == "subagents"
    return RecordedSession(
        path.parents[1].name if is_called else path.stem,
        records,
        cwd=_folder_of(path),
        agent=path.stem if is_called else None,
    )


def _folder_of(path: Path) -> str | None:
    """Project folder from its name with dashes, if such a folder exists."""
    slug = next((each.name for each in path.parents if each.parent.name == "projects"), "")
    folder, rest = Path("/"), slug.lower()
    while rest:
        try:
            names = sorted((each.name for each in folder.iterdir() if each.is_dir()), key=len, reverse=True)
        except OSError:
            return None
        dashed = {name: re.sub(r"[^a-z0-9]", "-", name.lower()).lstrip("-") for name in names}
        found = next(
            (name for name, dash in dashed.items() if dash and f"{rest}-".startswith(f"{dash}-")), None
        )
        if found is None:
            return None
        folder, rest = folder / found, rest[len(dashed[found]) :].lstrip("-")
    return str(folder) if slug else None


def _steps(record: JsonObject) -> Iterator[Step]:
    if "role" in record:
        yield from _turn(record)
        return
    at, own = _at(record), text(record.get("bubbleId")) or None
    if record.get("type") == _USER:
        yield MessageStep("user", text(record.get("text")), at, own)
        return
    thinking: JsonValue = record.get("thinking")
    yield ReasoningStep(text(members(thinking).get("text")) or text(thinking), at)
    model = text(members(record.get("modelInfo")).get("modelName")) or None
    yield MessageStep("agent", text(record.get("text")) or _code(record), at, own, model)
    if is_object(record.get("toolFormerData")):
        yield _call(record["toolFormerData"], at, own)


def _at(record: JsonObject) -> str | None:
    timing = members(record.get("timingInfo"))
    sent = timing.get("clientRpcSendTime")
    return iso(record.get("createdAt")) or (
        iso(sent) if isinstance(sent, int | float) and sent > 1e11 else None
    )


def _code(record: JsonObject) -> str:
    """Code of a response without text."""
    pieces = [each for _, each in objects(record.get("codeBlocks"))]
    return "\n\n".join(
        f"```{text(each.get('languageId'))}\n{text(each.get('content'))}\n```"
        for each in pieces
        if text(each.get("content"))
    )


def _call(tool: JsonObject, at: str | None, bubble: str | None) -> ToolCallStep:
    own = text(tool.get("toolCallId")) or bubble or ""
    name = text(tool.get("name")) or f"tool {tool.get('tool')}"
    given = output_of(tool.get("rawArgs")) or output_of(tool.get("params"))
    status = text(tool.get("status"))
    result: JsonValue = tool.get("result")
    gave = None
    if result is not None or status in ("completed", *_FAILED):
        error: JsonValue = tool.get("error")
        gave = ToolResultStep(own, output_of(result if result is not None else error), status in _FAILED, at)
    return ToolCallStep(own, name, given, at, gave)


def _turn(record: JsonObject) -> Iterator[Step]:
    """Parse a transcript line: speaker, and blocks as in Anthropic's API."""
    is_user = record.get("role") == "user"
    for block in blocks_of(members(record.get("message")).get("content")):
        match block.get("type"):
            case "text" if is_user:
                yield from _typed(text(block.get("text")))
            case "text":
                yield MessageStep("agent", text(block.get("text")))
            case "thinking":
                yield ReasoningStep(text(block.get("thinking")))
            case "tool_use":
                name = text(block.get("name"))
                yield ToolCallStep(text(block.get("id")) or name, name, block.get("input"))
            case "tool_result":
                output: JsonValue = block.get("content")
                own = text(block.get("tool_use_id")) or text(block.get("name"))
                yield ToolResultStep(own, output_text(output), block.get("is_error") is True)
            case _:
                yield NoteStep("block", placeholder(block))


def _typed(said: str) -> Iterator[Step]:
    """Extract what the user typed from the program's additions."""
    found = _QUERY.findall(said)
    if found:
        around = _QUERY.sub("", said).strip()
        if around:
            yield NoteStep("context", around)
        yield MessageStep("user", "\n".join(found))
    else:
        yield MessageStep("user", said)


CURSOR: Final = ConvertedProgram(
    "cursor",
    "Cursor",
    _places,
    (_DATABASE, "*.jsonl"),
    _is_of,
    _read,
    _steps,
    _sessions,
)
