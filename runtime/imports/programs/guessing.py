"""Guessing a mapping for what no format knows, by the names of columns and the look of lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from unicodedata import combining, normalize

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.export_times import moments, offset
from vcontract.runtime.imports.programs.guessing_hints import (
    AGENT,
    CLOCK_NAMES,
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
from vcontract.runtime.imports.programs.json_head import objects_at
from vcontract.runtime.imports.programs.non_json_files import LINES, TABLE, table, text_of
from vcontract.runtime.imports.programs.paths import first, values, word

_HEAD: Final = 65_536
_MAX_NAMES: Final = 12
_MAX_TEXTS: Final = 5
_MIN_MATCHING_SHARE: Final = 0.3
_SAMPLE: Final = 40
_OF_VCONS: Final = frozenset({"vcon", "dialog", "analysis", "attachments", "payload", "ciphertext"})
_MAX_PLACES: Final = 200
"""Places of a document at which lists are looked for."""
_MAX_FLAT_DEPTH: Final = 2
_MAX_NAME_LENGTH: Final = 40
_TIMED: Final = frozenset({"time", "offset"})
_MIN_CLOCK_SECONDS: Final = 3600
_MIN_CHARACTERS_A_SECOND: Final = 0.1
"""Speech has about 15."""
_OF_PEOPLE: Final = frozenset({*AGENT, *CUSTOMER})
_WORD: Final = re.compile(r"[A-ZÄÖÜ]?[a-zà-ÿ]+|[A-ZÄÖÜ]+(?![a-z])")
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
    of_table = _guess_table(head)
    if of_table is not None and of_table.is_sure:
        return of_table
    return _guess_lines(head) or of_table


def advice(head: bytes) -> str:
    """What to do to have a file read that is in no known format and is not JSON."""
    if guess(head) is not None:
        return _TRY
    names = _columns(head)[0] if TABLE.match(head) else []
    if len(names) < 2:
        return _SAY.format("how a line begins in which somebody speaks")
    if not all(map(_is_heading, names)):
        return "If it is a conversation, put a first line into it that names its columns."
    shown = ", ".join(f"`{name}`" for name in names[:_MAX_NAMES] if name)
    return _SAY.format(f"which columns are the speaker and the text (this table has {shown})")


def advice_for_object(document: JsonObject) -> str:
    """The same of a JSON object."""
    if guess_object(document) is not None:
        return _TRY
    lists = (("", [_flat(document)]), *((f"{each.path}.*.", _rows(each)) for each in _lists(document)))
    found = [
        f"`{prefix}{name}`"
        for prefix, rows in lists
        for name in dict.fromkeys(name for row in rows for name in row)
        if _has_sentences(rows, name)
    ]
    texts = f" (there is text at {', '.join(found[:_MAX_TEXTS])})" if found else ""
    return _SAY.format(f"at which paths the speaker and the text of each turn are{texts}")


_TRY: Final = "`vcontract import FILE --dry-run` shows how it could be read."
_SAY: Final = "If it is a conversation, say in a mapping.yaml {}; docs/import.md has an example."


def guess_object(document: JsonObject) -> Guess | None:
    """How a JSON object that is a conversation, or holds some, may be read."""
    if not _OF_VCONS.isdisjoint(document):
        return None
    lists = list(_lists(document))
    found = [guess for each in lists if (guess := _of_list(document, each, lists)) is not None]
    if sure := next((guess for guess in found if guess.is_sure), None):
        return sure
    row = _flat(document)
    text = _named(row, TEXT)
    if text is not None and isinstance(row[text], str) and (split := _split_of([row[text]])):
        turn = {"at": text, "split": split, "speaker": ["name"], "text": ["text"], "offset": ["at"]}
        return _of_object(turn, _about(row))
    return next(iter(found), None)


@dataclass(frozen=True, slots=True)
class _List:
    """All objects that lists of a document have at a path."""

    path: str
    rows: Sequence[JsonObject]


def _rows(told: _List) -> list[JsonObject]:
    return [_flat(row) for row in told.rows]


def _of_list(document: JsonObject, told: _List, lists: Sequence[_List]) -> Guess | None:
    """How turns are read that are the elements of a list."""
    rows = _rows(told)
    outer, _, last = told.path.rpartition(".*.")
    around = next((each for each in lists if each.path == outer), None)
    roles = _roles(rows)
    if around is not None and roles is not None and "speaker" not in roles:
        # a list a channel, or a speaker with sentences
        with_outer = [{**_flat(each), **rows[0]} for each in around.rows]
        outer_roles = _roles(with_outer)
        if outer_roles is not None and "speaker" in outer_roles:
            turn = {
                **outer_roles,
                "at": f"{outer}.*",
                "below": f"{last}.*",
                "inherit": outer_roles["speaker"],
            }
            about = {**_nearest(document, outer), **({"sorted": True} if _TIMED & turn.keys() else {})}
            return _of_object(turn, about, is_sure=_is_sure(with_outer, outer_roles))
    named = roles
    roles = roles or _roles_by_content(rows)
    if roles is None:
        return None
    is_sure = named is not None and _is_sure(rows, roles)
    if around is None or not _are_conversations(around, last, roles):
        turn = {**roles, "at": f"{told.path}.*"}
        return _of_object(turn, _nearest(document, told.path), is_sure=is_sure)
    turn, places = {**roles, "at": f"{last}.*"}, (f"{outer}.*", f"*.{outer}.*")
    return _of_object(turn, _about(_flat(around.rows[0])), is_sure=is_sure, places=places)


def _are_conversations(around: _List, path: str, roles: JsonObject) -> bool:
    """Whether each element of a list is a conversation, with its turns at a path, and not a part of one."""
    if _named(_flat(around.rows[0]), ID) is not None:
        return True
    speakers = [
        {word(first(turn, roles.get("speaker", ()))) for turn in values(each, f"{path}.*")[:_SAMPLE]}
        for each in around.rows
    ]
    return len(speakers) > 1 and all(len(each) > 1 for each in speakers)


def _of_object(
    turn: JsonObject, about: JsonObject, *, is_sure: bool = True, places: Sequence[str] = ("", "*")
) -> Guess:
    spec: JsonObject = {
        **_head("json", "JSON of conversations"),
        "recognise": [{turn["at"]: ""}],
        "conversations": list(places),
        "local": True,
        **about,
        "turns": [turn],
    }
    return Guess(spec, is_sure=is_sure)


def _head(shape: str, title: str) -> JsonObject:
    return {
        "name": "calls" if shape != "lines" else "call-text",
        "title": title,
        "got": "your own files",
        "shape": shape,
    }


def _about(row: JsonObject, prefix: str = "", *, but: Sequence[str] = ()) -> JsonObject:
    """Where the ID, the title and the date of a conversation are."""
    row = {name: value for name, value in row.items() if name not in but}
    found = {
        "id": _named(row, ID),
        "subject": _named(row, SUBJECT),
        "began": next((name for name in _all_named(row, TIME) if moments([row[name]])[0]), None),
    }
    found["subject"] = found["subject"] or found["id"]
    return {part: [f"{prefix}{name}"] for part, name in found.items() if name is not None}


def _nearest(document: JsonObject, path: str) -> JsonObject:
    """The same of the objects around a list, the nearest first."""
    steps = path.split(".*")[0].split(".")
    found: JsonObject = {}
    for depth in reversed(range(len(steps))):
        around = first(document, [".".join(steps[:depth])])
        prefix = "".join(f"{step}." for step in steps[:depth])
        found = {**_about(_flat(around), prefix), **found} if is_object(around) else found
    return found


# JSON: the first objects of a list or of lines, or one object.


def _guess_json(head: bytes) -> Guess | None:
    rows = list(objects_at(head))
    if not rows or not _OF_VCONS.isdisjoint(rows[0]):
        return None
    found = guess_object(rows[0])
    is_list = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or len(rows) > 1
    if not is_list or (found is not None and found.is_sure):
        return found
    flat = [_flat(row) for row in rows]
    roles = _roles(flat)
    if roles is not None and "speaker" in roles:
        return _of_rows("json", flat, roles, is_sure=_is_sure(flat, roles))
    roles = _roles_by_content(flat)
    return found if found is not None or roles is None else _of_rows("json", flat, roles, is_sure=False)


def _lists(document: JsonObject) -> Iterator[_List]:
    """Lists of objects at any depth, the uppermost first."""
    waiting: list[tuple[str, list[JsonObject]]] = [("", [document])]
    for _ in range(_MAX_PLACES):
        if not waiting:
            return
        path, holders = waiting.pop(0)
        for name in dict.fromkeys(name for holder in holders for name in holder):
            at = f"{path}.{_step(name)}" if path else _step(name)
            told = [holder[name] for holder in holders if name in holder]
            rows = [row for value in told if is_array(value) for row in value if is_object(row)][:_SAMPLE]
            if rows:
                yield _List(at, rows)
                waiting.append((f"{at}.*", rows))
            elif below := [value for value in told if is_object(value)]:
                waiting.append((at, below))


def _flat(row: JsonObject, prefix: str = "", depth: int = 0) -> JsonObject:
    """The values of a row, and of objects in it, by their paths."""
    found: JsonObject = {}
    for name, value in row.items():
        path = f"{prefix}{_step(name)}"
        if is_object(value) and depth < _MAX_FLAT_DEPTH:
            found |= _flat(value, f"{path}.", depth + 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            found[path] = value
    return found


# Tables: a row an utterance, or a row a call.


def _guess_table(head: bytes) -> Guess | None:
    if TABLE.match(head) is None and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    names, rows = _columns(head)
    if len(names) < 2 or not rows or not all(map(_is_heading, names)):
        return None
    flat = [_flat(row) for row in rows]
    roles = _roles(flat)
    if roles is None:
        roles = _roles_by_content(flat)
        return None if roles is None else _of_rows("table", flat, roles, is_sure=False)
    cells = [str(row[roles["text"][0]]) for row in flat if roles["text"][0] in row]
    if split := _split_of(cells):
        return _of_calls(flat, roles["text"][0], split)
    if "speaker" in roles:
        return _of_rows("table", flat, roles, is_sure=_is_sure(flat, roles))
    return _of_calls(flat, roles["text"][0], None)


def _is_heading(name: str) -> bool:
    return not name or (re.search(r"[^\W\d_]", name) is not None and len(name) < 60)


def _columns(head: bytes) -> tuple[list[str], list[JsonObject]]:
    """The names of a table's columns, and its first rows."""
    text = text_of(head)
    whole = text if len(head) < _HEAD else text.rpartition("\n")[0]
    names, rows = table(whole)
    return names, rows[:_SAMPLE]


