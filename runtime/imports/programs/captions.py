"""Import captions: WebVTT, SRT, SBV, TTML, SSA, LRC (`CAPTIONS`) and YouTube's JSON (`YOUTUBE`)."""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final
from xml.parsers import expat

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json
from vcontract.runtime.frame.documents.json_values import objects
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    FileFormat,
    NotRead,
    ObjectFormat,
    Turn,
    joined_turn,
    without,
    words,
)
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.non_json_files import text_of
from vcontract.runtime.imports.programs.speakers import Speech, attributed, likeness

NOBODY: Final = "Speaker"
"""The speaker where a file names none."""


@dataclass(slots=True)
class Cue:
    """A caption: its times in seconds, and its lines."""

    begin: float
    end: float
    lines: list[Speech]
    title: str = ""
    """The identifier before its times."""


@dataclass(slots=True)
class _Captions:
    """Contents of a file of captions."""

    cues: list[Cue] = field(default_factory=list[Cue])
    title: str | None = None
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """Notes and other data beside the cues."""


# Cues as a conversation.


def add_cues(conversation: Conversation, about: About, cues: Sequence[Cue]) -> None:
    """Add the turns of cues, with lines that roll on said once and speakers decided over all of them."""
    spoken = _without_repetition(_named_by_title(cues))
    for cue, speeches in zip(spoken, attributed([cue.lines for cue in spoken]), strict=True):
        if not speeches:
            _account_for(conversation, cue)
        length = sum(len(each.text) for each in speeches)
        begin = cue.begin
        for each in speeches:
            end = begin + (cue.end - cue.begin) * len(each.text) / max(1, length)
            key = conversation.speaker(each.name or NOBODY)
            at = about.modified + timedelta(seconds=begin)
            turn = Turn(key, each.text, at, round(max(0.0, end - begin), 3))
            is_new = each.is_change and each.name is None
            joined = None if is_new else joined_turn(conversation.turns, turn, {})
            if joined is None:
                conversation.turns.append(turn)
            else:
                conversation.turns[-1] = joined
                conversation.joined()
            begin = end


def _account_for(conversation: Conversation, cue: Cue) -> None:
    """Count a cue without speech of its own."""
    if cue.lines:
        conversation.joined()  # the previous cue showed all of it
    else:
        conversation.leave_out("without words")


