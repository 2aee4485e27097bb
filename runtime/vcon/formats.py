"""Export formats: JSON lines, Markdown, HTML, or CSV rows."""

import base64
import csv
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Final, Literal

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.plain_text import one_line, plain
from vcontract.runtime.vcon.reading import Conversation, Happening, Part, read_conversation
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.traces import tool_subject
from vcontract.runtime.vcon.transcript import TranscriptTurn

FormatName = Literal["jsonl", "markdown", "html", "csv"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what to write before, for each, and after the conversations."""

    write: Callable[[JsonObject], bytes]
    head: bytes = b""
    foot: bytes = b""


JSON_LINES: Final = Format(lambda vcon: dump_json(vcon) + b"\n")
INDENTED: Final = Format(lambda vcon: dump_json(vcon, indent=2) + b"\n")


def format_named(name: FormatName) -> Format:
    """The format of this name."""
    match name:
        case "jsonl":
            return JSON_LINES
        case "markdown":
            return Format(lambda vcon: _markdown(read_conversation(vcon)).encode())
        case "html":
            head, foot = _HTML_HEAD.encode(), _HTML_FOOT.encode()
            return Format(lambda vcon: _html(read_conversation(vcon)).encode(), head, foot)
        case "csv":
            return Format(lambda vcon: _rows(read_conversation(vcon)).encode(), _row(_COLUMNS).encode())


def as_text(conversation: Conversation) -> str:
    """Format the turns as plain text, one paragraph each."""
    dialog = next((part for part in conversation.parts if part.name == "dialog"), None)
    said = conversation.turns if dialog is None else _in_order(dialog)
    turns = (
        f"({_moment(each)})"
        if isinstance(each, tuple)
        else " ".join(filter(None, (each.speaker, _when(each)))) + f"\n{each.words}"
        for each in said
    )
    head = conversation.subject or ", ".join(conversation.parties)
    return plain("\n\n".join([head, *(turn.strip() for turn in turns)])) + "\n"


def _in_order(part: Part) -> Iterator[TranscriptTurn | Happening]:
    """The turns of a part, and between them what happened."""
    for place, said in enumerate(part.said):
        yield from part.between.get(place, ())
        yield said
    yield from part.between.get(len(part.said), ())


def _moment(happening: Happening) -> str:
    """An event in words, after its time."""
    at, text = happening
    return text if at is None else f"{format_time(at)} {text}"


# Markdown: conversation text is quoted, so that nothing in it can end the quote or load anything.

_PUNCTUATION: Final = re.compile(r"([\\`*_\[\]<>|~&])")


def _markdown(conversation: Conversation) -> str:
    lines = [f"# {_word(conversation.subject) or 'Conversation'}", ""]
    lines += [f"- {_word(name)}: {_word(value)}" for name, value in _facts(conversation)]
    for part in conversation.parts:
        lines += ["", f"## {_word(_heading(part))}"]
        for said in _in_order(part):
            lines += ["", f"*{_word(_moment(said))}*"] if isinstance(said, tuple) else _markdown_said(said)
    return "\n".join(lines) + "\n\n---\n\n"


def _markdown_said(said: TranscriptTurn) -> Iterator[str]:
    who = [f"**{_word(said.speaker)}**"] if said.speaker else []
    if when := _when(said):
        who.append(_word(when))
    if who:
        yield from ("", f"{' '.join(who)}:")
    yield ""
    yield from _quoted(said.words or f"[{said.aside}]")
    if said.words and said.aside:
        yield from ("", f"[{_word(said.aside)}]")
    if calls := _calls(said):
        yield ""
        yield from (f"- {_word(call)}" for call in calls)


def _word(text: str | None) -> str:
    return _PUNCTUATION.sub(r"\\\1", one_line(text or ""))


def _quoted(text: str) -> Iterator[str]:
    for line in plain(text).splitlines():
        harmless = line.replace("<", "&lt;").replace("![", "!\\[")
        yield f"> {harmless}".rstrip()


# HTML: one file without external resources or scripts.

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
article + article { border-top: 2px solid; margin-top: 3rem; padding-top: 1rem }
dl { display: grid; grid-template-columns: max-content auto; gap: .25rem 1rem }
dd { margin: 0 }
.said { margin: .75rem 0 }
.who { font-weight: 600 }
.when, .aside { opacity: .75; font-size: .875rem }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
"""
_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HTML_HEAD: Final = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{_DIGEST}'">
<title>Conversations</title>
<style>{_STYLE}</style>
<main>
"""
_HTML_FOOT: Final = "</main>\n</html>\n"


def _html(conversation: Conversation) -> str:
    pieces = [f"<article>\n<h1 dir=auto>{_text(conversation.subject) or 'Conversation'}</h1>\n<dl>\n"]
    pieces += [f"<dt>{_text(name)}<dd dir=auto>{_text(value)}\n" for name, value in _facts(conversation)]
    pieces.append("</dl>\n")
    for part in conversation.parts:
        pieces.append(f"<section>\n<h2 dir=auto>{_text(_heading(part))}</h2>\n")
        pieces += [
            f"<p class=aside dir=auto>{_text(_moment(said))}</p>\n"
            if isinstance(said, tuple)
            else _html_said(said)
            for said in _in_order(part)
        ]
        pieces.append("</section>\n")
    return "".join((*pieces, "</article>\n"))


def _html_said(said: TranscriptTurn) -> str:
    pieces = ["<div class=said>"]
    if said.speaker:
        pieces.append(f"<bdi class=who>{_text(said.speaker)}</bdi> ")
    if when := _when(said):
        pieces.append(f"<span class=when>{_text(when)}</span>")
    if said.words:
        pieces.append(f"<p class=words dir=auto>{_text(said.words, lines=True)}</p>")
    if said.aside:
        pieces.append(f"<p class=aside dir=auto>{_text(said.aside)}</p>")
    if calls := _calls(said):
        items = "".join(f"<li dir=auto>{_text(call)}" for call in calls)
        pieces.append(f"<details><summary>Calls of tools: {len(calls)}</summary><ul>{items}</ul></details>")
    return "".join((*pieces, "</div>\n"))


def _text(text: str, *, lines: bool = False) -> str:
    return escape(plain(text) if lines else one_line(text))


# CSV: one turn per row, for spreadsheets.

_COLUMNS: Final = ("uuid", "created_at", "subject", "part", "index", "start", "speaker", "text")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which a cell would be read as a formula."""


def _rows(conversation: Conversation) -> str:
    of_all = (conversation.uuid, conversation.created_at, conversation.subject)
    turns = [
        (part.title if part.index is not None else part.name, str(index), *_cells(said))
        for part in conversation.parts
        for index, said in enumerate(part.said)
    ]
    happened = [each for part in conversation.parts for some in part.between.values() for each in some]
    events = [
        ("events", str(index), "" if at is None else format_time(at), "", text)
        for index, (at, text) in enumerate(happened)
    ]
    return "".join(_row((*of_all, *row)) for row in (*turns, *events))


def _cells(said: TranscriptTurn) -> tuple[str, str, str]:
    calls = "".join(f"\n{call}" for call in _calls(said))
    return _when(said), said.speaker or "", (said.words or said.aside) + calls


def _row(cells: Sequence[str]) -> str:
    written = StringIO()
    csv.writer(written).writerow(
        f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in map(plain, cells)
    )
    return written.getvalue()


# Common to all formats.


def _facts(conversation: Conversation) -> Iterator[tuple[str, str]]:
    yield "id", conversation.uuid
    yield "when", conversation.began_at
    if conversation.parties:
        yield "with", ", ".join(conversation.parties)
    if conversation.tags:
        yield "tags", ", ".join(f"{key}={value}" for key, value in conversation.tags.items())


def _heading(part: Part) -> str:
    return part.title if part.index is None else f"{part.kind} {part.index}: {part.title}"


def _when(said: TranscriptTurn) -> str:
    if said.at is not None:
        return format_time(said.at)
    return "" if said.seconds is None else f"{said.seconds:g} s"


def _calls(said: TranscriptTurn) -> list[str]:
    return [f"{use.name} {tool_subject(use.name, use.input)}".strip() for use in said.tools]
