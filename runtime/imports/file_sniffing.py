"""Identify files that cannot be imported by their first bytes, to explain why."""

import re
from collections.abc import Collection
from typing import Final

from vcontract.runtime.imports.programs.format_registry import format_of_file
from vcontract.runtime.imports.programs.guessing import advice
from vcontract.runtime.imports.sources import Origin, Problem, SourceFile, Sources

_HEAD: Final = 65_536
_MAX_LISTED_FILES: Final = 5

_JSON: Final = "other JSON"
_TEXT: Final = "text in an unknown format"
_TABLE_WITHOUT_TEXT: Final = "a CSV table without a known column of what was said"
_UNKNOWN: Final = "a file of an unknown kind"
_MEDIA: Final = "a recording, video or picture"
_DOCUMENT: Final = "a PDF, RTF or old Office document"
_WEB_PAGE: Final = "a web page"
_PAGE: Final = rb"\s*+<(?i:!doctype html|html|\?xml)"
_PAGES: Final = (
    ("Telegram's export as HTML", rb'class="page_body chat_page', "Export again with format JSON"),
    (
        "Messenger's or Instagram's export as HTML",
        rb'class="_a70\w|class="[^"]*\b_a6-[a-z]\b',
        "Ask for the information again with format JSON",
    ),
    ("Discord's export as HTML", rb"DiscordChatExporter", "Export again with format JSON"),
    ("ChatGPT's export as HTML", rb"ChatGPT Data Export", "Import conversations.json, which lies beside it"),
    (
        "an iMessage export as HTML",
        rb'class="(?:sent|received) (?:iMessage|SMS)',
        "Import chat.db of ~/Library/Messages, from which it was made",
    ),
    (
        "Google Voice's export",
        rb'class="hChatLog',
        "It has no other form, and is not read: save its text as .txt, each line as NAME: text",
    ),
)
"""Exports of programs as web pages: what they are, what shows it, and what to import instead."""
_CURES: Final = {
    **{kind: cure for kind, _, cure in _PAGES},
    _MEDIA: "Import its transcript",
    _DOCUMENT: "Save it as .docx or .txt and import that",
    _WEB_PAGE: "Import the program's own export, or save the text as .txt",
}
_LOOKS: Final = tuple(
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
        (
            _MEDIA,
            rb"RIFF....(?:WAVE|WEBP|AVI )|ID3|OggS|fLaC|\xff[\xf2\xf3\xfb\xd8]|....ftyp|\x1a\x45\xdf\xa3"
            rb"|\x89PNG|GIF8|BM....\0\0\0\0|II\*\0|MM\0\*",
        ),
        (_DOCUMENT, rb"%PDF-|\{\\rtf|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("an SQLite database of an unknown program", rb"SQLite format 3\0"),
        ("an Outlook data file; export single messages from Outlook", rb"!BDN"),
        ("an archive without conversations", rb"PK\x03\x04|7z\xbc\xaf\x27\x1c|.{257}ustar"),
        ("contacts", rb"\s*+BEGIN:VCARD"),
        *((kind, _PAGE + rb".*?(?:" + mark + rb")") for kind, mark, _ in _PAGES),
        (_WEB_PAGE, rb"(?i:\s*+<(?:!doctype html|html))"),
        (_JSON, rb"\s*+[\[{]"),
        ("an empty file", rb"\s*+\Z"),
        (_TEXT, rb"[\t\n\f\r\x20-\xff]*+\Z"),
        (_UNKNOWN, rb""),
    )
)


_UNCERTAIN: Final = frozenset({_JSON, _TEXT, _UNKNOWN, "an empty file"})
_BEGINS_NO_JSON: Final = re.compile(
    rb"\s*+(?:\[\d{1,4}[:/-]\d|\[\d{1,2}\.\d{1,2}\."
    rb"|(?!(?:true|false|null|-?\d[\d.eE+-]*+)[ \t\r]*+(?:\n|\Z))[^\s\[{\"])"
)
_ROW: Final = rb"[^\n{},;\t]*+[,;\t][^\n{}]*+\n"
_TABLE: Final = re.compile(_ROW + _ROW)


def non_json_kind(head: bytes) -> str | None:
    """Return what a file is if it is certainly not JSON; None if it may be."""
    look = next((kind for kind, pattern in _LOOKS if pattern.match(head)), None)
    if look not in _UNCERTAIN:
        return look
    if look == "an empty file" or not _BEGINS_NO_JSON.match(head):
        return None
    if look == _UNKNOWN:
        return look
    return _TABLE_WITHOUT_TEXT if _TABLE.match(head) else _TEXT


def non_json_problem(head: bytes) -> str | None:
    """Return the same as a sentence with advice; None if the file may be JSON."""
    look = non_json_kind(head)
    if look is None:
        return None
    cure = advice(head) if look in (_TABLE_WITHOUT_TEXT, _TEXT) else _CURES.get(look, "")
    return f"This is {look}. {cure}".rstrip()


def unknown_type_problem(file: SourceFile) -> Problem:
    """Explain why a file in a folder was skipped."""
    return Problem(Origin(file.name), "", "unknown file type; name the file to try it")


def file_kinds(sources: Sources, explained: Collection[str] = ()) -> list[tuple[str, str]]:
    """Describe the first files by name, except those whose error already says it."""
    found: list[tuple[str, str]] = []
    for file in (*sources.files, *sources.ignored):
        if file.name in explained:
            continue
        is_ignored = file in sources.ignored
        if len(found) < _MAX_LISTED_FILES and (look := _look_of(file, is_ignored=is_ignored)) is not None:
            found.append((file.name, look))
    return found


def _look_of(file: SourceFile, *, is_ignored: bool) -> str | None:
    """Describe a file; for one skipped by its name, say how to import it anyway."""
    if file.path is None or not file.path.is_file():
        return None
    try:
        with file.path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    if is_ignored and (known := format_of_file(head)) is not None:
        return f"a {known.title}: name the file to import it"
    look = non_json_kind(head) or next((kind for kind, pattern in _LOOKS if pattern.match(head)), None)
    return "JSON: name the file to import it" if is_ignored and look == _JSON else look
