"""Build the vCon of an agent session, with the agent_session extension."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.imports.transcripts.agents.agent_registry import title_of
from vcontract.runtime.imports.transcripts.content import output_text, without_bulk
from vcontract.runtime.imports.transcripts.edits import FileChange, changes_of
from vcontract.runtime.imports.transcripts.identity import exchange_id, relative_to
from vcontract.runtime.imports.transcripts.model import (
    Entry,
    Event,
    Exchange,
    LinePosition,
    Message,
    Reasoning,
    Session,
    ToolCall,
    ToolResult,
    TranscriptFacts,
)
from vcontract.runtime.store.transcripts.rows import ExchangeRow, FileRow
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.traces import ABANDONED, TRACE_TYPE
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES

SCHEMA: Final = "https://datatracker.ietf.org/doc/draft-birkholz-verifiable-agent-conversations/"
FILE_CHANGE: Final = "agent_file_change"

_USER, _AGENT, _SUBAGENT = 0, 1, 2
_MAX_RESULT_LENGTH: Final = 65_536
_RESULT_LIMITS: Final = (_MAX_RESULT_LENGTH, 4_096, 256, 0)
"""Limits for a tool result's length, tried in order until the vCon fits."""
_RESERVED_BYTES: Final = 1_000_000
"""Bytes reserved below the maximum vCon size for tags and other later additions."""


@dataclass(frozen=True, slots=True)
class BuiltVcon:
    """The vCon of a transcript, with its exchange and file rows."""

    document: JsonObject
    exchanges: tuple[ExchangeRow, ...]
    files: tuple[FileRow, ...]


def build_vcon(session: Session, subject: str, now: datetime) -> BuiltVcon:
    """Build the vCon of a session with at least one exchange."""
    for most in _RESULT_LIMITS:
        built = _Builder(session, most).build(subject, now)
        if most == 0 or len(dump_json(built.document)) < MAX_VCON_BYTES - _RESERVED_BYTES:
            return built
    raise AssertionError("unreachable")


