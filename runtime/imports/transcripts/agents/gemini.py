"""Gemini CLI: a document, or since 2026 a file of lines, for each session; before that a log of prompts.

Source: google-gemini/gemini-cli, packages/core: services/chatRecordingService.ts and chatRecordingTypes.ts,
core/logger.ts, config/storage.ts, utils/paths.ts.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members, objects
from vcontract.runtime.imports.transcripts.agents.declaration import (
    ConvertedProgram,
    MessageStep,
    NoteStep,
    ReasoningStep,
    RecordedSession,
    Step,
    ToolCallStep,
    ToolResultStep,
    home,
    iso,
    text,
)
from vcontract.runtime.imports.transcripts.agents.documents import beside, bytes_of, document_of, texts_of
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.imports.transcripts.lines import Line

_CHAT: Final = re.compile(rb'\s*\{(?=.{0,2000}"sessionId")(?=.{0,2000}"projectHash")', re.DOTALL)
_LOG: Final = re.compile(rb'\s*\[\s*\{(?=.{0,1000}"sessionId")(?=.{0,1000}"messageId")', re.DOTALL)
_CHECKPOINT: Final = re.compile(
    rb'\s*(?:\[|\{\s*"history"\s*:\s*\[)\s*\{(?=.{0,2000}"(?:role|parts)")', re.DOTALL
)
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_PREAMBLE: Final = ("<session_context>", "This is the Gemini CLI.")
"""Prefixes of text that the program adds before the first prompt."""


def _is_of(path: Path, head: bytes) -> bool:
    if path.name == "logs.json":
        return _LOG.match(head) is not None
    if path.name.startswith("checkpoint"):
        return _CHECKPOINT.match(head) is not None
    return _CHAT.match(head) is not None


def _sessions(path: Path) -> Iterator[FileState]:
    """Return the session of a file; for a log, only sessions recorded nowhere else."""
    state = file_state(path)
    if path.name == "logs.json":
        for session in dict.fromkeys(text(entry.get("sessionId")) for _, entry in objects(beside(path))):
            if session and not any(
                path.parent.glob(f"chats/session-*-{re.sub('[^0-9a-f]', '', session)[:8]}.json*")
            ):
                yield FileState(state.path, state.size, state.mtime_ns, session, is_unpacked=True)
    elif path.suffix != ".json" or not path.with_suffix(".jsonl").exists():
        yield FileState(state.path, state.size, state.mtime_ns, is_unpacked=True)


def _read(state: FileState) -> RecordedSession:
    if state.path.name == "logs.json":
        return _read_log(state)
    if state.path.name.startswith("checkpoint"):
        return _read_checkpoint(state.path)
    return _read_chat(state.path)


def _read_chat(path: Path) -> RecordedSession:
    if path.suffix == ".jsonl":
        about, records = _folded(path)
    else:
        document, rest = document_of(path, "messages")
        about = dict(members(document))
        records = [
            *(message for _, message in objects(about.pop("messages", None))),
            *([rest] if rest else []),
        ]
    session = text(about.get("sessionId")) or path.stem
    called_by = path.parent.name if path.parent.parent.name == "chats" else None
    return RecordedSession(
        called_by or session,
        records,
        cwd=_cwd(path),
        began=iso(about.get("startTime")),
        agent=session if called_by else None,
        title=text(about.get("summary")) or None,
        left=about,
    )


def _folded(path: Path) -> tuple[JsonObject, list[JsonObject | bytes]]:
    """Merge the lines of a session: a repeated message is kept once, in its last version.

    Retracted messages stay, and so do the lines that retract them.
    """
    about: JsonObject = {}
    found: dict[str, JsonObject | bytes] = {}
    for number, raw in enumerate(bytes_of(path).split(b"\n"), start=1):
        line = Line(number, raw, ended=True)
        if line.is_blank:
            continue
        record = line.record()
        if record is None:
            found[f"line {number}"] = raw
        elif isinstance(record.get("id"), str):
            found[record["id"]] = record
        elif is_object(record.get("$set")):
            changed = dict(record["$set"])
            for _, message in objects(changed.pop("messages", None)):
                found.setdefault(text(message.get("id")) or f"line {number}", message)
            about |= changed
        elif "sessionId" in record:
            about |= record
        else:
            found[f"line {number}"] = record
    return about, list(found.values())


def _read_log(state: FileState) -> RecordedSession:
    document, rest = document_of(state.path)
    entries = [entry for _, entry in objects(document) if entry.get("sessionId") == state.part]
    return RecordedSession(
        state.part or state.path.stem,
        [*entries, *([rest] if rest else [])],
        cwd=_cwd(state.path),
        began=next((iso(entry.get("timestamp")) for entry in entries), None),
    )


def _read_checkpoint(path: Path) -> RecordedSession:
    document, rest = (
        document_of(path, "history") if bytes_of(path).lstrip()[:1] == b"{" else document_of(path)
    )
    around = dict(document) if is_object(document) else {}
    turns = array(around.pop("history", None)) if is_object(document) else array(document)
    return RecordedSession(
        f"{path.parent.name[:16]}-{path.stem}",
        [*(turn for _, turn in objects(turns)), *([rest] if rest else [])],
        cwd=_cwd(path),
        left=around,
    )


def _cwd(path: Path) -> str | None:
    """Project folder: from a file next to the session, else from the folder's name or hash."""
    folder = next((each for each in path.parents if each.parent.name == "tmp"), path.parent)
    try:
        written = (folder / ".project_root").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        written = ""
    if written:
        return written
    of_program = folder.parent.parent
    known = members(members(beside(of_program / "projects.json")).get("projects"))
    trusted = members(beside(of_program / "trustedFolders.json"))
    if not _HASH.fullmatch(folder.name):
        return next((path for path, name in known.items() if name == folder.name), None)
    return next(
        (each for each in (*known, *trusted) if hashlib.sha256(each.encode()).hexdigest() == folder.name),
        None,
    )


