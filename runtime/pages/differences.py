"""Show an agent's file edits as differences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, Literal

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, members, objects

Mark = Literal["+", "-", " ", "@"]

_PATHS: Final = ("file_path", "notebook_path", "path")
_FORMER: Final = ("old_string", "old_str")
_LATTER: Final = ("new_string", "new_str")
_WHOLE: Final = ("content", "file_text", "new_source")
_PATCH: Final = re.compile(
    r"^\*\*\* Begin Patch$(?P<files>.*?)(?:^\*\*\* End Patch|\Z)", re.MULTILINE | re.DOTALL
)
_FILE: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: ", re.MULTILINE)
_MARKS: Final[dict[str, Mark]] = {"+": "+", "-": "-", "@": "@"}
_MAX_LINES: Final = 400
_MAX_COMPARED_LENGTH: Final = 200_000
_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line that was added, removed or kept, or a position marker."""

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Changes of a call in one file."""

    path: str
    lines: tuple[DiffLine, ...]
    is_cut: bool = False

    @property
    def added(self) -> int:
        """Number of added lines."""
        return sum(line.mark == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        """Number of removed lines."""
        return sum(line.mark == "-" for line in self.lines)


class Comparing:
    """Computes differences with a limit per page; beyond it, lines are not matched."""

    def __init__(self) -> None:
        self._left = _MAX_COMPARED_LENGTH

    def differences(self, given: JsonValue) -> list[FileDiff]:
        """Differences in a call's input; empty if it edits no file."""
        if patches := [patch for text in _texts(given) for patch in _PATCH.findall(text)]:
            return [difference for patch in patches for difference in _patched(patch)]
        path = _text(members(given), _PATHS)
        if not path:
            return []
        edits = [edit for _, edit in objects(members(given).get("edits"))] or [members(given)]
        lines = [line for edit in edits for line in self._edited(edit)]
        return [_cut(path, lines)] if lines else []

    def _edited(self, edit: JsonObject) -> Iterator[DiffLine]:
        former, latter = _text(edit, _FORMER), _text(edit, _LATTER)
        if former is None and latter is None:
            former, latter = "", _text(edit, _WHOLE)
            if latter is None:
                return
        yield from self._compared((former or "").splitlines(), (latter or "").splitlines())

    def _compared(self, former: Sequence[str], latter: Sequence[str]) -> Iterator[DiffLine]:
        before, after = _same(former, latter), 0
        after = _same(former[before:][::-1], latter[before:][::-1])
        old, new = former[before : len(former) - after], latter[before : len(latter) - after]
        yield from (DiffLine(" ", text) for text in former[max(0, before - _AROUND) : before])
        # matching takes time proportional to both sides together
        if (work := len(old) * len(new)) > self._left:
            yield from (DiffLine("-", text) for text in old)
            yield from (DiffLine("+", text) for text in new)
        else:
            self._left -= work
            matcher = SequenceMatcher(None, old, new, autojunk=False)
            for what, begin, end, first, last in matcher.get_opcodes():
                if what == "equal":
                    yield from (DiffLine(" ", text) for text in old[begin:end])
                else:
                    yield from (DiffLine("-", text) for text in old[begin:end])
                    yield from (DiffLine("+", text) for text in new[first:last])
        rest = len(former) - after
        yield from (DiffLine(" ", text) for text in former[rest : rest + _AROUND])


def _same(former: Sequence[str], latter: Sequence[str]) -> int:
    """Number of equal lines at the start of both."""
    count = 0
    for one, other in zip(former, latter, strict=False):
        if one != other:
            break
        count += 1
    return count


def _patched(patch: str) -> Iterator[FileDiff]:
    """Files of a patch, which marks its own lines."""
    for piece in _FILE.split(patch)[1:]:
        path, *body = piece.splitlines()
        lines = [_line(text) for text in body if text != "*** End of File"]
        yield _cut(path.strip(), lines)


def _line(text: str) -> DiffLine:
    mark: Mark = "@" if text.startswith("***") else _MARKS.get(text[:1], " ")
    return DiffLine(mark, text if mark == "@" else text[1:])


def _cut(path: str, lines: Sequence[DiffLine]) -> FileDiff:
    return FileDiff(path, tuple(islice(lines, _MAX_LINES)), len(lines) > _MAX_LINES)


def _texts(given: JsonValue) -> Iterator[str]:
    """Texts of the input, its members, and lists of strings in it."""
    for value in (given, *members(given).values()):
        for text in value if is_array(value) else [value]:
            if isinstance(text, str):
                yield text


def _text(edit: JsonObject, names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := edit.get(name), str)), None)
