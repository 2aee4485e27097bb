"""The searchable text of a vCon: what each element says, and the passages it is cut into."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from vcontract.runtime.documents import JsonObject, JsonValue
from vcontract.runtime.vcon.bodies import TextBody, read_body
from vcontract.runtime.vcon.chunks import chunks_of
from vcontract.runtime.vcon.conformance import unsupported_critical
from vcontract.runtime.vcon.shapes import json_text
from vcontract.runtime.vcon.tags import is_tags_carrier
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.traces import traced_exchanges
from vcontract.runtime.vcon.values import array, as_index, is_array, members, objects

Part = Literal["subject", "party", "dialog", "analysis", "attachment", "trace", "trace_body"]

_NO_DIGITS = re.compile(r"[^0-9]+")
_SCHEMES = ("mailto:", "tel:", "sips:", "sip:")
_PARTY_MEMBERS = ("name", "mailto", "email", "tel", "sip", "did", "role", "org", "dept", "uuid", "id")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a vCon's text, small enough to be embedded and shown."""

    part: Part
    element: int | None
    """Index in its array, None for the subject; of an agent's trace the number of the exchange."""
    chunk: int
    """0 for the first piece of the element, and so on."""
    content: str
    occurred_at: datetime | None
    """When it was said or sent, where the vCon tells."""


def body_text(element: JsonObject, parties: Sequence[JsonValue] = ()) -> str:
    """The text of a dialog, analysis or attachment, uncut; empty when there is none.

    HTML comes without tags, mail as its text part, base64url decoded when the mediatype is text, JSON by its
    shape (`json_text`). No url is opened. With `parties`, speakers given by index get their names.
    """
    body = read_body(element)
    if body is None:
        return ""
    text = body.text if isinstance(body, TextBody) else json_text(body.value, parties)
    return _storable(text)


def passages(vcon: JsonObject) -> list[Passage]:
    """All passages of a vCon in the order of its parts; legacy names are already translated.

    Chunks have about 1,000 characters at most and overlap, so that 20 words in sequence always stand whole in
    one. Tags attachments are not text; a vCon with an unsupported name in `critical` has no passages. A trace
    whose entries name their exchange has for each a line about its tools, and what went in and out of them.
    """
    if unsupported_critical(vcon):
        return []
    return [
        *_of_subject(vcon),
        *_of_parties(vcon),
        *_of_dialog(vcon),
        *_of_analysis(vcon),
        *_of_attachments(vcon),
    ]


def party_text(party: JsonObject) -> str:
    """What a party is found by, a line each: name, addresses, numbers also as digits only, role, ids."""
    lines: list[str] = []
    for name in _PARTY_MEMBERS:
        value: JsonValue = party.get(name)
        # Numbers and ids are given without quotes as well.
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            continue
        bare = _without_scheme(text.strip())
        lines.append(bare)
        if name == "tel":
            lines.append(_NO_DIGITS.sub("", bare))
    return _storable("\n".join(dict.fromkeys(line for line in lines if line)))


def _of_subject(vcon: JsonObject) -> Iterator[Passage]:
    subject = vcon.get("subject")
    if isinstance(subject, str):
        yield from _chunked("subject", None, _storable(subject), None)


def _of_parties(vcon: JsonObject) -> Iterator[Passage]:
    for index, party in objects(vcon.get("parties")):
        yield from _chunked("party", index, party_text(party), None)


def _of_dialog(vcon: JsonObject) -> Iterator[Passage]:
    parties = array(vcon.get("parties"))
    for index, dialog in objects(vcon.get("dialog")):
        yield from _chunked("dialog", index, _element_text(dialog, parties), _start(dialog))


def _of_analysis(vcon: JsonObject) -> Iterator[Passage]:
    parties = array(vcon.get("parties"))
    for index, analysis in objects(vcon.get("analysis")):
        exchanges = traced_exchanges(analysis)
        if exchanges is None:
            when = _start_of_dialog(vcon, analysis)
            yield from _chunked("analysis", index, _element_text(analysis, parties), when)
            continue
        for exchange in exchanges:
            yield from _chunked("trace", exchange.number, _storable(exchange.tool_line), exchange.at)
            yield from _chunked("trace_body", exchange.number, _storable(exchange.bodies), exchange.at)


def _of_attachments(vcon: JsonObject) -> Iterator[Passage]:
    parties = array(vcon.get("parties"))
    for index, attachment in objects(vcon.get("attachments")):
        if not is_tags_carrier(attachment):
            when = _start(attachment) or _start_of_dialog(vcon, attachment)
            yield from _chunked("attachment", index, _element_text(attachment, parties), when)


def _element_text(element: JsonObject, parties: Sequence[JsonValue]) -> str:
    text, filename = body_text(element, parties), element.get("filename")
    if not isinstance(filename, str) or not filename.strip():
        return text
    return f"{text}\n{_storable(filename)}"


def _chunked(part: Part, element: int | None, text: str, when: datetime | None) -> Iterator[Passage]:
    for chunk, content in enumerate(chunks_of(text)):
        yield Passage(part, element, chunk, content, when)


def _start(element: JsonObject) -> datetime | None:
    start = element.get("start")
    return read_time(start) if isinstance(start, str) else None


def _start_of_dialog(vcon: JsonObject, element: JsonObject) -> datetime | None:
    """The start of the dialog that an element belongs to, or of the first of several."""
    given: JsonValue = element.get("dialog")
    index = as_index(given[0] if is_array(given) and given else given)
    dialog = array(vcon.get("dialog"))
    return _start(members(dialog[index])) if index is not None and index < len(dialog) else None


def _without_scheme(address: str) -> str:
    lowered = address.lower()
    scheme = next((scheme for scheme in _SCHEMES if lowered.startswith(scheme)), "")
    return address[len(scheme) :]


def _storable(text: str) -> str:
    """The text without what a decoded body may hold and the database cannot: U+0000, half surrogates."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
