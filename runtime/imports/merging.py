"""Merge what several files have of one conversation: pages, windows, longer exports and corrected ones.

Each turn of the result comes from the stored vCon, from the newer one, or from both. Indexes in analyses and
attachments follow their turns, so what was added here stays: tags, analyses and files.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.imports.programs.conversation import (
    EXTENSION,
    FILE_KEY,
    is_date_guessed,
    is_key_of_version,
    keys_of,
)
from vcontract.runtime.vcon.times import format_time, read_time
from vcontract.runtime.vcon.version_migration import with_new_dialog

_MIN_SHARED_TURNS: Final = 2
_MIN_SHARED_TURNS_OF_STRANGERS: Final = 4
"""Minimum turns that two exports must share; more if no party has the same name in both."""
_MIN_TURNS_OF_OTHER_FILE: Final = 3
"""Minimum turns of an undated conversation that one of another file must repeat to continue it."""
_ALIKE: Final = 0.6
"""Share of equal words from which a turn is a correction of another one."""
_MIN_WORDS_OF_BEGINNING: Final = 3
"""Words that a turn and its continuation must have in common."""
_MIN_KEPT: Final = 0.5
"""Share of turns of which a corrected conversation keeps more, word for word or corrected."""
_MAX_TEXT_COMPARED: Final = 4_000
_EDITED: Final = re.compile(r"(?i)edit|modif")


class _Slot(NamedTuple):
    """A turn of the result: its index in the stored vCon, in the newer one, or in both."""

    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class _Alignment:
    slots: list[_Slot]
    newer_wins: bool
    """Whether turns that differ are those of the newer vCon."""
    removed: Sequence[int] = ()
    """Stored turns that the newer vCon no longer has."""


# Which turns are the same.


def merged(
    stored: JsonObject, newer: JsonObject, *, overlaps: bool = False, newer_wins: bool = False
) -> JsonObject | None:
    """Merge a newer export of a conversation into the stored vCon.

    Messages with IDs are matched by ID, others by time, speaker and text, and versions of a file by their
    order. Returns `stored` itself if nothing is new, and None if it is another conversation. With
    `newer_wins`, messages that differ are those of the newer export in any case.
    """
    if is_date_guessed(stored) and is_date_guessed(newer):
        newer = _begun_with(stored, newer)
    old, new = array(stored.get("dialog")), array(newer.get("dialog"))
    shared = set(keys_of(stored)) & set(keys_of(newer))
    is_version = any(map(is_key_of_version, keys_of(newer)))
    is_one = (stored.get("uuid") == newer.get("uuid") and not is_version) or _shares_id(stored, newer)
    found: _Alignment | None = None
    if is_one and _have_ids(old) and _have_ids(new):
        found = _by_id(stored, newer, old, new)
    is_dated = not is_date_guessed(newer)
    if found is None and is_dated and overlaps:
        found = _by_time(stored, newer, old, new, is_one=is_one, overlaps=True)
    if found is None and (is_version or not is_dated):
        is_same_file = is_one or any(key.startswith(FILE_KEY) for key in shared)
        found = _by_order(stored, newer, is_same_file=is_same_file)
    if found is None and is_dated and not overlaps:
        found = _by_time(stored, newer, old, new, is_one=is_one, overlaps=False)
    return None if found is None else _joined(stored, newer, found, newer_wins=newer_wins)


def _shares_id(stored: JsonObject, newer: JsonObject) -> bool:
    """Whether both have an ID that their program gave to the conversation or to a message."""
    shared = set(keys_of(stored)) & set(keys_of(newer))
    return not all(map(is_key_of_version, shared))


def _begun_with(stored: JsonObject, newer: JsonObject) -> JsonObject:
    """Count the times of an export without a date from when the stored one began."""
    first, second = (_begin(each) for each in (stored, newer))
    if first is None or second is None or first == second:
        return newer
    later = first - second
    turns = [
        {**turn, "start": format_time(at + later)} if (at := read_time(_start(turn))) else turn
        for turn in array(newer.get("dialog"))
    ]
    return {**newer, "dialog": turns}


def _begin(vcon: JsonObject) -> datetime | None:
    turns = array(vcon.get("dialog"))
    return read_time(_start(turns[0])) if turns else None


def _have_ids(turns: Sequence[JsonValue]) -> bool:
    with_id = sum(_id(turn) is not None for turn in turns)
    return bool(turns) and with_id * 2 > len(turns)


def _id(turn: JsonValue) -> str | None:
    value = turn.get("message_id") if is_object(turn) else None
    return value if isinstance(value, str) and value else None


def _by_id(
    stored: JsonObject, newer: JsonObject, old: Sequence[JsonObject], new: Sequence[JsonObject]
) -> _Alignment | None:
    """Unite the messages by ID. None if the same IDs name other messages, as in two people's exports."""
    places: dict[object, int] = {}
    for index, turn in enumerate(old):
        places.setdefault(_id(turn) or time_and_words(turn), index)
    pairs = [(places.get(_id(turn) or time_and_words(turn)), index) for index, turn in enumerate(new)]
    shared = [(index, number) for index, number in pairs if index is not None]
    if sum(_is_the_same(old[index], new[number]) for index, number in shared) * 2 < len(shared):
        return None
    aside, others = _put_aside(stored), _put_aside(newer)
    slots = _in_order(old, new, shared, [number for index, number in pairs if index is None])
    removed = [slot.old for slot in slots if slot.new is None and _id(old[slot.old or 0]) in others]
    slots = [
        slot
        for slot in slots
        if not (slot.new is None and slot.old in removed)
        and not (slot.old is None and slot.new is not None and _id(new[slot.new]) in aside)
    ]
    return _Alignment(slots, _end(newer) > _end(stored))


