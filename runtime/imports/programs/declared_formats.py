"""Read formats by declaration: a file of `spec/formats`, or a mapping, gives the paths of a conversation's
parts.

Each file is first converted to JSON: A table or database becomes a list of rows, XML of elements, text
of lines and HTML of pieces, with groups of a regular expression. Paths then select its parts.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from vcontract.runtime.frame.documents.json import (
    JsonObject,
    JsonValue,
    MalformedJson,
    canonical_json,
    parse_json,
)
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object
from vcontract.runtime.imports.programs.conversation import (
    MAX_ATTACHMENT_LENGTH,
    About,
    Account,
    Attachment,
    Conversation,
    FileFormat,
    Format,
    NotRead,
    ObjectFormat,
    Turn,
    joined_turn,
    without,
)
from vcontract.runtime.imports.programs.databases import DATABASE, rows_of_database
from vcontract.runtime.imports.programs.dialogues import dialogue_of
from vcontract.runtime.imports.programs.export_times import moments, offset
from vcontract.runtime.imports.programs.guessing_hints import LABELS
from vcontract.runtime.imports.programs.json_head import objects_at
from vcontract.runtime.imports.programs.non_json_files import (
    HTML,
    LINES,
    TABLE,
    XML,
    captured,
    elements_of,
    is_table_with,
    lines_of,
    rows_of,
    text_of,
)
from vcontract.runtime.imports.programs.odd_values import parse_export
from vcontract.runtime.imports.programs.paths import first, fits, steps_of, text_at, values, word
from vcontract.runtime.imports.programs.recognised_words import prepared_elements
from vcontract.runtime.imports.programs.remainder import remainder
from vcontract.runtime.vcon.html import html_text

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_PER_SECOND: Final = {"s": 1.0, "ms": 1_000.0, "ticks": 10_000_000.0, "clock": 1.0}
_NOBODY: Final = "Speaker"
_MAX_ANCESTORS: Final = 100_000
_URL_SAFE: Final = str.maketrans("+/", "-_")


def declared(spec: JsonObject) -> Format:
    """Return an `ObjectFormat` if each JSON object is one conversation, else a `FileFormat`."""
    name_and_title, overlaps = (spec["name"], spec["title"]), spec.get("overlaps", False)
    if spec["shape"] == "json" and not (spec.keys() & {"head", "conversations", "group"}):
        return ObjectFormat(
            *name_and_title, partial(recognised, spec), partial(conversation_of, spec), overlaps
        )
    return FileFormat(*name_and_title, partial(_begins_as, spec), partial(_read, spec), overlaps)


def recognised(spec: JsonObject, document: JsonValue) -> bool:
    """Whether a document has the declaration's identifying members."""
    return any(fits(document, where) for where in spec["recognise"])


# Shapes: a file as JSON documents, one a conversation.


def _begins_as(spec: JsonObject, head: bytes) -> bool:
    if "head" in spec and not re.search(spec["head"].encode(), head):
        return False
    match spec["shape"]:
        case "table":
            return TABLE.match(head) is not None and is_table_with(
                head, [list(each) for each in spec["recognise"]]
            )
        case "lines":
            return LINES.match(head) is not None and captured(spec, head)
        case "dialogue":
            return LINES.match(head) is not None and dialogue_of(head) is not None
        case "xml":
            return XML.match(head) is not None
        case "html":
            return HTML.match(head) is not None
        case "sqlite":
            return head.startswith(DATABASE)
        case _:
            begins = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            return begins in (b"{", b"[") and ("head" in spec or _is_of_objects(spec, head))


def _is_of_objects(spec: JsonObject, head: bytes) -> bool:
    """Whether the beginning of a file contains a conversation with the identifying members."""
    found: list[JsonValue] = list(objects_at(head))
    documents = [*found[:1], found]
    places = [
        each for path in spec["conversations"] for document in documents for each in values(document, path)
    ]
    return any(recognised(spec, each) for each in places)


def _read(spec: JsonObject, data: bytes, about: About) -> Iterator[Conversation]:
    """Read a file. Raises: NotRead."""
    for document in _documents(spec, data, about):
        yield conversation_of(spec, document, about)


