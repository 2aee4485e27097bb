"""Searchable text of a vCon: the text of each element, cut into passages."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Literal, NamedTuple

from vcontract.runtime.frame.documents.findings import Notice
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array, members, objects
from vcontract.runtime.vcon.bodies import MAX_MARKUP, TextBody, read_body
from vcontract.runtime.vcon.chunks import chunks_of
from vcontract.runtime.vcon.conformance import unsupported_critical
from vcontract.runtime.vcon.json_text import declared_language_of, json_text
from vcontract.runtime.vcon.markup import TooInvolved
from vcontract.runtime.vcon.tags import is_tags_carrier
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.traces import traced_exchanges

Part = Literal["subject", "party", "dialog", "analysis", "attachment", "trace", "trace_body"]

TEXT_NOT_READ: Final = "text_not_read"
_NO_DIGITS = re.compile(r"[^0-9]+")
_SCHEMES = ("mailto:", "tel:", "sips:", "sip:")
_MAX_PARTIES: Final = 10**9
_PARTY_MEMBERS = ("name", "mailto", "email", "tel", "sip", "did", "role", "org", "dept", "uuid", "id")


class Passage(NamedTuple):
    """A piece of a vCon's text, small enough to be embedded and shown."""

    part: Part
    element: int | None
    """Index in its array; None for the subject; for an agent trace, the exchange number."""
    chunk: int
    """Index of the piece in its element, from 0."""
    content: str
    occurred_at: datetime | None
    """When it was said or sent, if known."""
    language: str | None = None
    """Declared language."""
    speaker: int | None = None
    """Index of the speaking party, for a turn of a text dialog."""


class Bodies:
    """Texts of the elements of one vCon, each read once. The vCon must not change meanwhile."""

    def __init__(self) -> None:
        self._read: dict[int, TextBody] = {}

    def read(self, element: JsonObject, parties: Sequence[JsonValue]) -> TextBody:
        """Read a body. Raises whatever its parsers raise."""
        known = self._read.get(id(element))
        if known is None:
            known = self._read[id(element)] = _body_text(element, parties)
        return known

    def text(self, element: JsonObject, parties: Sequence[JsonValue]) -> str:
        """Text as of `body_text`."""
        try:
            return self.read(element, parties).text
        except Exception:
            return ""


def body_text(element: JsonObject, parties: Sequence[JsonValue] = ()) -> str:
    """Return the full text of a dialog, analysis or attachment; empty if it has no text.

    HTML is stripped of tags, mail reduced to its text part, base64url decoded for text types, and JSON read
    by its format (`json_text`). No URL is opened. With `parties`, speakers given by index get their names.
    """
    return Bodies().text(element, parties)


def passages(vcon: JsonObject) -> list[Passage]:
    """Return the passages of `read_passages`."""
    return read_passages(vcon)[0]


def read_passages(
    vcon: JsonObject, *, first_turn: int = 0, bodies: Bodies | None = None
) -> tuple[list[Passage], list[Notice]]:
    """Return all passages of a vCon whose member names are current, and notices about unread or cut parts.

    Chunks have up to about 1,000 characters and overlap by 20 words. Tags attachments are not text. A vCon
    with an unsupported name in `critical` has no passages. If an agent trace names its exchanges, each has a
    line about its tools, and the text of their inputs and outputs.

    A part that cannot be read is left out with a notice. Dialogs before `first_turn` are not read. `bodies`
    keeps what is read.
    """
    found: list[Passage] = []
    notices: list[Notice] = []
    if unsupported_critical(vcon):
        return found, notices
    for path, read in _parts(vcon, first_turn, bodies or Bodies()):
        try:
            part = read()
            found += part.passages
        except Exception as error:
            reason = f"Its text cannot be read ({_describe_error(error)}); it is not searched."
            notices.append(Notice(TEXT_NOT_READ, reason, path))
        else:
            if part.is_cut:
                reason = f"Only its first {MAX_MARKUP:,} characters are searched."
                notices.append(Notice("text_cut", reason, path))
    return found, notices


def party_text(party: JsonObject) -> str:
    """Searchable text of a party, one item a line: name, addresses, numbers (also as digits), role, IDs."""
    lines: list[str] = []
    for name in _PARTY_MEMBERS:
        value: JsonValue = party.get(name)
        # Numbers and IDs may be written without quotes.
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            continue
        bare = _without_scheme(text.strip())
        lines.append(bare)
        if name == "tel":
            lines.append(_NO_DIGITS.sub("", bare))
    return _storable("\n".join(dict.fromkeys(line for line in lines if line)))


@dataclass(frozen=True, slots=True)
class _Read:
    """Result of reading one part of a vCon."""

    passages: list[Passage]
    is_cut: bool = False


