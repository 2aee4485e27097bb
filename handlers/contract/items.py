"""Build the published form of a stored vCon, by include groups."""

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from pydantic import MISSING

from vcontract.generated.results.contract import (
    FetchedTurn,
    Item,
    ItemSummaryEntry,
    ItemTranscript,
    VconFetchResultItem,
)
from vcontract.handlers.contract.talk import counts_document
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object, objects
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.call_events import HOLDS, TRANSFERS, CallEvent, call_events
from vcontract.runtime.vcon.tags import effective_purpose
from vcontract.runtime.vcon.text import body_text
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.transcript import TranscriptTurn, analyses_of, is_untranscribed, read_transcript

HITS = "hits"
"""Group that replaces core in a search: people, and hits without scores."""
_ALWAYS_THERE = {"uuid", "created_at", "updated_at"}
_OF_AN_EVENT = (
    *("party", "session", "dialog", "button"),
    *("transferee", "transfer_target", "consultation", "target_session"),
)


def requested_groups(include: Sequence[str] | MISSING, tool: str, ctx: ToolContext) -> list[str]:
    """Requested groups without duplicates, in published order. Core is included, unless hits is requested."""
    policy = ctx.contract.policy
    asked: Sequence[str] = policy["default_includes"][tool] if include is MISSING else include
    if HITS in asked:
        return [HITS, *(group for group in policy["include_groups"] if group in asked)]
    return [group for group in policy["include_groups"] if group == "core" or group in asked]


def parts_of(groups: Sequence[str]) -> list[str]:
    """Parts of a stored vCon that these groups need."""
    parts = {group for group in groups if group in ARRAYS or group in ("summary", "dealer")}
    if "summary" in groups or HITS in groups:
        parts.add("parties")  # the text of a summary may name the speakers
    if "events" in groups:
        parts |= {"parties", "dialog"}
    if "transcript" in groups or "counts" in groups:
        parts |= {"parties", "dialog", "analysis"}
    return sorted(parts)


def build_item(
    stored: StoredVcon, groups: Sequence[str], turns: Sequence[TranscriptTurn] | None = None
) -> VconFetchResultItem:
    """Build the item with these groups. With `turns`, its transcript has only these."""
    item: VconFetchResultItem = {
        "id": str(stored.uuid),
        "uuid": str(stored.uuid),
        "created_at": format_time(stored.created_at),
        "updated_at": format_time(stored.updated_at),
    }
    add_groups(item, stored, groups, turns)
    if turns is not None:
        item["turns"] = [fetched_turn(turn) for turn in turns]
    return in_order(VconFetchResultItem, item)


def add_groups(
    members: Item, stored: StoredVcon, groups: Sequence[str], shown: Sequence[TranscriptTurn] | None = None
) -> None:
    """Add the members of these groups, and when it began."""
    if stored.began_at != stored.created_at:
        members["began_at"] = format_time(stored.began_at)
    arrays = [group for group in groups if group in ARRAYS]
    document = stored.document(arrays)
    if "core" in groups:
        _add_core(members, document)
    if "parties" in groups:
        members["parties"] = document.get("parties") or []
    if "summary" in groups:
        parties = stored.arrays.get("parties", [])
        members["summary"] = [
            analysis_text(entry["index"], entry["doc"], parties) for entry in stored.summaries
        ]
    if "transcript" in groups:
        turns = read_transcript({**stored.arrays}, with_tools=True)
        whole = {**stored.head, **stored.arrays}
        members["transcript"] = _transcript(whole, turns, turns if shown is None else shown)
    if "tags" in groups:
        members["tags"] = stored.tags
    if "dealer" in groups:
        members["dealer"] = _dealer(stored.dealer)
    if "counts" in groups:
        members["counts"] = counts_document(stored)
    if "events" in groups:
        whole = {**stored.head, **stored.arrays}
        members["sessions"] = [each for _, each in objects(whole.get("sessions"))]
        members["events"] = [_event(each, whole) for each in call_events(whole)]
    if "dialog" in groups:
        members["dialog"] = document.get("dialog") or []
    if "analysis" in groups:
        members["analysis"] = document.get("analysis") or []
    if "attachments" in groups:
        members["attachments"] = [_attachment(element) for _, element in objects(document.get("attachments"))]


def _add_core(members: Item, document: JsonObject) -> None:
    """Add the members of the group core. Members of unexpected type are listed in other_members."""
    others: list[str] = []
    for name, value in document.items():
        if name in ARRAYS or name in _ALWAYS_THERE:
            continue
        if name == "vcon" and isinstance(value, str):
            members["vcon_version"] = value
        elif name == "subject" and isinstance(value, str):
            members["subject"] = value
        elif name == "extensions" and _is_list_of_texts(value):
            members["extensions"] = value
        elif name == "critical" and _is_list_of_texts(value):
            members["critical"] = value
        elif name in ("redacted", "redacted_from") and is_object(value):
            members["redacted"] = value
        elif name in ("amended", "amended_from") and is_object(value):
            members["amended"] = value
        else:
            others.append(name)
    if others:
        members["other_members"] = others