def _documents(spec: JsonObject, data: bytes, about: About) -> Iterator[JsonValue]:
    """Convert a file to JSON documents. Raises: NotRead."""
    match spec["shape"]:
        case "table":
            document: JsonValue = rows_of(data)
        case "lines":
            document = lines_of(spec, data)
        case "dialogue":
            found_dialogue = dialogue_of(data)
            document = found_dialogue.document if found_dialogue else {}
        case "xml":
            document = elements_of(data, spec.get("empty", ()))
        case "html":
            document = pieces(re.compile(spec["split"]), text_of(data))
        case "sqlite":
            document = rows_of_database(data, about, spec["query"])
        case _:
            document = _json(spec, data)
    if spec.get("mojibake"):
        document = _mended(document)
    if is_object(document):
        document = {**document, **_beside(spec, about)}
    places = (values(document, path) for path in spec.get("conversations", ("",)))
    ones = ([each for each in place if _is_one(spec, each)] for place in places)
    found = next(filter(None, ones), list[JsonValue]())
    if "group" not in spec:
        yield from found
        return
    groups: dict[str, list[JsonValue]] = {}
    within = re.compile(spec.get("group_by", r"[\s\S]*"))
    for element in (each for value in found for each in (value if is_array(value) else [value])):
        name = within.match(word(first(element, spec["group"])))
        group = _sorted_parts(spec, name[0]) if name else ""
        groups.setdefault(group, []).append(element)
    yield from (group[::-1] if spec.get("reversed") else group for group in groups.values())


def _sorted_parts(spec: JsonObject, name: str) -> str:
    """A name whose parts may be in any order, such as the numbers of a group."""
    between = spec.get("unordered")
    return between.join(sorted(name.split(between))) if between else name


def _is_one(spec: JsonObject, document: JsonValue) -> bool:
    """Whether a document may be a conversation, or a list to be grouped into some."""
    return spec["shape"] != "json" or "group" in spec or recognised(spec, document)


def _json(spec: JsonObject, data: bytes) -> JsonValue:
    try:
        return parse_export(data)
    except MalformedJson as error:
        try:
            return [parse_export(line) for line in data.splitlines() if line.strip()]
        except MalformedJson:
            raise NotRead(f"is a {spec['title']} that is not JSON: {error}") from None


def _beside(spec: JsonObject, about: About) -> JsonObject:
    """Load other files of the export, by their names in the declaration. None for missing or broken ones."""
    found: JsonObject = {}
    for name, path in spec.get("beside", {}).items():
        try:
            found[name] = parse_json(about.beside(path) or b"null")
        except MalformedJson:
            found[name] = None
    return found


def _mended(value: JsonValue) -> JsonValue:
    """Repair UTF-8 that was decoded as Latin-1."""
    if isinstance(value, str):
        try:
            return value.encode("latin-1").decode("utf-8")
        except UnicodeError:
            return value
    if is_array(value):
        return [_mended(element) for element in value]
    return {_mended(name): _mended(member) for name, member in value.items()} if is_object(value) else value


# A conversation out of a document.


def conversation_of(spec: JsonObject, document: JsonValue, about: About) -> Conversation:
    """Read a conversation from a document."""
    began = _began(spec, document)
    own = _sorted_parts(spec, word(first(document, spec.get("id", ()))))
    conversation = Conversation(
        own or hashlib.sha256(canonical_json(document)).hexdigest(),
        word(first(document, spec.get("subject", ()))) or about.title,
        began=began or about.modified,
    )
    about = replace(about, modified=began, is_guess=False) if began else about
    has_times = False
    at = ""
    for variant in spec["turns"]:
        at = variant["at"]
        has_times = _add_turns(conversation, variant, spec, document, about)
        if conversation.turns:
            break
    if spec.get("sorted"):
        conversation.turns.sort(key=lambda turn: turn.at or conversation.began or about.modified)
        spoke = {turn.speaker: conversation.parties[turn.speaker] for turn in conversation.turns}
        conversation.parties = {**spoke, **conversation.parties}
    if conversation.turns and spec.get("local") and (own or has_times):
        # this file's own ID, because a continued chat begins as before
        turn = conversation.turns[0]
        beginning = f"{own}\n{began}\n{turn.at if has_times else ''}\n{turn.speaker}\n{turn.text}"
        conversation.id = hashlib.sha256(beginning.encode("utf-8", "surrogatepass")).hexdigest()
    conversation.is_date_guessed = about.is_guess and not began and not has_times
    _compare_speakers(conversation, first(document, spec.get("speakers", ())))
    conversation.number = own if spec.get("local") or not own else None
    conversation.keys = [
        f"{path}:{found[found.re.groups]}"
        for path, pattern in spec.get("keys", {}).items()
        if (found := re.search(pattern, word(first(document, (path,)))))
    ]
    conversation.left = {**_left_of(spec, at, document, conversation), **conversation.left}
    return conversation


