"""Features of a vCon that are counted over all vCons: types, purposes, roles, tags, fields."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, objects
from vcontract.runtime.vcon.call_events import call_events
from vcontract.runtime.vcon.tags import effective_purpose

MAX_NAME_LENGTH: Final = 255
"""Longer types, purposes, roles, extensions and vendors are not counted."""

_PARTY_FIELDS: Final = ("name", "mailto", "tel", "role")
_ANALYSIS_FIELDS: Final = ("summary", "transcript")


def features_of(vcon: JsonObject, tag_keys: Iterable[str], *, has_dealer: bool) -> frozenset[str]:
    """Return the features as `<about>:<name>`, such as `analysis:transcript` or `field:subject`.

    About is one of analysis, attachment, dialog, event, role, extension, tag and field. The SQL function
    recount_vocabulary computes the same from stored vCons.
    """
    return frozenset(_features(vcon, tag_keys, has_dealer=has_dealer))


def _features(vcon: JsonObject, tag_keys: Iterable[str], *, has_dealer: bool) -> Iterator[str]:
    if _filled(vcon.get("subject")):
        yield "field:subject"
    for _, party in objects(vcon.get("parties")):
        yield from (f"field:parties.{name}" for name in _PARTY_FIELDS if _filled(party.get(name)))
        yield from _named("role", party.get("role"))
    yield from _of_dialogs([dialog for _, dialog in objects(vcon.get("dialog"))])
    yield from (f"event:{kind}" for kind in {event.kind for event in call_events(vcon)})
    for _, analysis in objects(vcon.get("analysis")):
        type_ = analysis.get("type")
        yield from _named("analysis", type_)
        yield from (f"field:analysis.{name}" for name in _ANALYSIS_FIELDS if str(type_).lower() == name)
    for _, attachment in objects(vcon.get("attachments")):
        yield from _named("attachment", effective_purpose(attachment))
    for extension in array(vcon.get("extensions")):
        for feature in _named("extension", extension):
            yield "field:extensions"
            yield feature
    for key in tag_keys:
        yield "field:tags"
        yield f"tag:{key}"
    if has_dealer:
        yield "field:dealer"


def _of_dialogs(dialogs: Sequence[JsonObject]) -> Iterator[str]:
    """Features of dialogs, which are often thousands of few types."""
    if dialogs:
        yield "field:dialog"
    if any(_filled(dialog.get("start")) for dialog in dialogs):
        yield "field:dialog.start"
    for type_ in {type_ for dialog in dialogs if isinstance(type_ := dialog.get("type"), str)}:
        if type_ == "text":
            yield "field:dialog.text"
        yield from _named("dialog", type_)


def _filled(value: JsonValue) -> bool:
    return isinstance(value, str) and value != ""


def _named(about: str, name: JsonValue) -> Iterator[str]:
    if isinstance(name, str) and 0 < len(name) <= MAX_NAME_LENGTH:
        yield f"{about}:{name}"
