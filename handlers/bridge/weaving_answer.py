"""The answer of autoweave: scenes of the given records, and what is in none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.handlers.bridge.checking import (
    Problem,
    UnusableAnswer,
    common_problems,
    list_of,
    object_of,
    read_answer,
    text_of,
)
from vcontract.handlers.bridge.texts import snippet, text_problems
from vcontract.handlers.bridge.updates import CHOICES
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.bridge.records import Composed

SCHEMA: Final = object_of(
    scenes=list_of(
        object_of(
            emoji=text_of(),
            summary=text_of(),
            narrative=text_of(),
            shot=text_of(*CHOICES["shot"]),
            members=list_of(text_of()),
        )
    ),
    unplaced=list_of(object_of(id=text_of(), reason=text_of())),
)
_MOST_SCENES: Final = 10
_LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class WovenAnswer:
    """A scene as the model wove it; `members` are ids."""

    emoji: str
    summary: str
    narrative: str
    shot: str
    members: tuple[str, ...]


def material(records: Mapping[str, Composed]) -> JsonObject:
    """Records by their labels, as the model is given them."""
    return {
        "records": [
            {
                "label": label,
                "type": record.type,
                "emoji": record.emoji,
                "summary": record.summary,
                "shot": record.shot,
                "experiencer": record.experiencer,
                **({} if record.narrative is None else {"narrative": record.narrative}),
                **({} if record.when is None else {"when": record.when.text}),
                **(
                    {"qualities": [f"{each.type}: {each.manifestation}" for each in record.qualities]}
                    if record.type == "moment"
                    else {}
                ),
            }
            for label, record in records.items()
        ]
    }


def read_scenes(text: str, records: Mapping[str, Composed]) -> tuple[list[WovenAnswer], list[JsonObject]]:
    """The scenes of an answer about the labelled records, and `{id, reason}` of those that are in none.

    Raises: UnusableAnswer.
    """
    answer = read_answer(text, SCHEMA)
    scenes: list[JsonObject] = answer["scenes"]
    unplaced: list[JsonObject] = answer["unplaced"]
    problems = [*_problems(scenes), *_placing_problems(scenes, unplaced, records)]
    if problems:
        raise UnusableAnswer(problems)
    woven = [
        WovenAnswer(
            scene["emoji"].strip(),
            scene["summary"],
            scene["narrative"],
            scene["shot"],
            tuple(records[label].id for label in dict.fromkeys(scene["members"])),
        )
        for scene in scenes
    ]
    reasons = {entry["id"]: snippet(entry["reason"], _LONGEST_REASON) for entry in unplaced}
    return woven, [{"id": records[label].id, "reason": reason} for label, reason in reasons.items()]


def _problems(scenes: Sequence[JsonObject]) -> Iterator[Problem]:
    if not 1 <= len(scenes) <= _MOST_SCENES:
        yield Problem(f"scenes: {len(scenes)} of them; 1 to {_MOST_SCENES} are allowed.")
    seen: dict[frozenset[str], int] = {}
    for at, scene in enumerate(scenes):
        path = f"scenes[{at}]"
        yield from common_problems(path, scene)
        for _, message in text_problems("narrative", scene["narrative"]):
            yield Problem(f"{path}.narrative: {message}")
        members = frozenset(scene["members"])
        if not members:
            yield Problem(f"{path}.members: at least one is needed.")
        elif members in seen:
            yield Problem(f"{path}.members: the same as of scenes[{seen[members]}].")
        seen.setdefault(members, at)


def _placing_problems(
    scenes: Sequence[JsonObject], unplaced: Sequence[JsonObject], records: Mapping[str, Composed]
) -> Iterator[Problem]:
    labels = ", ".join(records)
    for at, scene in enumerate(scenes):
        for position, label in enumerate(scene["members"]):
            if label not in records:
                yield Problem(f"scenes[{at}].members[{position}]: no label of a record; those are {labels}.")
    for position, entry in enumerate(unplaced):
        if entry["id"] not in records:
            yield Problem(f"unplaced[{position}].id: no label of a record; those are {labels}.")
        if not entry["reason"].strip():
            yield Problem(f"unplaced[{position}].reason: is blank.")
    woven = {label for scene in scenes for label in scene["members"]}
    left = {entry["id"] for entry in unplaced}
    for label in records:
        if label in woven and label in left:
            yield Problem(f"{label}: is in a scene and in unplaced.")
        elif label not in woven and label not in left:
            yield Problem(f"{label}: is in no scene and not in unplaced.")
