"""When a recording began, as its program wrote it into the names of files and folders."""

import re
from datetime import UTC, datetime
from typing import Final

_IN_UTC: Final = re.compile(r"GMT(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)_")
"""A file of Zoom's cloud: `GMT20240305-100000_Recording.transcript.vtt`."""
_LOCAL: Final = re.compile(r"(?:\A|/)(\d{4})-(\d\d)-(\d\d) (\d\d)\.(\d\d)\.(\d\d) [^/]*/[^/]*\Z")
"""A folder of Zoom's program: `2024-03-05 11.00.00 Standup 123456789/chat.txt`, in a zone not told."""


def recorded_at(path: str) -> datetime | None:
    """The time in the path, taken for UTC; None where there is none."""
    found = _IN_UTC.search(path.rpartition("/")[2]) or _LOCAL.search(path)
    if found is None:
        return None
    try:
        year, month, day, hour, minute, second = (int(part) for part in found.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
