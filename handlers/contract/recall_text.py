"""Format the text of vcon_recall for the model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.handlers.contract.recall_packing import PageSelection, RecallHit, ShownLine
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.ranges import written_ranges
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO

_MAX_PEOPLE: Final = 4
_MAX_NAME: Final = 40
_MAX_SUBJECT: Final = 80
_MAX_WORDS: Final = 3
_MAX_WORD: Final = 24
_MAX_TURNS: Final = 8
"""Maximum turns of a conversation that a survey names."""
_SEVERAL: Final = 2
_GAP: Final = "…"
_DAY: Final = "%a %Y-%m-%d"
_MINUTE: Final = f"{_DAY} %H:%M"


@dataclass(frozen=True, slots=True)
class Source:
    """A conversation or other record."""

    id: str
    """ID as its tools accept it."""
    kind: str
    short_id: str
    at: datetime | None = None
    subject: str = ""
    people: tuple[str, ...] = ()
    hits: int = 0
    """Number of passages above chance."""
    is_subject_a_line: bool = False
    """Whether only the subject matched, which then has its own line."""
    version: str = ""
    """`older` if a newer version is stored, `redacted` if it shows less than the one it was made from."""
    last_turn: int = -1
    """Largest known turn number."""
    matching_turns: tuple[int, ...] = ()
    """Numbers of the turns that match, in a survey."""

    @property
    def head(self) -> str:
        """Heading: `Sat 2025-03-01 09:00 | older version | subject | people | id`, as far as known."""
        at = "" if self.at is None else self.at.strftime(_MINUTE)
        people = [shortened(name, _MAX_NAME) for name in self.people[:_MAX_PEOPLE]]
        more = len(self.people) - len(people)
        names = ", ".join([*people, *([f"+{more}"] if more > 0 else [])])
        kind = "" if self.kind == "conversation" else self.kind
        subject = "" if self.is_subject_a_line else shortened(self.subject, _MAX_SUBJECT)
        version = f"{self.version} version" if self.version else ""
        return " | ".join(filter(None, (at, kind, version, subject, names, self.short_id)))


def head_cost(source: Source) -> int:
    """Bytes of a source's heading and separators."""
    return size(source.head) + 3 * len("\n") + size(f"{_gap(1_000)}\n")


def line_cost(line: ShownLine, number: int) -> int:
    """Maximum bytes of a line, including its day and gap mark."""
    return size(line_text(line, number, None)) + len("\n") + size(f"{_gap(number, number)}-{number}\n")


def line_text(line: ShownLine, number: int, day: str | None, mark: str = "") -> str:
    """Format as `[3] Ann: what she said`, after its day if that is not `day`."""
    said = f"{line.speaker}: {line.text}" if line.speaker else line.text
    own = None if line.at is None else line.at.strftime(_DAY)
    when = f"({own}) " if own is not None and own != day else ""
    return f"[{number if number >= 0 else line.part}{mark}] {when}{said}"


def query_mark(place: RecallHit | None, queries: int) -> str:
    """Format which of several queries found a line: ` q1,3`."""
    if place is None or queries < _SEVERAL:
        return ""
    return f" q{','.join(str(number + 1) for number in place.queries)}"


def mark_cost(queries: int) -> int:
    """Maximum bytes of such a mark."""
    return 0 if queries < _SEVERAL else 1 + len("q") + 2 * queries


def excerpts_text(
    chosen: PageSelection,
    sources: Mapping[UUID, Source],
    lines: Mapping[tuple[UUID, int], ShownLine],
    queries: int = 1,
) -> str:
    """Format the selected lines under the headings of their sources.

    With several `queries`, each line says which found it.
    """
    blocks: list[str] = []
    for id_, numbers in chosen.by_source().items():
        source = sources[id_]
        shown = [source.head]
        day = None if source.at is None else source.at.strftime(_DAY)
        last: int | None = None
        for number in numbers:
            line = lines[id_, number]
            if last is not None and last >= 0 and number > last + 1:
                shown.append(_gap(last + 1, number - 1))
            shown.append(line_text(line, number, day, query_mark(chosen.keys[id_, number], queries)))
            day = line.at.strftime(_DAY) if line.at is not None else day
            last = number
        if last is not None and 0 <= last < source.last_turn:
            shown.append(_gap(last + 1))
        blocks.append("\n".join(shown))
    return "\n\n".join(blocks)


def _gap(first: int, last: int | None = None) -> str:
    """Format turns left out as vcon_fetch takes them: `… 3`, `… 3-5`, or `… 3-` to the end."""
    return f"{_GAP} {first}" if first == last else f"{_GAP} {first}-{'' if last is None else last}"


def survey_line(source: Source, line: ShownLine, number: int, mark: str = "") -> str:
    """Format a conversation as one line: how many passages match, which turns, and the best passage."""
    turns = written_ranges(source.matching_turns[:_MAX_TURNS])
    more = f", {_GAP}" if len(source.matching_turns) > _MAX_TURNS else ""
    where = f" in {turns}{more}" if turns else ""
    day = None if source.at is None else source.at.strftime(_DAY)
    return f"{source.head} | {counted(source.hits, 'hit')}{where} | {line_text(line, number, day, mark)}"


