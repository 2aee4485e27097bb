"""Transcript of a vCon: all turns, in order of time."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.vcon.bodies import json_of_body
from vcontract.runtime.vcon.json_text import paragraph_turns
from vcontract.runtime.vcon.repetition import Runs, repeats, runs_of
from vcontract.runtime.vcon.text import Bodies
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.traces import ToolUse, tool_line, traced_exchanges
from vcontract.runtime.vcon.turns import Turn, list_of_turns, party_name

TRANSCRIPT_TYPES: Final = ("diarized", "diarised", "wtf_transcription", "transcript")
"""Analysis types with a transcript, in order of preference."""

_ADDRESSES: Final = ("name", "tel", "mailto", "email", "sip", "uuid", "id", "role")
_CARRYING: Final = ("text", "recording")
"""Dialog types with content. Other types never count as incomplete."""
_TURNS: Final = ("segments", "utterances", "messages")
_MAX_OFFSET_SECONDS: Final = 7 * 86_400
"""Larger offsets are ignored, because they are not in seconds."""
_MAX_CALLS_LENGTH: Final = 300
_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_LABELLED: Final = re.compile(r"([^\s:.!?][^:.!?\n]{0,39}):[ \t]+(?=\S)")
"""A line that begins with a speaker label."""
_RANGE: Final = re.compile(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?")

_Calls = Mapping[int, Sequence[ToolUse]]


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """One turn."""

    speaker: str | None
    words: str
    at: datetime | None = None
    seconds: float | None = None
    """Start in seconds from the beginning of the recording, if no clock time is known."""
    length: float | None = None
    """Duration in seconds."""
    is_timed: bool = True
    """Whether `at` is its own, not only the start of its recording."""
    aside: str = ""
    """Description of content that is not words, such as a recording or a file."""
    tools: tuple[ToolUse, ...] = ()
    """Tool calls that an agent made in this turn."""
    dialog: int | None = None
    """Index of the turn's dialog."""
    analysis: int | None = None
    """Index of the analysis with its words. None if the dialog has them."""
    number: int = 0
    """Index among the turns of the transcript or element, from 0."""

    @property
    def line(self) -> str:
        """`Speaker: words`. The label is omitted if the words begin with it."""
        is_named = self.speaker is None or self.words.startswith(f"{self.speaker}:")
        return self.words if is_named else f"{self.speaker}: {self.words}"

    @property
    def calls(self) -> str:
        """Its tool calls as `(calls Grep export/; Bash pytest)`, up to 300 characters; empty without any."""
        text = tool_line(self.tools)
        text = text if len(text) <= _MAX_CALLS_LENGTH else f"{text[: _MAX_CALLS_LENGTH - 1]}…"
        return f"(calls {text})" if text else ""


def read_transcript(
    vcon: JsonObject, *, with_tools: bool = False, bodies: Bodies | None = None
) -> tuple[TranscriptTurn, ...]:
    """All turns of a vCon in time order.

    A dialog with text is one turn. Other dialogs take the turns of transcripts that refer to them.
    A transcript without a reference belongs to the only dialog without text. Otherwise its turns come last.
    A dialog without any words is one empty turn. `with_tools` adds an agent's tool calls.
    `bodies` are those that were read before.
    """
    return _Reader(vcon, bodies or Bodies(), with_tools=with_tools).turns()


def analyses_of(turns: Iterable[TranscriptTurn]) -> set[int]:
    """Indices of the analyses that supplied turns."""
    return {turn.analysis for turn in turns if turn.analysis is not None}


def element_turns(
    element: JsonObject, parties: Sequence[JsonValue], bodies: Bodies | None = None
) -> tuple[TranscriptTurn, ...]:
    """Turns of an analysis or attachment. One turn if it is not a transcript."""
    said: Iterable[TranscriptTurn]
    if turns := next(_lists_of_turns(_json(element), parties), None):
        said = [_said(turn) for turn in turns if turn.words.strip()]
    elif not (words := (bodies or Bodies()).text(element, parties).strip()):
        said = [TranscriptTurn(None, "", aside=aside)] if (aside := describe_silent_element(element)) else []
    else:
        said = (
            _turns_of_text(words)
            if element.get("type") in TRANSCRIPT_TYPES
            else [TranscriptTurn(None, words)]
        )
    return tuple(replace(turn, number=number) for number, turn in enumerate(said))


