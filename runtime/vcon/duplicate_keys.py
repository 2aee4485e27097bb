"""Doubled members: names that stand more than once in one JSON object, of which the last one counts."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from vcontract.runtime.frame.documents.findings import Notice, Step, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array


def duplicate_keys(text: str, value: JsonValue) -> list[Notice]:
    """A notice for each doubled name in the JSON text of which `value` was read.

    Whether there may be any is cheap to see: a member that was dropped took its colon along, and nothing but
    an escape adds one.
    """
    if text.count(":") == dump_json(value).count(b":") and "\\u003" not in text:
        return []
    as_written: JsonValue = json.loads(text, object_pairs_hook=_Members, parse_int=str, parse_float=str)
    return list(_notices(as_written, ()))


class _Members(list[tuple[str, Any]]):
    """The members of an object as they were written; an array is any other list."""


def _notices(value: JsonValue, place: tuple[Step, ...]) -> Iterator[Notice]:
    if isinstance(value, _Members):
        times = Counter(name for name, _ in value)
        for name, member in dict(value).items():
            if times[name] > 1:
                message = f"{quoted(name)} stands {times[name]} times in one object; the last one counts."
                yield Notice("doubled_member", message, path_of((*place, name)))
            yield from _notices(member, (*place, name))
    else:
        for index, element in enumerate(array(value)):
            yield from _notices(element, (*place, index))
