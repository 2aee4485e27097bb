"""Import chats as lines of text: exports of WhatsApp, and of Signal by sigexport."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, Turn
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.export_times import hour_of, order_of
from vcontract.runtime.vcon.charsets import decoded

_MARKS: Final = re.compile("[\u200e\u200f\u202a-\u202e\ufeff]")
_BLANK: Final = r"[ \u202f\u00a0]"
_MORNING: Final = frozenset({"오전", "上午", "午前", "ص"})
_AFTERNOON: Final = frozenset({"오후", "下午", "午後", "م"})
_STAMP: Final = (
    r"\[?(?P<a>\d{1,4})(?:[./-] ?|년 )(?P<b>\d{1,2})(?:[./-] ?|월 )(?P<c>\d{1,4})(?:\.|일)?[,،]?"
    rf"(?:{_BLANK}(?:à|às|um|at|kl\.?|klo|ore))?{_BLANK}+(?:(?P<before>오전|오후|上午|下午|午前|午後){_BLANK}?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    rf"(?:{_BLANK}?(?:(?P<half>[AaPp])\.?{_BLANK}?[Mm]\.?|(?P<after>[صم])))?"
)
"""Timestamps of phones in English, German, Spanish, Arabic, Korean, Chinese and others."""
_LINE: Final = re.compile(rf"{_STAMP}(?:\] ?| [-–] |, (?=[^:\n]{{1,80}} : ))(?P<rest>.*)", re.DOTALL)
_SAID: Final = re.compile(r"(?P<name>[^:\n“”„«»\"]{1,80}?) ?: ?(?P<text>.*)", re.DOTALL)
_FILE: Final = re.compile(
    r"<[^<>:：]{1,30}[:：] ?([^<>/]{1,200}\.\w{2,5})>|\A([^\s/][^\n/]{0,200}\.\w{2,5}) \([^()\n]{3,40}\)\Z"
)
"""An attached file in a message: iOS names it beside the caption, Android in the text."""
_EDITED: Final = re.compile(
    r"\s*<(?:This message was edited|Diese Nachricht wurde bearbeitet|Se editó este mensaje|Mensagem editada"
    r"|Ce message a été modifié|Questo messaggio è stato modificato|Dit bericht is bewerkt)\.?>\Z"
)
_TITLE: Final = re.compile(
    r"\A(?:WhatsApp Chat (?:with|mit|-)|Chat de WhatsApp con|Chat WhatsApp con|Conversa do WhatsApp com"
    r"|Discussion WhatsApp avec|WhatsApp-chat met) "
)
"""Prefix of a chat's name in the file name."""
_OF_THE_PHONE: Final = "\x00"
"""Internal replacement for the mark before notices of the phone."""
_FIRST_BUDDHIST_YEAR: Final = 2400
_BUDDHIST_ERA: Final = 543


@dataclass(frozen=True, slots=True)
class _Line:
    """First line of a message."""

    numbers: tuple[int, int, int]
    """Numbers of the date, in written order."""
    clock: tuple[int, int, int]
    rest: str


def _is_chat(head: bytes) -> bool:
    lines = _MARKS.sub("", decoded(head, "utf-8")).lstrip().split("\n", 40)[:40]
    return _LINE.match(lines[0]) is not None and any(
        (found := _LINE.match(line)) and _SAID.match(found["rest"]) for line in lines
    )


def _read_chat(data: bytes, about: About) -> Iterator[Conversation]:
    text = decoded(data, "utf-8").replace("\r\n", "\n").replace(_OF_THE_PHONE, "")
    text = _MARKS.sub("", text.replace(": \u200e", f": {_OF_THE_PHONE}"))
    lines: list[_Line] = []
    for written in text.split("\n"):
        found = _LINE.match(written)
        if found and (line := _line_of(found)) is not None:
            lines.append(line)
        elif lines:
            last = lines[-1]
            lines[-1] = _Line(last.numbers, last.clock, f"{last.rest}\n{written}")
    order = order_of([line.numbers for line in lines])
    title = _TITLE.sub("", about.title or "")
    conversation = Conversation("", title if title != "_chat" else None)
    for line, said in _distinct_names(lines):
        at = _moment(line, order)
        if said is None or at is None:
            rest = line.rest.replace(_OF_THE_PHONE, "").strip()
            conversation.event(rest, at)
            continue
        name = said["name"].strip().removeprefix("~").strip()
        text = said["text"].replace(_OF_THE_PHONE, "").strip()
        new = _EDITED.sub("", text)
        left: JsonObject = {"edited": True} if new != text else {}
        conversation.turns.append(Turn(conversation.speaker(name), new, at, left=left))
        if file := _FILE.search(new.partition("\n")[0]):
            conversation.enclose({"name": file[1] or file[2]}, file[1] or file[2])
    # a continued chat begins as before
    first = conversation.turns[0] if conversation.turns else None
    beginning = f"{title} {first.at} {first.speaker} {first.text}" if first else title
    conversation.id = hashlib.sha256(beginning.encode("utf-8", "surrogatepass")).hexdigest()
    yield conversation


def _distinct_names(lines: Sequence[_Line]) -> Iterator[tuple[_Line, re.Match[str] | None]]:
    """Pair each line with the speaker's message; None for a notice of the phone.

    iOS begins a chat with a notice under the name of the other person or the group. A group's name occurs
    only before notices.
    """
    said = [_SAID.match(line.rest) for line in lines]
    first = said[0] if said else None
    chat = first["name"] if first is not None and _is_notice(first) else None
    is_group = all(_is_notice(each) for each in said if each is not None and each["name"] == chat)
    for number, (line, each) in enumerate(zip(lines, said, strict=True)):
        is_of_chat = each is not None and each["name"] == chat and (is_group or number == 0)
        yield line, None if is_of_chat else each


def _is_notice(said: re.Match[str]) -> bool:
    return said["text"].startswith(_OF_THE_PHONE) and not _FILE.search(said["text"])


def _line_of(found: re.Match[str]) -> _Line | None:
    marker = found["before"] or found["after"]
    half = "A" if marker in _MORNING else "P" if marker in _AFTERNOON else found["half"]
    hour = hour_of(int(found["hour"]), half)
    minute, second = int(found["minute"]), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    numbers = (int(found["a"]), int(found["b"]), int(found["c"]))
    return _Line(numbers, (hour, minute, second), found["rest"])


def _moment(line: _Line, order: str) -> datetime | None:
    """Return the time, read as UTC because phones write local time without a zone."""
    parts = dict(zip(order, line.numbers, strict=True))
    year = parts["y"] + (2000 if parts["y"] < 100 else 0)
    year -= _BUDDHIST_ERA if year >= _FIRST_BUDDHIST_YEAR else 0
    try:
        return datetime(year, parts["m"], parts["d"], *line.clock, tzinfo=UTC)
    except ValueError:
        return None


CHATS = FileFormat(
    *name_and_title("chat"),
    _is_chat,
    _read_chat,
    overlaps=True,
)
