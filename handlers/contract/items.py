"""Items: a stored vCon as the contract tools show it, by include groups."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import is_array, is_object, objects
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.store import StoredVcon
from vcontract.runtime.vcon.tags import effective_purpose
from vcontract.runtime.vcon.text import body_text
from vcontract.runtime.vcon.times import format_time


def is_text(value: JsonValue) -> bool:
    return isinstance(value, str)


def is_list_of_texts(value: JsonValue) -> bool:
    return is_array(value) and all(map(is_text, value))


_TYPED_MEMBERS: Mapping[str, tuple[str, Callable[[JsonValue], bool]]] = {
    "vcon": ("vcon_version", is_text),
    "subject": ("subject", is_text),
    "extensions": ("extensions", is_list_of_texts),
    "critical": ("critical", is_list_of_texts),
    "redacted": ("redacted", is_object),
    "amended": ("amended", is_object),
}
_ALWAYS_THERE = {"uuid", "created_at", "updated_at"}


def resolve_include(include: Sequence[str] | None, default: Sequence[str], known: Iterable[str]) -> list[str]:
    """The groups to emit, each once, in their published order; core always is."""
    wanted = {"core", *(include or default)}
    return [group for group in known if group in wanted]


def parts_of(groups: Sequence[str]) -> list[str]:
    """The parts of a stored vCon that these groups need."""
    parts = [group for group in groups if group in ARRAYS or group in ("summary", "dealer")]
    # the text of a summary may name the speakers
    return [*parts, "parties"] if "summary" in parts and "parties" not in parts else parts


def build_item(stored: StoredVcon, groups: Sequence[str]) -> JsonObject:
    """The item with exactly the members of these groups."""
    arrays = [group for group in groups if group in ARRAYS]
    document = stored.document(arrays)
    members: JsonObject = {
        "id": str(stored.uuid),
        "uuid": str(stored.uuid),
        "created_at": format_time(stored.created_at),
        "updated_at": format_time(stored.updated_at),
        **_core(document),
    }
    if "parties" in groups:
        members["parties"] = document.get("parties") or []
    if "summary" in groups:
        parties = stored.arrays.get("parties", [])
        members["summary"] = [
            analysis_text(entry["index"], entry["doc"], parties) for entry in stored.summaries
        ]
    if "tags" in groups:
        members["tags"] = stored.tags
    if "dealer" in groups:
        members["dealer"] = _dealer(stored.dealer)
    if "counts" in groups:
        members["counts"] = stored.counts
    if "dialog" in groups:
        members["dialog"] = document.get("dialog") or []
    if "analysis" in groups:
        members["analysis"] = document.get("analysis") or []
    if "attachments" in groups:
        members["attachments"] = [_attachment(element) for _, element in objects(document.get("attachments"))]
    return members


def _core(document: JsonObject) -> JsonObject:
    """The members of the group core. One of another type than published is named in other_members."""
    members: JsonObject = {}
    others: list[str] = []
    for name, value in document.items():
        if name in ARRAYS or name in _ALWAYS_THERE:
            continue
        emitted, has_type = _TYPED_MEMBERS.get(name, ("", is_object))
        if emitted and has_type(value):
            members[emitted] = value
        else:
            others.append(name)
    if others:
        members["other_members"] = others
    return members


def analysis_text(index: int, analysis: JsonObject, parties: Sequence[JsonObject]) -> JsonObject:
    """What an analysis says as text, who made it, and its place."""
    entry: JsonObject = {"analysis_index": index}
    for name in ("type", "vendor", "product", "schema"):
        if isinstance(analysis.get(name), str):
            entry[name] = analysis[name]
    dialog = analysis.get("dialog")
    if _is_index(dialog) or (is_array(dialog) and all(map(_is_index, dialog))):
        entry["dialog"] = dialog
    return {**entry, "text": body_text(analysis, parties)}


def _is_index(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _dealer(dealer: JsonObject | None) -> JsonObject | None:
    """The dealer without what its attachment does not say; only the team is null then."""
    if dealer is None:
        return None
    return {name: value for name, value in dealer.items() if value is not None or name == "team"}


def _attachment(attachment: JsonObject) -> JsonObject:
    """An attachment with its effective purpose; `type` stays only where it says something else."""
    purpose = effective_purpose(attachment)
    if purpose is None:
        return attachment
    kept = {name: value for name, value in attachment.items() if name != "type" or value != purpose}
    return {**kept, "purpose": purpose} if "purpose" in kept else {"purpose": purpose, **kept}
