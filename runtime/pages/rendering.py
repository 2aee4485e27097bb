"""Render the page: templates with escaped text, and static files."""

import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
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
"""Key of the ASGI scope: what the visitor's store contains, for the navigation."""

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
"""Advice by status."""
_MAX_VISITORS: Final = 100
_ICON: Final = re.compile(r'<symbol id="([\w-]+)"[^>]*>(.*?)</symbol>', re.DOTALL)
_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Pages:
    """Templates and static files, loaded once."""

    def __init__(self, *, imports: bool = False) -> None:
        self.imports = imports
        """Whether the import view exists."""
        self.pace = Pace()
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_finalized,
        )
        filters: dict[str, Callable[..., object]] = {
            "marked": marked,
            "moment": moment,
            "ago": ago,
            "counted": counted,
            "query": urlencode,
            "printed": printed,
            "icon": _icons().__getitem__,
        }
        self._templates.filters.update(filters)
        self._files = {file.name: file.read_bytes() for file in (_HERE / "static").iterdir()}

    def answer(self, request: Request, template: str, code: int = 200, /, **values: object) -> Response:
        """Render a template with the given values and `root`, the path of the first page."""
        root = request.scope.get("root_path", "")
        path, has = request.url.path, request.scope.get(HAS, frozenset())
        shared = {
            "root": root,
            "path": path,
            "view": _view(request, root),
            "has": has,
            "can_import": self.imports,
        }
        text = self.document(template, **shared, **values)
        return Response(text, code, media_type="text/html")

    def streamed(
        self, request: Request, template: str, pieces: AsyncIterator[str], /, **values: object
    ) -> Response:
        """Render as a stream: `pieces` replace `streamed` in the template."""
        marker = secrets.token_hex(16)
        whole = self.answer(request, template, streamed=marker, **values)
        before, _, after = bytes(whole.body).partition(marker.encode())

        async def parts() -> AsyncIterator[bytes]:
            yield before
            async for piece in pieces:
                yield piece.encode()
            yield after

        return StreamingResponse(parts(), media_type="text/html")

    def document(self, template: str, **values: object) -> str:
        """Render a template to text."""
        return self._templates.get_template(template).render(**values)

    def text(self, name: str) -> str:
        """Return a style sheet or script as text."""
        return self._files[name].decode()

    def notice(self, request: Request, status: int, message: str) -> Response:
        """Render a page with one message."""
        return self.answer(
            request, "notice.html.jinja", status, message=message, status=status, cure=_CURES.get(status, "")
        )

    def file(self, name: str) -> Response | None:
        """Return a style sheet or script."""
        if name not in self._files:
            return None
        return Response(self._files[name], media_type=_KINDS[Path(name).suffix])


class Pace:
    """Speed of embedding, measured between two visits."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def caption(self, visitor: str, embedded: int, waiting: int) -> str:
        """Estimated remaining time; empty if unknown."""
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
    """Navigation entry of a page; empty for none."""
    place = request.url.path.removeprefix(root).strip("/").partition("/")[0]
    if not place:
        return "Agents" if request.query_params.get("analysis") == TRACE_TYPE else "Search"
    return "Tools" if place == "contract" else place.capitalize()


def _icons() -> dict[str, Markup]:
    """Vendored icons by name. They are next to words, so screen readers skip them."""
    text = (_HERE / "vendored" / "icons.svg").read_text(encoding="utf-8")
    frame = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{}</svg>'
    return {name: Markup(frame.format(drawn)) for name, drawn in _ICON.findall(text)}  # noqa: S704  (our own file)


def _finalized(value: object) -> object:
    """Remove direction marks from template output; markup is ours."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def marked(snippet: str) -> Markup:
    """Escape a search snippet except for `<mark>` and `</mark>`."""
    escaped = str(escape(plain(snippet)))
    return Markup(escaped.replace("&lt;mark&gt;", "<mark>").replace("&lt;/mark&gt;", "</mark>"))  # noqa: S704  (escaped)


def moment(text: str) -> str:
    """Day and minute of a time in a tool result."""
    return text[:16].replace("T", " ")


def ago(text: str) -> str:
    """Format how long ago a time in a tool result was: `3 days ago`; empty for the future."""
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
    """Format a count: `1 moment`, `1,200 moments`; empty for none."""
    return f"{number:,} {thing}{'s' * (number != 1)}" if number else ""


def printed(value: JsonValue) -> str:
    """Pretty-print JSON."""
    return dump_json(value, indent=2).decode()


def address(path: str, values: Mapping[str, object]) -> str:
    """Path with a query string of the non-empty values."""
    given = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path
