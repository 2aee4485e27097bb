"""Import chats as lines of text: exports of WhatsApp, and of Signal by sigexport."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, Turn
from vcontract.runtime.imports.programs.day_periods import hour_in, is_day_period
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.export_times import order_of
from vcontract.runtime.vcon.charsets import text_of

_MARKS: Final = re.compile("[\u061c\u070f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BLANK: Final = r"[ \u202f\u00a0]"
_BETWEEN: Final = rf"(?:{_BLANK}?[./‑–-]{_BLANK}?|[年月년월]{_BLANK}?|{_BLANK})"
_STAMP: Final = (
    rf"\[?(?P<a>\d{{1,4}}){_BETWEEN}(?P<b>\d{{1,2}}){_BETWEEN}(?P<c>\d{{1,4}})"
    rf"(?:{_BLANK}?(?:г\.?|日|일|p\.C\.n\.))?\.?[,،、]?{_BLANK}+(?P<before>[^\d\n:\[\]]{{1,30}}?)??"
    rf"(?P<hour>\d{{1,2}})(?:[:.٫：]|{_BLANK}?h{_BLANK}?|[^\d\n:\[\]-]{{3,9}})(?P<minute>\d{{1,2}})"
    rf"(?:(?:[:.٫：]|{_BLANK}min{_BLANK})(?P<second>\d{{1,2}})(?:{_BLANK}s\b)?)?(?P<after>[^\d\n:\[\]]{{1,30}}?)??"
)
"""The time of a message, as the phones of all countries write it."""
_LINE: Final = re.compile(
    rf"{_STAMP}(?:\] ?|{_BLANK}[-–—] |, (?=[^:\n]{{1,80}} : )|: (?(second)|(?=[^:\n]{{1,80}}: )))"
    r"(?P<rest>.*)",
    re.DOTALL,
)
_ABOUT_A_CLOCK: Final = re.compile(r"[.,\s]*(?:[^\s\d.,]{1,6}[.']?|ཆུ་ཚོད་)?[.,\s]*")
"""What stands before or after a clock beside the part of the day: `at`, `um`, `klo`, `ч.`, `Uhr`."""
_NEARLY: Final = re.compile(
    r"\[?\d{1,4}[^\w\n]{1,3}\d{1,2}[^\w\n]{1,3}\d{2,4}\b[^\n\d]{1,40}\d{1,2}[^\w\n]{0,2}[:.h٫][^\w\n]?\d{2}"
    r"[^\n]{0,40}?(?:\]|[ \u202f\u00a0][-–—]) ?[^\n:]{1,80}: "
)
"""A line that is nearly one of a chat."""
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
_IS_FILE_OR_PLACE: Final = re.compile(
    r"(?i)omitted|<[^<>]+>|https?://|weggelassen|ausgelassen|nicht enthalten|omitid[oa]|omess[oa]"
    r"|non inclus[oa]|absente?\b|omis|weggelaten|ocultad[oa]|não revelad[oa]|dahil edilmedi|опущен|пропущен"
    r"|pominięt|utelämnad|udeladt|utelatt|jätetty pois|vynechán|kihagyva|省略|忽略|생략|محذوف|לא נכלל"
    r"|\A\w{3,12}[:：] ?\n|\.(?:vcf|opus|webp|jpe?g|mp4|pdf)\b"
)
"""What iOS marks in a message of a person: a file that is left out or enclosed, a place, a poll."""
_SAID_BY_THE_PHONE: Final = re.compile(
    r"(?i)(?:this message was deleted|you deleted this message"
    r"|missed (?:group )?(?:voice|video) call(?: .*)?"
    r"|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht|verpasster (?:sprach|video)anruf"
    r"|se eliminó este mensaje|eliminaste este mensaje|(?:video)?llamada (?:de voz )?perdida"
    r"|ce message a été supprimé|vous avez supprimé ce message|appel (?:vocal|vidéo) manqué"
    r"|questo messaggio è stato eliminato|hai eliminato questo messaggio|(?:video)?chiamata (?:vocale )?persa"
    r"|dit bericht is verwijderd|gemiste (?:spraak|video)oproep"
    r"|(?:esta )?mensagem (?:foi )?apagada|chamada de (?:voz|vídeo) perdida|bu mesaj silindi"
    r"|cevapsız (?:sesli|görüntülü) arama|данное сообщение удалено|пропущенный (?:аудио|видео)звонок"
    r"|ta wiadomość została usunięta)\.?"
)
"""Notices of deleted messages and missed calls, which phones write under the name of a person."""
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
    lines = _first_lines(head)
    return _stamped(lines[0]) is not None and any(
        (found := _stamped(line)) and _SAID.match(found["rest"]) for line in lines
    )


def near_miss(head: bytes) -> str | None:
    """Return the first line of a text that seems to be a chat of WhatsApp and is not read as one."""
    line = _first_lines(head)[0]
    return line if _NEARLY.match(line) else None


def _first_lines(head: bytes) -> list[str]:
    return _MARKS.sub("", text_of(head)).lstrip().split("\n", 40)[:40]


def _stamped(line: str) -> re.Match[str] | None:
    """Match a line that begins with the time of a message."""
    found = _LINE.match(line)
    if found is None:
        return None
    return found if all(_is_about_a_clock(found[name] or "") for name in ("before", "after")) else None


def _is_about_a_clock(text: str) -> bool:
    return not text or _period_in(text) != "" or _ABOUT_A_CLOCK.fullmatch(text) is not None


def _period_in(text: str) -> str:
    """Return the part of the day in the text beside a clock, with at most one short word; else empty."""
    if is_day_period(text):
        return text
    first, _, after_first = text.strip().partition(" ")
    before_last, _, last = text.strip().rpartition(" ")
    for word, period in ((first, after_first), (last, before_last)):
        if is_day_period(period) and _ABOUT_A_CLOCK.fullmatch(word):
            return period
    return ""


def _read_chat(data: bytes, about: About) -> Iterator[Conversation]:
    text = text_of(data).replace("\r\n", "\n").replace("\r", "\n").replace(_OF_THE_PHONE, "")
    text = _MARKS.sub("", text.replace(": \u200e", f": {_OF_THE_PHONE}"))
    lines: list[_Line] = []
    for written in text.split("\n"):
        found = _stamped(written)
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
        if said is None or at is None or _is_of_the_phone(said):
            conversation.event(_notice(line, said), at)
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


def _is_of_the_phone(said: re.Match[str]) -> bool:
    """Whether the phone writes this under a person's name: a deleted message, a missed call, a change."""
    text = said["text"].replace(_OF_THE_PHONE, "").strip()
    is_marked = _is_notice(said) and not _IS_FILE_OR_PLACE.search(text)
    return is_marked or _SAID_BY_THE_PHONE.fullmatch(text) is not None


def _notice(line: _Line, said: re.Match[str] | None) -> str:
    """Return a notice in words, with the person that it is about."""
    rest = line.rest.replace(_OF_THE_PHONE, "").strip()
    if said is None or not _is_notice(said):
        return rest
    text = said["text"].replace(_OF_THE_PHONE, "").strip()
    return text if text.startswith(said["name"].strip()) else rest


def _is_notice(said: re.Match[str]) -> bool:
    return said["text"].startswith(_OF_THE_PHONE) and not _FILE.search(said["text"])


def _line_of(found: re.Match[str]) -> _Line | None:
    parts = [each for name in ("before", "after") if (each := _period_in(found[name] or ""))]
    hour = hour_in(int(found["hour"]), parts[0]) if parts else int(found["hour"])
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