def _of_calls(rows: Sequence[JsonObject], at: str, split: str | None) -> Guess:
    """A row is a call; it is certain if its text has turns."""
    turn: JsonObject = {"at": "", "text": [at]}
    if split is not None:
        compiled = re.compile(split, re.MULTILINE)
        labels = {found["name"] for row in rows for found in compiled.finditer(str(row.get(at, "")))}
        turn = {"at": at, "text": ["text"], "speaker": ["name"], "offset": ["at"], "split": split}
        if names := _names_of(rows[0], "", labels, but=[at]):
            turn["names"] = names
    spec: JsonObject = {
        **_head("table", "table of calls"),
        "recognise": [[_name(at)]],
        "conversations": ["*"],
        "local": True,
        **_about(rows[0], but=[at]),
        "turns": [turn],
    }
    return Guess(spec, is_sure=split is not None)


def _of_rows(shape: str, rows: Sequence[JsonObject], roles: JsonObject, *, is_sure: bool) -> Guess:
    """A row is an utterance."""
    told = [path for part in ("speaker", "text") for path in roles[part]]
    said = {str(row.get(roles["speaker"][0], "")) for row in rows}
    names = _names_of(rows[0], "0.", said, but=told)
    read = [*told, *(path for part in ("time", "offset", "end", "duration") for path in roles.get(part, ()))]
    about = _about(rows[0], "0.", but=read)
    if "id" not in about and (column := _in_blocks(rows, read)) is not None:
        about |= {"id": [f"0.{column}"], "subject": [f"0.{column}"]}
    spec: JsonObject = {
        **_head(shape, "table of utterances" if shape == "table" else "JSON of utterances"),
        "recognise": [[_name(path) for path in told]] if shape == "table" else [{}],
        "conversations": [""],
        **({"group": [about["id"][0].removeprefix("0.")]} if "id" in about else {}),
        "local": True,
        **about,
        "turns": [{"at": "*", **roles, **({"names": names} if names else {})}],
    }
    return Guess(spec, is_sure=is_sure)


