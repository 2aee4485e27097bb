"""The JSON form of a relevance set: conversations, and questions whose answering turns are known."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Member(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Turn(_Member):
    """Something that somebody said."""

    speaker: str = Field(min_length=1)
    text: str = Field(min_length=1)


class Conversation(_Member):
    """A conversation; its id is any string that no other one has."""

    id: str = Field(min_length=1)
    subject: str = ""
    turns: list[Turn] = Field(min_length=1)


class Question(_Member):
    """A question, and where its answer stands: turns are counted from 0, any of them counts as found."""

    question: str = Field(min_length=1)
    conversation: str
    turns: list[int] = Field(min_length=1)


class RelevanceSet(_Member):
    """A whole file."""

    conversations: list[Conversation] = Field(min_length=1)
    questions: list[Question] = Field(min_length=1)

    @model_validator(mode="after")
    def _answers_exist(self) -> "RelevanceSet":
        turns = {conversation.id: len(conversation.turns) for conversation in self.conversations}
        if len(turns) < len(self.conversations):
            raise ValueError("two conversations have one id")
        for question in self.questions:
            known = turns.get(question.conversation)
            if known is None:
                raise ValueError(f"there is no conversation {question.conversation!r}")
            if not all(0 <= turn < known for turn in question.turns):
                raise ValueError(
                    f"{question.conversation!r} has turns 0 to {known - 1}; {question.turns} asked"
                )
        return self


OWN_SET = Path(__file__).with_name("conversations.json")


def read_set(file: Path) -> RelevanceSet:
    """The set in `file`. Raises: pydantic.ValidationError, with the place of each fault."""
    return RelevanceSet.model_validate_json(file.read_bytes())


@dataclass(frozen=True, slots=True)
class Quality:
    """How well one mode finds, over all questions: shares of them, and the mean reciprocal rank to 10."""

    recall_at_5: float
    recall_at_10: float
    mrr: float

    @classmethod
    def of(cls, ranks: list[int | None]) -> "Quality":
        """From the rank of the first right answer to each question, from 1; None when it is missing."""
        found = [rank for rank in ranks if rank is not None and rank <= _DEPTH]
        count = len(ranks)
        return cls(
            sum(rank <= 5 for rank in found) / count,
            len(found) / count,
            sum(1 / rank for rank in found) / count,
        )


_DEPTH = 10
