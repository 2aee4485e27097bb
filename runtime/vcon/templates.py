"""Templates: create vCons of common kinds from a few parameters."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final, Self

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.frame.documents.violation_messages import violations as violations_of
from vcontract.runtime.frame.documents.violations import (
    VIOLATIONS_LISTED,
    ArgumentProblem,
    ArgumentViolation,
    Place,
    argument_problem,
    named,
    shown,
)
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.spec_files import shipped_yaml
from vcontract.runtime.vcon.times import ACCEPTED_DATE_FORMS, format_time, is_rfc_3339, read_time
from vcontract.runtime.vcon.version_migration import only_version, written

_ROOT: Final = "template_params"
_LAST: Final = datetime.max.replace(tzinfo=UTC)
_NOT_FIELDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("uuid", "created_at", "updated_at", "vcon"), "it is set by the server"),
    **dict.fromkeys(("subject", "parties"), "it is a parameter of the tool"),
    **dict.fromkeys(("dialog", "analysis", "attachments"), "it stands beside fields"),
    **dict.fromkeys(("payload", "ciphertext"), "a signed or encrypted form is stored by the import command"),
}
"""Members that `fields` may not contain, each with the reason."""


class ParamsRefused(ValueError):
    """Invalid template parameters; `problem` says which and how."""

    def __init__(self, problem: ArgumentProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True)
class Template:
    """One file of spec/templates."""

    name: str
    subject: str | None
    form: str
    params: Mapping[str, JsonObject]
    together: tuple[tuple[str, ...], ...]
    apart: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]

    @classmethod
    def load(cls, name: str) -> Self:
        entry = shipped_yaml("templates", f"{name}.yaml")
        return cls(
            name=name,
            subject=entry.get("subject"),
            form=entry["form"],
            params=entry["params"],
            together=tuple(map(tuple, entry.get("together", ()))),
            apart=tuple(map(tuple, entry.get("apart", ()))),
            tags=tuple(entry.get("tags", ())),
        )

    def make(
        self,
        parties: list[JsonObject],
        params: JsonObject,
        subject: str | None,
        now: datetime,
        version: str = WRITTEN_VERSION,
    ) -> tuple[JsonObject, dict[str, str]]:
        """Return the vCon, without uuid and created_at, and the tags from its parameters.

        It is of this version, unless it has members that only another one has.

        Raises: ParamsRefused.
        """
        given = self._checked(params, len(parties))
        subject = self.subject if subject is None else subject
        vcon: JsonObject = {
            "vcon": WRITTEN_VERSION,
            **({} if subject is None else {"subject": subject}),
            "parties": parties,
            **_FORMS[self.form](_Order(given, self, len(parties), format_time(now))),
        }
        if self.form == "blank":
            version = only_version(vcon) or version
        return written(vcon, version), {name: given[name] for name in self.tags if name in given}

    def place_of(self, path: str) -> str:
        """Return the argument path from which the vCon's member at `path` came."""
        if path == "$" or path.startswith(("$.parties", "$.subject")):
            return path
        inner = path.removeprefix("$")
        if self.form == "blank":
            beside = inner.startswith((".dialog", ".analysis", ".attachments"))
            return f"$.{_ROOT}{inner}" if beside else f"$.{_ROOT}.fields{inner}"
        return f"$.{_ROOT}" + re.sub(r"^\.dialog\[\d+\]", "", inner)

    def _checked(self, params: JsonObject, parties: int) -> JsonObject:
        """Check the parameters and convert their dates to RFC 3339."""
        root = {"type": "object", "properties": self.params, "additionalProperties": False}
        violations = list(islice(violations_of((_ROOT,), params, root), VIOLATIONS_LISTED + 1))
        if not violations:
            reader = _Reader(parties)
            params = {name: reader.read(params[name], self.params[name], (_ROOT, name)) for name in params}
            violations = [*reader.violations, *self._misfits(params)]
        if violations:
            more = len(violations) > VIOLATIONS_LISTED
            raise ParamsRefused(argument_problem(violations[:VIOLATIONS_LISTED], more=more))
        return params

    def _misfits(self, params: JsonObject) -> Iterable[ArgumentViolation]:
        """Yield violations of parameters that need or exclude one another."""
        for group in self.together:
            missing = [name for name in group if name not in params]
            if len(missing) != len(group):
                for name in missing:
                    message = f"{' and '.join(group)} come together; {name} is missing"
                    yield ArgumentViolation((_ROOT, name), "together", message)
        for first, *others in self.apart:
            for name in others:
                if first in params and name in params:
                    message = f"{name} does not go with {first}; leave one of them out"
                    yield ArgumentViolation((_ROOT, name), "apart", message)
        for name, reason in _NOT_FIELDS.items() if self.form == "blank" else ():
            if name in members(params.get("fields")):
                place = (_ROOT, "fields", name)
                yield ArgumentViolation(place, "not_a_field", f"{named(place)} is not taken: {reason}")


