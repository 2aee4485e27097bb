"""Assemble exchanges from the parsed lines of a transcript."""

from dataclasses import dataclass, field

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.imports.transcripts.model import (
    Entry,
    Event,
    Exchange,
    LinePosition,
    Message,
    Reasoning,
    Speaker,
    ToolCall,
    ToolResult,
)


@dataclass(slots=True)
class _Pending:
    """A user's command that may become a prompt, and what followed it."""

    place: LinePosition
    text: str
    message_id: str | None
    held: list[Event | Message] = field(default_factory=list[Event | Message])


class Assembler:
    """Takes prompts, answers and other entries in line order, and returns exchanges.

    `chain` identifies sidechains of a main file; None is the main sequence. `abandoned` are the lines of
    branches that were not continued.
    """

    def __init__(self, first_number: int = 1, abandoned: frozenset[int] = frozenset()) -> None:
        self._number = first_number
        self._abandoned = abandoned
        self._side_number = 0
        self._current: Exchange | None = None
        self._complete: list[Exchange] = []
        self._preamble: list[Event] = []
        self._pending: _Pending | None = None
        self._chains: dict[str, Exchange] = {}
        self._unanswered: dict[str, tuple[ToolCall, Exchange]] = {}

    @property
    def is_begun(self) -> bool:
        """Whether any part of the conversation has been seen."""
        return self._current is not None or self._number > 1 or self._pending is not None

    def take(self) -> list[Exchange]:
        """Return complete exchanges that were not returned before."""
        complete, self._complete = self._complete, []
        return complete

    def close(self) -> list[Exchange]:
        """Return the last exchanges, at the end of the file."""
        self._give_up_pending()
        self._complete_current()
        return self.take()

    def prompt(
        self, place: LinePosition, text: str, *, message_id: str | None = None, chain: str | None = None
    ) -> None:
        """Begin an exchange with a prompt from the user or the caller of a sub-agent."""
        if chain is None:
            self._give_up_pending()
        exchange = self._open(place, chain)
        self._add(exchange, Message(place, "user", text, place.line, message_id))

    def undelivered(self, place: LinePosition, text: str) -> None:
        """Add a typed but undelivered message to the current exchange."""
        message = Message(place, "user", text, place.line, undelivered=True)
        if self._pending is not None:
            self._pending.held.append(message)
        else:
            self._add(self._current or self._open(place, None), message)

    def command(self, place: LinePosition, text: str, message_id: str | None) -> None:
        """Add a user's command: a prompt if the agent answers next, else an event."""
        self._give_up_pending()
        self._pending = _Pending(place, text, message_id)

    def answer(
        self,
        place: LinePosition,
        text: str,
        message_id: str | None,
        model: str | None,
        chain: str | None = None,
    ) -> None:
        """Add text of the agent. Texts of one message are joined."""
        exchange = self._of_agent(place, chain)
        said = next(
            (
                message
                for message in exchange.messages
                if message_id is not None and message.speaker == "agent" and message.message_id == message_id
            ),
            None,
        )
        if said is None:
            speaker: Speaker = "agent"
            self._add(exchange, Message(place, speaker, text, place.line, message_id, model))
            return
        said.text = f"{said.text}\n\n{text}"
        said.last_line = place.line
        self._extend(exchange, place)

    def call(
        self, place: LinePosition, call_id: str, name: str, given: JsonValue, chain: str | None = None
    ) -> None:
        """Add a tool call."""
        exchange = self._of_agent(place, chain)
        call = ToolCall(place, call_id, name, given)
        self._unanswered[call_id] = (call, exchange)
        self._add(exchange, call)

    def result(self, result: ToolResult, chain: str | None = None, *, wins: bool = True) -> None:
        """Add a tool result, any distance after its call. Without `wins`, an existing result stays."""
        if chain is None:
            # the agent continues, so the command was not addressed to it
            self._give_up_pending()
        call, _ = self._unanswered.get(result.call_id, (None, None))
        here = self._chains.get(chain) if chain is not None else self._current
        if call is None:
            self.event(result.place, "tool-result-without-call", result.text, chain)
            return
        if call.result is None or wins:
            call.result = result
        if here is not None:
            self._extend(here, result.place)

    def reasoning(self, place: LinePosition, text: str, chain: str | None = None) -> None:
        """Add reasoning of the agent."""
        self._add(self._of_agent(place, chain), Reasoning(place, text))

    def event(self, place: LinePosition, type_: str, text: str = "", chain: str | None = None) -> None:
        """Add an event of the program. It begins no exchange."""
        event = Event(place, type_, text)
        if chain is not None and (side := self._chains.get(chain)) is not None:
            self._add(side, event)
        elif self._pending is not None:
            self._pending.held.append(event)
        elif self._current is None:
            self._preamble.append(event)
        else:
            self._add(self._current, event)

    def _of_agent(self, place: LinePosition, chain: str | None) -> Exchange:
        """Return the agent's current exchange; one without a prompt if none is open."""
        if chain is not None:
            return self._chains.get(chain) or self._open(place, chain)
        pending, self._pending = self._pending, None
        if pending is not None:
            exchange = self._open(pending.place, None)
            message = Message(pending.place, "user", pending.text, pending.place.line, pending.message_id)
            self._add(exchange, message)
            for entry in pending.held:
                self._add(exchange, entry)
            return exchange
        return self._current or self._open(place, None)

    def _open(self, place: LinePosition, chain: str | None) -> Exchange:
        if chain is not None:
            return self._open_side(place, chain)
        if self._current is not None:
            # entries on the prompt's line may belong to the previous exchange; the line does not
            self._current.line_end = max(
                self._current.line_start, min(self._current.line_end, place.line - 1)
            )
        self._complete_current()
        opened = self._new(self._number, place)
        opened.entries.extend(self._preamble)
        self._preamble.clear()
        self._current = opened
        return opened

    def _open_side(self, place: LinePosition, chain: str) -> Exchange:
        self._side_number -= 1
        opened = self._new(self._side_number, place)
        opened.sidechain = True
        self._chains[chain] = opened
        around = self._of_agent(place, None)
        around.sidechains.append(opened)
        return opened

    def _new(self, number: int, place: LinePosition) -> Exchange:
        return Exchange(number, place.line, place.line, place.at, place.at)

    def _complete_current(self) -> None:
        if self._current is not None:
            line = next((message.line for message in self._current.messages), self._current.line_start)
            for exchange in (self._current, *self._current.sidechains):
                exchange.abandoned = line in self._abandoned
            self._complete.append(self._current)
            self._number += 1
        self._current = None

    def _give_up_pending(self) -> None:
        """Convert an unanswered command to an event, followed by what came after it."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self.event(pending.place, "command", pending.text)
            for entry in pending.held:
                if isinstance(entry, Message):
                    self.undelivered(entry.place, entry.text)
                else:
                    self.event(entry.place, entry.type, entry.text)

    def _add(self, exchange: Exchange, entry: Entry) -> None:
        exchange.entries.append(entry)
        self._extend(exchange, entry.place)

    def _extend(self, exchange: Exchange, place: LinePosition) -> None:
        exchange.line_end = max(exchange.line_end, place.line)
        exchange.ended_at = max(exchange.ended_at, place.at)
        if exchange.sidechain and self._current is not None and self._pending is None:
            # a sub-agent's entries belong to the exchange that called it
            self._current.line_end = max(self._current.line_end, place.line)
