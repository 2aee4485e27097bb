"""Content of messages: text, placeholders for other blocks, and additions of the program."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.imports.transcripts.model import INTERRUPTED

_MAX_BASE64_LENGTH: Final = 1_000
_BASE64: Final = re.compile(
    r"(?:data:(?P<type>[\w.+/-]++);base64,|(?<![A-Za-z0-9+/_-]))(?P<data>[A-Za-z0-9+/_-]{1000,}+={0,2})"
)


def size_of(count: int) -> str:
    """Format bytes: `812 B`, `34 kB`, `1.2 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def placeholder(block: JsonObject) -> str:
    """Return `[image image/png, 34 kB]` for a block without text."""
    source = members(block.get("source"))
    kind = str(block.get("type", "attachment"))
    media: JsonValue = source.get("media_type") or block.get("mimeType") or block.get("media_type")
    data: JsonValue = source.get("data") or block.get("data")
    parts = [str(media)] if isinstance(media, str) else []
    parts += [size_of(len(data) * 3 // 4)] if isinstance(data, str) else []
    return f"[{' '.join([kind, ', '.join(parts)])}]" if parts else f"[{kind}]"


def output_text(output: JsonValue) -> str:
    """Convert a tool's output to text."""
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
    """Replace images, documents and base64 over 1 kB by type and size; numbers that JSON lacks by text."""
    if isinstance(value, str):
        if len(value) <= _MAX_BASE64_LENGTH:
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
        return data  # one long word is not data
    return f"[{media or 'base64'}, {size_of(len(data) * 3 // 4)}]"


def blocks_of(content: JsonValue) -> list[JsonObject]:
    """Blocks of a message; a string is a text block."""
    found = [content] if isinstance(content, str) else array(content)
    blocks = ({"type": "text", "text": each} if isinstance(each, str) else each for each in found)
    return [block for block in blocks if is_object(block)]


_NOTICE_TAGS: Final = (
    "local-command-stdout|local-command-stderr|local-command-caveat|system-reminder|task-notification"
    "|bash-stdout|bash-stderr|user-prompt-submit-hook|ide_selection|ide_opened_file|ide_diagnostics"
    "|new-diagnostics|user-memory-input"
)
_WHOLE: Final = re.compile(rf"\s*<(?P<tag>{_NOTICE_TAGS})\b[^>]*>.*", re.DOTALL)
_OPENING: Final = re.compile(rf"[ \t]*+<(?P<tag>{_NOTICE_TAGS})\b[^<>]*+>")
_AT_LINE_START: Final = re.compile(rf"^{_OPENING.pattern}", re.MULTILINE)
_AFTER_CLOSING: Final = rf"[ \t]*+(?:(?P<end>\n|\Z)|(?=<(?:{_NOTICE_TAGS})\b))"
_INTERRUPTED: Final = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
_CAVEAT: Final = "Caveat: The messages below"
_COMMAND: Final = re.compile(r"\s*<command-(?:name|message)>")
CONTINUED: Final = "This session is being continued from a previous conversation"
"""Beginning of the text that replaces a compacted conversation."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Text that the user typed, without the program's additions."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """`/name args` or `! command`."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A message from the program."""

    type: str
    text: str


def classify_user_text(text: str) -> Prompt | Command | Notice:
    """Classify a text by its author. A text that only quotes a program's tags stays a prompt."""
    if command := _command(text):
        return Command(command)
    if _INTERRUPTED.fullmatch(text):
        return Notice(INTERRUPTED, text.strip())
    if text.lstrip().startswith(_CAVEAT):
        return Notice("caveat", text.strip())
    said = _without_notices(text)
    whole = _WHOLE.match(text)
    if whole is not None and not said.strip():
        return Notice(whole["tag"], text.strip())
    return Prompt(said.strip())


def _command(text: str) -> str | None:
    if _COMMAND.match(text) and (name := _element(text, "command-name")):
        arguments = _element(text, "command-args")
        slashed = name if name.startswith("/") else f"/{name}"
        return slashed if arguments is None else f"{slashed} {arguments}".strip()
    whole = text.strip()
    if not (whole.startswith("<bash-input>") and whole.endswith("</bash-input>")):
        return None
    typed = whole.removeprefix("<bash-input>").removesuffix("</bash-input>").strip()
    return f"! {typed}" if typed else None


def _element(text: str, name: str) -> str | None:
    """Content of the first element with this name; None if it is missing or unclosed."""
    start, end = f"<{name}>", f"</{name}>"
    _, opened, rest = text.partition(start)
    inner, closed, _ = rest.partition(end)
    return inner.strip() if opened and closed else None


def _without_notices(text: str) -> str:
    """Remove notices, which begin and end with a line.

    Each opening tag is checked once, and the same end is searched for only once.
    """
    blocks = _Blocks(text)
    kept: list[str] = []
    position = 0
    while (opening := _AT_LINE_START.search(text, position)) is not None:
        end = blocks.end(opening)
        kept.append(text[position : opening.start() if end is not None else opening.end()])
        position = opening.end() if end is None else end
    return "".join((*kept, text[position:]))


class _Blocks:
    """Ends of consecutive notices on one line, cached."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[int, int | None] = {}
        self._closings: dict[str, tuple[int, re.Match[str] | None]] = {}

    def end(self, opening: re.Match[str]) -> int | None:
        """Position after the line's end; None if a notice is not closed, or something follows it."""
        passed: list[int] = []
        following: re.Match[str] | None = opening
        end: int | None = None
        while following is not None:
            begin = following.end()
            if begin in self._ends:
                end = self._ends[begin]
                break
            passed.append(begin)
            closing = self._closing(following["tag"], begin)
            if closing is None:
                break
            if closing["end"] is not None:
                end = closing.end()
                break
            following = _OPENING.match(self._text, closing.end())
        self._ends.update(dict.fromkeys(passed, end))
        return end

    def _closing(self, tag: str, begin: int) -> re.Match[str] | None:
        """First end tag after `begin` that ends its line or precedes another notice."""
        if tag in self._closings:
            searched, found = self._closings[tag]
            if searched <= begin and (found is None or begin <= found.start()):
                return found
        found = re.compile(rf"</{tag}>{_AFTER_CLOSING}").search(self._text, begin)
        self._closings[tag] = begin, found
        return found
