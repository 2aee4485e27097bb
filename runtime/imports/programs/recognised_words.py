"""Prepare the words of speech recognition: who speaks each by a second list, and tokens as running text."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_object
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
        elements = [part for each in elements for part in _parts_by_voice(variant, each)]
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


def _parts_by_voice(variant: JsonObject, element: JsonValue) -> list[JsonValue]:
    """Split an element whose words have several speakers. The text is cut where the words are."""
    voices: JsonObject = variant["voices"]
    words = [each for each in values(element, voices["at"]) if is_object(each)]
    who = [word(first(each, voices["speaker"])) for each in words]
    if not is_object(element) or len({each for each in who if each}) < 2:
        return [element]
    text = text_at(first(element, variant["text"]))
    cuts: list[tuple[int, JsonObject, str]] = []
    place = 0
    for each, speaker in zip(words, who, strict=True):
        at = text.find(text_at(first(each, voices["text"])).strip(), place)
        if at < 0:
            return [element]
        place = at
        if speaker and (not cuts or speaker != cuts[-1][2]):
            cuts.append((at if cuts else 0, each, speaker))
    ends = [*(at for at, _, _ in cuts[1:]), len(text)]
    return [
        {
            **element,
            variant["text"][0]: text[at:end],
            variant["speaker"][0]: speaker,
            variant["offset"][0]: first(each, variant["offset"]),
            variant["end"][0]: first(following, variant["offset"])
            if following
            else element.get(variant["end"][0]),
        }
        for (at, each, speaker), end, following in zip(
            cuts, ends, [*(each for _, each, _ in cuts[1:]), None], strict=True
        )
    ]


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
