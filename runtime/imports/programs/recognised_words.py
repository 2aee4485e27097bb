"""Prepare the words of speech recognition: who speaks each by a second list, and tokens as running text."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.programs.export_times import offset
from vcontract.runtime.imports.programs.paths import first, text_at, values, word

_PAUSE: float = 2.0
_MAX_JOINED_LENGTH: int = 600
_TOLERANCE: float = 0.001
"""Seconds by which two lists may write the same time differently."""


def prepared_elements(variant: JsonObject, elements: list[JsonValue], document: JsonValue) -> list[JsonValue]:
    """Apply what a declaration says of the elements: `spoken_by`, `voices` and `tokens`."""
    if "spoken_by" in variant:
        elements = _with_speakers(variant, elements, document)
    if "voices" in variant:
        elements = [part for each in elements for part in _parts_by_voice(variant, each, document)]
    return list(_merged(variant, elements)) if variant.get("tokens") else elements


def _with_speakers(
    variant: JsonObject, elements: Sequence[JsonValue], document: JsonValue
) -> list[JsonValue]:
    """Give elements without a speaker the one of a second list that speaks when they begin."""
    spoken_by: JsonObject = variant["spoken_by"]
    spans = sorted(
        (begins, speaker)
        for each in values(document, spoken_by["at"])
        if (begins := offset(first(each, spoken_by["offset"]))) is not None
        and (speaker := word(first(each, spoken_by["speaker"])))
    )
    starts = [begins - _TOLERANCE for begins, _ in spans]
    found: list[JsonValue] = []
    for each in elements:
        begins = offset(first(each, variant.get("offset", ())))
        place = bisect_right(starts, begins) - 1 if begins is not None else -1
        if is_object(each) and spans and begins is not None and not first(each, variant["speaker"]):
            each = {**each, variant["speaker"][0]: spans[max(0, place)][1]}
        found.append(each)
    return found


def _parts_by_voice(variant: JsonObject, element: JsonValue, document: JsonValue) -> list[JsonValue]:
    """Split an element whose words have several speakers. The text is cut where the words are."""
    voices: JsonObject = variant["voices"]
    words: list[JsonValue] = [_with_members(each) for each in values(element, voices["at"])]
    if "spoken_by" in variant:
        words = _with_speakers({**variant, **voices}, words, document)
    who = [word(first(each, voices["speaker"])) for each in words]
    starts: list[int] = []
    speakers: list[str] = []
    for number, speaker in enumerate(who):
        if speaker and speaker != next(reversed(speakers), ""):
            starts.append(number if starts else 0)
            speakers.append(speaker)
    if not is_object(element) or len(starts) < 2:
        return [element]
    said = [text_at(first(each, voices["text"])).strip() for each in words]
    texts = _cut(text_at(first(element, variant["text"])), said, starts)
    offsets: list[str] = {**variant, **voices}["offset"]
    begins = [first(words[start], offsets) for start in starts]
    return [
        {
            **element,
            variant["text"][0]: text,
            variant["speaker"][0]: speaker,
            variant["offset"][0]: begin,
            variant["end"][0]: end,
        }
        for text, speaker, begin, end in zip(
            texts, speakers, begins, [*begins[1:], first(element, variant["end"])], strict=True
        )
    ]


def _cut(text: str, words: Sequence[str], starts: Sequence[int]) -> list[str]:
    """Cut a text before the words at `starts`; if it does not have all words, these are joined instead."""
    ends = [*starts[1:], len(words)]
    places: list[int] = []
    place = 0
    for each in words:
        place = text.find(each, place)
        if place < 0:
            return [" ".join(words[start:end]) for start, end in zip(starts, ends, strict=True)]
        places.append(place)
        place += len(each)
    cuts = [0, *(places[start] for start in starts[1:]), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts)]


def _with_members(element: JsonValue) -> JsonValue:
    """A list as an object with a member for each place."""
    return {str(place): each for place, each in enumerate(element)} if is_array(element) else element


def _merged(variant: JsonObject, elements: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """Join tokens of one speaker as they are written, up to a pause or a change of voice."""
    text, begin, end = variant["text"][0], variant.get("offset", ("",)), variant.get("end", ("",))
    per_second = 1_000 if variant.get("unit") == "ms" else 1
    held: JsonObject = {}
    ended, who = 0.0, ""
    for each in elements:
        if not is_object(each):
            continue
        speaker = word(first(each, variant.get("speaker", ()))) or who
        begins = offset(first(each, begin), per_second)
        goes_on = speaker == who and (begins is None or begins - ended < _PAUSE)
        if held and goes_on and len(held[text]) < _MAX_JOINED_LENGTH:
            last = first(each, end)
            held = {**held, text: held[text] + text_at(each.get(text)), **({end[0]: last} if last else {})}
        else:
            if held:
                yield held
            held = {**each, text: text_at(each.get(text)), variant["speaker"][0]: speaker}
        who = speaker
        ended = offset(first(each, end), per_second) or ended
    if held:
        yield held
