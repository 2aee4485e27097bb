"""Parameters of the tools of the `session` toolset.

Made from spec.
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
    """session_id from init. Required if several sessions are active."""


class SessionEndParams(Model):
    """Parameters of session_end."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """session_id from init. Required if several sessions are active."""


class SessionGetCachedChunkParams(Model):
    """Parameters of session_get_cached_chunk."""

    model_config = ConfigDict(
        extra="forbid",
    )
    cache_key: str
    """cache_key of the chunked response."""
    chunk_index: int
    """Number of the chunk, from 1."""


class SessionGetMoreResultsParams(Model):
    """Parameters of session_get_more_results."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """The query of quick_search."""
    offset: int = 3
    """Results to skip."""
    limit: int = 3
    """Results per page."""
    project: str | None | MISSING = MISSING
    """Project name or root folder. Default: all projects."""
    cache_key: str | MISSING = MISSING
    """cache_key of quick_search. Default: the newest."""


class SessionInitParams(Model):
    """Parameters of session_init."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Folder of the project. Default: where the server was started."""


class SessionQuickSearchParams(Model):
    """Parameters of session_quick_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    project: str | None | MISSING = MISSING
    """Project name or root folder. Default: all projects."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Kinds of records to search. Default: all."""
    min_score: float = 0.7
    """Minimum score. A record with all words near one another scores at least 0.7."""


class SessionReflectOnPastParams(Model):
    """Parameters of session_reflect_on_past."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    limit: int = 10
    """Results per page."""
    min_score: float = 0.7
    """Minimum score. A record with all words near one another scores at least 0.7."""
    project: str | None | MISSING = MISSING
    """Project name or root folder. Default: all projects."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Kinds of records to search. Default: all."""
    include_related_projects: bool = True
    """Also search linked projects."""


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
    """Return the files too."""
    limit: int = 10
    """Results per page."""
    project: str | None | MISSING = MISSING
    """Project name or root folder. Default: all projects."""
    kinds: list[Literal["exchange", "dialog", "reflection"]] | MISSING = MISSING
    """Kinds of records to search. Default: all."""


class SessionSearchByFileParams(Model):
    """Parameters of session_search_by_file."""

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """Path, end of a path, or folder/."""
    limit: int = 10
    """Results per page."""
    project: str | None | MISSING = MISSING
    """Project name or root folder. Default: all projects."""


class SessionStatusParams(Model):
    """Parameters of session_status."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Folder of the project. Default: that of the session."""
    session_id: str | MISSING = MISSING
    """session_id from init. Required if several sessions are active."""


class SessionStoreReflectionParams(Model):
    """Parameters of session_store_reflection."""

    model_config = ConfigDict(
        extra="forbid",
    )
    content: str
    """Text of the insight."""
    tags: list[str] | MISSING = MISSING
    """Tags such as insight, solution, pattern."""
    replaces: str | MISSING = MISSING
    """ID of the reflection that this one corrects."""