def _named_by_title(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Cues with the names that most of their identifiers are, if they are names and come again."""
    titles = [cue.title for cue in cues if any(line.text.strip() for line in cue.lines)]
    is_name = [not title.isdigit() and likeness(title) == 2 for title in titles]
    if len(set(titles)) * 2 > len(titles) or sum(is_name) * 10 < len(titles) * 6:
        return cues
    return [
        replace(cue, lines=[replace(line, name=line.name or cue.title) for line in cue.lines])
        if likeness(cue.title) == 2
        else cue
        for cue in cues
    ]


_MIN_REPEATED_WORDS: Final = 3
_MAX_REPEATED_WORDS: Final = 60
_TOUCHING_SECONDS: Final = 0.5


def _without_repetition(cues: Sequence[Cue]) -> list[Cue]:
    """Drop what the previous cue showed, if the captions roll on: most cues begin so."""
    shown = [" ".join(line.text for line in cue.lines).split() for cue in cues]
    pairs = [
        _repeated(one, other) if after.begin - before.end < _TOUCHING_SECONDS else 0
        for one, other, before, after in zip(shown, shown[1:], cues, cues[1:], strict=False)
    ]
    filled = sum(bool(each) for each in shown[1:])
    if sum(count > 0 for count in pairs) * 2 < max(3, filled):
        return list(cues)
    return [
        replace(cue, lines=_after(cue.lines, count)) for cue, count in zip(cues, [0, *pairs], strict=True)
    ]


def _repeated(before: Sequence[str], after: Sequence[str]) -> int:
    """Number of words at the end of a cue that the next one begins with: whole cues, or a few words."""
    most = min(len(before), len(after), _MAX_REPEATED_WORDS)
    return next(
        (
            count
            for count in range(most, 0, -1)
            if list(before[-count:]) == list(after[:count])
            and (count >= _MIN_REPEATED_WORDS or count in (len(before), len(after)))
        ),
        0,
    )


def _after(lines: Sequence[Speech], count: int) -> list[Speech]:
    """Lines without their first words."""
    found: list[Speech] = []
    for line in lines:
        said = line.text.split()
        if count:
            line = replace(line, text=" ".join(said[count:]))
            count = max(0, count - len(said))
        found.append(line)
    return found


# Files of cues.

_CLOCK: Final = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,:](\d{1,3}))?"
_CUE: Final = re.compile(rf"[ \t]*{_CLOCK}(?:[ \t]*-->[ \t]*|,(?=[\d:]+[.,]\d)){_CLOCK}")
_TAG: Final = re.compile(r"</?[^<>]*+>")
_TAG_OF_SRT: Final = re.compile(
    r"</?(?i:[ibus]|em|strong|font|c|v|ruby|rt|rp|lang|span|br|p)(?:[\s.][^<>]*+)?/?>|\{\\[^{}]*+\}"
)
_VOICE: Final = re.compile(r"<(?:(?P<end>/v)|v(?:\.[^\s<>]*+)?(?:[ \t]++(?P<name>[^<>]*+))?)>")
_REFERENCE: Final = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_PREFORMATTED: Final = re.compile(r"(?:STYLE|REGION)[ \t]*(?:\n|\Z)")
_OF_LRC: Final = re.compile(r"[ \t]*((?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\][ \t]*)+)(.*)")
_META_OF_LRC: Final = re.compile(r"\[(?P<name>[a-z#]{1,10}):(?P<value>[^\]\n]*)\][ \t]*\Z")
_WORD_OF_LRC: Final = re.compile(r"<\d{1,3}:\d{2}(?:[.:]\d{1,3})?>")
_XML_CAPTIONS: Final = re.compile(
    rb"\s*+(?:<\?xml[^>]*>\s*+)?(?:<!--.{0,2000}?-->\s*+)*"
    rb"<(?:\w+:)?(?:tt[\s>]|timedtext[\s>]|transcript>)",
    re.DOTALL,
)
_HEAD: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:WEBVTT|\[Script Info\]"
    rb"|\[(?:ti|ar|al|by|offset|la|length|re|ve):|\[\d{1,3}:\d{2}\.\d{2,3}\]"
    rb"|(?:\d+[ \t]*\r?[\r\n])?[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}"
    rb"(?:[.,:]\d{1,3}[ \t]*(?:-->|,[\d:]+[.,]\d)|[ \t]*-->[ \t]*\d))"
)


def _is_captions(head: bytes) -> bool:
    return _HEAD.match(head) is not None or _XML_CAPTIONS.match(head) is not None


def _read_captions(data: bytes, about: About) -> Iterator[Conversation]:
    text = text_of(data)
    begins = text.lstrip()
    if begins.startswith("<"):
        found = _of_xml(data if _is_utf8(data) else text.encode())
    elif begins.startswith("[Script Info]"):
        found = _of_ssa(text.split("\n"))
    elif begins.startswith("["):
        found = _of_lrc(text.split("\n"))
    else:
        found = _of_blocks(text.split("\n"), is_webvtt=begins.startswith("WEBVTT"))
    conversation = Conversation(
        hashlib.sha256(data).hexdigest(),
        found.title or about.title,
        began=about.modified,
        is_date_guessed=about.is_guess,
        left=found.left,
        number="",
    )
    add_cues(conversation, about, found.cues)
    yield conversation


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _of_blocks(lines: Sequence[str], *, is_webvtt: bool) -> _Captions:
    """WebVTT, SRT and SBV: a line of times, and the lines below it up to a blank one or the next cue."""
    found = _Captions()
    cue: Cue | None = None
    held: list[str] = []
    notes: list[str] = []
    before = ""
    lines_of_cue = _voices if is_webvtt else _plain_lines

    def close() -> None:
        if cue is not None:
            cue.lines = lines_of_cue(held)
            found.cues.append(cue)
        elif note := "\n".join(held).strip():
            notes.append(note)
        held.clear()

    for number, line in enumerate([*lines, ""]):
        begins = _CUE.match(line)
        if begins:
            # its identifier is the line before; a number of SRT may follow text without a blank line
            title = held.pop() if held and (cue is None or held[-1].strip().isdigit()) else ""
            close()
            cue = Cue(_seconds(begins, 1), _seconds(begins, 5), [], title.strip())
        elif line.strip() or (cue is not None and not held and _is_blank_of_cue(lines, number)):
            held.append(line)
        else:
            close()
            cue = None
    if is_webvtt and notes and notes[0].startswith("WEBVTT"):
        header = notes.pop(0).split("\n")
        before = header[0].removeprefix("WEBVTT").strip(" \t-–—:")
        notes = [*header[1:], *notes]
    found.title = before or None
    is_said = [any(map(str.isalpha, each)) and not _PREFORMATTED.match(each) for each in notes]
    if any(is_said):
        found.left["notes"] = [each for each, is_kept in zip(notes, is_said, strict=True) if is_kept]
    return found


def _is_blank_of_cue(lines: Sequence[str], number: int) -> bool:
    """Whether a blank line directly below the times is part of the cue, as YouTube writes it."""
    return bool(lines[number]) and number + 1 < len(lines) and bool(lines[number + 1].strip())


def _seconds(cue: re.Match[str], first: int) -> float:
    hours, minutes, seconds = (int(cue[first + place] or 0) for place in range(3))
    return hours * 3600 + minutes * 60 + seconds + float(f"0.{cue[first + 3] or 0}")


def _voices(lines: Sequence[str]) -> list[Speech]:
    """Lines of a WebVTT cue, each with the voice that its span names. Source: WebVTT, 4.2.2."""
    found: list[Speech] = []
    name: str | None = None
    for line in lines:
        place = 0
        for voice in [*_VOICE.finditer(line), None]:
            text = _decoded(_TAG.sub("", line[place : voice.start() if voice else None]))
            if text.strip():
                found.append(Speech(name, text))
            if voice is not None:
                name = None if voice["end"] else " ".join(_decoded(voice["name"] or "").split()) or None
                place = voice.end()
    return found


def _decoded(text: str) -> str:
    """Decode character references. Source: WebVTT, 4.2.2, cue text."""
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text).replace("\xa0", " ")


def _plain_lines(lines: Sequence[str]) -> list[Speech]:
    """Lines of an SRT or SBV cue. Some programs write voices of WebVTT into SRT."""
    if any(_VOICE.search(line) for line in lines):
        return _voices(lines)
    shown = (_TAG_OF_SRT.sub("", line) for whole in lines for line in whole.replace("[br]", "\n").split("\n"))
    return [Speech(None, line) for line in shown if line.strip()]


def _of_ssa(lines: Sequence[str]) -> _Captions:
    """SubStation Alpha (SSA, ASS): the lines `Dialogue:`, with the columns that `Format:` names."""
    found = _Captions()
    section, columns = "", ["layer", "start", "end", "style", "name", "", "", "", "effect", "text"]
    for line in map(str.strip, lines):
        kind, _, value = line.partition(":")
        if line.startswith("["):
            section = line.lower()
        elif section == "[script info]" and kind.lower() == "title":
            found.title = value.strip() or None
        elif section == "[events]" and kind == "Format":
            columns = [each.strip().lower() for each in value.split(",")]
        elif section == "[events]" and kind == "Dialogue":
            cells = dict(zip(columns, value.strip().split(",", len(columns) - 1), strict=False))
            name = cells.get("name", cells.get("actor", "")).strip() or None
            text = re.sub(r"\{[^{}]*+\}", "", cells.get("text", "")).replace("\\h", " ")
            shown = [Speech(name, each.strip()) for each in re.split(r"\\[Nn]", text) if each.strip()]
            begin, end = (_clock(cells.get(edge, "")) for edge in ("start", "end"))
            found.cues.append(Cue(begin, end, shown))
    found.cues.sort(key=lambda cue: cue.begin)
    return found


def _of_lrc(lines: Sequence[str]) -> _Captions:
    """LRC: each line has the time, or times, at which it begins."""
    found = _Captions()
    for line in map(str.rstrip, lines):
        if timed := _OF_LRC.fullmatch(line):
            text = [Speech(None, _WORD_OF_LRC.sub("", timed[2]).strip())]
            for clock in re.findall(r"\[([^\]]+)\]", timed[1]):
                found.cues.append(Cue(_clock(clock), _clock(clock), text))
        elif meta := _META_OF_LRC.fullmatch(line):
            found.left[meta["name"]] = meta["value"].strip()
    found.title = words(found.left.pop("ti", None)) or None
    found.cues.sort(key=lambda cue: cue.begin)
    for cue, after in zip(found.cues, found.cues[1:], strict=False):
        cue.end = after.begin
    found.cues = [cue for cue in found.cues if cue.lines[0].text]
    return found


def _clock(text: str, rate: float = 30) -> float:
    """Seconds of `h:mm:ss.cc`, `mm:ss` or `hh:mm:ss:frames`."""
    parts = text.strip().replace(",", ".").split(":")
    try:
        frames = float(parts.pop()) / rate if len(parts) > 3 else 0.0
        seconds = 0.0
        for part in parts:
            seconds = seconds * 60 + float(part)
        return seconds + frames
    except ValueError:
        return 0.0


# TTML, and the XML of YouTube.


@dataclass(slots=True)
class _XmlCaptions:
    """Collects cues of TTML (`p` with `begin`) and of YouTube (`text` or `p` with `start` or `t`)."""

    found: _Captions = field(default_factory=_Captions)
    agents: dict[str, str] = field(default_factory=dict[str, str])
    way: list[JsonObject] = field(default_factory=list[JsonObject])
    cue: Cue | None = None
    voices: list[str | None] = field(default_factory=list[str | None])
    tick: float = 0.0
    frames: float = 30.0
    is_escaped: bool = False

    def begin(self, name: str, given: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        named = {key.rpartition(":")[2]: value for key, value in given.items()}
        if len(self.way) > 50:
            raise NotRead("is XML that is nested more than 50 deep")
        self.way.append({"tag": local, "id": named.get("id", "")})
        if local == "tt":
            self.tick = float(named.get("tickRate", 0) or 0)
            self.frames = float(named.get("frameRate", 30) or 30)
        self.is_escaped |= local == "transcript"
        begins = named.get("begin", named.get("start", named.get("t")))
        if local in ("p", "text") and self.cue is None and begins is not None:
            unit = 1_000.0 if "t" in named else 1.0
            start = self._seconds(begins, unit)
            lasts = self._seconds(named.get("dur", named.get("d", "0")), unit)
            end = self._seconds(named["end"], unit) if "end" in named else start + lasts
            self.cue = Cue(start, end, [])
            self.voices = []
        if self.cue is not None:
            agent = named.get("agent")
            outer = self.voices[-1] if self.voices else None
            self.voices.append(self.agents.get(agent, agent) if agent else outer)
            if local == "br":
                self._add("\n")
            elif agent and self.cue.lines:
                self.cue.lines.append(Speech(self.voices[-1], ""))

    def _add(self, text: str) -> None:
        assert self.cue is not None
        name, lines = self.voices[-1], self.cue.lines
        for number, part in enumerate(text.split("\n")):
            if number or not lines or lines[-1].name != name:
                lines.append(Speech(name, ""))
            lines[-1] = replace(lines[-1], text=lines[-1].text + part)

    def text(self, data: str) -> None:
        if self.cue is not None:
            pretty = re.sub(r"\s*\n\s*", " ", html.unescape(data) if self.is_escaped else data)
            self._add(pretty)
        elif self.way and data.strip():
            tag = self.way[-1]["tag"]
            agent = next((str(each["id"]) for each in self.way if each["tag"] == "agent"), "")
            if tag == "name" and agent:
                self.agents[agent] = (self.agents.get(agent, "") + data).strip()
            elif tag == "title":
                self.found.title = ((self.found.title or "") + data).strip()
            elif tag not in ("style", "region"):
                self.found.left[str(tag)] = f"{self.found.left.get(str(tag), '')}{data}".strip()

    def end(self, name: str) -> None:
        self.way.pop()
        if self.cue is not None:
            self.voices.pop()
            if not self.voices:
                self.cue.lines = [each for each in self.cue.lines if each.text.strip()]
                self.found.cues.append(self.cue)
                self.cue = None

    def _seconds(self, value: str, unit: float) -> float:
        """Seconds of a time of TTML: a clock, or a number with its unit. Source: TTML2, 12.3.1."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)(h|m|s|ms|f|t)?\s*", value)
        if found is None:
            return _clock(value, self.frames)
        ticks = self.tick or self.frames
        per_second = {"h": 1 / 3600, "m": 1 / 60, "s": 1.0, "ms": 1_000.0, "f": self.frames, "t": ticks}
        return float(found[1]) / (per_second[found[2]] if found[2] else unit)


