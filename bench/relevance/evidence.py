"""The evidence that `vcon_recall` returns within a budget of tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bench.relevance.form import NONSENSE, Question, RelevanceSet
from bench.subject import CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject

TOOL: Final = "vcon_recall"
BUDGETS: Final = (500, 1_000, 2_000)
JUDGED: Final = 1_000
"""The budget at which unanswerable questions are asked, too."""
ANSWERABLE: Final = ("likely", "unsure", "nothing_found")


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """The answer to one question."""

    turns: frozenset[tuple[str, int]]
    """Conversations and indices of the turns shown."""
    size: int
    """Bytes of the text block."""
    answerable: str

    def figures(self, question: Question) -> dict[str, float]:
        """Whether a turn that answers is shown, the share of these turns, and the bytes read."""
        answers = {(question.conversation, turn) for turn in question.turns}
        share = len(answers & self.turns) / len(answers)
        return {"a turn": float(share > 0), "turns": share, "bytes": float(self.size)}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the tool returns for each question of a set within one budget."""

    set: RelevanceSet
    budget: int
    recalled: list[RecallAnswer]
    never_said: tuple[str, ...] = ()
    """Its `answerable` for never-said questions; empty unless the budget is the one for judging."""
    nonsense: tuple[str, ...] = ()
    """The same for questions about nothing that is stored."""

    @property
    def way(self) -> str:
        """The tool and its budget."""
        return f"recall, {self.budget:,}"

    def answered(self) -> Iterator[tuple[Question, RecallAnswer]]:
        """Each question with its answer."""
        return zip(self.set.questions, self.recalled, strict=True)


async def ask_recall(subject: Subject, sets: list[RelevanceSet], uuids: dict[str, str]) -> list[Evidence]:
    """Ask every question of the sets within each budget; nothing where the tool is not served."""
    if subject.application.catalogue.find(TOOL) is None:
        return []
    found: list[Evidence] = []
    for set_ in sets:
        for budget in BUDGETS:
            recalled = [await _recall(subject, one.text, budget, uuids) for one in set_.questions]
            unanswered = [
                tuple([(await _recall(subject, text, budget, uuids)).answerable for text in texts])
                for texts in ((set_.never_said, NONSENSE) if budget == JUDGED else ())
            ]
            found.append(Evidence(set_, budget, recalled, *unanswered))
    return found


async def _recall(subject: Subject, query: str, budget: int, uuids: dict[str, str]) -> RecallAnswer:
    arguments: JsonObject = {"query": query, "max_tokens": budget}
    outcome = await subject.application.dispatcher.call(TOOL, arguments, subject.application.caller)
    if outcome.is_error:
        raise CallFailed(f"{TOOL} {arguments}: {outcome.text[:1000]}")
    shown: set[tuple[str, int]] = set()
    for item in outcome.structured["items"]:
        uuid: str = item["id"]
        shown |= {(uuids.get(uuid, uuid), turn["turn"]) for turn in item["turns"] if "turn" in turn}
    size = len(outcome.text.encode())
    return RecallAnswer(frozenset(shown), size, outcome.structured["meta"]["answerable"])
