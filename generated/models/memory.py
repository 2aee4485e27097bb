"""Parameters of the tools of the `memory` toolset.

Made from spec/tools/memory and the shapes it uses (sha256:62f2ff5816225e10b388d27e8035affd6e44008b5f03595f954d1d042c9a43f2).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class MemoryReadParams(Model):
    """Parameters of memory_read."""

    model_config = ConfigDict(
        extra="forbid",
    )
    path: str
    """Of a search result."""
    startLine: int = 1
    """First line."""
    endLine: int | MISSING = MISSING
    """Default the end."""


class MemorySearchParams(Model):
    """Parameters of memory_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """Text, or 2-5 concepts that one conversation must all hold."""
    mode: Literal["vector", "text", "both"] = "both"
    """text: all words."""
    limit: int = 10
    """Page size."""
    after: str | MISSING = MISSING
    """YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Before this day."""
    project: str | MISSING = MISSING
    """Name or root."""
    exchanges: int = 1
    """Of each."""
    offset: int = 0
    """Skipped."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Its form."""
