"""Convert a session to lines: a head, its records, and the rest."""

from collections.abc import Iterator

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.imports.transcripts.agents.declaration import (
    HEAD_MARK,
    ConvertedProgram,
    MessageStep,
    NoteStep,
    ReasoningStep,
    RecordedSession,
    Step,
    ToolCallStep,
    ToolResultStep,
    text,
)
from vcontract.runtime.imports.transcripts.content import output_text
from vcontract.runtime.imports.transcripts.exchanges import Assembler
from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.model import (
    UNPARSEABLE,
    LineClock,
    LinePosition,
    ToolResult,
    TranscriptFacts,
)
from vcontract.runtime.imports.transcripts.prescan import Prescan


def lines_of(agent: ConvertedProgram, kept: RecordedSession) -> Iterator[bytes]:
    """Yield the lines with newlines. Parts that change during a session come last."""
    head: JsonObject = {
        HEAD_MARK: agent.name,
        "session": kept.session,
        "cwd": kept.cwd,
        "began": kept.began,
        "agent": kept.agent,
        "model": kept.model,
    }
    yield dump_json({name: value for name, value in head.items() if value is not None}) + b"\n"
    for record in kept.records:
        yield (_one_line(record) if isinstance(record, bytes) else dump_json(record)) + b"\n"
    about: JsonObject = {"title": kept.title, "branch": kept.branch, "version": kept.version, **kept.left}
    yield dump_json({"about": {name: value for name, value in about.items() if value is not None}}) + b"\n"


def _one_line(data: bytes) -> bytes:
    return data.replace(b"\r", b" ").replace(b"\n", b" ")


class AgentReader:
    """Feeds lines to an assembler and collects facts about the session."""

    def __init__(self, agent: ConvertedProgram, survey: Prescan, assembler: Assembler) -> None:
        self.facts = TranscriptFacts(
            session=survey.session, agent=survey.agent, cwd=survey.cwd, provider=agent.provider
        )
        self._agent = agent
        self._assembler = assembler
        self._clock = LineClock(survey.first_time, survey.time_source)
        self._model: str | None = None

    def read(self, line: Line) -> None:
        """Process one line."""
        if line.is_blank:
            return
        record = line.record()
        if record is None:
            self.facts.malformed += 1
            self._assembler.event(self._clock.place(line.number, None), UNPARSEABLE)
        elif line.number == 1 and HEAD_MARK in record:
            self._model = text(record.get("model")) or None
        elif set(record) == {"about"}:
            self._about(members(record["about"]))
        else:
            for step in self._agent.steps(record):
                self._take(line.number, step)

    def _about(self, about: JsonObject) -> None:
        if title := text(about.get("title")):
            self.facts.titles["ai-title"] = title
        self.facts.branch = text(about.get("branch")) or None
        self.facts.version = text(about.get("version")) or None

    def _take(self, line: int, step: Step) -> None:
        place = self._clock.place(line, step.at, getattr(step, "id", None))
        match step:
            case MessageStep(who="user"):
                self._prompt(place, step)
            case MessageStep():
                self._answer(place, step)
            case ToolCallStep():
                self._assembler.call(place, step.id, step.name, step.input)
                if step.result is not None:
                    self._gave(self._clock.place(line, step.result.at, step.id), step.result)
            case ToolResultStep():
                self._gave(place, step)
            case ReasoningStep():
                if step.text.strip():
                    self._assembler.reasoning(place, step.text.strip())
            case NoteStep():
                self._assembler.event(place, step.type, step.text)

    def _prompt(self, place: LinePosition, said: MessageStep) -> None:
        if not said.text.strip():
            return
        if said.is_command:
            self._assembler.command(place, said.text.strip(), said.id)
        else:
            self._assembler.prompt(place, said.text.strip(), message_id=said.id)

    def _answer(self, place: LinePosition, said: MessageStep) -> None:
        if not said.text.strip():
            return
        model = said.model or self._model
        if model:
            self.facts.models[model] = self.facts.models.get(model, 0) + 1
        self._assembler.answer(place, said.text.strip(), said.id, model)

    def _gave(self, place: LinePosition, gave: ToolResultStep) -> None:
        output: JsonValue = gave.output
        self._assembler.result(ToolResult(place, gave.id, output, output_text(output), gave.is_error))