def _is_the_same(one: JsonObject, other: JsonObject) -> bool:
    return one.get("start") == other.get("start") or one.get("body") == other.get("body")


def _put_aside(vcon: JsonObject) -> set[JsonValue]:
    """All texts in the branches of a chat that are not shown, with the IDs of their messages."""
    waiting: list[JsonValue] = [_details(vcon).get("other_branches")]
    found: set[JsonValue] = set()
    while waiting:
        value = waiting.pop()
        if is_object(value):
            found.update(value)
            waiting += value.values()
        elif is_array(value):
            waiting += value
        elif isinstance(value, str):
            found.add(value)
    return found


def _end(vcon: JsonObject) -> str:
    return max((start for _, turn in objects(vcon.get("dialog")) if (start := _start(turn))), default="")


def _start(turn: JsonObject) -> str:
    start = turn.get("start")
    return start if isinstance(start, str) else ""


def _in_order(
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    shared: Sequence[tuple[int, int]],
    added: Sequence[int],
) -> list[_Slot]:
    """Insert the added turns among the stored ones by time, and at equal times where the newer vCon has
    them."""
    partner = dict(reversed(shared))
    following: dict[int, int] = {}
    after = len(old)
    by_number = {number: index for index, number in shared}
    for number in range(len(new) - 1, -1, -1):
        after = by_number.get(number, after)
        following[number] = after
    before: defaultdict[int, list[int]] = defaultdict(list)
    latest: list[str] = []
    for turn in old:
        latest.append(max(latest[-1], _start(turn)) if latest else _start(turn))
    for number in added:
        place = bisect_right(latest, _start(new[number]))
        while place > following[number] and _start(old[place - 1]) == _start(new[number]):
            place -= 1
        before[place].append(number)
    slots: list[_Slot] = []
    for index in range(len(old) + 1):
        numbers = sorted(before.get(index, ()), key=lambda number: (_start(new[number]), number))
        slots += [_Slot(None, number) for number in numbers]
        if index < len(old):
            slots.append(_Slot(index, partner.get(index)))
    return slots


