"""Plots as inline SVG: columns, a heat map of the week, and speakers over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from vcontract.runtime.frame.documents.plain_text import one_line
from vcontract.runtime.pages.turn_timing import Timing, clock, duration, moment_of
from vcontract.runtime.vcon.transcript import TranscriptTurn

_COLUMN: Final = Markup(
    '<a href="{0}" aria-label="{1}" tabindex="-1"><title>{1}</title>'
    '<rect class="room" x="{2:.1f}" y="0" width="{3}" height="100"/>'
    '<rect class="bar" x="{2:.1f}" y="{4:.1f}" width="{3}" height="{5:.1f}"/></a>'
)
"""An adjacent list has the same links, so the keyboard can skip the columns."""
_FIELD: Final = Markup(
    '<rect class="lane" x="{0}" y="{1}" width="29" height="20"/>'
    '<rect class="bar" x="{0}" y="{1}" width="29" height="20" fill-opacity="{2:.2f}">'
    "<title>{3}</title></rect>"
)
_BAR: Final = Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}"/>')
_LABEL: Final = Markup('<text x="0" y="{}">{}</text>')
_MAX_LABEL_LENGTH: Final = 48
_WIDTH: Final = 800
_MAX_LANES: Final = 8
_OVER: Final = Markup('<rect class="over" x="{}" y="0" width="{}" height="10"/>')
_LANE: Final = Markup(
    '<p>{}</p><svg viewBox="0 0 800 10" preserveAspectRatio="none" aria-hidden="true">{}{}</svg>'
)
_AXIS: Final = Markup(
    '<div class="axis" role="img" aria-label="{}">{}<p class="ends"><span>{}</span><span>{}</span></p></div>'
)
"""Names and times are text, so that they keep their size at any width."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value, its number of conversations, and the link to them."""

    label: str
    count: int
    href: str = ""


def columns(values: Sequence[Bar], title: str) -> Markup:
    """Draw one linked column per value, with a title."""
    most = max(value.count for value in values) or 1
    step = _WIDTH / max(12, len(values))
    drawn = Markup("").join(
        _COLUMN.format(
            value.href,
            f"{value.label}: {value.count:,}",
            number * step,
            f"{step * 0.8:.1f}",
            100 - 100 * value.count / most,
            100 * value.count / most,
        )
        for number, value in enumerate(values)
    )
    ends = Markup('<text x="0" y="128">{}</text><text x="{:.1f}" y="128" text-anchor="end">{}</text>').format(
        values[0].label, max(200.0, len(values) * step), values[-1].label
    )
    label = f"{title}, from {values[0].label} to {values[-1].label}, at most {most:,}"
    most_caption = f"{most:,} conversation{'s' * (most != 1)}"
    return Markup('<svg role="group" aria-label="{}" viewBox="0 -14 {} 146">{}{}{}</svg>').format(
        label, _WIDTH, Markup('<text class="soft" x="0" y="-3">{}</text>').format(most_caption), drawn, ends
    )


def heat(rows: Sequence[tuple[str, Sequence[int]]]) -> Markup:
    """Draw one cell per hour of the week, darker for more conversations."""
    most = max(count for _, counts in rows for count in counts)
    fields = Markup("").join(
        _FIELD.format(
            40 + hour * 31, row * 22, max(0.12, count / most) if count else 0, f"{name} {hour:02}: {count:,}"
        )
        for row, (name, counts) in enumerate(rows)
        for hour, count in enumerate(counts)
    )
    names = Markup("").join(_LABEL.format(row * 22 + 15, name) for row, (name, _) in enumerate(rows))
    hours = Markup("").join(
        Markup('<text x="{}" y="170">{:02}</text>').format(48 + hour * 31, hour) for hour in range(0, 24, 3)
    )
    label = f"Conversations by hour of the week, at most {most:,} in one"
    return Markup('<svg role="img" aria-label="{}" viewBox="0 0 {} 174">{}{}{}</svg>').format(
        label, _WIDTH, fields, names, hours
    )


def axis(said: Sequence[TranscriptTurn], timing: Timing) -> Markup:
    """Draw one lane per speaker. Silence is empty; overlaps are marked in all lanes.

    Empty unless at least two turns have times and speakers.
    """
    turns = [(turn, moment) for turn in said if turn.speaker and (moment := moment_of(turn)) is not None]
    lanes = list(dict.fromkeys(turn.speaker for turn, _ in turns))[:_MAX_LANES]
    first = min((moment for _, moment in turns), default=0.0)
    last = max((moment + (turn.length or 0) for turn, moment in turns), default=0.0)
    if len(turns) < 2 or last <= first:
        return Markup("")
    scale = _WIDTH / (last - first)

    def placed(begin: float, end: float) -> tuple[int, int]:
        left = min(round((begin - first) * scale), _WIDTH - 2)
        return left, left + max(2, round((end - begin) * scale))

    spans: list[list[tuple[int, int]]] = [[] for _ in lanes]
    for turn, moment in turns:
        if turn.speaker in lanes:
            spans[lanes.index(turn.speaker)].append(placed(moment, moment + (turn.length or 0)))
    over = [placed(*each) for each in timing.overlaps]
    drawn = _lanes([_short(speaker or "") for speaker in lanes], spans, over)
    label = f"Who speaks when, over {duration(last - first)}"
    begun = next(turn for turn, moment in turns if moment == first)
    return _AXIS.format(label, drawn, *(clock(begun, moment - first) for moment in (first, last)))


def _lanes(names: list[str], spans: list[list[tuple[int, int]]], over: list[tuple[int, int]]) -> Markup:
    """Draw a lane for each name, with overlaps in all of them."""
    marks = Markup("").join(_OVER.format(begin, end - begin) for begin, end in _merged(over))
    return Markup("").join(
        _LANE.format(
            name,
            Markup("").join(_BAR.format(begin, 0, end - begin, 10) for begin, end in _merged(found)),
            marks,
        )
        for name, found in zip(names, spans, strict=True)
    )


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge adjacent spans, in order."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _short(label: str) -> str:
    text = one_line(label)
    return text if len(text) <= _MAX_LABEL_LENGTH else f"{text[: _MAX_LABEL_LENGTH - 1]}…"
