"""The text of vcon_recall: what a model reads, line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.handlers.contract.recall_packing import PageSelection, ShownLine

_MAX_PEOPLE: Final = 4
_MAX_NAME: Final = 40
_MAX_SUBJECT: Final = 80
_MAX_WORDS: Final = 3
_MAX_WORD: Final = 24
_GAP: Final = "…"
_DAY: Final = "%Y-%m-%d"
_MINUTE: Final = "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True)
class Source:
    """A conversation, or a record of another kind."""

    id: str
    """As its tools take it."""
    kind: str
    short_id: str
    at: datetime | None = None
    subject: str = ""
    people: tuple[str, ...] = ()
    hits: int = 0
    """Places better than chance."""
    is_subject_a_line: bool = False
    """Whether the subject is all that was found of it, and stands on a line of its own."""
    last_turn: int = -1
    """The largest number of a turn that is known to be there."""

    @property
    def head(self) -> str:
        """`2025-03-01 09:00 | subject | people | id`."""
        at = "" if self.at is None else self.at.strftime(_MINUTE)
        people = [_shortened(name, _MAX_NAME) for name in self.people[:_MAX_PEOPLE]]
        more = len(self.people) - len(people)
        names = ", ".join([*people, *([f"+{more}"] if more > 0 else [])])
        kind = "" if self.kind == "conversation" else self.kind
        subject = "" if self.is_subject_a_line else _shortened(self.subject, _MAX_SUBJECT)
        return " | ".join(filter(None, (at, kind, subject, names, self.short_id)))


def head_cost(source: Source) -> int:
    """The bytes that a source takes before its first line, and after its last."""
    return size(source.head) + 3 * len("\n") + size(f"{_GAP}\n")


def line_cost(line: ShownLine, number: int) -> int:
    """The most bytes that a line takes, with its day and what shows that turns are missing before it."""
    return size(line_text(line, number, None)) + len("\n") + size(f"{_GAP}\n")


def line_text(line: ShownLine, number: int, day: str | None) -> str:
    """`[3] Ann: what she said`, after its day where that is not `day`."""
    said = f"{line.speaker}: {line.text}" if line.speaker else line.text
    own = None if line.at is None else line.at.strftime(_DAY)
    when = f"({own}) " if own is not None and own != day else ""
    return f"[{number if number >= 0 else line.part}] {when}{said}"


def excerpts_text(
    chosen: PageSelection, sources: Mapping[UUID, Source], lines: Mapping[tuple[UUID, int], ShownLine]
) -> str:
    """The chosen lines under the heads of their sources."""
    blocks: list[str] = []
    for id_, numbers in chosen.by_source().items():
        source = sources[id_]
        shown = [source.head]
        day = None if source.at is None else source.at.strftime(_DAY)
        last: int | None = None
        for number in numbers:
            line = lines[id_, number]
            if last is not None and last >= 0 and number > last + 1:
                shown.append(_GAP)
            shown.append(line_text(line, number, day))
            day = line.at.strftime(_DAY) if line.at is not None else day
            last = number
        if last is not None and 0 <= last < source.last_turn:
            shown.append(_GAP)
        blocks.append("\n".join(shown))
    return "\n\n".join(blocks)


def survey_line(source: Source, line: ShownLine, number: int) -> str:
    """A conversation in one line, with its best place."""
    hits = f"{source.hits} hit{'' if source.hits == 1 else 's'}"
    return f"{source.head} | {hits} | {line_text(line, number, None)}"


def survey_text(
    chosen: PageSelection, sources: Mapping[UUID, Source], lines: Mapping[tuple[UUID, int], ShownLine]
) -> str:
    """A line for each source."""
    return "\n".join(survey_line(sources[id_], lines[id_, number], number) for id_, number in chosen.keys)


def last_line(
    answerable: str,
    *,
    matching: int,
    is_exact: bool,
    shown: int,
    never_said: Sequence[str],
    days: Sequence[str],
    cursor: str | None,
    is_list: bool = False,
    is_survey: bool = False,
    hints: Sequence[str] = (),
) -> str:
    """Whether the answer is likely there, and how to go on if it is not."""
    told = {
        "likely": "An answer is likely above.",
        "unsure": "Unsure whether this answers it.",
        "nothing_found": "Nothing found that answers it.",
    }[answerable]
    further = [*hints]
    if never_said and answerable != "likely":
        words = ", ".join(f'"{_shortened(word, _MAX_WORD)}"' for word in never_said[:_MAX_WORDS])
        further.append(f"Said nowhere: {words}.")
    if days:
        further.append(f"Preferred what was said on: {'; '.join(days)}.")
    if is_list and matching > shown and answerable == "unsure":
        more = "" if is_exact else " or more"
        further.append(f"{matching}{more} conversations match; view survey lists them.")
    if is_survey and shown and is_exact and cursor is None:
        further.append("These are all that match.")
    if cursor is not None and (is_survey or answerable != "likely"):
        further.append(f"More: cursor {cursor}.")
    for part in further:
        if size(told) + 1 + size(part) <= LAST_LINE:
            told = f"{told} {part}"
    return told


LAST_LINE: Final = 240
"""The most bytes that are kept for the last line."""


def size(text: str) -> int:
    return len(text.encode("utf-8"))


def _shortened(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"
