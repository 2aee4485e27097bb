"""Guess a mapping for an unknown format, from column names and the form of lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.column_roles import (
    MAX_NAMES,
    TIMED,
    all_named,
    has_sentences,
    is_certain,
    named,
    plain,
    roles_by_content,
    roles_of,
)
from vcontract.runtime.imports.programs.export_times import moments
from vcontract.runtime.imports.programs.guessing_hints import (
    AGENT,
    CUSTOMER,
    FRONT,
    ID,
    LABELLED,
    ROLES,
    RUNNING,
    SKIPPED,
    SUBJECT,
    TEXT,
    TIME,
    TURN_LINES,
)
from vcontract.runtime.imports.programs.json_head import objects_at
from vcontract.runtime.imports.programs.non_json_files import LINES, TABLE, table, text_of
from vcontract.runtime.imports.programs.paths import first, values, word

_HEAD: Final = 65_536
_MAX_TEXTS: Final = 5
_MIN_MATCHING_SHARE: Final = 0.3
_SAMPLE: Final = 40
_OF_VCONS: Final = frozenset({"vcon", "dialog", "analysis", "attachments", "payload", "ciphertext"})
_MAX_PLACES: Final = 200
"""Maximum places in a document to look for lists."""
_MAX_FLAT_DEPTH: Final = 2
_VCON: Final = re.compile(rb'"(?:vcon|dialog|payload|ciphertext)"\s*:')


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed mapping."""

    spec: JsonObject
    """The mapping, in the form of `spec/formats`."""
    is_sure: bool
    """Whether it is used without confirmation."""


def guess(head: bytes) -> Guess | None:
    """Guess a mapping from the beginning of a file; None if no turns are recognized."""
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
    """Explain how to import a file of unknown format."""
    if guess(head) is not None:
        return _TRY
    names, rows = _columns(head) if TABLE.match(head) else ([], [])
    if len(names) < 2 or not rows:
        return _SAY.format("how a line begins in which somebody speaks")
    if not all(map(_is_heading, names)):
        return "If it is a conversation, put a first line into it that names its columns."
    shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMES] if name)
    return _SAY.format(f"which columns are the speaker and the text (this table has {shown})")


def advice_for_object(document: JsonObject) -> str:
    """Explain how to import a JSON object of unknown format."""
    if guess_object(document) is not None:
        return _TRY
    lists = (("", [_flat(document)]), *((f"{each.path}.*.", _rows(each)) for each in _lists(document)))
    found = [
        f"`{prefix}{name}`"
        for prefix, rows in lists
        for name in dict.fromkeys(name for row in rows for name in row)
        if has_sentences(rows, name)
    ]
    texts = f" (there is text at {', '.join(found[:_MAX_TEXTS])})" if found else ""
    return _SAY.format(f"at which paths the speaker and the text of each turn are{texts}")


_TRY: Final = "`vcontract import FILE --dry-run` shows how it could be read."
_SAY: Final = "If it is a conversation, say in a mapping.yaml {}; docs/import.md has an example."


def guess_object(document: JsonObject) -> Guess | None:
    """Guess a mapping for a JSON object that is or contains conversations."""
    if not _OF_VCONS.isdisjoint(document):
        return None
    lists = list(_lists(document))
    found = [guess for each in lists if (guess := _of_list(document, each, lists)) is not None]
    if sure := next((guess for guess in found if guess.is_sure), None):
        return sure
    row = _flat(document)
    text = named(row, TEXT)
    if text is not None and isinstance(row[text], str) and (split := _split_of([row[text]])):
        turn = {"at": text, "split": split, "speaker": ["name"], "text": ["text"], "offset": ["at"]}
        return _of_object(turn, _about(row))
    return next(iter(found), None)


@dataclass(frozen=True, slots=True)
class _List:
    """All objects in a document's lists at a path."""

    path: str
    rows: Sequence[JsonObject]


def _rows(told: _List) -> list[JsonObject]:
    return [_flat(row) for row in told.rows]


def _of_list(document: JsonObject, told: _List, lists: Sequence[_List]) -> Guess | None:
    """Guess how the elements of a list are turns."""
    rows = _rows(told)
    outer, _, last = told.path.rpartition(".*.")
    around = next((each for each in lists if each.path == outer), None)
    roles = roles_of(rows)
    if around is not None and roles is not None and "speaker" not in roles:
        # one list per channel, or speakers with sentences
        with_outer = [{**_flat(each), **rows[0]} for each in around.rows]
        outer_roles = roles_of(with_outer)
        if outer_roles is not None and "speaker" in outer_roles:
            turn = {
                **outer_roles,
                "at": f"{outer}.*",
                "below": f"{last}.*",
                "inherit": outer_roles["speaker"],
            }
            about = {**_nearest(document, outer), **({"sorted": True} if TIMED & turn.keys() else {})}
            return _of_object(turn, about, is_sure=is_certain(with_outer, outer_roles))
    by_name = roles
    roles = roles or roles_by_content(rows)
    if roles is None:
        return None
    is_sure = by_name is not None and is_certain(rows, roles)
    if around is None or not _are_conversations(around, last, roles):
        turn = {**roles, "at": f"{told.path}.*"}
        return _of_object(turn, _nearest(document, told.path), is_sure=is_sure)
    turn, places = {**roles, "at": f"{last}.*"}, (f"{outer}.*", f"*.{outer}.*")
    return _of_object(turn, _about(_flat(around.rows[0])), is_sure=is_sure, places=places)


