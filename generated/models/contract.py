"""Parameters of the tools of the `contract` toolset.

Made from spec.
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
    """Name of the tool."""
    include_example: bool = True
    """Include an example."""
    whole: bool | MISSING = MISSING
    """Return full schemas with the error envelope. Default: a short form of success."""
    max_response_bytes: int = 250000
    """A larger response is an error."""


class Said(Model):
    """Phrases said."""

    model_config = ConfigDict(
        extra="forbid",
    )
    any: list[str] | MISSING = MISSING
    """Phrases, one of them said. In "quotes": not in other forms."""
    all: list[str] | MISSING = MISSING
    """Phrases, each said."""
    by: SaidBy | MISSING = MISSING
    """Who said it."""
    within: SaidWithin | MISSING = MISSING
    """When in the conversation."""


class SaidBy(Model):
    """Who said it."""

    model_config = ConfigDict(
        extra="forbid",
    )
    role: str | MISSING = MISSING
    """Role, such as agent."""
    name: str | MISSING = MISSING
    """Words of a name."""


class SaidWithin(Model):
    """When in the conversation."""

    model_config = ConfigDict(
        extra="forbid",
    )
    first_seconds: float | MISSING = MISSING
    """Turns that begin before."""
    last_seconds: float | MISSING = MISSING
    """Turns that end then."""


class SearchFilters(Model):
    """All must hold. Tags and dealer_id match exactly, other text in part. Dates: YYYY-MM-DD."""

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of the subject."""
    party_name: str | MISSING = MISSING
    """Whole words of a name; Andr* is a beginning."""
    party_email: str | MISSING = MISSING
    """Part of an address."""
    party_tel: str | MISSING = MISSING
    """3 or more digits."""
    party_role: str | MISSING = MISSING
    """Role of that party."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Its vendor."""
    attachment_type: str | MISSING = MISSING
    """Purpose or type."""
    events: SearchFiltersEvents | MISSING = MISSING
    """Kinds of events."""
    said: Said | MISSING = MISSING
    not_said: Said | MISSING = MISSING
    """Known unsaid."""
    repeat_within_days: int | MISSING = MISSING
    """Again within N days."""
    version_of: str | MISSING = MISSING
    """UUID: only its versions."""
    versions: Literal["latest", "all"] | MISSING = MISSING
    """latest: omit amended and redacted ones. Default: all in vcon_search and with version_of."""
    start_date: str | MISSING = MISSING
    """Began on or after: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Began up to this day."""
    dealer_id: str | MISSING = MISSING
    """Exact id."""
    dealer_name: str | MISSING = MISSING
    """Part of a name."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Exact pairs."""


class SearchFiltersEvents(Model):
    """Kinds of events."""

    model_config = ConfigDict(
        extra="forbid",
    )
    any: list[Literal["join", "drop", "hold", "unhold", "mute", "unmute", "keydown", "keyup", "consultation-start", "blind-transfer", "consultative-transfer", "transfer-abandoned", "transfer"]]
    """Kinds; transfer: blind or consultative."""
    start_date: str | MISSING = MISSING
    """Happened on or after: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Happened up to this date."""


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
    """UUID of the vCon, or at least its first 8 digits."""
    uuid: str | MISSING = MISSING
    """Same as id."""
    include: list[Literal["core", "parties", "summary", "transcript", "tags", "dealer", "counts", "events", "dialog", "analysis", "attachments"]] | MISSING = (
        MISSING
    )
    """Groups to return. Default: core, parties, summary; with turns core."""
    turns: str | MISSING = MISSING
    """Turns of the transcript to return, from 0, as a list of numbers and ranges: 3, 10-16, 40-."""
    vcons: list[VconFetchParamsVconsEntry] | MISSING = MISSING
    """Several in place of id, each with its turns. Default: all."""
    max_response_bytes: int = 250000
    """A larger response is an error."""


class VconFetchParamsVconsEntry(Model):
    """One entry of `vcons` of VconFetchParams."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    """Same as above."""
    turns: str | MISSING = MISSING
    """Of this one."""


class VconGraphShapeParams(Model):
    """Parameters of vcon_graph_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    node_types: list[Literal["analysis_type", "tag_key", "attachment_purpose", "dialog_type", "party_role", "extension", "dealer", "month", "day", "hour", "party", "tag_value"]] | MISSING = (
        MISSING
    )
    """Kinds of features to count. Default: the first six."""
    query: str | MISSING = MISSING
    """Count only vCons with these words."""
    max_nodes: int = 200
    """Maximum number of features, most frequent first."""
    max_edges: int = 200
    """Maximum number of pairs, strongest first."""
    min_strength: float = 0.05
    """Minimum strength of a pair."""
    max_response_bytes: int = 250000
    """A larger response is an error."""
    filters: SearchFilters | MISSING = MISSING
    """Conditions that all must hold, as in vcon_search."""


class VconRecallParams(Model):
    """Parameters of vcon_recall."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """The question, or up to five wordings or parts of it."""
    view: Literal["excerpts", "list", "survey"] = "excerpts"
    """To list or count: list has a line per turn, survey per conversation."""
    max_tokens: int = 1000
    """Maximum size of the text, at 4 bytes a token."""
    people: list[str] | MISSING = MISSING
    """Names, first names or roles of people who all took part. Andr* is a beginning."""
    speaker: str | MISSING = MISSING
    """Who says it: a name, first name or role. The turn before it may be shown, too."""
    since: str | MISSING = MISSING
    """What was said from this date on: YYYY-MM-DD or RFC 3339. Turns around it may be earlier."""
    until: str | MISSING = MISSING
    """What was said up to this date. A day without a time is included."""
    kinds: list[Literal["conversation", "session", "reflection", "journal"]] | MISSING = MISSING
    """Kinds of records. Default: all. session: transcripts of coding agents."""
    cursor: str | MISSING = MISSING
    """page.next_cursor, with the same arguments."""
    filters: SearchFilters | MISSING = MISSING
    """Conditions that all must hold, as in vcon_search."""
    explain: bool = False
    """Add scores."""


class VconSearchParams(Model):
    """Parameters of vcon_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["metadata", "keyword", "semantic", "hybrid"]
    """metadata: filters only, newest first. semantic: by meaning. hybrid: words and meaning."""
    query: str | MISSING = MISSING
    """Words or a sentence."""
    threshold: float | MISSING = MISSING
    """Minimum similarity."""
    semantic_weight: float = 0.6
    """Weight of meaning."""
    hits_per_item: int = 3
    """Matches shown per vCon."""
    filters: SearchFilters | MISSING = MISSING
    include: list[Literal["core", "parties", "summary", "transcript", "tags", "dealer", "counts", "events", "dialog", "analysis", "attachments", "hits"]] | MISSING = (
        MISSING
    )
    """Default core, summary. hits: only ids, dates, people and hits."""
    max_response_bytes: int = 250000
    """A larger response is an error."""
    limit: int = 10
    """Results per page."""
    cursor: str | MISSING = MISSING
    """page.next_cursor, with the same arguments."""
    embedding: list[float] | MISSING = MISSING
    """Embedding of the query, 384 numbers."""


class VconTaxonomyParams(Model):
    """Parameters of vcon_taxonomy."""

    model_config = ConfigDict(
        extra="forbid",
    )
    max_response_bytes: int = 250000
    """A larger response is an error."""
