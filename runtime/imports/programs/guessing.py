"""Guess a mapping for a file in no known format, from column names and line patterns.

A mapping says which fields hold speaker, text and time.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.column_roles import (
    MAX_NAMES,
    TIMED,
    has_sentences,
    in_order,
    is_certain,
    named,
    roles_by_content,
    roles_of,
    sides_of,
)
from vcontract.runtime.imports.programs.guessing_hints import (
    ID,
    TEXT,
)
from vcontract.runtime.imports.programs.guessing_tables import (
    SAMPLE,
    Guess,
    about_of,
    columns_of,
    flattened,
    guess_lines,
    guess_rows,
    guess_table,
    head_of,
    is_heading,
    labels_in,
    path_step,
)
from vcontract.runtime.imports.programs.json_head import objects_at
from vcontract.runtime.imports.programs.non_json_files import LINES, TABLE
from vcontract.runtime.imports.programs.paths import first, values, word

_MAX_TEXTS: Final = 5
_OF_VCONS: Final = frozenset({"vcon", "dialog", "analysis", "attachments", "payload", "ciphertext"})
_MARKUP: Final = re.compile(r"\s*<(?i:p|div|br|span|html|body|table|ul|ol|h[1-6])\b[^<>]*>")
_MAX_PLACES: Final = 200
"""Maximum number of paths searched for lists."""
_VCON: Final = re.compile(rb'"(?:vcon|dialog|payload|ciphertext)"\s*:')


def guess(head: bytes) -> Guess | None:
    """Guess a mapping from the beginning of a file; None if no turns are recognized."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"{" or re.match(rb"(?:\xef\xbb\xbf)?\s*+\[\s*+[\[{]", head):
        return None if _VCON.search(head) else _guess_json(head)
    if head[:2] not in (b"\xff\xfe", b"\xfe\xff") and LINES.match(head) is None:
        return None
    of_table = guess_table(head)
    if of_table is not None and of_table.is_sure:
        return of_table
    return guess_lines(head) or of_table


def advice(head: bytes) -> str:
    """Advice for a non-JSON file in no known format: how to get it imported."""
    if guess(head) is not None:
        return _ADVICE_DRY_RUN
    names, rows = columns_of(head) if TABLE.match(head) else ([], [])
    if len(names) < 2 or not rows:
        return _ADVICE_MAPPING.format("how a line begins in which somebody speaks")
    if not all(map(is_heading, names)):
        return "If it is a conversation, put a first line into it that names its columns."
    shown = ", ".join(f"`{name}`" for name in names[:MAX_NAMES] if name)
    return _ADVICE_MAPPING.format(f"which columns are the speaker and the text (this table has {shown})")


def advice_for_object(document: JsonObject) -> str:
    """Advice for a JSON object in no known format."""
    if guess_object(document) is not None:
        return _ADVICE_DRY_RUN
    lists = (("", [flattened(document)]), *((f"{each.path}.*.", _rows(each)) for each in _lists(document)))
    found = [
        f"`{prefix}{name}`"
        for prefix, rows in lists
        for name in dict.fromkeys(name for row in rows for name in row)
        if has_sentences(rows, name)
    ]
    texts = f" (there is text at {', '.join(found[:_MAX_TEXTS])})" if found else ""
    return _ADVICE_MAPPING.format(f"at which paths the speaker and the text of each turn are{texts}")


_ADVICE_DRY_RUN: Final = "`vcontract import FILE --dry-run` shows how it could be read."
_ADVICE_MAPPING: Final = "If it is a conversation, say in a mapping.yaml {}; docs/import.md has an example."


_FIRST_TEXTS: Final = ("description_text", "description", "question", "body", "message", "initial_message")
"""Members of tickets with their first message, the plain one first."""
_ASKS: Final = re.compile(
    r"(?:requester|reporter|submitter|creator|customer|contact|author|user|client)(?:[._]id|[._]name|[._]login)?"
)
_NAMES: Final = ("name", "display_name", "displayName", "full_name", "username", "login")


def guess_object(document: JsonObject) -> Guess | None:
    """Guess a mapping for a JSON object that is or contains conversations."""
    if not _OF_VCONS.isdisjoint(document):
        return None
    lists = list(_lists(document))
    found = [guess for each in lists if (guess := _guess_from_list(document, each, lists)) is not None]
    if sure := next((guess for guess in found if guess.is_sure), None):
        return sure
    row = flattened(document)
    text = named(row, TEXT)
    if text is not None and isinstance(row[text], str) and (labels := labels_in([row[text]])):
        turn = {"at": text, "labels": labels, "speaker": ["name"], "text": ["text"], "offset": ["at"]}
        return _json_guess(turn, about_of(row))
    return next(iter(found), None)


@dataclass(frozen=True, slots=True)
class _ObjectList:
    """All objects in the lists at one path of a document."""

    path: str
    rows: Sequence[JsonObject]


def _rows(list_: _ObjectList) -> list[JsonObject]:
    return [flattened(row) for row in list_.rows]


def _guess_from_list(document: JsonObject, list_: _ObjectList, lists: Sequence[_ObjectList]) -> Guess | None:
    """Guess a mapping whose turns are the elements of a list."""
    rows = _rows(list_)
    html = _html(rows)
    outer, _, last = list_.path.rpartition(".*.")
    around = next((each for each in lists if each.path == outer), None)
    roles = roles_of(rows)
    if around is not None and roles is not None and "speaker" not in roles:
        # one list per channel, or a speaker with a list of sentences
        with_outer = [{**flattened(each), **rows[0]} for each in around.rows]
        outer_roles = roles_of(with_outer)
        if outer_roles is not None and "speaker" in outer_roles:
            turn = {
                **outer_roles,
                "at": f"{outer}.*",
                "below": f"{last}.*",
                "inherit": [
                    path for part in ("speaker", *sorted(TIMED)) for path in outer_roles.get(part, ())
                ],
            }
            about = {**_nearest(document, outer), **({"sorted": True} if TIMED & turn.keys() else {})}
            return _json_guess(turn, about, is_sure=is_certain(with_outer, outer_roles))
    by_name = roles
    roles = roles or roles_by_content(rows)
    if roles is None:
        return None
    is_sure = by_name is not None and is_certain(rows, roles)
    if around is None or not _are_conversations(around, last, roles):
        beside = _first_messages(document, roles)
        is_sure |= by_name is not None and "speaker" in roles and bool(beside)
        roles, beside = _with_first_text(document, rows, roles, beside)
        turn = {**roles, "at": f"{list_.path}.*", **beside, **html(roles)}
        about = {
            **_nearest(document, list_.path),
            **_people_of(document, rows, roles),
            **in_order(rows, roles),
        }
        return _json_guess(turn, about, is_sure=is_sure)
    beside = _first_messages(around.rows[0], roles)
    roles, beside = _with_first_text(around.rows[0], _rows_at(around.rows[0], last), roles, beside)
    turn, places = {**roles, "at": f"{last}.*", **beside, **html(roles)}, (f"{outer}.*", f"*.{outer}.*")
    about = {
        **about_of(flattened(around.rows[0])),
        **_people_of(around.rows[0], rows, roles),
        **in_order(_rows_at(around.rows[0], last), roles),
    }
    return _json_guess(turn, about, is_sure=is_sure, places=places)


def _html(rows: Sequence[JsonObject]) -> Callable[[JsonObject], JsonObject]:
    """Whether the text is HTML, by the beginning of its values."""

    def of(roles: JsonObject) -> JsonObject:
        texts = [str(row[path]) for row in rows for path in roles["text"] if row.get(path)]
        is_html = [_MARKUP.match(text) is not None for text in texts]
        return {"html": roles["text"]} if sum(is_html) * 2 > len(is_html) else {}

    return of


def _first_messages(document: JsonObject, roles: JsonObject) -> JsonObject:
    """Objects beside the list with the same members: programs keep the first message apart."""
    text, speaker = roles["text"][0], roles.get("speaker", [""])[0]
    found = [
        path_step(name)
        for name, value in document.items()
        if is_object(value) and flattened(value).get(text) and (not speaker or speaker in flattened(value))
    ]
    if "speaker" in roles and {text, speaker} <= flattened(document).keys():
        found.insert(0, "")
    return {"before": found} if found else {}


def _rows_at(document: JsonObject, path: str) -> list[JsonObject]:
    return [flattened(each) for each in values(document, f"{path}.*") if is_object(each)]


def _with_first_text(
    document: JsonObject, rows: Sequence[JsonObject], roles: JsonObject, beside: JsonObject
) -> tuple[JsonObject, JsonObject]:
    """Read a question in the conversation itself, such as that of a ticket, as its first turn."""
    row = flattened(document)
    text = next((name for name in _FIRST_TEXTS if isinstance(row.get(name), str) and row[name].strip()), None)
    paths = roles.get("speaker", ())
    speakers = {word(each.get(path)) for each in rows for path in paths}
    who = [name for name in row if _ASKS.fullmatch(name)]
    who.sort(key=lambda name: word(row[name]) not in speakers)
    said = [_plain(each.get(path)) for each in rows[:1] for path in roles["text"]]
    if beside or text is None or not who or not paths or _plain(row[text]) in said:
        return roles, beside
    base = re.sub(r"[._](?:id|name|login)$", "", who[0])
    shown = [name for name in (f"{base}.name", f"{base}_name") if name in row]
    named_as = {"name": [*roles.get("name", ()), *shown]} if shown else {}
    more = {"text": [*roles["text"], text], "speaker": [*paths, who[0]], **named_as}
    return {**roles, **more}, {"before": [""]}


def _plain(text: JsonValue) -> str:
    return "".join(filter(str.isalnum, re.sub(r"<[^<>]*>", "", word(text))))


def _people_of(document: JsonObject, rows: Sequence[JsonObject], roles: JsonObject) -> JsonObject:
    """The members of a document that say who the keys of speakers are."""
    keys = {word(row.get(path)) for row in rows for path in roles.get("speaker", ())} - {""}
    for name, value in document.items():
        path = f"{path_step(name)}.*" if is_array(value) else path_step(name)
        found = [each for each in values(document, path) if is_object(each)]
        known = [each for each in found if word(each.get("id")) in keys]
        shown = [each for each in _NAMES if any(each in person for person in known)]
        if known and shown and len(found) == len({word(each.get("id")) for each in found}):
            mailto = {"mailto": ["email"]} if any("email" in person for person in known) else {}
            return {"people": {"at": path, "id": ["id"], "name": shown, **mailto}}
    return {}


def _are_conversations(around: _ObjectList, path: str, roles: JsonObject) -> bool:
    """Whether each element of `around` is a whole conversation with its turns at `path`."""
    if named(flattened(around.rows[0]), ID) is not None:
        return True
    speakers = [
        {word(first(turn, roles.get("speaker", ()))) for turn in values(each, f"{path}.*")[:SAMPLE]}
        for each in around.rows
    ]
    return len(speakers) > 1 and all(len(each) > 1 for each in speakers)


def _json_guess(
    turn: JsonObject, about: JsonObject, *, is_sure: bool = True, places: Sequence[str] = ("", "*")
) -> Guess:
    spec: JsonObject = {
        **head_of("json", "JSON of conversations"),
        "recognise": [{turn["at"]: ""}],
        "conversations": list(places),
        "local": True,
        **about,
        "turns": [turn],
    }
    return Guess(spec, is_sure=is_sure)


def _nearest(document: JsonObject, path: str) -> JsonObject:
    """Paths of ID, title and date in the objects that enclose a list. The innermost object wins."""
    steps = path.split(".*")[0].split(".")
    found: JsonObject = {}
    for depth in reversed(range(len(steps))):
        around = first(document, [".".join(steps[:depth])])
        prefix = "".join(f"{step}." for step in steps[:depth])
        found = {**about_of(flattened(around), prefix), **found} if is_object(around) else found
    return found


# JSON: a list of objects, one object per line, or a single object.


def _guess_json(head: bytes) -> Guess | None:
    rows = list(objects_at(head))
    if not rows or not _OF_VCONS.isdisjoint(rows[0]):
        return None
    found = guess_object(rows[0])
    is_list = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[" or len(rows) > 1
    if not is_list or (found is not None and found.is_sure):
        return found
    flat = [flattened(row) for row in rows]
    if (sides := sides_of(flat)) is not None:
        return guess_rows("json", flat, sides[0], is_sure=sides[1])
    roles = roles_of(flat)
    if roles is not None and "speaker" in roles:
        return guess_rows("json", flat, roles, is_sure=is_certain(flat, roles))
    roles = roles_by_content(flat)
    return found if found is not None or roles is None else guess_rows("json", flat, roles, is_sure=False)


def _lists(document: JsonObject) -> Iterator[_ObjectList]:
    """Lists of objects at any depth, outermost first."""
    waiting: list[tuple[str, list[JsonObject]]] = [("", [document])]
    for _ in range(_MAX_PLACES):
        if not waiting:
            return
        path, holders = waiting.pop(0)
        for name in dict.fromkeys(name for holder in holders for name in holder):
            at = f"{path}.{path_step(name)}" if path else path_step(name)
            values = [holder[name] for holder in holders if name in holder]
            rows = [row for value in values if is_array(value) for row in value if is_object(row)][:SAMPLE]
            if rows:
                yield _ObjectList(at, rows)
                waiting.append((f"{at}.*", rows))
            elif below := [value for value in values if is_object(value)]:
                waiting.append((at, below))
