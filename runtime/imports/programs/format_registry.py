"""All import formats: detect the format of a file or object, and convert it to vCons."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import IO, Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.assistants import CHATGPT, CLAUDE, CLAUDE_PROJECTS
from vcontract.runtime.imports.programs.calendars import ICALENDAR
from vcontract.runtime.imports.programs.captions import CAPTIONS, YOUTUBE
from vcontract.runtime.imports.programs.channels import DISCORD, SLACK
from vcontract.runtime.imports.programs.chats import CHATS, near_miss
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    Converted,
    FileFormat,
    Format,
    NotRead,
    ObjectFormat,
    converted,
)
from vcontract.runtime.imports.programs.declarations import declarations
from vcontract.runtime.imports.programs.declared_formats import conversation_of, declared
from vcontract.runtime.imports.programs.guessing import guess, guess_object
from vcontract.runtime.imports.programs.mail import MAIL
from vcontract.runtime.imports.programs.meetings import MEET, TEAMS, ZOOM
from vcontract.runtime.imports.programs.recognisers import DEEPGRAM

DECLARED: Final[tuple[Format, ...]] = tuple(
    declared(spec) for spec in declarations().values() if spec["shape"] != "code"
)
"""Formats of `spec/formats` without code of their own."""

FORMATS: Final[tuple[Format, ...]] = (
    CHATGPT,
    CLAUDE,
    CLAUDE_PROJECTS,
    SLACK,
    DISCORD,
    CHATS,
    ICALENDAR,
    MAIL,
    CAPTIONS,
    *DECLARED,
    ZOOM,
    MEET,
    TEAMS,
    DEEPGRAM,
    YOUTUBE,
)

_OF_FILES: Final = tuple(each for each in FORMATS if isinstance(each, FileFormat))

MAIN_FILES: Final = frozenset({"conversations.json", "conversations-000.json", "channels.json"})
"""Each ChatGPT, Claude or Slack archive contains one of these."""
BESIDE: Final = frozenset(
    {
        *("user.json", "users.json", "memories.json", "message_feedback.json"),
        *("model_comparisons.json", "shared_conversations.json", "group_chats.json", "user_settings.json"),
        *("channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json", "canvases.json"),
        *("shopping.json", "sora.json", "export_manifest.json", "file_conversations.json", "lists.json"),
    }
)
"""Files of exports without conversations."""

HEAD: Final = 65_536
"""Bytes at the start of a file that decide its format."""


def format_of_file(head: bytes, mapping: FileFormat | None = None) -> FileFormat | None:
    """Detect the format of a file by its first bytes: the mapping, a known format or a sure guess."""
    for each in _OF_FILES if mapping is None else (mapping, *_OF_FILES):
        if each.is_of(head):
            return each
    return _guessed(head)


def _guessed(head: bytes) -> FileFormat | None:
    if (line := near_miss(head)) is not None:
        return replace(CHATS, read=partial(_refuse, line))
    found = guess(head)
    if found is None or not found.is_sure:
        return None
    source = declared(found.spec)
    # JSON with one conversation per object is read object by object
    is_whole = found.spec["shape"] != "json" or found.spec["conversations"] != ["", "*"]
    return source if is_whole and isinstance(source, FileFormat) else None


def _refuse(line: str, _data: bytes, _about: About) -> Iterator[Conversation]:
    raise NotRead(
        f"seems to be a {CHATS.title}, but its lines are in a form that is not known: {line[:120]!r}"
    )


def converted_object(document: JsonObject, about: Callable[[], About]) -> Converted | None:
    """Convert an object of an export; None if no format matches.

    Raises: NotRead.
    """
    if "vcon" in document or document.keys() >= {"uuid", "parties"}:
        return None  # no export has such members
    for each in FORMATS:
        if isinstance(each, ObjectFormat) and each.is_of(document):
            return _spoken(each.read(document, about()), each, about())
    found = guess_object(document)
    if found is not None and found.is_sure and found.spec["conversations"][0] == "":
        return _spoken(conversation_of(found.spec, document, about()), declared(found.spec), about())
    return None


def _spoken(conversation: Conversation, source: Format, about: About) -> Converted:
    """Convert a conversation with turns. Raises: NotRead if it has none."""
    if conversation.turns:
        return converted(conversation, source, about)
    raise NotRead(f"is a {source.title} in which nobody says anything")


def converted_file(data: bytes | IO[bytes], about: About, source: FileFormat) -> Iterator[Converted]:
    """Convert the conversations of a file. A large file is passed open, to a format with `read_large`.

    Raises: NotRead, also at the end of a file in which nobody says anything.
    """
    if isinstance(data, bytes):
        conversations = source.read(data, about)
    else:
        assert source.read_large is not None, "the format reads files as a whole"
        conversations = source.read_large(data, about)
    is_silent = True
    for conversation in conversations:
        is_silent = is_silent and not conversation.turns
        one = converted(conversation, source, about)
        if one.account.messages:
            yield one
    if is_silent:
        raise NotRead(f"is a {source.title} in which nobody says anything")
