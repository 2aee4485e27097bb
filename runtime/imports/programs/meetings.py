"""Readers of Zoom chats and of Teams and Google Meet transcripts."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, Turn
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.export_times import date_in
from vcontract.runtime.imports.programs.non_json_files import text_of
from vcontract.runtime.imports.programs.speakers import label_of, likeness

_MAX_LINE_LENGTH: Final = 400
"""Longer lines are neither headings nor speaker lines."""
_HEADING: Final = 15
"""Number of first lines that can identify a transcript."""

# Zoom chat, saved by the app (sender, recipient, clock time) or from a cloud recording (time since its start)
_LOCAL_CHAT_LINE: Final = re.compile(
    r"(?:(?P<day>\d{4}-\d\d-\d\d)\s)?(?P<clock>\d\d:\d\d:\d\d)\s+From\s+(?P<name>\S.{0,79}?)"
    r"(?:\s+[Tt]o\s+(?P<to>\S.{0,79}?))?\s*(?P<private>\((?:Direct Message|[Pp]rivately)\))?\s*:"
    r"(?:\s(?P<text>.*))?"
)
_CLOUD_CHAT_LINE: Final = re.compile(r"(?P<clock>\d\d:\d\d:\d\d)\t\s*(?P<name>[^\t:]{1,80}):\t(?P<text>.*)")
_EVERYBODY: Final = frozenset({"everyone", "everyone in meeting", "everybody"})

# Teams writes speaker and time on a line, or, in older files, a time span and then the speaker.
_SPEAKER: Final = re.compile(r"(?P<name>\S.{0,79}?)[ \t\u00a0]{2,}+(?P<clock>(?:\d{1,2}:)?\d{1,2}:\d\d)")
_SPAN: Final = re.compile(
    r"(?P<clock>\d{1,2}:\d{1,2}:\d{1,2})\.\d{1,3}[ \t]*-->[ \t]*(?P<end>\d{1,2}:\d{1,2}:\d{1,2})\.\d{1,3}"
)
_NOTICE: Final = re.compile(r".{1,80} (?:started|stopped) transcription")
_DAY_IN_WORDS: Final = re.compile(
    r"(?P<a>\d{1,2}|[A-Z][a-z]+) (?P<b>\d{1,2}|[A-Z][a-z]+),? (?P<year>\d{4})"
    r"(?:,? (?P<hour>\d{1,2}):(?P<minute>\d\d) ?(?P<half>[AaPp])?[Mm]?)?"
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# Meet writes the speaker before each passage, and occasionally a time on its own line.
_TIME: Final = re.compile(r"(?P<clock>\d\d:\d\d:\d\d)")
_TITLE: Final = re.compile(r".{0,300}[-–—] Transcript")
_AFTER_NOTES: Final = "\N{OPEN BOOK} Transcript".encode()
_ENDED: Final = re.compile(r"(?:Meeting|Transcription) ended after \d\d:\d\d:\d\d.{0,4}")
_DISCLAIMER: Final = re.compile(r"This editable transcript was computer generated.{0,200}")
_WHEN: Final = re.compile(
    r"(?P<date>\d{4}[-/]\d\d[-/]\d\d)(?: at)? (?P<hour>\d{1,2})[: _](?P<minute>\d\d)"
    r"(?: (?:GMT|UTC)(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)?)?"
)


def _lines_of(data: bytes) -> list[str]:
    return text_of(data).split("\n")


def _first_lines(head: bytes) -> list[str]:
    """First non-blank lines. Empty for JSON, which another format handles."""
    if head.lstrip()[:1] in (b"{", b"["):
        return []
    lines = (line.strip() for line in _lines_of(head)[:200])
    return [line for line in lines if line][:60]


def _matches(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return pattern.fullmatch(line) if len(line) <= _MAX_LINE_LENGTH else None


def _conversation(data: bytes, about: About, began: datetime | None = None) -> Conversation:
    return Conversation(
        hashlib.sha256(data).hexdigest(),
        about.title,
        began=began or about.modified,
        is_date_guessed=began is None and about.is_guess,
        number="",
    )


def _seconds(clock: str) -> int:
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total


def _keep_unparsed(conversation: Conversation, name: str, lines: Sequence[str]) -> None:
    if kept := [line.strip() for line in lines if line.strip()]:
        conversation.left[name] = list(kept)


_REACTION: Final = re.compile(
    r"(?:Reacted to \"[^\"]*\" with \S{1,12}|Removed an? \S{1,12} reaction from \"[^\"]*\")"
)
"""What Zoom writes for a reaction to a message."""


def _is_zoom(head: bytes) -> bool:
    first = next(iter(_first_lines(head)), "")
    return _LOCAL_CHAT_LINE.match(first) is not None or _CLOUD_CHAT_LINE.match(first) is not None


def _read_zoom(data: bytes, about: About) -> Iterator[Conversation]:
    conversation = _conversation(data, about)
    said: list[tuple[re.Match[str], list[str]]] = []
    for line in _lines_of(data):
        found = _LOCAL_CHAT_LINE.fullmatch(line.rstrip()) or _CLOUD_CHAT_LINE.fullmatch(line)
        if found is not None:
            said.append((found, [found["text"] or ""]))
        elif said:
            said[-1][1].append(line.removeprefix("\t"))
    if said and said[0][0].groupdict().get("day"):
        conversation.is_date_guessed = False
    moments = _moments([found for found, _ in said], conversation.began or about.modified)
    for (found, lines), at in zip(said, moments, strict=True):
        named = found.groupdict()
        to = named.get("to") or ""
        name, text = found["name"].strip(), "\n".join(lines).strip()
        if _REACTION.fullmatch(text):
            conversation.event(f"{name}: {text}", at)
            continue
        turn = Turn(conversation.speaker(name), text, at)
        if named.get("private") or to.lower() not in ("", *_EVERYBODY):
            turn = Turn(turn.speaker, turn.text, at, left={"to": to}, to=(conversation.speaker(to),))
        conversation.turns.append(turn)
    yield conversation


def _moments(said: Sequence[re.Match[str]], began: datetime) -> list[datetime]:
    """Times of messages, from recording offsets or clock times. A clock that goes back starts a new day.

    Without a date, use the day the meeting began. The time zone is unknown, so use UTC.
    """
    clocks = [_seconds(found["clock"]) for found in said]
    if said and "day" not in said[0].groupdict():
        return [began + timedelta(seconds=clock) for clock in clocks]
    midnight = began.replace(hour=0, minute=0, second=0, microsecond=0)
    moments: list[datetime] = []
    before = 0
    for found, clock in zip(said, clocks, strict=True):
        if found["day"]:
            midnight = _day(found["day"]) or midnight
        elif clock < before:
            midnight += timedelta(days=1)
        before = clock
        moments.append(midnight + timedelta(seconds=clock))
    return moments


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None


def _is_teams(head: bytes) -> bool:
    lines = _first_lines(head)
    if any(_matches(_NOTICE, line) for line in lines[:_HEADING]):
        return True
    return (
        sum(_matches(_SPEAKER, line) is not None or _matches(_SPAN, line) is not None for line in lines) > 1
    )


def _read_teams(data: bytes, about: About) -> Iterator[Conversation]:
    lines = _lines_of(data)
    said: list[tuple[str, str, list[str]]] = []
    notices: list[str] = []
    heading: list[str] = []
    span: str | None = None
    for line in map(str.strip, lines):
        speaker, spans = _matches(_SPEAKER, line), _matches(_SPAN, line)
        if _matches(_NOTICE, line):
            notices.append(line)
        elif spans is not None:
            span = spans["clock"]
        elif speaker is not None:
            said.append((speaker["name"], speaker["clock"], []))
        elif span is not None and line:
            said.append((line, span, []))
            span = None
        elif said:
            said[-1][2].append(line)
        else:
            heading.append(line)
    candidates = (*heading[:_HEADING], about.title or "")
    began = next((at for read in (_day_in_words, date_in) for line in candidates if (at := read(line))), None)
    conversation = _conversation(data, about, began)
    for name, clock, texts in said:
        if text := " ".join(filter(None, texts)):
            at = (conversation.began or about.modified) + timedelta(seconds=_seconds(clock))
            conversation.turns.append(Turn(conversation.speaker(name), text, at))
    _keep_unparsed(conversation, "heading", heading)
    _keep_unparsed(conversation, "notices", notices)
    yield conversation


def _day_in_words(line: str) -> datetime | None:
    """Parse `15 June 2026, 03:35am` and `June 15, 2026, 3:35AM`, which Teams writes in UTC."""
    found = _matches(_DAY_IN_WORDS, line)
    if found is None:
        return None
    day, month = (found["a"], found["b"]) if found["a"].isdigit() else (found["b"], found["a"])
    if not day.isdigit() or month[:3].lower() not in _MONTHS:
        return None
    hour = int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    try:
        return datetime(
            int(found["year"]),
            _MONTHS.index(month[:3].lower()) + 1,
            int(day),
            hour,
            int(found["minute"] or 0),
            tzinfo=UTC,
        )
    except ValueError:
        return None


def _is_meet(head: bytes) -> bool:
    lines = _first_lines(_without_notes(head))
    says = any(_matches(_TITLE, line) or _matches(_DISCLAIMER, line) for line in lines[:_HEADING])
    listed = "Transcript" in lines[:_HEADING] and any(
        line in ("Attendees", "Invited") for line in lines[:_HEADING]
    )
    return (says or listed) and any(_named(line) for line in lines)


def _named(line: str) -> tuple[str, str] | None:
    """Name and words of a line in which somebody speaks."""
    found = label_of(line)
    return found if found and found[1] and likeness(found[0]) == 2 else None


def _without_notes(data: bytes) -> bytes:
    """Document without leading Gemini notes."""
    _notes, mark, transcript = data.partition(_AFTER_NOTES)
    return transcript if mark else data


def _read_meet(data: bytes, about: About) -> Iterator[Conversation]:
    lines = [line.strip() for line in _lines_of(_without_notes(data))]
    first = next(
        (number for number, line in enumerate(lines) if _matches(_TIME, line) or _named(line)),
        len(lines),
    )
    heading = lines[:first]
    candidates = (*heading[:_HEADING], about.title or "")
    began = next(
        (at for read in (_when, _day_in_words, date_in) for line in candidates if (at := read(line))), None
    )
    conversation = _conversation(data, about, began)
    said, notices = _said_in_meet(lines[first:], conversation.began or about.modified)
    conversation.turns += [
        Turn(conversation.speaker(name), "\n".join(texts), moment) for name, moment, texts in said
    ]
    notes, mark, _transcript = data.partition(_AFTER_NOTES)
    if mark:
        _keep_unparsed(conversation, "notes", _lines_of(notes))
    title = next((line for line in heading if _matches(_TITLE, line)), None)
    conversation.subject = title.rpartition("Transcript")[0].rstrip(" -–—") if title else conversation.subject
    _keep_unparsed(conversation, "heading", heading)
    _keep_unparsed(conversation, "notices", notices)
    yield conversation


def _said_in_meet(
    lines: Sequence[str], began: datetime
) -> tuple[list[tuple[str, datetime, list[str]]], list[str]]:
    """Speaker, time and lines of each passage, and the lines that are notices."""
    at = began
    said: list[tuple[str, datetime, list[str]]] = []
    notices: list[str] = []
    for line in lines:
        clock, named = _matches(_TIME, line), _named(line)
        if clock is not None:
            at = began + timedelta(seconds=_seconds(clock["clock"]))
        elif _matches(_ENDED, line) or _matches(_DISCLAIMER, line):
            notices.append(line)
        elif named is not None:
            said.append((named[0], at, [named[1]]))
        elif line and said:
            said[-1][2].append(line)
    return said, notices


def _when(line: str) -> datetime | None:
    """Time in a title: `Weekly sync (2024-07-18 at 16:06 GMT-7) - Transcript`."""
    found = _WHEN.search(line[:_MAX_LINE_LENGTH])
    if found is None:
        return None
    shift = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
    try:
        zone = timezone(-shift if found["sign"] == "-" else shift)
        day = datetime.fromisoformat(found["date"].replace("/", "-"))
        return day.replace(hour=int(found["hour"]), minute=int(found["minute"]), tzinfo=zone)
    except ValueError:
        return None


ZOOM = FileFormat(
    *name_and_title("zoom-chat"),
    _is_zoom,
    _read_zoom,
)
TEAMS = FileFormat(
    *name_and_title("teams"),
    _is_teams,
    _read_teams,
)
MEET = FileFormat(
    *name_and_title("meet"),
    _is_meet,
    _read_meet,
)
