"""Placeholders: what stays of an element that was taken away, so that no index of another one moves.

Source: draft-ietf-vcon-vcon-core-04, on redacted vCons. Of what it does not speak of, stays what is required.
"""

from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject

_UNKNOWN_DISPOSITION: Final = "failed"
_KEPT_OF: Final = {
    "recording": ("type",),
    "recording-set": ("type", "recordings"),
}
"""Dialogs that others name by their type."""
_KEPT_OF_AN_ATTACHMENT: Final = ("start", "party", "dialog")


def placeholder(array: str, element: JsonObject) -> JsonObject:
    """What may replace the element of this array: it says nothing and conforms wherever the element did."""
    if array == "attachments":
        return _kept(element, _KEPT_OF_AN_ATTACHMENT)
    if array != "dialog":
        return {}
    kind = element.get("type")
    if isinstance(kind, str) and kind in _KEPT_OF:
        return _kept(element, _KEPT_OF[kind])
    return {"type": "incomplete", "disposition": _UNKNOWN_DISPOSITION}


def _kept(element: JsonObject, names: tuple[str, ...]) -> JsonObject:
    return {name: element[name] for name in names if name in element}