def read_ranges(text: str) -> Sequence[range] | None:
    """Parse turn ranges such as `3, 10-16, 40-`, ends included. None if malformed."""
    found: list[range] = []
    for piece in text.split(","):
        match = _RANGE.fullmatch(piece)
        if match is None:
            return None
        first = int(match[1])
        last = int(match[3]) if match[3] else first if match[2] is None else 10**9
        if last < first:
            return None
        found.append(range(first, last + 1))
    return found


def speaker_label_of(parties: Sequence[JsonValue], index: int) -> str:
    """Label of a party: its name, else an address, else its role, else its number."""
    if (name := party_name(index, parties)) is not None:
        return name
    party = members(parties[index]) if index < len(parties) else {}
    addresses = (party.get(name) for name in _ADDRESSES)
    return next((one for one in addresses if isinstance(one, str) and one.strip()), f"Party {index}")


def dialogs_of(element: JsonObject) -> list[int]:
    """Indexes of the dialogs that an analysis or attachment refers to."""
    given: JsonValue = element.get("dialog")
    found = (as_index(each) for each in (given if is_array(given) else [given]))
    return [index for index in found if index is not None]


def describe_silent_element(element: JsonObject) -> str:
    """Description of an element without words: type, file, disposition, duration and location."""
    duration = _number(element.get("duration"))
    parts = [_text(element.get(name)) for name in ("type", "mediatype", "filename", "disposition")]
    parts.append("" if duration is None else f"{duration:,.0f} s")
    parts.append(_text(element.get("url")) or ("inline" if element.get("body") else ""))
    if parts[0] in _CARRYING and not parts[-1]:
        parts.append("without content")
    return ", ".join(filter(None, parts))


def is_untranscribed(turn: TranscriptTurn, dialogs: Sequence[JsonValue]) -> bool:
    """Whether a turn is a recording or file without stored words."""
    dialog = {} if turn.dialog is None else members(dialogs[turn.dialog])
    return not turn.words and (dialog.get("type") in _CARRYING or "url" in dialog)


@dataclass(frozen=True, slots=True)
class _Transcript:
    """The turns of one analysis."""

    analysis: int
    type: str
    turns: tuple[TranscriptTurn, ...]

    @property
    def words(self) -> str:
        return "\n".join(turn.words for turn in self.turns)


