"""Compare the people that a question names with those who said the best turns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.handlers.contract.recall_evidence import Evidence
from vcontract.handlers.contract.recall_packing import RecallHit, ShownLine
from vcontract.runtime.text.words import STOP_WORDS, fold, surfaces

_NEARLY: Final = 0.8
"""Score, relative to the best, of turns among which each of several named people is looked for."""
_LEAD: Final = 0.12
"""Score by which the best turn by or about named people has to lead the best of others.

Chosen on half of the questions with a name. With another's name, at most one in ten of them is then likely.
`python -m bench.wrong_names` measures it.
"""
_BOTH: Final = 2
_COMPARED: Final = 20
"""Maximum turns in which both are looked for."""
_ASKS_WHO: Final = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A name in a question."""

    name: str
    """As the question has it."""
    labels: frozenset[str]
    """People with this name."""

    def is_in(self, line: ShownLine) -> bool:
        """Whether this person says a line, or is named in it."""
        words = {_bare(word) for word in surfaces(line.text)}
        return line.speaker in self.labels or words >= {*map(_bare, self.name.split())}


@dataclass(frozen=True, slots=True)
class Attribution:
    """Speakers of the best turns, if the question names other people."""

    said_by: str | None = None
    """Speaker of the best turn, if it is neither by nor about anybody named."""
    nothing_by: tuple[str, ...] = ()
    """Names by and about whom none of the best turns is."""
    is_contested: bool = False
    """Whether a turn by and about others matches nearly as well as that of the people named."""


def people_named(question: str, people: Iterable[str]) -> list[NamedPerson]:
    """Find names of these people in a question. In one with capitals, a name begins with one."""
    words = [_POSSESSIVE.sub("", word) for word in surfaces(question)]
    is_cased = any(word[:1].isupper() for word in words)
    words = [
        word
        for at, word in enumerate(words)
        if (word[:1].isupper() or not is_cased) and (_bare(word) not in STOP_WORDS or (is_cased and at))
    ]
    parts = {label: {_bare(part) for part in surfaces(label)} for label in people}
    named: list[NamedPerson] = []
    for word in dict.fromkeys(words):
        labels = frozenset(label for label, own in parts.items() if _bare(word) in own)
        if not labels:
            continue
        if named and (both := named[-1].labels & labels):
            named[-1] = NamedPerson(f"{named[-1].name} {word}", both)
        else:
            named.append(NamedPerson(word, labels))
    return named


def attribution(text: str, evidence: Evidence, question: int = 0) -> Attribution:
    """Compare the names in a question with the best turns that it found.

    A question that asks who names others than the one it asks for, so that its best turn may be anybody's.
    """
    places = [place for place in evidence.places if question in place.queries and place.key in evidence.lines]
    if not places or places[0].number < 0:
        return Attribution()
    people = dict.fromkeys(label for source in evidence.sources.values() for label in source.people)
    named = people_named(text, people)
    best = evidence.lines[places[0].key]
    nearly = [
        evidence.lines[place.key]
        for place in places
        if place.number >= 0 and place.score >= _NEARLY * places[0].score
    ]
    among = nearly if len(named) > 1 else [best]
    missing = tuple(person.name for person in named if not any(map(person.is_in, among)))
    if not best.speaker or _ASKS_WHO.search(text):
        return Attribution(nothing_by=missing if len(named) > 1 else ())
    said_by = best.speaker if missing and len(missing) == len(named) else None
    return Attribution(said_by, missing, bool(named) and _is_contested(places, evidence, named))


def _is_contested(places: Sequence[RecallHit], evidence: Evidence, named: Sequence[NamedPerson]) -> bool:
    """Whether the best turn by or about people does not lead the best of others clearly."""
    best: dict[bool, float] = {}
    for place in places[:_COMPARED]:
        if place.number >= 0 and len(best) < _BOTH:
            line = evidence.lines[place.key]
            best.setdefault(any(person.is_in(line) for person in named), place.raw_score)
    return len(best) == _BOTH and best[True] - best[False] < _LEAD


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", fold(word))
