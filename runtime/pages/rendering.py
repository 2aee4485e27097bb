"""How the page is written: templates in which every text is escaped, and files that lie beside them."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonValue, dump_json
from vcontract.runtime.documents.plain import plain
from vcontract.runtime.vcon.traces import TRACE_TYPE

HAS: Final = "vcontract.has"
"""The member of a connection's scope that says what its visitor's store has: the navigation leads there."""

_HERE: Final = Path(__file__).parent
_ICON: Final = re.compile(r'<symbol id="([\w-]+)"[^>]*>(.*?)</symbol>', re.DOTALL)
_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Pages:
    """The templates and what lies beside them, read once."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_finalized,
        )
        self._templates.filters |= {
            "marked": marked,
            "moment": moment,
            "ago": ago,
            "query": urlencode,
            "printed": printed,
            "icon": _icons().__getitem__,
        }
        self._files = {file.name: file.read_bytes() for file in (_HERE / "static").iterdir()}

    def answer(self, request: Request, template: str, status: int = 200, **told: object) -> Response:
        """A page made of a template, which is told `root`, where the page begins, and what is given."""
        root = request.scope.get("root_path", "")
        path, has = request.url.path, request.scope.get(HAS, frozenset())
        text = self.document(template, root=root, path=path, view=_view(request, root), has=has, **told)
        return Response(text, status, media_type="text/html")

    def document(self, template: str, **told: object) -> str:
        """The text of a template."""
        return self._templates.get_template(template).render(**told)

    def text(self, name: str) -> str:
        """A style sheet or script as text."""
        return self._files[name].decode()

    def notice(self, request: Request, status: int, message: str) -> Response:
        """A page that says one thing."""
        return self.answer(request, "notice.html.jinja", status, message=message, is_lost=status == 404)

    def file(self, name: str) -> Response | None:
        """A style sheet or script."""
        if name not in self._files:
            return None
        return Response(self._files[name], media_type=_KINDS[Path(name).suffix])


def _view(request: Request, root: str) -> str:
    """The view of the navigation that a page belongs to; empty for none."""
    place = request.url.path.removeprefix(root).strip("/").partition("/")[0]
    if not place:
        return "Agents" if request.query_params.get("analysis") == TRACE_TYPE else "Search"
    return "Tools" if place == "contract" else place.capitalize()


def _icons() -> dict[str, Markup]:
    """The vendored icons by name, to stand in a page: beside words, so that readers aloud pass over them."""
    text = (_HERE / "vendored" / "icons.svg").read_text(encoding="utf-8")
    frame = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{}</svg>'
    return {name: Markup(frame.format(drawn)) for name, drawn in _ICON.findall(text)}  # noqa: S704  (our own file)


def _finalized(value: object) -> object:
    """Every text that a template prints, without what turns its direction; markup is ours."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def marked(snippet: str) -> Markup:
    """A snippet of a search, in which `<mark>` and `</mark>` are the only markup."""
    escaped = str(escape(plain(snippet)))
    return Markup(escaped.replace("&lt;mark&gt;", "<mark>").replace("&lt;/mark&gt;", "</mark>"))  # noqa: S704  (escaped)


def moment(text: str) -> str:
    """Day and minute of a time as tools tell it."""
    return text[:16].replace("T", " ")


def ago(text: str) -> str:
    """How long ago a time as tools return it was: `3 days ago`; empty for what is still to come."""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()
    for least, unit in (
        (31_557_600, "year"),
        (2_629_800, "month"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
    ):
        if seconds >= least:
            return f"{counted(int(seconds // least), unit)} ago"
    return "just now" if seconds >= 0 else ""


def counted(number: int | None, thing: str) -> str:
    """A number of things in words: `1 moment`, `1,200 moments`; empty for none."""
    return f"{number:,} {thing}{'s' * (number != 1)}" if number else ""


def printed(value: JsonValue) -> str:
    """JSON as people read it."""
    return dump_json(value, indent=2).decode()


def address(path: str, values: Mapping[str, object]) -> str:
    """A path with a query of the values that are something."""
    given = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path
