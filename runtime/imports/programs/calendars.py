"""Import calendars (iCalendar): one conversation per event."""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.imports.programs.conversation import (
    EXTENSION,
    About,
    Conversation,
    FileFormat,
    NotRead,
    Turn,
)
from vcontract.runtime.imports.programs.declarations import name_and_title

if TYPE_CHECKING:
    from icalendar import Component

    Property: TypeAlias = tuple[str, str, dict[str, str]]
    """Name, value as it is written, and parameters."""

_CALENDAR: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+BEGIN:VCALENDAR\b", re.IGNORECASE)
_KINDS: Final = ("VEVENT", "VTODO", "VJOURNAL")
"""Components that are conversations."""
_END_OF_EVENT: Final = re.compile(rb"(?im)^END:VEVENT[ \t\r]*$")
_END: Final = re.compile(rb"(?i)\nEND:VCALENDAR\s*+\Z")
_READ: Final = frozenset({"UID", "SUMMARY", "DESCRIPTION"})
_PERSONS: Final = frozenset({"", "INDIVIDUAL"})
"""Values of CUTYPE for people; others are groups, rooms and resources."""


def _read_calendar(data: bytes, about: About) -> Iterator[Conversation]:
    """Read the events in order; for a truncated file, the complete ones."""
    from icalendar import Calendar
    from icalendar.timezone import tzp

    tzp.use_default()  # forget time zones that other files defined under the same name
    whole, is_cut = _closed(data)
    try:
        calendars = Calendar.from_ical(whole, multiple=True)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise NotRead(f"is a calendar that cannot be read: {error}") from None
    count = 0
    for calendar in calendars:
        common = _details_of(_properties(calendar))
        for event in (part for kind in _KINDS for part in calendar.walk(kind)):
            count += 1
            yield _conversation(event, common, about)
    if is_cut:
        raise NotRead(f"is a calendar that breaks off; read is what comes before: {count} events")
    if not count:
        raise NotRead("is a calendar without events")


def _closed(data: bytes) -> tuple[bytes, bool]:
    """Close a truncated calendar after its last complete event. Returns whether it was truncated."""
    if _END.search(data[-200:]):
        return data, False
    ends = [found.end() for found in _END_OF_EVENT.finditer(data)]
    if not ends:
        raise NotRead("is a calendar that breaks off before the end of its first event")
    return data[: ends[-1]] + b"\r\nEND:VCALENDAR\r\n", True


def _conversation(event: "Component", common: JsonObject, about: About) -> Conversation:
    properties = list(_properties(event))
    written = {name: value for name, value, _ in properties}
    begin = _moment(event, "DTSTART") or _moment(event, "DUE") or _moment(event, "DTSTAMP")
    end = _moment(event, "DTEND")
    conversation = Conversation(
        " ".join(filter(None, (_identity(written), written.get("RECURRENCE-ID")))),
        _text(event, "SUMMARY") or None,
        left=_details_of(each for each in properties if each[0] not in _READ),
        began=begin or about.modified,
        is_date_guessed=begin is None and about.is_guess,
    )
    keys = [
        _party(conversation, value, parameters, name)
        for name, value, parameters in sorted(properties, key=lambda each: each[0] != "ORGANIZER")
        if name in ("ORGANIZER", "ATTENDEE")
    ]
    conversation.turns.append(
        Turn(
            keys[0] if keys else conversation.speaker("calendar", "Calendar", kind=""),
            _text(event, "DESCRIPTION") or _text(event, "SUMMARY"),
            begin,
            seconds=_duration(event, begin, end),
            message_id=written.get("UID"),
        )
    )
    inside: list[JsonValue] = [
        {"component": part.name, **_details_of(_properties(part))} for part in event.subcomponents
    ]
    conversation.left |= {"components": inside} if inside else {}
    conversation.left |= {"calendar": common} if common else {}
    if event.errors:
        conversation.left["not_understood"] = [f"{name or 'a line'}: {fault}" for name, fault in event.errors]
    return conversation


def _identity(written: dict[str, str]) -> str:
    return written.get("UID") or hashlib.sha256(repr(sorted(written.items())).encode()).hexdigest()


def _party(conversation: Conversation, value: str, parameters: dict[str, str], name: str) -> str:
    """Add an invited party with its address; details of the invitation are in `meta`."""
    address = re.sub(r"(?i)\Amailto:", "", value)
    details: JsonObject = {key.lower(): said for key, said in parameters.items() if key != "CN"}
    key = conversation.speaker(
        address.lower(),
        parameters.get("CN") or address,
        kind="person" if parameters.get("CUTYPE", "").upper() in _PERSONS else "",
        mailto=address if "@" in address else None,
        role="organizer" if name == "ORGANIZER" else "attendee",
    )
    if details:
        party = conversation.parties[key]
        party["meta"] = {EXTENSION: details}  # for an organizer who attends, keep what the attendance says
    return key


def _properties(component: "Component") -> "Iterator[Property]":
    """Properties of the component itself, in order."""
    for name, value in component.property_items(recursive=False, sorted=False):
        if isinstance(value, bytes):  # BEGIN and END of the component
            continue
        written = value.to_ical()
        parameters = {
            str(key): said if isinstance(said, str) else ",".join(said) for key, said in value.params.items()
        }
        text = written.decode("utf-8", "replace") if isinstance(written, bytes) else written
        yield name.upper(), text, parameters


def _details_of(properties: "Iterator[Property]") -> JsonObject:
    """Convert properties to members. With parameters, a property is an object; repeated ones form an
    array.
    """
    details: JsonObject = {}
    for name, value, parameters in properties:
        one: JsonValue = {"value": value, **parameters} if parameters else value
        key = name.lower()
        details[key] = [*_several(details[key]), one] if key in details else one
    return details


def _several(value: JsonValue) -> list[JsonValue]:
    return array(value) if isinstance(value, list) else [value]


def _text(event: "Component", name: str) -> str:
    value = event.get(name)
    first = value[0] if isinstance(value, list) and value else value
    return str(first).strip() if isinstance(first, str) else ""


def _moment(event: "Component", name: str) -> datetime | None:
    """Time of a property. Without a zone it is UTC; a date is its first instant."""
    value = getattr(event.get(name), "dt", None)
    if isinstance(value, datetime):
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.combine(value, time(), UTC) if isinstance(value, date) else None


def _duration(event: "Component", begin: datetime | None, end: datetime | None) -> float | None:
    given = getattr(event.get("DURATION"), "dt", None)
    if isinstance(given, timedelta):
        return max(0.0, given.total_seconds())
    if begin is None or end is None or end < begin:
        return None
    return (end - begin).total_seconds()


ICALENDAR = FileFormat(
    *name_and_title("icalendar"),
    lambda head: _CALENDAR.match(head) is not None,
    _read_calendar,
)
