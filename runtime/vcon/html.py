"""Convert HTML to plain text in one pass, tolerating any errors."""

import html
import re
from collections.abc import Iterator
from typing import Final

_NEVER_SHOWN: Final = frozenset({"script", "style", "template", "noscript", "title"})
_RAW: Final = frozenset({"script", "style"})
"""Elements whose content is not markup; only their own end tag ends them."""
_BLOCKS: Final = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header"
    " hr li main nav ol p pre section table tr ul".split()
)
_CELLS: Final = frozenset({"td", "th"})

_BLANKS: Final = re.compile(r"[^\S\n]+")
_BREAKS: Final = re.compile(r" ?\n[ \n]*")
# Possessive, so that an unclosed tag is scanned only once.
_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?:[^=>]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|))*+>"
)
_BEGUN_TAG: Final = re.compile(r"</?[A-Za-z]")
_COMMENT: Final = re.compile(r"<!---?>|<!--")
_COMMENT_END: Final = re.compile(r"--!?>")
_DECLARATION: Final = re.compile(r"<[!?]|</")
_CRUDE_TAG: Final = re.compile(r"</?[A-Za-z!?][^<>]*+>")
_ALT: Final = re.compile(r"\balt\s*=\s*[\"']([^\"']*)")
_EMOJI: Final = re.compile(r"itemtype=[\"'][^\"']*/Emoji[\"']|class=[\"'][^\"']*\bemoji\b", re.IGNORECASE)
"""Pictures of an emoji, whose alternative text it is."""
_LONG_NUMBER: Final = re.compile(r"&#[0-9]{10,}+;?")
"""Too large for a character; Python refuses to parse long numbers."""


def html_text(document: str) -> str:
    """Return the text without tags, comments, scripts and styles. A block element begins a new line."""
    pieces = "".join(_pieces(document))
    return _BREAKS.sub("\n", _BLANKS.sub(" ", pieces)).strip()


def _pieces(document: str) -> Iterator[str]:
    """Yield the text between tags, and white space for tags."""
    position, silent = 0, ""
    while position < len(document):
        opened = document.find("<", position)
        if opened < 0:
            opened = len(document)
        if opened > position and not silent:
            yield _shown(document[position:opened])
        if opened == len(document):
            return
        tag = _TAG.match(document, opened)
        if tag is not None:
            position = tag.end()
            name = tag["name"].lower()
            if silent:
                silent = "" if tag["end"] and name == silent else silent
            elif name in _NEVER_SHOWN:
                silent = "" if tag["end"] else name
            elif name in _BLOCKS:
                yield "\n"
            elif name in _CELLS and not tag["end"]:
                yield " "
            elif name == "emoji" or (name == "img" and _EMOJI.search(tag[0])):
                yield from (_shown(found[1]) for found in _ALT.finditer(tag[0]))
            if silent in _RAW:
                position = _end_of_raw(document, position, silent)
        elif _BEGUN_TAG.match(document, opened):
            # the tag is not closed: from here on, match tags by brackets
            if not silent:
                yield _shown(_CRUDE_TAG.sub(" ", document[opened:]))
            return
        elif _DECLARATION.match(document, opened):
            position = _end_of_declaration(document, opened)
        else:
            if not silent:
                yield "<"
            position = opened + 1


def _end_of_raw(document: str, position: int, name: str) -> int:
    """Position of a script's or style's end tag; the end of the document if it is missing."""
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(document, position)
    return len(document) if end is None else end.start()


def _end_of_declaration(document: str, position: int) -> int:
    """Position after a comment, declaration or instruction; an unclosed one extends to the end.

    Source: HTML Standard, 13.2.5, the states of comments and of bogus comments.
    """
    comment = _COMMENT.match(document, position)
    if comment is None:
        end = document.find(">", position)
        return len(document) if end < 0 else end + 1
    if comment[0].endswith(">"):
        return comment.end()
    closing = _COMMENT_END.search(document, comment.end())
    return len(document) if closing is None else closing.end()


def _shown(text: str) -> str:
    """Resolve character references, and replace line breaks by spaces."""
    if "&" in text:
        text = html.unescape(_LONG_NUMBER.sub("\ufffd", text))
    return _BLANKS.sub(" ", text.replace("\n", " "))
