"""Import mail: single messages (eml) and mailboxes (mbox), one vCon per thread."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from io import BytesIO
from typing import IO, Final, cast

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.conservation import Kept
from vcontract.runtime.imports.programs.conversation import About, Attachment, Conversation, FileFormat, Turn
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.vcon.bodies import encode_base64url
from vcontract.runtime.vcon.charsets import text_of
from vcontract.runtime.vcon.html import html_text
from vcontract.runtime.vcon.markup import TooInvolved, read_headers, read_mail, words_of_mail

_FROM: Final = re.compile(
    rb"From (?:(?:\S+[ \t]*)?|-[ \t][^\n]*|\S+@\S*[ \t][^\n]*"
    rb"|[^\n]*\d{1,2}:\d{2}[^\n]*[ ,]\d{4}[^\n]*|[^\n]*\b\d{4}[^\n]*\d{1,2}:\d{2}[^\n]*)\r?\n"
)
"""A separator: with a sender, a date, both or neither."""
_BELOW_FROM: Final = re.compile(
    rb"(?:[!-9;-~]++:[^\n]*\n(?:[ \t][^\n]*\n)*+|>From [^\n]*\n)*?"
    rb"(?i:from|to|date|subject|message-id|received|return-path|delivered-to|mime-version|x-[!-9;-~]+)[ \t]*:"
)
"""Headers below a separator, one of which every mail has."""
_BLANK: Final = (b"\n", b"\r\n")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LOOKAHEAD: Final = 16 * 1024
_HEAD: Final = re.compile(rb"(?:[^\r\n]+\r?\n?)*+")
"""Header lines of a message."""
_HEADERS: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[!-9;-~]++:[^\n]*\n(?:[ \t][^\n]*\n)*+)+?"
    rb"(?i:from|message-id|received|return-path):"
)
_ID: Final = re.compile(r"<[^<>\s]{1,500}>")
_REPLY: Final = re.compile(r"(?i)(?:\s*(?:re|aw|sv|antw|fwd?|wg)(?:\[\d+\])?:)+\s*")
_SAYS: Final = re.compile(
    r"(?:On|Am|Le|El|Il|Op|Den)\b[^\n]{5,200}"
    r"(?:wrote|schrieb[^\n]*|a écrit|escribió|ha scritto|schreef[^\n]*|skrev[^\n]*):?[ \t]*\Z"
)
_FORWARDED: Final = re.compile(
    r"-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine)\s*-{2,}\Z"
)
_MAX_HEADER_LENGTH: Final = 2_000
_MAX_HEADERS_BYTES: Final = 256 * 1024
_MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
_MAX_ATTACHMENT_BYTES: Final = 8 * 1024 * 1024
_MAX_ATTACHMENTS_LENGTH: Final = 24 * 1024 * 1024
"""Maximum characters of attachments in one thread, which is one vCon."""
_MAX_LINE_BYTES: Final = 1024 * 1024
_KEPT: Final = ("cc", "bcc", "reply-to", "in-reply-to", "references", "list-id", "x-mailer")


@dataclass(frozen=True, slots=True)
class _Mail:
    """Position of a message in its file, and its thread."""

    begin: int
    end: int
    id: str
    answers: tuple[str, ...]
    """IDs that it refers to, oldest first."""
    at: datetime | None


def _is_mail(head: bytes) -> bool:
    if _HEADERS.match(head):
        return True
    found = _FROM.match(head.removeprefix(_BYTE_ORDER_MARK).lstrip(b"\r\n"))
    return found is not None and _BELOW_FROM.match(found.string, found.end()) is not None


def _read_whole(data: bytes, about: About) -> Iterator[Conversation]:
    return _read_mail(BytesIO(data), about)


def _read_mail(file: IO[bytes], about: About) -> Iterator[Conversation]:
    """Read the threads, in the order of their first message.

    The headers of all messages are read first, then each thread with its messages. A repeated message counts
    once.
    """
    places = [*_places_of(file)]
    mails: dict[tuple[str, datetime | None], _Mail] = {}
    copies = Counter[tuple[str, datetime | None]]()
    for begin, end in places:
        mail = _mail_of(file, begin, end)
        mails.setdefault((mail.id, mail.at), mail)
        copies[mail.id, mail.at] += 1
    threads: dict[str, list[_Mail]] = {}
    roots = _roots_of(mails.values())
    for mail in mails.values():
        threads.setdefault(roots[mail.id], []).append(mail)
    for root, thread in threads.items():
        thread.sort(key=lambda mail: mail.at or about.modified)
        conversation = _conversation(file, root, thread, about)
        if repeated := sum(copies[mail.id, mail.at] - 1 for mail in thread):
            conversation.leave_out("repeats another message with its ID and date", repeated)
        yield conversation


def _places_of(file: IO[bytes]) -> Iterator[tuple[int, int]]:
    """Start and end of each message in a mailbox, or of the only one.

    A separator stands at the beginning or below a blank line, and above headers. All else is text.
    """
    file.seek(0)
    place = begin = 0
    is_box, is_below_blank, is_new_line = False, True, True
    while line := file.readline(_MAX_LINE_BYTES):
        if not place:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            place = begin = file.tell() - len(line)
        end = place + len(line)
        may_separate = is_new_line and is_below_blank and (is_box or begin == place)
        if may_separate and line.startswith(b"From ") and _FROM.match(line) and _has_headers(file, end):
            if is_box:
                yield begin, place
            is_box, begin = True, end
        elif not is_box and begin == place and line in _BLANK:
            begin = end
        is_below_blank = is_new_line and line in _BLANK
        is_new_line = line.endswith(b"\n")
        place = end
    yield begin, place


def _has_headers(file: IO[bytes], place: int) -> bool:
    found = _BELOW_FROM.match(file.read(_LOOKAHEAD))
    file.seek(place)
    return found is not None


def _mail_of(file: IO[bytes], begin: int, end: int) -> _Mail:
    file.seek(begin)
    head = _HEAD.match(file.read(min(end - begin, _MAX_HEADERS_BYTES)))
    assert head is not None, "it may be empty"
    message = read_headers(head[0])
    found = _ID.search(_header(message, "message-id"))
    answers = _ID.findall(_header(message, "references")) + _ID.findall(_header(message, "in-reply-to"))
    return _Mail(
        begin,
        end,
        found[0] if found else f"<{hashlib.sha256(head[0]).hexdigest()}>",
        tuple(dict.fromkeys(answers)),
        _date(_header(message, "date")),
    )


def _header(message: Message, name: str) -> str:
    value = str(message.get(name, ""))[:_MAX_HEADER_LENGTH].replace("\r", "").replace("\n", "")
    try:
        return str(make_header(decode_header(value)))
    except (LookupError, ValueError, MessageError):
        return value


def _date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _roots_of(mails: Iterable[_Mail]) -> dict[str, str]:
    """Message ID to the ID of its thread's first known message."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        path: list[str] = []
        while (upper := above.get(name, name)) != name:
            path.append(name)
            name = upper
        for each in path:
            above[each] = name
        return name

    ids: list[str] = []
    for mail in mails:
        ids.append(mail.id)
        for answered in mail.answers:
            one, other = root(answered), root(mail.id)
            if one != other:
                above[other] = one
    return {name: root(name) for name in ids}


