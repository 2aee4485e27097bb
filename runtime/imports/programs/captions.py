"""Import captions (WebVTT, SRT, SBV: `CAPTIONS`) and speech recognition (Deepgram's JSON: `DEEPGRAM`)."""

import hashlib
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json
from vcontract.runtime.frame.documents.json_values import is_object, members, objects
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    FileFormat,
    ObjectFormat,
    Turn,
    moment,
    without,
    words,
)
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.vcon.charsets import decoded

_CLOCK: Final = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{3})"
_CUE: Final = re.compile(rf"[ \t]*{_CLOCK}(?:[ \t]*-->[ \t]*|,){_CLOCK}")
_VOICE: Final = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]++)>")
_TAG: Final = re.compile(r"</?[^<>]*+>")
_NAMED: Final = re.compile(r"(?!\d)([^\W\d_][\w.'’ ()-]{0,40}):[ \t]+(?=\S)")
"""Speaker labels of Zoom and Meet: `Ann Example: Good morning.`"""
_CAPTIONS: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:WEBVTT|(?:\d+\s*?\n)?[ \t]*(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{3}(?: *--> *|,)\d)"
)


_PAUSE: Final = 2.0
"""Seconds of silence after which a new turn begins."""
_LONG: Final = 600


def _read_captions(data: bytes, about: About) -> Iterator[Conversation]:
    text = decoded(data, "utf-8").replace("\r\n", "\n").lstrip("\ufeff")
    conversation = Conversation(
        hashlib.sha256(data).hexdigest(),
        about.title,
        began=about.modified,
        is_date_guessed=about.is_guess,
    )
    lines = text.split("\n")
    cue: re.Match[str] | None = None
    held: list[str] = []
    for number, line in enumerate([*lines, ""]):
        begins = _CUE.match(line)
        if cue is not None and (begins or not line.strip()):
            _add_cue(conversation, about, cue, held)
        if begins or not line.strip():
            cue, held = begins, []
        elif cue is not None and not _is_number_of_cue(lines, number):
            held.append(line)
    yield conversation


def _is_number_of_cue(lines: list[str], number: int) -> bool:
    """Whether the line is the number of a cue that follows immediately."""
    return (
        lines[number].strip().isdigit()
        and number + 1 < len(lines)
        and _CUE.match(lines[number + 1]) is not None
    )


def _add_cue(conversation: Conversation, about: About, cue: re.Match[str], held: list[str]) -> None:
    begin, end = _seconds(cue, 1), _seconds(cue, 5)
    said = " ".join(line.strip() for line in held)
    voice = _VOICE.search(said)
    shown = _TAG.sub("", said).strip()
    named = None if voice else _NAMED.match(shown)
    if named:
        shown = shown[named.end() :]
    name = voice[1].strip() if voice else named[1].strip() if named else "Speaker"
    _add(conversation, about, conversation.speaker(name), shown, begin, end)


def _seconds(cue: re.Match[str], first: int) -> float:
    hours, minutes, seconds, thousandths = (int(cue[first + place] or 0) for place in range(4))
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _add(conversation: Conversation, about: About, key: str, text: str, begin: float, end: float) -> None:
    """Add speech. Without a pause it continues the same speaker's last turn, unless that is long."""
    if not text:
        conversation.leave_out("without words")
        return
    at = about.modified + timedelta(seconds=begin)
    end = max(begin, end)
    last = conversation.turns[-1] if conversation.turns else None
    if last is not None and last.speaker == key and last.at and last.seconds is not None:
        began = (last.at - about.modified).total_seconds()
        if begin - began - last.seconds < _PAUSE and len(last.text) < _LONG:
            seconds = round(max(last.seconds, end - began), 3)
            conversation.turns[-1] = Turn(key, f"{last.text} {text}", last.at, seconds)
            conversation.joined()
            return
    conversation.turns.append(Turn(key, text, at, round(end - begin, 3)))


def _read_deepgram(document: JsonObject, about: About) -> Conversation:
    results, request = members(document["results"]), members(document.get("metadata"))
    began = moment(request.get("created"))
    about = About(about.name, began, about.beside) if began else about
    conversation = _conversation(document, about, "results")
    conversation.id = words(request.get("request_id")) or conversation.id
    for begin, end, key, text in sorted(_spoken(results)):
        _add(conversation, about, conversation.speaker(key), text, begin, end)
    return conversation


def _spoken(results: JsonObject) -> Iterator[tuple[float, float, str, str]]:
    """Start, end, speaker and words of utterances, or else of each channel's words."""
    utterances = objects(results.get("utterances"))
    for _, piece in utterances:
        yield (*_times(piece), _speaker(piece, piece.get("channel")), words(piece.get("transcript")).strip())
    if utterances:
        return
    channels = objects(results.get("channels"))
    for number, channel in channels:
        for _, best in objects(channel.get("alternatives"))[:1]:
            for _, word in objects(best.get("words")):
                written = words(word.get("punctuated_word")) or words(word.get("word"))
                yield (*_times(word), _speaker(word, number if len(channels) > 1 else None), written)


def _times(piece: JsonObject) -> tuple[float, float]:
    return _number(piece.get("start")), _number(piece.get("end"))


def _speaker(piece: JsonObject, channel: JsonValue) -> str:
    speaker = piece.get("speaker")
    number = speaker if isinstance(speaker, int) else channel
    return f"Speaker {number}" if isinstance(number, int) else "Speaker"


def _conversation(document: JsonObject, about: About, *read: str) -> Conversation:
    return Conversation(
        hashlib.sha256(canonical_json(document)).hexdigest(),
        about.title,
        left=without(document, *read),
        began=about.modified,
        is_date_guessed=about.is_guess,
    )


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _is_deepgram(document: JsonObject) -> bool:
    results = document.get("results")
    return is_object(results) and ("channels" in results or "utterances" in results)


CAPTIONS = FileFormat(
    *name_and_title("captions"),
    lambda head: _CAPTIONS.match(head) is not None,
    _read_captions,
)
DEEPGRAM = ObjectFormat(
    *name_and_title("deepgram"),
    _is_deepgram,
    _read_deepgram,
)
