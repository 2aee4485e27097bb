"""Parameters of the tools of the `memory` toolset.

Made from spec.
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
    """path of a search result."""
    startLine: int = 1
    """First line."""
    endLine: int | MISSING = MISSING
    """Last line. Default: the end."""


class MemorySearchParams(Model):
    """Parameters of memory_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """Text, or 2 to 5 concepts that each result must contain."""
    mode: Literal["vector", "text", "both"] = "both"
    """vector: by meaning. text: all words must occur."""
    limit: int = 10
    """Results per page."""
    after: str | MISSING = MISSING
    """From this day on: YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Before this day: YYYY-MM-DD."""
    project: str | MISSING = MISSING
    """Project name or root folder."""
    exchanges: int = 1
    """Matching exchanges shown per conversation."""
    offset: int = 0
    """Results to skip."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Markdown for reading, or JSON."""