def _conversation(file: IO[bytes], root: str, thread: list[_Mail], about: About) -> Conversation:
    ids = dict.fromkeys(name for mail in thread for name in (mail.id, *mail.answers))
    conversation = Conversation(root, began=about.modified, keys=[f"message:{name}" for name in ids])
    room = _MAX_ATTACHMENTS_LENGTH
    for mail in thread:
        file.seek(mail.begin)
        text = file.read(min(mail.end - mail.begin, _MAX_MESSAGE_BYTES))
        room = _add(
            conversation, mail, re.sub(rb"(?m)^>(>*From )", rb"\1", text) if mail.begin else text, room
        )
    return conversation


def _add(conversation: Conversation, mail: _Mail, text: bytes, room: int) -> int:
    """Add a message and as many attachments as fit. Returns the remaining space."""
    kept: JsonObject = {}
    try:
        message = read_mail(text)
    except TooInvolved as error:
        message = read_headers(text)
        kept["left_out"] = str(error)
    if len(text) < mail.end - mail.begin:
        kept["left_out"] = f"all but the first {_MAX_MESSAGE_BYTES:,} bytes"
    if not conversation.turns:
        conversation.subject = _REPLY.sub("", _header(message, "subject")).strip() or None
    sender = _people(conversation, message, "from") or [conversation.speaker("unknown")]
    to = [key for name in ("to", "cc", "bcc") for key in _people(conversation, message, name)]
    new, quoted = _distinct_names(words_of_mail(message) or "")
    kept |= {name: value for name in _KEPT if (value := _header(message, name))}
    subject = _header(message, "subject")
    if _REPLY.sub("", subject).strip() != (conversation.subject or ""):
        kept["subject"] = subject
    if quoted:
        kept["quoted"] = quoted
    number = len(conversation.turns)
    conversation.turns.append(
        Turn(sender[0], new, mail.at, message_id=mail.id, left=kept, to=tuple(dict.fromkeys(to)))
    )
    said = Kept([new, quoted])
    for part in _parts_of(message):
        paper = _attachment_of(part, number, room, said)
        if paper is not None:
            conversation.papers.append(paper)
            room -= len(paper.body) if isinstance(paper.body, str) else 0
    return room


