"""Import speech recognition: Deepgram's JSON (`DEEPGRAM`)."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, canonical_json
from vcontract.runtime.frame.documents.json_values import is_object, members, objects
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    ObjectFormat,
    Turn,
    joined_turn,
    moment,
    without,
    words,
)
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.remainder import remainder


@dataclass(frozen=True, slots=True, order=True)
class _Piece:
    """An utterance, a sentence or a word."""

    begin: float
    end: float
    channel: int
    speaker: int | None
    text: str


_PARAGRAPHS: Final = ("channels", "*", "alternatives", "*", "paragraphs")
"""The same words once more, with labels."""


def _read_deepgram(document: JsonObject, about: About) -> Conversation:
    results, request = members(document["results"]), members(document.get("metadata"))
    began = moment(request.get("created"))
    about = About(about.name, began, about.beside) if began else about
    conversation = Conversation(
        words(request.get("request_id")) or hashlib.sha256(canonical_json(document)).hexdigest(),
        about.title,
        left=without(document, "results"),
        began=about.modified,
        is_date_guessed=about.is_guess,
        number=None if words(request.get("request_id")) else "",
    )
    ways = (_utterances, _words, _sentences, _transcripts)
    found = next((pieces for way in ways if (pieces := list(way(results)))), list[_Piece]())
    is_by_channel = len({piece.channel for piece in found}) > 1
    is_diarized = any(
        len({piece.speaker for piece in found if piece.channel == channel}) > 1
        for channel in {piece.channel for piece in found}
    )
    for piece in sorted(found, key=lambda piece: (piece.begin, piece.end)):
        name = _name(piece, is_by_channel=is_by_channel, is_diarized=is_diarized)
        _add(conversation, about, name, piece)
    said = [*(turn.text for turn in conversation.turns), *conversation.parties]
    if is_object(rest := remainder(results, said, [_PARAGRAPHS])):
        conversation.left["results"] = rest
    return conversation


def _name(piece: _Piece, *, is_by_channel: bool, is_diarized: bool) -> str:
    """Name a voice. Speakers are numbered from 0 in each channel."""
    if is_by_channel and is_diarized and piece.speaker is not None:
        return f"Channel {piece.channel}, speaker {piece.speaker}"
    number = piece.channel if is_by_channel else piece.speaker
    return "Speaker" if number is None else f"Speaker {number}"


def _add(conversation: Conversation, about: About, name: str, piece: _Piece) -> None:
    if not piece.text:
        conversation.leave_out("without words")
        return
    at = about.modified + timedelta(seconds=piece.begin)
    turn = Turn(conversation.speaker(name), piece.text, at, round(max(0.0, piece.end - piece.begin), 3))
    if (joined := joined_turn(conversation.turns, turn, {})) is None:
        conversation.turns.append(turn)
    else:
        conversation.turns[-1] = joined
        conversation.joined()


def _utterances(results: JsonObject) -> Iterator[_Piece]:
    for _, each in objects(results.get("utterances")):
        yield _piece(each, words(each.get("transcript")), _integer(each.get("channel")) or 0)


def _best(results: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """The first alternative of each channel."""
    for number, channel in objects(results.get("channels")):
        for _, best in objects(channel.get("alternatives"))[:1]:
            yield number, best


def _words(results: JsonObject) -> Iterator[_Piece]:
    for number, best in _best(results):
        for _, each in objects(best.get("words")):
            yield _piece(each, words(each.get("punctuated_word")) or words(each.get("word")), number)


def _sentences(results: JsonObject) -> Iterator[_Piece]:
    for number, best in _best(results):
        for _, paragraph in objects(members(best.get("paragraphs")).get("paragraphs")):
            for _, each in objects(paragraph.get("sentences")):
                yield _piece({**paragraph, **each}, words(each.get("text")), number)


def _transcripts(results: JsonObject) -> Iterator[_Piece]:
    for number, best in _best(results):
        if text := words(best.get("transcript")).strip():
            yield _Piece(0.0, 0.0, number, None, text)


def _piece(each: JsonObject, text: str, channel: int) -> _Piece:
    return _Piece(
        _number(each.get("start")),
        _number(each.get("end")),
        channel,
        _integer(each.get("speaker")),
        text.strip(),
    )


def _integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _is_deepgram(document: JsonObject) -> bool:
    results = document.get("results")
    return is_object(results) and ("channels" in results or "utterances" in results)


DEEPGRAM = ObjectFormat(*name_and_title("deepgram"), _is_deepgram, _read_deepgram)
