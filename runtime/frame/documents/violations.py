"""Violations: what is wrong with a call's arguments, and how a caller reads it."""

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import cast

from vcontract.runtime.frame.documents.findings import counted, path_of, written_step
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members

VIOLATIONS_LISTED = 100
"""Most violations of one call that are looked for."""

_MAX_SHOWN = 80
_MAX_VALUE_BYTES = 200
_MAX_SUGGESTION_BYTES = 2_000

_REASONS = {
    "required": "missing",
    "additionalProperties": "unknown_parameter",
    "type": "wrong_type",
    "anyOf": "wrong_type",
    "enum": "unknown_value",
    "minimum": "out_of_range",
    "maximum": "out_of_range",
    "minLength": "wrong_length",
    "maxLength": "wrong_length",
    "minItems": "wrong_length",
    "maxItems": "wrong_length",
    "minProperties": "wrong_length",
    "maxProperties": "wrong_length",
    "pattern": "malformed",
    "format": "malformed",
}

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ArgumentViolation:
    """One rule that one place of the arguments breaks."""

    place: Place
    rule: str
    """The JSON Schema keyword."""
    message: str
    accepted: tuple[str, ...] = ()
    """What would be accepted at this place, as text."""
    nearest: str | None = None
    """The known name or value that looks most like the one that was given."""
    meant: tuple[str, ...] = ()
    """Of an unknown member: the path from its object to the known member that was most likely meant."""
    value: JsonValue = None
    has_value: bool = False
    bounds: tuple[tuple[str, JsonValue], ...] = ()
    """What the value, or its length, may be at least and at most, each with the name that details give it."""

    @property
    def path(self) -> str:
        """The place as `$.a.b[0]`."""
        return path_of(self.place)

    @property
    def pattern(self) -> str:
        """The place with `[]` for any entry of a list, as a tool's own words name it."""
        return "$" + "".join("[]" if isinstance(step, int) else written_step(step) for step in self.place)


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """Everything wrong with one call's arguments, ready to be reported."""

    message: str
    details: JsonObject
    suggestions: tuple[str, ...]


def argument_problem(
    violations: Sequence[ArgumentViolation], *, more: bool = False, suggestion: JsonObject | None = None
) -> ArgumentProblem:
    """One cause in full, or the list of them; `more` when there are others that were not looked for."""
    first = violations[0]
    further: JsonObject = {"suggestion": suggestion} if suggestion else {}
    suggestions = tuple(_remedy(violation) for violation in violations if violation.nearest is not None)
    if not more and _are_unknown_values_of_one_list(violations):
        return ArgumentProblem(first.message, _unknown_values(violations), suggestions)
    if len(violations) == 1:
        return ArgumentProblem(first.message, _one_cause(first) | further, suggestions)
    details: JsonObject = {
        "reason": "invalid_arguments",
        "violations": [_listed(violation) for violation in violations],
        **further,
    }
    if more:
        details["more_violations"] = True
    number = f"more than {len(violations)}" if more else str(len(violations))
    return ArgumentProblem(
        f"The arguments break {number} rules; the first: {first.message}", details, suggestions
    )


def suggestion_for(
    violations: Sequence[ArgumentViolation], arguments: JsonObject, fits: Callable[[JsonObject], bool]
) -> JsonObject:
    """The parameters to send in place of those given, `leave_out` names some to drop; empty unless that fits.

    Unknown members take the names, and unknown values the values, that were most likely meant.
    """
    meant: JsonObject = deepcopy(arguments)
    changed: dict[str, None] = {}
    for violation in violations:
        object_ = _value_at(meant, violation.place[:-1])
        if not is_object(object_) or not (violation.meant or violation.nearest):
            return {}
        name = str(violation.place[-1])
        if violation.rule == "additionalProperties":
            changed |= dict.fromkeys((str(violation.place[0]), *violation.meant[: len(violation.place) == 1]))
            value = object_.pop(name)
            *within, name = violation.meant
            for step in within:
                object_ = members(object_.setdefault(step, {}))
            if name in object_:
                return {}
            object_[name] = value
        else:
            changed[str(violation.place[0])] = None
            object_[name] = violation.nearest
    if not fits(meant):
        return {}
    suggestion: JsonObject = {name: meant[name] for name in changed if name in meant}
    if left_out := [name for name in changed if name not in meant]:
        suggestion["leave_out"] = left_out
    return suggestion if len(dump_json(suggestion)) <= _MAX_SUGGESTION_BYTES else {}


def unstorable_text(arguments: JsonObject) -> ArgumentViolation | None:
    """The first place that holds U+0000, which no text of the database can have; None when there is none."""
    waiting: list[tuple[Place, JsonValue]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str) and "\0" in value:
            message = f"{named(place)} holds U+0000, which nothing stored can have; remove it."
            return ArgumentViolation(place, "nul_character", message)
        if is_object(value):
            inner = [((*place, name), member) for name, member in value.items()]
            # a name is told by its object's place
            waiting.extend((place, name) for name in value)
        else:
            inner = [((*place, index), element) for index, element in enumerate(array(value))]
        waiting.extend(reversed(inner))
    return None


def named(place: Place) -> str:
    """The place in words: `Parameter filters.tags`."""
    return f"Parameter {_parameter(place)}" if place else "The object of arguments"


def shown(value: JsonValue) -> str:
    """A value as short text for a message."""
    match value:
        case dict():
            return f"an object of {counted(len(cast('JsonObject', value)), 'member')}"
        case list():
            return f"a list of {len(cast('Sequence[JsonValue]', value))}"
        case str():
            return f'"{_cut(value)}"'
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case _:
            return _cut(str(value))


def _value_at(value: JsonValue, place: Place) -> JsonValue:
    for step in place:
        value = value[step]
    return value


def _remedy(violation: ArgumentViolation) -> str:
    given = f'"{violation.place[-1]}"' if violation.rule == "additionalProperties" else shown(violation.value)
    return f'Send "{violation.nearest}" instead of {given}.'


def _listed(violation: ArgumentViolation) -> JsonObject:
    return {"path": violation.path, "rule": violation.rule, "message": violation.message}


def _one_cause(violation: ArgumentViolation) -> JsonObject:
    details: JsonObject = {
        "parameter": _parameter(violation.place),
        "reason": _REASONS.get(violation.rule, violation.rule),
    }
    if violation.has_value and _is_short(violation.value):
        details["value"] = violation.value
    if violation.accepted:
        details["accepted"] = list(violation.accepted)
    details |= dict(violation.bounds)
    if len(violation.place) > 1:
        details["violations"] = [_listed(violation)]
    return details


def _are_unknown_values_of_one_list(violations: Sequence[ArgumentViolation]) -> bool:
    return len({violation.place[:1] for violation in violations}) == 1 and all(
        violation.rule == "enum" and len(violation.place) == 2 and isinstance(violation.place[1], int)
        for violation in violations
    )


def _unknown_values(violations: Sequence[ArgumentViolation]) -> JsonObject:
    """One cause for a list of which some values are unknown, however many they are."""
    return {
        "parameter": violations[0].place[0],
        "reason": "unknown_value",
        "invalid_values": [_cut(str(violation.value)) for violation in violations],
        "accepted": list(violations[0].accepted),
    }


def _parameter(place: Place) -> str:
    return "".join(written_step(step) for step in place).removeprefix(".") or "$"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _is_short(value: JsonValue) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False  # no JSON says it
    return not isinstance(value, dict | list) and len(dump_json(value)) <= _MAX_VALUE_BYTES
