"""Looks: what a file that cannot be imported most likely is, told by its beginning."""

import re
from typing import Final

from vcontract.runtime.imports.sources import KINDS, Origin, Problem, SourceFile, Sources

_HEAD: Final = 65_536
_MOST_TOLD: Final = 5

_LOOKS: Final = tuple(
    (kind, re.compile(pattern, re.DOTALL))
    for kind, pattern in (
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
