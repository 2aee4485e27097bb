"""What a program puts into the person's mouth: notices, commands and reminders, told from real prompts."""

import re
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.transcripts.model import INTERRUPTED

_NOTICE_TAGS: Final = (
    "local-command-stdout|local-command-stderr|local-command-caveat|system-reminder|task-notification"
    "|bash-stdout|bash-stderr|user-prompt-submit-hook|ide_selection|ide_opened_file|ide_diagnostics"
    "|new-diagnostics|user-memory-input"
)
_WHOLE: Final = re.compile(rf"\s*<(?P<tag>{_NOTICE_TAGS})\b[^>]*>.*", re.DOTALL)
_EMBEDDED: Final = re.compile(
    rf"(?:^|(?<=\n))(?:[ \t]*<(?P<tag>{_NOTICE_TAGS})\b[^>]*>.*?</(?P=tag)>[ \t]*)+(?=\n|\Z)\n?", re.DOTALL
)
_INTERRUPTED: Final = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
_CAVEAT: Final = "Caveat: The messages below"
_COMMAND: Final = re.compile(r"\s*<command-(?:name|message)>")
_NAME: Final = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS: Final = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)
_BASH: Final = re.compile(r"\s*<bash-input>\s*(.*?)\s*</bash-input>\s*", re.DOTALL)
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
    said = _EMBEDDED.sub("", text)
    whole = _WHOLE.match(text)
    if whole is not None and not said.strip():
        return Notice(whole["tag"], text.strip())
    return Prompt(said.strip())


def _command(text: str) -> str | None:
    if _COMMAND.match(text) and (name := _NAME.search(text)) is not None and name[1]:
        arguments = _ARGUMENTS.search(text)
        slashed = name[1] if name[1].startswith("/") else f"/{name[1]}"
        return f"{slashed} {arguments[1]}".strip() if arguments is not None else slashed
    bash = _BASH.fullmatch(text)
    return f"! {bash[1]}" if bash is not None and bash[1] else None