def _of_xml(data: bytes) -> _Captions:
    """TTML (DFXP) and YouTube's XML. Raises: NotRead."""
    collector = _XmlCaptions()

    def refuse(*_: object) -> None:
        raise NotRead("is XML that declares a document type, which no export does")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = collector.begin, collector.end
    parser.CharacterDataHandler = collector.text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError) as error:
        if isinstance(error, NotRead):
            raise
        if not collector.found.cues:
            raise NotRead(f"is XML that cannot be read: {error}") from None
        collector.found.left["broken_off"] = str(error)
    return collector.found


# YouTube's JSON.


def _read_youtube(document: JsonObject, about: About) -> Conversation:
    conversation = Conversation(
        hashlib.sha256(canonical_json(document)).hexdigest(),
        about.title,
        left=without(document, "events", "pens", "wsWinStyles", "wpWinPositions"),
        began=about.modified,
        is_date_guessed=about.is_guess,
        number="",
    )
    cues: list[Cue] = []
    for _, event in objects(document.get("events")):
        text = "".join(words(each.get("utf8")) for _, each in objects(event.get("segs")))
        lines = [Speech(None, line) for line in text.split("\n") if line.strip()]
        start = _number(event.get("tStartMs")) / 1_000
        if lines:
            cues.append(Cue(start, start + _number(event.get("dDurationMs")) / 1_000, lines))
    add_cues(conversation, about, cues)
    return conversation


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _is_youtube(document: JsonObject) -> bool:
    return any("segs" in event and "tStartMs" in event for _, event in objects(document.get("events"))[:40])


CAPTIONS = FileFormat(*name_and_title("captions"), _is_captions, _read_captions)
YOUTUBE = ObjectFormat(*name_and_title("youtube"), _is_youtube, _read_youtube)
