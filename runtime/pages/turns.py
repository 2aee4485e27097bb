"""Parts of a conversation for display: turns page by page, with related analyses."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from markupsafe import Markup, escape

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, members
from vcontract.runtime.frame.documents.plain_text import plain
from vcontract.runtime.pages.differences import Comparing
from vcontract.runtime.pages.plots import axis
from vcontract.runtime.pages.speakers import Person
from vcontract.runtime.pages.turn_timing import day_and_time, timed
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.reading import Part
from vcontract.runtime.vcon.traces import ToolUse, tool_subject
from vcontract.runtime.vcon.transcript import TRANSCRIPT_TYPES, TranscriptTurn, dialogs_of

TURNS: Final = 200
"""Turns per page of a part shown alone."""
_MAX_TURN_LENGTH: Final = 8_000
_MAX_HITS: Final = 1_000
_MAX_SEGMENTS: Final = 120
_MARK: Final = Markup("<mark>{}</mark>")
_MAX_NOTE_LENGTH: Final = 400
_MAX_LINKS: Final = 5
_MAX_MEDIA_LENGTH: Final = 8_000_000
_MEDIA: Final = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "audio/mpeg",
        "audio/mp3",
        "audio/wav",
        "audio/x-wav",
    }
    | {"audio/ogg", "audio/webm", "audio/mp4", "audio/aac", "audio/flac", "video/mp4", "video/webm"}
)
"""Media types that a browser can show or play without running code."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An analysis at a turn that it refers to, shown at the first such turn."""

    title: str
    href: str
    words: str


class ShownPart:
    """A part of a conversation for display."""

    def __init__(
        self,
        part: Part,
        item: JsonObject,
        here: str,
        firsts: Mapping[int, int],
        sought: "Sought",
        *,
        is_apart: bool = False,
    ) -> None:
        self._part = part
        self._here = here
        self._firsts = firsts
        self._sought = sought
        self._elements: Sequence[JsonValue] = array(item.get(part.name))
        self.is_dialog = part.name == "dialog"
        self.key = part.name if part.index is None else f"{part.name}-{part.index}"
        self.title = (
            part.title if part.index is None else f"{part.kind.capitalize()} {part.index}: {part.title}"
        )
        self.short_title = part.title.partition(" by ")[0].replace("_", " ")
        self.total = len(part.said)
        self.is_apart = is_apart
        """Whether its words are shown elsewhere: it is shown itself only on request."""
        self.dialogs = [] if part.index is None else dialogs_of(members(self._elements[part.index]))
        """Dialogs that it refers to."""

    def beside(self) -> Iterator[tuple[int, Beside]]:
        """Yield the turns at which this analysis is shown, if it refers to any."""
        if self._part.name != "analysis" or self._part.is_in_dialog:
            return
        said = self._part.said
        is_short = len(said) == 1 and not self._is_transcript and not self.is_apart
        words = said[0].words if is_short else ""
        href = f"{self._here}{f'?part={self.key}' if self.is_apart else ''}#{self.key}"
        cut = words if len(words) <= _MAX_NOTE_LENGTH else f"{words[: _MAX_NOTE_LENGTH - 1]}…"
        named = self.dialogs if len(self.dialogs) <= _MAX_LINKS else self.dialogs[:1]
        for place, dialog in enumerate(named):
            yield dialog, Beside(self._part.title, href, "" if place else cut)

    def page(
        self,
        first: int,
        most: int,
        beside: Mapping[int, Sequence[Beside]],
        comparing: Comparing,
    ) -> JsonObject:
        """Turns from `first` on, with links to previous and next ones; search matches are marked."""
        first = min(first, max(0, self.total - 1))
        said = self._part.said
        timing, pauses = timed(said)
        shown = [(turn, self._element(turn)) for turn in said[first : first + most]]
        turns = [_turn(turn, element, comparing) for turn, element in shown]
        return {
            "key": self.key,
            "title": self.title,
            "total": self.total,
            "caption": self._caption(),
            "dialogs": [
                (dialog, turn_address(self._here, self._firsts.get(dialog, dialog)))
                for dialog in self.dialogs[:1]
            ],
            "axis": axis(said, timing),
            "timing": timing.caption,
            "turns": [
                turn
                | _head(said[number], before)
                | {
                    "pause": pauses.get(number, ""),
                    "happened": self._happened(number),
                    "beside": beside.get(turn["number"], ()) if self.is_dialog else (),
                    "is_hit": self.is_dialog and turn["number"] in self._sought.hits,
                    "words": self._sought.marked(said[number].words[:_MAX_TURN_LENGTH]),
                }
                for number, (before, turn) in enumerate(zip((None, *turns), turns, strict=False), first)
            ],
            "ending": self._happened(self.total) if first + most >= self.total else [],
            "earlier": self._at(max(0, first - TURNS)) if first else "",
            "later": self._at(first + most) if first + most < self.total else "",
        }

    def _happened(self, place: int) -> list[tuple[str, str]]:
        """What happened before the turn at a place: time of the day, and a sentence."""
        return [
            ("" if at is None else f"{at:%H:%M:%S}", text) for at, text in self._part.between.get(place, ())
        ]

    @property
    def _is_transcript(self) -> bool:
        if self._part.name != "analysis" or self._part.index is None:
            return False
        return members(self._elements[self._part.index]).get("type") in TRANSCRIPT_TYPES

    def _caption(self) -> str:
        """Whether a transcript names its speakers."""
        if not self._is_transcript:
            return ""
        speakers = len({turn.speaker for turn in self._part.said} - {None})
        if not speakers:
            return "A transcript without speakers."
        return f"A transcript with {speakers:,} speaker{'s' * (speakers != 1)}."

    def _element(self, turn: TranscriptTurn) -> JsonObject:
        """Dialog or attachment of a turn without words."""
        index = turn.dialog if self.is_dialog else self._part.index
        if index is None or self._part.name == "analysis" or not turn.aside:
            return {}
        return members(self._elements[index])

    def _at(self, first: int) -> str:
        return f"{self._here}?part={self.key}&from={first}{self._sought.kept}#{self.key}"


