"""Read texts whose lines say who speaks: the turns, and the heading before them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.guessing_hints import FRONT, ROLES, STAMP, STAMP_END
from vcontract.runtime.imports.programs.headings import about_heading, is_described, is_title
from vcontract.runtime.imports.programs.layouts import MAX_SPEAKERS, arranged
from vcontract.runtime.imports.programs.non_json_files import text_of
from vcontract.runtime.imports.programs.speakers import interview_of, label_of, likeness

_MIN_SHARE: Final = 0.3
"""Share of the lines that must begin a turn."""
_MIN_WORDS: Final = 3
_MAX_WORDS_OF_NAME: Final = 4
_FEW: Final = 3
"""Turns in which nobody need speak again."""
_STAMPED: Final = re.compile(
    rf"[ \t]*[\[(<]?{STAMP}{STAMP_END}[\])>]?(?:[ \t]*[-–|,;])?(?:[ \t]+|(?<=[\])>])|\Z)(?P<rest>.*)"
)
_STAMPED_BEHIND: Final = re.compile(
    rf"[ \t]*(?P<name>[^\W_][^\[\]():\n]{{0,60}}?)[ \t]*[\[(]{STAMP}{STAMP_END}[\])]"
    r"[ \t]*:?[ \t]*(?P<rest>.*)"
)
_BULLET: Final = re.compile(r"[ \t]*(?:[-*>•]{1,2}[ \t]+)?")


def _stamp(group: str) -> str:
    """A pattern of a time, with groups of these names."""
    return STAMP.replace("(?P<", f"(?P<{group}_") + STAMP_END


_MARK: Final = r"(?P<mark>\*\*|__|\*(?!\*)|_(?!_))"
_MARKED_NAME: Final = r"(?P<name>[^*_\n:\[(][^*\n:]{0,79}?)[ \t]*"
_BOLD: Final = re.compile(
    rf"{_MARK}(?:[\[(]?{_stamp('in')}[\])]?[ \t]*[-–|]?[ \t]*)?{_MARKED_NAME}"
    rf"(?::[ \t]*(?P=mark)(?:[ \t]*[\[(`]{_stamp('after')}[\])`])?"
    rf"|(?P=mark)(?:[ \t]*[\[(`]?{_stamp('before')}[\])`]?)?[ \t]*:)[ \t]*"
)
"""A name with a colon in bold or italics, with a time in it or behind it: `**[00:05] Ann:**`."""
_HEAD: Final = re.compile(
    rf"(?P<mark>\#{{1,6}}[ \t]+(?:\*\*)?|\*\*)(?P<name>[^*_\n:\[(`][^*\n:\[(`]{{0,79}}?)"
    rf"(?:\*\*)?(?:[ \t]*[-–—|,·•@]?[ \t]*[\[(`]?{_stamp('by')}[\])`]?)?(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*\Z"
)
"""A line of nothing but a name, as a heading or in bold, perhaps with a time."""
_ENDED: Final = re.compile(r"[.?!…。？！]['\"”»)]*\Z")
_QUOTED: Final = re.compile(r"[ \t]*>[ \t]?")
_OF_BOLD: Final = 7
"""Level of a name in bold on a line of its own, below those of headings."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, and how it may begin a turn."""

    written: str
    name: str | None = None
    text: str = ""
    stamp: dict[str, str] | None = None
    is_bold: bool = False
    head: int = 0
    """Level of a heading that may be a name: 1 to 6, or that of a line in bold; 0 for other lines."""
    is_alone: bool = False
    """Whether there is nothing but a time and perhaps a name."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A text read as a dialogue."""

    document: JsonObject
    """`lines` with name, text and time; `heading`, `subject`, `began`, `id` and `notes`."""
    is_sure: bool
    """Whether it is certainly one."""
    is_clock: bool = False
    """Whether its times are times of day."""


