"""Extract text from JSON bodies: known transcript formats, and the words of any other JSON."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.turns import (
    Turn,
    lines_of,
    list_of_turns,
    party_name,
    speaker_label,
    speaker_of,
    spoken,
    strings,
)

Parties = Sequence[JsonValue]

_SPACE = re.compile(r"\s")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+|data:\S+")
_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HASH = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}|(?:sha|md)[0-9a-z]*[-:=][A-Za-z0-9_+/=-]{16,}")
_OPAQUE = re.compile(r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9_+/=-]{24,}")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?")
_MACHINE_ID = re.compile(r"(?=\S*[0-9])\S{16,}")

_LANGUAGE = ("language", "lang", "detected_language")
_IDS = frozenset({"id", "uuid", "guid"})
_SILENT = frozenset(
    {"url", "uri", "href", "hash", "checksum", "signature", "etag", "token", "alg", "algorithm", "encoding"}
    | {"mediatype", "mimetype", "mime_type", "content_type", "content_hash", "format"}
    | {"languages", "detected_languages", *_LANGUAGE}
)
_MEASURES = frozenset(
    {"start", "end", "begin", "offset", "duration", "time", "timestamp", "ts", "start_time", "end_time"}
    | {"confidence", "probability", "logprob", "score", "scores", "weight", "channel", "speaker", "party"}
    | {"parties", "dialog", "index", "position", "width", "height", "size", "length", "bytes", "tokens"}
)
"""Numeric members about time or confidence, which nobody searches for."""
_FIGURE = re.compile(r"-?[0-9]+(?:\.[0-9]{1,3})?")
_MAX_FIGURES = 20
"""A longer list of numbers is a curve, vector or histogram."""
_PARTS = ("segments", "utterances")
_OF_TRANSCRIPT = frozenset({"words", "paragraphs", "confidence", "duration", "task", "usage", *_PARTS})


def declared_language_of(element: JsonObject) -> str | None:
    """Declared language of an element, or of a transcript as its body."""
    for name in _LANGUAGE:
        if isinstance(language := element.get(name), str):
            return language
    for name in ("transcript", "results"):
        if (inner := element.get(name)) and (language := declared_language_of(members(inner))):
            return language
    channels = element.get("channels")
    return declared_language_of(members(channels[0])) if is_array(channels) and channels else None


def json_text(value: JsonValue, parties: Parties = ()) -> str:
    """Return the words in a JSON value, one line per turn or string.

    Transcripts (WTF, Deepgram, Whisper, lists of turns), MCP sessions and agent traces become `Speaker:
    words`. In other JSON, strings are read except IDs, addresses, hashes and times, and numbers except
    measures. Parties given by index get their names.
    """
    return "\n".join(_lines(value, "", parties))


def _lines(value: JsonValue, name: str, parties: Parties) -> Iterator[str]:
    if isinstance(value, str):
        if is_wording(value, name):
            yield value.strip()
    elif isinstance(value, int | float):
        if is_figure(value, name):
            yield dump_json(value).decode()
    elif is_array(value):
        turns = list_of_turns(value, parties)
        if turns is not None:
            yield from lines_of(turns)
        else:
            numbers = sum(isinstance(element, int | float) for element in value)
            for element in value:
                if numbers <= _MAX_FIGURES or not isinstance(element, int | float):
                    yield from _lines(element, name, parties)
    elif is_object(value):
        for reader in (_wtf, _deepgram, _transcript, _mcp_session, _agent_trace):
            lines = reader(value, parties)
            if lines is not None:
                yield from lines
                return
        yield from _rest(value, frozenset(), parties)


def is_wording(text: str, name: str = "") -> bool:
    """Whether a string in a member with this name is worth searching for."""
    text = text.strip()
    member = name.lower()
    if not text or member in _SILENT or member in _IDS:
        return False
    if _SPACE.search(text):
        return read_time(text) is None
    if member.endswith("_id") or name.endswith("Id"):
        # The number of a customer or order is searched for, the key of a row is not.
        return not _MACHINE_ID.fullmatch(text)
    patterns = (_URL, _UUID, _HASH, _OPAQUE, _CLOCK)
    return not any(pattern.fullmatch(text) for pattern in patterns) and read_time(text) is None


def is_figure(number: float, name: str = "") -> bool:
    """Whether a number in a member with this name is worth searching for: an order, a sum."""
    member = name.lower()
    if isinstance(number, bool) or member in _MEASURES or member in _SILENT or member in _IDS:
        return False
    return not member.endswith(("_ms", "_at")) and bool(_FIGURE.fullmatch(dump_json(number).decode()))


def _rest(body: JsonObject, but: frozenset[str], parties: Parties) -> Iterator[str]:
    """Words in members that the format does not define."""
    for name, value in body.items():
        if name not in but:
            yield from _lines(value, name, parties)


def _all(value: JsonValue) -> list[JsonObject]:
    return [element for _, element in objects(value)]


def _wtf(body: JsonObject, parties: Parties) -> list[str] | None:
    """Read the World Transcription Format: segments with speakers, else the whole text."""
    transcript = body.get("transcript")
    if not is_object(transcript) or "segments" not in body:
        return None
    speakers = members(body.get("speakers"))

    def label(segment: JsonObject) -> str | None:
        key = segment.get("speaker")
        described = speakers.get(str(key)) if key is not None else None
        return speaker_label(members(described).get("label")) or speaker_label(key)

    segments = [
        Turn(label(segment), segment["text"])
        for segment in _all(body.get("segments"))
        if isinstance(segment.get("text"), str)
    ]
    lines = lines_of(segments) or [spoken(transcript.get("text"))]
    summary = members(body.get("enrichments")).get("summary")
    return lines + ([summary] if isinstance(summary, str) and summary.strip() else [])


def _deepgram(body: JsonObject, parties: Parties) -> list[str] | None:
    """Read a Deepgram response: its utterances, else the best alternative of each channel."""
    results = members(body.get("results"))
    utterances = _all(results.get("utterances"))
    if utterances:
        return lines_of(
            Turn(speaker_of(utterance, parties), spoken(utterance.get("transcript")))
            for utterance in utterances
        )
    if not is_array(results.get("channels")):
        return None
    best = [
        alternatives[0]
        for channel in _all(results["channels"])
        if (alternatives := _all(channel.get("alternatives")))
    ]
    return [
        line
        for alternative in best
        for line in _spoken_alternative(alternative, spoken(alternative.get("transcript")), parties)
    ]


def _transcript(body: JsonObject, parties: Parties) -> list[str] | None:
    """Read a transcript with whole text and parts, plus words of other members.

    These are Deepgram's `{transcript, words, paragraphs}`, Whisper's `{text, segments}`, and `{text,
    utterances, words}`: by speaker if the parts name one, else the whole text.
    """
    parts = [part for name in _PARTS for part in _all(body.get(name))]
    name = "text" if "transcript" not in body and any(name in body for name in _PARTS) else "transcript"
    whole = body.get(name)
    if not isinstance(whole, str):
        return None
    turns = [
        Turn(speaker_of(part, parties), spoken(part.get("text", part.get("transcript")))) for part in parts
    ]
    by_speaker = any(turn.speaker for turn in turns)
    lines = lines_of(turns) if by_speaker or not whole.strip() else []
    said = lines or _spoken_alternative(body, whole, parties)
    return [*said, *_rest(body, _OF_TRANSCRIPT | {name}, parties)]


def paragraph_turns(value: JsonValue, parties: Parties) -> list[Turn]:
    """Turns of a transcript with paragraphs or words by speaker; none for other values."""
    body = members(value)
    channels = array(members(body.get("results")).get("channels"))
    inner = [each for channel in _all(channels) for each in _all(channel.get("alternatives"))[:1]]
    return [turn for each in inner or [body] for turn in _alternative_turns(each, parties)]


def _alternative_turns(alternative: JsonObject, parties: Parties) -> list[Turn]:
    turns = [
        Turn(
            speaker_of(paragraph, parties),
            " ".join(spoken(one.get("text")) for one in sentences),
            *_span(paragraph, sentences),
        )
        for paragraph in _all(members(alternative.get("paragraphs")).get("paragraphs"))
        if (sentences := _all(paragraph.get("sentences")))
    ]
    words = _all(alternative.get("words"))
    if turns or not any(word.get("speaker") is not None for word in words):
        return turns
    by_speaker = groupby(words, key=lambda word: speaker_of(word, parties))
    return [
        Turn(
            speaker,
            " ".join(spoken(word.get("punctuated_word") or word.get("word")) for word in run),
            *_span({}, run),
        )
        for speaker, run in ((speaker, list(run)) for speaker, run in by_speaker)
    ]


def _span(whole: JsonObject, pieces: Sequence[JsonObject]) -> tuple[JsonValue, JsonValue]:
    """Start and end of a whole, from its own members, else from its parts."""
    return whole.get("start", pieces[0].get("start")), whole.get("end", pieces[-1].get("end"))


def _spoken_alternative(alternative: JsonObject, whole: str, parties: Parties) -> list[str]:
    return lines_of(_alternative_turns(alternative, parties)) or [whole.strip()]


def _mcp_session(body: JsonObject, parties: Parties) -> list[str] | None:
    """Read an MCP session: text and tool blocks of its messages."""
    if not is_array(body.get("messages")) or not ("protocol_version" in body or "session_id" in body):
        return None
    return lines_of(
        Turn(_mcp_speaker(message, parties), spoken(message.get("content")))
        for message in _all(body["messages"])
    )


def _mcp_speaker(message: JsonObject, parties: Parties) -> str | None:
    """Name of the party, else the role, because `assistant` says more than `Party 2`."""
    party = as_index(message.get("party"))
    named = party_name(party, parties) if party is not None else None
    return named or speaker_label(message.get("role"))


def _agent_trace(body: JsonObject, parties: Parties) -> list[str] | None:
    """Read an agent trace: messages, tool calls and results, without reasoning and system events."""
    sessions = [members(body.get(name)) for name in ("session-trace", "session")]
    entries = next(
        (session["entries"] for session in (*sessions, body) if is_array(session.get("entries"))),
        None,
    )
    if entries is None:
        return None
    turns: list[Turn] = []
    for entry in _all(entries):
        kind = entry.get("type")
        if kind in ("tool-call", "tool_call"):
            turns.append(Turn(None, " ".join((spoken(entry.get("name")), *strings(entry.get("input"))))))
        elif kind in ("tool-result", "tool_result"):
            turns.append(Turn(None, "\n".join(strings(entry.get("output")))))
        elif kind not in ("reasoning", "system-event", "event", "system_event"):
            words = next((entry[name] for name in ("content", "text", "message") if name in entry), None)
            turns.append(Turn(speaker_label(entry.get("role") or kind), spoken(words)))
    return [line for turn in turns for line in lines_of([turn])]
