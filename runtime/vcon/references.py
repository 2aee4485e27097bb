"""Check indexes inside a vCon: in range, and of the right kind of element."""

from collections.abc import Mapping
from types import MappingProxyType

from vcontract.runtime.frame.documents.findings import Step, Violation, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array, is_object, objects

Located = tuple[tuple[Step, ...], str, str]
"""Path steps, rule and message of a violation."""

PARTIES_OF_DIALOG = ("parties", "originator", "transferee", "transferor", "transfer_target")
DIALOG_OF_DIALOG = ("original", "consultation", "target_dialog", "recordings", "recording_set")
"""The members of a dialog that hold indices of parties, and those that hold indices of dialogs."""
PARTIES_OF_EVENT = ("party", "transferee", "transfer_target")
SESSIONS_OF_EVENT = ("session", "consultation", "target_session")
_TARGET_TYPES = (("recordings", "recording"), ("recording_set", "recording-set"))


_REFERENCED = ("parties", "dialog", "attachments", "sessions")

First = Mapping[str, int]
"""First index to check in each array, by default 0."""


def reference_violations(vcon: JsonObject, first: First = MappingProxyType({})) -> list[Violation]:
    """Return violations by wrong indexes and arrays of session identifiers, in document order.

    An index is wrong if it is out of range or refers to the wrong kind of element. An array is wrong if its
    shape differs from its parties. Values that are not indexes are left to the schema.
    """
    return [
        Violation(path_of(steps), rule, message) for steps, rule, message in located_references(vcon, first)
    ]


def located_references(vcon: JsonObject, first: First = MappingProxyType({})) -> list[Located]:
    """Return the same violations with path steps."""
    found: list[Located] = []
    lengths = {name: len(array(vcon.get(name))) for name in _REFERENCED}
    for index, element in objects(vcon.get("dialog"), first.get("dialog", 0)):
        _check_dialog(element, ("dialog", index), vcon, lengths, found)
    for index, element in objects(vcon.get("analysis"), first.get("analysis", 0)):
        _check_indices(element, ("dialog",), ("analysis", index), "dialog", lengths, found)
        _check_indices(element, ("attachment",), ("analysis", index), "attachments", lengths, found)
    for index, element in objects(vcon.get("attachments"), first.get("attachments", 0)):
        _check_indices(element, ("party",), ("attachments", index), "parties", lengths, found)
        _check_indices(element, ("dialog",), ("attachments", index), "dialog", lengths, found)
    for index, element in objects(vcon.get("sessions"), first.get("sessions", 0)):
        _check_indices(element, ("parties",), ("sessions", index), "parties", lengths, found)
        _check_indices(element, ("dialog",), ("sessions", index), "dialog", lengths, found)
        for number, related in objects(element.get("sessions")):
            at = ("sessions", index, "sessions", number)
            _check_indices(related, ("session",), at, "sessions", lengths, found)
    for index, element in objects(vcon.get("events"), first.get("events", 0)):
        _check_indices(element, PARTIES_OF_EVENT, ("events", index), "parties", lengths, found)
        _check_indices(element, SESSIONS_OF_EVENT, ("events", index), "sessions", lengths, found)
        _check_indices(element, ("dialog",), ("events", index), "dialog", lengths, found)
    return found


def _check_dialog(
    element: JsonObject, at: tuple[Step, ...], vcon: JsonObject, lengths: dict[str, int], found: list[Located]
) -> None:
    _check_indices(element, PARTIES_OF_DIALOG, at, "parties", lengths, found)
    _check_indices(element, DIALOG_OF_DIALOG, at, "dialog", lengths, found)
    for name, wanted in _TARGET_TYPES:
        if name in element:
            _check_target_type(element[name], (*at, name), array(vcon.get("dialog")), wanted, found)
    for index, event in objects(element.get("party_history")):
        _check_indices(event, ("party",), (*at, "party_history", index), "parties", lengths, found)
    sessions = element.get("session_id")
    if is_array(sessions) and not _have_same_shape(sessions, element.get("parties")):
        message = (
            "An array of session identifiers must be shaped exactly like parties, "
            "with {} where a party has none; or give one object for all."
        )
        found.append(((*at, "session_id"), "shape_mismatch", message))


def _check_indices(
    element: JsonObject,
    names: tuple[str, ...],
    at: tuple[Step, ...],
    target: str,
    lengths: dict[str, int],
    found: list[Located],
) -> None:
    for name in names:
        if name in element:
            _check_range(element[name], (*at, name), target, lengths[target], found)


def _check_range(
    value: JsonValue, at: tuple[Step, ...], target: str, length: int, found: list[Located]
) -> None:
    if is_array(value):
        for position, entry in enumerate(value):
            if type(entry) is not int or not 0 <= entry < length:
                _check_range(entry, (*at, position), target, length, found)
        return
    index = as_index(value)
    if index is not None and index >= length:
        allowed = f"0 to {length - 1}" if length > 1 else "only 0" if length else "none"
        message = f"{index} is out of range: the length of {target} is {length}, so allowed: {allowed}."
        found.append((at, "index_out_of_range", message))


def _check_target_type(
    value: JsonValue, at: tuple[Step, ...], dialog: list[JsonValue], wanted: str, found: list[Located]
) -> None:
    if is_array(value):
        for position, entry in enumerate(value):
            _check_target_type(entry, (*at, position), dialog, wanted, found)
        return
    index = as_index(value)
    if index is None or index >= len(dialog):
        return
    target = dialog[index]
    given = target.get("type") if is_object(target) else None
    if given != wanted:
        shown = quoted(given) if isinstance(given, str) else "none"
        message = f'Must point at a dialog of type "{wanted}"; the type of dialog {index} is {shown}.'
        found.append((at, "wrong_target_type", message))


def _have_same_shape(sessions: JsonValue, parties: JsonValue) -> bool:
    if is_array(sessions) and is_array(parties):
        pairs = zip(sessions, parties, strict=False)
        return len(sessions) == len(parties) and all(_have_same_shape(one, other) for one, other in pairs)
    return not is_array(sessions) and not is_array(parties)