def _began(spec: JsonObject, document: JsonValue) -> datetime | None:
    """When a conversation began, if the document says it."""
    return moments([first(document, spec.get("began", ()))])[0]


def _times(
    spec: JsonObject, variant: JsonObject, document: JsonValue, elements: Sequence[JsonValue]
) -> list[datetime | None]:
    """Times of elements. A first message that stands apart has that of the conversation, if it has none."""
    times = moments([first(each, variant.get("time", ())) for each in elements])
    if "before" not in variant:
        return times
    apart = {id(each) for path in variant["before"] for each in values(document, path)}
    began = _began(spec, document)
    return [
        began if at is None and id(each) in apart else at for each, at in zip(elements, times, strict=True)
    ]


def _compare_speakers(conversation: Conversation, declared_: JsonValue) -> None:
    """Report it if fewer people speak than the file declares."""
    expected = len(declared_) if is_array(declared_) else int(offset(declared_) or 0)
    spoke = len({turn.speaker for turn in conversation.turns})
    if 0 < spoke < expected:
        conversation.notice(
            "fewer_speakers", f"The file declares {expected} speakers, but its words are those of {spoke}."
        )


def _left_of(spec: JsonObject, chosen: str, document: JsonValue, conversation: Conversation) -> JsonObject:
    """Members of a document that were not read, and what remains of those that were read in part.

    `chosen` is the path of the turns.
    """
    at = _read_places(spec, chosen)
    said = [turn.text for turn in conversation.turns]
    said += [word(party.get("name")) for party in conversation.parties.values()]
    said += [conversation.subject or "", conversation.id]
    if not is_object(document):
        rest = remainder(document, said, [steps_of(path) for path in at])
        return {} if rest is None else {"beside": rest}
    paths = [*at, *(path for name in ("id", "subject", "began") for path in spec.get(name, ()))]
    of_members = {path.partition(".")[0] for path in paths}
    left = without(document, *of_members, *spec.get("not_kept", ()))
    nested = {
        name: document[name]
        for name in of_members
        if isinstance(document.get(name), list | dict) and name not in spec.get("not_kept", ())
    }
    if not nested or "" in at:
        return left
    rest = remainder(nested, said, [steps_of(path) for path in at])
    return {**left, **rest} if is_object(rest) else left


def _read_places(spec: JsonObject, chosen: str) -> list[str]:
    """Paths of a document that were read, and those where the same words stand once more."""
    above = re.sub(r"\[[^\]]*\]", "", chosen)
    at = [chosen, *(each["at"] for each in spec["turns"] if not above.startswith(f"{each['at']}."))]
    at += [place for each in spec["turns"] for place in each.get("before", ()) if place]
    at += [each["spoken_by"]["at"] for each in spec["turns"] if "spoken_by" in each]
    return [*at, spec["people"]["at"]] if "people" in spec else at


