"""A terminal that a test types in: what a reader of a page would type, and what would stand there then."""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import pytest
from typer.testing import CliRunner

from vcontract.runtime.cli.main import app

_BLOCK = re.compile(r"^(?P<indent> *)```console\n(?P<typed>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"\[y/N\]: (y)$", re.MULTILINE)
_STYLE = re.compile(r"\x1b\[[\d;]*m")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

_DIFFERS = (
    # when: no conversation that the page shows is of these years
    (r"\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?", "TIME"),
    # how long, how fast, and how often something is said of it
    (r"^(\d+ of \d+ passages, \d+ a second|\d+ (vCons|transcript files?), [\d.]+ k?B of ).*\n", ""),
    (r"\b\d+(?:\.\d+)? s\b(?:, \d+ a second)?", "SECONDS"),
    (r'("seconds": )\d+\.\d+', r"\1SECONDS"),
    # how near: a model rounds a little otherwise on another processor
    (r"\b(strong|fair|weak) \d\.\d\d\b", r"\1"),
    # what the machine has
    (r"\b(Python|PostgreSQL|btree_gin|pg_trgm|vector) \d+(?:\.\d+)+", r"\1 VERSION"),
    (r"\b\d+\.\d [kMGT]B free", "SIZE free"),
    (r"bin/python[\d.]*", "bin/python"),
    (r"127\.0\.0\.1:\d+/", "127.0.0.1:PORT/"),
    # what a database is large
    (r"(conversations|vCons) \(default (\d+)\), [\d.]+ [kM]B", r"\1 (default \2), SIZE"),
    (r"(size +)[\d.]+ [kM]B without indexes; [\d.]+ [kM]B", r"\1SIZE without indexes; SIZE"),
    (r"\b(backup), [\d,]+ bytes", r"\1, SIZE"),
    (r"postgres \([\d,]+ files\)", "postgres (FILES)"),
    (r"^(acme|default)( +\d+ +)[\d.]+ kB", r"\1\2SIZE"),
    (r"[\d,]+ rows of \d+ tables", "ROWS"),
    (r"\brows=\d+", "rows=ROWS"),
    # what is made at random
    (r"\b(token=|vct_|whsec_)[\w-]{20,}", r"\1SECRET"),
    (r"^[0-9a-f]{12}(?= )", "ID"),
    # how wide a column is for any of these
    (r"(?<=\S) {2,}", "  "),
)


@dataclass(frozen=True, slots=True)
class Typed:
    """One command of a page, and what the page says that it prints."""

    line: str
    shown: str


def typed_in(page: str) -> list[Typed]:
    """All commands of a page, in its order."""
    return [
        typed
        for block in _BLOCK.finditer(page)
        for typed in _commands(re.sub(f"^{block['indent']}", "", block["typed"], flags=re.MULTILINE))
    ]


def _commands(block: str) -> Iterator[Typed]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield Typed(line, shown)


@dataclass
class Terminal:
    """Where `vcontract` is typed, by Ann, who has a home."""

    home: Path
    patch: pytest.MonkeyPatch
    environment: dict[str, str] = field(default_factory=dict[str, str])
    called: dict[str, str] = field(default_factory=dict[str, str])
    """What the page calls a thing that has another name each time, as the id of what was made just now."""
    known: frozenset[str] = frozenset()
    """The ids that are the same each time."""

    def type(self, line: str, answers: str = "") -> tuple[int, str]:
        """What the line ends with, and what stands on the terminal then; a pipe is what `head` leaves."""
        line, _, pipe = line.partition(" | ")
        line, asks, _ = line.partition("; echo $?")
        words = shlex.split(self._real(line))
        environment = dict(self.environment)
        while words[0] != "vcontract":
            name, _, value = words.pop(0).partition("=")
            environment[name] = value.replace("~", str(self.home))
        arguments = [str(self.home / word[2:]) if word.startswith("~/") else word for word in words[1:]]

        # progress as the lines that it is where nobody watches: a bar is drawn over itself
        def is_terminal(stream: TextIO) -> bool:
            return not pipe and stream.name != "<stderr>"

        self.patch.setattr("typer.testing._NamedTextIOWrapper.isatty", is_terminal)
        outcome = CliRunner().invoke(app, arguments, answers or None, env=environment, color=False)
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise outcome.exception
        printed = outcome.output if not pipe else outcome.stdout
        if pipe:
            most = int(pipe.removeprefix("head -"))
            printed = "".join(printed.splitlines(keepends=True)[:most])
        if asks:
            printed += f"{outcome.exit_code}\n"
        return outcome.exit_code, printed

    def answers_to(self, shown: str) -> str:
        """What the page shows to be typed when the command asks."""
        return "".join(f"{answer}\n" for answer in _ANSWER.findall(shown))

    def _real(self, line: str) -> str:
        for name, real in self.called.items():
            line = line.replace(name, real)
        return line

    def plain(self, text: str) -> str:
        """What has to stand in the page: without what differs each time."""
        text = _STYLE.sub("", text).replace(str(self.home), "/home/ann")
        text = text.replace(str(Path(sys.executable).parent), "/home/ann/vcontract/.venv/bin")
        text = _UUID.sub(lambda found: found[0] if found[0] in self.known else "UUID", text)
        for pattern, name in _DIFFERS:
            text = re.sub(pattern, name, text, flags=re.MULTILINE)
        return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")

    def is_shown(self, shown: str, printed: str) -> bool:
        """Whether the page shows what was printed; `…` stands for what it leaves out."""
        pattern = re.escape(self.plain(shown)).replace("…", ".*?")
        return re.fullmatch(pattern, self.plain(printed), re.DOTALL) is not None
