"""Parameters of the tools of the `memory` toolset.

Made from spec/tools/memory and the shapes it uses (sha256:ff8a24db5d16edfe7ef354bbd36e3faab71e39932ccf1444f6130956ed1b5be2).
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
    """Text, or 2-5 concepts that one conversation must all hold. Quotes make a phrase."""
    mode: Literal["vector", "text", "both"] = "both"
    """vector: by meaning. text: every word, symbols literally."""
    limit: int = 10
    """Page size."""
    after: str | MISSING = MISSING
    """From, YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Before this day."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Its form."""
