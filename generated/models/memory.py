"""Parameters of the tools of the `memory` toolset.

Made from spec (sha256:3151bb0a0b00cf0a7d71861a6cab141805a35c84272e57d9350142ad9e4825c9).
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
    """Last line; default the end."""


class MemorySearchParams(Model):
    """Parameters of memory_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """Text, or 2-5 concepts that each result must hold."""
    mode: Literal["vector", "text", "both"] = "both"
    """vector: meaning. text: all words."""
    limit: int = 10
    """Page size."""
    after: str | MISSING = MISSING
    """From this day, YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Days before this one."""
    project: str | MISSING = MISSING
    """Project name or root folder."""
    exchanges: int = 1
    """Matching exchanges shown per conversation."""
    offset: int = 0
    """Results to skip."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Text or data."""