class _Members:
    """Which members of the elements of a variant were read, in whole or in part."""

    def __init__(self, variant: JsonObject) -> None:
        kinds = (
            "id",
            "speaker",
            "name",
            "text",
            "time",
            "offset",
            "end",
            "duration",
            "files",
            "mailto",
            "tel",
        )
        paths = [path for name in kinds for path in variant.get(name, ())]
        dropped = set(variant.get("not_kept", ()))
        self._read = {path.partition(".")[0] for path in paths} | dropped
        self._nested = [] if variant.get("tokens") else sorted(self._read - dropped)
        self._taken = [
            steps_of(path)
            for path in (*variant.get("files", ()), *dropped, variant.get("voices", {}).get("at", "_"))
        ]
        self._is_joined = variant.get("join", False)
        self._is_whole = "" in variant.get("before", ()) and variant["at"].partition(".")[0]

    def left_of(self, element: JsonValue, said: Sequence[str]) -> JsonObject:
        """Members that were not read, and what remains of those that were read in part."""
        if not is_object(element) or (self._is_whole and self._is_whole in element):
            return {}  # the conversation itself is one of its elements
        left = {} if self._is_joined else without(element, *self._read)
        nested = {name: element[name] for name in self._nested if isinstance(element.get(name), list | dict)}
        rest = remainder(nested, said, self._taken) if nested else None
        return {**left, **rest} if is_object(rest) else left


def _add_turns(
    conversation: Conversation, variant: JsonObject, spec: JsonObject, document: JsonValue, about: About
) -> bool:
    """Add the turns. Returns whether any has a time of its own."""
    elements = _elements(variant, document)
    read: list[JsonValue] = []
    others: list[JsonValue] = []
    for element in elements:
        (read if _is_turn(variant, element) else others).append(element)
    entries = prepared_elements(variant, read, document)
    found = _in_a_line(variant, entries, document)
    conversation.account = Account()
    conversation.joined(max(0, len(read) - len(entries)))
    conversation.left = {}
    if found is not entries:
        shown = set(map(id, found))
        _keep(conversation, "other_branches", [each for each in entries if id(each) not in shown])
    times = _times(spec, variant, document, found)
    people = _people(spec, document)
    per_second = _PER_SECOND[variant.get("unit", "s")]
    is_clock = variant.get("unit") == "clock"
    beginning = about.modified.replace(hour=0, minute=0, second=0) if is_clock else about.modified
    before = 0.0
    edits: dict[int, str] = {}
    members = _Members(variant)
    for element, at in zip(found, times, strict=True):
        text, files = _said(variant, element), _files(variant, element)
        if not (text or files):
            others.append(element)
            continue
        if _is_glued(conversation, variant, element, text):
            continue
        begins = _edge(element, variant.get("offset", ()), per_second, 0)
        if at is None and begins is not None:
            if is_clock and begins < before:  # the clock has passed midnight
                beginning += timedelta(days=1)
            before = begins
            at = beginning + timedelta(seconds=begins)
        lasts = _length(variant, element, begins, per_second)
        key = _speaker(conversation, variant, people, element, document)
        turn = _turn(conversation, variant, members, element, (key, text, at, lasts))
        if variant.get("join") and (joined := joined_turn(conversation.turns, turn, variant)):
            conversation.turns[-1] = replace(joined, left=_with_left(joined.left, turn.left))
            conversation.joined()
            continue
        conversation.turns.append(turn)
        if edited := word(first(element, variant.get("edits", ()))):
            edits[len(conversation.turns) - 1] = edited
        for file in files:
            _enclose(conversation, variant, file)
    _apply_edits(conversation, edits)
    others = _without_containers(conversation, variant, others)
    _keep(conversation, "other_messages", _without_notices(conversation, variant, others))
    return any(times)


def _is_glued(conversation: Conversation, variant: JsonObject, element: JsonValue, text: str) -> bool:
    """Whether an element belongs to the turn before, such as punctuation; it is then added there."""
    if not conversation.turns or "glue" not in variant or not fits(element, variant["glue"]):
        return False
    last = conversation.turns[-1]
    conversation.turns[-1] = replace(last, text=last.text + text)
    conversation.joined()
    return True


def _turn(
    conversation: Conversation,
    variant: JsonObject,
    members: _Members,
    element: JsonValue,
    said: tuple[str, str, datetime | None, float | None],
) -> Turn:
    """Return the turn of an element, of which speaker, text, time and duration are known."""
    key, text, at, lasts = said
    text, quoted = _without_quoted(variant, text)
    left = members.left_of(element, (text, quoted, key, word(conversation.parties[key].get("name"))))
    left = {**left, "quoted": quoted} if quoted else left
    return Turn(key, text, at, lasts, word(first(element, variant.get("id", ()))) or None, left)


