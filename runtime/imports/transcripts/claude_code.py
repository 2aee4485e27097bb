"""Parse lines of Claude Code into exchanges."""

from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object, members
from vcontract.runtime.imports.transcripts.content import (
    CONTINUED,
    Command,
    Notice,
    blocks_of,
    classify_user_text,
    output_text,
    placeholder,
)
from vcontract.runtime.imports.transcripts.exchanges import Assembler
from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.model import (
    API_ERROR,
    COMPACT_SUMMARY,
    UNPARSEABLE,
    LineClock,
    LinePosition,
    ToolResult,
    TranscriptFacts,
)
from vcontract.runtime.imports.transcripts.prescan import Prescan
from vcontract.runtime.imports.transcripts.source import CLAUDE_CODE_TYPES

_SYNTHETIC: Final = "<synthetic>"
_TITLES: Final = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName"}
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")


class ClaudeCodeReader:
    """Feeds lines to an assembler and collects facts about the session."""

    def __init__(self, survey: Prescan, assembler: Assembler) -> None:
        self.facts = TranscriptFacts(session=survey.session, agent=survey.agent, cwd=survey.cwd)
        self._survey = survey
        self._assembler = assembler
        self._clock = LineClock(survey.first_time, survey.time_source)
        self._chains: dict[str, str] = {}
        self._last_chain = ""
        self._messages: set[str] = set()

    def read(self, line: Line) -> None:
        """Process one line."""
        if line.is_blank:
            return
        record = line.record()
        if record is None or not isinstance(record.get("type"), str):
            self._malformed(self._clock.place(line.number, None))
            return
        place = self._clock.place(
            line.number, record.get("timestamp"), record.get("uuid"), record.get("parentUuid")
        )
        self._note_facts(record)
        match record["type"]:
            case "user":
                self._user(place, record)
            case "assistant":
                self._assistant(place, record)
            case "system":
                self._system(place, record)
            case "attachment":
                self._attachment(place, record)
            case "queue-operation":
                self._queue_operation(place)
            case "summary":
                if text := _text(record.get("summary")):
                    self.facts.summaries.append((_text(record.get("leafUuid")) or None, text))
            case "custom-title" | "ai-title" | "agent-name" as kind:
                if title := _text(record.get(_TITLES[kind])) or _text(record.get("title")):
                    self.facts.titles[kind] = title
            case other:
                if other not in CLAUDE_CODE_TYPES:
                    self.facts.unknown_types[other] = self.facts.unknown_types.get(other, 0) + 1

    def _note_facts(self, record: JsonObject) -> None:
        self.facts.branch = _text(record.get("gitBranch")) or self.facts.branch
        self.facts.version = _text(record.get("version")) or self.facts.version
        if record["type"] in ("user", "assistant", "system", "attachment") and (
            own := _text(record.get("uuid"))
        ):
            self.facts.records.add(own)

    def _malformed(self, place: LinePosition) -> None:
        self.facts.malformed += 1
        self._assembler.event(place, UNPARSEABLE)

    def _chain(self, place: LinePosition, record: JsonObject) -> str | None:
        """Return the sidechain of a record in a main file; None for the main sequence."""
        if record.get("isSidechain") is not True or self._survey.is_sidechain:
            return None
        own = place.record or f"line {place.line}"
        parent = place.parent
        chain = own if parent is None else self._chains.get(parent, self._last_chain or own)
        self._chains[own] = self._last_chain = chain
        return chain

    def _user(self, place: LinePosition, record: JsonObject) -> None:
        message: JsonValue = record.get("message")
        content: JsonValue = members(message).get("content")
        blocks = blocks_of(content)
        if not is_object(message) or not blocks:
            self._malformed(place)
            return
        chain = self._chain(place, record)
        for block in blocks:
            if block.get("type") == "tool_result":
                self._tool_result(place, block, chain, record.get("toolUseResult"))
        texts = [block for block in blocks if block.get("type") != "tool_result"]
        if not texts:
            return
        if record.get("isMeta") is True:
            self._assembler.event(place, "meta", _joined(texts), chain)
            return
        text = _joined(texts)
        if self._is_compact_summary(record, text):
            self._assembler.event(place, COMPACT_SUMMARY, text, chain)
            return
        self._said(place, texts, chain)

    def _is_compact_summary(self, record: JsonObject, text: str) -> bool:
        if record.get("isCompactSummary") is True:
            return True
        return text.lstrip().startswith(CONTINUED) and not self._assembler.is_begun

    def _said(self, place: LinePosition, blocks: list[JsonObject], chain: str | None = None) -> None:
        """Process a user line: a prompt, a command, or a notice of the program."""
        prompts: list[str] = []
        for text in (_text_of_block(block) for block in blocks):
            match classify_user_text(text):
                case Notice(type=kind, text=notice):
                    self._assembler.event(place, kind, notice, chain)
                case Command(text=command):
                    if chain is None:
                        self._assembler.command(place, command, place.record)
                    else:
                        prompts.append(command)
                case prompt:
                    prompts += [prompt.text] if prompt.text else []
        if prompts:
            self._assembler.prompt(place, "\n".join(prompts), message_id=place.record, chain=chain)

    def _tool_result(
        self, place: LinePosition, block: JsonObject, chain: str | None, detail: JsonValue
    ) -> None:
        content: JsonValue = block.get("content")
        result = ToolResult(
            place,
            _text(block.get("tool_use_id")),
            content,
            output_text(content),
            block.get("is_error") is True,
            detail,
        )
        self._assembler.result(result, chain)

    def _assistant(self, place: LinePosition, record: JsonObject) -> None:
        message = members(record.get("message"))
        content: JsonValue = message.get("content")
        blocks = blocks_of(content)
        if not blocks and not is_array(content):
            self._malformed(place)
            return
        chain = self._chain(place, record)
        model = _text(message.get("model"))
        if record.get("isApiErrorMessage") is True or model == _SYNTHETIC:
            self._assembler.event(place, API_ERROR, _joined(blocks), chain)
            return
        message_id = _text(message.get("id")) or place.record
        if model and (message_id is None or message_id not in self._messages):
            self.facts.models[model] = self.facts.models.get(model, 0) + 1
            self._messages.add(message_id or "")
        for block in blocks:
            self._assistant_block(place, block, message_id, model or None, chain)

    def _assistant_block(
        self,
        place: LinePosition,
        block: JsonObject,
        message_id: str | None,
        model: str | None,
        chain: str | None,
    ) -> None:
        kind = _text(block.get("type"))
        if kind == "text":
            if text := _text(block.get("text")).strip():
                self._assembler.answer(place, text, message_id, model, chain)
        elif kind in ("thinking", "redacted_thinking"):
            if thought := _text(block.get("thinking")).strip():
                self._assembler.reasoning(place, thought, chain)
        elif kind in _CALLS:
            call_id = _text(block.get("id")) or f"line {place.line}"
            name = _text(block.get("name")) or "unknown"
            if server := _text(block.get("server_name")):
                name = f"mcp__{server}__{name}"
            self._assembler.call(place, call_id, name, block.get("input"), chain)
        elif kind.endswith("tool_result"):
            self._tool_result(place, block, chain, None)

    def _system(self, place: LinePosition, record: JsonObject) -> None:
        content = _text(record.get("content"))
        subtype = _text(record.get("subtype")) or "system"
        if subtype == "away_summary" and content:
            self.facts.summaries.append((None, content))
        found = classify_user_text(content) if content else None
        if isinstance(found, Command):
            self._assembler.command(place, found.text, place.record)
            return
        self._assembler.event(place, subtype, content, self._chain(place, record))

    def _attachment(self, place: LinePosition, record: JsonObject) -> None:
        attachment = members(record.get("attachment"))
        if attachment.get("type") == "queued_command" and (blocks := blocks_of(attachment.get("prompt"))):
            self._said(place, blocks, self._chain(place, record))

    def _queue_operation(self, place: LinePosition) -> None:
        kind, text = self._survey.queue.get(place.line, (None, ""))
        if kind is None:
            return
        found = classify_user_text(text)
        if isinstance(found, Notice):
            self._assembler.event(place, found.type, found.text)
        elif kind == "prompt":
            self._assembler.prompt(place, found.text)
        else:
            self._assembler.undelivered(place, found.text)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _text_of_block(block: JsonObject) -> str:
    return _text(block.get("text")) if block.get("type") == "text" else placeholder(block)


def _joined(blocks: list[JsonObject]) -> str:
    return "\n".join(text for block in blocks if (text := _text_of_block(block)))
