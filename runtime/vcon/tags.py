"""Tags inside a vCon: read three dialects, and write them back."""

import base64
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from vcontract.runtime.frame.documents.findings import Notice, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, objects
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.times import format_time, read_time

TagValue = str | int | float | bool
Form = Literal["native", "text", "base64url", "absent"]
"""Form of tags in a carrier: a JSON value, its text, or base64url of it; `absent` without a body."""

Carriers = Literal["none", "attachments", "top_level"]
"""Location of a vCon's tags; `none` if they are exported in a new attachment."""

TAGS_PURPOSE = "tags"
MAX_TAGS = 256
MAX_KEY_LENGTH = 128
MAX_VALUE_LENGTH = 1_024
_EXACT_INTEGERS = 1 << 53
"""Up to here a float holds every integer."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class _Carrier:
    """A carrier of tags: one attachment (`index`), or the top-level member (None)."""

    index: int | None
    form: Form
    value: list[JsonValue] | JsonObject

    @property
    def path(self) -> str:
        return path_of(("tags",) if self.index is None else ("attachments", self.index, "body"))


def effective_purpose(attachment: JsonObject) -> str | None:
    """Return `purpose`, else `type` as in older files, else None."""
    for name in ("purpose", "type"):
        value = attachment.get(name)
        if isinstance(value, str):
            return value
    return None


def is_tags_carrier(attachment: JsonObject) -> bool:
    """Whether the attachment is a carrier of tags."""
    return effective_purpose(attachment) == TAGS_PURPOSE


def tag_key_problem(key: str) -> str | None:
    """Return why a text is not a valid tag key, or None."""
    if not key:
        return "A tag key needs at least one character."
    if len(key) > MAX_KEY_LENGTH:
        return f"A tag key has at most {MAX_KEY_LENGTH} characters; this has {len(key)}."
    if ":" in key:
        return f"A tag key has no colon; {quoted(key)} has one."
    if _CONTROL.search(key):
        return f"A tag key has no control characters; {quoted(key)} has one."
    if key != key.strip():
        return f"A tag key has no white space at its ends; {quoted(key)} has."
    if not unicodedata.is_normalized("NFC", key):
        return f"A tag key is in Unicode normal form C; {quoted(key)} is not."
    return None


def tag_value_problem(value: JsonValue) -> str | None:
    """Return why a value is not a valid tag value, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if len(value) > MAX_VALUE_LENGTH:
            return f"A tag value has at most {MAX_VALUE_LENGTH} characters; this has {len(value)}."
        return "A tag value cannot hold U+0000." if "\0" in value else None
    if isinstance(value, int | float):
        return (
            None if isinstance(value, int) or math.isfinite(value) else "A tag value must be a finite number."
        )
    return "A tag value is a string, a number or a boolean."


def read_tags(vcon: JsonObject) -> tuple[dict[str, TagValue], list[Notice]]:
    """Return the typed tags of the vCon, and a notice for each invalid entry.

    Later carriers take precedence: the top-level `tags`, then tags attachments in order.
    """
    tags: dict[str, TagValue] = {}
    notices: list[Notice] = []
    for carrier in sorted(_carriers(vcon, notices), key=lambda one: -1 if one.index is None else one.index):
        for key, value in _entries(carrier):
            problem = _problem(key, value)
            if problem is None and key not in tags and len(tags) >= MAX_TAGS:
                problem = f"A vCon has at most {MAX_TAGS} tags; {quoted(key)} is beyond."
            if problem is None:
                tags[key] = cast(TagValue, value)
            else:
                notices.append(Notice("tag_ignored", problem, carrier.path))
    return tags, notices


def write_tags(
    vcon: JsonObject, tags: Mapping[str, TagValue], said: Mapping[str, TagValue] | None = None
) -> JsonObject:
    """Return the vCon with exactly `tags`. The argument does not change.

    `said` are its present tags, if already read.

    If the carriers already match, the vCon is returned unchanged. Otherwise the first suitable carrier
    (attachments in order, then the top level) gets all tags, and the others none. Each keeps its dialect,
    form and other entries. Without a carrier, an attachment is appended.
    """
    said = read_tags(vcon)[0] if said is None else said
    if _same(said, tags):
        return vcon
    result = dict(vcon)
    attachments = list(array(vcon.get("attachments")))
    carriers = [(carrier, _rest(carrier, said, tags)) for carrier in _carriers(vcon, [])]
    target = next((carrier for carrier, rest in carriers if _fits(rest, tags)), None)
    for carrier, rest in carriers:
        body = _printed(_filled(rest, tags if carrier is target else {}), carrier.form)
        if carrier.index is None:
            result["tags"] = body
        else:
            attachments[carrier.index] = _with_body(attachments[carrier.index], body, carrier.form)
    if target is None and tags:
        attachments.append(_new_carrier(vcon, tags))
    if attachments:
        result["attachments"] = attachments
    return result


def carriers_of(
    vcon: JsonObject, tags: Mapping[str, TagValue], said: Mapping[str, TagValue] | None = None
) -> Carriers:
    """Return where `write_tags` puts `tags`. Only attachments that hold tags are needed."""
    attachments: list[JsonObject] = vcon.get("attachments") or []
    if len(write_tags(vcon, tags, said).get("attachments") or []) > len(attachments):
        return "none"
    if vcon.get("tags") is not None:
        return "top_level"
    return "attachments" if any(map(is_tags_carrier, attachments)) else "none"


def tag_text(key: str, value: TagValue) -> str:
    """Format a tag as users write it: `chargeback=true`."""
    return f"{key}={value if isinstance(value, str) else dump_json(value).decode()}"


