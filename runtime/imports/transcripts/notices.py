"""What a program puts into the person's mouth: notices, commands and reminders, told from real prompts."""

import re
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.imports.transcripts.model import INTERRUPTED

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
"""How the text begins that stands for a compacted conversation."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the person typed, without what the program added."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """`/name args` or `! command`."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What the program says."""

    type: str
    text: str


def told_apart(text: str) -> Prompt | Command | Notice:
    """Whose words these are. A text that quotes a program's tags stays a prompt."""
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
    """What stands in the first element of this name; None when there is none that ends."""
    start, end = f"<{name}>", f"</{name}>"
    _, opened, rest = text.partition(start)
    inner, closed, _ = rest.partition(end)
    return inner.strip() if opened and closed else None


def _without_notices(text: str) -> str:
    """The text without the notices in it, which begin and end with a line.

    Each opening is looked at once, and the same end is searched for once, however many openings it has.
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
    """Where notices end that follow one another on one line, the one that begins there and all behind it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[int, int | None] = {}
        self._closings: dict[str, tuple[int, re.Match[str] | None]] = {}

    def end(self, opening: re.Match[str]) -> int | None:
        """Behind the line's end; None when a notice does not end, or something else follows it."""
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
        """The first end tag behind `begin` that ends its line or stands before another notice."""
        if tag in self._closings:
            searched, found = self._closings[tag]
            if searched <= begin and (found is None or begin <= found.start()):
                return found
        found = re.compile(rf"</{tag}>{_AFTER_CLOSING}").search(self._text, begin)
        self._closings[tag] = begin, found
        return found