class _Reader:
    """Collects the turns of one vCon."""

    def __init__(self, vcon: JsonObject, bodies: Bodies, *, with_tools: bool) -> None:
        self._parties: Sequence[JsonValue] = array(vcon.get("parties"))
        self._dialogs: Sequence[JsonValue] = array(vcon.get("dialog"))
        self._text_by_dialog = {
            index: bodies.text(dialog, self._parties).strip() for index, dialog in objects(vcon.get("dialog"))
        }
        self._transcripts = [
            _Transcript(index, str(analysis["type"]), turns)
            for index, analysis in objects(vcon.get("analysis"))
            if analysis.get("type") in TRANSCRIPT_TYPES
            and (
                turns := tuple(turn for turn in element_turns(analysis, self._parties, bodies) if turn.words)
            )
        ]
        self._references = {index: dialogs_of(analysis) for index, analysis in objects(vcon.get("analysis"))}
        calls: _Calls = _calls_by_exchange(vcon) if with_tools else {}
        self._tools = _tools_by_dialog(self._dialogs, calls)

    def turns(self) -> tuple[TranscriptTurn, ...]:
        by_dialog, alone = self._by_dialog()
        timed: list[tuple[datetime, TranscriptTurn | None]] = []
        moment = datetime.min.replace(tzinfo=UTC)
        for index, dialog in enumerate(self._dialogs):
            # keep the position of an invalid or unloaded dialog
            turns = list(self._of_dialog(index, dialog, by_dialog)) if is_object(dialog) else [None]
            moment = _start_of(turns) or moment
            timed += _timed(turns, moment)
        moment = max((time for time, _ in timed), default=moment)
        for transcript in alone:
            timed += _timed(
                [replace(turn, analysis=transcript.analysis) for turn in transcript.turns], moment
            )
        timed.sort(key=lambda each: each[0])
        return tuple(
            replace(turn, number=number) for number, (_, turn) in enumerate(timed) if turn is not None
        )

    def _by_dialog(self) -> tuple[dict[int, list[_Transcript]], list[_Transcript]]:
        """Chosen transcripts by dialog, and those that belong to no dialog."""
        silent = [index for index, words in self._text_by_dialog.items() if not words]
        carrying = [index for index in silent if members(self._dialogs[index]).get("type") in _CARRYING]
        found: dict[int | None, list[_Transcript]] = {}
        for transcript in self._transcripts:
            named = [
                index for index in self._references[transcript.analysis] if index in self._text_by_dialog
            ]
            if named:
                places = [index for index in named if index in silent]
                if not places:  # its dialogs have their own text
                    continue
                found.setdefault(places[0], []).append(transcript)
            else:
                found.setdefault(carrying[0] if len(carrying) == 1 else None, []).append(transcript)
        alone = found.pop(None, [])
        by_dialog = {
            index: _without_repeats(given, Runs()) for index, given in found.items() if index is not None
        }
        if not alone:
            return by_dialog, []
        chosen = (each.words for given in by_dialog.values() for each in given)
        return by_dialog, _without_repeats(
            alone, Runs().union(*map(runs_of, (*self._text_by_dialog.values(), *chosen)))
        )

    def _of_dialog(
        self,
        index: int,
        dialog: JsonObject,
        by_dialog: Mapping[int, Sequence[_Transcript]],
    ) -> Iterator[TranscriptTurn]:
        words, start = self._text_by_dialog[index], dialog.get("start")
        whole = TranscriptTurn(
            _speaker(dialog, self._parties),
            words,
            at=read_time(start) if isinstance(start, str) else None,
            length=_number(dialog.get("duration")),
            aside="" if words else describe_silent_element(dialog),
            tools=tuple(self._tools.get(index, ())),
            dialog=index,
        )
        transcripts = by_dialog.get(index)
        if not transcripts:
            yield whole
            return
        aside = whole.aside
        for transcript in transcripts:
            for turn in transcript.turns:
                yield replace(
                    turn,
                    at=turn.at or _after(whole.at, turn.seconds),
                    is_timed=turn.at is not None or turn.seconds is not None,
                    aside=aside,
                    dialog=index,
                    analysis=transcript.analysis,
                )
                aside = ""


def _calls_by_exchange(vcon: JsonObject) -> _Calls:
    return {
        exchange.number: exchange.uses
        for _, analysis in objects(vcon.get("analysis"))
        for exchange in traced_exchanges(analysis) or ()
    }


def _tools_by_dialog(dialogs: Sequence[JsonValue], calls: _Calls) -> Mapping[int, Sequence[ToolUse]]:
    """Tool calls by the dialog that made them: the agent's last one before the call, else its next one.

    If the agent says nothing in an exchange, its calls are shown at the prompt; without that, at the dialog
    before.
    """
    found: defaultdict[int, list[ToolUse]] = defaultdict(list)
    if not calls:
        return found
    said: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
    for index, dialog in objects(dialogs):
        where = members(members(dialog.get("meta")).get("transcript"))
        exchange, lines = as_index(where.get("exchange")), array(where.get("lines"))
        if exchange is not None:
            line = as_index(lines[0]) if lines else None
            prompt = members(dialogs[said[exchange][0][1]]) if said[exchange] else dialog
            said[exchange].append((line or 0, index, dialog.get("originator") != prompt.get("originator")))
    for exchange, uses in calls.items():
        earlier = [index for number, places in said.items() if number < exchange for _, index, _ in places]
        prompt_at = said[exchange][0][1] if exchange in said else max(earlier, default=0)
        own = sorted((line, index) for line, index, is_agent in said.get(exchange, ()) if is_agent)
        for use in uses:
            before = [index for line, index in own if line <= use.line]
            found[before[-1] if before else own[0][1] if own else prompt_at].append(use)
    return found


