"""Where programs keep their transcripts, and the transcript files that lie below folders."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

ENDING: Final = ".jsonl"


def known_folders(environment: Mapping[str, str]) -> list[Path]:
    """The folders of Claude Code and Codex that are there."""
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()
    codex = Path(environment.get("CODEX_HOME") or "~/.codex").expanduser()
    candidates = (claude / "projects", codex / "sessions", codex / "archived_sessions")
    return [folder for folder in candidates if _may_be(stat.S_ISDIR, folder)]


def transcript_files(folders: Iterable[Path]) -> list[Path]:
    """Every file that may be a transcript below the folders, sorted; linked folders are not entered.

    A folder that cannot be read stands for what it may hold, so that whoever reads the files meets the fault.
    """
    return sorted({path for folder in folders for path in _below(folder)})


def _below(folder: Path) -> Iterator[Path]:
    unreadable: list[Path] = []
    for root, _, names in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename))):
        for name in names:
            path = Path(root, name)
            if name.endswith(ENDING) and _may_be(stat.S_ISREG, path):
                yield path
    yield from unreadable


def _may_be(is_kind: Callable[[int], bool], path: Path) -> bool:
    """Whether the path is of that kind, links followed, or cannot be looked at."""
    try:
        return is_kind(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False
