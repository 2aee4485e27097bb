"""Validate autoweave's answer: scenes of the given records, and unused records."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.generated.results.bridge import BridgeAutoweaveResultUnplacedEntry
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
from vcontract.handlers.bridge.texts import snippet
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.bridge.records import Composed, Link

SCHEMA: Final = object_of(
    scenes=described_by(members=list_of(text_of())),
    unplaced=list_of(object_of(id=text_of(), reason=text_of())),
)
_MAX_SCENES: Final = 10
_MAX_REASON_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class Woven:
    """Scenes of an answer, and records in none."""

    drafts: list[Draft]
    unplaced: list[BridgeAutoweaveResultUnplacedEntry]


def material(records: Mapping[str, Composed]) -> JsonObject:
    """Records by label, as given to the model."""
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
                    if record.qualities
                    else {}
                ),
            }
            for label, record in records.items()
        ]
    }


def read_scenes(text: str, records: Mapping[str, Composed]) -> Woven:
    """Read the scenes in an answer about the labelled records.

    Raises: UnusableAnswer.
    """
    answer = read_answer(text, SCHEMA)
    scenes: list[JsonObject] = answer["scenes"]
    unplaced: list[JsonObject] = answer["unplaced"]
    problems = [
        *common_problems("scenes", scenes, _MAX_SCENES, has_narrative=True),
        *_problems(scenes),
        *_placing_problems(scenes, unplaced, records),
    ]
    if problems:
        raise UnusableAnswer(problems)
    reasons = {entry["id"]: snippet(entry["reason"], _MAX_REASON_LENGTH) for entry in unplaced}
    return Woven(
        [
            draft_of(scene, [Link(records[label].id) for label in dict.fromkeys(scene["members"])])
            for scene in scenes
        ],
        [{"id": records[label].id, "reason": reason} for label, reason in reasons.items()],
    )


def _problems(scenes: Sequence[JsonObject]) -> Iterator[Problem]:
    seen: dict[frozenset[str], int] = {}
    for at, scene in enumerate(scenes):
        members = frozenset(scene["members"])
        if not members:
            yield Problem(f"scenes[{at}].members: at least one is needed.")
        elif members in seen:
            yield Problem(f"scenes[{at}].members: the same as of scenes[{seen[members]}].")
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
