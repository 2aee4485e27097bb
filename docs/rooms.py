"""The picture of docs/architecture.md, drawn from the imports: the rooms of runtime, floor by floor.

`make generate` writes docs/rooms.svg.
"""

import sys
from typing import Final
from xml.sax.saxutils import escape

from tests.house import ROOT
from tests.house_figures import arrows_of_runtime, floors_of, reached

PICTURE: Final = ROOT / "docs" / "rooms.svg"
COMMAND: Final = "make generate"
_WIDTH: Final = 940
_BOX: Final = (110, 40)
_FLOOR: Final = 92
"""From the top of one floor to that of the next."""


def picture() -> str:
    """An SVG image: each room above all that it imports.

    An arrow that others lead to, over rooms between, is left out.
    """
    arrows = arrows_of_runtime()
    floor_of = floors_of(arrows)
    highest = max(floor_of.values())
    places: dict[str, tuple[float, float]] = {}
    for floor in range(1, highest + 1):
        rooms = sorted(room for room in arrows if floor_of[room] == floor)
        for number, room in enumerate(rooms):
            places[room] = (_WIDTH * (number + 0.5) / len(rooms), 20 + (highest - floor) * _FLOOR)
    drawn = [
        _line(places[room], places[below]) for room, others in _direct(arrows).items() for below in others
    ]
    drawn += [_room(room, *place) for room, place in places.items()]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {20 + highest * _FLOOR}"'
        ' font-family="sans-serif" font-size="13" text-anchor="middle">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n'
    )
    return head + "\n".join(drawn) + "\n</svg>\n"


def _direct(arrows: dict[str, set[str]]) -> dict[str, list[str]]:
    """The arrows that no others stand for."""
    direct: dict[str, list[str]] = {}
    for room, others in arrows.items():
        around = {
            far for other in others for far in reached(other, arrows) if room not in reached(far, arrows)
        }
        direct[room] = sorted(others - around)
    return direct


def _room(room: str, x: float, y: float) -> str:
    width, height = _BOX
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width}" height="{height}" rx="5" fill="#eef3fb"'
        f' stroke="#3b5b92"/><text x="{x:.0f}" y="{y + 25:.0f}">{escape(room)}</text>'
    )


def _line(above: tuple[float, float], below: tuple[float, float]) -> str:
    return (
        f'<path d="M{above[0]:.0f} {above[1] + _BOX[1]:.0f} L{below[0]:.0f} {below[1]:.0f}"'
        ' stroke="#9aa7bd" fill="none"/>'
    )


def main() -> int:
    """Write the picture; the exit status of the command."""
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