def _without_quoted(variant: JsonObject, text: str) -> tuple[str, str]:
    """Split a text into its own words and those that it repeats of another message."""
    found = re.search(variant["quoted"], text) if "quoted" in variant else None
    own = f"{text[: found.start()]}{text[found.end() :]}".strip() if found else ""
    return (own, found[0].strip()) if found and own else (text, "")


def _enclose(conversation: Conversation, variant: JsonObject, file: JsonObject) -> None:
    """Attach a file to the last turn: its content if the export has it, else what is known of it."""
    name = word(first(file, variant.get("file_name", ("name", "uri")))).rpartition("/")[2]
    mediatype = first(file, variant.get("file_type", ()))
    path = variant.get("file_data", "_")
    content = word(file.get(path))
    about = without(file, path, "children", "tag")
    body = re.sub(r"\s+", "", content).rstrip("=").translate(_URL_SAFE)
    if not content:
        conversation.enclose(file if path == "_" else about, name, mediatype)
    elif len(body) > MAX_ATTACHMENT_LENGTH or not conversation.has_room(len(body)):
        conversation.enclose({**about, "left_out": "too large", "characters": len(content)}, name, mediatype)
    else:
        turn = len(conversation.turns) - 1
        conversation.papers.append(Attachment(turn, name or None, word(mediatype), body, "base64url", "file"))


def _apply_edits(conversation: Conversation, edits: Mapping[int, str]) -> None:
    """Give edited messages their last words, and keep the earlier ones beside them."""
    places = {turn.message_id: place for place, turn in enumerate(conversation.turns) if place not in edits}
    turns = list(conversation.turns)
    applied = {place for place, name in edits.items() if name in places}
    for place in sorted(applied, key=lambda each: (turns[each].at is not None, turns[each].at or each)):
        edited, own = places[edits[place]], turns[place]
        turn = turns[edited]
        if own.speaker != turn.speaker:
            applied.discard(place)
            continue
        earlier = [*array(turn.left.get("earlier")), turn.text]
        turns[edited] = replace(turn, text=own.text, left={**turn.left, "earlier": earlier})
    if not applied:
        return
    numbers = [place for place in range(len(turns)) if place not in applied]
    moved = {place: number for number, place in enumerate(numbers)}
    conversation.turns = [turns[place] for place in numbers]
    conversation.papers = [
        replace(paper, turn=moved[paper.turn if paper.turn in moved else places[edits[paper.turn]]])
        for paper in conversation.papers
    ]
    conversation.joined(len(applied))


def _without_containers(
    conversation: Conversation, variant: JsonObject, elements: Sequence[JsonValue]
) -> list[JsonValue]:
    """Return the messages among elements that are no turns, and keep further data of containers."""
    below = variant.get("below")
    if below is None:
        return list(elements)
    said = [turn.text for turn in conversation.turns] + list(conversation.parties)
    messages: list[JsonValue] = []
    for element in elements:
        if not values(element, below) or (variant.get("where") and fits(element, variant["where"])):
            messages.append(element)
        elif (rest := remainder(element, said, [steps_of(below)])) is not None:
            conversation.left.setdefault("parts", []).append(rest)
    return messages


def _without_notices(
    conversation: Conversation, variant: JsonObject, elements: Sequence[JsonValue]
) -> list[JsonValue]:
    """Keep the notices of the program among elements as events. Returns the others."""
    notices = variant.get("notices")
    if notices is None:
        return list(elements)
    others: list[JsonValue] = []
    for element in elements:
        said = " ".join(
            dict.fromkeys(
                _as_words(text)
                for place in notices["text"]
                for text in _words_at({**variant, **notices}, element, place)
            )
        )
        if said and fits(element, notices.get("where", {})):
            conversation.event(said, moments([first(element, variant.get("time", ()))])[0])
        else:
            others.append(element)
    return others


