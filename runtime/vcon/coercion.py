"""Correct top-level members of a vCon with the wrong JSON type, such as numbers for the subject or dates."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from vcontract.runtime.frame.documents.findings import Notice, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import is_array
from vcontract.runtime.vcon.times import format_time

_TEXTS: Final = ("vcon", "subject")
_DATES: Final = ("created_at", "updated_at")
_ARRAYS: Final = ("parties", "dialog", "analysis", "attachments")
_NAMES: Final = ("extensions", "critical")
_MILLISECONDS: Final = 100_000_000_000
"""A larger number of seconds would be three thousand years ahead, so it counts milliseconds."""


def coerced(vcon: JsonObject) -> tuple[JsonObject, tuple[Notice, ...]]:
    """Return the vCon with numbers in its version, subject and dates converted; and notices.

    A number keeps its digits. A number for a date counts seconds or milliseconds since 1970; one that is no
    possible date becomes text. A null among parties, dialogs, analyses or attachments becomes an empty
    object, so that no index changes. Nulls in `extensions` and `critical` are dropped.
    """
    changes = {path: change for name, value in vcon.items() for path, change in _changes(name, value)}
    if not changes:
        return vcon, ()
    result = dict(vcon)
    notices: list[Notice] = []
    for (name, index), (value, message) in changes.items():
        if index is None:
            result[name] = value
        else:
            result[name] = [*result[name]]
            result[name][index] = value
        place = (name,) if index is None else (name, index)
        notices.append(Notice("value_translated", message, path_of(place)))
    for name in _NAMES:
        if is_array(result.get(name)):
            result[name] = [value for value in result[name] if value is not None]
    return result, tuple(notices)


def _changes(name: str, value: JsonValue) -> Iterator[tuple[tuple[str, int | None], tuple[JsonValue, str]]]:
    if name in (*_TEXTS, *_DATES) and isinstance(value, int | float) and not isinstance(value, bool):
        date = _date(value) if name in _DATES else None
        if date is not None:
            yield (name, None), (date, f"A number, read as seconds or milliseconds since 1970: {date}.")
        else:
            yield (name, None), (dump_json(value).decode(), "A number, kept as its text.")
    elif name in (*_ARRAYS, *_NAMES) and is_array(value):
        for index, element in enumerate(value):
            if element is None:
                kept = "an empty object" if name in _ARRAYS else "nothing"
                yield (name, index), ({} if name in _ARRAYS else None, f"A null, read as {kept}.")


def _date(value: float) -> str | None:
    try:
        return format_time(datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None
