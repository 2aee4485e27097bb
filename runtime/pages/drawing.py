"""Plots, drawn as SVG that stands in the page: bars of values, columns of months, and who speaks when."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from vcontract.runtime.documents.plain import one_line
from vcontract.runtime.vcon.reading import Said

_COLUMN: Final = Markup(
    '<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}: {:,}</title></rect>'
)
_BAR: Final = Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}"/>')
_LABEL: Final = Markup('<text x="0" y="{}">{}</text>')
_MOST_LABEL: Final = 48
_WIDTH: Final = 800
_LANE: Final = 34
_MOST_LANES: Final = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A value, how many conversations have it, and where these are listed."""

    label: str
    count: int
    href: str = ""


def bars(values: Sequence[Bar]) -> Markup:
    """The values with a bar each, as long as it has conversations."""
    most = max(value.count for value in values)
    rows: list[Markup] = []
    for number, value in enumerate(values):
        text = _LABEL.format(number * 36 + 12, f"{_short(value.label)} ({value.count:,})")
        rows.append(Markup('<a href="{}">{}</a>').format(value.href, text) if value.href else text)
        rows.append(_BAR.format(0, number * 36 + 17, max(1, round(400 * value.count / most)), 10))
    drawn = Markup("").join(rows)
    return Markup('<svg role="group" viewBox="0 0 400 {}">{}</svg>').format(len(values) * 36, drawn)


def columns(counts: Sequence[tuple[str, int]]) -> Markup:
    """A column for each month; what it stands for is its title."""
    most = max(count for _, count in counts)
    step = _WIDTH / max(12, len(counts))
    drawn = Markup("").join(
        _COLUMN.format(number * step, 100 - 100 * count / most, step * 0.8, 100 * count / most, month, count)
        for number, (month, count) in enumerate(counts)
    )
    ends = Markup('<text x="0" y="116">{}</text><text x="{:.1f}" y="116" text-anchor="end">{}</text>').format(
        counts[0][0], max(160.0, len(counts) * step), counts[-1][0]
    )
    told = f"Conversations by month, from {counts[0][0]} to {counts[-1][0]}, at most {most:,}"
    return Markup('<svg role="img" aria-label="{}" viewBox="0 0 {} 120">{}{}</svg>').format(
        told, _WIDTH, drawn, ends
    )


def axis(said: Sequence[Said]) -> Markup:
    """Who speaks when, a lane each: silence is empty, and what overlaps stands one above the other.

    Nothing for turns of which no two have times, or which do not tell who speaks.
    """
    timed = [(turn, moment) for turn in said if turn.speaker and (moment := _moment(turn)) is not None]
    lanes = list(dict.fromkeys(turn.speaker for turn, _ in timed))[:_MOST_LANES]
    first = min((moment for _, moment in timed), default=0.0)
    last = max((moment + (turn.length or 0) for turn, moment in timed), default=0.0)
    if len(timed) < 2 or last <= first:
        return Markup("")
    scale = _WIDTH / (last - first)
    spans: list[list[tuple[int, int]]] = [[] for _ in lanes]
    for turn, moment in timed:
        if turn.speaker in lanes:
            begin = min(round((moment - first) * scale), _WIDTH - 2)
            end = begin + max(2, round((turn.length or 0) * scale))
            spans[lanes.index(turn.speaker)].append((begin, end))
    drawn = Markup("").join(
        _BAR.format(begin, lane * _LANE + 18, end - begin, 10)
        for lane, found in enumerate(spans)
        for begin, end in _merged(found)
    )
    names = Markup("").join(
        _LABEL.format(number * _LANE + 12, _short(speaker or "")) for number, speaker in enumerate(lanes)
    )
    told = f"Who speaks when, over {_duration(last - first)}"
    return Markup('<svg class="axis" role="img" aria-label="{}" viewBox="0 0 {} {}">{}{}</svg>').format(
        told, _WIDTH, len(lanes) * _LANE, names, drawn
    )


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _moment(turn: Said) -> float | None:
    return turn.seconds if turn.at is None else turn.at.timestamp()


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 2:
        return f"{seconds:.0f} seconds"
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"


def _short(label: str) -> str:
    text = one_line(label)
    return text if len(text) <= _MOST_LABEL else f"{text[: _MOST_LABEL - 1]}…"