def dialogue_of(data: bytes) -> Dialogue | None:
    """Read a text; None if its lines do not say who speaks."""
    unquoted = _unquoted(text_of(data).split("\n"))
    written, is_clock = arranged(unquoted)
    lines = [_line(line) for line in written]
    begins = _beginnings(lines)
    headings = _headings(lines) if begins is None else []
    starts, is_sure = begins or (headings, True)
    head = _length_of_header(lines, starts)
    starts = [number for number in starts if number >= head]
    if not starts:
        return None
    document = about_heading([line.written for line in lines[: starts[0]] if line.written.strip()])
    turns, notes = _turns(lines, starts, has_titles=bool(headings))
    document["lines"] = list[JsonValue](turns)
    if notes:
        document["notes"] = list[JsonValue](notes)
    # programs, lists of songs and changes are laid out in the same ways
    is_sure = is_sure and (written == unquoted or _are_sentences(turns))
    return Dialogue(document, is_sure, is_clock)


def _are_sentences(turns: Sequence[JsonObject]) -> bool:
    """Whether people say whole sentences, and somebody speaks again in more than a few of them."""
    ended = sum(_ENDED.search(turn["text"]) is not None for turn in turns)
    comes_again = len({turn.get("name") for turn in turns}) < len(turns)
    return ended * 2 >= len(turns) and (comes_again or len(turns) <= _FEW)


def _unquoted(lines: Sequence[str]) -> Sequence[str]:
    """Lines without the mark of quotations, if all have it."""
    filled = [line for line in lines if line.strip()]
    if filled and all(map(_QUOTED.match, filled)):
        return [_QUOTED.sub("", line, count=1) for line in lines]
    return lines


def _line(written: str) -> _Line:
    bare = written[_bullet(written) :]
    stamp: dict[str, str] | None
    if bold := _BOLD.match(bare):
        return _Line(written, bold["name"].strip(), bare[bold.end() :], _time_in(bold), is_bold=True)
    if head := _HEAD.match(written.strip()):
        mark = head["mark"].rstrip("* \t")
        return _Line(written, head["name"].strip(), "", _time_in(head), head=len(mark) or _OF_BOLD)
    if (behind := _STAMPED_BEHIND.match(bare)) and likeness(behind["name"]):
        stamp = {part: behind[part] or "" for part in ("time", "at")}
        return _Line(written, behind["name"].strip(), behind["rest"], stamp)
    stamped = _STAMPED.match(bare)
    rest = stamped["rest"] if stamped else bare
    stamp = {part: stamped[part] or "" for part in ("time", "at")} if stamped else None
    rest = rest[_bullet(rest) :] if stamped else rest
    if bold := _BOLD.match(rest):
        return _Line(written, bold["name"].strip(), rest[bold.end() :], stamp, is_bold=True)
    if found := label_of(rest):
        return _Line(written, found[0], found[1], stamp)
    if stamped and likeness(rest.strip()) == 2:
        return _Line(written, rest.strip(), "", stamp, is_alone=True)
    return _Line(written, None, rest, stamp, is_alone=not rest.strip())


def _time_in(found: re.Match[str]) -> dict[str, str] | None:
    """The time that a line has anywhere, by its kind."""
    groups = found.groupdict().items()
    stamp = {name.rpartition("_")[2]: value for name, value in groups if "_" in name and value}
    return {"time": "", "at": "", **stamp} if stamp else None


def _bullet(text: str) -> int:
    found = _BULLET.match(text)
    return found.end() if found else 0


def _beginnings(lines: Sequence[_Line]) -> tuple[list[int], bool] | None:
    """Numbers of the lines that begin a turn, and whether that is certain."""
    filled = [line for line in lines if line.written.strip() and not is_described(line.written)]
    bare = [line for line in filled if line.is_alone and line.name is None]
    stamped = sum(line.stamp is not None for line in filled if not line.head) - len(bare)
    is_stamped = stamped > 1 and stamped >= _MIN_SHARE * (len(filled) - len(bare))
    is_bold = sum(line.is_bold and bool(likeness(line.name or "")) for line in filled) > 1
    labelled = [line for line in filled if line.name and not line.head and (not is_stamped or line.stamp)]
    labelled = [line for line in labelled if line.is_bold] if is_bold else labelled
    counts = Counter(line.name for line in labelled if line.name)
    names = {name for name, count in counts.items() if likeness(name) >= (1 if count > 1 or is_bold else 2)}
    interview = interview_of(counts, len(filled))
    names |= interview
    said = [line for line in labelled if line.name in names]
    has_roles = (
        bool(interview)
        or sum(ROLES.fullmatch(line.name or "") is not None for line in said) * 2 >= len(labelled) > 0
    )
    again = [name for name in names if counts[name] > 1]
    if len(names) > MAX_SPEAKERS or len(said) < min(2, len(filled)) or not said:
        return None
    if len(said) < _MIN_SHARE * len(filled) or not (has_roles or is_stamped or is_bold or again):
        return None
    is_speech = sum(len(line.text.split()) >= _MIN_WORDS for line in said) * 2 >= len(said)
    is_sure = has_roles or is_stamped or is_bold or (len(again) > 1 and is_speech)
    kept = {id(line) for line in said}
    starts = [
        number
        for number, line in enumerate(lines)
        if id(line) in kept or (is_stamped and line.stamp and line.name is None and not line.is_alone)
    ]
    return starts, is_sure


