"""Guessing a mapping for what no format knows, by the names of columns and the look of lines."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.export_times import moments, offset
from vcontract.runtime.imports.programs.guessing_hints import (
    AGENT,
    CUSTOMER,
    DURATION,
    END,
    FRONT,
    ID,
    LABELLED,
    OF_WHO_SPEAKS,
    ROLES,
    RUNNING,
    SKIPPED,
    SPEAKER,
    SUBJECT,
    TEXT,
    TIME,
    TURN_LINES,
)
from vcontract.runtime.imports.programs.non_json_files import LINES, TABLE, separator_of, table, text_of

_MAX_NAMES: Final = 12
_MIN_MATCHING_SHARE: Final = 0.3
_SAMPLE: Final = 40
_OF_VCONS: Final = frozenset({"vcon", "dialog", "analysis", "attachments", "payload", "ciphertext"})
_DEEPEST: Final = 3
_VCON: Final = re.compile(rb'"(?:vcon|dialog|payload|ciphertext)"\s*:')


@dataclass(frozen=True, slots=True)
class Guess:
    """How a file may be read."""

    spec: JsonObject
    """A mapping, in the form of `spec/formats`."""
    is_sure: bool
    """Whether it is read so without being asked."""


def guess(head: bytes) -> Guess | None:
    """A mapping guessed from the beginning of a file; None if no turns are recognised."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"{" or re.match(rb"(?:\xef\xbb\xbf)?\s*+\[\s*+[\[{]", head):
        return None if _VCON.search(head) else _guess_json(head)
    if head[:2] not in (b"\xff\xfe", b"\xfe\xff") and LINES.match(head) is None:
        return None
    return _guess_table(head) or _guess_lines(head)


def guess_object(document: JsonObject) -> Guess | None:
    """How a JSON object that is a conversation may be read."""
    if not _OF_VCONS.isdisjoint(document):
        return None
    for path, rows in _lists(document):
        roles = _roles(rows, path=path)
        if roles is not None and _is_sure(rows, roles):
            return _of_object(document, {**roles, "at": f"{path}.*"})
    text = _named(document, TEXT)
    if text is not None and isinstance(document[text], str) and (split := _split_of([document[text]])):
        return _of_object(
            document,
            {"at": _step(text), "split": split, "speaker": ["name"], "text": ["text"], "offset": ["at"]},
        )
    return None


def _of_object(document: JsonObject, turn: JsonObject) -> Guess:
    spec: JsonObject = {
        **_head("json", "JSON of conversations"),
        "recognise": [{turn["at"]: ""}],
        "conversations": ["", "*"],
        "local": True,
        **_about(document, ""),
        "turns": [turn],
    }
    return Guess(spec, is_sure=True)


def _head(shape: str, title: str) -> JsonObject:
    return {
        "name": "calls" if shape != "lines" else "call-text",
        "title": title,
        "got": "your own files",
        "shape": shape,
    }


def _about(row: JsonObject, prefix: str, *, but: Sequence[str] = ()) -> JsonObject:
    """Where the ID, the title and the date of a conversation are."""
    row = {name: value for name, value in row.items() if isinstance(value, str | int | float)}
    found = {
        "id": _named(row, ID),
        "subject": _named(row, SUBJECT),
        "began": next((name for name in _all_named(row, TIME) if moments([row[name]])[0]), None),
    }
    return {
        part: [f"{prefix}{_step(name)}"]
        for part, name in found.items()
        if name is not None and _step(name) not in but
    }


# JSON: the first objects of a list or of lines, or one object.


def _guess_json(head: bytes) -> Guess | None:
    rows = list(_objects(head))
    if not rows:
        return None
    nested = any(is_object(value) or is_array(value) for value in rows[0].values())
    is_list = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or len(rows) > 1
    roles = _roles(rows) if is_list and not nested and _OF_VCONS.isdisjoint(rows[0]) else None
    if roles is None or "speaker" not in roles:
        return guess_object(rows[0])
    return _of_rows("json", rows, roles)


def _objects(head: bytes) -> Iterator[JsonObject]:
    text = text_of(head)
    decoder = json.JSONDecoder()
    place = text.find("{")
    for _ in range(_SAMPLE):
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return
        if not is_object(found):
            return
        yield found
        place = text.find("{", end)
        if place < 0 or text[end:place].strip(" \t\r\n,"):
            return


def _lists(document: JsonObject, path: str = "", depth: int = 0) -> Iterator[tuple[str, list[JsonObject]]]:
    """Lists of objects, with their paths, the uppermost first."""
    below: list[tuple[str, JsonObject]] = []
    for name, value in document.items():
        at = f"{path}.{_step(name)}" if path else _step(name)
        rows = [each for each in value[:_SAMPLE] if is_object(each)] if is_array(value) else []
        if rows:
            yield at, rows
        elif is_object(value) and depth < _DEEPEST:
            below.append((at, value))
    for at, value in below:
        yield from _lists(value, at, depth + 1)


# Tables: a row an utterance, or a row a call.


def _guess_table(head: bytes) -> Guess | None:
    if TABLE.match(head) is None and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    text = text_of(head)
    whole = text if len(head) < 65_536 else text.rpartition("\n")[0]
    names, rows = table(whole, separator_of(text))
    rows = rows[:_SAMPLE]
    if (
        len(names) < 2
        or not rows
        or not all(re.search(r"[^\W\d_]", name) and len(name) < 60 for name in names if name)
    ):
        return None
    roles = _roles(rows)
    if roles is None:
        return None
    column = roles["text"][0].replace("\\.", ".")
    cells = [row[column] for row in rows if isinstance(row.get(column), str)]
    if split := _split_of(cells):
        return _of_calls(rows[0], roles, split)
    if "speaker" in roles:
        return _of_rows("table", rows, roles)
    guess = _of_calls(rows[0], roles, None)
    return Guess(guess.spec, is_sure=False)


def _of_calls(row: JsonObject, roles: JsonObject, split: str | None) -> Guess:
    """A row is a call."""
    at = roles["text"][0]
    turn: JsonObject = (
        {"at": at, "text": ["text"], "speaker": ["name"], "offset": ["at"]}
        if split
        else {"at": "", "text": [at]}
    )
    if split:
        turn["split"] = split
        turn["names"] = _names_of(
            row, "", ("Agent", "AGENT", "agent"), ("Customer", "CUSTOMER", "customer", "Caller")
        )
    spec: JsonObject = {
        **_head("table", "table of calls"),
        "recognise": [[name.replace("\\.", ".") for name in (at,)]],
        "conversations": ["*"],
        "local": True,
        **_about(row, "", but=[at]),
        "turns": [{name: value for name, value in turn.items() if value}] if split else [turn],
    }
    return Guess(spec, is_sure=True)


def _of_rows(shape: str, rows: Sequence[JsonObject], roles: JsonObject) -> Guess:
    """A row is an utterance."""
    speaker = roles["speaker"][0].replace("\\.", ".")
    said = {str(row.get(speaker, "")) for row in rows}
    agents = [word for word in said if word.lower() in ("agent", "rep", "advisor", "operator")]
    customers = [word for word in said if word.lower() in ("customer", "caller", "client")]
    names = _names_of(rows[0], "0.", agents, customers)
    about = _about(rows[0], "0.", but=[*roles["text"], *roles.get("time", ())])
    spec: JsonObject = {
        **_head(shape, "table of utterances" if shape == "table" else "JSON of utterances"),
        "recognise": [[name.replace("\\.", ".") for part in ("speaker", "text") for name in roles[part]]]
        if shape == "table"
        else [{}],
        "conversations": [""],
        **({"group": [about["id"][0].removeprefix("0.")]} if "id" in about else {}),
        "local": True,
        **about,
        "turns": [{"at": "*", **roles, **({"names": names} if names else {})}],
    }
    if "subject" not in about and "id" in about:
        spec["subject"] = about["id"]
    return Guess(spec, is_sure=_is_sure(rows, roles))


def _names_of(
    row: JsonObject, prefix: str, agents: Sequence[str], customers: Sequence[str]
) -> dict[str, str]:
    """Names of the agent and the customer, where columns have them."""
    found = ((_named(row, AGENT), agents), (_named(row, CUSTOMER), customers))
    return {word: f"${prefix}{_step(name)}" for name, words in found if name is not None for word in words}


def _roles(rows: Sequence[JsonObject], path: str = "") -> JsonObject | None:
    """Which columns are the text, the speaker and the times; None if no column has a name for text."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    texts = {name: value for name, value in row.items() if isinstance(value, str)}
    text = _named(texts, TEXT)
    if text is None:
        return None
    found: JsonObject = {"text": [_step(text)]}
    words = {name: value for name, value in row.items() if isinstance(value, str | int) and name != text}
    if (speaker := _named(words, SPEAKER)) is not None:
        found["speaker"] = [_step(speaker)]
        if isinstance(row[speaker], int) or str(row[speaker]).isdigit():
            found["label"] = "Speaker {}"
    return found | _times(rows, row)


def _times(rows: Sequence[JsonObject], row: JsonObject) -> JsonObject:
    """Which columns are times, by their names and by what all rows have in them; `row` has all columns."""
    found: JsonObject = {}
    for name in _all_named(row, TIME):
        column = [each[name] for each in rows if each.get(name) not in (None, "")]
        if not column:
            continue
        if "time" not in found and all(moments(column)):
            found["time"] = [_step(name)]
        elif "offset" not in found and all(offset(value) is not None for value in column):
            found["offset"] = [_step(name)]
            if re.search(r"(?i)ms$|millis", name):
                found["unit"] = "ms"
    if "offset" not in found:
        return found
    if "time" in found and len({str(each.get(found["time"][0])) for each in rows}) < len(rows):
        del found["time"]  # the date of the call, which each row repeats
    for part, names in (("end", END), ("duration", DURATION)):
        column_name = _named(row, names)
        if column_name is not None and offset(row[column_name]) is not None:
            found[part] = [_step(column_name)]
    return found


def _is_sure(rows: Sequence[JsonObject], roles: JsonObject) -> bool:
    """Whether the rows certainly are what somebody said."""
    if "speaker" not in roles:
        return False
    speaker = roles["speaker"][0].replace("\\.", ".")
    told = Counter(str(each[speaker]) for each in rows if speaker in each)
    if _plain(speaker) in OF_WHO_SPEAKS or any(ROLES.fullmatch(name) for name in told):
        return True
    return max(told.values(), default=0) > 1 and not {"time", "offset"}.isdisjoint(roles)


def _split_of(texts: Sequence[str]) -> str | None:
    """How texts are split into turns: by labels at the beginnings of lines, or within a line."""
    for pattern in (LABELLED, RUNNING):
        compiled = re.compile(pattern, re.MULTILINE)
        labels = [[found["name"] for found in compiled.finditer(text)] for text in texts]
        told = Counter(label for each in labels for label in each)
        if texts and sum(len(each) > 1 for each in labels) * 2 > len(texts) and _are_names(told):
            return pattern
    return None


def _are_names(told: Counter[str]) -> bool:
    return sum(n for name, n in told.items() if ROLES.fullmatch(name)) * 2 >= told.total() > 0 or (
        2 <= len(told) <= _MAX_NAMES and sum(count > 1 for count in told.values()) > 1
    )


# Texts: a line begins a turn.


def _guess_lines(head: bytes) -> Guess | None:
    lines = [line for line in text_of(head).split("\n") if line.strip()]
    passed = re.compile(SKIPPED, re.IGNORECASE)
    lines = [line for line in lines if not passed.match(line)][: 10 * _SAMPLE]
    for pattern in TURN_LINES:
        compiled = re.compile(pattern)
        found = [match for line in lines if (match := compiled.match(line))]
        told = Counter(match["name"] for match in found)
        if len(found) < 2 or len(told) > _MAX_NAMES or len(found) < _MIN_MATCHING_SHARE * len(lines):
            continue
        stamped = "at" in compiled.groupindex
        has_roles = sum(n for name, n in told.items() if ROLES.fullmatch(name)) * 2 >= len(found)
        if not has_roles and max(told.values()) < 2 and not stamped:
            continue
        turn: JsonObject = {"at": "lines.*", "speaker": ["name"], "text": ["text"]}
        if stamped:
            turn |= {"time": ["time"], "offset": ["at"]}
        spec: JsonObject = {
            **_head("lines", "call transcript"),
            "recognise": [{}],
            "line": pattern,
            "skip": f"(?i:{SKIPPED})",
            "front": dict(FRONT),
            **{part: [part] for part in FRONT},
            "local": True,
            "turns": [turn],
        }
        return Guess(spec, is_sure=has_roles or stamped)
    return None


# Names of columns, whatever their case and signs.


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _all_named(row: JsonObject, names: Sequence[str]) -> Iterator[str]:
    """The columns with one of these names, in the order of the names."""
    by_name = {_plain(name): name for name in reversed(row)}
    yield from (by_name[name] for name in names if name in by_name)


def _named(row: JsonObject, names: Sequence[str]) -> str | None:
    return next(_all_named(row, names), None)


def _step(name: str) -> str:
    """A name as a step of a path."""
    return name.replace(".", "\\.")
