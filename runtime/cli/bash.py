"""Bash completion: reassemble words that bash splits, and quote the results."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import typer

_ASKS = "_VCONTRACT_COMPLETE"
_BREAK = re.compile(r"[=:]+")
"""A word that bash creates from separators in `key=value`."""
_OPTION = re.compile(r"--[\w-]+=")
_SPECIAL = re.compile(r"[^\w@%+,./=:-]")
_SPECIAL_IN_QUOTES = re.compile(r"[$`\"\\]")


@contextmanager
def answering_bash() -> Generator[None]:
    """Give completion whole words, and cut its output to the last part."""
    if os.environ.get(_ASKS) != "complete_bash":
        yield
        return
    words, at = joined(os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"]))
    os.environ.update(COMP_WORDS="\n".join(words), COMP_CWORD=str(at))
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        typed = words[at] if at < len(words) else ""
        answers = [insertable(line, typed) for line in printed.getvalue().splitlines()]
        typer.echo("\n".join(answer for answer in answers if answer is not None))


def joined(words: list[str], at: int) -> tuple[list[str], int]:
    """Rejoin `key=value`, which bash splits into three words. Also returns the index of the completed
    word.
    """
    whole: list[str] = []
    place = at
    for number, word in enumerate(words):
        if number > 1 and (_BREAK.fullmatch(word) or _BREAK.fullmatch(words[number - 1])):
            whole[-1] += word
        else:
            whole.append(word)
        if number == at:
            place = len(whole) - 1
    return whole, place if at < len(words) else len(whole)


def insertable(value: str, typed: str) -> str | None:
    """Replacement for the last part of `typed`, quoted for the shell; None if impossible."""
    if typed.startswith("'"):
        return None if "'" in value else value
    if typed.startswith('"'):
        return _SPECIAL_IN_QUOTES.sub(r"\\\g<0>", value)
    typed = _OPTION.sub("", typed, count=1)
    breaks = [found.end() for found in _BREAK.finditer(typed)]
    return _SPECIAL.sub(r"\\\g<0>", value[breaks[-1] if breaks else 0 :])
