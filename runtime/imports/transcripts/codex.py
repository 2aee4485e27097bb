"""Parse lines of Codex, in both of its formats, into exchanges."""

from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.imports.transcripts.content import output_text, placeholder
from vcontract.runtime.imports.transcripts.exchanges import Assembler
from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.model import (
    COMPACT_SUMMARY,
    INTERRUPTED,
    UNPARSEABLE,
    LineClock,
    LinePosition,
    ToolResult,
    TranscriptFacts,
)
from vcontract.runtime.imports.transcripts.prescan import Prescan
from vcontract.runtime.imports.transcripts.prompt_queue import (
    message_text,
    prompt_text,
    shown_text,
    typed_text,
)

_CALLS: Final = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "tool_search_call",
    "web_search_call",
)
_EVENT_RESULTS: Final = ("exec_command_end", "web_search_end", "patch_apply_end")


class CodexReader:
    """Feeds lines to an assembler and collects facts about the session."""

    def __init__(self, survey: Prescan, assembler: Assembler) -> None:
        self.facts = TranscriptFacts(session=survey.session, cwd=survey.cwd)
        self._survey = survey
        self._assembler = assembler
        self._clock = LineClock(survey.first_time, survey.time_source)
        self._model: str | None = None

    def read(self, line: Line) -> None:
        """Process one line."""
        if line.is_blank:
            return
        record = line.record()
        if record is None:
            self._malformed(self._clock.place(line.number, None))
            return
        place = self._clock.place(line.number, record.get("timestamp"))
        kind: JsonValue = record.get("type")
        payload: JsonValue = record.get("payload")
        if kind == "response_item" and is_object(payload):
            self._item(place, payload)
        elif kind == "event_msg" and is_object(payload):
            self._event(place, payload)
        elif kind == "session_meta" and is_object(payload):
            self._session(payload)
        elif kind == "turn_context":
            self._model = _text(members(payload).get("model")) or self._model
        elif kind == "compacted":
            self._assembler.event(place, COMPACT_SUMMARY, _text(members(payload).get("message")))
        elif isinstance(kind, str) and "payload" not in record:
            self._item(place, record)
        elif "type" not in record and "id" in record:
            self._session(record)
        elif not isinstance(kind, str) and "record_type" not in record:
            self._malformed(place)
        elif isinstance(kind, str):
            self.facts.unknown_types[kind] = self.facts.unknown_types.get(kind, 0) + 1

    def _malformed(self, place: LinePosition) -> None:
        self.facts.malformed += 1
        self._assembler.event(place, UNPARSEABLE)

    def _session(self, meta: JsonObject) -> None:
        git = members(meta.get("git"))
        self.facts.branch = _text(git.get("branch")) or self.facts.branch
        self.facts.commit = _text(git.get("commit_hash")) or self.facts.commit
        self.facts.version = _text(meta.get("cli_version")) or self.facts.version
        self.facts.provider = _text(meta.get("model_provider")) or self.facts.provider

    def _item(self, place: LinePosition, item: JsonObject) -> None:
        kind = _text(item.get("type"))
        if kind == "message":
            self._message(place, item)
        elif kind == "reasoning":
            thought = "\n".join(output_text(part) for part in array(item.get("summary")))
            if thought.strip():
                self._assembler.reasoning(place, thought.strip())
        elif kind in _CALLS:
            name, given = _call(kind, item)
            self._assembler.call(place, _call_id(place, item), name, given)
        elif kind.endswith("_output"):
            self._result(place, item, item.get("output"), wins=False)

    def _message(self, place: LinePosition, item: JsonObject) -> None:
        role, text = item.get("role"), message_text(item)
        if role == "assistant":
            self._answer(place, text, _text(item.get("id")) or None)
        elif role != "user":
            self._assembler.event(place, _text(role) or "message", text)
        else:
            typed = prompt_text(item)
            if typed != text:
                self._assembler.event(place, "scaffolding", text)
            images = [
                placeholder({"type": "image"})
                for block in array(item.get("content"))
                if is_object(block) and block.get("type") == "input_image"
            ]
            if said := "\n".join([*([typed] if typed else []), *images]):
                self._assembler.prompt(place, said, message_id=_text(item.get("id")) or None)

    def _answer(self, place: LinePosition, text: str, message_id: str | None) -> None:
        if text:
            if self._model:
                self.facts.models[self._model] = self.facts.models.get(self._model, 0) + 1
            self._assembler.answer(place, text, message_id, self._model)

    def _event(self, place: LinePosition, event: JsonObject) -> None:
        kind = _text(event.get("type"))
        if kind in ("user_message", "agent_message"):
            if place.line in self._survey.copies:
                return
            text = shown_text(event)
            if kind == "agent_message":
                self._answer(place, text, None)
            elif typed := typed_text(text):
                self._assembler.prompt(place, typed)
        elif kind in _EVENT_RESULTS:
            self._result(place, event, _event_output(event), wins=True)
        elif kind == "turn_aborted":
            self._assembler.event(place, INTERRUPTED)

    def _result(self, place: LinePosition, item: JsonObject, output: JsonValue, *, wins: bool) -> None:
        parsed = _parsed(output)
        text = output_text(parsed)
        result = ToolResult(place, _text(item.get("call_id")), output, text, _failed(item, parsed, text))
        self._assembler.result(result, wins=wins)


def _call_id(place: LinePosition, item: JsonObject) -> str:
    return _text(item.get("call_id")) or _text(item.get("id")) or f"line {place.line}"


def _call(kind: str, item: JsonObject) -> tuple[str, JsonValue]:
    """Name and input of a call."""
    if kind == "local_shell_call":
        return "local_shell", item.get("action")
    if kind == "web_search_call":
        return "web_search", item.get("action")
    given: JsonValue = item.get("arguments") if "arguments" in item else item.get("input")
    return _text(item.get("name")) or kind.removesuffix("_call"), _parsed(given)


def _parsed(value: JsonValue) -> JsonValue:
    """Parse a text that is a JSON object or array; return other values unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return parse_json(value)
    except MalformedJson:
        return value


def _event_output(event: JsonObject) -> JsonValue:
    for name in ("aggregated_output", "formatted_output"):
        if _text(event.get(name)):
            return event[name]
    texts = [_text(event.get(name)) for name in ("stdout", "stderr")]
    return "\n".join(text for text in texts if text) or event.get("query") or ""


def _failed(item: JsonObject, output: JsonValue, text: str) -> bool:
    """Whether the call failed, by its exit code or its status."""
    if item.get("success") is False or members(output).get("success") is False:
        return True
    metadata = members(members(output).get("metadata"))
    for code in (item.get("exit_code"), metadata.get("exit_code"), members(output).get("exit_code")):
        if isinstance(code, int):
            return code != 0
    if is_array(output):
        return False
    for mark in ("Exit code: ", "Process exited with code "):
        if mark in text[:400]:
            return not text.partition(mark)[2].lstrip().startswith("0")
    return False


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