def _steps(record: JsonObject) -> Iterator[Step]:
    at, own = iso(record.get("timestamp")), text(record.get("id")) or None
    kind = text(record.get("type"))
    if isinstance(record.get("message"), str):
        said = record["message"]
        yield MessageStep("user", said, at, is_command=said.startswith("/"))
    elif "role" in record:
        yield from _turn(record)
    elif "$rewindTo" in record:
        yield NoteStep("rewind", text(record["$rewindTo"]))
    elif kind == "user":
        yield from _typed(texts_of(record.get("displayContent") or record.get("content")), at, own)
    elif kind == "gemini":
        for _, thought in objects(record.get("thoughts")):
            parts = (text(thought.get("subject")), text(thought.get("description")))
            yield ReasoningStep("\n".join(filter(None, parts)), iso(thought.get("timestamp")) or at)
        yield MessageStep(
            "agent", texts_of(record.get("content")), at, own, text(record.get("model")) or None
        )
        for _, call in objects(record.get("toolCalls")):
            yield _call(call, at)
    elif kind:
        yield NoteStep(kind, texts_of(record.get("content")), at)


def _typed(said: str, at: str | None, own: str | None) -> Iterator[Step]:
    if said.lstrip().startswith(_PREAMBLE):
        yield NoteStep("context", said, at)
    else:
        yield MessageStep("user", said, at, own)


def _call(call: JsonObject, at: str | None) -> ToolCallStep:
    own = text(call.get("id"))
    at = iso(call.get("timestamp")) or at
    result: JsonValue = call.get("result")
    gave = None
    if result is not None or call.get("resultDisplay") is not None:
        output = _output(result) or call.get("resultDisplay")
        gave = ToolResultStep(own, output, call.get("status") not in ("success", None), at)
    return ToolCallStep(own, text(call.get("name")), call.get("args"), at, gave)


def _output(result: JsonValue) -> JsonValue:
    """Output of a tool, else its error, else the whole result."""
    answers = (
        [members(part).get("functionResponse") for part in array(result)] if is_array(result) else [result]
    )
    found = [_answer(members(answer)) for answer in answers if is_object(answer)]
    return found[0] if len(found) == 1 else found or result


def _answer(answer: JsonObject) -> JsonValue:
    response: JsonValue = answer.get("response", answer)
    members_of = members(response)
    return members_of.get("output") or members_of.get("error") or response


def _turn(record: JsonObject) -> Iterator[Step]:
    """Parse a turn of a checkpoint. Source: ai.google.dev, Content and Part."""
    parts = [part for _, part in objects(record.get("parts"))]
    said = "\n".join(text(part.get("text")) for part in parts if not part.get("thought") and part.get("text"))
    if record.get("role") == "user":
        for part in parts:
            if is_object(part.get("functionResponse")):
                answer: JsonObject = part["functionResponse"]
                failed = "error" in members(answer.get("response"))
                yield ToolResultStep(
                    text(answer.get("id")) or text(answer.get("name")), _answer(answer), failed
                )
        if said:
            yield from _typed(said, None, None)
        return
    for part in parts:
        if part.get("thought"):
            yield ReasoningStep(text(part.get("text")))
    yield MessageStep("agent", said)
    for part in parts:
        if is_object(part.get("functionCall")):
            call: JsonObject = part["functionCall"]
            name = text(call.get("name"))
            yield ToolCallStep(text(call.get("id")) or name, name, call.get("args"))


GEMINI: Final = ConvertedProgram(
    "gemini-cli",
    "Gemini CLI",
    lambda environment: [home(environment, "GEMINI_CLI_HOME", "~") / ".gemini" / "tmp"],
    ("*.jsonl", "session-*.json", "logs.json", "checkpoint*.json"),
    _is_of,
    _read,
    _steps,
    _sessions,
    provider="google",
)