def _in_blocks(rows: Sequence[JsonObject], but: Sequence[str]) -> str | None:
    """The column whose values come in most blocks, so that each may be a conversation."""
    blocks: dict[str, int] = {}
    for name in rows[0]:
        told = [str(each.get(name, "")) for each in rows]
        changes = sum(one != other for one, other in pairwise(told))
        if name not in but and 1 < changes + 1 == len(set(told)) < len(rows):
            blocks[name] = changes
    return max(blocks, key=lambda name: blocks[name], default=None)


def _names_of(row: JsonObject, prefix: str, said: Iterable[str], *, but: Sequence[str]) -> dict[str, str]:
    """Names of the agent and the customer, where columns have them; `said` are the speakers."""
    row = {name: value for name, value in row.items() if name not in but}
    return {
        word: f"${prefix}{column}"
        for names in (AGENT, CUSTOMER)
        if (column := _named(row, names)) is not None
        for word in sorted(said)
        if _plain(word) in names
    }


def _roles(rows: Sequence[JsonObject]) -> JsonObject | None:
    """Which columns are the text, the speaker and the times; None if no column has a name for text."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    text = _named({name: value for name, value in row.items() if isinstance(value, str)}, TEXT)
    if text is None:
        text = next((name for name in _with_word(row, TEXT) if _has_sentences(rows, name)), None)
    if text is None:
        return None
    rest = {name: value for name, value in row.items() if name != text and not isinstance(value, float)}
    with_word = (
        name for name in _with_word(rest, SPEAKER) if _are_short([str(each.get(name, "")) for each in rows])
    )
    speaker = _named(rest, SPEAKER) or next(with_word, None)
    return {"text": [text], **_of_speaker(rows, speaker), **_times(rows, row, text)}


def _of_speaker(rows: Sequence[JsonObject], speaker: str | None) -> JsonObject:
    if speaker is None:
        return {}
    told = next((row[speaker] for row in rows if speaker in row), "")
    return {"speaker": [speaker], **({"label": "Speaker {}"} if str(told).isdigit() else {})}


def _has_sentences(rows: Sequence[JsonObject], name: str) -> bool:
    """Whether most values of a column have several words."""
    told = [value for row in rows if isinstance(value := row.get(name), str)]
    return sum(" " in value.strip() for value in told) * 2 > len(told) > 0


def _roles_by_content(rows: Sequence[JsonObject]) -> JsonObject | None:
    """The same by what the columns hold: sentences, and few short values that take turns; None if none do."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    columns = {name: [str(each.get(name, "")) for each in rows] for name in row}
    texts = [name for name in columns if _has_sentences(rows, name) and not any(moments(columns[name]))]
    if not texts:
        return None
    text = max(texts, key=lambda name: sum(map(len, columns[name])))
    changes = {
        name: sum(one != other for one, other in pairwise(told))
        for name, told in columns.items()
        if name != text and len(set(told)) > 1 and _are_short(told)
    }
    if not changes:
        return None
    speaker = max(changes, key=lambda name: changes[name])
    return {"text": [text], **_of_speaker(rows, speaker), **_times(rows, row, text)}


