"""Mutants: the guards of the house, each with a way to take it out and the tests that have to notice."""

from dataclasses import dataclass
from pathlib import Path

from vcontract.runtime.vcon.spec_files import read_yaml

FILE = Path(__file__).with_name("mutants.yaml")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One guard taken out: `old` stands once in `file`, and `new` in its place lets something through."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied(self, text: str) -> str:
        """The text of the file without its guard.

        Raises: ValueError when the guard does not stand there exactly once.
        """
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.file} holds this {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """Every mutant, in the order of the file."""
    return [
        Mutant(each["name"], each["file"], each["old"], each["new"], tuple(each["tests"]))
        for each in read_yaml(FILE.read_text(encoding="utf-8"))["mutants"]
    ]
