"""Import speech recognition: Deepgram's JSON (`DEEPGRAM`)."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta

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


def _read_deepgram(document: JsonObject, about: About) -> Conversation:
    results, request = members(document["results"]), members(document.get("metadata"))
    began = moment(request.get("created"))
    about = About(about.name, began, about.beside) if began else about
    conversation = _conversation(document, about, "results")
    conversation.id = words(request.get("request_id")) or conversation.id
    for begin, end, key, text in sorted(_spoken(results)):
        at = about.modified + timedelta(seconds=begin)
        turn = Turn(conversation.speaker(key), text, at, round(max(0.0, end - begin), 3))
        if not text:
            conversation.leave_out("without words")
            continue
        if (joined := joined_turn(conversation.turns, turn, {})) is None:
            conversation.turns.append(turn)
        else:
            conversation.turns[-1] = joined
            conversation.joined()
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


DEEPGRAM = ObjectFormat(
    *name_and_title("deepgram"),
    _is_deepgram,
    _read_deepgram,
)