def time_and_words(turn: JsonValue) -> tuple[str, str] | None:
    """Time and text of a turn; None without words."""
    members_of = turn if is_object(turn) else {}
    start, body = members_of.get("start"), members_of.get("body")
    return (start, body) if isinstance(start, str) and isinstance(body, str) and body else None


def names_in(vcon: JsonObject) -> set[str]:
    """Names of the parties."""
    return {name for _, party in objects(vcon.get("parties")) if isinstance(name := party.get("name"), str)}


def _by_time(
    stored: JsonObject,
    newer: JsonObject,
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    *,
    is_one: bool,
    overlaps: bool,
) -> _Alignment | None:
    """Match turns by time and text, whatever their speakers are called. None unless they share half of the
    turns in the period that both cover."""
    taken: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index in range(len(old) - 1, -1, -1):
        if said := time_and_words(old[index]):
            taken[said].append(index)
    shared = [
        (taken[said].pop(), number)
        for number, turn in enumerate(new)
        if (said := time_and_words(turn)) and taken.get(said)
    ]
    is_beginning = is_one and (
        len(shared) == min(len(old), len(new))
        or (not shared and overlaps and (_shares_id(stored, newer) or _are_apart(stored, newer)))
    )
    is_known = is_one or stored.get("uuid") == newer.get("uuid") or bool(names_in(stored) & names_in(newer))
    if not is_beginning:
        if len(shared) < (_MIN_SHARED_TURNS if is_known else _MIN_SHARED_TURNS_OF_STRANGERS):
            return None
        (old_first, new_first), (old_last, new_last) = min(shared), max(shared)
        if len(shared) * 2 <= max(old_last - old_first, new_last - new_first):
            return None
    who = _match_parties(stored, newer, [(old[index], new[number]) for index, number in shared])
    shared += _corrected_at_their_time(old, new, shared, who)
    known = {number for _, number in shared}
    added = [number for number in range(len(new)) if number not in known]
    return _Alignment(_in_order(old, new, shared, added), not overlaps and _end(newer) >= _end(stored))


def _are_apart(one: JsonObject, other: JsonObject) -> bool:
    """Whether nothing was said in one of them between the beginning and the end of the other."""
    times = [
        [_start(turn) for _, turn in objects(each.get("dialog")) if _start(turn)] for each in (one, other)
    ]
    return all(times) and any(
        not any(min(span) <= at <= max(span) for at in others) for span, others in (times, times[::-1])
    )


def _corrected_at_their_time(
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    shared: Sequence[tuple[int, int]],
    who: Mapping[JsonValue, int],
) -> list[tuple[int, int]]:
    """Pair turns of the same person and time that say something else: edited, deleted or corrected ones."""
    olds, news = {index for index, _ in shared}, {number for _, number in shared}
    waiting: defaultdict[tuple[JsonValue, JsonValue], list[int]] = defaultdict(list)
    for index in range(len(old) - 1, -1, -1):
        if index not in olds:
            waiting[_start(old[index]), old[index].get("originator")].append(index)
    pairs: list[tuple[int, int]] = []
    for number, turn in enumerate(new):
        if number in news:
            continue
        same = waiting.get((_start(turn), who.get(turn.get("originator"))))
        if same:
            pairs.append((same.pop(), number))
    return pairs


def _by_order(stored: JsonObject, newer: JsonObject, *, is_same_file: bool) -> _Alignment | None:
    """Match turns of a file without dates by what is said, in order.

    A file with another name continues a conversation only if it repeats all its turns, and enough of them.
    """
    old, new = _said_in(stored), _said_in(newer)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    equal = [
        pair
        for tag, a, b, c, d in blocks
        if tag == "equal"
        for pair in zip(range(a, b), range(c, d), strict=True)
    ]
    is_enough = is_same_file or len(equal) >= _MIN_TURNS_OF_OTHER_FILE
    if is_enough and (old == new or len(equal) == len(new) < len(old)):
        return _Alignment([_Slot(index, None) for index in range(len(old))], newer_wins=False)
    if not is_enough or not (is_same_file or len(equal) == len(old)):
        return None
    corrected = [
        pair
        for tag, a, b, c, d in blocks
        if tag == "replace"
        for pair in _alike(old, new, range(a, b), range(c, d))
    ]
    if len(equal) + len(corrected) <= _MIN_KEPT * len(old):
        return None
    partner = {number: index for index, number in (*equal, *corrected)}
    slots = [_Slot(partner.get(number), number) for number in range(len(new))]
    removed = sorted(set(range(len(old))) - set(partner.values()))
    return _Alignment(slots, newer_wins=True, removed=removed)


