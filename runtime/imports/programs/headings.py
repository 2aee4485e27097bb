"""Read the lines before the first turn of a text: its subject, its date, and who was present."""

import re
from collections.abc import Sequence
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.export_times import date_in
from vcontract.runtime.imports.programs.guessing_hints import FRONT, SKIPPED

_MAX_TITLE_LENGTH: Final = 200
_MAX_HEADING: Final = 4_000
_MAX_LINES: Final = 40
_DESCRIBED: Final = re.compile(SKIPPED, re.IGNORECASE)
_TITLE: Final = re.compile(r"[ \t]*#{1,6}[ \t]+(?P<title>.*\S)")


def is_described(line: str) -> bool:
    """Whether a line only describes a conversation, such as `Duration: 3:00`."""
    return _DESCRIBED.match(line) is not None


def is_title(line: str) -> bool:
    """Whether a line is a heading of Markdown."""
    return _TITLE.match(line) is not None


def about_heading(heading: Sequence[str]) -> JsonObject:
    """Subject, date and ID that the lines before the first turn give, and these lines."""
    text = "\n".join(heading)[:_MAX_HEADING]
    found: JsonObject = {
        part: begins[1].strip()
        for part, pattern in FRONT.items()
        if (begins := re.search(pattern, text, re.MULTILINE))
    }
    title = next((each["title"] for line in heading if (each := _TITLE.match(line))), None)
    title = title or next(
        (line.strip() for line in heading if ":" not in line and not is_described(line)), None
    )
    if "subject" not in found and title and len(title) <= _MAX_TITLE_LENGTH:
        found["subject"] = title.strip("*_ ")
    if "began" not in found:
        date = next((date for line in heading[:_MAX_LINES] if (date := date_in(line))), None)
        found |= {"began": date.isoformat()} if date else {}
    return {**found, "heading": list[JsonValue](heading)} if heading else found
