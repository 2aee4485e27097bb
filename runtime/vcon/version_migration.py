"""Write a vCon in another version of the syntax: 0.4.0 as 0.5.0, and 0.5.0 as 0.4.0.

Members without a place in the other version are kept in `kept_from`, by the version that they come from. So
going back gives the vCon that was there before.

Source: draft-ietf-vcon-vcon-core-04 and -05: party_history and the dialog type transfer became sessions and
events; redacted and amended became redacted_from and amended_from.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from vcontract.runtime.frame.documents.findings import Notice, Step, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.vcon.pointers import pointers
from vcontract.runtime.vcon.times import format_time, read_time

KEPT: Final = "kept_from"
WRITABLE_VERSIONS: Final = ("0.4.0", "0.5.0")

_RENAMED: Final = (("redacted", "redacted_from"), ("amended", "amended_from"))
PARTY_EVENTS: Final = ("join", "drop", "hold", "unhold", "mute", "unmute")
KEY_EVENTS: Final = ("keydown", "keyup")
TRANSFER_EVENTS: Final = (
    "consultation-start",
    "blind-transfer",
    "consultative-transfer",
    "transfer-abandoned",
)
_DONE: Final = ("blind-transfer", "consultative-transfer")
_ROLES: Final = ("original", "consultation", "target_dialog")
"""Members of a transfer dialog that name the dialog of its two or three calls."""


@dataclass(frozen=True, slots=True)
class Migrated:
    """A vCon in the version asked for, with everything that was inferred, moved or kept aside."""

    vcon: JsonObject
    notices: tuple[Notice, ...]


def migrate_version(vcon: JsonObject, version: str) -> Migrated:
    """Return the vCon in a version of `WRITABLE_VERSIONS`. The argument does not change.

    A vCon that names no version, or an older one, is read as 0.4.0; legacy names must be translated.
    """
    is_050 = vcon.get("vcon") == "0.5.0"
    if is_050 == (version == "0.5.0"):
        return Migrated(vcon if is_050 else {**vcon, "vcon": version}, ())
    return _upgraded(vcon) if version == "0.5.0" else _downgraded(vcon)


def _upgraded(vcon: JsonObject) -> Migrated:
    kept = members(members(vcon.get(KEPT)).get("0.5.0"))
    if kept and _Downgrade(before := _restored(vcon, kept)).run() == vcon:
        return Migrated(before, ())
    work = _Upgrade(vcon)
    return Migrated(work.run(), tuple(work.notices))


def _downgraded(vcon: JsonObject) -> Migrated:
    kept = members(members(vcon.get(KEPT)).get("0.4.0"))
    if kept and _Upgrade(before := _restored(vcon, kept)).run() == vcon:
        return Migrated(before, ())
    work = _Downgrade(vcon)
    return Migrated(work.run(), tuple(work.notices))


def _restored(vcon: JsonObject, kept: JsonObject) -> JsonObject:
    """The vCon with the members of another version in place of those made from them."""
    gone = {KEPT, *kept.get("without", [])}
    replaced = members(kept.get("members"))
    shared = {name: value for name, value in vcon.items() if name not in gone}
    result = {**shared, **deepcopy(replaced)}
    order: list[str] = [name for name in kept.get("order", []) if name in result]
    return {name: result[name] for name in [*order, *(name for name in result if name not in order)]}


def _kept(before: JsonObject, after: JsonObject, version: str) -> JsonObject:
    """What going back needs: the members that differ, those that are new, and the order of members."""
    changed = {name: value for name, value in before.items() if after.get(name, _ABSENT) != value}
    without = [name for name in after if name not in before]
    return {version: {"members": deepcopy(changed), "without": without, "order": list(before)}}


_ABSENT: Final = object()


@dataclass(slots=True)
class _Work:
    vcon: JsonObject
    notices: list[Notice] = field(default_factory=list[Notice])

    def note(self, code: str, message: str, *steps: Step) -> None:
        self.notices.append(Notice(code, message, path_of(steps)))

    def starts(self) -> dict[int, datetime]:
        """Start of each dialog that has one, by index."""
        return {
            index: at
            for index, element in objects(self.vcon.get("dialog"))
            if isinstance(start := element.get("start"), str) and (at := read_time(start)) is not None
        }

    def ends(self) -> Iterator[datetime]:
        for index, at in self.starts().items():
            duration = self.vcon["dialog"][index].get("duration")
            yield at + timedelta(seconds=duration) if isinstance(duration, int | float) else at


class _Upgrade(_Work):
    """0.4.0 to 0.5.0."""

    def run(self) -> JsonObject:
        before = self.vcon
        self.vcon = {**deepcopy(before), "vcon": "0.5.0"}
        for name in ("redacted", "amended", "group"):
            if self.vcon.get(name, _ABSENT) in ({}, [], None):
                del self.vcon[name]
                self.note("empty_member_left_out", "It was empty, as versions before 0.3.0 write it.", name)
        for old, new in _RENAMED:
            if old in self.vcon:
                self.vcon = {new if name == old else name: each for name, each in self.vcon.items()}
        events = list(self._party_events())
        transfers = list(self._transfers())
        moved = self._without_transfers({index for index, _ in transfers})
        for event in events:
            event["dialog"] = moved.get(event["dialog"])
        events = [{name: value for name, value in event.items() if value is not None} for event in events]
        sessions = self._sessions()
        for index, element in transfers:
            events += self._transfer_events(index, element, sessions, moved)
        if sessions:
            self.vcon["sessions"] = sessions
        if events:
            self.vcon["events"] = events
        if transfers or any("party_history" in element for _, element in objects(before.get("dialog"))):
            self.vcon[KEPT] = _kept(before, self.vcon, "0.4.0")
        return self.vcon

    def _party_events(self) -> Iterator[JsonObject]:
        for index, element in objects(self.vcon.get("dialog")):
            for number, event in objects(element.pop("party_history", None)):
                kind, at = event.get("event"), (index, "party_history", number)
                rest = {name: value for name, value in event.items() if name != "event"}
                if kind not in (*PARTY_EVENTS, *KEY_EVENTS):
                    self.note(
                        "event_not_converted", f"The event {kind!r} has no name in 0.5.0.", "dialog", *at
                    )
                    continue
                if as_index(rest.get("party")) is None or not isinstance(rest.get("time"), str):
                    self.note("event_not_converted", "The event names no party or no time.", "dialog", *at)
                    continue
                # the session is the first one, which all dialog belongs to
                yield {"type": kind, "session": 0, "dialog": index, **rest}

    def _transfers(self) -> Iterator[tuple[int, JsonObject]]:
        for index, element in objects(self.vcon.get("dialog")):
            if element.get("type") == "transfer":
                yield index, element

    def _without_transfers(self, gone: set[int]) -> dict[int, int]:
        """Take the transfer dialogs out, and correct every index. Returns new indexes by old ones."""
        dialog = array(self.vcon.get("dialog"))
        left = [index for index in range(len(dialog)) if index not in gone]
        moved = {old: new for new, old in enumerate(left)}
        if not gone:
            return moved
        for found in list(pointers(self.vcon)):
            if found.array == "dialog" and found.steps[:1] != ("dialog",):
                self._repoint(found.steps, found.index, moved)
        self.vcon["dialog"] = [dialog[index] for index in left]
        for element in self.vcon["dialog"]:
            for name in ("recordings", "recording_set") if is_object(element) else ():
                if name in element:
                    element[name] = _mapped(element[name], moved)
        for name in ("analysis", "attachments"):
            for _, element in objects(self.vcon.get(name)):
                if is_array(element.get("dialog")):
                    element["dialog"] = [index for index in element["dialog"] if index is not None]
        return moved

    def _repoint(self, steps: tuple[Step, ...], index: int, moved: Mapping[int, int]) -> None:
        place: JsonValue = self.vcon
        for step in steps[:-1]:
            place = place[step]
        if index in moved or index >= len(array(self.vcon.get("dialog"))):
            place[steps[-1]] = moved.get(index, index - len(array(self.vcon.get("dialog"))) + len(moved))
            return
        self.note("reference_dropped", "It referred to a transfer, which is an event in 0.5.0.", *steps)
        if is_array(place):
            place[int(steps[-1])] = None  # taken out once all positions have been read
        else:
            del place[steps[-1]]

    def _sessions(self) -> list[JsonObject]:
        """The session that all dialog belongs to, first of the list; none where there is no dialog."""
        dialog = objects(self.vcon.get("dialog"))
        if not dialog:
            return [{}] if self.vcon.get("dialog") else []
        session: JsonObject = {}
        starts = self.starts()
        if starts:
            first = min(starts.values())
            session["start"] = format_time(first)
            length = (max(self.ends()) - first).total_seconds()
            if length > 0:
                session["duration"] = int(length) if length == int(length) else length
        session["parties"] = _indices(
            element.get(name) for _, element in dialog for name in ("parties", "originator")
        )
        session["dialog"] = [index for index, _ in dialog]
        return [session]

    def _transfer_events(
        self, index: int, element: JsonObject, sessions: list[JsonObject], moved: Mapping[int, int]
    ) -> Iterator[JsonObject]:
        if not sessions:
            sessions.append({})
        roles: dict[str, int] = {}
        for role in _ROLES:
            if role in element or role != "consultation":
                roles[role] = self._session_of(element.get(role), sessions, moved, index, role)
        time = self._time_of(index, element, roles, sessions)
        parties: JsonObject = {}
        for name in ("transferor", "transferee", "transfer_target"):
            parties[name] = self._party_of(element.get(name), index, name)
        given = {"time": time, "session": roles["original"], "party": parties["transferor"]}
        given |= {name: parties[name] for name in ("transferee", "transfer_target")}
        known = {"type", "start", "transferor", "transferee", "transfer_target", *_ROLES}
        rest = {name: value for name, value in element.items() if name not in known}
        if "consultation" in roles:
            consultation = {"consultation": roles["consultation"]}
            began = sessions[roles["consultation"]].get("start")
            if isinstance(began, str):
                yield {"type": "consultation-start", **given, "time": began, **consultation}
            yield {
                "type": "consultative-transfer",
                **given,
                **consultation,
                "target_session": roles["target_dialog"],
                **rest,
            }
            return
        yield {"type": "blind-transfer", **given, "target_session": roles["target_dialog"], **rest}

    def _session_of(
        self, value: JsonValue, sessions: list[JsonObject], moved: Mapping[int, int], index: int, role: str
    ) -> int:
        """Index of the session with exactly the dialog of this call. Adds one if none has."""
        dialog = sorted({moved[old] for old in _indices([value]) if old in moved})
        for number, session in enumerate(sessions[1:], 1):
            if dialog and session.get("dialog") == dialog:
                return number
        if not dialog:
            self.note("session_placeholder", f"Nothing is known of the call {role!r}.", "dialog", index)
            sessions.append({})
        else:
            part = [self.vcon["dialog"][each] for each in dialog]
            starts = [each["start"] for each in part if isinstance(each.get("start"), str)]
            made: JsonObject = {"start": starts[0]} if starts else {}
            if len(part) == 1 and isinstance(duration := part[0].get("duration"), int | float):
                made["duration"] = duration
            made |= {"parties": _indices(each.get("parties") for each in part), "dialog": dialog}
            sessions.append(made)
        number = len(sessions) - 1
        sessions[0].setdefault("sessions", []).append({"session": number, "type": "child"})
        return number

    def _time_of(
        self, index: int, element: JsonObject, roles: Mapping[str, int], sessions: list[JsonObject]
    ) -> str:
        if isinstance(start := element.get("start"), str):
            return start
        for session in (roles["target_dialog"], roles["original"], 0):
            if isinstance(start := sessions[session].get("start"), str):
                self.note("time_inferred", f"The transfer has no time; {start} was taken.", "dialog", index)
                return start
        created = str(self.vcon.get("created_at") or "1970-01-01T00:00:00Z")
        self.note("time_inferred", f"The transfer has no time; {created} was taken.", "dialog", index)
        return created

    def _party_of(self, value: JsonValue, index: int, name: str) -> int:
        found = _indices([value])
        if not found:
            self.vcon.setdefault("parties", []).append({})
            self.note(
                "party_placeholder",
                f"The transfer names no {name}; an empty party stands for it.",
                "dialog",
                index,
            )
            return len(self.vcon["parties"]) - 1
        if len(found) > 1:
            self.note(
                "party_left_out", f"Only the first {name} of {len(found)} is in the event.", "dialog", index
            )
        return found[0]


class _Downgrade(_Work):
    """0.5.0 to 0.4.0."""

    def run(self) -> JsonObject:
        before = self.vcon
        self.vcon = {**deepcopy(before), "vcon": "0.4.0"}
        for old, new in _RENAMED:
            if new in self.vcon:
                self.vcon = {old if name == new else name: each for name, each in self.vcon.items()}
        sessions = [each for _, each in objects(self.vcon.pop("sessions", None))]
        events = objects(self.vcon.pop("events", None))
        for index, event in events:
            self._take(index, event, sessions)
        if sessions or events:
            self.note("kept_aside", f"Sessions and events as they were are kept in {KEPT}.", KEPT)
            self.vcon[KEPT] = _kept(before, self.vcon, "0.5.0")
        return self.vcon

    def _take(self, index: int, event: JsonObject, sessions: list[JsonObject]) -> None:
        kind = event.get("type")
        if kind in (*PARTY_EVENTS, *KEY_EVENTS):
            self._to_history(index, event, sessions)
        elif kind in _DONE:
            self.vcon.setdefault("dialog", []).append(self._transfer(event, sessions))
            self.note("event_converted", f"The {kind} is the last dialog, of type transfer.", "events", index)
        else:
            self.note("event_kept_aside", f"0.4.0 has no place for {kind!r}.", "events", index)

    def _to_history(self, index: int, event: JsonObject, sessions: list[JsonObject]) -> None:
        target = as_index(event.get("dialog"))
        dialog = array(self.vcon.get("dialog"))
        if target is None or target >= len(dialog) or not is_object(dialog[target]):
            target = self._nearest(event, sessions)
            if target is None:
                self.note("event_kept_aside", "No dialog belongs to its session.", "events", index)
                return
            self.note("dialog_inferred", f"It is in the party_history of dialog {target}.", "events", index)
        taken = ("type", "session", "dialog")
        rest = {name: value for name, value in event.items() if name not in taken}
        dialog[target].setdefault("party_history", []).append({"event": event["type"], **rest})

    def _nearest(self, event: JsonObject, sessions: list[JsonObject]) -> int | None:
        """The dialog of the event's session that began last before it, else the session's first."""
        number = as_index(event.get("session"))
        session = sessions[number] if number is not None and number < len(sessions) else {}
        dialog = array(self.vcon.get("dialog"))
        within = [
            each
            for each in _indices([session.get("dialog")])
            if each < len(dialog) and is_object(dialog[each])
        ]
        at, starts = read_time(str(event.get("time"))), self.starts()
        before = [each for each in within if at is not None and each in starts and starts[each] <= at]
        return max(before, key=lambda each: starts[each]) if before else within[0] if within else None

    def _transfer(self, event: JsonObject, sessions: list[JsonObject]) -> JsonObject:
        made: JsonObject = {"type": "transfer", "start": event.get("time")}
        for name, source in (
            ("transferee", "transferee"),
            ("transferor", "party"),
            ("transfer_target", "transfer_target"),
        ):
            if source in event:
                made[name] = event[source]
        roles = (
            ("original", "session"),
            ("consultation", "consultation"),
            ("target_dialog", "target_session"),
        )
        for name, source in roles:
            number = as_index(event.get(source))
            session = sessions[number] if number is not None and number < len(sessions) else {}
            if dialog := _indices([session.get("dialog")]):
                made[name] = dialog[0] if len(dialog) == 1 else dialog
        taken = {
            "type",
            "time",
            "session",
            "party",
            "transferee",
            "transfer_target",
            "consultation",
            "target_session",
        }
        return {**made, **{name: value for name, value in event.items() if name not in taken}}


def _indices(values: Iterable[JsonValue]) -> list[int]:
    """All indexes in values and arrays of them, each once, in order."""
    found: dict[int, None] = {}
    for value in values:
        if is_array(value):
            found |= dict.fromkeys(_indices(value))
        elif (index := as_index(value)) is not None:
            found[index] = None
    return sorted(found)


def _mapped(value: JsonValue, moved: Mapping[int, int]) -> JsonValue:
    if is_array(value):
        return [_mapped(each, moved) for each in value]
    index = as_index(value)
    return value if index is None else moved.get(index, index)
