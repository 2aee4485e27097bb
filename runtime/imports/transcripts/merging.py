"""Merge a transcript that grew into its vCon, preserving what tools added or changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.imports.transcripts.building import FILE_CHANGE, BuiltVcon
from vcontract.runtime.store.transcripts.rows import ExchangeRow
from vcontract.runtime.vcon.tags import TagValue
from vcontract.runtime.vcon.traces import TRACE_TYPE

_OURS = "agent_session"


def merged(stored: JsonObject, built: BuiltVcon, given_subject: JsonValue) -> BuiltVcon:
    """Return the stored vCon, with the elements that import made replaced by those of `built`.

    Elements are matched in order; additional ones are appended after all others. If there are fewer than
    before, surplus ones at the end are dropped. Other surplus dialogs, analyses and attachments are blanked,
    and surplus parties are kept, so that no index changes. If tools added elements, surplus parties and
    dialogs are never dropped. The subject is kept if it is not `given_subject`, that of the last import.
    """
    fresh = built.document
    stays = _has_others(stored)
    parties = _placed_parties(stored, fresh, stays=stays)
    dialog = _placed(stored, fresh, "dialog", _is_our_dialog, stays=stays)
    analysis = _placed(stored, fresh, "analysis", _is_our_trace)
    attachments = _placed(stored, fresh, "attachments", _is_our_change)
    document = {**stored, **{name: fresh[name] for name in ("created_at", "updated_at")}}
    if stored.get("vcon") != "0.5.0":
        document["vcon"] = fresh["vcon"]
    document["extensions"] = list(dict.fromkeys([*array(stored.get("extensions")), *fresh["extensions"]]))
    subject = stored.get("subject")
    document["subject"] = fresh["subject"] if subject in (None, given_subject) else subject
    if parties.is_moved or dialog.is_moved:
        _renumber(dialog, parties, dialog, ("parties", "originator"))
        _renumber(analysis, parties, dialog, ("dialog",))
        _renumber(attachments, parties, dialog, ("party", "dialog"))
    for name, elements in (
        ("parties", parties),
        ("dialog", dialog),
        ("analysis", analysis),
        ("attachments", attachments),
    ):
        document[name] = elements.whole
    return replace(built, document=document, exchanges=tuple(dialog.moved(row) for row in built.exchanges))


def merged_tags(
    stored: dict[str, TagValue], fresh: dict[str, TagValue], given: JsonObject
) -> dict[str, TagValue]:
    """Merge tags: those of the import apply if absent or unchanged since the last import."""
    ours = {key: value for key, value in fresh.items() if key not in stored or stored[key] == given.get(key)}
    return {**stored, **ours}


@dataclass(slots=True)
class _Placed:
    """A merged array, and the new indexes of its fresh elements."""

    whole: list[JsonObject]
    places: list[int]

    @property
    def is_moved(self) -> bool:
        return self.places != list(range(len(self.places)))

    def moved(self, row: ExchangeRow) -> ExchangeRow:
        """Return the exchange with its dialog range after the merge."""
        if not self.is_moved or row.dialog_from == row.dialog_to:
            return row
        first, last = self.places[row.dialog_from], self.places[row.dialog_to - 1]
        return replace(row, dialog_from=first, dialog_to=last + 1)


def _has_others(stored: JsonObject) -> bool:
    """Whether tools added dialogs, analyses or attachments, which may refer to any element."""
    ours = (("dialog", _is_our_dialog), ("analysis", _is_our_trace), ("attachments", _is_our_change))
    return any(
        not (is_object(element) and is_ours(element))
        for name, is_ours in ours
        for element in array(stored.get(name))
    )


def _placed_parties(stored: JsonObject, fresh: JsonObject, *, stays: bool) -> _Placed:
    """Merge parties. The first one, the user, stays as it may have been renamed."""
    before, new = array(stored.get("parties")), array(fresh.get("parties"))
    if not before:
        return _Placed(new, list(range(len(new))))
    rest = _placed({"parties": before[1:]}, {"parties": new[1:]}, "parties", _is_our_party, stays=stays)
    return _Placed([before[0], *rest.whole], [0, *(place + 1 for place in rest.places)])


def _placed(
    stored: JsonObject,
    fresh: JsonObject,
    name: str,
    is_ours: Callable[[JsonObject], bool],
    *,
    stays: bool = False,
) -> _Placed:
    """Merge an array; with `stays`, surplus elements are blanked and not dropped, even at the end."""
    before: list[JsonObject] = array(stored.get(name))
    ours = [index for index, element in enumerate(before) if is_object(element) and is_ours(element)]
    new: list[JsonObject] = array(fresh.get(name))
    whole = list(before)
    places = ours[: len(new)]
    for place, element in zip(places, new, strict=False):
        whole[place] = element
    for element in new[len(places) :]:
        places.append(len(whole))
        whole.append(element)
    for place in reversed(ours[len(new) :]):
        if place == len(whole) - 1 and not stays:
            whole.pop()
        else:
            whole[place] = _emptied(name, whole[place])
    return _Placed(whole, places)


def _emptied(name: str, element: JsonObject) -> JsonObject:
    """Return what replaces an element that the transcript no longer has; a party stays unchanged."""
    if name == "parties":
        return element
    if name == "dialog":
        return {**element, "body": "", "meta": {"transcript": {"removed": True}}}
    return {**element, "body": {}, "meta": {"transcript": {"removed": True}}}


def _renumber(elements: _Placed, parties: _Placed, dialog: _Placed, names: Sequence[str]) -> None:
    """Update indexes of parties and dialogs in the fresh elements."""
    places = {"parties": parties.places, "originator": parties.places, "party": parties.places}
    for place in elements.places:
        element = dict(elements.whole[place])
        for name in names:
            element[name] = _pointed(element.get(name), places.get(name, dialog.places))
        if element.get("type") == TRACE_TYPE:
            element["body"] = _renumbered_trace(element["body"], dialog.places)
        elements.whole[place] = element


def _renumbered_trace(body: JsonObject, places: Sequence[int]) -> JsonObject:
    session = body["session"]
    entries: list[JsonObject] = [
        {**entry, "dialog": places[entry["dialog"]]} if "dialog" in entry else entry
        for entry in session["entries"]
    ]
    return {**body, "session": {**session, "entries": entries}}


def _pointed(value: JsonValue, places: Sequence[int]) -> JsonValue:
    if is_array(value):
        return [places[int(index)] for index in value]
    return places[int(value)]


def _is_our_party(party: JsonObject) -> bool:
    return _OURS in members(party.get("meta"))


def _is_our_dialog(dialog: JsonObject) -> bool:
    return "transcript" in members(dialog.get("meta"))


def _is_our_trace(analysis: JsonObject) -> bool:
    recorder = members(members(analysis.get("body")).get("recording-agent"))
    return analysis.get("type") == TRACE_TYPE and recorder.get("name") == "vcontract"


def _is_our_change(attachment: JsonObject) -> bool:
    return attachment.get("purpose") == FILE_CHANGE and _is_our_dialog(attachment)
