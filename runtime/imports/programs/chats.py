"""Chats as lines of text: the exports of WhatsApp, and of Signal by sigexport."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, Turn
from vcontract.runtime.vcon.charsets import decoded

_MARKS: Final = re.compile("[\u200e\u200f\u202a-\u202e\ufeff]")
_STAMP: Final = (
    r"\[?(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{2,4}),? +"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_LINE: Final = re.compile(rf"{_STAMP}(?:\] ?| [-–] )(?P<rest>.*)", re.DOTALL)
_SAID: Final = re.compile(r"(?P<name>[^:\n]{1,80}?): ?(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that begins a message."""

    numbers: tuple[int, int, int]
    """Of the date, in the order in which they are written."""
    clock: tuple[int, int, int]
    rest: str


def _is_chat(head: bytes) -> bool:
    lines = _MARKS.sub("", decoded(head, "utf-8")).lstrip().split("\n", 40)[:40]
    return _LINE.match(lines[0]) is not None and any(
        (found := _LINE.match(line)) and _SAID.match(found["rest"]) for line in lines
    )


def _read_chat(data: bytes, about: About) -> Iterator[Conversation]:
    text = _MARKS.sub("", decoded(data, "utf-8")).replace("\r\n", "\n")
    lines: list[_Line] = []
    for written in text.split("\n"):
        found = _LINE.match(written)
        if found and (line := _line_of(found)) is not None:
            lines.append(line)
        elif lines:
            last = lines[-1]
            lines[-1] = _Line(last.numbers, last.clock, f"{last.rest}\n{written}")
    order = _order_of([line.numbers for line in lines])
    title = (about.title or "").removeprefix("WhatsApp Chat with ").removeprefix("WhatsApp Chat - ")
    conversation = Conversation("", title if title != "_chat" else None)
    events: list[str] = []
    for line in lines:
        at = _moment(line, order)
        said = _SAID.match(line.rest)
        if said is None or at is None:
            events.append(f"{at.isoformat() if at else ''} {line.rest.strip()}".strip())
            continue
        name = said["name"].strip()
        conversation.turns.append(Turn(conversation.speaker(name), said["text"].strip(), at))
    if events:
        conversation.left["events"] = list(events)
    # a chat that went on begins as before
    first = conversation.turns[0] if conversation.turns else None
    beginning = f"{title} {first.at} {first.speaker} {first.text}" if first else title
    conversation.id = hashlib.sha256(beginning.encode("utf-8", "surrogatepass")).hexdigest()
    yield conversation


def _line_of(found: re.Match[str]) -> _Line | None:
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    minute, second = int(found["minute"]), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    numbers = (int(found["a"]), int(found["b"]), int(found["c"]))
    return _Line(numbers, (hour, minute, second), found["rest"])


def _order_of(dates: Sequence[tuple[int, int, int]]) -> str:
    """Whether dates are written day first (`dmy`), month first (`mdy`) or year first (`ymd`).

    Phones write them as their owner's country does, and say nowhere how: a number above 12 is no month, and
    messages stand in the order of time. Where neither tells, the day is first, as in most countries.
    """
    if any(first > 31 for first, _, _ in dates):
        return "ymd"
    if any(first > 12 for first, _, _ in dates):
        return "dmy"
    if any(second > 12 for _, second, _ in dates):
        return "mdy"
    by_day = [(year, month, day) for day, month, year in dates]
    by_month = [(year, month, day) for month, day, year in dates]
    return "mdy" if by_day != sorted(by_day) and by_month == sorted(by_month) else "dmy"


def _moment(line: _Line, order: str) -> datetime | None:
    """The time, read as UTC: a phone writes its own time and no zone."""
    told = dict(zip(order, line.numbers, strict=True))
    year = told["y"] + (2000 if told["y"] < 100 else 0)
    try:
        return datetime(year, told["m"], told["d"], *line.clock, tzinfo=UTC)
    except ValueError:
        return None


CHATS = FileFormat(
    "chat",
    "WhatsApp or Signal chat",
    "WhatsApp: a chat's menu, Export chat; Signal: sigexport",
    _is_chat,
    _read_chat,
)
