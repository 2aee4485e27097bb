"""Problems of a spec, and the error that reports them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One finding; prints as `file:line: id: message`."""

    file: str
    line: int
    id: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.id}: {self.message}"


class SpecError(Exception):
    """The spec cannot be generated from; holds every problem once, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(set(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))
