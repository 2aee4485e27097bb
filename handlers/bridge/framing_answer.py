"""Validate autoframe's answer: moments whose excerpts occur verbatim in their sources."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vcontract.handlers.bridge.answer_checks import (
    Draft,
    Problem,
    UnusableAnswer,
    common_problems,
    described_by,
    draft_of,
    list_of,
    object_of,
    read_answer,
    text_of,
)
from vcontract.handlers.bridge.texts import MAX_QUALITIES, text_problems
from vcontract.handlers.bridge.updates import QUALITY_TYPES
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.bridge.records import Link, Quality, Source

SCHEMA: Final = object_of(
    moments=described_by(
        qualities=list_of(object_of(type=text_of(*QUALITY_TYPES), manifestation=text_of())),
        excerpts=list_of(object_of(source=text_of(), text=text_of())),
    )
)
_MAX_MOMENTS: Final = 20
_UNCOVERED_SHARE: Final = 0.1
_UNCOVERED_SHARE_OF_SHORT: Final = 0.25
_UNCOVERED_CHARACTERS: Final = 40
"""Uncovered characters that are allowed in a short text, if they are at most a quarter of it."""


def material(sources: Mapping[str, Source]) -> JsonObject:
    """Sources by label, as given to the model."""
    label_of = {source.id: label for label, source in sources.items()}
    return {
        "sources": [
            {
                "label": label,
                "experiencer": source.experiencer,
                "perspective": source.perspective,
                "processing": source.processing,
                **({} if source.when is None else {"when": source.when.text}),
                "reflects_on": [label_of[id_] for id_ in source.member_ids if id_ in label_of],
                "text": source.content,
            }
            for label, source in sources.items()
        ]
    }


def read_moments(text: str, sources: Mapping[str, Source]) -> list[Draft]:
    """Read the moments in an answer about the labelled sources.

    Raises: UnusableAnswer.
    """
    moments: list[JsonObject] = read_answer(text, SCHEMA)["moments"]
    problems = [*common_problems("moments", moments, _MAX_MOMENTS, has_narrative=False), *_problems(moments)]
    drafts = [
        draft_of(
            moment,
            _excerpts(f"moments[{at}]", moment["excerpts"], sources, problems),
            [Quality(each["type"], each["manifestation"]) for each in moment["qualities"]],
        )
        for at, moment in enumerate(moments)
    ]
    problems += _uncovered(drafts, sources)
    if problems:
        raise UnusableAnswer(problems)
    return drafts


def covered_share(source: Source, moments: Sequence[Draft]) -> float:
    """Share of a source's text, without spaces, that is in some excerpt."""
    written = _letters([source.content])
    return 1 - _letters(_outside(source, moments)) / written if written else 1.0


def _problems(moments: Sequence[JsonObject]) -> Iterator[Problem]:
    for at, moment in enumerate(moments):
        path = f"moments[{at}]"
        if not 1 <= len(moment["qualities"]) <= MAX_QUALITIES:
            yield Problem(f"{path}.qualities: 1 to {MAX_QUALITIES} are allowed.")
        for position, quality in enumerate(moment["qualities"]):
            for _, message in text_problems("manifestation", quality["manifestation"]):
                yield Problem(f"{path}.qualities[{position}].manifestation: {message}")
        if not moment["excerpts"]:
            yield Problem(f"{path}.excerpts: at least one is needed.")


def _excerpts(
    path: str, excerpts: Sequence[JsonObject], sources: Mapping[str, Source], problems: list[Problem]
) -> list[Link]:
    """Locate a moment's excerpts, and note those that are not found."""
    placed: list[Link] = []
    behind: dict[str, int] = {}
    for position, excerpt in enumerate(excerpts):
        place = f"{path}.excerpts[{position}]"
        source = sources.get(excerpt["source"])
        text: str = excerpt["text"].strip()
        if source is None:
            said = f"{place}.source: not the label of a source; those are {', '.join(sources)}."
            problems.append(Problem(said))
            continue
        start = source.content.find(text, behind.get(source.id, 0))
        if start < 0:
            start = source.content.find(text)
        if not text or start < 0:
            said = f"{place}.text: does not stand in {excerpt['source']} character for character."
            problems.append(Problem(said))
            continue
        behind[source.id] = start + len(text)
        placed.append(Link(source.id, start, start + len(text)))
    return placed


def _uncovered(moments: Sequence[Draft], sources: Mapping[str, Source]) -> Iterator[Problem]:
    used = {link.member for moment in moments for link in moment.links}
    for label, source in sources.items():
        written = _letters([source.content])
        allowed = max(
            _UNCOVERED_SHARE * written, min(_UNCOVERED_SHARE_OF_SHORT * written, _UNCOVERED_CHARACTERS)
        )
        missing = _letters(_outside(source, moments))
        if source.id not in used:
            yield Problem(f"{label}: no excerpt is of this source.", source.content)
        elif missing > allowed:
            said = (
                f"{label}: {missing} of {written} characters are in no excerpt; at most {allowed:.0f} may be."
            )
            yield Problem(said, "\n".join(_outside(source, moments)))


def _letters(texts: Sequence[str]) -> int:
    return sum(not character.isspace() for text in texts for character in text)


def _outside(source: Source, moments: Sequence[Draft]) -> list[str]:
    """Parts of a source outside all excerpts."""
    spans = sorted(
        (link.start, link.end)
        for moment in moments
        for link in moment.links
        if link.member == source.id and link.start is not None and link.end is not None
    )
    stretches: list[str] = []
    position = 0
    for start, end in spans:
        stretches.append(source.content[position:start])
        position = max(position, end)
    stretches.append(source.content[position:])
    return [stretch for stretch in stretches if stretch.strip()]
