"""Redact a vCon: remove sensitive data from every text in it."""

import html
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import regex

from vcontract.runtime.frame.documents.findings import Step, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.text.sensitive_text import RedactionRequest, Sensitive, SensitiveSpan, mark
from vcontract.runtime.vcon.bodies import encode_base64url
from vcontract.runtime.vcon.html import html_text
from vcontract.runtime.vcon.markup import mail_text
from vcontract.runtime.vcon.placeholders import placeholder
from vcontract.runtime.vcon.text_spans import BASE64, text_in

_ARRAYS: Final = ("dialog", "analysis", "attachments")
_FIXED_AT_THE_ROOT: Final = frozenset({"vcon", "uuid", "created_at", "updated_at"})
_FIXED: Final = frozenset({"type", "encoding", "start", "disposition"})
"""Members with values defined by the standard, which are not redacted."""
_SIMPLE_TYPE: Final = regex.compile(r"[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+")
_STANDARD: Final = frozenset(
    "vcon uuid subject created_at updated_at parties dialog analysis attachments extensions critical redacted"
    " amended redacted_from amended_from sessions events session transferee transferor transfer_target"
    " consultation target_session button must_support group type encoding mediatype body url content_hash"
    " start duration originator"
    " original disposition party_history filename purpose party vendor product schema meta name tel sip stir"
    " mailto did validation gmlpos civicaddress role org dept timezone text message content transcript words"
    " word utterance speaker end id tags".split()
)
"""Member names of the standard, which reveal nothing."""
_NEVER_JOINED: Final = frozenset(
    "start end start_time end_time startTime endTime timestamp time duration offset confidence score id index"
    " speaker channel type encoding mediatype url uuid".split()
)
_MIN_NUMBER_DIGITS: Final = 5
"""Minimum digits of a number that may be more than an index or count."""
_EPOCH: Final = regex.compile(r"1\d{9}|1\d{12}")
_BINARY: Final = regex.compile(r"(?:data:[^,]*,)?[A-Za-z0-9+/_\s-]{256,}={0,2}\s*")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A redacted vCon, with a report."""

    document: JsonObject
    counts: Mapping[str, int]
    """Number of redactions by kind."""
    changed: tuple[str, ...]
    """Paths of changed members and elements, with redacted names."""
    removed: tuple[str, ...]
    """Paths of removed elements whose content cannot be inspected."""


def redact(vcon: JsonObject, wanted: RedactionRequest, *, keep_media: bool = False) -> Redacted:
    """Return a redacted copy of the vCon. Raises: BadPattern."""
    with closing(Sensitive(wanted, vcon)) as sensitive:
        work = _Work(sensitive, keep_media=keep_media)
        document = work.document(vcon)
    changed = tuple(_changed_paths(vcon, document))
    return Redacted(document, dict(work.counts), changed, tuple(work.removed))


def _changed_paths(vcon: JsonObject, redacted: JsonObject) -> Iterator[str]:
    """Yield the paths of changed members, and of changed elements of arrays."""
    for (name, value), (new_name, new) in zip(vcon.items(), redacted.items(), strict=False):
        if is_array(value) and is_array(new) and len(value) == len(new):
            for index, (old_element, element) in enumerate(zip(value, new, strict=True)):
                if element != old_element:
                    yield path_of((new_name, index))
        elif (name, value) != (new_name, new):
            yield path_of((new_name,))


class _Work:
    """Redacts one vCon and counts."""

    def __init__(self, sensitive: Sensitive, *, keep_media: bool) -> None:
        self._sensitive = sensitive
        self._keep_media = keep_media
        self.counts: Counter[str] = Counter()
        self.removed: list[str] = []

    def document(self, vcon: JsonObject) -> JsonObject:
        made: JsonObject = {}
        for name, value in vcon.items():
            if name in _FIXED_AT_THE_ROOT:
                made[name] = value
            elif name in _ARRAYS and is_array(value):
                made[name] = [
                    self._element(name, index, element) if is_object(element) else self._value(element)
                    for index, element in enumerate(self._joined(value))
                ]
            else:
                made[self._name(name, made)] = self._value(value)
        return made

    def _element(self, array: str, index: int, element: JsonObject) -> JsonObject:
        if not self._keep_media and _is_closed(element):
            self.removed.append(path_of((array, index)))
            element = _emptied(array, element)
        fixed = {name: element[name] for name in _FIXED if isinstance(element.get(name), str)}
        if array != "dialog":  # free text there
            fixed.pop("type", None)
        mediatype = element.get("mediatype")
        if isinstance(mediatype, str) and _SIMPLE_TYPE.fullmatch(mediatype):
            fixed["mediatype"] = mediatype
        if array == "attachments" and element.get("purpose") == "tags":
            fixed["purpose"] = "tags"
        made = self._members({name: value for name, value in element.items() if name not in fixed}, element)
        # a body may have become plain text, which it says itself
        return {**{name: None for name in element if name in fixed or name in made}, **fixed, **made}

    def _value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._text(value)
        if is_array(value):
            return [self._value(each) for each in self._joined(value)]
        if is_object(value):
            return self._members(value, value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        return value

    def _members(self, members: JsonObject, whole: JsonObject) -> JsonObject:
        made: JsonObject = {}
        for name, value in members.items():
            if name != "body" or not isinstance(value, str):
                made[self._name(name, made)] = self._value(value)
        body = members.get("body")
        if isinstance(body, str):
            made |= self._body(body, whole)
        if made.get("body") != whole.get("body"):
            made.pop("content_hash", None)
        return {name: made[name] for name in (*filter(made.__contains__, members), *made) if name in made}

    def _body(self, body: str, element: JsonObject) -> JsonObject:
        """Redact a body. Returns the changed members."""
        encoded = element.get("encoding") in BASE64
        text = text_in(body) if encoded else body
        if text is None:
            return {"body": self._media(body)}
        given = element.get("mediatype")
        mediatype = given.lower() if isinstance(given, str) else ""
        for kinds, read in (
            (("text/html", "application/xhtml"), html_text),
            (("multipart/", "message/"), None),
        ):
            if mediatype.startswith(kinds):
                plain = read(text) if read else mail_text(text, mediatype)
                # tags and transfer encodings split words, so only the text is kept
                if read is None or self._sensitive.find(plain) or self._sensitive.find(html.unescape(text)):
                    return {"body": self._text(plain), "mediatype": "text/plain", "encoding": "none"}
        redacted = self._text(text)
        if redacted == text:
            return {"body": body}
        return {"body": encode_base64url(redacted.encode()) if encoded else redacted}

    def _text(self, text: str) -> str:
        if text.lstrip()[:1] in ("{", "["):
            try:
                value = parse_json(text)
            except (MalformedJson, RecursionError):
                pass
            else:
                redacted = self._value(value)
                return text if redacted == value else dump_json(redacted).decode()
        is_media = _BINARY.fullmatch(text) and text_in(text.rpartition(",")[2]) is None
        return self._media(text) if is_media else self._replaced(text, self._sensitive.find(text))

    def _media(self, text: str) -> str:
        if self._keep_media:
            return text
        self.counts["media"] += 1
        return mark("media")

    def _replaced(self, text: str, found: Sequence[SensitiveSpan]) -> str:
        pieces: list[str] = []
        position = 0
        for each in found:
            self._count(each)
            pieces += (text[position : each.start], mark(each.kind))
            position = each.end
        return "".join((*pieces, text[position:])) if found else text

    def _count(self, found: SensitiveSpan) -> None:
        self.counts[found.kind] += 1

    def _number(self, number: float) -> JsonValue:
        text = str(number)
        if len(text) < _MIN_NUMBER_DIGITS:
            return number
        found = [each for each in self._sensitive.find(text) if (each.start, each.end) == (0, len(text))]
        # seconds and milliseconds since 1970 look like phone numbers
        is_time = bool(found) and found[0].kind == "number" and _EPOCH.fullmatch(text) is not None
        return number if is_time or not found else self._replaced(text, found)

    def _name(self, name: str, taken: JsonObject) -> str:
        if name in _STANDARD:
            return name
        new = self._text(name)
        number = 2
        while new in taken and new != name:
            new, number = f"{mark('word')} {number}", number + 1
        return new

    def _joined(self, entries: list[JsonValue]) -> list[JsonValue]:
        """Redact matches that span several entries: words of a transcript, turns of a dialog."""
        if len(entries) < 2:
            return entries
        columns: dict[tuple[Step, ...], list[tuple[int, str]]] = {}
        for index, entry in enumerate(entries):
            for path, text in _leaves(entry):
                columns.setdefault(path, []).append((index, text))
        changes: list[tuple[int, tuple[Step, ...], str]] = []
        for path, column in columns.items():
            changes += ((index, path, text) for index, text in self._spread(column))
        for index, path, text in changes:
            entries = [*entries]
            entries[index] = _changed(entries[index], path, text)
        return entries

    def _spread(self, column: list[tuple[int, str]]) -> Iterable[tuple[int, str]]:
        """Yield the texts that contain part of a match spanning several texts, with that part removed."""
        joined = " ".join(text for _, text in column)
        starts: list[int] = []
        position = 0
        for _, text in column:
            starts.append(position)
            position += len(text) + 1
        cuts: dict[int, list[SensitiveSpan]] = {}
        place = 0
        for found in self._sensitive.find(joined) if len(column) > 1 else ():
            while place + 1 < len(starts) and starts[place + 1] <= found.start:
                place += 1
            touched = [place]
            while touched[-1] + 1 < len(starts) and starts[touched[-1] + 1] < found.end:
                touched.append(touched[-1] + 1)
            if len(touched) < 2:
                continue
            for each in touched:
                start, end = found.start - starts[each], found.end - starts[each]
                length = len(column[each][1])
                cuts.setdefault(each, []).append(SensitiveSpan(max(start, 0), min(end, length), found.kind))
        for each, found_here in cuts.items():
            yield column[each][0], self._replaced(column[each][1], found_here)


def _is_closed(element: JsonObject) -> bool:
    """Whether content cannot be inspected: it is not text, or is at a URL."""
    body = element.get("body")
    is_binary = isinstance(body, str) and element.get("encoding") in BASE64 and text_in(body) is None
    return is_binary or isinstance(element.get("url"), str)


def _emptied(array: str, element: JsonObject) -> JsonObject:
    if array == "analysis":
        return {name: element[name] for name in ("type", "dialog", "vendor") if name in element}
    return placeholder(array, element)


def _leaves(entry: JsonValue, path: tuple[Step, ...] = ()) -> Iterable[tuple[tuple[Step, ...], str]]:
    """Yield texts in an entry that may continue in the next one."""
    if isinstance(entry, str):
        if entry and entry.lstrip()[:1] not in ("{", "["):
            yield path, entry
    elif is_array(entry):
        for index, inner in enumerate(entry):
            yield from _leaves(inner, (*path, index))
    elif is_object(entry):
        for name, inner in entry.items():
            if name not in _NEVER_JOINED and not (name == "body" and entry.get("encoding") in BASE64):
                yield from _leaves(inner, (*path, name))


def _changed(value: JsonValue, path: tuple[Step, ...], text: str) -> JsonValue:
    """Copy a value with `text` at the path."""
    if not path:
        return text
    first, *rest = path
    if is_object(value) and isinstance(first, str):
        return {**value, first: _changed(value[first], tuple(rest), text)}
    return [_changed(each, tuple(rest), text) if at == first else each for at, each in enumerate(value)]
