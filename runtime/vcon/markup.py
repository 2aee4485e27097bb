"""Plain text out of marked-up text: HTML, mail and WebVTT."""

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from html.parser import HTMLParser
from typing import cast

_SILENT = frozenset({"script", "style", "template", "noscript", "title"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
    }
    | {
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
    }
    | {"table", "tr", "ul"}
)
_CELLS = frozenset({"td", "th"})
_BLANKS = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n[ \n]*")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]*)>")
_CUE_TAG = re.compile(r"</?[^>]*>")


class _TextOfHtml(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent is None and tag in _SILENT:
            self._silent = tag
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = None
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._silent is None:
            self.parts.append(_BLANKS.sub(" ", data.replace("\n", " ")))


def html_text(html: str) -> str:
    """The text without tags, scripts and styles; a block element begins a new line."""
    parser = _TextOfHtml()
    parser.feed(html)
    parser.close()
    return _BREAKS.sub("\n", _BLANKS.sub(" ", "".join(parser.parts))).strip()


def mail_text(mail: str, mediatype: str) -> str:
    """The text part of a mail or of a multipart body, its HTML part without tags if there is no other."""
    head = "" if _says_its_type(mail) else f"Content-Type: {mediatype}\r\n\r\n"
    # The parser of bytes, so that parts in 8 bit are read by their own character set.
    message = BytesParser(policy=policy.default).parsebytes((head + mail).encode("utf-8", "replace"))
    part = message.get_body(("plain", "html"))
    if part is None:
        return mail if not message.is_multipart() else ""
    text = _content(cast(EmailMessage, part))
    return html_text(text) if part.get_content_subtype() == "html" else text.replace("\r\n", "\n").strip()


def vtt_text(vtt: str) -> str:
    """The words of WebVTT cues, a line a cue, the voice's name in front where it is given."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", vtt.replace("\r\n", "\n")):
        rows = block.strip().split("\n")
        timed = next((place for place, row in enumerate(rows) if "-->" in row), None)
        if timed is not None:
            words = _CUE_TAG.sub("", _VOICE.sub(r"\1: ", " ".join(rows[timed + 1 :]))).strip()
            lines += [words] if words else []
    return "\n".join(lines)


def _says_its_type(mail: str) -> bool:
    """Whether the text begins with mail headers of its own, with the content's type among them."""
    head = re.split(r"\r?\n\r?\n", mail, maxsplit=1)[0]
    return re.search(r"(?im)^content-type:", head) is not None and not head.lstrip().startswith("--")


def _content(part: EmailMessage) -> str:
    try:
        content = part.get_content()
    except (LookupError, ValueError):
        # A character set that nobody knows.
        raw = part.get_payload(decode=True)
        content = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else ""
    return content if isinstance(content, str) else ""