def _keep(conversation: Conversation, where: str, elements: Sequence[JsonValue]) -> None:
    """Keep messages that are no turns beside them."""
    if elements:
        conversation.left[where] = list(elements)
        conversation.kept(where, len(elements))


def _files(variant: JsonObject, element: JsonValue) -> list[JsonObject]:
    files = (file for path in variant.get("files", ()) for file in values(element, path) if file)
    return [file if is_object(file) else {"name": file} for file in files]


def _length(variant: JsonObject, element: JsonValue, begins: float | None, per_second: float) -> float | None:
    """Duration of a turn in seconds, given or computed from its ends."""
    lasts = offset(first(element, variant.get("duration", ())), per_second)
    ends = _edge(element, variant.get("end", ()), per_second, -1)
    if lasts is None and begins is not None and ends is not None:
        lasts = max(0.0, ends - begins)
    return None if lasts is None else round(lasts, 3)


def _as_words(name: str) -> str:
    """Return the name of a notice in words: `phone_call`, `#x.callEndedEventMessageDetail`."""
    if "_" in name and re.fullmatch(r"[a-z]+(?:_[a-z]+)+", name):
        return name.replace("_", " ")
    if found := re.fullmatch(r"#[\w.]+\.(\w+?)(?:EventMessageDetail)?", name):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", found[1]).lower()
    return name


def _said(variant: JsonObject, element: JsonValue) -> str:
    """Return the words of an element: its text, and those that stand elsewhere and not in it."""
    said = _text(variant, element)
    for place in variant.get("also", ()):
        for text in _words_at(variant, element, place):
            if not said or _plain(text) not in _plain(said):
                said = f"{said}\n{text}" if said else text
    return said


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)) or text


def _words_at(variant: JsonObject, element: JsonValue, place: str) -> Iterator[str]:
    """Yield the texts at a path, or a sentence with a path in each pair of braces, if all have a value."""
    if "{" not in place:
        for value in values(element, place):
            text = text_at(value).strip()
            if text := html_text(text) if place in variant.get("html", ()) else text:
                yield text
        return
    at, _, sentence = place.rpartition("|")
    for each in values(element, at):
        found = {path: ", ".join(map(word, values(each, path))) for path in _BRACES.findall(sentence)}
        if all(found.values()):
            yield _filled(sentence, found)


def _filled(sentence: str, found: Mapping[str, str]) -> str:
    """The sentence with the value of each path in braces."""
    return _BRACES.sub(lambda path: found[path[1]], sentence)


def _text(variant: JsonObject, element: JsonValue) -> str:
    """Return the first non-empty text of the paths."""
    dropped = re.compile(variant.get("drop", r"(?!)"))
    is_plain = "plain" in variant and fits(element, variant["plain"])
    for path in variant["text"]:
        texts = [
            text for value in values(element, path) if (text := text_at(value)) and not dropped.search(text)
        ]
        text = variant.get("between", "").join(texts).strip()
        if path in variant.get("html", ()) and not is_plain:
            text = html_text(text).strip()
        text = re.sub(variant.get("strip", r"(?!)"), "", text)
        if text:
            return text
    return ""


def _edge(element: JsonValue, paths: Sequence[str], per_second: float, index: int) -> float | None:
    offsets = (offset(value, per_second) for path in paths for value in values(element, path))
    found = [seconds for seconds in offsets if seconds is not None]
    return found[index] if found else None


def _elements(variant: JsonObject, document: JsonValue) -> list[JsonValue]:
    apart = [each for path in variant.get("before", ()) for each in values(document, path)]
    found = [*apart, *values(document, variant["at"])]
    if split := variant.get("split") or LABELS.get(variant.get("labels", "")):
        pattern = re.compile(split, re.MULTILINE)
        found = [piece for text in found if isinstance(text, str) for piece in pieces(pattern, text)]
    if "columns" in variant:
        found = [turn for element in found for turn in _by_column(element, variant)]
    if "below" in variant:
        found = list(_with_below(found, variant))
    return found


