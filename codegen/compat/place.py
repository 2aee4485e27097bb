"""Where in a schema a change lies: for people, for acceptances, and for building documents."""

from dataclasses import dataclass
from typing import Final

ENTRY: Final = "[]"
OTHER: Final = "*"

_NOUNS: Final = {
    "input": ("parameter", "the arguments", ""),
    "output": ("member", "the answer", " of the answer"),
    "error": ("member", "the error", " of the error"),
    "list": ("member", "the answer's list form", " of the answer's list form"),
    "details": ("member", "the error's details", " of the error's details"),
    "variables": ("variable", "the variables of the URI", " of the URI"),
    "content": ("member", "the content", " of the content"),
    "arguments": ("argument", "the arguments", " of the prompt"),
    "document": ("member", "the document", " of the document"),
    "params": ("parameter", "the parameters", ""),
}
"""By root: what a part of it is called, the whole, and what follows a part."""


@dataclass(frozen=True, slots=True)
class Place:
    root: str
    steps: tuple[str, ...] = ()
    """Names of members, ENTRY, OTHER for members that are not declared, `<1>` for one form of several."""

    def at(self, step: str) -> "Place":
        return Place(self.root, (*self.steps, step))

    @property
    def parent(self) -> "Place":
        return Place(self.root, self.steps[:-1])

    @property
    def path(self) -> str:
        """As acceptances name it: `input.filters.tags.*`, `output.items[].id`."""
        return self.root + "".join(step if step[:1] in ("[", "<") else f".{step}" for step in self.steps)

    @property
    def words(self) -> str:
        """As a person says it: "parameter `filters.tags.*`", "member `items[].id` of the answer"."""
        part, whole, owner = _NOUNS[self.root]
        inner = self.path.removeprefix(self.root).removeprefix(".")
        return f"{part} `{inner}`{owner}" if inner else whole