def _are_short(told: Sequence[str]) -> bool:
    """Whether the values of a column may be names of a few speakers."""
    return (
        len(set(told)) <= _MAX_NAMES
        and max(map(len, told)) <= _MAX_NAME_LENGTH
        and not any(moments(told))
        and all(offset(each) is None or each.isdigit() for each in told)
    )


def _times(rows: Sequence[JsonObject], row: JsonObject, text: str) -> JsonObject:
    """Which columns are times, by their names and by what all rows have in them; `row` has all columns."""
    said = sum(len(str(each.get(text, ""))) for each in rows)
    found: JsonObject = {}
    for name in (*_all_named(row, TIME), *_with_word(row, TIME)):
        column = [each[name] for each in rows if each.get(name) not in (None, "")]
        if not column:
            continue
        if "time" not in found and all(moments(column)):
            found["time"] = [name]
        elif "offset" not in found and all(offset(value) is not None for value in column):
            found |= {"offset": [name], **_unit_of(name, column, said)}
    if "offset" not in found:
        return found
    if "time" in found and len({str(each.get(found["time"][0])) for each in rows}) < len(rows):
        del found["time"]  # the date of the call, which each row repeats
    for part, names in (("end", END), ("duration", DURATION)):
        column_name = _named(row, names)
        if column_name is not None and offset(row[column_name]) is not None:
            found[part] = [column_name]
    return found