def _without_repeats(transcripts: Sequence[_Transcript], seen: Runs) -> list[_Transcript]:
    """Transcripts of the preferred type, without repeated ones."""
    types = {transcript.type for transcript in transcripts}
    best = next(type_ for type_ in TRANSCRIPT_TYPES if type_ in types)
    seen = set(seen)
    found: list[_Transcript] = []
    for transcript in transcripts:
        if transcript.type == best and not repeats(runs := runs_of(transcript.words), seen):
            found.append(transcript)
            seen |= runs
    return found


def _start_of(turns: Sequence[TranscriptTurn | None]) -> datetime | None:
    return next((turn.at for turn in turns if turn is not None and turn.at is not None), None)


def _timed(
    turns: Sequence[TranscriptTurn | None], moment: datetime
) -> Iterator[tuple[datetime, TranscriptTurn | None]]:
    """Pair each turn with its sort time, which never decreases within a dialog."""
    for turn in turns:
        if turn is not None and turn.at is not None:
            moment = max(moment, turn.at)
        yield moment, turn


def _after(start: datetime | None, seconds: float | None) -> datetime | None:
    if start is None or seconds is None or not 0 <= seconds <= _MAX_OFFSET_SECONDS:
        return start if seconds is None else None
    try:
        return start + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _turns_of_text(text: str) -> Iterator[TranscriptTurn]:
    """Turns of a plain-text transcript: its paragraphs, or its lines if all have speaker labels."""
    blocks = [block.strip() for block in _BLANK_LINE.split(text)]
    lines = text.splitlines()
    if len(blocks) < 2 and lines and all(_LABELLED.match(line) for line in lines):
        blocks = lines
    labels = [_LABELLED.match(block) for block in blocks]
    # a paragraph may also begin with "Note:", so labels count only if most paragraphs have one
    are_labelled = 2 * sum(label is not None for label in labels) > len(blocks)
    for block, label in zip(blocks, labels, strict=True):
        if label is not None and are_labelled:
            yield TranscriptTurn(label[1].strip(), block[label.end() :].strip())
        elif block:
            yield TranscriptTurn(None, block)


def _json(element: JsonObject) -> JsonValue:
    """Parsed body, if its encoding or its first character indicates JSON."""
    body: JsonValue = element.get("body")
    if isinstance(body, str) and element.get("encoding") != "json" and body.lstrip()[:1] not in ("[", "{"):
        return None
    return json_of_body(element)


def _lists_of_turns(value: JsonValue, parties: Sequence[JsonValue]) -> Iterator[list[Turn]]:
    holders = (
        members(value),
        members(members(value).get("results")),
        members(members(value).get("transcript")),
    )
    speakers = members(members(value).get("speakers"))
    for candidate in (value, *(holder.get(name) for holder in holders for name in _TURNS)):
        if is_array(candidate) and (turns := list_of_turns(candidate, parties)):
            yield [_named(turn, speakers) for turn in turns]
    if turns := paragraph_turns(value, parties):
        yield turns


def _named(turn: Turn, speakers: JsonObject) -> Turn:
    """Replace a numbered speaker by the label in the transcript's `speakers`."""
    number = (turn.speaker or "").removeprefix("Speaker ")
    label = members(speakers.get(number)).get("label")
    return replace(turn, speaker=label) if isinstance(label, str) and label.strip() else turn


def _said(turn: Turn) -> TranscriptTurn:
    start, end = (read_time(each) if isinstance(each, str) else None for each in (turn.start, turn.end))
    seconds, last = _number(turn.start), _number(turn.end)
    length = None
    if start is not None and end is not None:
        length = (end - start).total_seconds()
    elif seconds is not None and last is not None:
        length = last - seconds
    return TranscriptTurn(turn.speaker, turn.words.strip(), start, seconds, length)


def _speaker(dialog: JsonObject, parties: Sequence[JsonValue]) -> str | None:
    """Speaker of a dialog: its originator, else its parties."""
    if (originator := as_index(dialog.get("originator"))) is not None:
        return speaker_label_of(parties, originator)
    given: JsonValue = dialog.get("parties")
    indices = [
        index for one in (given if is_array(given) else [given]) if (index := as_index(one)) is not None
    ]
    if dialog.get("type") == "text":
        indices = indices[:1]
    return ", ".join(speaker_label_of(parties, index) for index in indices) or None


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""
