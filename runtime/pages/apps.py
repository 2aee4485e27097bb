"""Views inside a chat: documents in the page's own style, each with all that it needs in it."""

import base64
import hashlib
from functools import lru_cache

from markupsafe import Markup

from vcontract.runtime.pages.rendering import Pages


@lru_cache
def drawn(view: str) -> str:
    """The HTML of the view with this name, which shows the result of a tool call that its host passes on."""
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
    """The hash by which a content security policy allows an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