class Sought:
    """Search within a conversation: its words, or turns found by a search."""

    def __init__(self, here: str, words: str, hits: Sequence[int], turns: Sequence[TranscriptTurn]) -> None:
        self._here = here
        self.words = words
        found = re.compile(re.escape(words), re.IGNORECASE) if words else None
        self._found = found
        self.hits = [turn.number for turn in turns if found.search(turn.words)][:_MAX_HITS] if found else hits
        """Turn numbers, in order."""
        marked = "".join(f"&hits={hit}" for hit in hits) if len(hits) > 1 else ""
        self.kept = f"&find={quote(words)}" if words else marked
        """URL parameters that preserve the search within the conversation."""

    def place(self, number: int) -> str:
        """URL of a turn with matches marked."""
        return f"{self._here}?at={number}{self.kept}#dialog-{number}"

    def step(self, at: int) -> JsonObject | None:
        """Position among the hits of the turn `at`, with links to the previous and next ones."""
        if at not in self.hits:
            return None
        place = self.hits.index(at)
        return {
            "caption": f"Hit {place + 1:,} of {len(self.hits):,}",
            "before": self.place(self.hits[place - 1]) if place else "",
            "after": self.place(self.hits[place + 1]) if place + 1 < len(self.hits) else "",
        }

    def marked(self, text: str) -> str:
        """Mark the words in a text."""
        if self._found is None:
            return text
        pieces: list[str] = []
        end = 0
        for match in self._found.finditer(text):
            pieces += (escape(plain(text[end : match.start()])), _MARK.format(plain(match[0])))
            end = match.end()
        return Markup("").join([*pieces, escape(plain(text[end:]))])

    def overview(self, turns: Sequence[TranscriptTurn], at: int) -> list[JsonObject]:
        """The conversation as up to 120 linked segments; `at` is the current one."""
        step = -(-len(turns) // _MAX_SEGMENTS)
        hits = {at, *self.hits}
        return [
            {
                "href": self.place(turns[first].number),
                "caption": _segment(turns[first : first + step]),
                "colour": Person.of(turns[first].speaker or "").colour if turns[first].speaker else 7,
                "is_hit": any(turn.number in hits for turn in turns[first : first + step]),
            }
            for first in range(0, len(turns) if len(turns) > 1 else 0, step or 1)
        ]


def _segment(turns: Sequence[TranscriptTurn]) -> str:
    first, last = turns[0].number, turns[-1].number
    return f"Turn {first:,}: {turns[0].speaker or ''}" if first == last else f"Turns {first:,} to {last:,}"


def turn_address(here: str, number: int, hits: Sequence[int] = ()) -> str:
    """URL of a turn in the transcript with its neighbours; all `hits` are marked."""
    marked = "".join(f"&hits={hit}" for hit in hits) if len(hits) > 1 else ""
    return f"{here}?at={number}{marked}#dialog-{number}"


def first_turns(turns: Sequence[TranscriptTurn]) -> dict[int, int]:
    """First turn number of each dialog."""
    firsts: dict[int, int] = {}
    for turn in turns:
        if turn.dialog is not None:
            firsts.setdefault(turn.dialog, turn.number)
    return firsts


def _turn(said: TranscriptTurn, element: JsonObject, comparing: Comparing) -> JsonObject:
    """Render what a turn holds. Without words or anything to play, open or unfold it is an event."""
    length = len(said.words)
    held: JsonObject = {
        "media": _media(element),
        "elsewhere": _elsewhere(element),
        "calls": [_call(use, comparing) for use in said.tools],
    }
    return held | {
        "said": said,
        "number": said.number,
        "person": Person.of(said.speaker) if said.speaker else None,
        "is_event": not said.words and not any(held.values()),
        "cut": f"The first {_MAX_TURN_LENGTH:,} of {length:,} characters."
        if length > _MAX_TURN_LENGTH
        else "",
    }


def _head(said: TranscriptTurn, before: JsonObject | None) -> JsonObject:
    """Day, time and speaker of a turn, if they differ from those of the one rendered `before`."""
    day, time = day_and_time(said)
    day_before, time_before = ("", "") if before is None else day_and_time(before["said"])
    new_day = bool(day) and day_before != day
    return {
        "goes_on": before is not None
        and not new_day
        and not before["is_event"]
        and bool(said.speaker)
        and before["said"].speaker == said.speaker,
        "day": day if new_day else "",
        "when": "" if time == time_before and not new_day else time,
    }


def _call(use: ToolUse, comparing: Comparing) -> JsonObject:
    """Render a tool call; file edits are shown as differences."""
    differences = comparing.differences(use.input)
    return {
        "head": f"{use.name} {tool_subject(use.name, use.input)}".strip(),
        "differences": differences,
        "given": "" if differences else _written(use.input),
        "answered": _written(use.output),
    }


def _written(value: JsonValue) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else dump_json(value, indent=2).decode()
    return text if len(text) <= _MAX_TURN_LENGTH else f"{text[:_MAX_TURN_LENGTH]}…"


def _media(element: JsonObject) -> str:
    """Data URL of an inline image or recording; empty for anything else."""
    mediatype, body = element.get("mediatype"), element.get("body")
    kind = mediatype.partition(";")[0].strip().lower() if isinstance(mediatype, str) else ""
    if kind not in _MEDIA or not isinstance(body, str) or not 0 < len(body) <= _MAX_MEDIA_LENGTH:
        return ""
    if element.get("encoding") != "base64url" or (data := decode_base64url(body)) is None:
        return ""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _elsewhere(element: JsonObject) -> str:
    """URL of a recording or file for the reader; nothing is fetched from it."""
    url = element.get("url")
    return url if isinstance(url, str) and url.startswith(("https://", "http://")) else ""
