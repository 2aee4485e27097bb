"""Placeholders for removed elements, so that indexes of other elements do not change.

Source: draft-ietf-vcon-vcon-core-04, on redacted vCons. Only required members are kept where it says nothing.
"""

from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject

_UNKNOWN_DISPOSITION: Final = "failed"
_KEPT_OF: Final = {
    "recording": ("type",),
    "recording-set": ("type", "recordings"),
}
"""Dialog types that other members refer to."""
_KEPT_OF_AN_ATTACHMENT: Final = ("start", "party", "dialog")


def placeholder(array: str, element: JsonObject) -> JsonObject:
    """Return an empty element that is valid wherever the given one of this array is."""
    if array == "attachments":
        return _with_members(element, _KEPT_OF_AN_ATTACHMENT)
    if array != "dialog":
        return {}
    kind = element.get("type")
    if isinstance(kind, str) and kind in _KEPT_OF:
        return _with_members(element, _KEPT_OF[kind])
    return {"type": "incomplete", "disposition": _UNKNOWN_DISPOSITION}


def _with_members(element: JsonObject, names: tuple[str, ...]) -> JsonObject:
    return {name: element[name] for name in names if name in element}