def _headings(lines: Sequence[_Line]) -> list[int]:
    """Numbers of the headings of one level that name who speaks; none if there is no such level.

    Roles and headings with a time may have others between them. Otherwise all of the level are names, some
    come again, and no higher heading stands between them, unlike in a manual.
    """
    for level in sorted({line.head for line in lines if line.head}):
        names = [
            number
            for number, line in enumerate(lines)
            if line.head == level and likeness(line.name or "") == 2
        ]
        certain = [each for each in names if lines[each].stamp or ROLES.fullmatch(lines[each].name or "")]
        if len(certain) > 1:
            return certain
        if names and _is_talk(lines, names):
            return names
    return []


def _is_talk(lines: Sequence[_Line], names: Sequence[int]) -> bool:
    """Whether these headings take turns, and no other of their level or above stands between them."""
    counts = Counter(lines[number].name for number in names)
    level = lines[names[0]].head
    between = [each for each in range(names[0], names[-1] + 1) if 0 < _level(lines[each]) <= level]
    return (
        1 < len(counts) < len(names)
        and len(counts) <= MAX_SPEAKERS
        and all(lines[one].name != lines[two].name for one, two in pairwise(names))
        and between == names
    )


def _level(line: _Line) -> int:
    """Level of a heading, also of one that is no name."""
    return line.head or (len(line.written.split(maxsplit=1)[0]) if is_title(line.written) else 0)


def _length_of_header(lines: Sequence[_Line], starts: Sequence[int]) -> int:
    """Number of lines of a first paragraph that only describes the conversation: `Date: …`, `Agent: Ann`."""
    first = next((number for number, line in enumerate(lines) if line.written.strip()), 0)
    end = next(
        (number for number in range(first, len(lines)) if not lines[number].written.strip()), len(lines)
    )
    text = "\n".join(line.written for line in lines[first:end])
    is_header = any(re.search(each, text, re.MULTILINE) for each in FRONT.values())
    is_said = any(
        len(lines[number].text.split()) > _MAX_WORDS_OF_NAME or lines[number].text.endswith((".", "?", "!"))
        for number in starts
        if number < end
    )
    return end if is_header and not is_said and starts and starts[-1] >= end else 0


@dataclass(slots=True)
class _Turn:
    members: JsonObject
    lines: list[str] = field(default_factory=list[str])


def _turns(
    lines: Sequence[_Line], starts: Sequence[int], *, has_titles: bool
) -> tuple[list[JsonObject], list[str]]:
    """The turns, and the lines between them that nobody says. With `has_titles`, titles are said."""
    begins = set(starts)
    turns: list[_Turn] = []
    notes: list[str] = []
    above: dict[str, str] = {}
    for number, line in enumerate(lines[starts[0] :], starts[0]):
        if number in begins:
            stamp = {part: value for part, value in (line.stamp or above).items() if value}
            above = {}
            before = turns[-1].members.get("name") if turns else None
            name = line.name or before
            turns.append(_Turn({**stamp, **({"name": name} if name else {})}, [line.text]))
        elif line.stamp and line.is_alone and line.name is None:
            above = line.stamp
        elif is_described(line.written) or (is_title(line.written) and not has_titles):
            notes += [line.written.strip()] if any(map(str.isalpha, line.written)) else []
        else:
            turns[-1].lines.append(line.written)
    return [{**turn.members, "text": "\n".join(turn.lines).strip()} for turn in turns], notes