def _parts(vcon: JsonObject, first_turn: int, bodies: Bodies) -> Iterator[tuple[str, Callable[[], _Read]]]:
    """Yield each part that may contain text: its path and a function that reads it."""
    yield "$.subject", partial(_of_subject, vcon)
    for index, party in objects(vcon.get("parties")):
        yield f"$.parties[{index}]", partial(_of_party, index, party)
    for index, dialog in objects(vcon.get("dialog")):
        if index < first_turn:
            continue
        yield f"$.dialog[{index}]", partial(_of_element, bodies, vcon, "dialog", index, dialog, _start)
    for index, analysis in objects(vcon.get("analysis")):
        yield f"$.analysis[{index}]", partial(_of_analysis, bodies, vcon, index, analysis)
    for index, attachment in objects(vcon.get("attachments")):
        yield f"$.attachments[{index}]", partial(_of_attachment, bodies, vcon, index, attachment)


def _of_subject(vcon: JsonObject) -> _Read:
    subject = vcon.get("subject")
    text = _storable(subject) if isinstance(subject, str) else ""
    return _Read(list(_chunked("subject", None, text, None)))


def _of_party(index: int, party: JsonObject) -> _Read:
    return _Read(list(_chunked("party", index, party_text(party), None)))


def _of_analysis(bodies: Bodies, vcon: JsonObject, index: int, analysis: JsonObject) -> _Read:
    exchanges = traced_exchanges(analysis)
    if exchanges is None:
        return _of_element(bodies, vcon, "analysis", index, analysis, partial(_start_of_dialog, vcon))
    read: list[Passage] = []
    for exchange in exchanges:
        read += _chunked("trace", exchange.number, _storable(exchange.tool_line), exchange.at)
        read += _chunked("trace_body", exchange.number, _storable(exchange.bodies), exchange.at)
    return _Read(read)


def _of_attachment(bodies: Bodies, vcon: JsonObject, index: int, attachment: JsonObject) -> _Read:
    if is_tags_carrier(attachment):
        return _Read([])

    def when(element: JsonObject) -> datetime | None:
        return _start(element) or _start_of_dialog(vcon, element)

    return _of_element(bodies, vcon, "attachment", index, attachment, when)


def _of_element(
    bodies: Bodies,
    vcon: JsonObject,
    part: Part,
    index: int,
    element: JsonObject,
    when: Callable[[JsonObject], datetime | None],
) -> _Read:
    body = bodies.read(element, array(vcon.get("parties")))
    text, filename = body.text, element.get("filename")
    if isinstance(filename, str) and filename.strip():
        text = f"{text}\n{_storable(filename)}"
    language = declared_language_of(element) or body.language
    speaker = _speaker(element) if part == "dialog" else None
    return _Read(list(_chunked(part, index, text, when(element), language, speaker)), body.is_cut)


def _speaker(dialog: JsonObject) -> int | None:
    """Originator of a text dialog, else its first party."""
    parties: JsonValue = dialog.get("parties")
    first = parties[0] if is_array(parties) and parties else parties
    originator: JsonValue = dialog.get("originator")
    index = as_index(first if originator is None else originator) if dialog.get("type") == "text" else None
    return index if index is not None and index < _MAX_PARTIES else None


def _body_text(element: JsonObject, parties: Sequence[JsonValue]) -> TextBody:
    """Read a body. Raises whatever its parsers raise."""
    body = read_body(element)
    if body is None:
        return TextBody("")
    if isinstance(body, TextBody):
        return TextBody(_storable(body.text), body.is_cut)
    return TextBody(
        _storable(json_text(body.value, parties)), language=declared_language_of(members(body.value))
    )


def _chunked(
    part: Part,
    element: int | None,
    text: str,
    when: datetime | None,
    language: str | None = None,
    speaker: int | None = None,
) -> Iterator[Passage]:
    for chunk, content in enumerate(chunks_of(text)):
        yield Passage(part, element, chunk, content, when, language, speaker)


def _describe_error(error: Exception) -> str:
    """Describe an error in a few words."""
    match error:
        case RecursionError():
            return "it nests too deep"
        case MemoryError():
            return "it takes too much memory"
        case TooInvolved():
            return str(error)
        case _:
            return type(error).__name__


def _start(element: JsonObject) -> datetime | None:
    start = element.get("start")
    return read_time(start) if isinstance(start, str) else None


def _start_of_dialog(vcon: JsonObject, element: JsonObject) -> datetime | None:
    """Start of the dialog that an element belongs to; of the first of several."""
    given: JsonValue = element.get("dialog")
    index = as_index(given[0] if is_array(given) and given else given)
    dialog = array(vcon.get("dialog"))
    return _start(members(dialog[index])) if index is not None and index < len(dialog) else None


def _without_scheme(address: str) -> str:
    lowered = address.lower()
    scheme = next((scheme for scheme in _SCHEMES if lowered.startswith(scheme)), "")
    return address[len(scheme) :]


def _storable(text: str) -> str:
    """Replace U+0000 by a space and unpaired surrogates by `?`, because the database rejects them."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
