"""Find the columns of a table with text, speaker and times, by name and content."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final
from unicodedata import combining, normalize

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.export_times import moments, offset
from vcontract.runtime.imports.programs.guessing_hints import (
    AGENT,
    ASKS,
    CLOCK_NAMES,
    CUSTOMER,
    DURATION,
    END,
    ID,
    OF_PEOPLE,
    OF_WHO_SPEAKS,
    REPLIES,
    ROLES,
    SPEAKER,
    TEXT,
    TIME,
)

MAX_NAMES: Final = 12
"""Maximum speakers for a column of names."""
_MAX_NAME_LENGTH: Final = 40
_MIN_WORDS: Final = 2.5
"""Mean number of words where a column is said; names of people have two."""
TIMED: Final = frozenset({"time", "offset"})
_MIN_CLOCK_SECONDS: Final = 3600
_MIN_CHARACTERS_A_SECOND: Final = 0.1
"""Minimum speed of speech; about 15 is normal."""
_IDS: Final = frozenset({*ID, "nr", "no", "ticketno", "kdnr", "kundennr", "kundennummer", "row", "zeile"})
_OF_PEOPLE: Final = frozenset({*AGENT, *CUSTOMER})
_WORD: Final = re.compile(r"[A-ZÄÖÜ]?[a-zà-ÿ]+|[A-ZÄÖÜ]+(?![a-z])")


def roles_of(rows: Sequence[JsonObject]) -> JsonObject | None:
    """Find the columns with text, speaker and times by name; None without a text column."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    text = named({name: value for name, value in row.items() if isinstance(value, str)}, TEXT)
    if text is None:
        text = next((name for name in _with_word(row, TEXT) if has_sentences(rows, name)), None)
    if text is None:
        return None
    rest = {name: value for name, value in row.items() if name != text and not isinstance(value, float)}
    with_word = (
        name for name in _with_word(rest, SPEAKER) if _are_short([str(each.get(name, "")) for each in rows])
    )
    speakers = dict.fromkeys((*all_named(rest, SPEAKER), *with_word))
    likely = sorted(speakers, key=lambda name: _unlikeness(rows, name))
    return {"text": [text], **_of_speaker(rows, likely), **_times(rows, row, text)}


def _unlikeness(rows: Sequence[JsonObject], name: str) -> tuple[bool, bool]:
    """Sort key of columns that may name who speaks: first those with several values, and one in every row.

    A column with a name used only for speakers may have the same in all.
    """
    values = [str(row[name]) for row in rows if row.get(name) not in (None, "")]
    is_partial = len(values) < len(rows)
    return is_partial, plain(name) not in OF_WHO_SPEAKS and len(set(values)) == 1 < len(rows)