def _said_in(vcon: JsonObject) -> list[tuple[JsonValue, JsonValue]]:
    """Name of the speaker and text of each turn."""
    parties = array(vcon.get("parties"))
    names = [party.get("name") if is_object(party) else None for party in parties]
    return [
        (names[speaker] if isinstance(speaker := turn.get("originator"), int) else None, turn.get("body"))
        for _, turn in objects(vcon.get("dialog"))
    ]


def _alike(
    old: Sequence[tuple[JsonValue, JsonValue]],
    new: Sequence[tuple[JsonValue, JsonValue]],
    olds: range,
    news: range,
) -> list[tuple[int, int]]:
    """Pair turns in a stretch that differs: those that share most of their words, in order."""
    pairs: list[tuple[int, int]] = []
    numbers = list(news)
    for index in olds:
        for place, number in enumerate(numbers):
            one, other = (str(each[1])[:_MAX_TEXT_COMPARED].split() for each in (old[index], new[number]))
            is_longer = len(one) >= _MIN_WORDS_OF_BEGINNING and other[: len(one)] == one
            if is_longer or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE:
                pairs.append((index, number))
                del numbers[: place + 1]
                break
    return pairs


# The vCon of both.


def _joined(stored: JsonObject, newer: JsonObject, found: _Alignment, *, newer_wins: bool) -> JsonObject:
    newer_wins = newer_wins or found.newer_wins
    old, new = array(stored.get("dialog")), array(newer.get("dialog"))
    both = [
        (old[slot.old], new[slot.new])
        for slot in found.slots
        if slot.old is not None and slot.new is not None
    ]
    who = _match_parties(stored, newer, both)
    people = _people(array(stored.get("parties")), array(newer.get("parties")), who)
    dialog = [_turn(old, new, slot, who, newer_wins=newer_wins) for slot in found.slots]
    moved_old = {slot.old: place for place, slot in enumerate(found.slots) if slot.old is not None}
    moved_new = {slot.new: place for place, slot in enumerate(found.slots) if slot.new is not None}
    same = {index: index for index in range(len(people))}
    attachments = [renumbered(each, same, moved_old) for each in array(stored.get("attachments"))]
    attachments = _united_attachments(
        attachments, [renumbered(each, who, moved_new) for each in array(newer.get("attachments"))], moved_new
    )
    if texts := [text for index in found.removed if isinstance(text := old[index].get("body"), str) and text]:
        attachments = _united_attachments(
            attachments, [_details_attachment(attachments, {"earlier": texts})], {}
        )
    analysis = [renumbered(each, same, moved_old) for each in array(stored.get("analysis"))]
    analysis += [
        each
        for given in array(newer.get("analysis"))
        if (each := renumbered(given, who, moved_new)) not in analysis
    ]
    result = {**stored, "parties": people, "dialog": dialog, "attachments": attachments}
    if analysis:
        result["analysis"] = analysis
    if "subject" not in stored and "subject" in newer:
        result["subject"] = newer["subject"]
    result = with_new_dialog(_with_moved_dialog(result, moved_old))
    if canonical_json(result) == canonical_json(stored):
        return stored
    dates = [str(date) for each in (stored, newer) if (date := each.get("created_at"))]
    ends = [str(date) for each in (stored, newer) if (date := each.get("updated_at"))]
    is_dated = not is_date_guessed(stored)
    return {
        **result,
        **({"created_at": min(dates)} if dates and is_dated else {}),
        **({"updated_at": max(ends)} if ends else {}),
    }