def turn_line(source: Source, line: ShownLine, number: int, mark: str = "") -> str:
    """Format a passage as one line, with the ID and date of its conversation."""
    said = line_text(replace(line, at=None), number, None, mark)
    at, _, text = said.partition("] ")
    return f"{source.short_id} {at}] {_line_start(source, line.at)}{text}"


def turn_line_cost(line: ShownLine, number: int, sources: Iterable[Source]) -> int:
    """Maximum bytes of such a line in any of these sources."""
    start = max((size(source.short_id) + size(_line_start(source, line.at)) for source in sources), default=0)
    return start + size(line_text(replace(line, at=None), number, None)) + len(" \n")


def _line_start(source: Source, at: datetime | None) -> str:
    day = at or source.at
    kind = "" if source.kind == "conversation" else f"{source.kind} "
    when = "" if day is None else f"{day.strftime(_DAY)} "
    version = f"({source.version} version) " if source.version else ""
    return f"{kind}{when}{version}"


def lines_text(
    chosen: PageSelection,
    sources: Mapping[UUID, Source],
    lines: Mapping[tuple[UUID, int], ShownLine],
    line_of: Callable[[Source, ShownLine, int, str], str],
    queries: int,
) -> str:
    """Format one line per passage, best first."""
    return "\n".join(
        line_of(sources[id_], lines[id_, number], number, query_mark(place, queries))
        for (id_, number), place in chosen.keys.items()
    )


def totals_line(
    turns: int | None, conversations: int, searched: int | None, people: Sequence[str], *, is_exact: bool
) -> str:
    """Say how much matches, and of how many conversations: `31 turns in 14 of 22 conversations with Ann`."""
    more = "" if is_exact else " or more"
    first = f"{conversations}{more}"
    base = "" if searched is None else f" of {searched if searched <= COUNTED_TO else f'over {COUNTED_TO}'}"
    total = conversations if searched is None else searched
    having = " and ".join(shortened(name, _MAX_NAME) for name in people)
    whose = f" with {having}" if having else ""
    found = f"{first}{base} conversation{'' if total == 1 else 's'}{whose}"
    if turns is None:
        return f"{found} match{'es' if conversations == 1 else ''}:"
    return f"{counted(turns, 'turn')}{more} in {found}:"


def last_line(
    answerable: str,
    *,
    matching: int,
    is_exact: bool,
    shown: int,
    never_said: Sequence[str],
    parts: Sequence[str] = (),
    said_by: Sequence[str] = (),
    nothing_by: Sequence[str] = (),
    days: Sequence[str],
    cursor: str | None,
    further_turns: int = 0,
    further_sources: int = 0,
    is_list: bool = False,
    is_survey: bool = False,
    hints: Sequence[str] = (),
) -> str:
    """Say whether the answer is likely included, and how to continue if not."""
    line = {
        "likely": "An answer is likely above.",
        "unsure": "Unsure whether this answers it.",
        "nothing_found": "Nothing found that answers it.",
    }[answerable]
    further = _of_people(said_by, nothing_by)
    if len({*parts}) > 1:
        further.append(f"By query: {', '.join(parts).replace('_', ' ')}.")
    further += hints
    if never_said and answerable != "likely":
        words = ", ".join(f'"{shortened(word, _MAX_WORD)}"' for word in never_said[:_MAX_WORDS])
        further.append(f"Said nowhere: {words}.")
    if days:
        further.append(f"Preferred what was said on: {'; '.join(days)}.")
    if is_list and matching > shown and answerable == "unsure":
        more = "" if is_exact else " or more"
        further.append(f"{matching}{more} conversations match; view survey lists them.")
    if is_survey and shown and is_exact and cursor is None:
        further.append("These are all that match.")
    if cursor is not None and (is_survey or answerable != "likely"):
        turns = "" if is_survey else f"{counted(further_turns, 'turn')}, "
        further.append(f"More: {turns}{counted(further_sources, 'conversation')} (cursor {cursor}).")
    for part in further:
        if size(line) + 1 + size(part) <= LAST_LINE:
            line = f"{line} {part}"
    return line


def _of_people(said_by: Sequence[str], nothing_by: Sequence[str]) -> list[str]:
    """Say whose the best turns are, if the question names others."""
    others, named = (
        " or ".join(shortened(name, _MAX_NAME) for name in names[:_MAX_WORDS])
        for names in (said_by, nothing_by)
    )
    if others:
        return [f"Said by {others}, not by {named}." if named else f"Said by {others}."]
    return [f"Nothing by or about {named}."] if named else []


LAST_LINE: Final = 240
"""Maximum bytes reserved for the last line."""


def size(text: str) -> int:
    return len(text.encode("utf-8"))


def shortened(text: str, most: int) -> str:
    """The text on one line, of at most this many characters."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…"
