"""What a corpus is like: lengths, words and speakers, of ours and of real ones beside it."""

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import Corpus
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.json_values import members, objects

REAL = Path(__file__).parents[3] / "shared" / "data"
"""Beside the repository, where it exists."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Distributions of a corpus; three figures are the 5th, 50th and 95th percentiles."""

    name: str
    conversations: int
    turns: tuple[int, int, int]
    """Of a conversation."""
    words: tuple[int, int, int]
    """Of a turn."""
    speakers: tuple[int, int, int]
    distinct: int
    """Different words."""
    shares: tuple[float, float, float]
    """Of all words, by the 10, 100 and 1,000 most frequent ones."""

    @classmethod
    def of(cls, name: str, conversations: Iterable[list[tuple[str, str]]]) -> "Shape":
        """From the turns of conversations: who speaks, and the text."""
        talks = [turns for turns in conversations if turns]
        counted: Counter[str] = Counter()
        words: list[int] = []
        for turns in talks:
            for _, text in turns:
                found = re.findall(r"[\w']+", text.lower())
                words.append(len(found))
                counted.update(found)
        total = counted.total() or 1
        most = [sum(count for _, count in counted.most_common(first)) / total for first in (10, 100, 1_000)]
        return cls(
            name,
            len(talks),
            _percentiles([len(turns) for turns in talks]),
            _percentiles(words),
            _percentiles([len({speaker for speaker, _ in turns}) for turns in talks]),
            len(counted),
            (most[0], most[1], most[2]),
        )


def shapes(corpus: Corpus, conversations: int) -> list[Shape]:
    """Of the first conversations of ours, and of the real ones that are there."""
    found = [Shape.of("made up", map(_turns, corpus.vcons(0, conversations)))]
    meetings = [number for number in range(conversations) if corpus.kind(number).turns[0] == 300]
    found.append(Shape.of("made up, its meetings", (_turns(corpus.vcon(number)) for number in meetings)))
    for name, read in (("real meetings", _meetings), ("real sessions of agents", _sessions)):
        shape = Shape.of(name, read())
        if shape.conversations:
            found.append(shape)
    return found


def _turns(vcon: JsonObject) -> list[tuple[str, str]]:
    return [
        (str(turn.get("originator", turn.get("parties"))), str(turn.get("body", "")))
        for turn in vcon["dialog"]
    ]


def _meetings() -> Iterator[list[tuple[str, str]]]:
    file = REAL / "meetings" / "vcons.jsonl.gz"
    if file.exists():
        with gzip.open(file) as lines:
            yield from (_turns(parse_json(line)) for line in lines)


def _sessions() -> Iterator[list[tuple[str, str]]]:
    for file in sorted((REAL / "transcripts").rglob("*.jsonl")):
        turns: list[tuple[str, str]] = []
        for line in file.read_bytes().splitlines():
            entry = members(parse_json(line))
            content: JsonValue = members(entry.get("message")).get("content")
            pieces = (
                [content] if isinstance(content, str) else [each.get("text") for _, each in objects(content)]
            )
            turns += [(str(entry["type"]), text) for text in pieces if isinstance(text, str) and text]
        yield turns


def _percentiles(values: list[int]) -> tuple[int, int, int]:
    ordered = sorted(values) or [0]
    five, fifty, most = (ordered[round(share * (len(ordered) - 1))] for share in (0.05, 0.5, 0.95))
    return five, fifty, most