def _by_column(element: JsonValue, variant: JsonObject) -> Iterator[JsonValue]:
    """Yield a turn for each column with words; the first one has what else the element holds."""
    columns: JsonObject = variant["columns"]
    if not is_object(element):
        return
    rest = without(element, *columns)
    times = {path.partition(".")[0] for part in ("time", "offset", "end") for path in variant.get(part, ())}
    for column, name in columns.items():
        if word(element.get(column)):
            yield {**rest, "column": name, "words": element[column]}
            rest = {member: value for member, value in rest.items() if member in times}


def _is_turn(variant: JsonObject, element: JsonValue) -> bool:
    """Whether an element is a message, and no notice or copy."""
    unless = variant.get("unless", ())
    return fits(element, variant.get("where", {})) and not any(fits(element, each) for each in unless)


def _with_below(elements: Sequence[JsonValue], variant: JsonObject) -> Iterator[JsonValue]:
    """Yield elements, each followed by its descendants, which inherit members."""
    waiting = list(reversed(elements))
    while waiting:
        element = waiting.pop()
        yield element
        inherited = {name: each for name in variant.get("inherit", ()) for each in values(element, name)}
        below = values(element, variant["below"])
        waiting += [
            {**inherited, **(each if is_object(each) else {"below": each})} for each in reversed(below)
        ]


def pieces(pattern: re.Pattern[str], text: str) -> list[JsonValue]:
    """Split text at matches. Each match's `text` continues until the next one."""
    found = list(pattern.finditer(text))
    ends = [*(match.start() for match in found), len(text)][1:]
    return [
        {
            **{name: value for name, value in match.groupdict().items() if value},
            "text": text[match.end() : end].strip(),
        }
        for match, end in zip(found, ends, strict=True)
    ]


def _in_a_line(variant: JsonObject, elements: list[JsonValue], document: JsonValue) -> list[JsonValue]:
    """Flatten a tree of messages to the branch of the last one, or of the one shown."""
    tree = variant.get("tree")
    if tree is None or not elements:
        return elements
    by_id = {word(first(each, (tree["id"],))): each for each in elements}
    if not any(word(first(each, (tree["parent"],))) in by_id for each in elements):
        return elements
    line = [by_id.get(word(first(document, (tree.get("shown", ""),))), elements[-1])]
    while (
        len(line) < _MAX_ANCESTORS
        and (parent := by_id.get(word(first(line[-1], (tree["parent"],))))) is not None
    ):
        if any(parent is each for each in line[-2:]):
            break
        line.append(parent)
    return line[::-1]


def _people(spec: JsonObject, document: JsonValue) -> dict[str, JsonObject]:
    """Data of people by ID."""
    people: JsonObject = spec.get("people", {"at": "_", "id": ()})
    kinds = ("name", "mailto", "tel")
    return {
        word(first(person, people["id"])): {kind: word(first(person, people.get(kind, ()))) for kind in kinds}
        for person in values(document, people["at"])
    }


def _speaker(
    conversation: Conversation,
    variant: JsonObject,
    people: Mapping[str, JsonObject],
    element: JsonValue,
    document: JsonValue,
) -> str:
    if any(fits(element, where) for where in variant.get("me", ())):
        return conversation.speaker("me", "Me")
    said = word(first(element, variant.get("speaker", ())))
    if said and (within := word(first(element, variant.get("within", ())))) not in ("", said):
        said = f"{within} {said}"
    name = variant.get("names", {}).get(said) or word(first(element, variant.get("name", ())))
    if name.startswith("$"):
        name = word(first(document, (name[1:],)))
    person = people.get(said, {})
    label = variant.get("label", "{}").format(said) if said else variant.get("nobody", _NOBODY)
    mailto, tel = (
        word(first(element, variant.get(kind, ()))) or person.get(kind, "") for kind in ("mailto", "tel")
    )
    shown = name or person.get("name") or label
    return conversation.speaker(said or name or label, shown, mailto=mailto, tel=tel)


def _with_left(left: JsonObject, further: JsonObject) -> JsonObject:
    """Unite what remains of two elements of one turn."""
    result = dict(left)
    for name, value in further.items():
        known = result.get(name)
        result[name] = [*known, *value] if is_array(known) and is_array(value) else known or value
    return result
