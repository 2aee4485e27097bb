"""Mail: single messages (eml) and mail boxes (mbox), a vCon for each thread."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    FileFormat,
    NotRead,
    Paper,
    Turn,
)
from vcontract.runtime.vcon.bodies import encode_base64url
from vcontract.runtime.vcon.markup import TooInvolved, read_mail, words_of_mail

_FROM: Final = re.compile(rb"From [^\n]*\d{4}[^\n]*\n")
_BORDER: Final = re.compile(rb"(?:\A|\n)From [^\n]*\d{4}[^\n]*\n")
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
_MOST_OF_HEADER: Final = 2_000
_MOST_OF_PAPER: Final = 8 * 1024 * 1024
_KEPT: Final = ("cc", "bcc", "reply-to", "in-reply-to", "references", "list-id", "x-mailer")


@dataclass(frozen=True, slots=True)
class _Mail:
    """One message."""

    id: str
    answers: tuple[str, ...]
    """The ids it refers to, the oldest first."""
    subject: str
    at: datetime | None
    message: Message


def _is_mail(head: bytes) -> bool:
    return _FROM.match(head) is not None or _HEADERS.match(head) is not None


def _read_mail(data: bytes, about: About) -> Iterator[Conversation]:
    """The threads, in the order of their first message."""
    mails = [_mail_of(text, number) for number, text in enumerate(_messages_of(data))]
    threads: dict[str, list[_Mail]] = {}
    roots = _roots_of(mails)
    for mail in mails:
        threads.setdefault(roots[mail.id], []).append(mail)
    for root, thread in threads.items():
        yield _conversation(root, sorted(thread, key=lambda mail: mail.at or about.modified), about)


def _messages_of(data: bytes) -> Iterator[bytes]:
    """The messages of a mail box, or the one of a file."""
    if _FROM.match(data) is None:
        yield data
        return
    borders = [(found.start(), found.end()) for found in _BORDER.finditer(data)]
    for (_, begin), (end, _) in zip(borders, [*borders[1:], (len(data), 0)], strict=True):
        yield re.sub(rb"(?m)^>(>*From )", rb"\1", data[begin:end])


def _mail_of(text: bytes, number: int) -> _Mail:
    try:
        message = read_mail(text)
    except TooInvolved as error:
        raise NotRead(f"has a message, number {number + 1}, that cannot be read: {error}") from None
    found = _ID.search(_header(message, "message-id"))
    answers = _ID.findall(_header(message, "references")) + _ID.findall(_header(message, "in-reply-to"))
    return _Mail(
        found[0] if found else f"<{number}>",
        tuple(dict.fromkeys(answers)),
        _header(message, "subject"),
        _date(_header(message, "date")),
        message,
    )


def _header(message: Message, name: str) -> str:
    value = str(message.get(name, ""))[:_MOST_OF_HEADER].replace("\r", "").replace("\n", "")
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
    """By id the id of the message that its thread began with, as far as it is known."""
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


def _conversation(root: str, thread: list[_Mail], about: About) -> Conversation:
    conversation = Conversation(root, _REPLY.sub("", thread[0].subject).strip() or None, began=about.modified)
    for mail in thread:
        _add(conversation, mail)
    return conversation


def _add(conversation: Conversation, mail: _Mail) -> None:
    message = mail.message
    sender = _people(conversation, message, "from") or [conversation.speaker("unknown")]
    to = [key for name in ("to", "cc", "bcc") for key in _people(conversation, message, name)]
    new, quoted = _told_apart(words_of_mail(message) or "")
    kept: JsonObject = {name: told for name in _KEPT if (told := _header(message, name))}
    if quoted:
        kept["quoted"] = quoted
    number = len(conversation.turns)
    conversation.turns.append(
        Turn(sender[0], new, mail.at, message_id=mail.id, left=kept, to=tuple(dict.fromkeys(to)))
    )
    for part in message.walk():
        paper = None if part.is_multipart() else _paper(part, number)
        if paper is not None:
            conversation.papers.append(paper)


def _people(conversation: Conversation, message: Message, name: str) -> list[str]:
    values = [str(value)[:_MOST_OF_HEADER] for value in message.get_all(name, [])]
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


def _told_apart(text: str) -> tuple[str, str]:
    """What is new, and what is quoted below it."""
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


def _paper(part: Message, turn: int) -> Paper | None:
    """What is attached; of a large one its name and size."""
    name = part.get_filename()
    if name is None and part.get_content_disposition() != "attachment":
        return None
    data = part.get_payload(decode=True)
    content = data if isinstance(data, bytes) else b""
    shown = _shown_name(name) if name else None
    if len(content) > _MOST_OF_PAPER:
        told: JsonObject = {"left_out": "larger than 8 MiB", "bytes": len(content)}
        return Paper(turn, shown, part.get_content_type(), told, "json", "attachment")
    body = encode_base64url(content)
    return Paper(turn, shown, part.get_content_type(), body, "base64url", "attachment")


MAIL = FileFormat(
    "mail",
    "mail",
    "a message saved as .eml, or a mail box in mbox form: Google Takeout, Thunderbird, Apple Mail",
    _is_mail,
    _read_mail,
)