def sides_of(rows: Sequence[JsonObject]) -> tuple[JsonObject, bool] | None:
    """Find two columns with what either side says: roles for `columns`, and whether they name people."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    if any(plain(name) in TEXT for name in row):
        return None
    sides = [
        [
            (name, word)
            for name in row
            if (word := next((each for each in _WORD.findall(name) if plain(each) in words), None))
            is not None
            and _are_said(rows, name)
        ]
        for words in (ASKS, REPLIES)
    ]
    if any(len(side) != 1 for side in sides) or sides[0][0][0] == sides[1][0][0]:
        return None
    (asks, replies) = (side[0] for side in sides)
    columns: JsonObject = {name: word.capitalize() for name, word in (asks, replies)}
    roles: JsonObject = {
        "columns": columns,
        "speaker": ["column"],
        "text": ["words"],
        **_times(rows, row, asks[0]),
    }
    return roles, all(plain(word) in OF_PEOPLE for _, word in (asks, replies))


def _are_said(rows: Sequence[JsonObject], name: str) -> bool:
    """Whether the values of a column are sentences, rather than names."""
    texts = [value for row in rows if isinstance(value := row.get(name), str) and value.strip()]
    ended = sum(text.rstrip().endswith((".", "?", "!")) for text in texts)
    is_long = sum(len(text.split()) for text in texts) >= _MIN_WORDS * len(texts)
    return bool(texts) and (is_long or ended * 2 >= len(texts))


def _of_speaker(rows: Sequence[JsonObject], likely: Sequence[str]) -> JsonObject:
    """The first of these columns, and for rows without it the first one that they have."""
    missing = rows
    used: list[str] = []
    for name in likely:
        if any(name in row for row in missing):
            used.append(name)
            missing = [row for row in missing if name not in row]
    if not used:
        return {}
    example = next(row[used[0]] for row in rows if used[0] in row)
    return {"speaker": used, **({"label": "Speaker {}"} if str(example).isdigit() else {})}


def has_sentences(rows: Sequence[JsonObject], name: str) -> bool:
    """Whether most values of a column have several words."""
    texts = [value for row in rows if isinstance(value := row.get(name), str)]
    return sum(" " in value.strip() for value in texts) * 2 > len(texts) > 0


def roles_by_content(rows: Sequence[JsonObject]) -> JsonObject | None:
    """Find the columns by content: sentences, and a few alternating short values. None if there are none."""
    row = {name: value for each in reversed(rows) for name, value in each.items()}
    columns = {name: [str(each.get(name, "")) for each in rows] for name in row}
    texts = [name for name in columns if has_sentences(rows, name) and not any(moments(columns[name]))]
    if not texts:
        return None
    text = max(texts, key=lambda name: sum(map(len, columns[name])))
    changes = {
        name: sum(one != other for one, other in pairwise(values))
        for name, values in columns.items()
        if name != text and len(set(values)) > 1 and _are_short(values) and not _are_ids(name, values)
    }
    if not changes:
        return None
    speaker = max(changes, key=lambda name: changes[name])
    return {"text": [text], **_of_speaker(rows, [speaker]), **_times(rows, row, text)}


def _are_ids(name: str, values: Sequence[str]) -> bool:
    """Whether values are IDs or numbers of rows rather than names of speakers."""
    with_digits = sum(any(map(str.isdigit, value)) for value in values)
    is_unlike = len(set(values)) == len(values) and with_digits * 2 > len(values)
    return plain(name) in _IDS or (is_unlike and len(values) > 1)


def _are_short(values: Sequence[str]) -> bool:
    """Whether the values may be names of a few speakers."""
    return (
        len(set(values)) <= MAX_NAMES
        and max(map(len, values)) <= _MAX_NAME_LENGTH
        and not any(moments(values))
        and all(offset(each) is None or each.isdigit() for each in values)
    )


def _times(rows: Sequence[JsonObject], row: JsonObject, text: str) -> JsonObject:
    """Find time columns by name and values. `row` has all columns."""
    said = sum(len(str(each.get(text, ""))) for each in rows)
    found: JsonObject = {}
    for name in all_timed(row):
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
        del found["time"]  # the date of the call, repeated in each row
    for part, names in (("end", END), ("duration", DURATION)):
        column_name = named(row, names)
        if column_name is not None and offset(row[column_name]) is not None:
            found[part] = [column_name]
    return found


def _unit_of(name: str, column: Sequence[JsonValue], said: int) -> JsonObject:
    """Unit of an offset: milliseconds by name or speed, or a time of day if it begins after an hour."""
    offsets = [offset(value) or 0.0 for value in column]
    lasted = sum(max(0.0, after - before) for before, after in pairwise(offsets))
    is_slow = said < _MIN_CHARACTERS_A_SECOND * lasted
    if re.search(r"ms$|millis", plain(name)) or (is_slow and all(each % 1 == 0 for each in offsets)):
        is_number = not any(":" in str(value) for value in column)
        return {"unit": "ms"} if is_number else {}
    is_clock = plain(name) in CLOCK_NAMES and all(str(value).count(":") == 2 for value in column)
    return {"unit": "clock"} if is_clock and offsets[0] >= _MIN_CLOCK_SECONDS else {}


def in_order(rows: Sequence[JsonObject], roles: JsonObject) -> JsonObject:
    """Return the member of a mapping for rows whose times run backwards."""
    times = [time for path in roles.get("time", ()) for time in moments([row.get(path) for row in rows])]
    known = [time for time in times if time is not None]
    is_backwards = len(known) > 1 and known[0] > known[-1] and known == sorted(known, reverse=True)
    return {"sorted": True} if is_backwards else {}


def is_certain(rows: Sequence[JsonObject], roles: JsonObject) -> bool:
    """Whether the rows are certainly utterances."""
    if "speaker" not in roles:
        return False
    speaker = roles["speaker"][0]
    speakers = Counter(str(each[speaker]) for each in rows if speaker in each)
    if plain(speaker) in OF_WHO_SPEAKS or any(ROLES.fullmatch(name) for name in speakers):
        return True
    if len(speakers) > 1 and all(re.fullmatch(r"\d", name) for name in speakers):
        return True  # channels
    return max(speakers.values(), default=0) > 1 and not TIMED.isdisjoint(roles)


# Column names, ignoring case, accents and symbols.


def plain(name: str) -> str:
    """Normalize a name: no case, accents and symbols."""
    bare = "".join(each for each in normalize("NFKD", name) if not combining(each))
    return re.sub(r"[\W_]", "", bare).casefold()


def all_named(row: JsonObject, names: Sequence[str]) -> Iterator[str]:
    """Columns with one of these names, in the order of the names; then those whose last step matches."""
    by_name = {plain(name): name for name in reversed(row)}
    by_step = {
        plain(name.rpartition(".")[2]): name
        for name in reversed(row)
        if plain(name.partition(".")[0]) not in _OF_PEOPLE
    }
    found = [columns[name] for columns in (by_name, by_step) for name in names if name in columns]
    yield from dict.fromkeys(found)


def all_timed(row: JsonObject) -> Iterator[str]:
    """Columns with the name of a time, or with one as a word."""
    yield from (*all_named(row, TIME), *_with_word(row, TIME))


def named(row: JsonObject, names: Sequence[str]) -> str | None:
    """First column with one of these names."""
    return next(all_named(row, names), None)


def _with_word(row: JsonObject, names: Sequence[str]) -> Iterator[str]:
    """Columns with one of these names as a word."""
    for name in row:
        if any(plain(word) in names for word in _WORD.findall(name)):
            yield name
