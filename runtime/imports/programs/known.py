"""The formats that an import knows, and what is read by them."""

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.imports.programs.assistants import CHATGPT, CLAUDE
from vcontract.runtime.imports.programs.calendars import ICALENDAR
from vcontract.runtime.imports.programs.channels import DISCORD, SLACK
from vcontract.runtime.imports.programs.chats import CHATS
from vcontract.runtime.imports.programs.conversation import About, FileFormat, Format, ObjectFormat, vcon_of
from vcontract.runtime.imports.programs.declared import declared
from vcontract.runtime.imports.programs.mail import MAIL
from vcontract.runtime.imports.programs.meetings import MEET, TEAMS, ZOOM
from vcontract.runtime.imports.programs.speech import CAPTIONS, DEEPGRAM, WHISPER

DECLARED: Final[tuple[Format, ...]] = tuple(
    declared(spec)
    for spec in json.loads((files("vcontract.generated") / "formats.json").read_text(encoding="utf-8"))
)
"""The formats of `spec/formats`."""

FORMATS: Final[tuple[Format, ...]] = (
    CHATGPT,
    CLAUDE,
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
    WHISPER,
    DEEPGRAM,
)

MAIN_FILES: Final = frozenset({"conversations.json", "channels.json"})
"""Of which one lies in an archive that ChatGPT, Claude or Slack exported."""
BESIDE: Final = frozenset(
    {
        *("user.json", "users.json", "projects.json", "memories.json", "message_feedback.json"),
        *("model_comparisons.json", "shared_conversations.json", "group_chats.json", "user_settings.json"),
        *("channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json", "canvases.json"),
        *("shopping.json", "sora.json", "export_manifest.json", "file_conversations.json", "lists.json"),
    }
)
"""Files that lie beside the conversations in exports, and hold none."""

HEAD: Final = 65_536
"""Bytes by which a file's format is told."""


def format_of_file(head: bytes) -> FileFormat | None:
    """The format that a file of this beginning is read by as a whole."""
    return next((each for each in FORMATS if isinstance(each, FileFormat) and each.is_of(head)), None)


def vcon_of_object(document: JsonObject, about: Callable[[], About]) -> JsonObject:
    """The vCon that this object of an export becomes; the object itself when no format knows it.

    Raises: NotRead.
    """
    for each in FORMATS:
        if isinstance(each, ObjectFormat) and each.is_of(document):
            return vcon_of(each.read(document, about()), each)
    return document


def vcons_of_file(data: bytes, about: About, source: FileFormat) -> Iterator[JsonObject]:
    """The vCons that a file becomes.

    Raises: NotRead.
    """
    for conversation in source.read(data, about):
        yield vcon_of(conversation, source)
