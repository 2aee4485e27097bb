"""Event times: text as written, with the interval it means."""

from datetime import datetime

from vcontract.handlers.bridge.answers import Notices
from vcontract.runtime.store.bridge.records import EventTime
from vcontract.runtime.text.dates import TimeReader
from vcontract.runtime.text.iso_dates import UnreadableTime
from vcontract.runtime.vcon.times import format_time


def event_time(times: TimeReader, text: str, now: datetime, notices: Notices) -> EventTime:
    """Parse an event time. If it is not understood, it has no interval, and a warning is added."""
    try:
        found = times.read(text, now)
        reason = "it has no end" if found.end is None else "it has no beginning"
    except UnreadableTime as unreadable:
        found, reason = None, unreadable.reason
    if found is None or found.start is None or found.end is None:
        notices.warn(
            "when_unresolved",
            f'when "{text[:60]}" is kept as text, and no when filter finds it: {reason}.',
        )
        return EventTime(text)
    if found.start > now:
        notices.warn("when_in_future", f"when is in the future: {format_time(found.start)}.")
    return EventTime(text, found.start, found.end, found.zone, found.precision)