def _people(conversation: Conversation, message: Message, name: str) -> list[str]:
    values = [str(value)[:_MAX_HEADER_LENGTH] for value in message.get_all(name, [])]
    found = getaddresses([value.replace("\n", " ") for value in values])
    return [
        conversation.speaker(address.lower() or shown, _shown_name(shown) or address, mailto=address)
        for shown, address in found
        if address or shown
    ]


def _shown_name(text: str) -> str:
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError, MessageError):
        return text


def _distinct_names(text: str) -> tuple[str, str]:
    """Split new text from quoted text below it."""
    lines = text.split("\n")
    new = list(lines)
    while new and (not new[-1].strip() or new[-1].startswith(">")):
        new.pop()
    begin = next((place for place, line in enumerate(lines) if _FORWARDED.match(line.strip())), None)
    if begin is not None:
        new = new[:begin]
    quoted = lines[len(new) :]
    if any(line.startswith(">") for line in quoted) or begin is not None:
        while new and (
            not new[-1].strip()
            or _SAYS.match(" ".join(line.strip() for line in new[-2:]))
            or _SAYS.match(new[-1].strip())
        ):
            new.pop()
    if not any(line.strip() for line in new):
        return text.strip(), ""
    return "\n".join(new).strip(), "\n".join(lines[len(new) :]).strip()


def _parts_of(message: Message, *, is_alternative: bool = False) -> Iterator[Message]:
    """Yield the parts of a mail that are not its text; a mail in it is one part.

    HTML beside plain text has the same words and is no part of its own.
    """
    kind = message.get_content_type()
    is_named = message.get_filename() is not None or message.get_content_disposition() == "attachment"
    if kind.startswith("multipart/") and message.is_multipart():
        for part in cast("list[Message]", message.get_payload()):
            yield from _parts_of(part, is_alternative=is_alternative or kind == "multipart/alternative")
    elif is_named or not (kind == "text/plain" or (kind == "text/html" and is_alternative)):
        yield message


def _attachment_of(part: Message, turn: int, room: int, said: Kept) -> Attachment | None:
    """Return a part that is not in the words as an attachment; only name and size if it is too large."""
    name = part.get_filename()
    content = _content_of(part)
    if name is None and part.get_content_disposition() != "attachment":
        is_said = part.get_content_type() == "text/html" and said.has(html_text(text_of(content)))
        if is_said or not content.strip():
            return None
    shown = _shown_name(name) if name else None
    body = encode_base64url(content) if len(content) <= _MAX_ATTACHMENT_BYTES else ""
    if len(content) > _MAX_ATTACHMENT_BYTES or len(body) > room:
        reason: JsonObject = {"left_out": "too large", "bytes": len(content)}
        return Attachment(turn, shown, part.get_content_type(), reason, "json", "attachment")
    return Attachment(turn, shown, part.get_content_type(), body, "base64url", "attachment")


def _content_of(part: Message) -> bytes:
    inside = part.get_payload()
    if part.is_multipart() and isinstance(inside, list) and inside and isinstance(inside[0], Message):
        return inside[0].as_string().encode("utf-8", "surrogateescape")
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


MAIL = FileFormat(
    *name_and_title("mail"),
    _is_mail,
    _read_whole,
    read_large=_read_mail,
)
