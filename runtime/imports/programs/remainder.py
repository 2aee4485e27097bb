"""What remains of an export's members: data whose words are neither in the turns nor kept elsewhere."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.conservation import Kept, is_machinery

Path: TypeAlias = tuple[str, ...]


def remainder(value: JsonValue, said: Iterable[str], taken: Sequence[Path], name: str = "") -> JsonValue:
    """Return what of a value has texts that are not said, with the numbers beside them; else None.

    Values at the paths `taken` are stored elsewhere. IDs, times and types alone are not kept.
    """
    return _remainder(value, Kept(said), taken, name)


def _remainder(value: JsonValue, kept: Kept, taken: Sequence[Path], name: str) -> JsonValue:
    if () in taken:
        return None
    if isinstance(value, str):
        return None if kept.has_exactly(value) or is_machinery(name, value) or kept.has(value) else value
    if is_array(value):
        return _of_elements(value, kept, taken, name)
    return _of_members(value, kept, taken) if is_object(value) else None


def _of_members(value: JsonObject, kept: Kept, taken: Sequence[Path]) -> JsonValue:
    found: JsonObject = {}
    beside: JsonObject = {}
    for member, each in value.items():
        below = [path[1:] for path in taken if path[0][0] == "*" or member in path[0].split(",")]
        if (rest := _remainder(each, kept, below, member)) is not None:
            found[member] = rest
        elif () not in below and isinstance(each, str | int | float) and each != "":
            beside[member] = each
    if not found:
        return None
    said = {member for member, each in beside.items() if isinstance(each, str) and kept.has(each)}
    rests = {**beside, **found}
    return {member: rests[member] for member in value if member in rests and member not in said}


def _of_elements(value: Sequence[JsonValue], kept: Kept, taken: Sequence[Path], name: str) -> JsonValue:
    found: list[JsonValue] = []
    for place, each in enumerate(value):
        below = [path[1:] for path in taken if path[0][0] == "*" or path[0] == str(place)]
        if (rest := _remainder(each, kept, below, name)) is not None:
            found.append(rest)
    return found or None
