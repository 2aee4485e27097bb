"""Apply update_vcon's changes to a vCon's top-level members."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from vcontract.generated.errors import ValidationError
from vcontract.handlers.vcon.components import USE_UPDATE_TAGS, check_elements
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.vcon.legacy import LegacyNames, Rename
from vcontract.runtime.vcon.tags import is_tags_carrier
from vcontract.runtime.vcon.wrapped_forms import is_jwe, is_jws

Strategy = Literal["replace", "merge", "append"]

_MEMBER: Final = re.compile(r"\$\.(?P<name>\w+)(?:\[(?P<index>[0-9]+)\])?(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Update:
    """The updated vCon, and what changed."""

    document: JsonObject
    changed: list[str]
    renames: list[Rename]
    notices: list[Notice]
    given: frozenset[str]
    """Updated members, by current name."""
    appended_after: dict[str, int]
    """Previous length of each array that was appended to."""

    def in_arguments(self, violation: Violation) -> Violation:
        """Convert a violation's path in the vCon to the arguments, where added elements count from 0.

        Violations outside the given members keep their path.
        """
        found = _MEMBER.fullmatch(violation.path)
        if found is None:
            return replace(violation, path=f"$.updates{violation.path.removeprefix('$')}")
        name, index = found["name"], found["index"]
        added = None if index is None else int(index) - self.appended_after.get(name, 0)
        if name not in self.given or (added is not None and added < 0):
            return replace(violation, message=f"In the stored vCon: {violation.message}")
        element = "" if added is None else f"[{added}]"
        return replace(violation, path=f"$.updates.{name}{element}{found['rest']}")


def apply_updates(
    vcon: JsonObject, updates: JsonObject, strategy: Strategy, legacy_names: LegacyNames
) -> Update:
    """Apply `updates` by `strategy`, after translating legacy names.

    Raises: ValidationError for a member that cannot be changed this way.
    """
    translated, renames = legacy_names.translate(updates)
    document = dict(vcon)
    notices: list[Notice] = []
    appended_after: dict[str, int] = {}
    for name, value in translated.items():
        _check_allowed(vcon, name, value, strategy)
        if name in ARRAYS and (value is not None or strategy == "append"):
            notices += check_elements(name, value, f"$.updates.{name}")
            if strategy == "append":
                appended_after[name] = len(array(vcon.get(name)))
            if name == "attachments" and strategy == "append":
                _check_no_tags(array(value))
        if value is None:
            document.pop(name, None)
        else:
            document[name] = _CHANGES[strategy](document.get(name), value)
    changed = [
        name
        for name in translated
        if (name in document) != (name in vcon) or not is_same(document.get(name), vcon.get(name))
    ]
    if is_jws(document) or is_jwe(document):
        raise ValidationError(
            "With these members the vCon would be the form of a signed or an encrypted one.",
            details={"parameter": "updates", "reason": "not_unsigned"},
            suggestions=["Name the members otherwise."],
        )
    return Update(document, changed, renames, notices, frozenset(translated), appended_after)


def merge_patch(target: JsonValue, patch: JsonValue) -> JsonValue:
    """Apply a merge patch: objects are merged, null removes, other values replace.

    Source: RFC 7396, section 2.
    """
    if not is_object(patch):
        return patch
    result: JsonObject = dict(target) if is_object(target) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patch(result.get(name), value)
    return result


def is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not, member order is ignored."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(is_same(value, other[name]) for name, value in one.items())
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _replaced(_: JsonValue, value: JsonValue) -> JsonValue:
    return value


def _appended(stored: JsonValue, value: JsonValue) -> JsonValue:
    """Append: lists of strings gain missing values, other lists all values; otherwise a merge patch."""
    if not is_array(stored) or not is_array(value):
        return merge_patch(stored, value)
    if all(isinstance(element, str) for element in (*stored, *value)):
        return list(dict.fromkeys((*stored, *value)))
    return [*stored, *value]


_CHANGES: dict[Strategy, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "replace": _replaced,
    "merge": merge_patch,
    "append": _appended,
}


def _check_allowed(vcon: JsonObject, name: str, value: JsonValue, strategy: Strategy) -> None:
    if name in ("uuid", "created_at") and value != vcon.get(name):
        raise _not_allowed(name, "immutable", f"{name} never changes; leave it out.")
    if name == "updated_at":
        raise _not_allowed(name, "set_by_server", "updated_at is set by the server; leave it out.")
    if name == "tags":
        raise _not_allowed(name, "tags_not_here", "Tags do not change here.", USE_UPDATE_TAGS)
    stored = vcon.get(name)
    if strategy == "append" and isinstance(stored, str) and value is not None and not is_same(stored, value):
        raise ValidationError(
            f"{name} is text, to which nothing is appended; merge or replace sets another one.",
            details={
                "parameter": f"updates.{name}",
                "reason": "append_to_text",
                "accepted": ["merge", "replace"],
            },
            suggestions=["Send merge_strategy: merge with the whole text."],
        )
    if name in ARRAYS and strategy == "merge":
        raise ValidationError(
            f"merge would wipe the array {name}; append adds elements, replace puts a whole new array.",
            details={
                "parameter": f"updates.{name}",
                "reason": "component_under_merge",
                "accepted": ["append", "replace"],
            },
            suggestions=[
                "To add elements, send merge_strategy: append with only the new ones.",
                "To change elements, send merge_strategy: replace with the whole array.",
            ],
        )


def _check_no_tags(attachments: list[JsonObject]) -> None:
    """Reject attachments that look like tags, because tags are not read from there any more."""
    if any(map(is_tags_carrier, attachments)):
        raise _not_allowed(
            "attachments", "tags_not_here", "Tags do not change through attachments.", USE_UPDATE_TAGS
        )


def _not_allowed(name: str, reason: str, message: str, suggestion: str = "") -> ValidationError:
    return ValidationError(
        message,
        details={"parameter": f"updates.{name}", "reason": reason},
        suggestions=[suggestion or f"Leave out {name}."],
    )
