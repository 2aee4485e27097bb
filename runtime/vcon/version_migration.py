"""Write a vCon in another version of the syntax: 0.4.0 as 0.5.0, and 0.5.0 as 0.4.0.

The member `kept_from` has the transfers, party_history, sessions and events without a place in the other
version, never texts or media. So going back gives the vCon that was there before.

Source: draft-ietf-vcon-vcon-core-04 and -05: party_history and the dialog type transfer became sessions and
events; redacted and amended became redacted_from and amended_from.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from vcontract.runtime.frame.documents.findings import Notice, Step, path_of, quoted
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
_SINCE_050: Final = ("sessions", "events", "redacted_from", "amended_from")
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
        return _renamed(vcon, version)
    return _upgraded(vcon) if version == "0.5.0" else _downgraded(vcon)


def only_version(vcon: JsonObject) -> str | None:
    """The version that has the members of a vCon; None if both have them."""
    if any(name in vcon for name in _SINCE_050):
        return "0.5.0"
    return "0.4.0" if _has_events(vcon) or "redacted" in vcon or "amended" in vcon else None


def written(vcon: JsonObject, version: str) -> JsonObject:
    """A vCon that was made here as 0.4.0, in the version to write. Nothing of it is kept for a way back."""
    if only_version(vcon) == version == "0.5.0":
        return with_new_dialog({**vcon, "vcon": version})
    migrated = migrate_version(vcon, version).vcon
    return {name: value for name, value in migrated.items() if name != KEPT}


def session_of_all(vcon: JsonObject) -> JsonObject:
    """One session with all dialog of a vCon: when it began, how long it took, and who was in it."""
    return _session_of(vcon, objects(vcon.get("dialog")))


def with_new_dialog(vcon: JsonObject) -> JsonObject:
    """A vCon of 0.5.0 in which dialog that no session has belongs to the first one. Others stay the same."""
    if vcon.get("vcon") != "0.5.0" or not objects(vcon.get("dialog")):
        return vcon
    sessions = array(vcon.get("sessions"))
    if not sessions or not is_object(sessions[0]):
        return {**vcon, "sessions": [session_of_all(vcon), *sessions[1:]]}
    known = {*_indices(each.get("dialog") for _, each in objects(sessions))}
    if all(index in known for index, _ in objects(vcon["dialog"])):
        return vcon
    first = sessions[0]
    own = {*_indices([first.get("dialog")])}
    added = [(at, each) for at, each in objects(vcon["dialog"]) if at in own or at not in known]
    session = _session_of(vcon, [*added, (-1, first)])
    session["parties"] = _indices([first.get("parties"), session["parties"]])
    session["dialog"] = [index for index, _ in added]
    return {**vcon, "sessions": [{**first, **session}, *sessions[1:]]}


def _session_of(vcon: JsonObject, dialog: list[tuple[int, JsonObject]]) -> JsonObject:
    session: JsonObject = {}
    if spans := list(_spans(dialog)):
        first = min(begin for begin, _ in spans)
        session["start"] = format_time(first)
        length = (max(end for _, end in spans) - first).total_seconds()
        if length > 0:
            session["duration"] = int(length) if length == int(length) else length
    people = len(array(vcon.get("parties")))
    named = _indices(element.get(name) for _, element in dialog for name in ("parties", "originator"))
    session["parties"] = [index for index in named if index < people]
    session["dialog"] = [index for index, _ in dialog]
    return session


def _spans(dialog: Iterable[tuple[int, JsonObject]]) -> Iterator[tuple[datetime, datetime]]:
    """Start and end of each dialog that has a start."""
    for _, element in dialog:
        start, duration = element.get("start"), element.get("duration")
        if isinstance(start, str) and (at := read_time(start)) is not None:
            yield at, at
            if isinstance(duration, int | float) and 0 <= duration <= _MAX_SECONDS:
                yield at, at + timedelta(seconds=duration)


_MAX_SECONDS: Final = 10**9
"""A longer duration is a mistake, and may lead beyond the last date."""


def _renamed(vcon: JsonObject, version: str) -> Migrated:
    """The vCon with the version alone replaced."""
    if vcon.get("vcon") == version:
        return Migrated(vcon, ())
    named = vcon.get("vcon")
    before = f"It was {quoted(named)}" if isinstance(named, str) else "It was not named"
    notice = Notice("version_renamed", f"{before}; the members of {version} are the same.", "$.vcon")
    return Migrated({**vcon, "vcon": version}, (notice,))


def _upgraded(vcon: JsonObject) -> Migrated:
    kept = members(members(vcon.get(KEPT)).get("0.5.0"))
    if kept and (before := _before_downgrade(vcon, kept)) and _is_one(_Downgrade(before).run(), vcon):
        return Migrated(before, ())
    work = _Upgrade(vcon)
    return Migrated(work.run(), tuple(work.notices))


def _downgraded(vcon: JsonObject) -> Migrated:
    kept = members(members(vcon.get(KEPT)).get("0.4.0"))
    if kept and (before := _before_upgrade(vcon, kept)) and _is_one(_Upgrade(before).run(), vcon):
        return Migrated(before, ())
    work = _Downgrade(vcon)
    return Migrated(work.run(), tuple(work.notices))


def _is_one(one: JsonObject, other: JsonObject) -> bool:
    """Whether two vCons are equal but for what is kept for the way back."""
    return {**one, KEPT: None} == {**other, KEPT: None}


# Going back. What `kept_from` says may be wrong, or old: the result is used only if migrating it again gives
# the vCon that it was made from.


def _before_upgrade(vcon: JsonObject, kept: JsonObject) -> JsonObject | None:
    """The 0.4.0 vCon that became this one: its transfers and party_history in their places again."""
    gone = {KEPT, "vcon", "sessions", "events"}
    before = deepcopy({name: value for name, value in vcon.items() if name not in gone})
    transfers = {
        int(index): element for index, element in members(kept.get("transfers")).items() if index.isdecimal()
    }
    left = array(before.get("dialog"))
    if any(index >= len(left) + len(transfers) for index in transfers):
        return None
    if transfers:
        places = [index for index in range(len(left) + len(transfers)) if index not in transfers]
        _repoint_all(before, dict(enumerate(places)), len(left), len(transfers))
        whole = dict(zip(places, left, strict=True)) | deepcopy(transfers)
        before["dialog"] = [whole[index] for index in sorted(whole)]
    for index, element in objects(before.get("dialog")):
        if (history := members(kept.get("party_history")).get(str(index))) is not None:
            element["party_history"] = deepcopy(history)
    for name, references in members(kept.get("references")).items():
        for index, element in objects(before.get(name)):
            if str(index) in members(references):
                element["dialog"] = references[str(index)]
    if (count := as_index(kept.get("parties"))) is not None:
        before["parties"] = array(before.get("parties"))[:count]
    return _in_order(_with_names(before, _NEW_TO_OLD), kept)


def _before_downgrade(vcon: JsonObject, kept: JsonObject) -> JsonObject | None:
    """The 0.5.0 vCon that became this one: its sessions and events instead of what was made of them."""
    gone = {KEPT, "vcon"}
    before = deepcopy({name: value for name, value in vcon.items() if name not in gone})
    if (count := as_index(kept.get("dialog"))) is not None and "dialog" in before:
        before["dialog"] = array(before["dialog"])[:count]
        if not count and "dialog" not in array(kept.get("order")):
            del before["dialog"]
    for index, element in objects(before.get("dialog")):
        if str(index) in members(kept.get("party_history")):
            element["party_history"] = deepcopy(kept["party_history"][str(index)])
        else:
            element.pop("party_history", None)
    return _in_order(_with_names(before, _OLD_TO_NEW), kept)


def _in_order(vcon: JsonObject, kept: JsonObject) -> JsonObject:
    """With the members that were kept whole, and all members in the order of before."""
    result = vcon | deepcopy(members(kept.get("members")))
    order: list[str] = [name for name in array(kept.get("order")) if name in result]
    return {name: result[name] for name in [*order, *(name for name in result if name not in order)]}


_OLD_TO_NEW: Final = dict(_RENAMED)
_NEW_TO_OLD: Final = {new: old for old, new in _RENAMED}


def _with_names(vcon: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """With top-level members renamed in their places."""
    return {names.get(name, name): value for name, value in vcon.items()}


def _repoint_all(vcon: JsonObject, places: Mapping[int, int], known: int, more: int) -> None:
    """Set every index of a dialog to its new place. Indexes out of range stay out of range."""
    for found in list(pointers(vcon)):
        if found.array == "dialog":
            place: JsonValue = vcon
            for step in found.steps[:-1]:
                place = place[step]
            place[found.steps[-1]] = places[found.index] if found.index < known else found.index + more


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


class _Upgrade(_Work):
    """0.4.0 to 0.5.0."""

    def __init__(self, vcon: JsonObject) -> None:
        super().__init__(vcon)
        self.references: JsonObject = {}
        """By array and index, the dialogs that an element named, if one of them was a transfer."""

    def run(self) -> JsonObject:
        before = self.vcon
        self.vcon = (
            {**deepcopy(before), "vcon": "0.5.0"} if _has_events(before) else {**before, "vcon": "0.5.0"}
        )
        self.vcon.pop(KEPT, None)
        for name in ("redacted", "amended", "group"):
            if self.vcon.get(name, _ABSENT) in ({}, [], None):
                del self.vcon[name]
                self.note("empty_member_left_out", "It was empty, as versions before 0.3.0 write it.", name)
        self.vcon = _with_names(self.vcon, _OLD_TO_NEW)
        events = list(self._party_events())
        transfers = list(self._transfers())
        moved = self._without_transfers({index for index, _ in transfers})
        for event in events:
            event["dialog"] = moved.get(event["dialog"])
        events = [{name: value for name, value in event.items() if value is not None} for event in events]
        sessions = self._sessions()
        for index, element in transfers:
            self.note("event_converted", "The transfer is an event.", "dialog", index)
            events += self._transfer_events(index, element, sessions, moved)
        if sessions:
            self.vcon["sessions"] = sessions
        if events:
            self.vcon["events"] = events
        if _has_events(before):
            self.vcon[KEPT] = {"0.4.0": self._kept(before, transfers)}
        return self.vcon

    def _kept(self, before: JsonObject, transfers: list[tuple[int, JsonObject]]) -> JsonObject:
        """What going back needs and the events do not say."""
        whole = ("vcon", *_SINCE_050, KEPT)
        shortened = {
            name for name in ("redacted", "amended", "group") if before.get(name, _ABSENT) in ({}, [], None)
        }
        kept: JsonObject = {
            "transfers": {str(index): before["dialog"][index] for index, _ in transfers},
            "party_history": {
                str(index): element["party_history"]
                for index, element in objects(before.get("dialog"))
                if "party_history" in element
            },
            "references": self.references,
            "members": {name: before[name] for name in before if name in whole or name in shortened},
        }
        if len(array(self.vcon.get("parties"))) > len(array(before.get("parties"))):
            kept["parties"] = len(array(before.get("parties")))
        return deepcopy(
            {name: value for name, value in kept.items() if value != {}} | {"order": list(before)}
        )

    def _party_events(self) -> Iterator[JsonObject]:
        for index, element in objects(self.vcon.get("dialog")):
            if "party_history" not in element:
                continue
            for number, event in objects(element.pop("party_history")):
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
                if kind in KEY_EVENTS and not isinstance(rest.get("button"), str):
                    self.note("event_not_converted", "The event names no button.", "dialog", *at)
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
        self._keep_references(gone)
        for found in list(pointers(self.vcon)):
            if found.array == "dialog" and found.steps[:1] != ("dialog",):
                self._repoint(found.steps, found.index, moved)
        self.vcon["dialog"] = [dialog[index] for index in left]
        for _, element in objects(self.vcon["dialog"]):
            sets = {name: element[name] for name in ("recordings", "recording_set") if name in element}
            element |= {name: _mapped(value, moved) for name, value in sets.items()}
        for name in ("analysis", "attachments"):
            for _, element in objects(self.vcon.get(name)):
                if is_array(element.get("dialog")):
                    element["dialog"] = [index for index in element["dialog"] if index is not None]
        return moved

    def _keep_references(self, gone: set[int]) -> None:
        for name in ("analysis", "attachments"):
            for index, element in objects(self.vcon.get(name)):
                if gone & {*_indices([element.get("dialog")])}:
                    self.references.setdefault(name, {})[str(index)] = deepcopy(element["dialog"])

    def _repoint(self, steps: tuple[Step, ...], index: int, moved: Mapping[int, int]) -> None:
        place: JsonValue = self.vcon
        for step in steps[:-1]:
            place = place[step]
        if index in moved or index >= len(array(self.vcon.get("dialog"))):
            place[steps[-1]] = moved.get(index, index - len(array(self.vcon.get("dialog"))) + len(moved))
            return
        if is_array(place):
            self.note("reference_dropped", "It referred to a transfer, which is an event in 0.5.0.", *steps)
            place[int(steps[-1])] = None  # taken out once all positions have been read
        elif (other := self._stand_in(index, moved)) is None:
            self.note("reference_dropped", "It referred to a transfer, and no dialog is left.", *steps)
            del place[steps[-1]]
        else:
            self.note("reference_moved", f"It referred to a transfer; dialog {other} stands for it.", *steps)
            place[steps[-1]] = other

    def _stand_in(self, index: int, moved: Mapping[int, int]) -> int | None:
        """The dialog, by its new index, that an element of a transfer belongs to in 0.5.0."""
        transfer = members(self.vcon["dialog"][index])
        calls = _indices(transfer.get(role) for role in ("original", "target_dialog"))
        near = [
            *(each for each in calls if each in moved),
            *[each for each in moved if each < index][-1:],
            *moved,
        ]
        return moved[near[0]] if near else None

    def _sessions(self) -> list[JsonObject]:
        """The session that all dialog belongs to, first of the list; none where there is no dialog."""
        if not objects(self.vcon.get("dialog")):
            return [{}] if self.vcon.get("dialog") else []
        self.note(
            "session_inferred",
            "All dialog is in one session, from its first start to its last end.",
            "sessions",
            0,
        )
        return [session_of_all(self.vcon)]

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
        self.vcon = _with_names({**deepcopy(before), "vcon": "0.4.0"}, _NEW_TO_OLD)
        self.vcon.pop(KEPT, None)
        sessions = [each for _, each in objects(self.vcon.pop("sessions", None))]
        events = objects(self.vcon.pop("events", None))
        for index, event in events:
            self._take(index, event, sessions)
        if events or (sessions and before["sessions"] != [session_of_all(before)]):
            self.note("kept_aside", f"Sessions and events as they were are kept in {KEPT}.", KEPT)
            self.vcon[KEPT] = {"0.5.0": self._kept(before)}
        return self.vcon

    def _kept(self, before: JsonObject) -> JsonObject:
        whole = ("vcon", "redacted", "amended", "sessions", "events", KEPT)
        kept: JsonObject = {
            "party_history": {
                str(index): element["party_history"]
                for index, element in objects(before.get("dialog"))
                if "party_history" in element
            },
            "members": {name: before[name] for name in before if name in whole},
        }
        if len(array(self.vcon.get("dialog"))) > len(array(before.get("dialog"))):
            kept["dialog"] = len(array(before.get("dialog")))
        return deepcopy(
            {name: value for name, value in kept.items() if value != {}} | {"order": list(before)}
        )

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


def _has_events(vcon: JsonObject) -> bool:
    """Whether dialogs hold what 0.5.0 keeps in events."""
    return any(
        "party_history" in element or element.get("type") == "transfer"
        for _, element in objects(vcon.get("dialog"))
    )


def indices(value: JsonValue) -> list[int]:
    """All indexes in a value, alone or in arrays, each once, in order."""
    return _indices([value])


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