def same_value(one: TagValue, other: TagValue) -> bool:
    """Whether both are equal values of the same type: 1 and 1.0 are, 1 and true are not."""
    return one == other and _kind(one) is _kind(other)


def _carriers(vcon: JsonObject, notices: list[Notice]) -> Iterator[_Carrier]:
    """Yield attachments in order, then the top level. Unreadable carriers are reported instead."""
    for index, attachment in objects(vcon.get("attachments")):
        if is_tags_carrier(attachment):
            encoded = attachment.get("encoding") == "base64url"
            carrier = _read_carrier(index, attachment.get("body"), encoded=encoded)
            if carrier is None:
                message = 'Tags are an array of "key:value" strings or an object; this body is neither.'
                notices.append(Notice("tag_ignored", message, path_of(("attachments", index, "body"))))
            else:
                yield carrier
    if vcon.get("tags") is not None:
        carrier = _read_carrier(None, vcon["tags"], encoded=False)
        if carrier is None or is_array(carrier.value):
            notices.append(Notice("tag_ignored", "The top-level tags are an object; this is none.", "$.tags"))
        else:
            yield carrier


def _read_carrier(index: int | None, body: JsonValue, *, encoded: bool) -> _Carrier | None:
    if body is None or body == "":
        return _Carrier(index, "absent", [])
    form: Form = "native"
    value: JsonValue = body
    if isinstance(body, str):
        form = "base64url" if encoded else "text"
        try:
            value = parse_json((decode_base64url(body) or b"") if encoded else body)
        except MalformedJson:
            return None
    return _Carrier(index, form, value) if is_array(value) or is_object(value) else None


def _entries(carrier: _Carrier) -> Iterator[tuple[str, JsonValue]]:
    """Yield key and value of each entry. Invalid list entries get an unusable value."""
    if isinstance(carrier.value, dict):
        yield from carrier.value.items()
        return
    for entry in carrier.value:
        if isinstance(entry, str):
            key, _, value = entry.partition(":")
            yield key, value
        else:
            yield "", None


def _problem(key: str, value: JsonValue) -> str | None:
    if not key and value is None:
        return 'An entry in a list of tags is a "key:value" string; this is none.'
    return tag_key_problem(key) or tag_value_problem(value)


def _same(these: Mapping[str, TagValue], those: Mapping[str, TagValue]) -> bool:
    return these.keys() == those.keys() and all(same_value(value, those[key]) for key, value in these.items())


def _kind(value: TagValue) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _rest(
    carrier: _Carrier, said: Mapping[str, TagValue], tags: Mapping[str, TagValue]
) -> list[JsonValue] | JsonObject:
    """Other content of the carrier: invalid entries, and tags beyond the maximum."""
    if isinstance(carrier.value, dict):
        return {
            key: value
            for key, value in carrier.value.items()
            if key not in tags and (key not in said or _problem(key, value))
        }
    kept: list[JsonValue] = []
    for entry, (key, value) in zip(carrier.value, _entries(carrier), strict=True):
        if _problem(key, value) or (key not in said and key not in tags):
            kept.append(entry)
    return kept


def _fits(rest: list[JsonValue] | JsonObject, tags: Mapping[str, TagValue]) -> bool:
    """Whether the tags fit beside the rest: an object cannot hold list entries."""
    return isinstance(rest, dict) or _all_strings(tags) or not rest


def _all_strings(tags: Mapping[str, TagValue]) -> bool:
    return all(isinstance(value, str) for value in tags.values())


def _filled(rest: list[JsonValue] | JsonObject, tags: Mapping[str, TagValue]) -> list[JsonValue] | JsonObject:
    if isinstance(rest, dict):
        return {**tags, **rest}
    return [*_listed(tags), *rest] if _all_strings(tags) else dict(tags)


def _listed(tags: Mapping[str, TagValue]) -> list[JsonValue]:
    return [f"{key}:{value}" for key, value in tags.items()]


def _printed(value: list[JsonValue] | JsonObject, form: Form) -> JsonValue:
    writers: Mapping[Form, Callable[[JsonValue], JsonValue]] = {
        "text": lambda given: dump_json(given).decode(),
        "base64url": lambda given: base64.urlsafe_b64encode(dump_json(given)).decode().rstrip("="),
    }
    return writers[form](value) if form in writers else value


def _with_body(attachment: JsonObject, body: JsonValue, form: Form) -> JsonObject:
    if form != "absent":
        return {**attachment, "body": body}
    # A carrier without a body stays unchanged unless there are tags to put into it.
    return {**attachment, "body": body, "encoding": "json"} if body else attachment


def _new_carrier(vcon: JsonObject, tags: Mapping[str, TagValue]) -> JsonObject:
    carrier: JsonObject = {"purpose": TAGS_PURPOSE, "type": TAGS_PURPOSE}
    created = vcon.get("created_at")
    moment = read_time(created) if isinstance(created, str) else None
    if moment is not None:
        carrier["start"] = format_time(moment)
    carrier |= {name: 0 for name, array in (("party", "parties"), ("dialog", "dialog")) if vcon.get(array)}
    body = _listed(tags) if _all_strings(tags) else dict(tags)
    return carrier | {"mediatype": "application/json", "encoding": "json", "body": body}


def tag_columns(value: TagValue) -> tuple[str, str]:
    """Return a tag value as text, and its type: `true` and `1` as in JSON, `1.0` as 1."""
    if isinstance(value, str):
        return value, "string"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_INTEGERS:
        value = int(value)
    return json.dumps(value), "boolean" if isinstance(value, bool) else "number"


def tag_value(text: str, type_: str) -> TagValue:
    """Return the typed value of a stored tag."""
    return text if type_ == "string" else json.loads(text)