def _unit_of(name: str, column: Sequence[JsonValue], said: int) -> JsonObject:
    """The unit of an offset: milliseconds by name or pace, or a time of day if it begins after an hour."""
    told = [offset(value) or 0.0 for value in column]
    lasted = sum(max(0.0, after - before) for before, after in pairwise(told))
    is_slow = said < _MIN_CHARACTERS_A_SECOND * lasted
    if re.search(r"ms$|millis", _plain(name)) or (is_slow and all(each % 1 == 0 for each in told)):
        is_number = not any(":" in str(value) for value in column)
        return {"unit": "ms"} if is_number else {}
    is_clock = _plain(name) in CLOCK_NAMES and all(str(value).count(":") == 2 for value in column)
    return {"unit": "clock"} if is_clock and told[0] >= _MIN_CLOCK_SECONDS else {}


def _is_sure(rows: Sequence[JsonObject], roles: JsonObject) -> bool:
    """Whether the rows certainly are what somebody said."""
    if "speaker" not in roles:
        return False
    speaker = roles["speaker"][0]
    told = Counter(str(each[speaker]) for each in rows if speaker in each)
    if _plain(speaker) in OF_WHO_SPEAKS or any(ROLES.fullmatch(name) for name in told):
        return True
    if len(told) > 1 and all(re.fullmatch(r"\d", name) for name in told):
        return True  # channels
    return max(told.values(), default=0) > 1 and not _TIMED.isdisjoint(roles)


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
        is_followed = not any(match["text"] for match in found)  # by what they say, on lines of its own
        if not has_roles and max(told.values()) < 2 and (is_followed or not stamped):
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


# Names of columns, whatever their case, accents and signs.


def _plain(name: str) -> str:
    bare = "".join(each for each in normalize("NFKD", name) if not combining(each))
    return re.sub(r"[\W_]", "", bare).casefold()


def _all_named(row: JsonObject, names: Sequence[str]) -> Iterator[str]:
    """The columns with one of these names, in the order of the names; then those whose last step is one."""
    by_name = {_plain(name): name for name in reversed(row)}
    by_step = {
        _plain(name.rpartition(".")[2]): name
        for name in reversed(row)
        if _plain(name.partition(".")[0]) not in _OF_PEOPLE
    }
    found = [columns[name] for columns in (by_name, by_step) for name in names if name in columns]
    yield from dict.fromkeys(found)


def _named(row: JsonObject, names: Sequence[str]) -> str | None:
    return next(_all_named(row, names), None)


def _with_word(row: JsonObject, names: Sequence[str]) -> Iterator[str]:
    """The columns of whose name one word is one of these names."""
    for name in row:
        if any(_plain(word) in names for word in _WORD.findall(name)):
            yield name


def _step(name: str) -> str:
    """A name as a step of a path."""
    return name.replace(".", "\\.")


def _name(path: str) -> str:
    """The name of the column that a path is."""
    return path.replace("\\.", ".")
