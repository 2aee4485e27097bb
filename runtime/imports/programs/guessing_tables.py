"""Guess a mapping for a table or a text file in no known format."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.column_roles import (
    MAX_NAMES,
    all_timed,
    in_order,
    is_certain,
    named,
    plain,
    roles_by_content,
    roles_of,
    sides_of,
)
from vcontract.runtime.imports.programs.dialogues import dialogue_of
from vcontract.runtime.imports.programs.export_times import moments
from vcontract.runtime.imports.programs.guessing_hints import (
    AGENT,
    CUSTOMER,
    FRONT,
    ID,
    LABELS,
    ROLES,
    SPEAKER,
    SUBJECT,
)
from vcontract.runtime.imports.programs.non_json_files import TABLE, table, text_of
from vcontract.runtime.imports.programs.paths import values

_HEAD: Final = 65_536
SAMPLE: Final = 40
_MAX_FLAT_DEPTH: Final = 2


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed mapping."""

    spec: JsonObject
    """The mapping, in the form of `spec/formats`."""
    is_sure: bool
    """Whether the import uses the guess without confirmation."""


def head_of(shape: str, title: str) -> JsonObject:
    return {
        "name": "calls" if shape != "dialogue" else "call-text",
        "title": title,
        "got": "your own files",
        "shape": shape,
    }


def about_of(row: JsonObject, prefix: str = "", *, but: Sequence[str] = ()) -> JsonObject:
    """Paths of a conversation's ID, title and date."""
    row = {name: value for name, value in row.items() if name not in but}
    found = {
        "id": named(row, ID),
        "subject": named(row, SUBJECT),
        "began": next((name for name in all_timed(row) if moments([row[name]])[0]), None),
    }
    found["subject"] = found["subject"] or found["id"]
    return {part: [f"{prefix}{name}"] for part, name in found.items() if name is not None}