def _match_parties(
    stored: JsonObject, newer: JsonObject, same: Sequence[tuple[JsonObject, JsonObject]]
) -> dict[JsonValue, int]:
    """Map another export's parties to stored ones: by equal turns, else by address or name."""
    people, others = array(stored.get("parties")), array(newer.get("parties"))
    who: dict[JsonValue, int] = {}
    for turn, other in same:
        if isinstance(turn.get("originator"), int) and isinstance(other.get("originator"), int):
            who.setdefault(other["originator"], turn["originator"])
    known: dict[tuple[str, JsonValue], int] = {}
    for index, party in reversed(list(enumerate(people))):
        known.update({(kind, members(party).get(kind)): index for kind in ("name", "tel", "mailto")})
    further = len(people)
    for index, party in enumerate(others):
        if index in who:
            continue
        found = (
            known.get((kind, value))
            for kind in ("mailto", "tel", "name")
            if (value := members(party).get(kind))
        )
        place = next((each for each in found if each is not None), None)
        who[index] = further if place is None else place
        further += place is None
    return who


def _people(
    people: Sequence[JsonObject], others: Sequence[JsonObject], who: Mapping[JsonValue, int]
) -> list[JsonObject]:
    """The stored people with members that only the newer vCon has, then the others."""
    merged_people = list(people)
    for index, party in enumerate(others):
        place = who[index]
        if place >= len(merged_people):
            merged_people.append(party)
        elif place < len(people):
            merged_people[place] = {**merged_people[place], **_missing(party, merged_people[place])}
    return merged_people


def _missing(party: JsonObject, known: JsonObject) -> JsonObject:
    return {name: value for name, value in party.items() if name not in known and name != "meta"}


def _turn(
    old: Sequence[JsonObject],
    new: Sequence[JsonObject],
    slot: _Slot,
    who: Mapping[JsonValue, int],
    *,
    newer_wins: bool,
) -> JsonObject:
    if slot.new is None:
        assert slot.old is not None
        return old[slot.old]
    newer = renumbered(new[slot.new], who, {})
    if slot.old is None:
        return newer
    stored = old[slot.old]
    if newer_wins or _edited(newer) > _edited(stored):
        return _corrected(stored, newer)
    details = {**_export(newer), **_export(stored)}
    is_said = newer.get("body") in (stored.get("body"), "") or _id(newer) is None
    if not is_said and newer.get("body") not in array(details.get("earlier")):
        details["earlier"] = [*array(details.get("earlier")), newer.get("body")]
    return _with_details(stored, details)


def _edited(turn: JsonObject) -> str:
    """When a message was edited, in the form of its export; an empty text if it was not."""
    found = (value for name, value in _export(turn).items() if _EDITED.search(name))
    return max((str(value) for value in found if isinstance(value, str | int)), default="")


def _corrected(stored: JsonObject, newer: JsonObject) -> JsonObject:
    """Return the newer turn with the details of both, and the earlier text if it differs."""
    if {**stored, "parties": 0, "start": 0, "meta": 0} == {**newer, "parties": 0, "start": 0, "meta": 0}:
        newer = stored if _export(stored) == _export(newer) else {**stored, "meta": newer.get("meta", {})}
    details = {**_export(stored), **_export(newer)}
    earlier = list(
        dict.fromkeys([*array(_export(stored).get("earlier")), *array(_export(newer).get("earlier"))])
    )
    before = stored.get("body")
    if isinstance(before, str) and before and before != newer.get("body") and before not in earlier:
        earlier.append(before)
    return _with_details(newer, {**details, "earlier": earlier} if earlier else details)


def _export(element: JsonObject) -> JsonObject:
    """Details of a turn in an export, beyond its words."""
    return members(members(element.get("meta")).get(EXTENSION))


