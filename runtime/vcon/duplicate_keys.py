"""Find duplicate member names in JSON objects. Parsers keep only the last one."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from vcontract.runtime.frame.documents.findings import Notice, Step, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array


def duplicate_keys(text: str, value: JsonValue) -> list[Notice]:
    """Return a notice for each duplicate name in the JSON text from which `value` was parsed.

    The quick check counts colons: each dropped member has one, and only escapes add any.
    """
    if text.count(":") == dump_json(value).count(b":") and "\\u003" not in text:
        return []
    as_written: JsonValue = json.loads(text, object_pairs_hook=_Members, parse_int=str, parse_float=str)
    return list(_notices(as_written, ()))


class _Members(list[tuple[str, Any]]):
    """Members of an object as written, to distinguish it from an array."""


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
