"""Versions of the contract: which is higher, what a break asks for, and which was released last."""

import re
from pathlib import Path
from typing import Final, TypeAlias

from vcontract.codegen.compat.state import NoStateError

Version: TypeAlias = tuple[int, int, int]

_FILE: Final = re.compile(r"\d+\.\d+\.\d+\.json")

RELEASED: Final = "spec/released"
"""Where the released contracts lie, a file a version."""


def version_of(text: str) -> Version:
    """`1.2.3` as numbers. Raises: ValueError."""
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch


def allows_breaks(before: str, after: str) -> bool:
    """Whether `after` may break what `before` promised: while major is 0, the minor version counts as it."""
    return _epoch(version_of(after)) > _epoch(version_of(before))


def next_breaking(version: str) -> str:
    """The lowest version that may break what `version` promised."""
    major, minor, _ = version_of(version)
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def released_versions(root: Path) -> list[str]:
    """Every released version below `root`, the lowest first. Raises: NoStateError."""
    folder = root / RELEASED
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    for name in names:
        if not _FILE.fullmatch(name):
            raise NoStateError(f"{RELEASED}/{name} is not named for a version, such as 1.2.0.json; remove it")
    return sorted((name.removesuffix(".json") for name in names), key=version_of)


def released_file(version: str) -> str:
    """The path of a released contract below the root."""
    return f"{RELEASED}/{version}.json"


def _epoch(version: Version) -> tuple[int, int]:
    major, minor, _ = version
    return (major, 0) if major else (0, minor)