def _with_details(turn: JsonObject, details: JsonObject) -> JsonObject:
    if details == _export(turn):
        return turn
    return {**turn, "meta": {**members(turn.get("meta")), EXTENSION: details}}


def _details(vcon: JsonObject) -> JsonObject:
    """Details of a conversation in an export, beyond its turns."""
    for _, each in objects(vcon.get("attachments")):
        if _is_export_metadata(each):
            return members(each.get("body"))
    return {}


def _is_export_metadata(attachment: JsonValue) -> bool:
    return is_object(attachment) and attachment.get("purpose") == EXTENSION


def _details_attachment(attachments: Sequence[JsonObject], body: JsonObject) -> JsonObject:
    nothing: JsonObject = {}
    like = next((each for each in attachments if each.get("purpose") == "tags"), nothing)
    kept: JsonObject = {name: like[name] for name in ("start", "party", "dialog") if name in like}
    return {"purpose": EXTENSION, **kept, "mediatype": "application/json", "encoding": "json", "body": body}


def _united_attachments(
    stored: Sequence[JsonObject], newer: Sequence[JsonObject], moved: Mapping[int, int]
) -> list[JsonObject]:
    """The stored attachments, what the newer export's data adds to the stored data, and further files."""
    result = list(stored)
    known = {_identity_of(each) for each in stored}
    for each in newer:
        if each.get("purpose") == "tags":
            _unite_tags(result, each)
        elif _is_export_metadata(each):
            place = next((index for index, other in enumerate(result) if _is_export_metadata(other)), None)
            if place is None:
                result.append(each)
            else:
                body = _united(members(result[place].get("body")), members(each.get("body")))
                result[place] = {**result[place], "body": body}
        elif _identity_of(each) not in known and (not moved or each.get("dialog") in moved.values()):
            result.append(each)
    return result


def _identity_of(attachment: JsonObject) -> bytes:
    names = ("purpose", "dialog", "filename", "body", "url")
    return canonical_json([attachment.get(name) for name in names])


def _unite_tags(attachments: list[JsonObject], newer: JsonObject) -> None:
    """Add tags that only the newer vCon has, and the keys that it shares with other exports."""
    for place, each in enumerate(attachments):
        if each.get("purpose") == "tags":
            keys, tags = array(_export(each).get("keys")), array(each.get("body"))
            names = {str(tag).partition(":")[0] for tag in tags}
            more = [tag for tag in array(newer.get("body")) if str(tag).partition(":")[0] not in names]
            further = [key for key in array(_export(newer).get("keys")) if key not in keys]
            if more:
                each = {**each, "body": [*tags, *more]}
            if further:
                each = _with_details(each, {**_export(each), "keys": [*keys, *further]})
            attachments[place] = each
            return


def _united(stored: JsonObject, newer: JsonObject) -> JsonObject:
    """Unite data of two exports: lists have the elements of both, other values are the stored ones."""
    result = {**newer, **stored}
    for name, value in newer.items():
        known = stored.get(name)
        if is_array(known) and is_array(value):
            result[name] = [*known, *(each for each in value if each not in known)]
        elif is_object(known) and is_object(value):
            result[name] = _united(known, value)
    return result


def renumbered(element: JsonObject, parties: Mapping[JsonValue, int], turns: Mapping[int, int]) -> JsonObject:
    """Return a turn, analysis or attachment with the new indexes of parties and turns."""
    if not is_object(element):
        return element
    maps: dict[str, Mapping[JsonValue, int]] = {
        "originator": parties,
        "party": parties,
        "parties": parties,
        "dialog": turns,
    }
    result = element
    for name, places in maps.items():
        value = element.get(name)
        if value is None or not places:
            continue
        changed: JsonValue = (
            list(dict.fromkeys(places[each] for each in value if each in places))
            if is_array(value)
            else places.get(value, 0)
            if isinstance(value, int)
            else value
        )
        if changed != value:
            result = {**result, name: changed}
    return result


