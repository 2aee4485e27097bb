"""Deterministic IDs: the same session of a tenant always becomes the same vCon and project."""

import hashlib
import re
from typing import Final
from uuid import UUID

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def transcript_uuid(tenant: str, harness: str, session: str, agent: str | None) -> UUID:
    """UUID of a transcript's vCon: version 8, from a SHA-256 of tenant, program, session and agent."""
    return _uuid8("transcript", tenant, harness, session, agent or "")


def exchange_id(vcon: UUID, number: int) -> UUID:
    """ID of an exchange, used by search."""
    return _uuid8("exchange", str(vcon), str(number))


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in the form of session names."""
    return _UUID.fullmatch(text) is not None


def uuid_in(text: str) -> str | None:
    """Last UUID in a text, as in `rollout-2025-…-<uuid>`."""
    found = _UUID.findall(text)
    return found[-1] if found else None


def _uuid8(*names: str) -> UUID:
    """Create a version 8 UUID from a hash. Source: RFC 9562, 5.8."""
    digest = int.from_bytes(hashlib.sha256("\0".join(names).encode("utf-8", "replace")).digest()[:16], "big")
    version, variant = 0xF << 76, 0b11 << 62
    return UUID(int=digest & ~version & ~variant | 8 << 76 | 0b10 << 62)


UNKNOWN_PROJECT: Final = "unknown"

_SEPARATORS: Final = re.compile(r"[/\\]+")
_WORKTREES: Final = ".worktrees"


def project_of(cwd: str | None) -> str:
    """Base name of the folder; for work trees in `.worktrees` or `.claude/worktrees`, of the folder above."""
    parts = [part for part in _SEPARATORS.split(cwd or "") if part]
    for place, part in enumerate(parts):
        if place + 1 < len(parts) and (
            part == _WORKTREES or (part == "worktrees" and place > 0 and parts[place - 1] == ".claude")
        ):
            parts = parts[: place if part == _WORKTREES else place - 1]
            break
    return parts[-1] if parts else UNKNOWN_PROJECT


def relative_to(path: str, cwd: str | None) -> str | None:
    """Path relative to the working directory; None if it is outside."""
    if not cwd:
        return None
    folder = cwd.replace("\\", "/").rstrip("/")
    given = path.replace("\\", "/")
    return given[len(folder) + 1 :] or None if given.startswith(f"{folder}/") else None
