"""Looks: what a file that cannot be imported most likely is, told by its beginning."""

import re
from typing import Final

from vcontract.runtime.imports.sources import KINDS, Origin, Problem, SourceFile, Sources

_HEAD: Final = 65_536
_MOST_TOLD: Final = 5

_LOOKS: Final = tuple(
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
        ("a mail box", rb"From \S+ [^\n]*\d{4}\r?\n"),
        (
            "a mail",
            rb"(?i:(?:[!-9;-~]++:[^\n]*\n(?:[ \t][^\n]*\n)*+)*?"
            rb"(?:received|message-id|mime-version|subject):)",
        ),
        ("a ChatGPT export", rb"\s*+\[?+\s*+\{.*\"mapping\"\s*:\s*\{"),
        ("a Claude export", rb"\s*+\[?+\s*+\{.*\"chat_messages\"\s*:\s*\["),
        ("a Slack export", rb"\s*+\[\s*+\{.*\"ts\"\s*:\s*\"\d{10}\.\d{6}\""),
        (
            "a WhatsApp chat",
            rb"(?:\xef\xbb\xbf)?(?:\xe2\x80\x8e)?\[?\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}",
        ),
        ("captions", rb"(?:\xef\xbb\xbf)?(?:WEBVTT|1\r?\n\d\d:\d\d:\d\d,\d{3} --> )"),
        ("a sound recording", rb"RIFF....WAVE|ID3|OggS|fLaC|\xff[\xf2\xf3\xfb]|....ftypM4A"),
        ("a film", rb"....ftyp|\x1a\x45\xdf\xa3|RIFF....AVI "),
        ("a picture", rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP"),
        ("a PDF", rb"%PDF-"),
        ("a web page", rb"(?i:\s*+<(?:!doctype html|html))"),
        ("other JSON", rb"\s*+[\[{]"),
    )
)


def left_aside(file: SourceFile) -> Problem:
    """Why a file of a folder was not read."""
    return Problem(Origin(file.name), "", f"its name ends in none of {', '.join(KINDS)}")


def looks_of(sources: Sources) -> list[tuple[str, str]]:
    """The names of the first files whose beginning tells what they are, and that."""
    found: list[tuple[str, str]] = []
    for file in (*sources.files, *sources.ignored):
        if len(found) < _MOST_TOLD and (look := _look_of(file)) is not None:
            found.append((file.name, look))
    return found


def _look_of(file: SourceFile) -> str | None:
    if file.path is None or not file.path.is_file():
        return None
    try:
        with file.path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    return next((kind for kind, pattern in _LOOKS if pattern.match(head)), None)
