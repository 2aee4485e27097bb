"""Convert mail and WebVTT to plain text."""

import re
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from typing import Final, cast

from vcontract.runtime.vcon.charsets import decoded
from vcontract.runtime.vcon.html import html_text

_MAX_HEADER_LENGTH: Final = 1_000
_MAX_BORDERS: Final = 5_000_000
"""Maximum lines of a mail times its MIME boundaries, because the parser compares each with each."""

# Cues write "<" and ">" as references, so no tag contains the beginning of another.
_VOICE: Final = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]*+)>")
_CUE_TAG: Final = re.compile(r"</?[^<>]*+>")
_BETWEEN_CUES: Final = re.compile(r"\n\s*\n")


class TooInvolved(ValueError):
    """A text with parts nested too deeply to parse in reasonable time."""


class _ShortHeaders(Compat32):
    """Truncates long headers, because parsing time grows faster than their length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_MAX_HEADER_LENGTH]


_POLICY: Final = _ShortHeaders()


def mail_text(mail: str, mediatype: str) -> str:
    """Return the text part of a mail or multipart body, else its HTML part without tags.

    Raises: TooInvolved.
    """
    head = "" if _says_its_type(mail) else f"Content-Type: {mediatype[:_MAX_HEADER_LENGTH]}\r\n\r\n"
    message = read_mail((head + mail).encode("utf-8", "replace"))
    text = words_of_mail(message)
    return ("" if message.is_multipart() else mail) if text is None else text


def read_mail(mail: bytes) -> Message:
    """Parse a mail or MIME part with its headers.

    Raises: TooInvolved.
    """
    if mail.count(b"\n") * mail.lower().count(b"boundary") > _MAX_BORDERS:
        raise TooInvolved("its parts nest too deep for so many lines")
    # parsed as bytes, so that 8-bit parts use their own character set
    return BytesParser(policy=_POLICY).parsebytes(mail)


def read_headers(mail: bytes) -> Message:
    """Parse only the headers of a mail; the rest is its text."""
    return BytesParser(policy=_POLICY).parsebytes(mail, headersonly=True)


def words_of_mail(message: Message) -> str | None:
    """Return the text parts of a mail, else its HTML parts without tags; None without both."""
    shown = list(_shown(message))
    plain = [part for part in shown if part.get_content_subtype().partition(" ")[0] == "plain"]
    if plain:
        texts = [_content(part).replace("\r\n", "\n").strip() for part in plain]
    else:
        html = [part for part in shown if part.get_content_subtype().partition(" ")[0] == "html"]
        texts = [html_text(_content(part)).strip() for part in html]
    return "\n\n".join(filter(None, texts)) if texts else None


def vtt_text(vtt: str) -> str:
    """Return the words of WebVTT cues, one cue per line, with the voice's name if given."""
    lines: list[str] = []
    for block in _BETWEEN_CUES.split(vtt.replace("\r\n", "\n")):
        rows = block.strip().split("\n")
        timed = next((place for place, row in enumerate(rows) if "-->" in row), None)
        if timed is not None:
            words = _CUE_TAG.sub("", _VOICE.sub(r"\1: ", " ".join(rows[timed + 1 :]))).strip()
            lines += [words] if words else []
    return "\n".join(lines)


def _says_its_type(mail: str) -> bool:
    """Whether the text begins with mail headers that include a content type."""
    head = re.split(r"\r?\n\r?\n", mail, maxsplit=1)[0]
    return re.search(r"(?im)^content-type:", head) is not None and not head.lstrip().startswith("--")


def _shown(message: Message) -> Iterator[Message]:
    """Yield the displayed text parts in order, without attachments."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_maintype()
        if kind == "text":
            yield part
        elif kind == "multipart" and part.is_multipart():
            inner = cast("list[Message]", part.get_payload())
            # the first of related parts refers to the others
            waiting += inner[:1] if part.get_content_subtype() == "related" else reversed(inner)


def _content(part: Message) -> str:
    """Text of a single part."""
    data = part.get_payload(decode=True)
    return decoded(data, part.get_content_charset("utf-8")) if isinstance(data, bytes) else ""
