"""Where in a tool's schemas a change lies: for people, for acceptances, and for building documents."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

StepKind: TypeAlias = Literal["member", "entry", "other", "form"]
Root: TypeAlias = Literal["input", "output", "error", "list", "details", "variables", "content", "arguments"]

_OWNERS: dict[Root, str] = {
    "input": "",
    "output": " of the answer",
    "error": " of the error",
    "list": " of the answer's list form",
    "details": " of the error's details",
    "variables": " of the URI",
    "content": " of the content",
    "arguments": " of the prompt",
}
_WHOLES: dict[Root, str] = {
    "input": "the arguments",
    "output": "the answer",
    "error": "the error",
    "list": "the answer's list form",
    "details": "the error's details",
    "variables": "the variables of the URI",
    "content": "the content",
    "arguments": "the arguments",
}
_KINDS: dict[Root, str] = {"input": "parameter", "variables": "variable", "arguments": "argument"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step down: to a member, to the entries of an array, to undeclared members, into a form."""

    kind: StepKind
    name: str = ""
    before: int = 0
    """Which form of the schema before, when the step goes into a form; likewise `after`."""
    after: int = 0
    shown: str = ""
    """What stands in the path for a form that its type alone does not tell."""


@dataclass(frozen=True, slots=True)
class Place:
    root: Root
    steps: tuple[Step, ...] = ()

    def member(self, name: str) -> "Place":
        return Place(self.root, (*self.steps, Step("member", name)))

    def entry(self) -> "Place":
        return Place(self.root, (*self.steps, Step("entry")))

    def other(self) -> "Place":
        return Place(self.root, (*self.steps, Step("other")))

    def form(self, before: int, after: int, shown: str = "") -> "Place":
        return Place(self.root, (*self.steps, Step("form", "", before, after, shown)))

    @property
    def parent(self) -> "Place":
        return Place(self.root, self.steps[:-1])

    @property
    def path(self) -> str:
        """As acceptances name it: `input.filters.tags.*`, `output.items[].id`."""
        return self.root + "".join(_shown(step) for step in self.steps)

    @property
    def words(self) -> str:
        """As a person says it: "parameter `filters.tags.*`", "member `items[].id` of the answer"."""
        inner = self.path.removeprefix(self.root).removeprefix(".")
        if not inner:
            return _WHOLES[self.root]
        return f"{_KINDS.get(self.root, 'member')} `{inner}`{_OWNERS[self.root]}"


def _shown(step: Step) -> str:
    match step.kind:
        case "member":
            return f".{step.name}"
        case "entry":
            return "[]"
        case "other":
            return ".*"
        case "form":
            return step.shown