@dataclass(frozen=True, slots=True)
class _Order:
    """Input of a form."""

    params: JsonObject
    template: Template
    parties: int
    now: str

    def named(self, *names: str) -> JsonObject:
        """Return those of the parameters that were given."""
        return {name: self.params[name] for name in names if name in self.params}

    def get(self, name: str) -> JsonValue:
        """Return a parameter or its default."""
        return self.params.get(name, self.template.params.get(name, {}).get("default"))


def _recording(order: _Order) -> JsonObject:
    started_by = "organizer" if "organizer" in order.template.params else "originator"
    call: JsonObject = {
        "start": order.params.get("start", _first_joined(order) or order.now),
        "parties": list(range(order.parties)),
        "originator": order.get(started_by),
        **order.named("duration", "session_id", "application"),
    }
    if "disposition" in order.params:
        return {"dialog": [{"type": "incomplete", **call, **order.named("disposition")}]}
    if "recording_url" in order.params:
        call |= {"mediatype": order.get("mediatype"), "url": order.params["recording_url"]}
    call |= order.named("mediatype", "content_hash")
    if "attendance" in order.params:
        call["party_history"] = _history(order.params["attendance"])
    return {"dialog": [{"type": "recording", **call}]}


def _first_joined(order: _Order) -> str | None:
    joined = [attendee["joined"] for attendee in array(order.params.get("attendance"))]
    return min(joined, key=lambda time: read_time(time) or _LAST, default=None)


def _history(attendance: list[JsonObject]) -> list[JsonObject]:
    """Joins and drops of participants, in order of time."""
    events: list[JsonObject] = []
    for attendee in attendance:
        events.append({"party": attendee["party"], "time": attendee["joined"], "event": "join"})
        if "left" in attendee:
            events.append({"party": attendee["party"], "time": attendee["left"], "event": "drop"})
    return sorted(events, key=lambda event: read_time(event["time"]) or _LAST)


def _messages(order: _Order) -> JsonObject:
    return {"dialog": [_message(message, order) for message in array(order.params.get("messages"))]}


def _message(message: JsonObject, order: _Order) -> JsonObject:
    sent = message.get("at") or message.get("date") or order.params.get("start", order.now)
    others = [*message["to"], *message.get("cc", ())] if "to" in message else range(order.parties)
    meta = {name: message[name] for name in ("in_reply_to", "subject") if name in message}
    return {
        "type": "text",
        "start": sent,
        "parties": list(dict.fromkeys((message["from"], *others))),
        "mediatype": "text/plain",
        "encoding": "none",
        "body": message["text"] if "text" in message else message["body"],
        **order.named("application"),
        **({"message_id": message["message_id"]} if "message_id" in message else {}),
        **({"meta": meta} if meta else {}),
    }


def _blank(order: _Order) -> JsonObject:
    return {**members(order.params.get("fields")), **order.named("dialog", "analysis", "attachments")}


_FORMS: Final[Mapping[str, Callable[[_Order], JsonObject]]] = {
    "recording": _recording,
    "messages": _messages,
    "blank": _blank,
}


class _Reader:
    """Reads parameters that a schema cannot check: party indexes and dates."""

    def __init__(self, parties: int) -> None:
        self.violations: list[ArgumentViolation] = []
        self._parties = parties

    def read(self, value: JsonValue, schema: JsonObject, place: Place) -> JsonValue:
        if is_object(value):
            known = schema.get("properties", {})
            return {
                name: self.read(each, known.get(name, {}), (*place, name)) for name, each in value.items()
            }
        if is_array(value):
            inner = schema.get("items", {})
            return [self.read(each, inner, (*place, index)) for index, each in enumerate(value)]
        if "x-party" in schema and value >= self._parties:
            self._note(place, "party_out_of_range", f"a party from 0 to {self._parties - 1}", value)
        if "x-time" in schema:
            return self._time(value, place)
        return int(value) if "x-party" in schema else value

    def _time(self, text: str, place: Place) -> str:
        moment = read_time(text)
        if moment is None:
            self._note(place, "bad_date", "a date such as 2025-10-14T15:30:00Z", text, ACCEPTED_DATE_FORMS)
        elif not is_rfc_3339(text):
            return format_time(moment)
        return text

    def _note(
        self, place: Place, rule: str, wanted: str, value: JsonValue, accepted: tuple[str, ...] = ()
    ) -> None:
        message = f"{named(place)} is {shown(value)}; it must be {wanted}"
        violation = ArgumentViolation(place, rule, message, accepted, value=value, has_value=True)
        self.violations.append(violation)
