"""Parse the beginning of a JSON file to detect its format."""

import json
from collections.abc import Iterator
from typing import Final

import pydantic_core

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.imports.programs.non_json_files import text_of

_SAMPLE: Final = 40


def objects_at(head: bytes) -> Iterator[JsonObject]:
    """Yield the first objects of a list or of lines; a truncated one as far as it is complete."""
    text = text_of(head)
    decoder = json.JSONDecoder()
    place = text.find("{")
    for number in range(_SAMPLE):
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            if number == 0 and is_object(cut := _cut_off(text[place:])):
                yield cut
            return
        if not is_object(found):
            return
        yield found
        place = text.find("{", end)
        if place < 0 or text[end:place].strip(" \t\r\n,"):
            return


def _cut_off(text: str) -> JsonValue:
    try:
        return pydantic_core.from_json(text, allow_partial=True)
    except ValueError:
        return None