class _Builder:
    def __init__(self, session: Session, max_result_length: int) -> None:
        self._session = session
        self._most = max_result_length
        self._has_subagents = any(exchange.sidechains for exchange in session.exchanges)
        self._dialog: list[JsonObject] = []
        self._entries: list[JsonObject] = []
        self._attachments: list[JsonObject] = []
        self._exchanges: list[ExchangeRow] = []
        self._files: list[FileRow] = []

    def build(self, subject: str, now: datetime) -> BuiltVcon:
        for exchange in self._session.all_exchanges:
            self._add(exchange)
        document: JsonObject = {
            "vcon": WRITTEN_VERSION,
            "uuid": str(self._session.uuid),
            "created_at": format_time(self._session.started_at),
            "updated_at": format_time(now),
            "subject": subject,
            "extensions": ["agent_session"],
            "parties": self._parties(),
            "dialog": self._dialog,
            "analysis": [self._trace()],
            "attachments": self._attachments,
        }
        return BuiltVcon(document, tuple(self._exchanges), tuple(self._files))

    def _parties(self) -> list[JsonObject]:
        name = title_of(self._session.harness)
        caller: JsonObject = {"name": "user", "type": "person", "role": "user"}
        if self._session.is_sidechain:
            caller = {"name": name, "type": "bot", "role": "agent"}
            name = f"{name} sub-agent"
        parties = [caller, self._agent(name)]
        return [*parties, self._agent(f"{name} sub-agent")] if self._has_subagents else parties

    def _agent(self, name: str) -> JsonObject:
        facts = self._session.facts
        recorder = "/".join(part for part in (self._session.harness, facts.version) if part)
        environment = {"cwd": facts.cwd, "vcs_branch": facts.branch, "vcs_commit": facts.commit}
        about: JsonObject = {
            "model_id": self._session.model,
            "provider": self._session.provider,
            "recording_agent": recorder,
            "environment": {key: value for key, value in environment.items() if value},
        }
        return {"name": name, "type": "bot", "role": "agent", "meta": {"agent_session": about}}

    def _add(self, exchange: Exchange) -> None:
        first = len(self._dialog)
        start = len(self._entries)
        for entry in exchange.entries:
            self._entries.extend(self._entry(exchange, entry))
        self._entries[start:] = sorted(self._entries[start:], key=lambda entry: entry["line"])
        self._exchanges.append(
            ExchangeRow(
                exchange_id(self._session.uuid, exchange.number),
                exchange.number,
                exchange.line_start,
                exchange.line_end,
                first,
                len(self._dialog),
                exchange.started_at,
                exchange.ended_at,
                exchange.sidechain or self._session.is_sidechain,
            )
        )
        for change in () if exchange.abandoned else changes_of(exchange.calls):
            self._add_change(exchange, change, first)

    def _entry(self, exchange: Exchange, entry: Entry) -> Iterator[JsonObject]:
        about = _common_members(entry.place, exchange)
        match entry:
            case Message():
                kind = "user" if entry.speaker == "user" else "assistant"
                if exchange.abandoned:
                    yield {"type": kind, "content": entry.text, **about}
                    return
                self._dialog.append(self._turn(exchange, entry))
                yield {"type": kind, "dialog": len(self._dialog) - 1, **about}
            case ToolCall():
                called: JsonObject = {"name": entry.name, "input": without_bulk(entry.input)}
                yield {"type": "tool-call", **called, "call-id": entry.call_id, **about}
                if entry.result is not None:
                    yield self._result(entry.result, exchange)
            case Reasoning():
                yield {"type": "reasoning", "content": entry.text, **about}
            case Event():
                data = {"data": {"text": entry.text[:_MAX_RESULT_LENGTH]}} if entry.text else {}
                yield {"type": "system-event", "event-type": entry.type, **data, **about}

    def _result(self, result: ToolResult, exchange: Exchange) -> JsonObject:
        output = without_bulk(result.output)
        text = output if isinstance(output, str) else dump_json(output).decode()
        cut: JsonObject = {}
        if len(text) > self._most:
            whole = output_text(output)
            output = whole[: self._most]
            cut = {"truncated": {"kept": len(output), "of": len(whole)}}
        return {
            "type": "tool-result",
            "output": output,
            **cut,
            "call-id": result.call_id,
            "is-error": result.is_error,
            **_common_members(result.place, exchange),
        }

    def _turn(self, exchange: Exchange, message: Message) -> JsonObject:
        agent = _SUBAGENT if exchange.sidechain else _AGENT
        other = _AGENT if exchange.sidechain else _USER
        speaker, listener = (other, agent) if message.speaker == "user" else (agent, other)
        place = message.place
        where: JsonObject = {"lines": [message.line, message.last_line], "exchange": exchange.number}
        if exchange.sidechain:
            where["sidechain"] = True
        if place.time_source is not None:
            where["time_source"] = place.time_source
        if message.undelivered:
            where["undelivered"] = True
        return {
            "type": "text",
            "start": format_time(message.at),
            "parties": [speaker, listener],
            "originator": speaker,
            "mediatype": "text/plain" if message.speaker == "user" else "text/markdown",
            "encoding": "none",
            "body": message.text,
            "message_id": message.message_id or place.record or f"{self._session.session}:{message.line}",
            "application": self._session.harness,
            "meta": {"transcript": where},
        }

    def _add_change(self, exchange: Exchange, change: FileChange, first: int) -> None:
        dialog = self._dialog_of(change, first)
        relative = relative_to(change.path, self._session.facts.cwd)
        self._files.append(FileRow(exchange.number, change.path, relative, change.operation, change.edits))
        if dialog is None:
            return
        call = next(call for call in exchange.calls if call.call_id == change.calls[0])
        body: JsonObject = {"path": change.path}
        if relative is not None:
            body["relative_path"] = relative
        if change.previous_path is not None:
            body["previous_path"] = change.previous_path
        body |= {"contributor": "agent", "operation": change.operation, "edits": change.edits}
        if change.line_range is not None:
            body["line_range"] = {"start": change.line_range[0], "end": change.line_range[1]}
        if change.content_hash is not None:
            body["content_hash"] = change.content_hash
        self._attachments.append(
            {
                "purpose": FILE_CHANGE,
                "start": format_time(call.at),
                "party": _SUBAGENT if exchange.sidechain else _AGENT,
                "dialog": dialog,
                "mediatype": "application/json",
                "encoding": "json",
                "body": {**body, "calls": change.calls},
                "meta": {"transcript": {"exchange": exchange.number}},
            }
        )

    def _dialog_of(self, change: FileChange, first: int) -> int | None:
        """Dialog of a file change: the agent's last message before it, else its next message.

        Otherwise the exchange's prompt, else the previous exchange's last dialog.
        """
        indexes = range(first, len(self._dialog))
        spoken = [index for index in indexes if self._dialog[index]["mediatype"] == "text/markdown"]
        before = [i for i in spoken if self._dialog[i]["meta"]["transcript"]["lines"][0] <= change.line]
        for candidates in (before[-1:], spoken, indexes):
            if candidates:
                return candidates[0]
        return first - 1 if first else None

    def _trace(self) -> JsonObject:
        session, facts = self._session, self._session.facts
        agent: JsonObject = {
            "model-id": session.model,
            "model-provider": session.provider,
            "models": list(facts.models),
            "cli-name": session.harness,
        }
        if facts.version:
            agent["cli-version"] = facts.version
        return {
            "type": TRACE_TYPE,
            "dialog": list(range(len(self._dialog))),
            "vendor": session.provider,
            "product": session.model,
            "schema": SCHEMA,
            "mediatype": "application/json",
            "encoding": "json",
            "body": {
                "version": "1.0",
                "id": str(session.uuid),
                "recording-agent": {"name": "vcontract", "version": metadata.version("vcontract")},
                "session": {
                    "session-id": session.session,
                    "session-start": format_time(self._session.started_at),
                    "session-end": format_time(self._session.ended_at),
                    "agent-meta": agent,
                    "environment": _environment(facts),
                    "entries": self._entries,
                },
            },
        }


def _environment(facts: TranscriptFacts) -> JsonObject:
    environment: JsonObject = {}
    if facts.cwd:
        environment["working-dir"] = facts.cwd
    if facts.branch:
        environment["vcs"] = {"type": "git", "branch": facts.branch}
        if facts.commit:
            environment["vcs"]["revision"] = facts.commit
    return environment


def _common_members(place: LinePosition, exchange: Exchange) -> JsonObject:
    known: Iterable[tuple[str, str | None]] = (("id", place.record), ("parent-id", place.parent))
    return {
        **{name: value for name, value in known if value is not None},
        "timestamp": format_time(place.at),
        "line": place.line,
        "exchange": exchange.number,
        **({ABANDONED: True} if exchange.abandoned else {}),
    }
