"""Parameters of the tools of the `memory` toolset.

Made from spec (sha256:cf6bf7b7df8976be6438b45fcc1927cb242814d3a292e48313c24986bdf7c2f4).
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
    """Text, or 2-5 concepts that each result must hold."""
    mode: Literal["vector", "text", "both"] = "both"
    """text: all words."""
    limit: int = 10
    """Page size."""
    after: str | MISSING = MISSING
    """YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Days before this one."""
    project: str | MISSING = MISSING
    """Name or root."""
    exchanges: int = 1
    """Matching exchanges shown per conversation."""
    offset: int = 0
    """Results to skip."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Form."""
