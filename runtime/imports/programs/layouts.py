"""Bring texts in which name and time stand apart from the words into one layout: `[0:07] Ann Lee: text`."""

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vcontract.runtime.imports.programs.guessing_hints import ROLES, STAMP, STAMP_END
from vcontract.runtime.imports.programs.speakers import label_of, likeness

MAX_SPEAKERS: Final = 40
_MOST: Final = 0.6
"""Share of the lines that must be in a layout."""
_HALF: Final = r"(?: ?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
_TIME: Final = rf"[\[(<@]?[ \t]*{STAMP}{_HALF}{STAMP_END}[ \t]*[\])>]?"
_ALONE: Final = re.compile(rf"[ \t]*{_TIME}[ \t]*\Z")
_NAME: Final = r"(?P<name>[^\W\d_][^\[\]|\t\n]{0,60}?)"
_BEHIND: Final = re.compile(
    rf"[ \t]*{_NAME}[ \t]*(?:[:,|·•@–—-]|\bat\b)?[ \t]*{_TIME}[ \t]*[:–—-]?[ \t]*(?P<text>)\Z"
)
"""A line of a name and a time: `Ann Lee | 00:07`, `Ann Lee [10:07 AM]`, `Ann: (0:07)`."""
_BEFORE: Final = re.compile(rf"[ \t]*{_TIME}[ \t]*[:,|·•–—-]?[ \t]*{_NAME}[ \t]*:?(?P<text>)\Z")
_IN_BRACKETS: Final = re.compile(
    rf"[ \t]*\[{_NAME}(?:[ ,|@–—-]+{STAMP}{_HALF}{STAMP_END})?\]"
    r"(?:[ \t]*[\[(](?P<seconds>\d{1,6}\.\d{1,3})s?(?: ?-{1,2}>? ?\d{1,6}\.\d{1,3}s?)?[\])])?"
    r"[ \t]*:?[ \t]*(?P<text>\S.*)\Z"
)
"""`[Ann Lee] text`, `[Ann Lee 00:00:07] text`, `[SPEAKER_01] (7.00 - 9.10): text`."""
_CLOCKED: Final = re.compile(
    rf"[ \t]*[\[(]?{STAMP} ?(?P<half>[AaPp])\.?[Mm]\b\.?[\])]?[ \t]*[-–—|]?[ \t]*{_NAME}[ \t]*:"
    r"[ \t]*(?P<text>\S.*)\Z"
)
_TABBED: Final = re.compile(rf"[ \t]*(?:{_TIME}[ ]*\t)?[ ]*{_NAME}[ ]*:?[ ]*\t[ \t]*(?P<text>\S.*)\Z")


@dataclass(frozen=True, slots=True)
class _Begin:
    """How a line begins a turn."""

    name: str
    text: str
    time: re.Match[str]

    @property
    def is_clock(self) -> bool:
        """Whether its time is of a clock of 12 hours."""
        return bool(self.time.groupdict().get("half"))

    def line(self) -> str:
        groups = self.time.groupdict()
        stamp = groups.get("time") or groups.get("at")
        if seconds := groups.get("seconds"):
            stamp = f"{int(float(seconds)) // 60}:{float(seconds) % 60:05.2f}"
        if stamp and self.is_clock and groups.get("at"):
            hour, minute, second = (*stamp.split(":"), "00")[:3]
            stamp = f"{int(hour) % 12 + 12 * (groups['half'] in 'Pp'):02}:{minute}:{second}"
        return f"[{stamp}] {self.name}: {self.text}" if stamp else f"{self.name}: {self.text}"


_Layout = Mapping[int, _Begin | None]
"""The lines that begin a turn, by number; None for lines of nothing but its time."""
_NONE: Final[_Layout] = {}


def arranged(lines: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Return the lines of a text in that layout, and whether its times are of a clock of 12 hours.

    A text in none of the others stays as it is.
    """
    begins: _Layout = next((found for layout in _LAYOUTS if (found := layout(lines))), _NONE)
    shown = [
        line if number not in begins else "" if (begin := begins[number]) is None else begin.line()
        for number, line in enumerate(lines)
    ]
    return shown, any(begin is not None and begin.is_clock for begin in begins.values())


def _beside_times(lines: Sequence[str]) -> _Layout:
    """Names above or below a line of nothing but their time: on a line of their own, or before the words."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    times = {place: time for place, number in enumerate(filled) if (time := _ALONE.match(lines[number]))}
    for step in (-1, 1):
        begins: dict[int, _Begin | None] = {}
        for place, time in times.items():
            if begin := _beside(lines, filled, place, step, times):
                name, text = begin
                begins |= {filled[place]: None, filled[place + step]: _Begin(_bare(name), text, time)}
        named = {number: begin for number, begin in begins.items() if begin is not None}
        others = [number for number in filled if number not in named and _is_labelled(lines[number])]
        if len(named) >= _MOST * len(times) and _are_named(named) and not others:
            return begins
    return {}


def _beside(
    lines: Sequence[str], filled: Sequence[int], place: int, step: int, times: Container[int]
) -> tuple[str, str] | None:
    """Name and words beside a time, if something is said before the next time."""
    if not 0 <= place + step < len(filled):
        return None
    line = lines[filled[place + step]]
    label = label_of(line) if step > 0 else None
    if label and label[1].strip():
        return label
    words = place + max(step, 0) + 1
    return (label or (line, "")) if words < len(filled) and words not in times else None


def _is_labelled(line: str) -> bool:
    label = label_of(line)
    return label is not None and likeness(label[0]) > 1


def _bare(name: str) -> str:
    return name.strip(" \t*_#").rstrip(": \t")


def _at_words(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], _Layout]:
    """Names before the words of every line."""

    def layout(lines: Sequence[str]) -> _Layout:
        begins = _begins(pattern, lines)
        filled = sum(bool(line.strip()) for line in lines)
        return begins if len(begins) >= _MOST * filled and _are_named(begins) else {}

    return layout


def _above_words(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], _Layout]:
    """Names and times on a line of their own, each with words below."""

    def layout(lines: Sequence[str]) -> _Layout:
        begins = _begins(pattern, lines)
        filled = [number for number, line in enumerate(lines) if line.strip()]
        follows = dict(pairwise(filled))
        have_words = all(follows.get(number, number) not in begins for number in begins)
        return begins if have_words and _are_named(begins) else {}

    return layout


def _begins(pattern: re.Pattern[str], lines: Sequence[str]) -> dict[int, _Begin]:
    return {
        number: _Begin(_bare(found["name"]), found["text"], found)
        for number, line in enumerate(lines)
        if (found := pattern.match(line))
    }


def _are_named(begins: Mapping[int, _Begin]) -> bool:
    return _are_speakers([begin.name for begin in begins.values()])


_LAYOUTS: Final = (
    _beside_times,
    _above_words(_BEHIND),
    _above_words(_BEFORE),
    _at_words(_CLOCKED),
    _at_words(_IN_BRACKETS),
    _at_words(_TABBED),
)


def _are_speakers(names: Sequence[str]) -> bool:
    """Whether these are names of people who take turns: not many, and some of several come again."""
    counts = Counter(names)
    if len(names) < 2 or len(counts) > MAX_SPEAKERS or any(likeness(name) < 2 for name in counts):
        return False
    return len(names) < 4 or len(counts) < len(names) or all(map(ROLES.fullmatch, counts))
