"""What a model's answer has to be: its form, and what both kinds of answer have in common."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from vcontract.handlers.bridge.texts import is_emoji, text_problems
from vcontract.runtime.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.documents.values import is_array, is_object

MOST_PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an answer, by path and position: never the words of a source or of the answer."""

    said: str
    quote: str | None = None
    """Text of the material that the model is shown again; nobody else is."""


class UnusableAnswer(Exception):
    """An answer that cannot be saved, with everything that is wrong with it."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems[:MOST_PROBLEMS]


def text_of(*values: str) -> JsonObject:
    """The schema of a text, one of `values` if there are any."""
    return {"type": "string", "enum": list(values)} if values else {"type": "string"}


def list_of(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}


def object_of(**members: JsonObject) -> JsonObject:
    """The schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def read_answer(text: str, schema: JsonObject) -> JsonObject:
    """The JSON object that a model wrote, of the form of `schema`.

    Raises: UnusableAnswer.
    """
    try:
        answer: JsonValue = parse_json(text)
    except MalformedJson:
        raise UnusableAnswer([Problem("The answer is not JSON.")]) from None
    problems = list(_misfits(answer, schema, "answer"))
    if problems or not is_object(answer):
        raise UnusableAnswer(problems)
    return answer


def common_problems(path: str, members: Mapping[str, JsonValue]) -> Iterator[Problem]:
    """What is wrong with the emoji and the summary of a moment or scene."""
    if not is_emoji(members["emoji"].strip()):
        yield Problem(f"{path}.emoji: not a single emoji.")
    for _, message in text_problems("summary", members["summary"]):
        yield Problem(f"{path}.summary: {message}")


def _misfits(value: JsonValue, schema: JsonObject, path: str) -> Iterator[Problem]:
    """Where a value has not the form of a schema made by the functions above."""
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
