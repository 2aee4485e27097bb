"""How the page is written: templates in which every text is escaped, and files that lie beside them."""

import re
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from vcontract.runtime.frame.documents.json import JsonValue, dump_json
from vcontract.runtime.frame.documents.plain_text import plain
from vcontract.runtime.vcon.traces import TRACE_TYPE

HAS: Final = "vcontract.has"
"""The member of a connection's scope that says what its visitor's store has: the navigation leads there."""

_HERE: Final = Path(__file__).parent
_CURES: Final = {
    403: "Open the page by the address that the server printed, or reload it if it was open for long.",
    404: "The address may be old, or the conversation deleted. Search for it by its words.",
    413: "Send less at a time. `vcontract import` takes what is too large for the page.",
    421: "Use the address that the server printed, or allow this host name in its settings.",
    429: "Wait a minute, then reload the page.",
    500: "Try again. If it fails again, `vcontract doctor` checks the store.",
    503: "The database cannot be reached. `vcontract doctor` says why.",
}
"""What to do, by status."""
_MAX_VISITORS: Final = 100
_ICON: Final = re.compile(r'<symbol id="([\w-]+)"[^>]*>(.*?)</symbol>', re.DOTALL)
_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Pages:
    """The templates and what lies beside them, read once."""

    def __init__(self, *, imports: bool = False) -> None:
        self.imports = imports
        """Whether there is a view by which conversations are imported."""
        self.pace = Pace()
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

    def answer(self, request: Request, template: str, code: int = 200, /, **told: object) -> Response:
        """A page rendered from a template with the given values and `root`, the path of the first page."""
        root = request.scope.get("root_path", "")
        path, has = request.url.path, request.scope.get(HAS, frozenset())
        shared = {
            "root": root,
            "path": path,
            "view": _view(request, root),
            "has": has,
            "can_import": self.imports,
        }
        text = self.document(template, **shared, **told)
        return Response(text, code, media_type="text/html")

    def streamed(
        self, request: Request, template: str, pieces: AsyncIterator[str], /, **told: object
    ) -> Response:
        """The same, sent while it is made: `pieces` stand where the template prints `streamed`."""
        marker = secrets.token_hex(16)
        whole = self.answer(request, template, streamed=marker, **told)
        before, _, after = bytes(whole.body).partition(marker.encode())

        async def parts() -> AsyncIterator[bytes]:
            yield before
            async for piece in pieces:
                yield piece.encode()
            yield after

        return StreamingResponse(parts(), media_type="text/html")

    def document(self, template: str, **told: object) -> str:
        """The text of a template."""
        return self._templates.get_template(template).render(**told)

    def text(self, name: str) -> str:
        """A style sheet or script as text."""
        return self._files[name].decode()

    def notice(self, request: Request, status: int, message: str) -> Response:
        """A page that says one thing."""
        return self.answer(
            request, "notice.html.jinja", status, message=message, status=status, cure=_CURES.get(status, "")
        )

    def file(self, name: str) -> Response | None:
        """A style sheet or script."""
        if name not in self._files:
            return None
        return Response(self._files[name], media_type=_KINDS[Path(name).suffix])


class Pace:
    """How fast passages are embedded, between two looks of a visitor."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def told(self, visitor: str, embedded: int, waiting: int) -> str:
        """How long the rest takes; empty while nothing is known of it."""
        now = time.monotonic()
        at, before = self._seen.get(visitor, (now, embedded))
        if len(self._seen) >= _MAX_VISITORS:
            self._seen.clear()
        self._seen.setdefault(visitor, (now, embedded))
        if embedded <= before:
            return ""
        minutes = waiting * (now - at) / (embedded - before) / 60
        return ", about a minute" if minutes < 1.5 else f", about {minutes:,.0f} minutes"


def _view(request: Request, root: str) -> str:
    """The view of the navigation that a page belongs to; empty for none."""
    place = request.url.path.removeprefix(root).strip("/").partition("/")[0]
    if not place:
        return "Agents" if request.query_params.get("analysis") == TRACE_TYPE else "Search"
    return "Tools" if place == "contract" else place.capitalize()


def _icons() -> dict[str, Markup]:
    """The vendored icons by name. Words are beside them, so screen readers skip them."""
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
    """Day and minute of a time as tools return it."""
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
