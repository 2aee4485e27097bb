"""Violations of a tool's input schema, and the error that reports them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from vcontract.runtime.frame.documents.findings import counted, path_of, written_step
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members

VIOLATIONS_LISTED = 100
"""Maximum number of violations to look for in one call."""

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
    """One rule that a value in the arguments violates."""

    place: Place
    rule: str
    """The JSON Schema keyword."""
    message: str
    accepted: tuple[str, ...] = ()
    """Accepted values, as text."""
    nearest: str | None = None
    """The known name or value most similar to the given one."""
    meant: tuple[str, ...] = ()
    """For an unknown member: the path from its object to the known member that was probably meant."""
    value: JsonValue = None
    has_value: bool = False
    bounds: tuple[tuple[str, JsonValue], ...] = ()
    """Minimum and maximum of the value or its length, by the names used in details."""

    @property
    def path(self) -> str:
        """The path as `$.a.b[0]`."""
        return path_of(self.place)

    @property
    def pattern(self) -> str:
        """The path with `[]` for any list entry, as a tool's own messages name it."""
        return "$" + "".join("[]" if isinstance(step, int) else written_step(step) for step in self.place)


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """All violations in one call's arguments, ready to report."""

    message: str
    details: JsonObject
    suggestions: tuple[str, ...]


def argument_problem(
    violations: Sequence[ArgumentViolation], *, more: bool = False, suggestion: JsonObject | None = None
) -> ArgumentProblem:
    """Report one violation in full, or a list of them. `more` says that the check stopped early."""
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
    violations: Sequence[ArgumentViolation],
    arguments: JsonObject,
    fits: Callable[[JsonObject], bool],
    choices: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> JsonObject:
    """Suggest parameters to send instead. `leave_out` names parameters to drop. Empty unless the result is
    valid.

    Unknown members and values are replaced by the most similar known ones. A missing parameter of `choices`
    gets the first of its values that fits.
    """
    meant: JsonObject = deepcopy(arguments)
    changed: dict[str, None] = {}
    missing = [str(one.place[0]) for one in violations if one.rule == "required" and len(one.place) == 1]
    wrong = [one for one in violations if one.rule != "required" or len(one.place) > 1]
    if not choices.keys() >= {*missing} or not all(_is_mended(meant, one, changed) for one in wrong):
        return {}
    for name in missing:
        changed[name] = None
        meant[name] = next((value for value in choices[name] if fits(meant | {name: value})), None)
    if not fits(meant):
        return {}
    suggestion: JsonObject = {name: meant[name] for name in changed if name in meant}
    if left_out := [name for name in changed if name not in meant]:
        suggestion["leave_out"] = left_out
    return suggestion if len(dump_json(suggestion)) <= _MAX_SUGGESTION_BYTES else {}


def _is_mended(meant: JsonObject, violation: ArgumentViolation, changed: dict[str, None]) -> bool:
    """Replace an unknown member or value by the most similar known one, if there is one."""
    object_ = _value_at(meant, violation.place[:-1])
    if not is_object(object_) or not (violation.meant or violation.nearest):
        return False
    name = str(violation.place[-1])
    if violation.rule == "additionalProperties":
        changed |= dict.fromkeys((str(violation.place[0]), *violation.meant[: len(violation.place) == 1]))
        value = object_.pop(name)
        *within, name = violation.meant
        for step in within:
            object_ = members(object_.setdefault(step, {}))
        if name in object_:
            return False
        object_[name] = value
    else:
        changed[str(violation.place[0])] = None
        object_[name] = violation.nearest
    return True


def unstorable_text(arguments: JsonObject) -> ArgumentViolation | None:
    """Find the first text that contains U+0000, which PostgreSQL cannot store."""
    waiting: list[tuple[Place, JsonValue]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str) and "\0" in value:
            message = f"{named(place)} holds U+0000, which nothing stored can have; remove it."
            return ArgumentViolation(place, "nul_character", message)
        if is_object(value):
            inner = [((*place, name), member) for name, member in value.items()]
            # for a member's name, report its object's path
            waiting.extend((place, name) for name in value)
        else:
            inner = [((*place, index), element) for index, element in enumerate(array(value))]
        waiting.extend(reversed(inner))
    return None


def named(place: Place) -> str:
    """Name the place in words: `Parameter filters.tags`."""
    return f"Parameter {_parameter(place)}" if place else "The object of arguments"


def shown(value: JsonValue) -> str:
    """Format a value as short text for a message."""
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
    """Describe one list with unknown values as one violation."""
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
        return False  # not valid JSON
    return not isinstance(value, dict | list) and len(dump_json(value)) <= _MAX_VALUE_BYTES
