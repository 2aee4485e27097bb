"""What the blocks of a message say as text: words, and placeholders for what is no text."""

import re
from collections.abc import Iterator
from typing import Final

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.documents.values import array, is_array, is_object, members

_LONGEST_BASE64: Final = 1_000
_BASE64: Final = re.compile(
    r"(?:data:(?P<type>[\w.+/-]++);base64,|(?<![A-Za-z0-9+/_-]))(?P<data>[A-Za-z0-9+/_-]{1000,}+={0,2})"
)


def size_of(count: int) -> str:
    """Bytes in words: `812 B`, `34 kB`, `1.2 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def placeholder(block: JsonObject) -> str:
    """`[image image/png, 34 kB]` for a block that holds no text."""
    source = members(block.get("source"))
    kind = str(block.get("type", "attachment"))
    media: JsonValue = source.get("media_type") or block.get("mimeType") or block.get("media_type")
    data: JsonValue = source.get("data") or block.get("data")
    told = [str(media)] if isinstance(media, str) else []
    told += [size_of(len(data) * 3 // 4)] if isinstance(data, str) else []
    return f"[{' '.join([kind, ', '.join(told)])}]" if told else f"[{kind}]"


def output_text(output: JsonValue) -> str:
    """What a tool gave back as text."""
    return "\n".join(text for text in _texts(output) if text)


def _texts(output: JsonValue) -> Iterator[str]:
    if isinstance(output, str):
        yield output
    elif is_array(output):
        for element in output:
            yield from _texts(element)
    elif is_object(output):
        if isinstance(output.get("text"), str):
            yield output["text"]
        elif output.get("type") in ("image", "document", "input_image"):
            yield placeholder(output)
        elif "content" in output:
            yield from _texts(output["content"])
        elif "output" in output:
            yield from _texts(output["output"])
        else:
            yield dump_json(output).decode()
    elif output is not None:
        yield str(output)


def without_bulk(value: JsonValue) -> JsonValue:
    """The value with base64 over 1 kB told by type and size; numbers that JSON cannot write become text."""
    if isinstance(value, str):
        if len(value) <= _LONGEST_BASE64:
            return value
        return _BASE64.sub(lambda found: _told(found["type"], found["data"]), value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if is_array(value):
        return [without_bulk(element) for element in value]
    if is_object(value):
        if value.get("type") in ("image", "document") and "source" in value:
            return placeholder(value)
        return {name: without_bulk(member) for name, member in value.items()}
    return value


def _told(media: str | None, data: str) -> str:
    if not re.search(r"[0-9]", data) or not re.search(r"[A-Z]", data):
        return data  # one long word is none
    return f"[{media or 'base64'}, {size_of(len(data) * 3 // 4)}]"


def blocks_of(content: JsonValue) -> list[JsonObject]:
    """The blocks of a message; a string is one block of text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in array(content) if is_object(block)]
