"""Where programs keep their transcripts, and the transcript files that lie below folders."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

ENDING: Final = ".jsonl"


def known_folders(environment: Mapping[str, str]) -> list[Path]:
    """The folders of Claude Code and Codex that are there."""
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()
    codex = Path(environment.get("CODEX_HOME") or "~/.codex").expanduser()
    candidates = (claude / "projects", codex / "sessions", codex / "archived_sessions")
    return [folder for folder in candidates if folder.is_dir()]


def transcript_files(folders: Iterable[Path]) -> list[Path]:
    """Every file that may be a transcript below the folders, sorted; linked folders are not entered."""
    return sorted(path for folder in folders for path in _below(folder))


def _below(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            if name.endswith(ENDING) and path.is_file():
                yield path
