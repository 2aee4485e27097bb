"""Parameters of the tools of the `contract` toolset.

Made from spec (sha256:c50360ce9426780886507a109e740ded5860e84d7630de772d11b4813037d644).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class DescribeResponseShapeParams(Model):
    """Parameters of describe_response_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    tool_name: str | MISSING = MISSING
    """Tool to describe."""
    include_example: bool = True
    """With an example."""
    whole: bool | MISSING = MISSING
    """true: full schemas with the error envelope; default: short, success only."""
    max_response_bytes: int = 250000
    """Largest answer, else an error."""


class SearchFilters(Model):
    """All must hold. Tags, dealer_id exactly, other text in part, party_tel by 3 digits; dates YYYY-MM-DD."""

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of it."""
    party_name: str | MISSING = MISSING
    """Words of a name."""
    party_email: str | MISSING = MISSING
    """Part of an address."""
    party_tel: str | MISSING = MISSING
    """3 digits or more of a number."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""
    version_of: str | MISSING = MISSING
    """A uuid: only what was made of this vCon by redacting or amending it."""
    versions: Literal["latest", "all"] | MISSING = MISSING
    """
    latest: leave out what a stored vCon amends, and what was redacted from a stored vCon. Default: all
    in vcon_search and beside version_of, else latest.
    """
    start_date: str | MISSING = MISSING
    """From: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Until; a bare day is included."""
    dealer_id: str | MISSING = MISSING
    """Exact id."""
    dealer_name: str | MISSING = MISSING
    """Part of a name."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Exact pairs."""


class VconCapabilitiesParams(Model):
    """Parameters of vcon_capabilities."""

    model_config = ConfigDict(
        extra="forbid",
    )
    migration_hints: bool | MISSING = MISSING
    """true: also list renamed vCon members."""


class VconFetchParams(Model):
    """Parameters of vcon_fetch."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str | MISSING = MISSING
    """Give id or uuid, or its first digits, at least 8."""
    uuid: str | MISSING = MISSING
    """Same as id."""
    include: list[Literal["core", "parties", "summary", "transcript", "tags", "dealer", "counts", "dialog", "analysis", "attachments"]] | MISSING = (
        MISSING
    )
    """Default core, parties, summary."""
    turns: str | MISSING = MISSING
    """Only these turns of the transcript: 3, 10-16, 40-."""
    max_response_bytes: int = 250000
    """Largest answer, else an error."""


class VconGraphShapeParams(Model):
    """Parameters of vcon_graph_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    node_types: list[Literal["analysis_type", "tag_key", "attachment_purpose", "dialog_type", "party_role", "extension", "dealer", "month", "day", "hour", "party", "tag_value"]] | MISSING = (
        MISSING
    )
    """Kinds to count; by default the first six."""
    query: str | MISSING = MISSING
    """Words to count."""
    max_nodes: int = 200
    """How many nodes, most frequent first."""
    max_edges: int = 200
    """How many edges, strongest first."""
    min_strength: float = 0.05
    """Leave out weaker edges (0-1)."""
    max_response_bytes: int = 250000
    """Largest answer, else an error."""
    filters: SearchFilters | MISSING = MISSING
    """As in vcon_search."""


class VconRecallParams(Model):
    """Parameters of vcon_recall."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """The question, or up to five wordings or parts of it."""
    view: Literal["excerpts", "survey"] = "excerpts"
    """survey: one line per conversation, to list or count."""
    max_tokens: int = 1000
    """Largest answer; 4 bytes each."""
    people: list[str] | MISSING = MISSING
    """Names of people who all take part."""
    speaker: str | MISSING = MISSING
    """Only what this person says."""
    since: str | MISSING = MISSING
    """Conversations from here on: YYYY-MM-DD or RFC 3339."""
    until: str | MISSING = MISSING
    """Until; a bare day is included."""
    kinds: list[Literal["conversation", "session", "reflection", "journal"]] | MISSING = MISSING
    """Default all. session: an agent's transcripts."""
    cursor: str | MISSING = MISSING
    """page.next_cursor, with the same arguments."""
    filters: SearchFilters | MISSING = MISSING
    """As in vcon_search."""
    explain: bool = False
    """Add scores."""


class VconSearchParams(Model):
    """Parameters of vcon_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["metadata", "keyword", "semantic", "hybrid"]
    """metadata: newest first. keyword: words. semantic: meaning. hybrid: both."""
    query: str | MISSING = MISSING
    """Words or a sentence."""
    threshold: float | MISSING = MISSING
    """Lowest similarity."""
    semantic_weight: float = 0.6
    """Weight of meaning."""
    hits_per_item: int = 3
    """Snippets each."""
    filters: SearchFilters | MISSING = MISSING
    include: list[Literal["core", "parties", "summary", "transcript", "tags", "dealer", "counts", "dialog", "analysis", "attachments", "hits"]] | MISSING = (
        MISSING
    )
    """Default core, summary; [] core; hits: ids, dates, people, hits only."""
    max_response_bytes: int = 250000
    """Largest answer, else an error."""
    limit: int = 10
    """Page size."""
    cursor: str | MISSING = MISSING
    """page.next_cursor, same arguments."""
    embedding: list[float] | MISSING = MISSING
    """384 numbers, the query's meaning."""


class VconTaxonomyParams(Model):
    """Parameters of vcon_taxonomy."""

    model_config = ConfigDict(
        extra="forbid",
    )
    max_response_bytes: int = 250000
    """Largest answer, else an error."""
