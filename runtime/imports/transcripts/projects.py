"""Projects: the name of what a session worked on, from its working directory."""

import re
from typing import Final

UNKNOWN_PROJECT: Final = "unknown"

_SEPARATORS: Final = re.compile(r"[/\\]+")
_WORKTREES: Final = ".worktrees"


def project_of(cwd: str | None) -> str:
    """The base name of the folder; that above it for a work tree of `.worktrees` or `.claude/worktrees`."""
    parts = [part for part in _SEPARATORS.split(cwd or "") if part]
    for place, part in enumerate(parts):
        if place + 1 < len(parts) and (
            part == _WORKTREES or (part == "worktrees" and place > 0 and parts[place - 1] == ".claude")
        ):
            parts = parts[: place if part == _WORKTREES else place - 1]
            break
    return parts[-1] if parts else UNKNOWN_PROJECT


def relative_to(path: str, cwd: str | None) -> str | None:
    """The path as it is called from the working directory; None when it does not lie below."""
    if not cwd:
        return None
    folder = cwd.replace("\\", "/").rstrip("/")
    given = path.replace("\\", "/")
    return given[len(folder) + 1 :] or None if given.startswith(f"{folder}/") else None