def flattened(row: JsonObject, prefix: str = "", depth: int = 0) -> JsonObject:
    """Scalar values of a row, its nested objects and its lists of one speaker, by path."""
    found: JsonObject = {}
    for name, value in row.items():
        path = f"{prefix}{path_step(name)}"
        if is_array(value) and len(value) == 1 and plain(name).removesuffix("s") in SPEAKER:
            path, value = f"{path}.0", value[0]
        if is_object(value) and depth < _MAX_FLAT_DEPTH:
            found |= flattened(value, f"{path}.", depth + 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            found[path] = value
    return found


def guess_table(head: bytes) -> Guess | None:
    if TABLE.match(head) is None and head[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    names, rows = columns_of(head)
    if len(names) < 2 or not rows or not all(map(is_heading, names)):
        return None
    flat = [flattened(row) for row in rows]
    if (column := _column_of_turns(flat)) is not None:
        return _calls_guess(flat, *column)
    if (inner := _column_of_json(flat)) is not None:
        column_name, inner_roles = inner
        return _calls_spec(flat, column_name, {"at": f"{column_name}.$json.*", **inner_roles}, is_sure=True)
    if (sides := sides_of(flat)) is not None:
        return guess_rows("table", flat, sides[0], is_sure=sides[1])
    roles = roles_of(flat)
    if roles is None:
        roles = roles_by_content(flat)
        return None if roles is None else guess_rows("table", flat, roles, is_sure=False)
    if "speaker" in roles:
        return guess_rows("table", flat, roles, is_sure=is_certain(flat, roles))
    return _calls_guess(flat, roles["text"][0], None)


def _column_of_turns(rows: Sequence[JsonObject]) -> tuple[str, str] | None:
    """The column whose cells hold turns, whatever its name is, and where their labels are."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = {
        name: labels
        for name in names
        if (labels := labels_in([str(row[name]) for row in rows if name in row])) is not None
    }
    longest = max(found, key=lambda name: sum(len(str(row.get(name, ""))) for row in rows), default=None)
    return None if longest is None else (longest, found[longest])


_SAID: Final = re.compile(r"[?!…]\s*\Z|:\s+\S|\A\s*\[")
"""What words between commas have, and names of columns do not."""


def _column_of_json(rows: Sequence[JsonObject]) -> tuple[str, JsonObject] | None:
    """The column whose cells are JSON lists of turns, and the roles of their members."""
    for name in dict.fromkeys(name for row in rows for name in row):
        cells = (each for row in rows for each in values(row.get(name), "$json.*"))
        turns = [flattened(each) for each in cells if is_object(each)]
        roles = roles_of(turns) if turns else None
        if roles is not None and "speaker" in roles:
            return name, roles
    return None


def is_heading(name: str) -> bool:
    is_name = re.search(r"[^\W\d_]", name) is not None and len(name) < 60 and _SAID.search(name) is None
    return not name or is_name


def columns_of(head: bytes) -> tuple[list[str], list[JsonObject]]:
    """Column names and first rows of a table."""
    text = text_of(head)
    whole = text if len(head) < _HEAD else text.rpartition("\n")[0]
    names, rows = table(whole)
    return names, rows[:SAMPLE]


def _calls_guess(rows: Sequence[JsonObject], at: str, split: str | None) -> Guess:
    """Mapping for one call per row. The guess is sure if the text splits into turns."""
    turn: JsonObject = {"at": "", "text": [at]}
    if split is not None:
        compiled = re.compile(LABELS[split], re.MULTILINE)
        labels = {found["name"] for row in rows for found in compiled.finditer(str(row.get(at, "")))}
        turn = {"at": at, "text": ["text"], "speaker": ["name"], "offset": ["at"], "labels": split}
        if names := _names_of(rows[0], "", labels, but=[at]):
            turn["names"] = names
    return _calls_spec(rows, at, turn, is_sure=split is not None)


def _calls_spec(rows: Sequence[JsonObject], at: str, turn: JsonObject, *, is_sure: bool) -> Guess:
    """Mapping for one call per row, whose turns are in the column `at`."""
    spec: JsonObject = {
        **head_of("table", "table of calls"),
        "recognise": [[_name(at)]],
        "conversations": ["*"],
        "local": True,
        **about_of(rows[0], but=[at]),
        "turns": [turn],
    }
    return Guess(spec, is_sure=is_sure)


def guess_rows(shape: str, rows: Sequence[JsonObject], roles: JsonObject, *, is_sure: bool) -> Guess:
    """Mapping for one utterance per row."""
    used = list(roles.get("columns") or [path for part in ("speaker", "text") for path in roles[part]])
    said = {str(row.get(roles["speaker"][0], "")) for row in rows}
    names = _names_of(rows[0], "0.", said, but=used)
    read = [*used, *(path for part in ("time", "offset", "end", "duration") for path in roles.get(part, ()))]
    about = about_of(rows[0], "0.", but=read)
    if "id" not in about and (column := _grouping_column(rows, read)) is not None:
        about |= {"id": [f"0.{column}"], "subject": [f"0.{column}"]}
    spec: JsonObject = {
        **head_of(shape, "table of utterances" if shape == "table" else "JSON of utterances"),
        "recognise": [[_name(path) for path in used]] if shape == "table" else [{}],
        "conversations": [""],
        **({"group": [about["id"][0].removeprefix("0.")]} if "id" in about else {}),
        "local": True,
        **about,
        **in_order(rows, roles),
        "turns": [{"at": "*", **roles, **({"names": names} if names else {})}],
    }
    return Guess(spec, is_sure=is_sure)


def _grouping_column(rows: Sequence[JsonObject], but: Sequence[str]) -> str | None:
    """Column whose equal values are contiguous, with the most distinct values.

    Each value may identify a conversation.
    """
    blocks: dict[str, int] = {}
    for name in rows[0]:
        values = [str(each.get(name, "")) for each in rows]
        changes = sum(one != other for one, other in pairwise(values))
        if name not in but and 1 < changes + 1 == len(set(values)) < len(rows):
            blocks[name] = changes
    return max(blocks, key=lambda name: blocks[name], default=None)


def _names_of(row: JsonObject, prefix: str, said: Iterable[str], *, but: Sequence[str]) -> dict[str, str]:
    """Columns with the names of agent and customer, by the speaker labels in `said`."""
    row = {name: value for name, value in row.items() if name not in but}
    return {
        word: f"${prefix}{column}"
        for names in (AGENT, CUSTOMER)
        if (column := named(row, names)) is not None
        for word in sorted(said)
        if plain(word) in names
    }


def labels_in(texts: Sequence[str]) -> str | None:
    """Return where labels of speakers split texts into turns: at line starts, or running on."""
    for where, pattern in LABELS.items():
        compiled = re.compile(pattern, re.MULTILINE)
        labels = [[found["name"] for found in compiled.finditer(text)] for text in texts]
        names = Counter(label for each in labels for label in each)
        if texts and sum(len(each) > 1 for each in labels) * 2 > len(texts) and _are_names(names):
            return where
    return None


def _are_names(names: Counter[str]) -> bool:
    return sum(n for name, n in names.items() if ROLES.fullmatch(name)) * 2 >= names.total() > 0 or (
        2 <= len(names) <= MAX_NAMES and sum(count > 1 for count in names.values()) > 1
    )


def guess_lines(head: bytes) -> Guess | None:
    found = dialogue_of(head)
    if found is None:
        return None
    spec: JsonObject = {
        **head_of("dialogue", "call transcript"),
        "recognise": [{}],
        **{part: [part] for part in FRONT},
        "local": True,
        "turns": [
            {
                "at": "lines.*",
                "speaker": ["name"],
                "text": ["text"],
                "time": ["time"],
                "offset": ["at"],
                **({"unit": "clock"} if found.is_clock else {}),
            }
        ],
    }
    return Guess(spec, is_sure=found.is_sure)


def path_step(name: str) -> str:
    """Escape a name for use as a path step."""
    return name.replace(".", "\\.")


def _name(path: str) -> str:
    """Column name for a single-step path."""
    return path.replace("\\.", ".")
