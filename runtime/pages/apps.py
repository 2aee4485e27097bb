"""Views inside a chat (MCP Apps): self-contained HTML documents in the page's style."""

import base64
import hashlib
from functools import lru_cache

from markupsafe import Markup

from vcontract.runtime.pages.rendering import Pages


@lru_cache
def render_app(view: str) -> str:
    """Return the HTML of a view, which shows a tool result passed on by its host."""
    pages = Pages()
    style, script = pages.text("base.css") + pages.text("page.css"), pages.text("app.js")
    return pages.document(
        "app.html.jinja",
        view=view,
        style=Markup(style),  # noqa: S704  (our own file)
        script=Markup(script),  # noqa: S704  (our own file)
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def _digest(text: str) -> str:
    """Hash that allows an inline text in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
