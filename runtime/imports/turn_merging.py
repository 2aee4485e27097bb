"""Merge two exports of the same conversation, either of which may have more turns."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, objects
from vcontract.runtime.imports.programs.conversation import EXTENSION

_MIN_SHARED_TURNS: Final = 2
_MIN_SHARED_TURNS_OF_STRANGERS: Final = 4
"""Minimum turns that two exports must share; more if no party has the same name in both."""


def with_further_turns(stored: JsonObject, newer: JsonObject) -> JsonObject | None:
    """Add the newer vCon's further turns, people and files to the stored one.

    None unless the newer one begins with all stored turns and people, and has more turns.
    """
    more = {name: array(newer.get(name)) for name in ("parties", "dialog")}
    earlier = _among(more, len(array(stored.get("parties"))))
    turns = len(array(stored.get("dialog")))
    if len(more["dialog"]) <= turns or not all(
        _begins(array(earlier[name]), array(stored.get(name))) for name in more
    ):
        return None
    came = [
        each
        for each in array(newer.get("attachments"))
        if _is_export_metadata(each) or _turn_of(each) >= turns
    ]
    files = [
        each
        for each in array(stored.get("attachments"))
        if not _is_export_metadata(each) or not any(map(_is_export_metadata, came))
    ]
    also = {"attachments": [*files, *came]} if came else {}
    return {
        **stored,
        **more,
        **also,
        **({"updated_at": newer["updated_at"]} if "updated_at" in newer else {}),
    }


def contains_conversation(stored: JsonObject, newer: JsonObject) -> bool:
    """Whether the stored vCon contains everything of one that may lack later turns, people and files."""
    earlier = _among(stored, len(array(newer.get("parties"))))
    files = array(stored.get("attachments"))
    return all(
        _is_export_metadata(each) or each in files for each in array(newer.get("attachments"))
    ) and all(
        name in ("updated_at", "attachments") or _begins(earlier.get(name), value)
        for name, value in newer.items()
    )


def _is_export_metadata(attachment: JsonValue) -> bool:
    """Whether it is data of an export other than words, of which only the newest is kept."""
    return is_object(attachment) and attachment.get("purpose") == EXTENSION


def _turn_of(attachment: JsonValue) -> int:
    turn = attachment.get("dialog") if is_object(attachment) else None
    return turn if isinstance(turn, int) else -1


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


def time_and_words(turn: JsonValue) -> tuple[str, str] | None:
    """Time and text of a turn; None without words."""
    members_of = turn if is_object(turn) else {}
    start, body = members_of.get("start"), members_of.get("body")
    return (start, body) if isinstance(start, str) and isinstance(body, str) and body else None


def names_in(vcon: JsonObject) -> set[str]:
    """Names of the parties."""
    return {name for _, party in objects(vcon.get("parties")) if isinstance(name := party.get("name"), str)}


def joined_conversations(stored: JsonObject, newer: JsonObject) -> JsonObject | None:
    """Merge earlier and later turns, people and files of a newer vCon into the stored one.

    Turns are equal if their time and text are, whatever their speakers are called. In the period covered by
    both, the stored turns stay. None unless they share half of the turns in that period.
    """
    old, new = array(stored.get("dialog")), array(newer.get("dialog"))
    shared = _shared(old, new)
    is_known = stored.get("uuid") == newer.get("uuid") or names_in(stored) & names_in(newer)
    if len(shared) < (_MIN_SHARED_TURNS if is_known else _MIN_SHARED_TURNS_OF_STRANGERS):
        return None
    (old_first, new_first), (old_last, new_last) = min(shared), max(shared)
    if len(shared) * 2 <= max(old_last - old_first, new_last - new_first):
        return None
    before = new[:new_first] if old_first == 0 else []
    after = new[new_last + 1 :] if old_last == len(old) - 1 else []
    if not (before or after):
        return stored
    people, others = array(stored.get("parties")), array(newer.get("parties"))
    who = _match_parties(people, others, [(old[index], new[number]) for index, number in shared])
    move = len(before)
    places = [*range(move), *range(len(new) - len(after), len(new))]
    moved = {place: number + (len(old) if number >= move else 0) for number, place in enumerate(places)}
    files = _files_of(newer, moved, who)
    return {
        **stored,
        "created_at": newer["created_at"] if before else stored["created_at"],
        "updated_at": max(str(each.get("updated_at", "")) for each in (stored, newer)),
        "parties": [*people, *(each for index, each in enumerate(others) if who[index] >= len(people))],
        "dialog": [*map(partial(_said_by, who), before), *old, *map(partial(_said_by, who), after)],
        **({"analysis": [_later(each, move) for each in stored["analysis"]]} if "analysis" in stored else {}),
        "attachments": [*(_later(each, move) for each in array(stored.get("attachments"))), *files],
    }


def _shared(old: Sequence[JsonValue], new: Sequence[JsonValue]) -> list[tuple[int, int]]:
    """Index pairs of the turns that both have."""
    places = {said: index for index, turn in enumerate(old) if (said := time_and_words(turn))}
    return [
        (places[said], index) for index, turn in enumerate(new) if (said := time_and_words(turn)) in places
    ]


def _files_of(newer: JsonObject, moved: Mapping[int, int], who: Mapping[JsonValue, int]) -> list[JsonObject]:
    """Files of the added turns, with new indexes."""
    return [
        {**each, "dialog": moved[_turn_of(each)], "party": who.get(each.get("party"), 0)}
        for each in array(newer.get("attachments"))
        if _turn_of(each) in moved and not _is_export_metadata(each) and each.get("purpose") != "tags"
    ]


def _match_parties(
    people: Sequence[JsonObject], others: Sequence[JsonObject], same: Sequence[tuple[JsonObject, JsonObject]]
) -> dict[JsonValue, int]:
    """Map another export's parties to stored ones: by equal turns, else by name."""
    who: dict[JsonValue, int] = {}
    for turn, other in same:
        if isinstance(turn.get("originator"), int) and isinstance(other.get("originator"), int):
            who.setdefault(other["originator"], turn["originator"])
    by_name = {party.get("name"): index for index, party in reversed(list(enumerate(people)))}
    further = len(people)
    for index, party in enumerate(others):
        if index not in who and party.get("name") in by_name:
            who[index] = by_name[party.get("name")]
        elif index not in who:
            who[index] = further
            further += 1
    return who


def _said_by(who: Mapping[JsonValue, int], turn: JsonObject) -> JsonObject:
    """Replace a turn's parties by stored ones."""
    speakers: JsonObject = {"originator": who.get(turn["originator"], 0)} if "originator" in turn else {}
    if is_array(turn.get("parties")):
        speakers["parties"] = list(dict.fromkeys(who[party] for party in turn["parties"] if party in who))
    return {**turn, **speakers}


def _later(part: JsonValue, turns: int) -> JsonValue:
    """Shift the turn indexes of an analysis or attachment."""
    if not is_object(part) or not turns:
        return part
    about = part.get("dialog")
    if is_array(about):
        return {**part, "dialog": [each + turns if isinstance(each, int) else each for each in about]}
    return {**part, "dialog": about + turns} if isinstance(about, int) else part