def _are_conversations(around: _List, path: str, roles: JsonObject) -> bool:
    """Whether each element of a list is a conversation with turns at a path, not a part of one."""
    if named(_flat(around.rows[0]), ID) is not None:
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
    """Find ID, title and date of a conversation."""
    row = {name: value for name, value in row.items() if name not in but}
    found = {
        "id": named(row, ID),
        "subject": named(row, SUBJECT),
        "began": next((name for name in all_named(row, TIME) if moments([row[name]])[0]), None),
    }
    found["subject"] = found["subject"] or found["id"]
    return {part: [f"{prefix}{name}"] for part, name in found.items() if name is not None}


def _nearest(document: JsonObject, path: str) -> JsonObject:
    """Find ID, title and date in the objects around a list, nearest first."""
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
    roles = roles_of(flat)
    if roles is not None and "speaker" in roles:
        return _of_rows("json", flat, roles, is_sure=is_certain(flat, roles))
    roles = roles_by_content(flat)
    return found if found is not None or roles is None else _of_rows("json", flat, roles, is_sure=False)


def _lists(document: JsonObject) -> Iterator[_List]:
    """Lists of objects at any depth, outermost first."""
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
    """Flatten a row and its nested objects to values by path."""
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
    roles = roles_of(flat)
    if roles is None:
        roles = roles_by_content(flat)
        return None if roles is None else _of_rows("table", flat, roles, is_sure=False)
    cells = [str(row[roles["text"][0]]) for row in flat if roles["text"][0] in row]
    if split := _split_of(cells):
        return _of_calls(flat, roles["text"][0], split)
    if "speaker" in roles:
        return _of_rows("table", flat, roles, is_sure=is_certain(flat, roles))
    return _of_calls(flat, roles["text"][0], None)


def _is_heading(name: str) -> bool:
    return not name or (re.search(r"[^\W\d_]", name) is not None and len(name) < 60)


def _columns(head: bytes) -> tuple[list[str], list[JsonObject]]:
    """Column names and first rows of a table."""
    text = text_of(head)
    whole = text if len(head) < _HEAD else text.rpartition("\n")[0]
    names, rows = table(whole)
    return names, rows[:_SAMPLE]


def _of_calls(rows: Sequence[JsonObject], at: str, split: str | None) -> Guess:
    """Guess a table of calls, one per row; it is certain if its text has turns."""
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
    """Guess a table of utterances, one per row."""
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
    """Column whose values form the most consecutive blocks, so that each may be a conversation."""
    blocks: dict[str, int] = {}
    for name in rows[0]:
        told = [str(each.get(name, "")) for each in rows]
        changes = sum(one != other for one, other in pairwise(told))
        if name not in but and 1 < changes + 1 == len(set(told)) < len(rows):
            blocks[name] = changes
    return max(blocks, key=lambda name: blocks[name], default=None)


def _names_of(row: JsonObject, prefix: str, said: Iterable[str], *, but: Sequence[str]) -> dict[str, str]:
    """Names of agent and customer, if columns have them; `said` are the speakers."""
    row = {name: value for name, value in row.items() if name not in but}
    return {
        word: f"${prefix}{column}"
        for names in (AGENT, CUSTOMER)
        if (column := named(row, names)) is not None
        for word in sorted(said)
        if plain(word) in names
    }


def _split_of(texts: Sequence[str]) -> str | None:
    """How texts are split into turns: by labels at line starts, or within a line."""
    for pattern in (LABELLED, RUNNING):
        compiled = re.compile(pattern, re.MULTILINE)
        labels = [[found["name"] for found in compiled.finditer(text)] for text in texts]
        told = Counter(label for each in labels for label in each)
        if texts and sum(len(each) > 1 for each in labels) * 2 > len(texts) and _are_names(told):
            return pattern
    return None


def _are_names(told: Counter[str]) -> bool:
    return sum(n for name, n in told.items() if ROLES.fullmatch(name)) * 2 >= told.total() > 0 or (
        2 <= len(told) <= MAX_NAMES and sum(count > 1 for count in told.values()) > 1
    )


# Texts: a line begins a turn.


def _guess_lines(head: bytes) -> Guess | None:
    lines = [line for line in text_of(head).split("\n") if line.strip()]
    passed = re.compile(SKIPPED, re.IGNORECASE)
    lines = [line for line in lines if not passed.match(line)][: 10 * _SAMPLE]
    return next((guessed for pattern in TURN_LINES if (guessed := _of_lines(pattern, lines))), None)


def _of_lines(pattern: str, lines: Sequence[str]) -> Guess | None:
    """Guess lines that begin turns by a pattern; None if too few match."""
    compiled = re.compile(pattern)
    found = [match for line in lines if (match := compiled.match(line))]
    told = Counter(match["name"] for match in found)
    if len(found) < 2 or len(told) > MAX_NAMES or len(found) < _MIN_MATCHING_SHARE * len(lines):
        return None
    stamped = "at" in compiled.groupindex
    has_roles = sum(n for name, n in told.items() if ROLES.fullmatch(name)) * 2 >= len(found)
    is_followed = not any(match["text"] for match in found)  # followed by their text on separate lines
    if not has_roles and max(told.values()) < 2 and (is_followed or not stamped):
        return None
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


def _step(name: str) -> str:
    """Escape a name as a step of a path."""
    return name.replace(".", "\\.")


def _name(path: str) -> str:
    """Return the column name of a path."""
    return path.replace("\\.", ".")