def analysis_text(index: int, analysis: JsonObject, parties: Sequence[JsonObject]) -> ItemSummaryEntry:
    """Text, vendor and index of an analysis."""
    entry: ItemSummaryEntry = {"analysis_index": index, "text": body_text(analysis, parties)}
    if isinstance(type_ := analysis.get("type"), str):
        entry["type"] = type_
    if isinstance(vendor := analysis.get("vendor"), str):
        entry["vendor"] = vendor
    if isinstance(product := analysis.get("product"), str):
        entry["product"] = product
    if isinstance(schema := analysis.get("schema"), str):
        entry["schema"] = schema
    if _is_index(dialog := analysis.get("dialog")) or _is_list_of_indices(dialog):
        entry["dialog"] = dialog
    return in_order(ItemSummaryEntry, entry)


def _transcript(
    vcon: JsonObject,
    turns: Sequence[TranscriptTurn],
    shown: Sequence[TranscriptTurn],
) -> ItemTranscript | None:
    """The transcript with the turns to show; None if no words are stored."""
    sources = {"dialog" if turn.analysis is None else "analysis" for turn in turns if turn.words}
    if not sources:
        return None
    transcript: ItemTranscript = {
        "source": "both" if len(sources) > 1 else sources.pop(),
        "text": "\n".join(transcript_lines(vcon, shown, is_whole=len(shown) == len(turns))),
        "total_turns": turns[-1].number + 1,
    }
    if read := analyses_of(turns):
        transcript["type"] = vcon["analysis"][min(read)]["type"]
    dialogs = vcon.get("dialog", ())
    if silent := [turn.number for turn in turns if is_untranscribed(turn, dialogs)]:
        transcript["untranscribed"] = silent
    return in_order(ItemTranscript, transcript)


def transcript_lines(vcon: JsonObject, shown: Sequence[TranscriptTurn], *, is_whole: bool) -> Iterator[str]:
    """The turns with words, their tool calls, and between them the holds and transfers of their time."""
    turns = [turn for turn in shown if turn.words]
    first = next((turn.at for turn in turns if turn.at is not None), None)
    events = [
        (at, event.sentence(vcon))
        for event in call_events(vcon)
        if event.kind in (*HOLDS, *TRANSFERS) and (at := event.at) is not None and first and at >= first
    ]
    for turn in turns:
        while events and turn.at is not None and events[0][0] <= turn.at:
            yield f"({events.pop(0)[1]})"
        yield turn.line
        if turn.calls:
            yield turn.calls
    if is_whole:
        yield from (f"({sentence})" for _, sentence in events)


def _event(event: CallEvent, vcon: JsonObject) -> JsonObject:
    """An event in words, with its indices."""
    members: JsonObject = {"type": event.kind, "at": event.time, "text": event.sentence(vcon)}
    members |= {name: getattr(event, name) for name in _OF_AN_EVENT}
    return {name: value for name, value in members.items() if value is not None}


def fetched_turn(turn: TranscriptTurn) -> FetchedTurn:
    """A turn with number, speaker, time and source of its words."""
    shown: FetchedTurn = {"turn": turn.number, "text": turn.words}
    if turn.speaker:
        shown["speaker"] = turn.speaker
    if turn.at is not None:
        shown["at"] = format_time(turn.at)
    if turn.dialog is not None:
        shown["dialog"] = turn.dialog
    if turn.analysis is not None:
        shown["analysis"] = turn.analysis
    if turn.aside and not turn.words:
        shown["instead"] = turn.aside
    return in_order(FetchedTurn, shown)


def _is_list_of_texts(value: JsonValue) -> TypeGuard[list[str]]:
    return is_array(value) and all(isinstance(each, str) for each in value)


def _is_list_of_indices(value: JsonValue) -> TypeGuard[list[int]]:
    return is_array(value) and {*map(type, value)} <= {int}  # True is an int, but not of that type


def _is_index(value: JsonValue) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _dealer(dealer: JsonObject | None) -> JsonObject | None:
    """The dealer without absent members, except a null team."""
    if dealer is None:
        return None
    return {name: value for name, value in dealer.items() if value is not None or name == "team"}


def _attachment(attachment: JsonObject) -> JsonObject:
    """An attachment with its effective purpose; `type` stays only if it differs."""
    purpose = effective_purpose(attachment)
    if purpose is None:
        return attachment
    kept = {name: value for name, value in attachment.items() if name != "type" or value != purpose}
    return {**kept, "purpose": purpose} if "purpose" in kept else {"purpose": purpose, **kept}
