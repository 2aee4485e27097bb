"""Continue: a document for each session.

Source: continuedev/continue, core: index.d.ts (Session, ChatHistoryItem, ToolCallState), util/history.ts and
util/paths.ts.
"""

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
from vcontract.runtime.imports.transcripts.agents.documents import (
    beside,
    document_of,
    output_of,
    path_of,
    texts_of,
)
from vcontract.runtime.imports.transcripts.content import placeholder
from vcontract.runtime.imports.transcripts.files import FileState

_SESSION: Final = re.compile(
    rb'\s*\{[^{}\[\]]*"history"\s*:\s*\[\s*(?:\]|\{(?=.{0,3000}"(?:message|contextItems|editorState)"))',
    re.DOTALL,
)
_INDEX: Final = "sessions.json"


def _read(state: FileState) -> RecordedSession:
    document, rest = document_of(state.path, "history")
    about = dict(members(document))
    items = [item for _, item in objects(about.pop("history", None))]
    session = text(about.get("sessionId")) or state.path.stem
    index = objects(beside(state.path.with_name(_INDEX)))
    listed = next((each for _, each in index if each.get("sessionId") == session), None)
    began: JsonValue = members(listed).get("dateCreated")
    return RecordedSession(
        session,
        [*items, *([rest] if rest else [])],
        cwd=path_of(about.get("workspaceDirectory")),
        began=iso(float(began)) if isinstance(began, str) and began.isdigit() else iso(began),
        model=text(about.get("chatModelTitle")) or None,
        title=text(about.get("title")) or None,
        left=about,
    )


def _steps(item: JsonObject) -> Iterator[Step]:
    message = members(item.get("message"))
    own = text(message.get("id")) or None
    said = _words(message.get("content"))
    match message.get("role"):
        case "user":
            yield MessageStep("user", said, id=own)
        case "assistant":
            yield ReasoningStep(text(members(item.get("reasoning")).get("text")))
            yield MessageStep("agent", said, id=own, model=_model(item))
            yield from _calls(item, message)
        case "thinking":
            yield ReasoningStep(said)
        case "tool":
            yield ToolResultStep(text(message.get("toolCallId")), said)
        case role:
            yield NoteStep(text(role) or "message", said)


def _words(content: JsonValue) -> str:
    """Return the text, with placeholders for images."""
    if not is_array(content):
        return texts_of(content)
    parts = [
        placeholder({"type": "image"}) if part.get("type") == "imageUrl" else text(part.get("text"))
        for _, part in objects(content)
    ]
    return "\n".join(filter(None, parts))


def _model(item: JsonObject) -> str | None:
    logs = objects(item.get("promptLogs"))
    return text(logs[-1][1].get("modelTitle")) or None if logs else None


def _calls(item: JsonObject, message: JsonObject) -> Iterator[ToolCallStep]:
    states = [state for _, state in objects(item.get("toolCallStates"))]
    if is_object(item.get("toolCallState")):
        states.append(item["toolCallState"])
    for state in states:
        call = members(state.get("toolCall"))
        own = text(state.get("toolCallId")) or text(call.get("id"))
        given: JsonValue = state.get("parsedArgs")
        output: JsonValue = state.get("output")
        gave = None
        if output is not None or state.get("status") in ("errored", "canceled"):
            joined = "\n".join(text(members(each).get("content")) for each in array(output))
            gave = ToolResultStep(own, joined, state.get("status") in ("errored", "canceled"))
        yield _called(own, call, given, gave)
    if not states:
        for _, call in objects(message.get("toolCalls")):
            yield _called(text(call.get("id")), call, None, None)


def _called(own: str, call: JsonObject, given: JsonValue, gave: ToolResultStep | None) -> ToolCallStep:
    function = members(call.get("function"))
    return ToolCallStep(
        own,
        text(function.get("name")),
        given if given is not None else output_of(function.get("arguments")),
        result=gave,
    )


def _is_of(path: Path, head: bytes) -> bool:
    return _SESSION.match(head) is not None and (b'"role"' in head or b'"workspaceDirectory"' in head)


CONTINUE: Final = ConvertedProgram(
    "continue",
    "Continue",
    lambda environment: [home(environment, "CONTINUE_GLOBAL_DIR", "~/.continue") / "sessions"],
    ("*.json",),
    _is_of,
    _read,
    _steps,
)
