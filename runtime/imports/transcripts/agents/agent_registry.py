"""Registry of the programs whose sessions can be imported."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vcontract.runtime.imports.transcripts.agents.aider import AIDER
from vcontract.runtime.imports.transcripts.agents.continue_dev import CONTINUE
from vcontract.runtime.imports.transcripts.agents.cursor import CURSOR
from vcontract.runtime.imports.transcripts.agents.declaration import (
    HEAD,
    HEAD_MARK,
    ConvertedProgram,
    Program,
    home,
)
from vcontract.runtime.imports.transcripts.agents.gemini import GEMINI
from vcontract.runtime.imports.transcripts.agents.opencode import OPENCODE
from vcontract.runtime.imports.transcripts.model import Harness


def _of_codex(environment: Mapping[str, str]) -> list[Path]:
    folder = home(environment, "CODEX_HOME", "~/.codex")
    return [folder / "sessions", folder / "archived_sessions"]


CLAUDE_CODE: Final = Program(
    "claude-code",
    "Claude Code",
    lambda environment: [home(environment, "CLAUDE_CONFIG_DIR", "~/.claude") / "projects"],
    ("*.jsonl",),
)
CODEX: Final = Program("codex", "Codex", _of_codex, ("*.jsonl",))
_AGENTS: Final[tuple[ConvertedProgram, ...]] = (GEMINI, CURSOR, OPENCODE, AIDER, CONTINUE)
_ARCHIVED_HEAD: Final = f'{{"{HEAD_MARK}":'.encode()
"""First bytes of a converted session in the archive."""
PROGRAMS: Final[tuple[Program, ...]] = (CLAUDE_CODE, CODEX, *_AGENTS)


def converted_program_named(name: str) -> ConvertedProgram | None:
    """Program of this name whose sessions are converted to JSON lines.

    None for programs that write JSON lines themselves.
    """
    return next((each for each in _AGENTS if each.name == name), None)


def converted_program_of(path: Path) -> ConvertedProgram | None:
    """Program that wrote this file, if its sessions are converted to JSON lines.

    None otherwise, also for a converted copy.

    Raises: OSError.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    if head.startswith(_ARCHIVED_HEAD):
        return None
    return next((each for each in _AGENTS if each.is_of(path, head)), None)


def title_of(harness: Harness) -> str:
    """Display name of a program."""
    return next(each.title for each in PROGRAMS if each.name == harness)