def _with_moved_dialog(vcon: JsonObject, turns: Mapping[int, int]) -> JsonObject:
    """With the new indexes of turns in sessions and events; those of turns that are gone are taken out."""
    result = dict(vcon)
    for name in ("sessions", "events"):
        if is_array(vcon.get(name)):
            result[name] = [_with_moved(each, turns) if is_object(each) else each for each in vcon[name]]
    return result


def _with_moved(element: JsonObject, turns: Mapping[int, int]) -> JsonObject:
    value = element.get("dialog")
    if is_array(value):
        kept = (turns.get(index) for each in value if (index := as_index(each)) is not None)
        return {**element, "dialog": sorted({place for place in kept if place is not None})}
    if (index := as_index(value)) in turns and index is not None:
        return {**element, "dialog": turns[index]}
    return {name: each for name, each in element.items() if name != "dialog"}


# A vCon that is no export.


def extended(stored: JsonObject, newer: JsonObject) -> JsonObject | None:
    """Add the further turns, people and files of a newer version of a vCon to the stored one.

    Returns `stored` itself if it contains all of the newer one. None unless one begins with the other.
    """
    if stored != newer and _contains(stored, newer):
        return stored
    more = {name: array(newer.get(name)) for name in ("parties", "dialog")}
    earlier = _among(more, len(array(stored.get("parties"))))
    turns = len(array(stored.get("dialog")))
    if len(more["dialog"]) <= turns or not all(
        _begins(array(earlier[name]), array(stored.get(name))) for name in more
    ):
        return None
    came = [each for each in array(newer.get("attachments")) if members(each).get("dialog", -1) >= turns]
    also = {"attachments": [*array(stored.get("attachments")), *came]} if came else {}
    changed = {"updated_at": newer["updated_at"]} if "updated_at" in newer else {}
    return {**stored, **more, **also, **_happened(stored, newer), **changed}


def _happened(stored: JsonObject, newer: JsonObject) -> JsonObject:
    """The sessions and events of a newer version, and those that only the stored one has."""
    before, after = (
        {name: array(each.get(name)) for name in ("sessions", "events")} for each in (stored, newer)
    )
    further = {
        "sessions": before["sessions"][len(after["sessions"]) :],
        "events": [each for each in before["events"] if each not in after["events"]],
    }
    return {name: [*after[name], *further[name]] for name in further if name in newer}


def _contains(stored: JsonObject, newer: JsonObject) -> bool:
    """Whether the stored vCon contains everything of one that may lack later turns, people and files."""
    earlier = _among(stored, len(array(newer.get("parties"))))
    files = array(stored.get("attachments"))
    return (
        all(each in files for each in array(newer.get("attachments")))
        and all(
            name in ("updated_at", "attachments", "sessions") or _begins(earlier.get(name), value)
            for name, value in newer.items()
        )
        and _has_sessions(stored, newer)
    )


def _has_sessions(stored: JsonObject, newer: JsonObject) -> bool:
    """Whether the stored sessions are those of a version that may lack later dialog and people."""
    whole, part = array(stored.get("sessions")), array(newer.get("sessions"))
    return len(part) <= len(whole) and all(
        name == "duration" or _begins(members(one).get(name), value)
        for one, other in zip(whole, part, strict=False)
        for name, value in members(other).items()
    )


def _among(vcon: JsonObject, people: int) -> JsonObject:
    """Restrict turns to the first people, because those who joined later were not parties to them."""
    turns = [
        {**turn, "parties": [party for party in turn["parties"] if party < people]}
        if is_array(turn.get("parties"))
        else turn
        for _, turn in objects(vcon.get("dialog"))
    ]
    return {**vcon, "dialog": turns}


def _begins(whole: JsonValue, part: JsonValue) -> bool:
    """Whether an array begins with all of another one; other values must be equal."""
    if is_array(whole) and is_array(part):
        return bool(whole[: len(part)] == part)
    return bool(whole == part)
