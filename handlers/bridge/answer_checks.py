"""Validate a model's answer: JSON form, and rules common to moments and scenes."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.handlers.bridge.texts import is_emoji, text_problems
from vcontract.handlers.bridge.updates import CHOICES
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.store.bridge.records import Link, Quality, Shot

MAX_PROBLEMS: Final = 20
_OPENING: Final = re.compile(r"[{\[]")
_MAX_ATTEMPTS: Final = 50
"""Maximum brackets that begin no JSON before parsing stops."""
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an answer, by path and position, without words of the source or answer."""

    said: str
    quote: str | None = None
    """Text from the material that only the model is shown again."""


class UnusableAnswer(Exception):
    """An answer that cannot be saved, with all its problems."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems[:MAX_PROBLEMS]


@dataclass(frozen=True, slots=True)
class Draft:
    """A moment or scene described by the model."""

    emoji: str
    summary: str
    narrative: str | None
    shot: Shot
    links: tuple[Link, ...]
    qualities: tuple[Quality, ...] = ()


def text_of(*values: str) -> JsonObject:
    """Schema of a text, restricted to `values` if given."""
    return {"type": "string", "enum": list(values)} if values else {"type": "string"}


def list_of(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}


def object_of(**members: JsonObject) -> JsonObject:
    """Schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def described_by(**members: JsonObject) -> JsonObject:
    """Schema of moments or scenes: their common members and these."""
    shot = text_of(*CHOICES["shot"])
    return list_of(object_of(emoji=text_of(), summary=text_of(), narrative=text_of(), shot=shot, **members))


def read_answer(text: str, schema: JsonObject) -> JsonObject:
    """Return the JSON object that fits `schema` in a model's text, ignoring words and fences around it.

    The object may come in parts, such as one per line: objects with some of the lists, or elements of the
    first list. Raises: UnusableAnswer.
    """
    values, is_broken = _values_in(text)
    lists: JsonObject = schema["properties"]
    first = next(iter(lists))
    answer: JsonObject = {name: [] for name in lists}
    is_found = False
    for value in values:
        for part in value if is_array(value) else [value]:
            if part.keys() == lists[first]["items"]["properties"].keys():
                answer[first].append(part)
            elif part and part.keys() <= lists.keys() and all(map(is_array, part.values())):
                for name, elements in part.items():
                    answer[name] += elements
            else:
                continue
            is_found = True
    if not is_found:
        if is_broken or not values:
            raise UnusableAnswer([Problem("The answer is not JSON.")])
        answer = values[-1]
    problems = list(_misfits(answer, schema, "answer"))
    if problems:
        raise UnusableAnswer(problems)
    return answer


def common_problems(
    name: str, described: Sequence[JsonObject], most: int, *, has_narrative: bool
) -> Iterator[Problem]:
    """Check the number of moments or scenes, and their emoji, summary and narrative."""
    if not 1 <= len(described) <= most:
        yield Problem(f"{name}: {len(described)} of them; 1 to {most} are allowed.")
    for at, members in enumerate(described):
        if not is_emoji(members["emoji"].strip()):
            yield Problem(f"{name}[{at}].emoji: not a single emoji.")
        texts = ("summary", "narrative") if has_narrative or members["narrative"].strip() else ("summary",)
        for text in texts:
            for _, message in text_problems(text, members[text]):
                yield Problem(f"{name}[{at}].{text}: {message}")


def draft_of(members: JsonObject, links: Sequence[Link], qualities: Sequence[Quality] = ()) -> Draft:
    """Convert an answer's members to a moment or scene."""
    narrative: str = members["narrative"]
    return Draft(
        members["emoji"].strip(),
        members["summary"],
        narrative if narrative.strip() else None,
        members["shot"],
        tuple(links),
        tuple(qualities),
    )


def _values_in(text: str) -> tuple[list[JsonValue], bool]:
    """Find objects and lists of objects in a text. Also returns whether broken JSON was found."""
    values: list[JsonValue] = []
    attempts = 0
    opening = _OPENING.search(text)
    while opening is not None and attempts < _MAX_ATTEMPTS:
        end = opening.end()
        try:
            _, end = _DECODER.raw_decode(text, opening.start())
            value = parse_json(text[opening.start() : end])
        except (ValueError, RecursionError):
            attempts += 1
        else:
            if is_object(value) or (is_array(value) and all(map(is_object, value))):
                values.append(value)
        opening = _OPENING.search(text, end)
    return values, attempts > 0


def _misfits(value: JsonValue, schema: JsonObject, path: str) -> Iterator[Problem]:
    """Yield where a value differs from a schema made by the functions above."""
    if schema["type"] == "string":
        if not isinstance(value, str):
            yield Problem(f"{path}: not a text.")
        elif value not in schema.get("enum", [value]):
            yield Problem(f"{path}: not one of {', '.join(schema['enum'])}.")
    elif schema["type"] == "array":
        if not is_array(value):
            yield Problem(f"{path}: not a list.")
            return
        for position, element in enumerate(value):
            yield from _misfits(element, schema["items"], f"{path}[{position}]")
    elif not is_object(value):
        yield Problem(f"{path}: not an object.")
    else:
        members: JsonObject = schema["properties"]
        if value.keys() != members.keys():
            yield Problem(f"{path}: its members have to be {', '.join(members)}.")
            return
        for name, member in members.items():
            yield from _misfits(value[name], member, f"{path}.{name}")
