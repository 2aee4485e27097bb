"""View of the map of meaning: conversations on a plane, marked by a tag."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.rendering import Pages, address
from vcontract.runtime.pages.searching import SearchForm
from vcontract.runtime.pages.tool_client import call_tool, read_resource, visitor_of

_WIDTH, _HEIGHT, _MARGIN = 800, 560, 12
_MAX_VALUES: Final = 6
"""Number of values with their own mark; all others share one."""
_MAX_KEYS: Final = 12
_OTHERS: Final = 8
_SHAPES: Final = (
    Markup('<circle r="5"/>'),
    Markup('<rect x="-4.5" y="-4.5" width="9" height="9"/>'),
    Markup('<path d="M0-6L6 5H-6z"/>'),
    Markup('<path d="M0-7L7 0L0 7L-7 0z"/>'),
    Markup('<path d="M0 6L6-5H-6z"/>'),
    Markup('<path d="M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6z"/>'),
)
"""A shape for each value, so that colour is not required."""
_POINT: Final = Markup(
    '<a href="{0}" aria-label="{1}" tabindex="-1"><g class="k{2}" transform="translate({3:.1f} {4:.1f})">'
    "<title>{1}</title>{5}</g></a>"
)


async def meaning(request: Request, pages: Pages) -> Response:
    """Show the map as a drawing and a list."""
    root = request.scope.get("root_path", "")
    keys = (await call_tool(request, "vcon_taxonomy"))["item"]["common_tag_keys"][:_MAX_KEYS]
    key = request.query_params.get("key", _distinctive_values([*keys]))
    found = await read_resource(request, "meaning_map", key=key[:128])
    points: list[JsonObject] = found["points"]
    values = Counter(point["value"] for point in points if "value" in point)
    order = [value for value, _ in sorted(values.items(), key=lambda one: (-one[1], one[0]))][:_MAX_VALUES]
    marks = [(value, values[value], number, _SHAPES[number]) for number, value in enumerate(order)]
    if others := len(points) - sum(values[value] for value in order):
        marks.append(("others" if order else "conversations", others, _OTHERS, _SHAPES[0]))
    return pages.answer(
        request,
        "map.html.jinja",
        found=found,
        key=key,
        keys=[(each["key"], address(f"{root}/store/map", {"key": each["key"]})) for each in keys],
        marks=marks,
        drawn=_drawn(points, order, root) if points else "",
        topics=await _topics(request, root) if points else [],
        unshown=found["vcons"] - len(points),
    )


async def _topics(request: Request, root: str) -> list[tuple[JsonObject, str]]:
    """Topics of all conversations with the searches for them; none if the visitor may not read them."""
    if not visitor_of(request).may("vcon_topics"):
        return []
    found: list[JsonObject] = (await call_tool(request, "vcon_topics"))["topics"]
    return [
        (topic, SearchForm(q=" ".join(topic["words"]), mode="semantic").address(root))
        for topic in found
        if topic["words"]
    ]


def _distinctive_values(keys: Sequence[JsonObject]) -> str:
    """The most common tag with a suitable number of values."""
    few = (key["key"] for key in keys if 2 <= key["distinct_values"] <= 2 * _MAX_VALUES)
    return next(few, keys[0]["key"] if keys else "")


def _drawn(points: Sequence[JsonObject], order: Sequence[str], root: str) -> Markup:
    drawn = Markup("").join(_point(point, order, root) for point in points)
    label = f"{len(points):,} conversations, near to those of like meaning"
    return Markup('<svg class="points" role="group" aria-label="{}" viewBox="0 0 {} {}">{}</svg>').format(
        label, _WIDTH, _HEIGHT, drawn
    )


def _point(point: JsonObject, order: Sequence[str], root: str) -> Markup:
    value: str | None = point.get("value")
    number = order.index(value) if value in order else _OTHERS
    subject = point.get("subject") or "(no subject)"
    return _POINT.format(
        f"{root}/vcon/{point['id']}",
        subject if value is None else f"{subject} ({value})",
        number,
        _MARGIN + point["x"] * (_WIDTH - 2 * _MARGIN),
        _MARGIN + (1 - point["y"]) * (_HEIGHT - 2 * _MARGIN),
        _SHAPES[number % len(_SHAPES)] if number != _OTHERS else _SHAPES[0],
    )
