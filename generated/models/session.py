"""Parameters of the tools of the `session` toolset.

Made from spec (sha256:b46dd5fc3bf704c7841377d5b5e5f3b75dc9c44f71669d35a5e3f29c18d19266).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class SessionCheckpointParams(Model):
    """Parameters of session_checkpoint."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """From init; needed when several are active."""


class SessionEndParams(Model):
    """Parameters of session_end."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """From init; needed when several are active."""


class SessionGetCachedChunkParams(Model):
    """Parameters of session_get_cached_chunk."""

    model_config = ConfigDict(
        extra="forbid",
    )
    cache_key: str
    """From the answer."""
    chunk_index: int
    """From 1."""


class SessionGetMoreResultsParams(Model):
    """Parameters of session_get_more_results."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """The same query."""
    offset: int = 3
    """Results to skip."""
    limit: int = 3
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or root; default all."""
    cache_key: str | MISSING = MISSING
    """From quick_search; default its newest."""


class SessionInitParams(Model):
    """Parameters of session_init."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Default the server's start folder."""


class SessionQuickSearchParams(Model):
    """Parameters of session_quick_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    project: str | None | MISSING = MISSING
    """Name or root; default all."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Only these; default all."""
    min_score: float = 0.7
    """Lowest score; all words give 0.7."""


class SessionReflectOnPastParams(Model):
    """Parameters of session_reflect_on_past."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    limit: int = 10
    """Page size."""
    min_score: float = 0.7
    """Lowest score; all words give 0.7."""
    project: str | None | MISSING = MISSING
    """Name or root; default all."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Only these; default all."""
    include_related_projects: bool = True
    """Also linked projects."""


class SessionReflectionStatsParams(Model):
    """Parameters of session_reflection_stats."""

    model_config = ConfigDict(
        extra="forbid",
    )


class SessionSearchByConceptParams(Model):
    """Parameters of session_search_by_concept."""

    model_config = ConfigDict(
        extra="forbid",
    )
    concept: str
    """Words or a phrase."""
    include_files: bool = True
    """Also its files."""
    limit: int = 10
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or root; default all."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Only these; default all."""


class SessionSearchByFileParams(Model):
    """Parameters of session_search_by_file."""

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """Path, its end, or folder/."""
    limit: int = 10
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or root; default all."""


class SessionStatusParams(Model):
    """Parameters of session_status."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Default the session's."""
    session_id: str | MISSING = MISSING
    """From init; needed when several are active."""


class SessionStoreReflectionParams(Model):
    """Parameters of session_store_reflection."""

    model_config = ConfigDict(
        extra="forbid",
    )
    content: str
    """The insight."""
    tags: list[str] | MISSING = MISSING
    """Such as insight, solution, pattern."""
    replaces: str | MISSING = MISSING
    """Id of the reflection to correct."""
