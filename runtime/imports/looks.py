"""Looks: what a file that cannot be imported most likely is, told by its beginning."""

import re
from typing import Final

from vcontract.runtime.imports.programs.known import format_of_file
from vcontract.runtime.imports.sources import KINDS, Origin, Problem, SourceFile, Sources

_HEAD: Final = 65_536
_MOST_TOLD: Final = 5

_JSON: Final = "other JSON"
_LOOKS: Final = tuple(
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
        ("a sound recording", rb"RIFF....WAVE|ID3|OggS|fLaC|\xff[\xf2\xf3\xfb]|....ftypM4A"),
        (
            "a picture",
            rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|BM....\0\0\0\0|II\*\0|MM\0\*|....ftyp(?:hei|mif|avi)",
        ),
        ("a film", rb"....ftyp|\x1a\x45\xdf\xa3|RIFF....AVI "),
        ("a PDF", rb"%PDF-"),
        ("an SQLite database of something else", rb"SQLite format 3\0"),
        ("a binary property list of Apple", rb"bplist\d\d"),
        ("an old Office document, or a message of Outlook", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("a data file of Outlook; its program exports single messages", rb"!BDN"),
        ("an RTF text", rb"\{\\rtf"),
        ("a program", rb"\x7fELF|MZ|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe"),
        ("an archive that holds no conversation", rb"PK\x03\x04|7z\xbc\xaf\x27\x1c|.{257}ustar"),
        ("contacts", rb"\s*+BEGIN:VCARD"),
        ("a web page", rb"(?i:\s*+<(?:!doctype html|html))"),
        (_JSON, rb"\s*+[\[{]"),
        ("an empty file", rb"\s*+\Z"),
        ("text in none of these forms", rb"[\t\n\f\r\x20-\xff]*+\Z"),
        ("a file of a kind that is not known", rb""),
    )
)


_TEXT: Final = "text in none of these forms"
_UNCERTAIN: Final = frozenset({_JSON, _TEXT, "an empty file", "a file of a kind that is not known"})
_BEGINS_NO_JSON: Final = re.compile(rb"\s*+(?:\[\d{1,2}:\d\d|[^\s\[{\"\d\-tfn])")
_ROW: Final = rb"[^\n{}]*?[,;\t][^\n{}]*\r?\n"
_TABLE: Final = re.compile(_ROW + _ROW)


def what_else(head: bytes) -> str | None:
    """What a file is that is certainly not JSON; None when it may be."""
    look = next((kind for kind, pattern in _LOOKS if pattern.match(head)), None)
    if look not in _UNCERTAIN:
        return look
    if look not in (_TEXT, _JSON) or not _BEGINS_NO_JSON.match(head):
        return None
    return (
        "a table (CSV), which cannot be imported" if _TABLE.match(head) else "text in no form that is known"
    )


def left_aside(file: SourceFile) -> Problem:
    """Why a file of a folder was not read."""
    return Problem(Origin(file.name), "", f"its name ends in none of {', '.join(KINDS)}")


def looks_of(sources: Sources) -> list[tuple[str, str]]:
    """The names of the first files whose beginning tells what they are, and that."""
    found: list[tuple[str, str]] = []
    for file in (*sources.files, *sources.ignored):
        is_ignored = file in sources.ignored
        if len(found) < _MOST_TOLD and (look := _look_of(file, is_ignored=is_ignored)) is not None:
            found.append((file.name, look))
    return found


def _look_of(file: SourceFile, *, is_ignored: bool) -> str | None:
    """What a file most likely is; of one that was left aside by its name, how it is taken all the same."""
    if file.path is None or not file.path.is_file():
        return None
    try:
        with file.path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    if is_ignored and (known := format_of_file(head)) is not None:
        return f"a {known.title}: name the file itself to import it"
    look = next((kind for kind, pattern in _LOOKS if pattern.match(head)), None)
    return "JSON: name the file itself to import it" if is_ignored and look == _JSON else look
