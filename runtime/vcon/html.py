"""HTML as plain text, read in one pass whatever is broken in it."""

import html
import re
from collections.abc import Iterator
from typing import Final

_NEVER_SHOWN: Final = frozenset({"script", "style", "template", "noscript", "title"})
_RAW: Final = frozenset({"script", "style"})
"""What stands in these is no markup: only their own end tag ends them."""
_BLOCKS: Final = frozenset(
    "address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header"
    " hr li main nav ol p pre section table tr ul".split()
)
_CELLS: Final = frozenset({"td", "th"})

_BLANKS: Final = re.compile(r"[^\S\n]+")
_BREAKS: Final = re.compile(r" ?\n[ \n]*")
# Possessive throughout: a tag that does not end is looked through once, and then never again.
_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?:[^=>]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|))*+>"
)
_BEGUN_TAG: Final = re.compile(r"</?[A-Za-z]")
_COMMENT: Final = re.compile(r"<!---?>|<!--")
_COMMENT_END: Final = re.compile(r"--!?>")
_DECLARATION: Final = re.compile(r"<[!?]|</")
_CRUDE_TAG: Final = re.compile(r"</?[A-Za-z!?][^<>]*+>")
_LONG_NUMBER: Final = re.compile(r"&#[0-9]{10,}+;?")
"""Beyond every character; Python would refuse to read so long a number."""


def html_text(document: str) -> str:
    """The text without tags, comments, scripts and styles; a block element begins a new line."""
    pieces = "".join(_pieces(document))
    return _BREAKS.sub("\n", _BLANKS.sub(" ", pieces)).strip()


def _pieces(document: str) -> Iterator[str]:
    """The text between the tags, and the white space that tags mean."""
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
            if silent in _RAW:
                position = _end_of_raw(document, position, silent)
        elif _BEGUN_TAG.match(document, opened):
            # nothing ends this tag: from here on a tag is what stands between two brackets
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
    """Where the end tag of a script or a style stands; the end of the document when there is none."""
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(document, position)
    return len(document) if end is None else end.start()


def _end_of_declaration(document: str, position: int) -> int:
    """Behind a comment, a declaration or an instruction; what does not end reaches to the document's end.

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
    """The text between two tags: its references resolved, its line breaks blanks."""
    if "&" in text:
        text = html.unescape(_LONG_NUMBER.sub("\ufffd", text))
    return _BLANKS.sub(" ", text.replace("\n", " "))
